"""Releases whose privacy loss has atoms: Laplace noise, discrete noise, randomized response; samples of the former."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gaussdp.documents.rounding import shown
from gaussdp.domains import RESPONSE, SAMPLE_RATE, SCALE, Domain, integer, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Elementary, Mechanism, PlanKeys, checked_adjacency, from_entry, register
from gaussdp.mechanisms.gaussian import PoissonSampled, product_rounded_up

_MOST_SENSITIVITY = 10_000  # of a sampled whole number, and
_MOST_SIGMA = 5_000.0  # of its noise: dp_accounting goes through its values one by one
_ROUNDOFF = 2.0**-50


class Noisy(Elementary):
    """A sum with noise that is not Gaussian; `PoissonSampled` takes it, too."""

    def on_sample(self, sample_rate: float) -> "SampledNoise":
        """The same release on a Poisson sample."""
        known: Any = self
        return SampledNoise(known, sample_rate)


def _over(sensitivity: int) -> Domain:
    """What noise in units of one may be, for a number that changes by so much."""
    return replace(SCALE, low=SCALE.low * sensitivity, high=SCALE.high * sensitivity)


@register
@dataclass(frozen=True)
class Laplace(Noisy):
    r"""A value plus Laplace noise: epsilon-DP with epsilon = 1 / scale.

    .. math:: P = \mathrm{Lap}(1, b), \qquad Q = \mathrm{Lap}(0, b), \qquad \varepsilon = 1/b

    Args:
        scale: scale of the noise over the sensitivity, in [1e-6, 1e15].
        adjacency: the neighbours that the sensitivity speaks about.
    Reference: Dwork, McSherry, Nissim & Smith (2006).

    >>> Laplace(scale=10.0).epsilon
    0.1
    """

    kind = "laplace"

    scale: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        settle(self, scale=SCALE)
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
class DiscreteLaplace(Noisy):
    r"""A whole number plus two-sided geometric noise, P(k) proportional to exp(-|k| / scale).

    .. math:: P(k) \propto e^{-|k| / b}

    Args:
        scale: in units of one; over the sensitivity, in [1e-6, 1e15].
        sensitivity: largest change of the number, a whole number from 1 to 10^15.
        adjacency: the neighbours that the sensitivity speaks about.
    Reference: Ghosh, Roughgarden & Sundararajan (2009).

    >>> DiscreteLaplace(scale=4.0, sensitivity=2).epsilon
    0.5
    """

    kind = "discrete-laplace"

    scale: float
    sensitivity: int = 1
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", integer("sensitivity", self.sensitivity, low=1))
        settle(self, scale=_over(self.sensitivity))
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
class DiscreteGaussian(Noisy):
    r"""A whole number plus discrete Gaussian noise, P(k) proportional to exp(-k^2 / 2 sigma^2).

    .. math:: P(k) \propto e^{-k^2 / 2 \sigma^2}

    Args:
        sigma: parameter of the noise, in units of one; over the sensitivity, in [1e-6, 1e15].
        sensitivity: largest change of the number, a whole number from 1 to 10^15.
        adjacency: the neighbours that the sensitivity speaks about.
    Reference: Canonne, Kamath & Steinke (2020).

    >>> DiscreteGaussian(sigma=2.0, sensitivity=1).noise_multiplier
    2.0
    """

    kind = "discrete-gaussian"

    sigma: float
    sensitivity: int = 1
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", integer("sensitivity", self.sensitivity, low=1))
        settle(self, sigma=_over(self.sensitivity))
        checked_adjacency(self.adjacency)

    @property
    def noise_multiplier(self) -> float:
        """sigma over the sensitivity."""
        return self.sigma / self.sensitivity


@register
@dataclass(frozen=True)
class RandomizedResponse(Elementary):
    r"""One of several answers: the true one with odds e^epsilon against each other one.

    .. math:: P(\text{truth}) = \frac{e^\varepsilon}{e^\varepsilon + k - 1}

    The record's answer changes, so the adjacency is replace-one.

    Args:
        epsilon: pure-DP parameter, in [1e-15, 1e6].
        categories: number of possible answers, from 2 to 10^15.
    Reference: Warner (1965); Kairouz, Oh & Viswanath (2016).

    >>> round(RandomizedResponse(epsilon=math.log(3)).truth_probability, 12)
    0.75
    """

    kind = "randomized-response"

    epsilon: float
    categories: int = 2
    adjacency: Adjacency = "replace-one"

    def __post_init__(self) -> None:
        settle(self, epsilon=RESPONSE)
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


@register
@dataclass(frozen=True)
class SampledNoise(Noisy):
    r"""A release with Laplace or discrete noise on a Poisson sample, by adding or removing a record.

    .. math:: P = (1 - q)\,Q + q\,P_1

    `PoissonSampled(Laplace(...), sample_rate)` makes one.

    Args:
        mechanism: the release that sees the sample: a `Laplace`, `DiscreteLaplace` or `DiscreteGaussian`.
        sample_rate: in [1e-100, 1]; at 1 the sampled release equals the plain one.
    Reference: Zhu, Dong & Wang (2022).

    >>> SampledNoise(Laplace(1.0), 0.01).pure_epsilon
    0.01703...
    """

    kind = "poisson-sampled"

    mechanism: Laplace | DiscreteLaplace | DiscreteGaussian
    sample_rate: float

    def __post_init__(self) -> None:
        settle(self, sample_rate=SAMPLE_RATE)
        if isinstance(self.mechanism, SampledNoise):
            rate = product_rounded_up(self.mechanism.sample_rate, self.sample_rate)
            object.__setattr__(self, "sample_rate", rate)
            object.__setattr__(self, "mechanism", self.mechanism.mechanism)
        if not isinstance(self.mechanism, Laplace | DiscreteLaplace | DiscreteGaussian):
            raise DomainError(
                "mechanism",
                "a Gaussian, Laplace, DiscreteLaplace or DiscreteGaussian",
                self.mechanism,
                "only releases of a sum with such noise are accounted for on a Poisson sample",
            )
        if self.mechanism.adjacency != "add-remove":
            raise DomainError(
                "adjacency",
                "add-remove for the release itself",
                self.mechanism.adjacency,
                "on a Poisson sample only adding or removing a record is accounted for with this noise",
            )
        if getattr(self.mechanism, "sensitivity", 1) > _MOST_SENSITIVITY and self.sample_rate < 1:
            raise DomainError("sensitivity", f"at most {_MOST_SENSITIVITY} on a Poisson sample", self.mechanism)
        if isinstance(self.mechanism, DiscreteGaussian) and self.sample_rate < 1 and self.mechanism.sigma > _MOST_SIGMA:
            raise DomainError(
                "sigma",
                f"at most {_MOST_SIGMA:g} on a Poisson sample",
                self.mechanism.sigma,
                "such noise has too many values to be summed over; Gaussian noise is hardly told from it",
            )

    @property
    def adjacency(self) -> Adjacency:
        """Always add-remove."""
        return "add-remove"

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield (self if self.sampled else self.mechanism), 1

    @property
    def pure_epsilon(self) -> float:
        """log(1 + q (e^epsilon - 1)), attained where the likelihood ratio of the release is the largest."""
        if not self.sampled:
            return self.mechanism.pure_epsilon
        return min(self._sampled_epsilon * (1 + _ROUNDOFF), self.mechanism.pure_epsilon)

    @property
    def _sampled_epsilon(self) -> float:
        epsilon, rate = self.mechanism.pure_epsilon, self.sample_rate
        if epsilon > 1:
            return epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon)) if epsilon < math.inf else epsilon
        return math.log1p(rate * math.expm1(epsilon))

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("of", "sample_rate"))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        of = parameters.pop("of")
        if not isinstance(of, dict) or "mechanism" not in of:
            raise DomainError("of", problem="must hold the release that sees the sample, with its `mechanism`")
        release: Any = from_entry(of)
        return PoissonSampled(release, **parameters)

    def plan_entry(self) -> dict[str, object]:
        return {"mechanism": self.kind, "of": self.mechanism.plan_entry(), "sample_rate": self.sample_rate}

    @property
    def sentence(self) -> str:
        return f"{self.mechanism.sentence} on a Poisson sample of rate {shown(self.sample_rate)}"

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        return (("Sample rate", shown(self.sample_rate)),)

    @property
    def sampled(self) -> bool:
        return self.sample_rate < 1
