r"""Differences of normal quantiles whose probabilities are known by their ratio.

The closed forms of the paper are differences :math:`\Phi^{-1}(p') - \Phi^{-1}(p)` with
:math:`p' = e^{\varepsilon} p`. Subtracting loses all digits when epsilon is small, so there one Newton
step on the exactly known ratio follows:

.. math:: \log\Phi(-s + \mu) - \log\Phi(-s) = s\mu - \mu^2/2 + \log(R(s-\mu)/R(s))
"""

from gaussdp.numerics._extended import one_minus_product
from gaussdp.numerics._mills import mills, narrow_difference
from gaussdp.numerics._operations import Array, Operations

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
