"""A distribution of dp_accounting composed with itself, as that library lays it out and several times as fast.

The transform of real masses is half as long as a complex one, and its power is a product of few squares.
"""

import math
from typing import Any

import numpy as np
from scipy import fft

from gaussdp.numerics import Complexes, Floats

CUT = 1e-15
"""Probability of the tails that are cut off, and counted as an infinite loss."""
_ORDERS = 20  # of Chernoff's bounds on either side, in units of the inverse number of masses


def bounds_of(masses: Floats, count: int) -> tuple[int, int]:
    """Between which sums of so many places all but the cut lies, by Chernoff's inequality at forty orders."""
    low, high = 0, (masses.size - 1) * count
    growth = np.exp(np.arange(masses.size) / masses.size)
    slack = math.log(2 / CUT)
    for factors, sign in ((growth, 1), (1 / growth, -1)):
        weighted = masses.copy()
        for order in range(1, _ORDERS + 1):
            weighted *= factors
            total = float(weighted.sum())
            if not 0 < total < math.inf:
                continue
            bound = (count * math.log(total) + slack) * masses.size / order
            if sign > 0:
                high = min(high, math.ceil(bound))
            else:
                low = max(low, math.floor(-bound))
    return low, high


def size_of(pmf: Any, count: int) -> int:
    """The number of points that this many of a dense distribution take."""
    masses = np.asarray(pmf._probs, np.float64)
    low, high = bounds_of(masses, count)
    return max(high - low + 1, masses.size)


def composed(pmf: Any, count: int) -> Any:
    """This many of a dense distribution together, with the cut as part of their infinite mass."""
    masses = np.asarray(pmf._probs, np.float64)
    low, high = bounds_of(masses, count)
    size = high - low + 1
    length = fft.next_fast_len(max(size, masses.size), real=True)
    sums = fft.irfft(_power(fft.rfft(masses, length), count), length)
    infinite = CUT - math.expm1(count * math.log1p(-pmf._infinity_mass))
    make = type(pmf)
    return make(
        pmf._discretization,
        pmf._lower_loss * count + low,
        np.roll(sums, -low)[:size],
        infinite,
        pmf._pessimistic_estimate,
    )


def _power(values: Complexes, exponent: int) -> Complexes:
    """By squares: the relative error of a value grows with the exponent as that of any power does."""
    result = values
    for digit in f"{exponent:b}"[1:]:
        result = result * result
        if digit == "1":
            result *= values
    return result
