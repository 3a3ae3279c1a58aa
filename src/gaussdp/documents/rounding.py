"""One-sided rounding: what is shown claims no more privacy than the number; digits, and shares as people say them.

Guarantees and attack risks round up, budgets round down. A number is rounded as it prints (0.1 is 0.1, not the binary
fraction a hair above it), so what a person typed comes back unchanged.

Ties: a number of more than 15 digits was computed, and the last of them differ from one platform to the next. Where a
shorter number with the digits that are shown lies within `TIE` of it, that number is shown, everywhere; any other
number is rounded outward. 0 is shown for 0 alone. What programs read (JSON, ledgers, certificates) is never rounded.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from enum import Enum
from fractions import Fraction
from functools import cache, lru_cache

from gaussdp.domains import integer
from gaussdp.words import remembered, say

MOST_DIGITS = 17
WRITTEN_DIGITS = 15
"""Digits that every double keeps: a decimal of so many comes back from a double unchanged, and was written so."""

_PERCENT = 2  # places by which the point moves
_MOST_PLACES = 400  # any double has fewer digits before the point


class Rounding(Enum):
    """To which side a shown number may deviate from the computed one."""

    UP = "up"
    DOWN = "down"
    NEAREST = "nearest"
    EXACT = "exact"


_UP, _DOWN, _NEAREST, _EXACT = Rounding  # to look up a member of an enumeration takes its time
_POWERS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5]
_LEAST = (1e-3, 1e-4, 1e-5)  # that need no exponent, by how far the point is moved
_PLACES_BELOW = 5  # a number from 0.1 to 1 is above so many of these powers, and has as many places as digits
_UNITS = [10.0**places for places in range(MOST_DIGITS + _PLACES_BELOW)]  # doubles all of them
_BEGINNINGS = ["0." + "0" * places for places in range(MOST_DIGITS + _PLACES_BELOW)]
_FOUR_DIGITS = [0, 0, 0, *(4 + _PLACES_BELOW - above for above in range(3, 9)), 0, 0, 0]  # places; 0: not cut so
TIE = 2e-15
"""Relative error of a number that was computed, at least: some roundings of a double."""

_OFF = 2 * TIE  # nearer to a cut, digits are read off the number as it prints
_TIE = Decimal(repr(TIE))
_SETTLED_TO = 12  # digits: whoever asks for more wants to see what was computed
_SETTLING = [Context(prec=max(count, 1), rounding=ROUND_HALF_EVEN) for count in range(_SETTLED_TO + 1)]
_MODES = {Rounding.UP: ROUND_CEILING, Rounding.DOWN: ROUND_FLOOR, Rounding.NEAREST: ROUND_HALF_EVEN}


def rounded(value: float, rounding: Rounding, digits: int = 4) -> float:
    """The value rounded to this many significant digits on the stated side.

    Args:
        value: any number but NaN.
        rounding: the side; `Rounding.EXACT` returns the value.
        digits: significant digits, 1 to 17.

    >>> rounded(0.31027, Rounding.UP), rounded(0.31027, Rounding.DOWN)
    (0.3103, 0.3102)
    """
    cut = _cut(value, rounding, digits)
    if cut is not None:
        return float(cut)
    context = _context(digits if type(digits) is int else integer("digits", digits, low=1, high=MOST_DIGITS), rounding)
    if context is None or math.isinf(value):
        return value
    return float(context.create_decimal(_settled(value, digits)))


def _settled(value: float, digits: int) -> Decimal:
    """The number as it prints, or the one of so many digits that it is to within the error of computing it."""
    exact = Decimal(repr(float(value)))
    if digits > _SETTLED_TO or len(exact.as_tuple().digits) <= WRITTEN_DIGITS:
        return exact
    near = _SETTLING[digits].create_decimal(exact)
    return near if abs(near - exact) <= _TIE * abs(exact) else exact


@lru_cache(typed=True)
def _context(digits: int, rounding: Rounding) -> Context | None:
    count = integer("digits", digits, low=1, high=MOST_DIGITS)
    return None if rounding is Rounding.EXACT else Context(prec=count, rounding=_MODES[rounding])


def rounded_to_decimals(value: float, rounding: Rounding, decimals: int) -> float:
    """The value rounded on the stated side to this many digits after the point.

    >>> rounded_to_decimals(18.2955, Rounding.NEAREST, 2), rounded_to_decimals(18.2955, Rounding.DOWN, 2)
    (18.3, 18.29)
    """
    if rounding is Rounding.EXACT or math.isinf(value):
        return value
    unit = Decimal(1).scaleb(-integer("decimals", decimals, low=0, high=_MOST_PLACES))
    found = float(_settled(value, _SETTLED_TO).quantize(unit, _MODES[rounding], Context(prec=_MOST_PLACES)))
    return found if found or not value else rounded(value, rounding, 1)  # 0 is shown for 0 alone


def shown(value: float) -> str:
    """The shortest text that reads back as the value: plain where readable, else with an exponent.

    >>> shown(0.25), shown(1e-05), shown(1175.97), shown(3.0)
    ('0.25', '1e-5', '1175.97', '3')
    """
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "0"
    text = repr(float(value))
    if 1e-3 <= abs(value) < 1e7:  # where Python writes no exponent either
        return text.removesuffix(".0")
    mantissa, exponent = text.split("e") if "e" in text else _scientific(value)
    return f"{mantissa}e{int(exponent)}"


def shown_rounded(value: float, rounding: Rounding, digits: int = 4) -> str:
    """The text of the rounded value; where no exponent is written, its digits are cut and nothing is read back.

    >>> shown_rounded(0.31027, Rounding.UP), shown_rounded(0.31027, Rounding.DOWN), shown_rounded(9.9996, Rounding.UP)
    ('0.3103', '0.3102', '10')
    """
    cut = _cut(value, rounding, digits)
    return shown(rounded(value, rounding, digits)) if cut is None else cut


def _cut(value: float, rounding: Rounding, digits: int, moved: int = 0) -> str | None:
    """The text of a number cut to so many digits on the stated side, its point then moved by so many places.

    None where it may need an exponent or ends before the point; and where doubles do not show for sure on which side of
    the number as it prints a cut lies, as where it has no more digits than are kept.
    """
    if not _LEAST[moved] <= value < 1e6 or rounding is _EXACT:
        return None
    if type(digits) is not int or not 1 <= digits <= MOST_DIGITS:
        digits = integer("digits", digits, low=1, high=MOST_DIGITS)
    if type(value) is not float:
        value = float(value)
    places = digits + _PLACES_BELOW - bisect_right(_POWERS, value)
    if places <= moved:
        return None
    scaled = value * _UNITS[places]
    units = int(scaled)
    rest, unsure = scaled - units, _OFF * scaled
    if not unsure < rest < 1 - unsure:
        return None
    if rounding is _UP:
        units += 1
    elif rounding is _NEAREST:
        if abs(rest - 0.5) <= unsure:
            return None
        units += rest > 0.5
    text = str(units)
    whole = len(text) - places + moved
    text = f"{text[:whole]}.{text[whole:]}" if whole > 0 else _BEGINNINGS[-whole] + text
    return text if text[-1] != "0" else text.rstrip("0").rstrip(".")


def shown_up(value: float, digits: int = 4) -> str:
    """A guarantee, or what an attacker can achieve, in a sentence: rounded up.

    >>> shown_up(0.31021), shown_up(math.inf)
    ('0.3103', '∞')
    """
    return _cut(value, _UP, digits) or _in_words(value, _UP, digits)


def shown_down(value: float, digits: int = 4) -> str:
    """A budget, or what an attacker must pay, in a sentence: rounded down."""
    return _cut(value, _DOWN, digits) or _in_words(value, _DOWN, digits)


def all_shown_down(values: Iterable[float]) -> list[str]:
    """Each as `shown_down` gives it with four digits: the steps of `_cut` without its questions, for whole tables.

    >>> all_shown_down([0.31027, 12.5])
    ['0.3102', '12.5']
    """
    units_of, places_of, off = _UNITS, _FOUR_DIGITS, _OFF
    texts = []
    for value in values:
        places = places_of[bisect_right(_POWERS, value)]
        scaled = value * units_of[places]
        units = int(scaled) if places else 0
        if places and off * scaled < scaled - units < 1 - off * scaled:
            text = str(units)
            whole = len(text) - places
            text = f"{text[:whole]}.{text[whole:]}" if whole > 0 else _BEGINNINGS[-whole] + text
            texts.append(text if text[-1] != "0" else text.rstrip("0").rstrip("."))
        else:
            texts.append(shown_down(value))
    return texts


def shown_nearest(value: float, digits: int = 4) -> str:
    """A number that promises nothing, in a sentence."""
    return _cut(value, _NEAREST, digits) or _in_words(value, _NEAREST, digits)


def _in_words(value: float, rounding: Rounding, digits: int) -> str:
    return shown(rounded(value, rounding, digits)).replace("inf", "∞")


def shown_level(value: float) -> str:
    """As `shown`, but a power of ten below 0.1 keeps its exponent, since levels are read by it.

    >>> shown_level(0.1), shown_level(0.01), shown_level(0.03), shown_level(1e-5)
    ('0.1', '1e-2', '0.03', '1e-5')
    """
    exponent = power_of_ten(value)
    return shown(value) if exponent is None or exponent >= -1 else f"1e{exponent}"


def shown_percent(value: float, digits: int = 3) -> str:
    """A rate that an attacker can achieve, in percent: rounded up.

    >>> shown_percent(0.0027123), shown_percent(0.28), shown_percent(1.0)
    ('0.272%', '28%', '100%')
    """
    # Rounded before it is scaled, and scaled in decimal: 100 * 0.28 is a hair above 28 and would round up to 28.1.
    if not 1e-5 <= value < 1:  # three zeros at the most are easier to read than an exponent
        return f"{shown(float(Decimal(repr(rounded(value, Rounding.UP, digits))).scaleb(_PERCENT)))}%"
    cut = _cut(value, _UP, digits, _PERCENT)
    if cut is not None:
        return f"{cut}%"
    context = Context(prec=integer("digits", digits, low=1, high=MOST_DIGITS), rounding=ROUND_CEILING)
    text = f"{context.create_decimal(_settled(value, digits)).scaleb(_PERCENT):f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def power_of_ten(value: float) -> int | None:
    """The exponent, if the value is the double nearest to a power of ten."""
    return _powers_of_ten().get(value)


@cache
def _powers_of_ten() -> dict[float, int]:
    return {float(f"1e{exponent}"): exponent for exponent in range(-323, 309)}


def _scientific(value: float) -> tuple[str, str]:
    digits = Decimal(repr(float(value))).normalize()
    mantissa, exponent = f"{digits:e}".split("e")
    return mantissa, exponent


FEWEST_DIGITS = 3
"""Of numbers in sentences that compare them, which have as many as it takes for the sentence to be true of its numbers.

