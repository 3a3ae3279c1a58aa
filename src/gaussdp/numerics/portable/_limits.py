"""The nine functions on their whole domains: a kernel on the open part, the limit outright at its ends."""

import math

from gaussdp.numerics.portable import _profile, _quantiles
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._special import SQRT_HALF, erf, mills, ndtr, ndtri

_DEEP = 1e-290  # below, a probability loses digits to the smallest doubles


def advantage_from_mu(xp: Operations, mu: Array) -> Array:
    """erf(mu / (2 sqrt 2))."""
    return erf(xp, 0.5 * SQRT_HALF * mu)


def fnr_from_mu(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(-Phi^-1(fpr) - mu)."""
    inside = _finite_positive(mu) & (fpr > 0) & (fpr < 1)
    rate = ndtr(xp, -ndtri(xp, xp.where(inside, fpr, 0.5)) - xp.where(inside, mu, 1.0))
    return xp.where(inside, rate, xp.where(mu == math.inf, 0.0, 1 - fpr))


def multiplicative_advantage_from_mu(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(Phi^-1(fpr) + mu) / fpr."""
    return xp.where(mu > 0, _growth(xp, fpr, mu), 1.0)


def precision_from_mu(xp: Operations, mu: Array, recall: Array, prior: Array) -> Array:
    """The posterior of membership at this recall."""
    ratio = _growth(xp, recall, -mu)
    return xp.where(mu > 0, 1 / (1 + ratio * ((1 - prior) / prior)), prior)


def delta_from_mu(xp: Operations, mu: Array, epsilon: Array) -> Array:
    """The privacy profile."""
    inside = _finite_positive(mu) & (epsilon < math.inf)
    value = _profile.profile(xp, xp.where(inside, mu, 1.0), xp.where(inside, epsilon, 1.0))
    return xp.where(inside, value, xp.where(mu == math.inf, 1.0, 0.0))


def epsilon_from_mu(xp: Operations, mu: Array, delta: Array) -> Array:
    """The profile inverted for epsilon."""
    inside = _finite_positive(mu) & (delta > 0) & (delta < 1)
    value = _profile.epsilon_from_mu(xp, xp.where(inside, mu, 1.0), xp.where(inside, delta, 0.1))
    return xp.where(inside, value, xp.where((mu == 0) | (delta == 1), 0.0, math.inf))


def mu_from_profile(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The profile inverted for mu."""
    inside = _finite_positive(epsilon)
    value = _profile.mu_from_profile(xp, xp.where(inside, epsilon, 1.0), delta)
    if xp.some(epsilon == 0):
        value = xp.where(epsilon == 0, _profile.mu_of_total_variation(xp, delta), value)
    return xp.where(epsilon == math.inf, math.inf, value)


def mu_from_multiplicative_advantage(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """The match by multiplicative advantage."""
    inside = _finite_positive(epsilon)
    value = _quantiles.mu_matching_curve_at_fpr(xp, xp.where(inside, epsilon, 1.0), fpr)
    return xp.where(inside, value, epsilon)


def mu_from_precision(xp: Operations, epsilon: Array, recall: Array) -> Array:
    """The match by precision."""
    inside = _finite_positive(epsilon)
    value = _quantiles.mu_matching_precision_bound(xp, xp.where(inside, epsilon, 1.0), recall)
    return xp.where(inside, value, epsilon)


def _growth(xp: Operations, p: Array, shift: Array) -> Array:
    """Phi(Phi^-1(p) + shift) / p."""
    z = ndtri(xp, p)
    shifted = ndtr(xp, z + shift)
    ratio, deep = shifted / p, shifted < _DEEP
    if xp.some(deep):
        low, move = xp.where(deep, z, 0.0), xp.where(deep, shift, 0.0)
        logs = -move * (low + 0.5 * move)
        ratio = xp.where(deep, xp.exp(logs) * (mills(xp, -low - move) / mills(xp, -low)), ratio)
    return ratio


def _finite_positive(values: Array) -> Array:
    return (values > 0) & (values < math.inf)
