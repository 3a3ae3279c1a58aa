"""The two differences that need more than sixteen digits, in pairs of doubles whose sum is the value.

A pair (high, low) carries about 32 digits. That precision enters through tables at equally spaced nodes, filled once in
whole-number arithmetic, and a short Taylor series about the nearest node. Products are split with Dekker's method, so
magnitudes must stay below about 1e290.
"""

import math
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from gaussdp.numerics._operations import Array, Floats, Operations

Pair: TypeAlias = tuple[Any, Any]
Table: TypeAlias = tuple[Floats, Floats]

_SPLITTER = 134217729.0  # 2**27 + 1
_BITS = 220  # after the point of the tables' whole numbers; 1 - erf cancels 56 at the last node, and a pair holds 106
_ONE = 1 << _BITS
_INV_SQRT_2PI = 398942280401432677939946059934381868475858631164934657665925829670 * _ONE // 10**66
_PAIRED_TERMS = 7  # of a series; the terms after these are too small to need pairs

_WIDEST = 8.5  # h = mu/2; beyond, 1 - erf is below any 1 - delta that a double can hold
_PER_UNIT = 64  # nodes of the table of erf
_COMPLEMENT_FROM = 4.5  # h from which the table holds 1 - erf
_HERMITE_TERMS = 15  # the next is below 1e-32 of the first
_TABLE_TERMS = 32  # of the same series over the whole distance between nodes, to 60 digits

_LARGEST_POWER = 375  # e to twice this is more than any 1/fpr
_PARTS = 32  # nodes of the table of exp between whole numbers
_EXP_TERMS = 12  # of the series of exp: 64**-13 / 13! is below 1e-33


def erf_minus(xp: Operations, mu: Array, delta: Array) -> Array:
    """erf(mu / (2 sqrt 2)) - delta, to relative accuracy about 1e-27 of the larger; for delta near it."""
    h = xp.smaller(0.5 * mu, _WIDEST)
    node = xp.round(h * _PER_UNIT)
    start = node / _PER_UNIT
    value, twice_density = (_looked_up(xp, table, node) for table in erf_tables())
    rise = multiply(twice_density, _hermite_series(start, h - start))
    complement = start >= _COMPLEMENT_FROM
    sign = xp.where(complement, -1.0, 1.0)
    total = add((sign * value[0], sign * value[1]), rise)
    target = xp.where(complement, -(1 - delta), delta)
    high, low = add(total, (-target, 0.0 * target))
    return high + low