A sentence such as "1.743 does not hold; no accountant can go below 1.7439" is read by its numbers. Rounded to three
digits the second would be 1.74, and the sentence untrue.
"""


def shown_above(value: float, other: float) -> str | None:
    """The number, rounded down and still above the other as printed; None if it is not above it.

    >>> shown_above(1.74398, 1.7), shown_above(1.74398, 1.743)
    ('1.74', '1.7439')
    """
    return _shown_or_none(value, Rounding.DOWN, digits_above(value, other))


def shown_at_most(value: float, other: float) -> str | None:
    """The number, rounded up and still at most the other as printed; None if it is not.

    >>> shown_at_most(1.74398, 1.8), shown_at_most(1.74398, 1.744)
    ('1.75', '1.744')
    """
    return _shown_or_none(value, Rounding.UP, digits_at_most(value, other))


def digits_above(value: float, other: float) -> int | None:
    """The fewest digits with which the number, rounded down, is above the other; None if it is not."""
    return _fewest(lambda digits: rounded(value, Rounding.DOWN, digits) > other)


def digits_at_most(value: float, other: float) -> int | None:
    """The fewest digits with which the number, rounded up, is at most the other; None if it is not."""
    return _fewest(lambda digits: rounded(value, Rounding.UP, digits) <= other)


def _fewest(true: Callable[[int], bool]) -> int | None:
    return next((digits for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1) if true(digits)), None)


def _shown_or_none(value: float, rounding: Rounding, digits: int | None) -> str | None:
    return None if digits is None else shown(rounded(value, rounding, digits))


HUNDRED = 100
_MOST_PEOPLE = 10**12
_MANY = 1000
_SIZES = [10**power for power in range(2, 13)]
_READABLE = 10  # from so many people on a whole number says enough
_SURE = 1e-9  # a product of doubles so far from where it would be rounded otherwise is rounded as the numbers print


def about(share: float, of: int = HUNDRED) -> int:
    """So many of so many, to the nearest.

    >>> about(0.6554)
    66
    """
    found = share * of
    if abs(found - math.floor(found) - 0.5) > _SURE * (1 + found):
        return round(found)
    return int((Decimal(repr(share)) * of).to_integral_value(ROUND_HALF_EVEN))


def no_more_than(of: int, *shares: float) -> int:
    """So many of so many are these shares together, rounded up.

    >>> no_more_than(100, 0.6554), no_more_than(100, 0.07), no_more_than(100, 0.5, 0.07), no_more_than(100, 0.5, 1e-30)
    (66, 7, 57, 51)
    """
    found = sum([of * share for share in shares])
    if abs(found - round(found)) > _SURE * (1 + found):
        return math.ceil(found)
    return math.ceil(sum(of * Fraction(_settled(share, _SETTLED_TO)) for share in shares))


def one_in(rate: float) -> str:
    """A rate that the user chose, as 1 in so many where that is exact.

    >>> one_in(0.001), one_in(0.03)
    ('1 in 1,000', '0.03')
    """
    whole = turns(rate)
    return shown(rate) if whole is None else say("1 in {whole:,}", whole=whole)


def turns(rate: float) -> int | None:
    """In how many a rate is one, where that is a whole number."""
    found = 1 / rate
    whole = round(found) if found < _MOST_PEOPLE else 0
    return whole if whole and math.isclose(whole, found, rel_tol=1e-12) else None


@remembered
def frequency(share: float) -> str:
    """A share that the user chose, of 100 or of as many as make it whole; else about how many of how many.

    >>> frequency(0.01), frequency(0.5), frequency(0.0125), frequency(1 / 3)
    ('1 of 100', '50 of 100', '125 of 10,000', 'about 33 of 100')
    """
    counted = whole(share)
    if counted is not None:
        return say("{found:,} of {of:,}", found=counted[0], of=counted[1])
    readable = [of for of in _SIZES if min(share, 1 - share) * of >= _READABLE]
    if readable:
        return say("about {found:,} of {of:,}", found=about(share, readable[0]), of=readable[0])
    return say("a share of {share} of all", share=shown(share))


def whole(share: float) -> tuple[int, int] | None:
    """So many of 100, or of as many as make the share whole; None where nothing does."""
    for of in _SIZES:
        found = share * of
        if 1 <= round(found) < _MANY and math.isclose(found, round(found), rel_tol=1e-12):
            return round(found), of
    return None
