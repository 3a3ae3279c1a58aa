r"""The Mills ratio R(x) = (1 - Phi(x)) / phi(x) and its differences, without cancellation.

With :math:`J_k(x) = \int_0^\infty t^k e^{-xt - t^2/2} dt` we have :math:`R = J_0`,
:math:`R^{(k)} = (-1)^k J_k`, and a Taylor series about the midpoint whose terms are all positive:

.. math:: R(m-h) - R(m+h) = 2 \sum_{k\ \mathrm{odd}} J_k(m)\, h^k / k!
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from gaussdp.numerics._types import Floats

SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_PI = math.sqrt(math.pi / 2)

_NARROW = 0.02  # below this relative half-width the series beats the direct difference
FRACTION_FROM = 5.0  # from here on the continued fraction is both short and exact
_FRACTION_DEPTH = 20


def mills(x: Floats) -> Floats:
    """R(x), to a few units in the last place; overflows below about -37."""
    ratio: Floats = SQRT_HALF_PI * special.erfcx(SQRT_HALF * x)
    return ratio


def mills_difference(m: Floats, h: Floats) -> Floats:
    """R(m - h) - R(m + h) for m >= 0, h >= 0 and m - h > -37, to relative error about 1e-14."""
    narrow = h < _NARROW * np.maximum(m, 1.0)
    if narrow.all():
        return _narrow_difference(m, h)
    if not narrow.any():
        return mills(m - h) - mills(m + h)
    difference = np.empty_like(m)
    difference[narrow] = _narrow_difference(m[narrow], h[narrow])
    wide = ~narrow
    difference[wide] = mills(m[wide] - h[wide]) - mills(m[wide] + h[wide])
    return difference


def rough_mills(x: Floats) -> Floats:
    """R(x) to about one part in a hundred for x > -0.7 (Boyd 1959), for starts of iterations."""
    return math.pi / _rough_bottom(x, np.sqrt(x * x + 2 * math.pi))


def rough_mills_difference(m: Floats, h: Floats) -> Floats:
    """The difference of rough_mills over m - h to m + h, with the cancellation done by hand."""
    low, high = m - h, m + h
    root_low, root_high = np.sqrt(low * low + 2 * math.pi), np.sqrt(high * high + 2 * math.pi)
    rise = (math.pi - 1) + 2 * m / (root_low + root_high)
    difference: Floats = 2 * math.pi * h * rise / (_rough_bottom(low, root_low) * _rough_bottom(high, root_high))
    return difference


def _rough_bottom(x: Floats, root: Floats) -> Floats:
    return (math.pi - 1) * x + root


def _narrow_difference(m: Floats, h: Floats) -> Floats:
    """The midpoint series, cut after h**7: the rest is below 1e-15 of the sum."""
    j1, j3, j5, j7 = _odd_moments(m)
    square = h * h
    return 2 * h * (j1 + square * (j3 / 6 + square * (j5 / 120 + square * j7 / 5040)))


def _odd_moments(m: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """J_1, J_3, J_5 and J_7 at m >= 0."""
    far = m > FRACTION_FROM
    if not far.any():
        return _odd_moments_near(m)
    if far.all():
        return odd_moments_far(m, np.sqrt)
    near = ~far
    merged = []
    for near_part, far_part in zip(_odd_moments_near(m[near]), odd_moments_far(m[far], np.sqrt), strict=True):
        moment = np.empty_like(m)
        moment[near] = near_part
        moment[far] = far_part
        merged.append(moment)
    return merged[0], merged[1], merged[2], merged[3]


def _odd_moments_near(m: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Forward recurrence J_{k+1} = k J_{k-1} - m J_k; loses a few digits of the later terms only."""
    j0 = mills(m)
    j1 = 1 - m * j0
    j2 = j0 - m * j1
    j3 = 2 * j1 - m * j2
    j4 = 3 * j2 - m * j3
    j5 = 4 * j3 - m * j4
    j6 = 5 * j4 - m * j5
    return j1, j3, j5, 6 * j5 - m * j6


def odd_moments_far(m: Any, sqrt: Callable[[Any], Any]) -> tuple[Any, Any, Any, Any]:
    """Backward continued fraction r_k = J_{k+1}/J_k = (k+1) / (m + r_{k+1}), then J_0 = 1/(m + r_0).

    Any library's arrays will do, with its square root.
    """
    tail = _FRACTION_DEPTH + 1.0
    ratio = 2 * tail / (m + sqrt(m * m + 4 * tail))
    low: list[Any] = []
    for k in range(_FRACTION_DEPTH - 1, -1, -1):
        ratio = (k + 1) / (m + ratio)
        if k < 7:
            low.append(ratio)
    r6, r5, r4, r3, r2, r1, r0 = low
    j1 = r0 / (m + r0)
    j3 = j1 * r1 * r2
    j5 = j3 * r3 * r4
    return j1, j3, j5, j5 * r5 * r6
