"""Pairs of doubles (high, low) that carry about 32 digits, for the few places where 16 are too few.

Every function takes and returns pairs of float64 arrays whose sum is the value. Products are split
with Dekker's method, so magnitudes must stay below about 1e290.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from gaussdp.numerics._types import Floats

Pair = tuple[Floats, Floats]

_SPLITTER = 134217729.0  # 2**27 + 1
_LN2 = (0.6931471805599453, 2.3190468138462996e-17)
_TERMS = 14  # of the series of exp: 45**-15 / 15! is below 1e-36
_PAIRED_TERMS = 6  # the terms after these are too small to need pairs
INV_SQRT_2PI = (0.3989422804014327, -2.49232720227773e-17)


def two_sum(a: Floats, b: Floats) -> Pair:
    """The rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def two_product(a: Floats, b: Floats) -> Pair:
    """The rounded product and its exact rounding error (Dekker)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _split(a: Floats) -> Pair:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def add(a: Pair, b: Pair) -> Pair:
    high, error = two_sum(a[0], b[0])
    low, low_error = two_sum(a[1], b[1])
    high, error = two_sum(high, error + low)
    return two_sum(high, error + low_error)


def multiply(a: Pair, b: Pair) -> Pair:
    high, error = two_product(a[0], b[0])
    return two_sum(high, error + (a[0] * b[1] + a[1] * b[0]))


def divide(a: Pair, b: Pair) -> Pair:
    first = a[0] / b[0]
    rest = add(a, negate(multiply((first, np.zeros_like(first)), b)))
    second = rest[0] / b[0]
    rest = add(rest, negate(multiply((second, np.zeros_like(second)), b)))
    third = rest[0] / b[0]
    high, low = two_sum(first, second)
    return two_sum(high, low + third)


def negate(a: Pair) -> Pair:
    return -a[0], -a[1]


def constant(value: tuple[float, float] | float, like: Floats) -> Pair:
    high, low = value if isinstance(value, tuple) else (value, 0.0)
    return np.full_like(like, high), np.full_like(like, low)


def exp(a: Pair) -> Pair:
    """e**a for |a| up to about 650."""
    doublings = np.rint(a[0] / _LN2[0])
    reduced = add(a, negate(multiply((doublings, np.zeros_like(doublings)), constant(_LN2, a[0]))))
    total = exp_series((reduced[0] / 16, reduced[1] / 16))
    for _ in range(4):
        total = multiply(total, total)
    scale = np.ldexp(1.0, doublings.astype(np.int64))
    return total[0] * scale, total[1] * scale


def exp_series(a: Pair) -> Pair:
    """e**a for |a| < 1/45; any library's arrays will do."""
    plain = 0.0 * a[0]
    for n in range(_TERMS, _PAIRED_TERMS, -1):
        plain = plain * a[0] + 1 / math.factorial(n)
    total = (plain, 0.0 * a[0])
    for n in range(_PAIRED_TERMS, -1, -1):
        total = add(multiply(total, a), reciprocal_factorial(n))
    return total


@cache
def reciprocal_factorial(n: int) -> tuple[Any, Any]:
    """1/n! as a pair of floats."""
    high = 1 / math.factorial(n)
    numerator, denominator = high.as_integer_ratio()
    rest = denominator - numerator * math.factorial(n)  # exact in whole numbers
    return high, rest / denominator / math.factorial(n)
