r"""The exact partial derivatives of the nine functions, each from the inputs and the value.

With :math:`R` the Mills ratio, :math:`m = \varepsilon/\mu`, :math:`h = \mu/2` and :math:`z = \Phi^{-1}` of the level:

.. math:: \partial\delta/\partial\mu = \varphi(m-h), \qquad \partial\delta/\partial\varepsilon = -\varphi(m-h) R(m+h)

and the inverses follow by the implicit function theorem. At the ends of the domain a derivative is the one from inside;
where the value is constant there, or infinite, it is 0.
"""

import math

from gaussdp.numerics.portable._mills import mills_difference
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._special import INV_SQRT_2PI, mills, ndtr, ndtri

_NARROW = 0.02


def _advantage_by_mu(xp: Operations, mu: Array, _value: Array) -> Array:
    return _density(xp, 0.5 * mu)


def _fnr_by_mu(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    inside = (mu < math.inf) & (fpr > 0) & (fpr < 1)
    z = ndtri(xp, xp.where(inside, fpr, 0.5))
    return xp.where(inside, -_density(xp, z + xp.where(inside, mu, 0.0)), 0.0)


def _fnr_by_fpr(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    inside = (mu < math.inf) & (fpr > 0) & (fpr < 1)
    z, m = ndtri(xp, xp.where(inside, fpr, 0.5)), xp.where(inside, mu, 0.0)
    end = xp.where(mu == 0, -1.0, xp.where((fpr == 0) & (mu < math.inf), -math.inf, 0.0))
    return xp.where(inside, -xp.exp(-m * (z + 0.5 * m)), end)


def _ratio_by_mu(xp: Operations, mu: Array, fpr: Array, _value: Array) -> Array:
    return _density(xp, ndtri(xp, fpr) + mu) / fpr


def _ratio_by_fpr(xp: Operations, mu: Array, fpr: Array, value: Array) -> Array:
    z = ndtri(xp, fpr)
    slope = xp.exp(-mu * (z + 0.5 * mu))  # of the TPR
    narrow = mu < _NARROW
    small, here = xp.where(narrow, mu, 0.0), xp.where(narrow, z, 0.0)
    without_cancelling = -slope * mills_difference(xp, -here - 0.5 * small, 0.5 * small) / mills(xp, -here)
    return xp.where(narrow, without_cancelling, slope - value) / fpr


def _precision_by_mu(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    return value * value * ((1 - prior) / prior) * (_density(xp, ndtri(xp, recall) - mu) / recall)


def _precision_by_recall(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    m = xp.where(mu < math.inf, mu, 0.0)  # the precision is 1 there whatever the recall
    z = ndtri(xp, recall)
    rise = xp.exp(m * (z - 0.5 * m)) * mills_difference(xp, 0.5 * m - z, 0.5 * m) / mills(xp, -z)
    return -value * value * ((1 - prior) / prior) * (rise / recall)


def _precision_by_prior(xp: Operations, mu: Array, recall: Array, prior: Array, value: Array) -> Array:
    rates = xp.where(mu > 0, ndtr(xp, ndtri(xp, recall) - mu) / recall, 1.0)  # FPR/TPR
    return value * value * rates / (prior * prior)


def _delta_by_mu(xp: Operations, mu: Array, epsilon: Array, _value: Array) -> Array:
    inside, m, h = _middle(xp, mu, epsilon)
    end = xp.where((mu == 0) & (epsilon == 0), INV_SQRT_2PI, 0.0)
    return xp.where(inside, _density(xp, m - h), end)


def _delta_by_epsilon(xp: Operations, mu: Array, epsilon: Array, _value: Array) -> Array:
    inside, m, h = _middle(xp, mu, epsilon)
    return xp.where(inside, -_density(xp, m - h) * mills(xp, m + h), 0.0)


def _epsilon_by_mu(xp: Operations, mu: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, mu, value)
    return xp.where(inside & (value > 0), 1 / mills(xp, m + h), 0.0)


def _epsilon_by_delta(xp: Operations, mu: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, mu, value)
    return xp.where(inside & (value > 0), -1 / (_density(xp, m - h) * mills(xp, m + h)), 0.0)


def _mu_by_epsilon_on_profile(xp: Operations, epsilon: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, value, epsilon)
    return xp.where(inside, mills(xp, m + h), 0.0)


def _mu_by_delta(xp: Operations, epsilon: Array, _delta: Array, value: Array) -> Array:
    inside, m, h = _middle(xp, value, epsilon)
    return xp.where(inside, 1 / _density(xp, m - h), 0.0)


def _mu_by_epsilon_at_fpr(xp: Operations, epsilon: Array, fpr: Array, value: Array) -> Array:
    inside = value < math.inf
    crossed = ndtri(xp, fpr) + xp.where(inside, value, 0.0)
    return xp.where(inside, mills(xp, xp.where(_steep(xp, epsilon, fpr), -crossed, crossed)), 0.0)


def _mu_by_fpr(xp: Operations, epsilon: Array, fpr: Array, value: Array) -> Array:
    inside = value < math.inf
    steep = _steep(xp, epsilon, fpr)
    h = 0.5 * xp.where(inside, value, 0.0)
    middle = xp.where(inside, ndtri(xp, fpr) + h, 0.0)
    difference = mills_difference(xp, xp.where(steep, -middle, middle), h)
    return xp.where(steep, difference / fpr, -difference / (1 - fpr))


def _mu_by_epsilon_at_recall(xp: Operations, _epsilon: Array, recall: Array, value: Array) -> Array:
    inside = value < math.inf
    return xp.where(inside, mills(xp, xp.where(inside, value, 0.0) - ndtri(xp, recall)), 0.0)


def _mu_by_recall(xp: Operations, _epsilon: Array, recall: Array, value: Array) -> Array:
    h = 0.5 * xp.where(value < math.inf, value, 0.0)
    return mills_difference(xp, h - ndtri(xp, recall), h) / recall


def _density(xp: Operations, x: Array) -> Array:
    return INV_SQRT_2PI * xp.exp(-0.5 * x * x)


def _middle(xp: Operations, mu: Array, epsilon: Array) -> tuple[Array, Array, Array]:
    """Where both are finite and mu is not 0, and m and h there."""
    inside = (mu > 0) & (mu < math.inf) & (epsilon < math.inf)
    mu, epsilon = xp.where(inside, mu, 1.0), xp.where(inside, epsilon, 1.0)
    return inside, epsilon / mu, 0.5 * mu


def _steep(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """Left of the kink of the pure-DP curve, fpr < 1/(e^epsilon + 1)."""
    return epsilon + xp.log(fpr) < xp.log1p(-fpr)


ADVANTAGE = (_advantage_by_mu,)
FNR = (_fnr_by_mu, _fnr_by_fpr)
MULTIPLICATIVE_ADVANTAGE = (_ratio_by_mu, _ratio_by_fpr)
PRECISION = (_precision_by_mu, _precision_by_recall, _precision_by_prior)
DELTA = (_delta_by_mu, _delta_by_epsilon)
EPSILON = (_epsilon_by_mu, _epsilon_by_delta)
MU_BY_PROFILE = (_mu_by_epsilon_on_profile, _mu_by_delta)
MU_BY_MULTIPLICATIVE_ADVANTAGE = (_mu_by_epsilon_at_fpr, _mu_by_fpr)
MU_BY_PRECISION = (_mu_by_epsilon_at_recall, _mu_by_recall)
