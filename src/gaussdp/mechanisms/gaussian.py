"""Gaussian releases: plain, on a Poisson sample, repeated as DP-SGD, or described by rho."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gaussdp.documents.rounding import shown
from gaussdp.domains import POSITIVE, Domain, integer, number
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Elementary, Mechanism, PlanKeys, checked_adjacency
from gaussdp.mechanisms.registry import register

NOISE = Domain(1e-100, 1e100, advice="beyond, the square of mu leaves the range of a double")
MU = Domain(1e-100, 1e100, advice="beyond, the square of mu leaves the range of a double")
SAMPLED_NOISE = Domain(
    1e-3, 1e9, advice="beyond, a sampled release has no privacy to speak of, or is nothing but noise"
)
RHO = Domain(1e-200, 1e200, advice="beyond, the square of mu leaves the range of a double")
SAMPLE_RATE = Domain(0.0, 1.0, closed_low=False)
MOST = 10**15  # records, passes or steps: beyond, their products leave the range of a double


@register
@dataclass(frozen=True)
class Gaussian(Elementary):
    """A value of bounded sensitivity plus Gaussian noise: exactly mu-GDP with mu = 1 / noise_multiplier.

    Args:
        noise_multiplier: standard deviation of the noise over the sensitivity, in [1e-100, 1e100].
        adjacency: the neighbours that the sensitivity speaks about.

    >>> Gaussian(noise_multiplier=2.0).mu
    0.5
    """

    kind = "gaussian"

    noise_multiplier: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, POSITIVE)
        object.__setattr__(self, "noise_multiplier", number("noise_multiplier", noise, NOISE))
        checked_adjacency(self.adjacency)

    @property
    def mu(self) -> float:
        """The GDP parameter of one release."""
        return 1 / self.noise_multiplier


@register
@dataclass(frozen=True)
class ZCDPGaussian(Elementary):
    """A Gaussian release described by its zero-concentrated DP parameter: mu = sqrt(2 rho).

    Holds for a release that *is* Gaussian. A bare rho-zCDP guarantee of an unknown mechanism implies less.

    Args:
        rho: zCDP parameter, in [1e-200, 1e200].
        adjacency: the neighbours that rho speaks about.

    >>> round(ZCDPGaussian(rho=0.5).mu, 12)
    1.0
    """

    kind = "gaussian-zcdp"

    rho: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", number("rho", number("rho", self.rho, POSITIVE), RHO))
        checked_adjacency(self.adjacency)

    @property
    def mu(self) -> float:
        """The GDP parameter of one release."""
        return math.sqrt(2 * self.rho)


@register
@dataclass(frozen=True)
class PoissonSampled(Elementary):
    """A Gaussian release on a random part of the data: each record takes part with probability sample_rate.

    Only add-remove adjacency: under replace-one the worst pair of datasets of a composition is not known.

    Args:
        mechanism: the release that sees the sample; its noise multiplier must be in [1e-3, 1e9] if sample_rate < 1.
        sample_rate: in (0, 1]; at 1 the sampled release equals the plain one.

    >>> PoissonSampled(Gaussian(1.0), sample_rate=0.01).sample_rate
    0.01
    """

    kind = "poisson-sampled-gaussian"

    mechanism: Gaussian
    sample_rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Gaussian):
            raise DomainError(
                "mechanism", "a Gaussian", self.mechanism, "only Gaussian releases on a Poisson sample are supported"
            )
        if self.mechanism.adjacency != "add-remove":
            raise DomainError(
                "adjacency",
                "add-remove for Poisson sampling",
                self.mechanism.adjacency,
                "state the noise multiplier for adding or removing a record",
            )
        object.__setattr__(self, "sample_rate", number("sample_rate", self.sample_rate, SAMPLE_RATE))
        if self.sample_rate < 1:
            number("noise_multiplier", self.mechanism.noise_multiplier, SAMPLED_NOISE)

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency of the sampled release."""
        return self.mechanism.adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield (self.mechanism if self.sample_rate == 1 else self), 1

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("noise_multiplier", "sample_rate"))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        return cls(Gaussian(parameters["noise_multiplier"]), parameters["sample_rate"])

    def plan_entry(self) -> dict[str, object]:
        noise = self.mechanism.noise_multiplier
        return {"mechanism": self.kind, "noise_multiplier": noise, "sample_rate": self.sample_rate}

    @property
    def sampled(self) -> bool:
        return self.sample_rate < 1

    @property
    def trains(self) -> bool:
        return self.sampled


