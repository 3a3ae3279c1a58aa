"""Numbers as people say them: counts, frequencies and odds, rounded to the side of less privacy."""

import math
from decimal import ROUND_CEILING, Decimal

from gaussdp.documents.frequencies import HUNDRED, about, frequency, one_in, whole
from gaussdp.documents.rounding import shown_down, shown_nearest, shown_up
from gaussdp.words import Phrase, remembered, say

__all__ = [
    "HUNDRED",
    "about",
    "at_most",
    "down",
    "frequency",
    "in_hundred",
    "members_among",
    "odds_at_most",
    "odds_of",
    "one_in",
    "people",
    "up",
]

_PEOPLE = 100_000
_MOST_PEOPLE = 10**12
_READABLE = 10  # from so many people on a whole number says enough


def up(value: float, digits: int = 3) -> str:
    """A risk, rounded up."""
    return shown_up(value, digits)


def down(value: float, digits: int = 3) -> str:
    """What an attacker must pay, rounded down."""
    return shown_down(value, digits)


def at_most(share: float, of: int = HUNDRED) -> int:
    """So many of so many, rounded up.

    >>> at_most(0.6554)
    66
    """
    return int((Decimal(repr(share)) * of).to_integral_value(ROUND_CEILING))


def in_hundred(share: float, before: float) -> str:
    """So many of 100 at most: whole where the release changes it by one or more, else with a fraction.

    >>> in_hundred(0.6554, 0.5), in_hundred(0.50004, 0.5)
    ('66', '50.1')
    """
    return f"{at_most(share)}" if share == before or HUNDRED * (share - before) >= 1 else up(HUNDRED * share)


@remembered
def members_among(prior: float) -> str:
    """How many are members: "1 of 100 people is a member".

    >>> members_among(0.01), members_among(0.3)
    ('1 of 100 people is a member', '30 of 100 people are members')
    """
    one = (whole(prior) or (0, 0))[0] == 1
    words = Phrase("{share} people is a member") if one else Phrase("{share} people are members")
    return say(words, share=frequency(prior))


def people(*rates: float) -> int | None:
    """So many people that each of these rates of them is some ten or more; None if that is out of all reason."""
    of = _PEOPLE
    while min(rates) * of < _READABLE:
        of *= 10
        if of > _MOST_PEOPLE:
            return None
    return of


def odds_at_most(ratio: float) -> str:
    """Odds for to against, rounded up.

    >>> odds_at_most(1.0), odds_at_most(0.1117), odds_at_most(14.32)
    ('1 : 1', '1 : 8.95', '14.4 : 1')
    """
    if ratio >= 1:
        return say("{ratio} : 1", ratio=up(ratio))
    return say("1 : {ratio}", ratio=down(1 / ratio if ratio else math.inf))


@remembered
def odds_of(prior: float) -> str:
    """The odds of a prior that the user chose, to the nearest.

    >>> odds_of(0.01), odds_of(0.9)
    ('1 : 99', '9 : 1')
    """
    rarer = min(prior, 1 - prior)
    ratio = shown_nearest((1 - rarer) / rarer, 3)
    return say("1 : {ratio}", ratio=ratio) if prior <= 0.5 else say("{ratio} : 1", ratio=ratio)
