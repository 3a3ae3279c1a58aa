"""Colours, lines, type, windows and ticks: the paper's own for the paper's parameters, and sensible ones for others.

Text in SVG is drawn as outlines, so that a figure looks the same in every viewer and every document, whatever fonts
are there; PDF embeds its fonts as TrueType, so that text stays text. Both, and PNG, carry no date and no random
identifier: the same input gives the same bytes.
"""

import math
from collections.abc import Sequence
from typing import Any

from gaussdp.documents.rounding import power_of_ten, shown
from gaussdp.words import numeral

# The paper's names for its colours: a light-to-dark sequence, one for the single curve, mixtures of grey.
SEQUENCE = ("#9ecae1", "#6baed6", "#2171b5", "#08519c")
SINGLE = "#ff7f0e"
# The same two for figures of our own, dark enough to be seen: a contrast of at least 3 to white.
OWN, OWN_SECOND = "#d95f02", "#3d8cc0"
BASELINE = "#737373"  # black!55
RULE_OF_3 = "#bfbfbf"  # gray!50
RULE_OF_5 = "#d9d9d9"  # gray!30
ARROW = "#9f9f9f"  # gray!75
GRID = "#dfdfdf"  # gray!25
FRAME = "#7f7f7f"  # black at opacity 0.5

SQUARE = (2.45, 2.3)  # inches
WIDE = (3.35, 2.5)
# Equal margins make equal frames, so that figures set side by side line up.
SQUARE_MARGINS = {"left": 0.2, "right": 0.94, "bottom": 0.185, "top": 0.965}
WIDE_MARGINS = {"left": 0.145, "right": 0.945, "bottom": 0.17, "top": 0.955}
PNG_DPI = 300

THICK = 1.0  # points
MINOR_TICK, MINOR_WIDTH = 1.5, 0.3
DASHES = (0, (3.5, 2.5))

_SMALL = 7.0
PARAMETERS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": _SMALL,
    "ytick.labelsize": _SMALL,
    "legend.fontsize": _SMALL,
    "axes.linewidth": 0.5,
    "axes.edgecolor": FRAME,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "xtick.top": True,
    "ytick.right": True,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.color": FRAME,
    "ytick.color": FRAME,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "xtick.major.width": 0.4,
    "ytick.major.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": MINOR_TICK,
    "ytick.minor.size": MINOR_TICK,
    "xtick.minor.width": MINOR_WIDTH,
    "ytick.minor.width": MINOR_WIDTH,
    "lines.linewidth": THICK,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.handlelength": 1.7,
    "legend.labelspacing": 0.2,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.4,
    "hatch.linewidth": 0.5,
    "savefig.dpi": PNG_DPI,
    "svg.fonttype": "path",
    "svg.hashsalt": "gaussdp",
    "pdf.fonttype": 42,
    "pdf.compression": 9,
}


def sequence(count: int) -> Sequence[str]:
    """So many colours from light to dark: the paper's four for four, the darkest for one, blends of them for others.

    >>> sequence(4) == SEQUENCE
    True
    """
    if count == 1:
        return SEQUENCE[-1:]
    places = [i * (len(SEQUENCE) - 1) / (count - 1) for i in range(count)]
    return tuple(_blend(place) for place in places)


