"""Numbers and curves as the page shows them: numbers rounded to the side of less privacy, curves dense enough."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.documents.rounding import all_shown_down, shown_down, shown_level, shown_percent, shown_up
from gaussdp.guarantees import GDP, ApproxDP, Guarantee, PureDP, approximate, gaussian
from gaussdp.web.replies import Written, encoded, number_text
from gaussdp.web.schemas.requests import Side
from gaussdp.words import ENGLISH, numeral, remembered, spoken

DIGITS = 4

_LOWEST = 1e-8
_EVEN_FROM = 0.1
_STEP = 0.15  # between quantiles: no GDP curve leaves its chords by more than a thousandth of the picture
_READ = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5)  # in the picture's table


def _between() -> list[float]:
    """Evenly in the middle, where a pointer reads the curve off; in both tails, by steps of the normal quantile."""
    ends = special.ndtri([_LOWEST, _EVEN_FROM])
    tail = [float(f"{rate:.3g}") for rate in special.ndtr(np.arange(ends[0], ends[1], _STEP))]
    middle = np.linspace(_EVEN_FROM, 1 - _EVEN_FROM, 41).round(3).tolist()
    return sorted({0.0, *_READ, *tail, *middle, *(round(1 - rate, 12) for rate in tail), 1.0})


_RATES = _between()
_TEXT = encoded(_RATES)
_STARTS = [0, *accumulate(len(number_text(rate)) + 1 for rate in _RATES)]  # of each rate in the text, after its bracket
_MORE = 24
_BELOW = 100  # the smallest point stands this factor inside the picture


def guarantee_text(value: float, digits: int = DIGITS) -> str:
    """A guarantee or what an attacker can achieve: rounded up.

    >>> guarantee_text(0.31021)
    '0.3103'
    """
    return numeral(shown_up(value, digits))


def budget_text(value: float, digits: int = DIGITS) -> str:
    """A budget: rounded down.

    >>> budget_text(0.31027)
    '0.3102'
    """
    return numeral(shown_down(value, digits))


def budget_texts(values: Sequence[float]) -> list[str]:
    """Several budgets at once."""
    texts = all_shown_down(values)
    return texts if spoken() == ENGLISH else [numeral(text) for text in texts]


def percent_text(value: float) -> str:
    """A rate that an attacker can achieve, in percent: rounded up.

    >>> percent_text(0.0027123), percent_text(0.28), percent_text(1.0)
    ('0.272%', '28%', '100%')
    """
    return numeral(shown_percent(value))


@remembered
def level_text(value: float) -> str:
    """A level as it was given, powers of ten with their exponent."""
    return numeral(shown_level(value))


def curve_rates(*points: float) -> Written:
    """About 110 rates from 0 to 1, with these points among them and a tail that reaches well below them."""
    inside = [point for point in points if 0 < point < 1]
    lowest = min(inside, default=1.0) / _BELOW
    if lowest < _LOWEST:
        inside += np.geomspace(max(lowest, 1e-300), _LOWEST, _MORE, endpoint=False).tolist()
    rates, pieces, written = _RATES.copy(), [], 0
    for point in sorted(set(inside)):
        place = bisect_left(_RATES, point)
        if _RATES[place] != point:
            rates.insert(place + len(rates) - len(_RATES), point)
            start = _STARTS[place] + 1
            pieces += [_TEXT[written:start], number_text(point), b","]
            written = start
    return Written(rates, b"".join([*pieces, _TEXT[written:]]))


def read_off(guarantee: Guarantee, rates: npt.ArrayLike, side: Side) -> list[float]:
    """FNR or TPR of a guarantee at rates from 0 to 1, both included."""
    (read,) = read_sides(guarantee, rates, [side])
    return read


def read_sides(guarantee: Guarantee, rates: npt.ArrayLike, sides: Sequence[Side]) -> list[list[float]]:
    """The same, of several sides."""
    fpr = np.asarray(rates)
    # what is asked most comes first: an abstract class takes its time to tell who is of its kind
    if type(guarantee) is PureDP or (type(guarantee) is not GDP and isinstance(guarantee, ApproxDP)):
        return [curve.tolist() for curve in approximate.along(guarantee, fpr, sides)]
    if isinstance(guarantee, GDP) and 0 < guarantee.mu < math.inf:  # in the open, where nothing else need be asked
        return [curve.tolist() for curve in gaussian.along(guarantee, fpr, sides)]
    return [(guarantee.fnr if side == "fnr" else guarantee.tpr)(fpr).tolist() for side in sides]
