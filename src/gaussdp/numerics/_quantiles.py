r"""Differences of normal quantiles whose probabilities are known by their ratio.

The closed forms of the paper are differences :math:`\Phi^{-1}(p') - \Phi^{-1}(p)` with
:math:`p' = e^{\varepsilon} p`. Subtracting loses all digits when epsilon is small, so there one Newton
step on the exactly known ratio follows:

.. math:: \log\Phi(-s + \mu) - \log\Phi(-s) = s\mu - \mu^2/2 + \log(R(s-\mu)/R(s))
"""

import numpy as np
from scipy import special

from gaussdp.numerics import _double_double as dd
from gaussdp.numerics._mills import mills, mills_difference
from gaussdp.numerics._types import Floats

_CANCELLED = 4e-3  # below this share of the quantiles, subtracting leaves fewer than 13 digits
_NEARLY_ONE = 1e-3  # below this distance from 1, e**epsilon * fpr needs more than double precision
_ROUNDING = 1e-15  # more than the error of a product near 1
_EXP_LIMIT = 650.0  # e**650 is still a double, and e**-650 is below _DEEP
_DEEP = 1e-280  # below, probabilities go by their logarithm


def mu_matching_curve_at_fpr(epsilon: Floats, fpr: Floats) -> Floats:
    """The mu whose GDP curve meets the pure-DP curve at this FPR (Prop. 3.1), 0 < epsilon < inf."""
    z = special.ndtri(fpr)
    tnr = 1 - fpr
    growth = np.exp(epsilon)
    tpr = growth * fpr  # on the steep piece of the curve, where fpr < 1/(e^epsilon + 1)
    overflowing = epsilon > _EXP_LIMIT
    if overflowing.any():
        root = np.exp(0.5 * epsilon[overflowing])
        tpr[overflowing] = root * fpr[overflowing] * root
    complement = 1 - tpr
    close = (complement < _NEARLY_ONE) & (complement > fpr - _ROUNDING)
    if close.any():
        complement[close] = _one_minus_product(epsilon[close], fpr[close])
    steep = complement > fpr
    p = np.where(steep, tpr, tnr / growth)
    quantile = special.ndtri(p)
    close &= steep
    if close.any():
        quantile[close] = -special.ndtri(complement[close])
    deep = p < _DEEP
    if deep.any():
        up, change = steep[deep], epsilon[deep]
        quantile[deep] = _quantile_of_product(np.where(up, fpr[deep], tnr[deep]), np.where(up, change, -change))
    mu = np.where(steep, quantile, -quantile) - z

    cancelled = mu < _CANCELLED * np.maximum(np.abs(z), 1.0)
    rising = cancelled & (fpr <= 0.5)
    if rising.any():
        log_ratio = epsilon[rising]
        gentle = ~steep[rising]
        if gentle.any():
            # Right of the kink the TPR is 1 - e^-epsilon (1 - fpr); what it exceeds the FPR by is known exactly.
            a = fpr[rising][gentle]
            log_ratio[gentle] = np.log1p(-(1 - a) * np.expm1(-log_ratio[gentle]) / a)
        mu[rising] = _refined_rise(-z[rising], log_ratio, mu[rising])
    falling = cancelled & ~rising
    if falling.any():
        mu[falling] = _refined_fall(z[falling], epsilon[falling], mu[falling])
    return mu


def mu_matching_precision_bound(epsilon: Floats, recall: Floats) -> Floats:
    """Phi^-1(recall) - Phi^-1(e^-epsilon recall) (Prop. 3.2), 0 < epsilon < inf."""
    z = special.ndtri(recall)
    decay = np.exp(-epsilon)
    lost = np.where(epsilon < 0.1, -recall * np.expm1(-epsilon), recall * (1 - decay))
    missed = (1 - recall) + lost  # 1 - e^-epsilon recall, as a sum of positive terms
    upper = missed < 0.5
    p = np.where(upper, missed, decay * recall)
    quantile = special.ndtri(p)
    deep = (p < _DEEP) & ~upper
    if deep.any():
        quantile[deep] = _quantile_of_product(recall[deep], -epsilon[deep])
    mu = z + np.where(upper, quantile, -quantile)

    cancelled = mu < _CANCELLED * np.maximum(np.abs(z), 1.0)
    rising = cancelled & (recall > 0.5)
    if rising.any():
        log_ratio = np.log1p(lost[rising] / (1 - recall[rising]))
        mu[rising] = _refined_rise(z[rising], log_ratio, mu[rising])
    falling = cancelled & ~rising
    if falling.any():
        mu[falling] = _refined_fall(-z[falling], epsilon[falling], mu[falling])
    return mu


def mu_through_point(fpr: Floats, fnr: Floats, tpr: Floats) -> Floats:
    """The mu whose curve passes through (fpr, fnr), 0 where the point does no better than guessing.

    fnr and tpr = 1 - fnr come separately, so that each keeps its digits near 0.
    """
    mirrored = fpr > 0.5  # GDP curves are symmetric; the mirrored point starts below 1/2
    low = np.where(mirrored, fnr, fpr)
    high = np.where(mirrored, 1 - fpr, tpr)
    rest = np.where(mirrored, fpr, fnr)
    z = special.ndtri(low)
    mu = np.where(high < 0.5, special.ndtri(high), -special.ndtri(rest)) - z
    cancelled = (mu < _CANCELLED * np.maximum(np.abs(z), 1.0)) & (low < high)
    if cancelled.any():
        log_ratio = np.log1p((high - low)[cancelled] / low[cancelled])
        mu[cancelled] = _refined_rise(-z[cancelled], log_ratio, mu[cancelled])
    return np.where(low < high, mu, 0.0)


def _one_minus_product(epsilon: Floats, fpr: Floats) -> Floats:
    """1 - e^epsilon fpr where it cancels, from 30 digits of the product."""
    zero = np.zeros_like(fpr)
    root = dd.exp((0.5 * epsilon, zero))  # e^epsilon itself may overflow
    product = dd.multiply(dd.multiply(root, (fpr, zero)), root)
    high, low = dd.add(dd.constant(1.0, fpr), dd.negate(product))
    return high + low


def _quantile_of_product(p: Floats, exponent: Floats) -> Floats:
    """Phi^-1(e^exponent p) where the product is too small for a double, or has few digits there."""
    quantile: Floats = special.ndtri_exp(np.log(p) + exponent)
    return quantile


def _refined_rise(s: Floats, growth: Floats, mu: Floats) -> Floats:
    """The mu with log Phi(-s + mu) - log Phi(-s) = growth, by one Newton step from mu.

    What subtracting quantiles has left of mu is enough: the error of the step is growth/2 times the squared error.
    """
    here = mills(s)
    gained = mills_difference(s - mu / 2, mu / 2)
    error = mu * (s - mu / 2) + np.log1p(gained / here) - growth
    return mu - error * (here + gained)


def _refined_fall(s: Floats, decline: Floats, mu: Floats) -> Floats:
    """The mu with log Phi(-s) - log Phi(-s - mu) = decline, likewise."""
    here = mills(s)
    lost = mills_difference(s + mu / 2, mu / 2)
    error = mu * (s + mu / 2) - np.log1p(-lost / here) - decline
    return mu - error * (here - lost)
