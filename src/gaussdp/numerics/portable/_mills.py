r"""Differences of the Mills ratio without cancellation; see `gaussdp.numerics._mills` for the mathematics."""

import math

from gaussdp.numerics._mills import FRACTION_FROM, odd_moments_far
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._special import mills

_NARROW = 0.02  # below this relative half-width the series beats the direct difference


def mills_difference(xp: Operations, m: Array, h: Array) -> Array:
    """R(m - h) - R(m + h) for h >= 0 and m - h > -37."""
    narrow = h < _NARROW * xp.larger(m, 1.0)
    difference = 0.0 * h
    if xp.some(narrow):
        series = narrow_difference(xp, xp.where(narrow, m, 1.0), xp.where(narrow, h, 0.0))
        difference = xp.where(narrow, series, difference)
    if xp.some(~narrow):
        middle, half = xp.where(narrow, 1.0, m), xp.where(narrow, 1.0, h)
        difference = xp.where(narrow, difference, mills(xp, middle - half) - mills(xp, middle + half))
    return difference


def narrow_difference(xp: Operations, m: Array, h: Array) -> Array:
    """The same for a half-width so small that four terms of the midpoint series are exact."""
    j1, j3, j5, j7 = _odd_moments(xp, m)
    square = h * h
    return 2 * h * (j1 + square * (j3 / 6 + square * (j5 / 120 + square * j7 / 5040)))


def _odd_moments(xp: Operations, m: Array) -> tuple[Array, ...]:
    far = m > FRACTION_FROM
    if not xp.some(far):
        return _odd_moments_near(xp, m)
    distant = odd_moments_far(xp.where(far, m, FRACTION_FROM), xp.sqrt)
    if not xp.some(~far):
        return distant
    close = _odd_moments_near(xp, xp.where(far, FRACTION_FROM, m))
    return tuple(xp.where(far, a, b) for a, b in zip(distant, close, strict=True))


def _odd_moments_near(xp: Operations, m: Array) -> tuple[Array, ...]:
    before, now = mills(xp, m), 1 - m * mills(xp, m)
    odd = [now]
    for k in range(1, 7):
        before, now = now, k * before - m * now
        if k % 2 == 0:
            odd.append(now)
    return tuple(odd)


def rough_mills(xp: Operations, x: Array) -> Array:
    """R(x) to about one part in a hundred for x > -0.7, for starts of iterations."""
    return math.pi / _rough_bottom(x, xp.sqrt(x * x + 2 * math.pi))


def rough_mills_difference(xp: Operations, m: Array, h: Array) -> Array:
    """The difference of rough_mills over m - h to m + h."""
    low, high = m - h, m + h
    root_low, root_high = xp.sqrt(low * low + 2 * math.pi), xp.sqrt(high * high + 2 * math.pi)
    rise = (math.pi - 1) + 2 * m / (root_low + root_high)
    return 2 * math.pi * h * rise / (_rough_bottom(low, root_low) * _rough_bottom(high, root_high))


def _rough_bottom(x: Array, root: Array) -> Array:
    return (math.pi - 1) * x + root
