"""Releases whose privacy loss has atoms: Laplace noise, discrete noise, randomized response."""

import math
from dataclasses import dataclass, replace

from gaussdp.domains import RESPONSE, SCALE, Domain, integer, number
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Elementary, PlanKeys, checked_adjacency
from gaussdp.mechanisms.registry import register


def _over(sensitivity: int) -> Domain:
    """What noise in units of one may be, for a number that changes by so much."""
    return replace(SCALE, low=SCALE.low * sensitivity, high=SCALE.high * sensitivity)


@register
@dataclass(frozen=True)
class Laplace(Elementary):
    """A value plus Laplace noise: epsilon-DP with epsilon = 1 / scale.

    Args:
        scale: scale of the noise over the sensitivity, in [1e-6, 1e15].
        adjacency: the neighbours that the sensitivity speaks about.

    >>> Laplace(scale=10.0).epsilon
    0.1
    """

    kind = "laplace"

    scale: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", number("scale", self.scale, SCALE))
        checked_adjacency(self.adjacency)

    @property
    def epsilon(self) -> float:
        """The pure-DP parameter of one release."""
        return 1 / self.scale

    @property
    def pure_epsilon(self) -> float:
        return self.epsilon


@register
@dataclass(frozen=True)
class DiscreteLaplace(Elementary):
    """A whole number plus two-sided geometric noise, P(k) proportional to exp(-|k| / scale).

    Args:
        scale: in units of one; over the sensitivity, in [1e-6, 1e15].
        sensitivity: largest change of the number, a whole number from 1 to 10^15.
        adjacency: the neighbours that the sensitivity speaks about.

    >>> DiscreteLaplace(scale=4.0, sensitivity=2).epsilon
    0.5
    """

    kind = "discrete-laplace"

    scale: float
    sensitivity: int = 1
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", integer("sensitivity", self.sensitivity, low=1))
        object.__setattr__(self, "scale", number("scale", self.scale, _over(self.sensitivity)))
        checked_adjacency(self.adjacency)

    @property
    def epsilon(self) -> float:
        """The pure-DP parameter of one release."""
        return self.sensitivity / self.scale

    @property
    def pure_epsilon(self) -> float:
        return self.epsilon


@register
@dataclass(frozen=True)
class DiscreteGaussian(Elementary):
    """A whole number plus discrete Gaussian noise, P(k) proportional to exp(-k^2 / 2 sigma^2).

    Args:
        sigma: parameter of the noise, in units of one; over the sensitivity, in [1e-6, 1e15].
        sensitivity: largest change of the number, a whole number from 1 to 10^15.
        adjacency: the neighbours that the sensitivity speaks about.

    >>> DiscreteGaussian(sigma=2.0, sensitivity=1).noise_multiplier
    2.0
    """

    kind = "discrete-gaussian"

    sigma: float
    sensitivity: int = 1
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", integer("sensitivity", self.sensitivity, low=1))
        object.__setattr__(self, "sigma", number("sigma", self.sigma, _over(self.sensitivity)))
        checked_adjacency(self.adjacency)

    @property
    def noise_multiplier(self) -> float:
        """sigma over the sensitivity."""
        return self.sigma / self.sensitivity


@register
@dataclass(frozen=True)
class RandomizedResponse(Elementary):
    """One of several answers: the true one with odds e^epsilon against each other one.

    The record's answer changes, so the adjacency is replace-one.

    Args:
        epsilon: pure-DP parameter, in [1e-15, 1e6].
        categories: number of possible answers, from 2 to 10^15.

    >>> round(RandomizedResponse(epsilon=math.log(3)).truth_probability, 12)
    0.75
    """

    kind = "randomized-response"

    epsilon: float
    categories: int = 2
    adjacency: Adjacency = "replace-one"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", number("epsilon", self.epsilon, RESPONSE))
        object.__setattr__(self, "categories", integer("categories", self.categories, low=2))
        if checked_adjacency(self.adjacency) != "replace-one":
            raise DomainError("adjacency", "replace-one for randomized response: every record gives an answer")

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("epsilon",), ("categories",))  # of adjacencies there is only one

    @property
    def pure_epsilon(self) -> float:
        return self.epsilon

    @property
    def truth_probability(self) -> float:
        """Probability that the answer is the true one."""
        return 1 / (1 + (self.categories - 1) * math.exp(-self.epsilon))
