r"""The free number that a target affords: the noise, steps or rate of DP-SGD, the scale of a release, any other.

Searches start from the central limit theorem of Bu, Dong, Long & Su (2020): for many steps the run is close to GDP with

.. math:: \mu = q \sqrt{T (e^{1/\sigma^2} - 1)}
"""

import math

from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration.results import Calibration
from gaussdp.calibration.searching import Family, Safer, SearchAxis, SignificantDigits, WholeNumbers, calibrate
from gaussdp.calibration.targets import Reader, Target
from gaussdp.documents.rounding import shown_up
from gaussdp.domains import POSITIVE, SAMPLE_RATE, Real, Whole, instance, integer, number, one_of
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee, LaplaceDP
from gaussdp.mechanisms import DPSGD, Adjacency, Composition, Gaussian, Laplace, Mechanism
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.mechanisms.mixtures import MOST_RECORDS
from gaussdp.numerics import LARGEST_EXPONENT, TINY
from gaussdp.risks import Advantage, AtMost

DEFAULT_DIGITS = 4
LEAST_NOISE, MOST_NOISE = 0.2, 1e4
LEAST_RATE = 1e-9
MOST_STEPS = 10**9


def noise_multiplier(
    target: Target,
    *,
    sample_rate: Real,
    steps: Whole,
    floor: float = DEFAULT_FLOOR,
    digits: int = DEFAULT_DIGITS,
    low: float = LEAST_NOISE,
    high: float = MOST_NOISE,
    adjacency: Adjacency = "add-remove",
    records_per_unit: int = 1,
) -> Calibration:
    """The least noise with which DP-SGD meets a target.

    Args:
        target: a GDP, which the fitted mu must meet, or AtMost(risk, value), which the exact curve must.
        sample_rate: probability with which a record enters a batch, in (0, 1].
        steps: number of updates.
        floor: smallest error rate of the attacks that the fitted mu speaks about, in (0, 1); for a GDP target.
        digits: significant digits of the answer, 1 to 12; it is rounded up.
        low, high: the range to search.
        adjacency, records_per_unit: the neighbours that the target speaks about, as for `DPSGD`.
    Returns:
        The noise multiplier, what it achieves, and how the search ended.
    Raises:
        DomainError: if the target is out of reach, with what the ends of the range give.

    >>> from gaussdp import GDP
    >>> result = noise_multiplier(GDP(0.31), sample_rate=0.002, steps=10_000)
    >>> result.value, result.status.value, result.achieved <= 0.31
    (0.9654, 'tight', True)
    """
    reader = Reader(target, floor)
    rate, count = number("sample_rate", sample_rate, SAMPLE_RATE), integer("steps", steps, low=1)
    share = reader.mu / math.sqrt(count) / _moves(adjacency, records_per_unit)  # of the budget, for one step
    squared = _square(share / rate)
    inverse_square = squared if rate == 1 else math.log1p(squared)
    start = 1 / math.sqrt(inverse_square)
    slope = inverse_square / math.expm1(-inverse_square)  # of the limit theorem's mu, about -1 where noise is large
    axis = SearchAxis(
        "noise_multiplier",
        *_range(low, high),
        SignificantDigits(digits),
        "larger",
        slope,
        tell_loosest=low > LEAST_NOISE,
    )
    return calibrate(axis, reader, lambda noise: DPSGD(noise, rate, count, adjacency, records_per_unit), start)


