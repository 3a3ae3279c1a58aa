"""Numbers as people read them, each rounded to the side of less privacy."""

from gaussdp.documents.rounding import Rounding, shown_level, shown_percent, shown_rounded
from gaussdp.words import numeral

DIGITS = 4


def guarantee_text(value: float, digits: int = DIGITS) -> str:
    """A guarantee or what an attacker can achieve: rounded up.

    >>> guarantee_text(0.31021)
    '0.3103'
    """
    return numeral(shown_rounded(value, Rounding.UP, digits))


def budget_text(value: float, digits: int = DIGITS) -> str:
    """A budget: rounded down.

    >>> budget_text(0.31027)
    '0.3102'
    """
    return numeral(shown_rounded(value, Rounding.DOWN, digits))


def percent_text(value: float) -> str:
    """A rate that an attacker can achieve, in percent: rounded up.

    >>> percent_text(0.0027123), percent_text(0.28), percent_text(1.0)
    ('0.272%', '28%', '100%')
    """
    return numeral(shown_percent(value))


def level_text(value: float) -> str:
    """A level as it was given, powers of ten with their exponent."""
    return numeral(shown_level(value))