def one_minus_product(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """1 - e^epsilon fpr, for 0 <= epsilon <= 750 and a product near 1."""
    half = 0.5 * epsilon  # e^epsilon itself may overflow
    whole = xp.round(half)
    part = xp.round((half - whole) * _PARTS)
    rest = (half - whole) - part / _PARTS
    by_whole, by_part = exp_tables()
    root = multiply(_looked_up(xp, by_whole, whole), _looked_up(xp, by_part, part + _PARTS))
    root = multiply(root, exp_series(rest))
    high, low = multiply(multiply(root, (fpr, 0.0 * fpr)), root)
    high, low = add((1.0 + 0.0 * fpr, 0.0 * fpr), (-high, -low))
    return high + low


def two_sum(a: Array, b: Array) -> Pair:
    """The rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


def two_product(a: Array, b: Array) -> Pair:
    """The rounded product and its exact rounding error (Dekker)."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _split(a: Array) -> Pair:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def add(a: Pair, b: Pair) -> Pair:
    """The sum of two pairs."""
    high, error = two_sum(a[0], b[0])
    low, low_error = two_sum(a[1], b[1])
    high, error = two_sum(high, error + low)
    return two_sum(high, error + low_error)


def multiply(a: Pair, b: Pair) -> Pair:
    """The product of two pairs."""
    high, error = two_product(a[0], b[0])
    return two_sum(high, error + (a[0] * b[1] + a[1] * b[0]))


def exp_series(x: Array) -> Pair:
    """e**x for |x| up to 1/64, as a pair."""
    return _series([1.0] * (_EXP_TERMS + 1), 0, x)


def _hermite_series(start: Array, t: Array) -> Pair:
    """The integral of phi(start + s)/phi(start) over 0 < s < t: sum of (-1)^n He_n(start) t^(n+1) / (n+1)!."""
    hermite = [1.0 + 0.0 * start, -start]
    for n in range(1, _HERMITE_TERMS - 1):
        hermite.append(-start * hermite[n] - n * hermite[n - 1])
    return multiply(_series(hermite, 1, t), (t, 0.0 * t))


def _series(coefficients: list[Array], shift: int, t: Array) -> Pair:
    """The sum of coefficients[n] t^n / (n + shift)!, the first terms in pairs."""
    zero = 0.0 * t
    plain = zero
    for n in range(len(coefficients) - 1, _PAIRED_TERMS - 1, -1):
        plain = plain * t + coefficients[n] / math.factorial(n + shift)
    total: Pair = (plain, zero)
    for n in range(_PAIRED_TERMS - 1, -1, -1):
        high, low = _reciprocal_factorial(n + shift)
        coefficient = multiply((coefficients[n] + zero, zero), (high + zero, low + zero))
        total = add(multiply(total, (t, zero)), coefficient)
    return total


def _looked_up(xp: Operations, table: Table, node: Array) -> Pair:
    return xp.look_up(table[0], node), xp.look_up(table[1], node)


@cache
def erf_tables() -> tuple[Table, Table]:
    """erf(h / sqrt 2), or its complement from 4.5 on, and 2 phi(h) at the nodes."""
    spread = _PER_UNIT * _PER_UNIT
    density, fall = 2 * _INV_SQRT_2PI, _ONE * _ONE // _exp(1, 2 * spread)
    bend = _ONE * _ONE // _exp(1, spread)
    erf, values, densities = 0, [], []
    for node in range(math.ceil(_WIDEST * _PER_UNIT) + 1):
        values.append(erf if node < _COMPLEMENT_FROM * _PER_UNIT else _ONE - erf)
        densities.append(density)
        rise, term, before = 0, _ONE // _PER_UNIT, 0  # to the next node, by the series of _hermite_series
        for n in range(1, _TABLE_TERMS):
            rise += term
            term, before = -(node * term + (n - 1) * before // n) // (spread * (n + 1)), term
        erf += density * rise // _ONE
        density, fall = density * fall // _ONE, fall * bend // _ONE
    return _table(values), _table(densities)


@cache
def exp_tables() -> tuple[Table, Table]:
    """exp at whole numbers, and at parts of one from -1 to 1."""
    by_whole, by_part = [_ONE], [_ONE * _ONE // _exp(1, 1)]
    for _ in range(_LARGEST_POWER):
        by_whole.append(by_whole[-1] * _exp(1, 1) // _ONE)
    for _ in range(2 * _PARTS):
        by_part.append(by_part[-1] * _exp(1, _PARTS) // _ONE)
    return _table(by_whole), _table(by_part)


@cache
def _exp(numerator: int, denominator: int) -> int:
    """exp of a positive fraction, in whole numbers."""
    total, term, n = 0, _ONE, 1
    while term:
        total, term, n = total + term, term * numerator // (denominator * n), n + 1
    return total


@cache
def _reciprocal_factorial(n: int) -> tuple[float, float]:
    high, low = _table([_ONE // math.factorial(n)])
    return float(high[0]), float(low[0])


def _table(values: list[int]) -> Table:
    """Pairs of doubles."""
    highs = [value / _ONE for value in values]  # Python rounds the quotient of whole numbers to the nearest double
    lows = [(value - int(math.ldexp(high, _BITS))) / _ONE for value, high in zip(values, highs, strict=True)]
    return np.array(highs), np.array(lows)
