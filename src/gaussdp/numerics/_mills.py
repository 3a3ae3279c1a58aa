r"""The normal density, the Mills ratio R(x) = (1 - Phi(x)) / phi(x), and its differences without cancellation.

With :math:`J_k(x) = \int_0^\infty t^k e^{-xt - t^2/2} dt` we have :math:`R = J_0`,
:math:`R^{(k)} = (-1)^k J_k`, and a Taylor series about the midpoint whose terms are all positive:

.. math:: R(m-h) - R(m+h) = 2 \sum_{k\ \mathrm{odd}} J_k(m)\, h^k / k!
"""

import math

from gaussdp.numerics._operations import Array, Operations

SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_PI = math.sqrt(math.pi / 2)
INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
DEEPEST = 39.0  # standard deviations beyond which phi underflows

_NARROW = 0.02  # half-width, as a share of the larger of m and 1, below which the series beats the direct difference
_FRACTION_FROM = 5.0  # m from which the continued fraction is both short and exact
_FRACTION_DEPTH = 20  # levels; the estimate of the rest then leaves no error that a double could show


def density(xp: Operations, x: Array) -> Array:
    """phi(x) with the square taken in two parts, so that the tail keeps its digits."""
    x = xp.smaller(abs(x), DEEPEST)
    coarse = xp.round(x * 1024) / 1024
    fine = x - coarse
    return INV_SQRT_2PI * xp.exp(-0.5 * coarse * coarse) * xp.exp(-0.5 * fine * (x + coarse))


def mills(xp: Operations, x: Array) -> Array:
    """R(x), to a few units in the last place; overflows below about -37."""
    return SQRT_HALF_PI * xp.erfcx(SQRT_HALF * x)


def mills_difference(xp: Operations, m: Array, h: Array) -> Array:
    """R(m - h) - R(m + h) for h >= 0 and m - h > -37, to relative error about 1e-14 where m >= 0."""
    narrow = h < _NARROW * xp.larger(m, 1.0)
    return xp.either(narrow, narrow_difference, _wide_difference, (m, 1.0), (h, 0.0))


def narrow_difference(xp: Operations, m: Array, h: Array) -> Array:
    """The same where h is small, by the midpoint series up to h**7: the rest is below 1e-15 of the sum."""
    return xp.either(m > _FRACTION_FROM, _narrow_difference_far, _narrow_difference_near, (m, _FRACTION_FROM), (h, 0.0))


def _wide_difference(xp: Operations, m: Array, h: Array) -> Array:
    return mills(xp, m - h) - mills(xp, m + h)


def _narrow_difference_near(xp: Operations, m: Array, h: Array) -> Array:
    """Forward recurrence J_{k+1} = k J_{k-1} - m J_k; loses a few digits of the later terms only."""
    j0 = mills(xp, m)
    j1 = 1 - m * j0
    j2 = j0 - m * j1
    j3 = 2 * j1 - m * j2
    j4 = 3 * j2 - m * j3
    j5 = 4 * j3 - m * j4
    j6 = 5 * j4 - m * j5
    return _midpoint_series(h, j1, j3, j5, 6 * j5 - m * j6)


def _narrow_difference_far(xp: Operations, m: Array, h: Array) -> Array:
    """Backward continued fraction r_k = J_{k+1}/J_k = (k+1) / (m + r_{k+1}), then J_0 = 1/(m + r_0)."""
    tail = _FRACTION_DEPTH + 1.0
    ratio = 2 * tail / (m + xp.sqrt(m * m + 4 * tail))
    low: list[Array] = []
    for k in range(_FRACTION_DEPTH - 1, -1, -1):
        ratio = (k + 1) / (m + ratio)
        if k < 7:
            low.append(ratio)
    r6, r5, r4, r3, r2, r1, r0 = low
    j1 = r0 / (m + r0)
    j3 = j1 * r1 * r2
    j5 = j3 * r3 * r4
    return _midpoint_series(h, j1, j3, j5, j5 * r5 * r6)


def _midpoint_series(h: Array, j1: Array, j3: Array, j5: Array, j7: Array) -> Array:
    square = h * h
    return 2 * h * (j1 + square * (j3 / 6 + square * (j5 / 120 + square * j7 / 5040)))


def rough_mills(xp: Operations, x: Array) -> Array:
    """R(x) to about one part in a hundred for x > -0.7 (Boyd 1959), for starts of iterations."""
    return math.pi / _rough_bottom(x, xp.sqrt(x * x + 2 * math.pi))


def rough_mills_difference(xp: Operations, m: Array, h: Array) -> Array:
    """The difference of rough_mills over m - h to m + h, with the cancellation done by hand."""
    low, high = m - h, m + h
    root_low, root_high = xp.sqrt(low * low + 2 * math.pi), xp.sqrt(high * high + 2 * math.pi)
    rise = (math.pi - 1) + 2 * m / (root_low + root_high)
    return 2 * math.pi * h * rise / (_rough_bottom(low, root_low) * _rough_bottom(high, root_high))


def _rough_bottom(x: Array, root: Array) -> Array:
    return (math.pi - 1) * x + root
