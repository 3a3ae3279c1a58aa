"""Shares as people say them: so many of so many."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from gaussdp.documents.rounding import shown
from gaussdp.words import remembered, say

HUNDRED = 100
_MOST_PEOPLE = 10**12
_MANY = 1000
_SIZES = [10**power for power in range(2, 13)]
_READABLE = 10  # from so many people on a whole number says enough


def about(share: float, of: int = HUNDRED) -> int:
    """So many of so many, to the nearest.

    >>> about(0.6554)
    66
    """
    return int((Decimal(repr(share)) * of).to_integral_value(ROUND_HALF_EVEN))


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
