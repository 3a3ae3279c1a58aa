"""The nine flat functions on their whole domains: a kernel on the open part, the limit outright at its ends.

Each is a `Port`: called with NumPy arrays it computes on them; its `value` and its exact partial derivatives take the
operations of any library first. Arrays are one-dimensional, inside the domain, limits included. A result is never one
of the inputs, hence the products by 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.numerics import _derivatives as by
from gaussdp.numerics import _profile, _quantiles
from gaussdp.numerics._numpy import BEYOND, NUMPY, SINGLE
from gaussdp.numerics._operations import Array, Floats, Kernel, Operations


@dataclass(frozen=True)
class Formula:
    """A kernel on NumPy's arrays, and on single numbers.

    Attributes:
        value: called with the operations and the inputs.
    """

    value: Kernel

    def __call__(self, *arrays: Floats) -> Floats:
        result: Floats = self.value(NUMPY, *arrays)
        return result

    def one(self, *numbers: float) -> float:
        """The value at one number of each input, with the bits that it has in an array."""
        try:
            return float(self.value(SINGLE, *numbers))
        except ArithmeticError:  # Python's numbers raise where NumPy's go on
            return float(self.value(BEYOND, *map(np.float64, numbers)))

    def at(self, second: float) -> Callable[[float], float]:
        """The function of the first input alone, where the second is this: `one`, for who asks it at a few levels."""
        return lambda first: self.one(first, second)


@dataclass(frozen=True)
class Port(Formula):
    """One flat function for all array libraries.

    Attributes:
        partials: one function an input, called with the operations, the inputs and the value; written in operations
            that can be differentiated again.
    """

    partials: tuple[Kernel, ...]


def _port(*partials: Kernel) -> Callable[[Kernel], Port]:
    return lambda value: Port(value, partials)


@_port(by.advantage_by_mu)
def advantage_from_mu(xp: Operations, mu: Array) -> Array:
    """erf(mu / (2 sqrt 2))."""
    return _profile.advantage(xp, mu)


@_port(by.fnr_by_mu, by.fnr_by_fpr)
def fnr_from_mu(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(-Phi^-1(fpr) - mu)."""
    inside = _finite_positive(mu) & (fpr > 0) & (fpr < 1)
    limit = xp.where(mu == math.inf, 0.0, 1 - fpr)
    return xp.part(inside, limit, _profile.fnr, (mu, 1.0), (fpr, 0.5))


@_port(by.ratio_by_mu, by.ratio_by_fpr)
def multiplicative_advantage_from_mu(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(Phi^-1(fpr) + mu) / fpr."""
    return xp.part(mu > 0, 1.0, _profile.multiplicative_advantage, mu, fpr)


@_port(by.precision_by_mu, by.precision_by_recall, by.precision_by_prior)
def precision_from_mu(xp: Operations, mu: Array, recall: Array, prior: Array) -> Array:
    """The posterior of membership at this recall."""
    return xp.part(mu > 0, 1.0 * prior, _profile.precision, mu, recall, prior)


@_port(by.delta_by_mu, by.delta_by_epsilon)
def delta_from_mu(xp: Operations, mu: Array, epsilon: Array) -> Array:
    """The privacy profile."""
    inside = _finite_positive(mu) & (epsilon < math.inf)
    return xp.part(inside, xp.where(mu == math.inf, 1.0, 0.0), _profile.profile, (mu, 1.0), (epsilon, 1.0))


@_port(by.epsilon_by_mu, by.epsilon_by_delta)
def epsilon_from_mu(xp: Operations, mu: Array, delta: Array) -> Array:
    """The profile inverted for epsilon."""
    inside = _finite_positive(mu) & (delta > 0) & (delta < 1)
    limit = xp.where((mu == 0) | (delta == 1), 0.0, math.inf)
    return xp.part(inside, limit, _profile.epsilon_from_mu, (mu, 1.0), (delta, 0.1))


@_port(by.mu_by_epsilon_on_profile, by.mu_by_delta)
def mu_from_profile(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The profile inverted for mu."""
    limit = xp.part(epsilon == 0, math.inf, _mu_of_total_variation, (delta, 0.5))
    return xp.part(_finite_positive(epsilon), limit, _profile.mu_from_profile, (epsilon, 1.0), (delta, 0.5))


@_port(by.mu_by_epsilon_at_fpr, by.mu_by_fpr)
def mu_from_multiplicative_advantage(xp: Operations, epsilon: Array, fpr: Array) -> Array:
    """The match by multiplicative advantage."""
    kernel = _quantiles.mu_matching_curve_at_fpr
    return xp.part(_finite_positive(epsilon), 1.0 * epsilon, kernel, (epsilon, 1.0), (fpr, 0.5))


@_port(by.mu_by_epsilon_at_recall, by.mu_by_recall)
def mu_from_precision(xp: Operations, epsilon: Array, recall: Array) -> Array:
    """The match by precision."""
    kernel = _quantiles.mu_matching_precision_bound
    return xp.part(_finite_positive(epsilon), 1.0 * epsilon, kernel, (epsilon, 1.0), (recall, 0.5))


def _mu_of_total_variation(xp: Operations, delta: Array) -> Array:
    """The mu with erf(mu / (2 sqrt 2)) = delta: where the profile begins."""
    return math.sqrt(8) * xp.erfinv(delta)


def _finite_positive(values: Array) -> Array:
    return (values > 0) & (values < math.inf)


@Formula
def tpr_from_mu(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(Phi^-1(fpr) + mu)."""
    inside = _finite_positive(mu) & (fpr > 0) & (fpr < 1)
    return xp.part(inside, xp.where(mu == math.inf, 1.0, fpr), _profile.tpr, (mu, 1.0), (fpr, 0.5))


@Formula
def fpr_from_mu(xp: Operations, mu: Array, tpr: Array) -> Array:
    """Phi(Phi^-1(tpr) - mu)."""
    inside = _finite_positive(mu) & (tpr > 0) & (tpr < 1)
    return xp.part(inside, xp.where(mu == math.inf, 0.0, tpr), _profile.tpr, (-mu, -1.0), (tpr, 0.5))
