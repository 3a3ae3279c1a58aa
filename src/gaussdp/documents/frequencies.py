"""Shares as people say them: so many of so many."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from gaussdp.documents.rounding import shown

HUNDRED = 100
_MOST_PEOPLE = 10**12
_MANY = 1000
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
    turns = 1 / rate
    whole = round(turns) if turns < _MOST_PEOPLE else 0
    return f"1 in {whole:,}" if whole and math.isclose(whole, turns, rel_tol=1e-12) else shown(rate)


def frequency(share: float) -> str:
    """A share that the user chose, of 100 or of as many as make it whole; else about how many of how many.

    >>> frequency(0.01), frequency(0.5), frequency(0.0125), frequency(1 / 3)
    ('1 of 100', '50 of 100', '125 of 10,000', 'about 33 of 100')
    """
    sizes = [10**power for power in range(2, 13)]
    for of in sizes:
        found = share * of
        if 1 <= round(found) < _MANY and math.isclose(found, round(found), rel_tol=1e-12):
            return f"{round(found):,} of {of:,}"
    readable = [of for of in sizes if min(share, 1 - share) * of >= _READABLE]
    if readable:
        return f"about {about(share, readable[0]):,} of {readable[0]:,}"
    return f"a share of {shown(share)} of all"