@register
@dataclass(frozen=True)
class DPSGD(Mechanism):
    """DP-SGD with Poisson sampling: clipped per-example gradients, summed with Gaussian noise, many times.

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [1e-3, 1e9].
        sample_rate: probability with which a record enters a batch, in (0, 1].
        steps: number of updates; a whole number of at least 1.

    >>> DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000).steps
    10000
    """

    kind = "dpsgd"

    noise_multiplier: float
    sample_rate: float
    steps: int

    def __post_init__(self) -> None:
        step = PoissonSampled(Gaussian(self.noise_multiplier), self.sample_rate)
        object.__setattr__(self, "noise_multiplier", step.mechanism.noise_multiplier)
        object.__setattr__(self, "sample_rate", step.sample_rate)
        object.__setattr__(self, "steps", integer("steps", self.steps, low=1))

    @classmethod
    def from_training(cls, dataset_size: int, batch_size: int, epochs: float, noise_multiplier: float) -> "DPSGD":
        """From the numbers of a training script; a last, partial pass counts as the steps it takes, rounded up.

        Args:
            dataset_size: number of records.
            batch_size: expected size of a batch, at most dataset_size.
            epochs: expected number of times that a record is seen; positive.
            noise_multiplier: standard deviation of the noise over the clipping norm.

        >>> DPSGD.from_training(dataset_size=50_000, batch_size=100, epochs=20, noise_multiplier=0.5)
        DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10000)
        """
        size = integer("dataset_size", dataset_size, low=1)
        batch = integer("batch_size", batch_size, low=1)
        if batch > size:
            raise DomainError("batch_size", f"at most dataset_size {size}", batch)
        passes = number("epochs", epochs, POSITIVE)
        if size > MOST or passes > MOST:
            raise DomainError(None, problem=f"dataset_size and epochs must be at most {MOST:g}")
        steps = math.ceil(passes * size / batch * (1 - 1e-15))
        return cls(noise_multiplier, batch / size, max(1, steps))

    @property
    def adjacency(self) -> Adjacency:
        """Always add-remove, as Poisson sampling asks."""
        return "add-remove"

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        for part, count in PoissonSampled(Gaussian(self.noise_multiplier), self.sample_rate).parts():
            yield part, count * self.steps

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("noise_multiplier",), ("sample_rate", "steps", "dataset_size", "batch_size", "epochs"))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        given = parameters.keys() - {"noise_multiplier"}
        if given == {"sample_rate", "steps"}:
            return cls(**parameters)
        if given == {"dataset_size", "batch_size", "epochs"}:
            return cls.from_training(**parameters)
        raise DomainError(
            None, problem="dpsgd takes either sample_rate and steps, or dataset_size, batch_size and epochs"
        )

    @property
    def sentence(self) -> str:
        noise, rate = shown(self.noise_multiplier), shown(self.sample_rate)
        return f"DP-SGD with noise multiplier {noise}, sample rate {rate} and {self.steps:,} steps"

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        rows = [("Noise multiplier", shown(self.noise_multiplier)), ("Sample rate", shown(self.sample_rate))]
        rows.append(("Steps", f"{self.steps:,}"))
        if dataset_size:
            rows.append(("Data set size", f"{dataset_size:,} records"))
            rows.append(("Expected batch", f"{self.sample_rate * dataset_size:,.6g} records"))
        return (*rows, ("Epochs", f"{self.steps * self.sample_rate:.4g}"))

    @property
    def trains(self) -> bool:
        return True