def steps(
    target: Target,
    *,
    noise_multiplier: Real,
    sample_rate: Real,
    floor: float = DEFAULT_FLOOR,
    most: int = MOST_STEPS,
    adjacency: Adjacency = "add-remove",
    records_per_unit: int = 1,
) -> Calibration:
    """The longest run of DP-SGD that meets a target: checked to meet it, and with one step more to miss it.

    Args:
        target: a GDP or AtMost(risk, value).
        noise_multiplier: standard deviation of the noise over the clipping norm.
        sample_rate: probability with which a record enters a batch, in (0, 1].
        floor: smallest error rate of the attacks that the fitted mu speaks about, in (0, 1); for a GDP target.
        most: the largest number of steps to try.
        adjacency, records_per_unit: the neighbours that the target speaks about, as for `DPSGD`.
    Returns:
        The number of steps, what it achieves, and how the search ended.
    Raises:
        DomainError: if even one step misses the target.

    >>> from gaussdp import GDP
    >>> steps(GDP(1.0), noise_multiplier=10.0, sample_rate=1.0).value
    100
    """
    reader = Reader(target, floor)
    noise = number("noise_multiplier", noise_multiplier, POSITIVE)
    rate = number("sample_rate", sample_rate, SAMPLE_RATE)
    axis = SearchAxis("steps", 1, integer("most", most, low=1), WholeNumbers(), "smaller", slope=-0.5)
    start = _square(reader.mu / rate / _moves(adjacency, records_per_unit)) / _one_step_energy(noise, rate)
    return calibrate(axis, reader, lambda count: DPSGD(noise, rate, int(count), adjacency, records_per_unit), start)


def sample_rate(
    target: Target,
    *,
    noise_multiplier: Real,
    steps: Whole,
    floor: float = DEFAULT_FLOOR,
    digits: int = DEFAULT_DIGITS,
    low: float = LEAST_RATE,
    high: float = 1.0,
    adjacency: Adjacency = "add-remove",
    records_per_unit: int = 1,
) -> Calibration:
    """The largest sample rate with which DP-SGD meets a target.

    Args:
        target: a GDP or AtMost(risk, value).
        noise_multiplier: standard deviation of the noise over the clipping norm.
        steps: number of updates.
        floor: smallest error rate of the attacks that the fitted mu speaks about, in (0, 1); for a GDP target.
        digits: significant digits of the answer, 1 to 12; it is rounded down.
        low, high: the range to search, inside (0, 1].
        adjacency, records_per_unit: the neighbours that the target speaks about, as for `DPSGD`.
    Returns:
        The sample rate, what it achieves, and how the search ended.
    Raises:
        DomainError: if the target is out of reach, with what the ends of the range give.

    >>> from gaussdp import Advantage, AtMost
    >>> sample_rate(AtMost(Advantage(), 0.1), noise_multiplier=1.0, steps=10_000).value
    0.001925
    """
    reader = Reader(target, floor)
    noise, count = number("noise_multiplier", noise_multiplier, POSITIVE), integer("steps", steps, low=1)
    least, most = _range(number("low", low, SAMPLE_RATE), number("high", high, SAMPLE_RATE))
    axis = SearchAxis("sample_rate", least, most, SignificantDigits(digits), "smaller")
    start = reader.mu / _moves(adjacency, records_per_unit) / math.sqrt(count * _one_step_energy(noise, 0.0))
    return calibrate(axis, reader, lambda rate: DPSGD(noise, rate, count, adjacency, records_per_unit), start)


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
    least, most = _range(low, high)
    one_of("safer", safer, ("larger", "smaller"))
    if digits is None and not (least.is_integer() and most.is_integer()):
        raise DomainError(None, problem="low and high must be whole for whole numbers", got=f"{least!r} and {most!r}")
    guess = math.sqrt(least) * math.sqrt(most) if start is None else number("start", start, POSITIVE)
    if digits is None:
        axis = SearchAxis(name, int(least), int(most), WholeNumbers(), safer)
        return calibrate(axis, reader, lambda count: family(int(count)), guess)
    return calibrate(SearchAxis(name, least, most, SignificantDigits(digits), safer), reader, family, guess)


def _one_step_energy(noise: float, rate: float) -> float:
    """mu^2 of one step over the squared sample rate, for a guess."""
    squared = _square(1 / noise)
    return squared if rate == 1 else math.expm1(min(squared, LARGEST_EXPONENT))


def _moves(adjacency: Adjacency, records: int) -> float:
    """By how many times the contribution of one record neighbours move a sum, on average over samples: for a guess."""
    count = integer("records_per_unit", records, low=1, high=MOST_RECORDS)
    return math.sqrt(2) if checked_adjacency(adjacency) == "replace-one" else float(count)


def _square(x: float) -> float:
    """x squared, kept to numbers of which one can take the inverse."""
    return min(max(x * x, TINY), 1 / TINY)


