"""Differences of normal quantiles known by the ratio of their probabilities; see `gaussdp.numerics._quantiles`."""

import math

from gaussdp.numerics.portable._extended import one_minus_product
from gaussdp.numerics.portable._mills import narrow_difference
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._special import mills, ndtri, quantile_of_log

_CANCELLED = 4e-3  # below this share of the quantiles, subtracting leaves fewer than 13 digits
_NEARLY_ONE = 1e-3  # below this distance from 1, e**epsilon * fpr needs more than double precision
_EXP_LIMIT = 650.0
_DEEP = 1e-280  # below, probabilities go by their logarithm
_LOG_HALF = -math.log(2)


def mu_matching_curve_at_fpr(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """The mu whose GDP curve meets the pure-DP curve at this FPR (Prop. 3.1), 0 < epsilon < inf."""
    z = ndtri(xp, fpr)
    growth = xp.exp(xp.smaller(epsilon, _EXP_LIMIT))
    tpr = growth * fpr  # on the steep piece of the curve, where fpr < 1/(e^epsilon + 1)
    overflowing = epsilon > _EXP_LIMIT
    if xp.some(overflowing):
        root = xp.exp(0.5 * xp.smaller(epsilon, 2 * _EXP_LIMIT))
        tpr = xp.where(overflowing, root * fpr * root, tpr)
    complement = 1 - tpr
    close = abs(complement) < _NEARLY_ONE
    if xp.some(close):
        exact = one_minus_product(xp, xp.where(close, epsilon, 0.0), xp.where(close, fpr, 1.0))
        complement = xp.where(close, exact, complement)
    steep = complement > fpr
    close = close & steep
    p = xp.where(close, complement, xp.where(steep, tpr, (1 - fpr) / growth))
    quantile = xp.where(close, -1.0, 1.0) * ndtri(xp, p)
    quantile = _with_deep(xp, quantile, (p < _DEEP) & ~steep, 1 - fpr, epsilon)
    mu = xp.where(steep, quantile, -quantile) - z

    cancelled = mu < _CANCELLED * xp.larger(abs(z), 1.0)
    if not xp.some(cancelled):
        return mu
    rising = fpr <= 0.5
    # Right of the kink the TPR is 1 - e^-epsilon (1 - fpr); what it exceeds the FPR by is known exactly.
    gentle = xp.log1p(-(1 - fpr) * xp.expm1(-epsilon) / fpr)
    change = xp.where(rising & ~steep, gentle, epsilon)
    return _refined(xp, cancelled, rising, xp.where(rising, -z, z), change, mu)


def mu_matching_precision_bound(xp: Operations, epsilon: Array, recall: Array) -> Array:
    """Phi^-1(recall) - Phi^-1(e^-epsilon recall) (Prop. 3.2), 0 < epsilon < inf."""
    z = ndtri(xp, recall)
    lost = -recall * xp.expm1(-epsilon)
    missed = (1 - recall) + lost  # 1 - e^-epsilon recall, as a sum of positive terms
    upper = missed < 0.5
    p = xp.where(upper, missed, xp.exp(-epsilon) * recall)
    quantile = ndtri(xp, p)
    quantile = _with_deep(xp, quantile, (p < _DEEP) & ~upper, recall, epsilon)
    mu = z + xp.where(upper, quantile, -quantile)

    cancelled = mu < _CANCELLED * xp.larger(abs(z), 1.0)
    if not xp.some(cancelled):
        return mu
    rising = recall > 0.5
    change = xp.where(rising, xp.log1p(lost / (1 - recall)), epsilon)
    return _refined(xp, cancelled, rising, abs(z), change, mu)


def _with_deep(xp: Operations, quantile: Array, deep: Array, p: Array, epsilon: Array) -> Array:
    """Phi^-1(e^-epsilon p) where the product is too small for a double."""
    if not xp.some(deep):
        return quantile
    return xp.where(deep, quantile_of_log(xp, xp.where(deep, xp.log(p) - epsilon, _LOG_HALF)), quantile)


def _refined(xp: Operations, cancelled: Array, rising: Array, s: Array, change: Array, mu: Array) -> Array:
    """One Newton step from mu, where it is cancelled, on log Phi(-s + mu) - log Phi(-s) = change, s >= 0.

    Where not rising, on log Phi(-s) - log Phi(-s - mu) = change.
    """
    sign = xp.where(rising, 1.0, -1.0)
    s, change = xp.where(cancelled, s, 0.0), xp.where(cancelled, change, 1e-3)
    start = xp.where(cancelled, mu, 1e-3)
    middle = s - sign * start / 2
    here = mills(xp, s)
    moved = sign * narrow_difference(xp, middle, start / 2)
    error = start * middle + sign * xp.log1p(moved / here) - change
    return xp.where(cancelled, start - error * (here + moved), mu)