def _blend(place: float) -> str:
    below = min(int(place), len(SEQUENCE) - 2)
    share = place - below
    pairs = zip(_channels(SEQUENCE[below]), _channels(SEQUENCE[below + 1]), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


_STEPS = (1.0, 2.0, 5.0)
_MANY = 1000
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def ticks(high: float, most: int) -> tuple[float, ...]:
    """0 and the multiples up to high of the smallest 1, 2 or 5 times a power of ten that has at most so many.

    >>> ticks(9.0, 5), ticks(4.0, 5)
    ((0.0, 2.0, 4.0, 6.0, 8.0), (0.0, 1.0, 2.0, 3.0, 4.0))
    """
    exponent = math.floor(math.log10(high)) - 2
    steps = (float(f"{step:g}e{exponent + place}") for place in range(5) for step in _STEPS)
    step = next(step for step in steps if _count(high, step) <= most)
    return tuple(_tidy(i * step) for i in range(_count(high, step) + 1))


def decades(low: float, high: float, most: int = 7) -> tuple[float, ...]:
    """The powers of ten from low to high, thinned evenly from the upper end if there are more than so many.

    >>> decades(1e-5, 1e-2)
    (1e-05, 0.0001, 0.001, 0.01)
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    return tuple(float(f"1e{exponent}") for exponent in range(last, first - 1, -stride))[::-1]


_FEWEST_TICKS, _MOST_TICKS = 3, 7


def readable_ticks(low: float, high: float) -> tuple[float, ...]:
    """Three to seven round numbers along a logarithmic axis: powers of ten, or 1, 2 and 5 times them, or even steps.

    >>> readable_ticks(3.0, 2e4), readable_ticks(0.5, 30.0), readable_ticks(0.31, 0.46)
    ((10.0, 100.0, 1000.0, 10000.0), (0.5, 1.0, 2.0, 5.0, 10.0, 20.0), (0.35, 0.4, 0.45))
    """
    powers = decades(low, high)
    if len(powers) >= _FEWEST_TICKS:
        return powers
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    round_ones = (float(f"{step:g}e{exponent}") for exponent in range(first, last + 1) for step in _STEPS)
    found = tuple(tick for tick in round_ones if low <= tick <= high)
    if len(found) >= _FEWEST_TICKS:
        return found
    exponent = math.floor(math.log10(high - low)) + 1
    steps = (float(f"{step:g}e{exponent - place}") for place in range(3) for step in _STEPS[::-1])
    return next(found for step in steps if len(found := _multiples(low, high, step)) >= _FEWEST_TICKS)


def _multiples(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(_tidy(i * step) for i in range(math.ceil(low / step), math.floor(high / step) + 1))


def between_decades(low: float, high: float, marked: Sequence[float]) -> tuple[float, ...]:
    """Where lesser ticks stand: at 2 to 9 times the powers of ten; at those left out of the marked ones if some are.

    >>> between_decades(0.05, 0.4, [0.1])
    (0.05, 0.06, 0.07, 0.08, 0.09, 0.2, 0.3, 0.4)
    >>> between_decades(1e-3, 1.0, [1e-2, 1.0])
    (0.001, 0.1)
    """
    every = decades(low, high, _MANY)
    if len(every) > len(marked):
        return tuple(tick for tick in every if tick not in marked)
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    ticks = (float(f"{digit}e{exponent}") for exponent in range(first, last + 1) for digit in range(2, 10))
    return tuple(tick for tick in ticks if low <= tick <= high)


def power_words(value: float) -> str:
    """A power of ten in plain text.

    >>> power_words(1e-12), power_words(100.0)
    ('10⁻¹²', '10²')
    """
    return f"10{str(round(math.log10(value))).translate(_SUPERSCRIPTS)}"


def enlarged(window: float, need: float) -> float:
    """The window of the paper times 1, 2 or 5 and a power of ten: the smallest such that holds what it must.

    >>> enlarged(9.0, 8.2), enlarged(9.0, 17.0), enlarged(8.0, 0.7)
    (9.0, 18.0, 0.8)
    """
    exponent = math.floor(math.log10(need / window)) - 1
    factors = (float(f"{step:g}e{exponent + place}") for place in range(4) for step in _STEPS)
    return _tidy(next(window * factor for factor in factors if window * factor >= need))


def level_words(value: float) -> str:
    r"""A level in mathtext, without the dollars.

    >>> print(level_words(1e-5), level_words(0.25), level_words(3e-7))
    10^{-5} 0.25 3 \cdot 10^{-7}
    """
    exponent = power_of_ten(value)
    return number_words(value) if exponent is None or exponent >= 0 else f"10^{{{exponent}}}"


def number_words(value: float) -> str:
    r"""A number in mathtext, without the dollars.

    >>> print(number_words(0.1), number_words(2e-8), number_words(math.inf))
    0.1 2 \cdot 10^{-8} \infty
    """
    return r"\infty" if value == math.inf else text_words(shown(value))


def text_words(text: str) -> str:
    """The same of a finite number that is written already."""
    mantissa, _, power = numeral(text).replace(",", "{,}").partition("e")
    return rf"{mantissa} \cdot 10^{{{power}}}" if power else mantissa


def _count(high: float, step: float) -> int:
    return math.floor(high / step * (1 + 1e-12))


def _tidy(value: float) -> float:
    return float(f"{value:.12g}")
