"""Any mechanism with one free number."""

import math

from gaussdp.calibration.achieved import Reader
from gaussdp.calibration.dpsgd import DEFAULT_DIGITS
from gaussdp.calibration.grids import SignificantDigits, WholeNumbers
from gaussdp.calibration.results import Calibration
from gaussdp.calibration.searching import Family, Safer, SearchAxis, calibrate
from gaussdp.calibration.targets import Target
from gaussdp.domains import POSITIVE, instance, number, one_of
from gaussdp.errors import DomainError


def parameter(
    target: Target,
    family: Family,
    low: float,
    high: float,
    *,
    safer: Safer = "larger",
    start: float | None = None,
    floor: float | None = None,
    digits: int | None = DEFAULT_DIGITS,
    name: str = "parameter",
) -> Calibration:
    """The least private number with which a family of mechanisms meets a target.

    Args:
        target: a GDP or AtMost(risk, value).
        family: from a number to a mechanism; its privacy must grow, or fall, over the whole range.
        low, high: the range to search, 0 < low < high; where the guess is far off, the ends are tried.
        safer: whether "larger" or "smaller" numbers give more privacy.
        start: a guess; the geometric middle of the range if None.
        floor: of the fit, for a GDP target; the accounted curve's own default if None.
        digits: significant digits of the answer, 1 to 12, rounded to the private side; None for whole numbers.
        name: what messages and the result call the number.
    Raises:
        DomainError: if the target is out of reach, with what the ends of the range give.

    >>> from gaussdp import GDP
    >>> from gaussdp.mechanisms import Composition, Gaussian
    >>> two = lambda sigma: Composition([Gaussian(sigma), 4 * Gaussian(2 * sigma)])
    >>> parameter(GDP(0.5), two, 0.1, 100).value
    2.829
    """
    reader = Reader(target, floor)
    if not callable(family):
        raise DomainError("family", "a function from a number to a mechanism", family)
    instance("name", name, str, "a word")
    least, most = number("low", low, POSITIVE), number("high", high, POSITIVE)
    if least >= most:
        raise DomainError("low", "below high", got=f"{least!r} and {most!r}")
    one_of("safer", safer, ("larger", "smaller"))
    if digits is None and not (least.is_integer() and most.is_integer()):
        raise DomainError(None, problem="low and high must be whole for whole numbers", got=f"{least!r} and {most!r}")
    guess = math.sqrt(least) * math.sqrt(most) if start is None else number("start", start, POSITIVE)
    if digits is None:
        axis = SearchAxis(name, int(least), int(most), WholeNumbers(), safer)
        return calibrate(axis, reader, lambda count: family(int(count)), guess)
    return calibrate(SearchAxis(name, least, most, SignificantDigits(digits), safer), reader, family, guess)
