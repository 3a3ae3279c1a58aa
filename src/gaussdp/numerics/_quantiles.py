r"""The Mills ratio and differences of normal quantiles, without cancellation.

The Mills ratio is R(x) = (1 - Phi(x)) / phi(x). With :math:`J_k(x) = \int_0^\infty t^k e^{-xt - t^2/2} dt` we have
:math:`R = J_0`, :math:`R^{(k)} = (-1)^k J_k`, and a Taylor series about the midpoint whose terms are all positive:

.. math:: R(m-h) - R(m+h) = 2 \sum_{k\ \mathrm{odd}} J_k(m)\, h^k / k!

Probabilities are often known by their ratio: the closed forms of the paper are differences :math:`\Phi^{-1}(p') -
\Phi^{-1}(p)` with :math:`p' = e^{\varepsilon} p`. Subtracting loses all digits when epsilon is small, so there one
Newton step on the exactly known ratio follows:

.. math:: \log\Phi(-s + \mu) - \log\Phi(-s) = s\mu - \mu^2/2 + \log(R(s-\mu)/R(s))
"""

import math

from gaussdp.numerics._extended import one_minus_product
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


_CANCELLED = 4e-3  # share of the quantiles below which subtracting leaves fewer than 13 digits
_NEARLY_ONE = 1e-3  # distance from 1 below which e**epsilon * fpr needs more than double precision
_ROUNDING = 1e-15  # more than the error of a product near 1
_EXP_LIMIT = 650.0  # epsilon; e**650 is still a double, and e**-650 is below _DEEP
_DEEP = 1e-280  # below, probabilities go by their logarithm


def mu_matching_curve_at_fpr(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """The mu whose GDP curve meets the pure-DP curve at this FPR (Prop. 3.1), 0 < epsilon < inf."""
    z = xp.ndtri(fpr)
    growth = xp.exp(xp.smaller(epsilon, _EXP_LIMIT))
    # On the steep piece of the curve, where fpr < 1/(e^epsilon + 1), this is the TPR.
    product = xp.part(epsilon > _EXP_LIMIT, growth * fpr, _vast_product, (epsilon, 0.0), (fpr, 1.0))
    complement = 1 - product
    close = (complement < _NEARLY_ONE) & (complement > fpr - _ROUNDING)
    complement = xp.part(close, complement, one_minus_product, (epsilon, 0.0), (fpr, 1.0))
    steep = complement > fpr
    close = close & steep
    p = xp.where(steep, product, (1 - fpr) / growth)
    quantile = xp.ndtri(xp.where(close, complement, p))
    quantile = xp.part(p < _DEEP, quantile, _deep_on_the_curve, (epsilon, 0.0), (fpr, 0.5), steep)
    mu = xp.where(close, -quantile, xp.where(steep, quantile, -quantile)) - z
    cancelled = mu < _CANCELLED * xp.larger(abs(z), 1.0)
    return xp.part(cancelled, mu, _refined_on_the_curve, (mu, 1e-3), (z, 0.0), (epsilon, 1e-3), (fpr, 0.5), steep)


def _vast_product(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """e^epsilon fpr where the exponential overflows."""
    root = xp.exp(0.5 * epsilon)
    return root * fpr * root


def _deep_on_the_curve(xp: Operations, epsilon: Array, fpr: Array, steep: Array) -> Array:
    return xp.ndtri_exp(xp.log(xp.where(steep, fpr, 1 - fpr)) + xp.where(steep, epsilon, -epsilon))


def _refined_on_the_curve(xp: Operations, mu: Array, z: Array, epsilon: Array, fpr: Array, steep: Array) -> Array:
    rising = fpr <= 0.5
    # Right of the kink the TPR is 1 - e^-epsilon (1 - fpr); what it exceeds the FPR by is known exactly.
    gentle = xp.log1p(-(1 - fpr) * xp.expm1(-epsilon) / fpr)
    change = xp.where(steep, epsilon, xp.where(rising, gentle, epsilon))
    return _refined(xp, xp.where(rising, 1.0, -1.0), abs(z), change, mu)


def mu_matching_precision_bound(xp: Operations, epsilon: Array, recall: Array) -> Array:
    """Phi^-1(recall) - Phi^-1(e^-epsilon recall) (Prop. 3.2), 0 < epsilon < inf."""
    z = xp.ndtri(recall)
    lost = -recall * xp.expm1(-epsilon)
    missed = (1 - recall) + lost  # 1 - e^-epsilon recall, as a sum of positive terms
    upper = missed < 0.5
    p = xp.where(upper, missed, xp.exp(-epsilon) * recall)
    quantile = xp.part((p < _DEEP) & (missed >= 0.5), xp.ndtri(p), _deep_below_recall, (epsilon, 0.0), (recall, 0.5))
    mu = z + xp.where(upper, quantile, -quantile)
    cancelled = mu < _CANCELLED * xp.larger(abs(z), 1.0)
    return xp.part(cancelled, mu, _refined_below_recall, (mu, 1e-3), (z, 0.0), (epsilon, 1e-3), (recall, 0.5), lost)


def _deep_below_recall(xp: Operations, epsilon: Array, recall: Array) -> Array:
    return xp.ndtri_exp(xp.log(recall) - epsilon)


def _refined_below_recall(xp: Operations, mu: Array, z: Array, epsilon: Array, recall: Array, lost: Array) -> Array:
    rising = recall > 0.5
    change = xp.where(rising, xp.log1p(lost / (1 - recall)), epsilon)
    return _refined(xp, xp.where(rising, 1.0, -1.0), abs(z), change, mu)


def mu_through_point(xp: Operations, fpr: Array, fnr: Array, tpr: Array) -> Array:
    """The mu whose curve passes through (fpr, fnr), 0 where the point does no better than guessing.

    fnr and tpr = 1 - fnr come separately, so that each keeps its digits near 0.
    """
    mirrored = fpr > 0.5  # GDP curves are symmetric; the mirrored point starts below 1/2
    low = xp.where(mirrored, fnr, fpr)
    high = xp.where(mirrored, 1 - fpr, tpr)
    rest = xp.where(mirrored, fpr, fnr)
    z = xp.ndtri(low)
    upper = high >= 0.5
    quantile = xp.ndtri(xp.where(upper, rest, high))
    mu = xp.where(upper, -quantile, quantile) - z
    better = low < high
    cancelled = (mu < _CANCELLED * xp.larger(abs(z), 1.0)) & better
    mu = xp.part(cancelled, mu, _refined_through_point, (mu, 1e-3), (z, 0.0), (low, 0.5), (high, 0.5))
    return xp.where(better, mu, 0.0)


def _refined_through_point(xp: Operations, mu: Array, z: Array, low: Array, high: Array) -> Array:
    return _refined(xp, 1.0, -z, xp.log1p((high - low) / low), mu)


def _refined(xp: Operations, sign: Array | float, s: Array, change: Array, mu: Array) -> Array:
    """One Newton step from mu on log Phi(-s + mu) - log Phi(-s) = change; on the fall from -s to -s - mu with sign -1.

    What subtracting quantiles has left of mu is enough: the error of the step is change/2 times the squared error.
    """
    middle = s - sign * mu / 2
    here = mills(xp, s)
    moved = sign * narrow_difference(xp, middle, mu / 2)
    error = mu * middle + sign * xp.log1p(moved / here) - change
    return mu - error * (here + moved)
