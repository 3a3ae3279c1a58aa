"""The two differences that need more than sixteen digits, from tables in pairs of doubles.

`gaussdp.numerics` computes both in pairs of doubles throughout. Here that precision enters through tables at equally
spaced nodes, filled once by those functions, and a short Taylor series about the nearest node.
"""

import math
from functools import cache

import numpy as np

from gaussdp.numerics import _double_double as dd
from gaussdp.numerics import _erf
from gaussdp.numerics.portable._operations import Array, Operations

_WIDEST = 8.5  # h = mu/2; beyond, 1 - erf is below any 1 - delta that a double can hold
_PER_UNIT = 64  # nodes of the table of erf
_COMPLEMENT_FROM = 4.5
_PAIRED_TERMS = 6  # the terms after these are too small to need pairs
_TERMS = 15

_LARGEST_POWER = 375
_PARTS = 32  # nodes of the table of exp between whole numbers


def erf_minus(xp: Operations, mu: Array, delta: Array) -> Array:
    """erf(mu / (2 sqrt 2)) - delta, to relative accuracy about 1e-27 of the larger; for delta near it."""
    h = xp.smaller(0.5 * mu, _WIDEST)
    node = xp.round(h * _PER_UNIT)
    start = node / _PER_UNIT
    value, twice_density = (_looked_up(xp, pair, node) for pair in _erf_tables())
    rise = dd.multiply(twice_density, _hermite_series(start, h - start))
    complement = start >= _COMPLEMENT_FROM
    sign = xp.where(complement, -1.0, 1.0)
    total = dd.add((sign * value[0], sign * value[1]), rise)
    target = xp.where(complement, -(1 - delta), delta)
    high, low = dd.add(total, (-target, 0.0 * target))
    return high + low


def one_minus_product(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """1 - e^epsilon fpr, for 0 <= epsilon <= 750 and a product near 1."""
    half = 0.5 * epsilon  # e^epsilon itself may overflow
    whole = xp.round(half)
    part = xp.round((half - whole) * _PARTS)
    rest = (half - whole) - part / _PARTS
    by_whole, by_part = _exp_tables()
    root = dd.multiply(_looked_up(xp, by_whole, whole), _looked_up(xp, by_part, part + _PARTS))
    root = dd.multiply(root, dd.exp_series((rest, 0.0 * rest)))
    product = dd.multiply(dd.multiply(root, (fpr, 0.0 * fpr)), root)
    high, low = dd.add((1.0 + 0.0 * fpr, 0.0 * fpr), dd.negate(product))
    return high + low


def _hermite_series(start: Array, t: Array) -> tuple[Array, Array]:
    """The integral of phi(start + s)/phi(start) over 0 < s < t: sum of (-1)^n He_n(start) t^(n+1) / (n+1)!."""
    hermite = [1.0 + 0.0 * start, -start]
    for n in range(1, _TERMS - 1):
        hermite.append(-start * hermite[n] - n * hermite[n - 1])
    plain = 0.0 * t
    for n in range(_TERMS - 1, _PAIRED_TERMS - 1, -1):
        plain = plain * t + hermite[n] / math.factorial(n + 1)
    total = (plain, 0.0 * t)
    zero = 0.0 * t
    for n in range(_PAIRED_TERMS - 1, -1, -1):
        coefficient = dd.multiply((hermite[n], zero), dd.reciprocal_factorial(n + 1))
        total = dd.add(dd.multiply(total, (t, zero)), coefficient)
    return dd.multiply(total, (t, zero))


def _looked_up(xp: Operations, pair: tuple[list[float], list[float]], node: Array) -> tuple[Array, Array]:
    index = xp.whole(node)
    return xp.take(xp.table(pair[0], node), index), xp.take(xp.table(pair[1], node), index)


@cache
def _erf_tables() -> tuple[tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """erf(h / sqrt 2), or its complement from 4.5 on, and 2 phi(h) at the nodes."""
    h = np.arange(math.ceil(_WIDEST * _PER_UNIT) + 1) / _PER_UNIT
    below = _erf.erf_pair(2 * h)
    above = _erf.erfc_pair(2 * np.maximum(h, _COMPLEMENT_FROM))
    value = tuple(np.where(h < _COMPLEMENT_FROM, low, high).tolist() for low, high in zip(below, above, strict=True))
    twice_density = tuple((2 * part).tolist() for part in _erf.density_pair(2 * h))
    return (value[0], value[1]), (twice_density[0], twice_density[1])


@cache
def _exp_tables() -> tuple[tuple[list[float], list[float]], tuple[list[float], list[float]]]:
    """exp at whole numbers, and at parts of one from -1 to 1."""
    tables = []
    for exponents in (np.arange(_LARGEST_POWER + 1.0), np.arange(-_PARTS, _PARTS + 1.0) / _PARTS):
        high, low = dd.exp((exponents, np.zeros_like(exponents)))
        tables.append((high.tolist(), low.tolist()))
    return tables[0], tables[1]
