r"""The exact partial derivatives of the nine functions, each from the inputs and the value.

With :math:`R` the Mills ratio, :math:`m = \varepsilon/\mu`, :math:`h = \mu/2` and :math:`z = \Phi^{-1}` of the level:

.. math:: \partial\delta/\partial\mu = \varphi(m-h), \qquad \partial\delta/\partial\varepsilon = -\varphi(m-h) R(m+h)

and the inverses follow by the implicit function theorem. At the ends of the domain a derivative is the one from inside;
where the value is constant there, or infinite, it is 0.
"""

import math

from gaussdp.numerics._operations import Array, Operations
from gaussdp.numerics._quantiles import INV_SQRT_2PI, mills, mills_difference

_NARROW = 0.02  # mu below which the ratio and the slope of the TPR cancel


def advantage_by_mu(xp: Operations, mu: Array, _value: Array) -> Array:
    return _plain_density(xp, 0.5 * mu)


def fnr_by_mu(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    inside = (mu < math.inf) & (fpr > 0) & (fpr < 1)
    z = xp.ndtri(xp.where(inside, fpr, 0.5))
    return xp.where(inside, -_plain_density(xp, z + xp.where(inside, mu, 0.0)), 0.0)


def fnr_by_fpr(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    inside = (mu < math.inf) & (fpr > 0) & (fpr < 1)
    z, m = xp.ndtri(xp.where(inside, fpr, 0.5)), xp.where(inside, mu, 0.0)
    end = xp.where(mu == 0, -1.0, xp.where((fpr == 0) & (mu < math.inf), -math.inf, 0.0))
    return xp.where(inside, -xp.exp(-m * (z + 0.5 * m)), end)


def ratio_by_mu(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    return _plain_density(xp, xp.ndtri(fpr) + mu) / fpr


def ratio_by_fpr(xp: Operations, mu: Array, fpr: Array, value: Array) -> Array:
    z = xp.ndtri(fpr)
    slope = xp.exp(-mu * (z + 0.5 * mu))  # of the TPR
    narrow = mu < _NARROW
    small, here = xp.where(narrow, mu, 0.0), xp.where(narrow, z, 0.0)
    without_cancelling = -slope * mills_difference(xp, -here - 0.5 * small, 0.5 * small) / mills(xp, -here)
    return xp.where(narrow, without_cancelling, slope - value) / fpr


def precision_by_mu(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    return value * value * ((1 - prior) / prior) * (_plain_density(xp, xp.ndtri(recall) - mu) / recall)


def precision_by_recall(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    m = xp.where(mu < math.inf, mu, 0.0)  # the precision is 1 there whatever the recall
    z = xp.ndtri(recall)
    rise = xp.exp(m * (z - 0.5 * m)) * mills_difference(xp, 0.5 * m - z, 0.5 * m) / mills(xp, -z)
    return -value * value * ((1 - prior) / prior) * (rise / recall)


def precision_by_prior(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    rates = xp.where(mu > 0, xp.ndtr(xp.ndtri(recall) - mu) / recall, 1.0)  # FPR/TPR
    return value * value * rates / (prior * prior)


def delta_by_mu(xp: Operations, mu: Array, epsilon: Array, _value: Array) -> Array:
    inside, m, h = _middle(xp, mu, epsilon)
    end = xp.where((mu == 0) & (epsilon == 0), INV_SQRT_2PI, 0.0)
    return xp.where(inside, _plain_density(xp, m - h), end)


def delta_by_epsilon(xp: Operations, mu: Array, epsilon: Array, _value: Array) -> Array:
    inside, m, h = _middle(xp, mu, epsilon)
    return xp.where(inside, -_plain_density(xp, m - h) * mills(xp, m + h), 0.0)


def epsilon_by_mu(xp: Operations, mu: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, mu, value)
    return xp.where(inside & (value > 0), 1 / mills(xp, m + h), 0.0)


def epsilon_by_delta(xp: Operations, mu: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, mu, value)
    return xp.where(inside & (value > 0), -1 / (_plain_density(xp, m - h) * mills(xp, m + h)), 0.0)


def mu_by_epsilon_on_profile(xp: Operations, epsilon: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, value, epsilon)
    return xp.where(inside, mills(xp, m + h), 0.0)


def mu_by_delta(xp: Operations, epsilon: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, value, epsilon)
    return xp.where(inside, 1 / _plain_density(xp, m - h), 0.0)


def mu_by_epsilon_at_fpr(xp: Operations, epsilon: Array, fpr: Array, value: Array) -> Array:
    inside = value < math.inf
    crossed = xp.ndtri(fpr) + xp.where(inside, value, 0.0)
    return xp.where(inside, mills(xp, xp.where(_steep(xp, epsilon, fpr), -crossed, crossed)), 0.0)


def mu_by_fpr(xp: Operations, epsilon: Array, fpr: Array, value: Array) -> Array:
    inside = value < math.inf
    steep = _steep(xp, epsilon, fpr)
    h = 0.5 * xp.where(inside, value, 0.0)
    middle = xp.where(inside, xp.ndtri(fpr) + h, 0.0)
    difference = mills_difference(xp, xp.where(steep, -middle, middle), h)
    return xp.where(steep, difference / fpr, -difference / (1 - fpr))


def mu_by_epsilon_at_recall(xp: Operations, _epsilon: Array, recall: Array, value: Array) -> Array:
    inside = value < math.inf
    return xp.where(inside, mills(xp, xp.where(inside, value, 0.0) - xp.ndtri(recall)), 0.0)


def mu_by_recall(xp: Operations, _epsilon: Array, recall: Array, value: Array) -> Array:
    h = 0.5 * xp.where(value < math.inf, value, 0.0)
    return mills_difference(xp, h - xp.ndtri(recall), h) / recall


def _plain_density(xp: Operations, x: Array) -> Array:
    """phi(x) in operations that can be differentiated, as rounding cannot."""
    return INV_SQRT_2PI * xp.exp(-0.5 * x * x)


def _middle(xp: Operations, mu: Array, epsilon: Array) -> tuple[Array, Array, Array]:
    """Where both are finite and mu is not 0, and m and h there."""
    inside = (mu > 0) & (mu < math.inf) & (epsilon < math.inf)
    mu, epsilon = xp.where(inside, mu, 1.0), xp.where(inside, epsilon, 1.0)
    return inside, epsilon / mu, 0.5 * mu


def _steep(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """Left of the kink of the pure-DP curve, fpr < 1/(e^epsilon + 1)."""
    return epsilon + xp.log(fpr) < xp.log1p(-fpr)
