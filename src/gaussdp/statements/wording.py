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
    return _such_that(value, Rounding.DOWN, lambda printed: printed > other)


def at_most(value: float, other: float) -> str | None:
    """The number, rounded up and still at most the other as printed; None if it is not.

    >>> at_most(1.74398, 1.8), at_most(1.74398, 1.744)
    ('1.75', '1.744')
    """
    return _such_that(value, Rounding.UP, lambda printed: printed <= other)


def _such_that(value: float, rounding: Rounding, true: Callable[[float], bool]) -> str | None:
    for digits in range(DIGITS, MOST_DIGITS + 1):
        printed = rounded(value, rounding, digits)
        if true(printed):
            return shown(printed)
    return None