def _range(low: float, high: float) -> tuple[float, float]:
    least, most = number("low", low, POSITIVE), number("high", high, POSITIVE)
    if least >= most:
        raise DomainError("low", "below high", got=f"{least!r} and {most!r}")
    return least, most


_SPAN = 1e6  # a closed form is right to rounding error; the range around it only has to hold its neighbours


def gaussian_noise_multiplier(target: Target, *, releases: int = 1, digits: int = DEFAULT_DIGITS) -> Calibration:
    r"""The least noise with which plain Gaussian releases meet a target.

    .. math:: \sigma = \sqrt{n} / \mu

    Args:
        target: a GDP or AtMost(risk, value).
        releases: how many releases with this noise share the target.
        digits: significant digits of the answer, 1 to 12; it is rounded up.
    Returns:
        Standard deviation over sensitivity, rounded up and checked.

    >>> from gaussdp import GDP
    >>> gaussian_noise_multiplier(GDP(0.31)).value
    3.226
    """
    reader = Reader(target)
    count = integer("releases", releases, low=1)
    start = math.sqrt(count) / reader.mu
    axis = SearchAxis("noise_multiplier", start / _SPAN, start * _SPAN, SignificantDigits(digits), "larger")
    return calibrate(axis, reader, lambda noise: count * Gaussian(noise) if count > 1 else Gaussian(noise), start)


def laplace_scale(target: Target, *, digits: int = DEFAULT_DIGITS) -> Calibration:
    r"""The least scale of Laplace noise with which one release meets a target.

    For a GDP target :math:`1/b = -2\log\operatorname{erfc}(\mu/\sqrt 8)`, for a bound v on the advantage
    :math:`1/b = -2\log(1 - v)`; for other risks a search on the closed-form curve.

    Args:
        target: a GDP or AtMost(risk, value).
        digits: significant digits of the answer, 1 to 12; it is rounded up.
    Returns:
        Scale over sensitivity, rounded up and checked.

    >>> from gaussdp import Advantage, AtMost
    >>> laplace_scale(AtMost(Advantage(), 0.1)).value
    4.746
    """

    def curve(mechanism: Mechanism) -> Guarantee:
        return LaplaceDP(max(part.epsilon for part, _ in mechanism.parts() if isinstance(part, Laplace)))

    reader = Reader(target, curve=curve)
    if isinstance(target, AtMost) and isinstance(target.risk, Advantage):
        epsilon = -2 * math.log1p(-target.value)
    else:
        epsilon = LaplaceDP.from_mu(reader.mu).epsilon_bound
    axis = SearchAxis("scale", 1 / epsilon / _SPAN, _SPAN / epsilon, SignificantDigits(digits), "larger")
    return calibrate(axis, reader, Laplace, 1 / epsilon)


def mu_left(
    target: Target, spent: Mechanism, *, floor: float | None = None, digits: int = DEFAULT_DIGITS
) -> Calibration:
    """The largest mu for a next release, such that what was released already and this together meet a target.

    The next release may be anything that is mu-GDP, chosen after seeing the others; it is accounted for as a Gaussian
    release, the worst of these.

    Args:
        target: a GDP or AtMost(risk, value), for everything together.
        spent: what was released already.
        floor: of the fit, for a GDP target; the accounted curve's own default if None.
        digits: significant digits of the answer, 1 to 12; it is rounded down.
    Raises:
        DomainError: if nothing is left.

    >>> from gaussdp import GDP
    >>> mu_left(GDP(0.5), 9 * Gaussian(10.0)).value
    0.4
    """
    reader = Reader(target, floor)
    if not isinstance(spent, Mechanism):
        raise DomainError("spent", "a mechanism", spent, got=type(spent).__name__)
    before = reader(spent)
    if not reader.meets(before) or before.mu >= reader.mu:
        raise DomainError(
            None,
            problem=f"nothing is left: what was released already gives {shown_up(before.achieved, 6)}, target {target}",
        )
    start = math.sqrt((reader.mu - before.mu) * (reader.mu + before.mu))
    axis = SearchAxis("mu", reader.mu / _SPAN, reader.mu * _SPAN, SignificantDigits(digits), "smaller")
    return calibrate(axis, reader, lambda mu: Composition([spent, Gaussian(1 / mu, spent.adjacency)]), start)
