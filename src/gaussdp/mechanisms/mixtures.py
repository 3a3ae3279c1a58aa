"""Gaussian releases whose sensitivity is random: a unit with several records, a record exchanged on a sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussdp.documents.rounding import shown
from gaussdp.domains import SAMPLE_RATE, SAMPLED_NOISE, Domain, checked, integer, number, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, SampledStep

MOST_RECORDS = 1000
"""Records of one unit: their mixture has one component for each."""

_SENSITIVITY = Domain(0.0, 1e6)
_MOST_COMPONENTS = MOST_RECORDS + 1
_LEAST = 1e-10  # of the largest sensitivity over the noise: ten times less than one record has in the most noise
_WHOLE = 1e-12  # by how much weights may miss 1 through rounding


@dataclass(frozen=True)
class MixtureOfGaussians(SampledStep):
    r"""A Gaussian release whose sensitivity is one of several, at random: by add/remove, the pair

    .. math:: P = \sum_j w_j\,N(s_j, \sigma^2), \qquad Q = N(0, \sigma^2).

    With vectors of norm at most :math:`s_j` nothing is worse than these numbers, also under adaptive composition
    (Choquette-Choo, Ganesh, Steinke & Thakurta 2024, arXiv:2310.15526; Ganesh 2024, arXiv:2401.10294).

    Args:
        noise_multiplier: standard deviation of the noise, in the unit of the sensitivities, in [1e-3, 1e9].
        sensitivities: different numbers, none negative; at most 1001. The largest is at least 1e-10 of the noise.
        weights: the probability of each; they sum to 1.
    Reference: Choquette-Choo, Ganesh, Steinke & Thakurta (2024); Ganesh (2024).

    >>> MixtureOfGaussians(1.0, [0, 1], [0.99, 0.01]).weights
    (0.99, 0.01)
    """

    kind = "mixture-of-gaussians"

    noise_multiplier: float
    sensitivities: Sequence[float]
    weights: Sequence[float]

    def __post_init__(self) -> None:
        settle(self, noise_multiplier=SAMPLED_NOISE)
        sizes, shares = (
            _column("sensitivities", self.sensitivities, _SENSITIVITY),
            _column("weights", self.weights, Domain(0.0, 1.0)),
        )
        if len(sizes) != len(shares):
            raise DomainError("weights", f"as many as sensitivities, {len(sizes)}", got=str(len(shares)))
        if len(set(sizes)) < len(sizes):
            raise DomainError("sensitivities", "different from each other", self.sensitivities)
        if abs(math.fsum(shares) - 1) > _WHOLE:
            raise DomainError("weights", "numbers that sum to 1", got=f"a sum of {math.fsum(shares)!r}")
        rising = sorted(zip(sizes, shares, strict=True))
        if not any(size > 0 and share > 0 for size, share in rising):
            raise DomainError("sensitivities", "above 0 for one at least that has weight", self.sensitivities)
        occurring = max(size for size, share in rising if share > 0)
        if occurring < _LEAST * self.noise_multiplier:
            raise DomainError(
                "sensitivities",
                f"{shown(_LEAST)} of the noise multiplier at least, for the largest that has weight",
                occurring,
                "with more noise nothing is learned",
            )
        total = math.fsum(shares)
        object.__setattr__(self, "sensitivities", tuple(size for size, _ in rising))
        object.__setattr__(self, "weights", tuple(share / total for _, share in rising))

    @classmethod
    def of_records(cls, noise_multiplier: float, sample_rate: float, records: int) -> "MixtureOfGaussians":
        """A Poisson sample of a unit with this many records, each of norm 1: binomially many of them take part.

        >>> MixtureOfGaussians.of_records(1.0, 0.5, records=2).weights
        (0.25, 0.5, 0.25)
        """
        count = integer("records", records, low=1, high=MOST_RECORDS)
        rate = number("sample_rate", sample_rate, SAMPLE_RATE)
        log_rest = math.log1p(-rate) if rate < 1 else -math.inf
        weights = [
            math.comb(count, k) * rate**k * (math.exp((count - k) * log_rest) if k < count else 1.0)
            for k in range(count + 1)
        ]
        return cls(noise_multiplier, range(count + 1), weights)

    @property
    def adjacency(self) -> Adjacency:
        """Always add-remove."""
        return "add-remove"

    @property
    def unsampled_mu(self) -> float:
        """The GDP parameter of the release with its largest sensitivity, which is never less private."""
        return self.largest / self.noise_multiplier

    @property
    def largest(self) -> float:
        """The largest sensitivity that occurs."""
        return max(s for s, w in zip(self.sensitivities, self.weights, strict=True) if w > 0)

    @property
    def sure(self) -> bool:
        """Whether only one sensitivity occurs: then the release is a plain one."""
        return sum(weight > 0 for weight in self.weights) == 1

    @property
    def sentence(self) -> str:
        largest = shown(self.sensitivities[-1])
        return f"Gaussian noise {shown(self.noise_multiplier)} on a random sensitivity of up to {largest}"


@dataclass(frozen=True)
class SampledExchange(SampledStep):
    r"""A Gaussian release on a Poisson sample, by exchange of one record: the pair

    .. math:: P = (1 - q) N(0, \sigma^2) + q N(1, \sigma^2), \qquad Q = (1 - q) N(0, \sigma^2) + q N(-1, \sigma^2),

    which is worst also under adaptive composition (Lebeda, Regehr, Kamath & Steinke 2025).

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [1e-3, 1e9].
        sample_rate: in (0, 1).
    Reference: Lebeda, Regehr, Kamath & Steinke (2025).

    >>> SampledExchange(noise_multiplier=1.0, sample_rate=0.01).adjacency
    'replace-one'
    """

    noise_multiplier: float
    sample_rate: float

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, SAMPLED_NOISE)
        object.__setattr__(self, "noise_multiplier", noise)
        settle(self, sample_rate=SAMPLE_RATE)

    @property
    def adjacency(self) -> Adjacency:
        """Always replace-one."""
        return "replace-one"

    @property
    def unsampled_mu(self) -> float:
        """The GDP parameter of the release without sampling."""
        return 2 / self.noise_multiplier

    def plan_entry(self) -> dict[str, object]:
        entry: dict[str, Any] = {"mechanism": "poisson-sampled-gaussian", "noise_multiplier": self.noise_multiplier}
        return {**entry, "sample_rate": self.sample_rate, "adjacency": self.adjacency}


def _column(name: str, values: object, domain: Domain) -> tuple[float, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | np.ndarray):
        raise DomainError(name, "a sequence of numbers", values)
    if not 1 <= len(values) <= _MOST_COMPONENTS:
        raise DomainError(name, f"1 to {_MOST_COMPONENTS} numbers", got=str(len(values)))
    return tuple(checked(name, values if isinstance(values, np.ndarray) else list(values), domain).ravel().tolist())
