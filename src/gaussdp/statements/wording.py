"""Numbers in sentences that compare them: as many digits as the comparison needs to be true of what is printed.

A sentence such as "1.743 does not hold; no accountant can go below 1.7439" is read by its numbers. Rounded to three
digits the second would be 1.74, and the sentence untrue.
"""

from collections.abc import Callable

from gaussdp.documents.rounding import MOST_DIGITS, Rounding, rounded, shown

DIGITS = 3
"""Of numbers that are compared with nothing, and the fewest of those that are."""


def up(value: float) -> str:
    """The number, rounded up."""
    return shown(rounded(value, Rounding.UP, DIGITS))


def down(value: float) -> str:
    """The number, rounded down."""
    return shown(rounded(value, Rounding.DOWN, DIGITS))


def above(value: float, other: float) -> str | None:
    """The number, rounded down and still above the other as printed; None if it is not above it.

    >>> above(1.74398, 1.7), above(1.74398, 1.743)
    ('1.74', '1.7439')
    """
    return _shown(value, Rounding.DOWN, digits_above(value, other))


def at_most(value: float, other: float) -> str | None:
    """The number, rounded up and still at most the other as printed; None if it is not.

    >>> at_most(1.74398, 1.8), at_most(1.74398, 1.744)
    ('1.75', '1.744')
    """
    return _shown(value, Rounding.UP, digits_at_most(value, other))


def digits_above(value: float, other: float) -> int | None:
    """The fewest digits with which the number, rounded down, is above the other; None if it is not."""
    return _fewest(lambda digits: rounded(value, Rounding.DOWN, digits) > other)


def digits_at_most(value: float, other: float) -> int | None:
    """The fewest digits with which the number, rounded up, is at most the other; None if it is not."""
    return _fewest(lambda digits: rounded(value, Rounding.UP, digits) <= other)


def _fewest(true: Callable[[int], bool]) -> int | None:
    return next((digits for digits in range(DIGITS, MOST_DIGITS + 1) if true(digits)), None)


def _shown(value: float, rounding: Rounding, digits: int | None) -> str | None:
    return None if digits is None else shown(rounded(value, rounding, digits))
