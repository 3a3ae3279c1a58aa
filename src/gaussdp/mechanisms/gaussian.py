"""Gaussian releases: plain, on a Poisson sample, repeated as DP-SGD, or described by rho."""

import math
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gaussdp.documents.rounding import shown
from gaussdp.documents.written import number_down, number_up, written
from gaussdp.domains import EPOCHS, NOISE, RHO, SAMPLE_RATE, SAMPLED_NOISE, Real, Whole, integer, number, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Elementary, Mechanism, PlanKeys, Stretch, checked_adjacency, register
from gaussdp.mechanisms.mixtures import MOST_RECORDS, MixtureOfGaussians, SampledExchange
from gaussdp.words import Phrase, say

ROUNDING_OF_MU = 1e-9
"""Relative width up to which a mu that lies between two bounds is known but for rounding."""


@register
@dataclass(frozen=True)
class Gaussian(Elementary):
    r"""A value of bounded sensitivity plus Gaussian noise: exactly mu-GDP with mu = 1 / noise_multiplier.

    .. math:: P = N(1, \sigma^2), \qquad Q = N(0, \sigma^2), \qquad \mu = 1/\sigma

    Args:
        noise_multiplier: standard deviation of the noise over the sensitivity, in [1e-100, 1e100].
        adjacency: the neighbours that the sensitivity speaks about.
    Reference: Dong, Roth & Su (2022), Theorem 2.7.

    >>> Gaussian(noise_multiplier=2.0).mu
    0.5
    """

    kind = "gaussian"

    noise_multiplier: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        settle(self, noise_multiplier=NOISE)
        checked_adjacency(self.adjacency)

    @property
    def mu(self) -> float:
        """The GDP parameter of one release."""
        return 1 / self.noise_multiplier

    @property
    def noises(self) -> tuple[Fraction, Fraction]:
        """Between which the noise lies exactly, as it is written: both the same, unless it is known as a bound."""
        noise = written(self.noise_multiplier)
        return noise, noise

    @property
    def squared_mu(self) -> Fraction:
        """The square of mu, exactly, of the noise as it is written; the largest there may be, where that is a bound."""
        return 1 / self.noises[0] ** 2

    @property
    def least_squared_mu(self) -> Fraction:
        """The least that the square of mu may be: the same, unless the noise is known as a bound."""
        return 1 / self.noises[1] ** 2

    @property
    def stretch(self) -> Stretch:
        return Stretch(Phrase("Gaussian noise"), 1, ((Phrase("noise multiplier"), self.noise_multiplier),))

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        """With the sensitivity of so many records, twice that if they are exchanged."""
        moves = _moves(self.adjacency, adjacency, records)
        return None if moves is None else Gaussian(self.noise_multiplier / moves, adjacency)


@dataclass(frozen=True)
class GDPGaussian(Gaussian):
    """The Gaussian release that a GDP guarantee stands for, the worst that it allows: its mu is known, not its noise.

    The noise is 1 / mu up to rounding, so that accounting goes by the mu. Where that is itself a bound, such as one on
    a sensitivity, the mu of the release lies between `least_mu` and `known_mu`.
    """

    known_mu: float = field(kw_only=True)
    least_mu: float = field(kw_only=True)

    @classmethod
    def of(cls, mu: float, adjacency: Adjacency, least_mu: float | None = None) -> "GDPGaussian":
        """The release of this mu, or of one between that and a lower bound."""
        return cls(1 / mu, adjacency, known_mu=mu, least_mu=mu if least_mu is None else least_mu)

    @property
    def mu(self) -> float:
        return self.known_mu

    @property
    def noises(self) -> tuple[Fraction, Fraction]:
        return 1 / written(self.known_mu), 1 / written(self.least_mu)

    @property
    def bounded(self) -> bool:
        return self.least_mu < self.known_mu * (1 - ROUNDING_OF_MU)

    @property
    def least(self) -> Mechanism:
        return self if self.least_mu == self.known_mu else GDPGaussian.of(self.least_mu, self.adjacency)


@register
@dataclass(frozen=True)
class ZCDPGaussian(Elementary):
    r"""A Gaussian release described by its zero-concentrated DP parameter: mu = sqrt(2 rho).

    .. math:: \mu = \sqrt{2 \rho}

    Holds for a release that *is* Gaussian. A bare rho-zCDP guarantee of an unknown mechanism implies less.

    Args:
        rho: zCDP parameter, in [1e-200, 1e200].
        adjacency: the neighbours that rho speaks about.
    Reference: Bun & Steinke (2016), Proposition 1.6.

    >>> round(ZCDPGaussian(rho=0.5).mu, 12)
    1.0
    """

    kind = "gaussian-zcdp"

    rho: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        settle(self, rho=RHO)
        checked_adjacency(self.adjacency)

    @property
    def mu(self) -> float:
        """The GDP parameter of one release."""
        return math.sqrt(2 * self.rho)

    @property
    def squared_mu(self) -> Fraction:
        """The square of mu, exactly, of rho as it is written."""
        return 2 * written(self.rho)

    @property
    def least_squared_mu(self) -> Fraction:
        """The same."""
        return self.squared_mu

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        moves = _moves(self.adjacency, adjacency, records)
        return None if moves is None else ZCDPGaussian(self.rho * moves**2, adjacency)


@register
@dataclass(frozen=True)
class PoissonSampled(Elementary):
    r"""A Gaussian release on a random part of the data: each record takes part with probability sample_rate.

    .. math:: P = (1 - q)\,N(0, \sigma^2) + q\,N(1, \sigma^2), \qquad Q = N(0, \sigma^2)

    Of Laplace and discrete noise it makes a `SampledNoise`, by adding or removing a record.

    By exchange of a record the sensitivity is twice that of adding one, so without sampling the release is a
    `Gaussian(noise_multiplier / 2, adjacency="replace-one")`; with sampling it is a `SampledExchange`.

    Args:
        mechanism: the release that sees the sample, with its noise stated for adding or removing a record; its noise
            multiplier must be in [1e-3, 1e9] if sample_rate < 1. A sample of a sample is one sample at the product of
            the rates, rounded up.
        sample_rate: in [1e-100, 1]; at 1 the sampled release equals the plain one.
        adjacency: which datasets are neighbours.
    Reference: Zhu, Dong & Wang (2022).

    >>> PoissonSampled(Gaussian(1.0), sample_rate=0.01).sample_rate
    0.01
    >>> PoissonSampled(PoissonSampled(Gaussian(1.0), sample_rate=0.25), sample_rate=0.5).sample_rate
    0.125
    """

    kind = "poisson-sampled-gaussian"

    mechanism: Gaussian
    sample_rate: float
    adjacency: Adjacency = "add-remove"

    def __new__(cls, mechanism: Any = None, sample_rate: Any = None, adjacency: Any = "add-remove") -> Any:
        """Of a release with other noise, its own class, so that a PoissonSampled is always Gaussian."""
        if not hasattr(mechanism, "on_sample"):
            return super().__new__(cls)
        if checked_adjacency(adjacency) != "add-remove":
            raise DomainError(
                "adjacency", "add-remove for noise that is not Gaussian", adjacency, "no other account is known"
            )
        return mechanism.on_sample(sample_rate)

    def __post_init__(self) -> None:
        if isinstance(self.mechanism, PoissonSampled):
            if self.mechanism.adjacency != self.adjacency:
                raise DomainError("adjacency", f"that of the sample, {self.mechanism.adjacency}", self.adjacency)
            once = self.mechanism.sampled_again(self.sample_rate)
            object.__setattr__(self, "sample_rate", once.sample_rate)
            object.__setattr__(self, "mechanism", once.mechanism)
        if not isinstance(self.mechanism, Gaussian):
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
                "state its noise multiplier for adding or removing a record, and give the adjacency to PoissonSampled",
            )
        checked_adjacency(self.adjacency)
        settle(self, sample_rate=SAMPLE_RATE)
        if self.sample_rate < 1:
            number("noise_multiplier", self.mechanism.noise_multiplier, SAMPLED_NOISE)

    def sampled_again(self, sample_rate: float) -> "PoissonSampled":
        """The same release on a sample of the sample."""
        outer = number("sample_rate", sample_rate, SAMPLE_RATE)
        return PoissonSampled(self.mechanism, product_rounded_up(self.sample_rate, outer), self.adjacency)

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        if self.adjacency == "add-remove":
            yield (self if self.sampled else self.mechanism), 1
        else:
            yield _sampled(self.mechanism.noise_multiplier, self.sample_rate, self.adjacency), 1

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        if not _exact(self.adjacency, adjacency, records):
            return None
        return _sampled(self.mechanism.noise_multiplier, self.sample_rate, adjacency, records)

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("noise_multiplier", "sample_rate"), ("adjacency",))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        noise = parameters.pop("noise_multiplier")
        return cls(Gaussian(noise), **parameters)

    def plan_entry(self) -> dict[str, object]:
        noise = self.mechanism.noise_multiplier
        entry: dict[str, object] = {"mechanism": self.kind, "noise_multiplier": noise, "sample_rate": self.sample_rate}
        return entry if self.adjacency == "add-remove" else {**entry, "adjacency": self.adjacency}

    @property
    def stretch(self) -> Stretch:
        return DPSGD(self.mechanism.noise_multiplier, self.sample_rate, 1, self.adjacency).stretch

    @property
    def sampled(self) -> bool:
        return self.sample_rate < 1

    @property
    def trains(self) -> bool:
        return self.sampled

    @property
    def bounded(self) -> bool:
        return self.mechanism.bounded

    @property
    def least(self) -> Mechanism:
        known: Any = self.mechanism.least
        return self if known is self.mechanism else PoissonSampled(known, self.sample_rate, self.adjacency)


def product_rounded_up(one: float, other: float) -> float:
    """The product of two rates, not below it."""
    product = one * other
    return product if Fraction(product) >= Fraction(one) * Fraction(other) else math.nextafter(product, 1.0)


@register
@dataclass(frozen=True)
class DPSGD(Mechanism):
    r"""DP-SGD with Poisson sampling: clipped per-example gradients, summed with Gaussian noise, many times.

    .. math::
        P = \bigl((1 - q)\,N(0, \sigma^2) + q\,N(1, \sigma^2)\bigr)^{\otimes T}, \qquad Q = N(0, \sigma^2)^{\otimes T}

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [1e-3, 1e9].
        sample_rate: probability with which a record enters a batch, in [1e-100, 1].
        steps: number of updates; a whole number from 1 to 10^15.
        adjacency: which datasets are neighbours; by replacement for units of one record.
        records_per_unit: how many records the unit of protection may have, each clipped and sampled by itself; at most
            1000.
    Reference: Abadi et al. (2016); Zhu, Dong & Wang (2022).

    >>> DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10_000).steps
    10000
    >>> DPSGD(1.0, 0.00512, 3907, records_per_unit=4)
    DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907, records_per_unit=4)
    """

    kind = "dpsgd"

    noise_multiplier: float
    sample_rate: float
    steps: int
    adjacency: Adjacency = "add-remove"
    records_per_unit: int = 1

    if TYPE_CHECKING:

        def __init__(
            self,
            noise_multiplier: Real,
            sample_rate: Real,
            steps: Whole,
            adjacency: Adjacency = "add-remove",
            records_per_unit: Whole = 1,
        ) -> None: ...

    def __post_init__(self) -> None:
        step = PoissonSampled(Gaussian(self.noise_multiplier), self.sample_rate, self.adjacency)
        object.__setattr__(self, "noise_multiplier", step.mechanism.noise_multiplier)
        object.__setattr__(self, "sample_rate", step.sample_rate)
        object.__setattr__(self, "steps", integer("steps", self.steps, low=1))
        records = integer("records_per_unit", self.records_per_unit, low=1, high=MOST_RECORDS)
        object.__setattr__(self, "records_per_unit", records)
        if records > 1 and self.adjacency != "add-remove":
            raise DomainError(
                "records_per_unit",
                problem="must be 1 under replace-one: no worst pair is known for several exchanged records on a sample",
                got=str(records),
                advice="account for adding or removing the unit",
            )

    def __repr__(self) -> str:
        shown_fields = [field for field in fields(self) if getattr(self, field.name) != field.default]
        return f"DPSGD({', '.join(f'{field.name}={getattr(self, field.name)!r}' for field in shown_fields)})"

    @classmethod
    def from_training(
        cls, dataset_size: Whole, batch_size: Whole, epochs: Real, noise_multiplier: Real, **others: Any
    ) -> "DPSGD":
        """From the numbers of a training script; a last, partial pass counts as the steps it takes, rounded up.

        Args:
            dataset_size: number of records, at most 10^15.
            batch_size: expected size of a batch, at most dataset_size.
            epochs: expected number of times that a record is seen; positive.
            noise_multiplier: standard deviation of the noise over the clipping norm.
            others: adjacency and records_per_unit.

        >>> DPSGD.from_training(dataset_size=50_000, batch_size=100, epochs=20, noise_multiplier=0.5)
        DPSGD(noise_multiplier=0.5, sample_rate=0.002, steps=10000)
        """
        size = integer("dataset_size", dataset_size, low=1)
        batch = integer("batch_size", batch_size, low=1)
        if batch > size:
            raise DomainError("batch_size", f"at most dataset_size {size}", batch)
        passes = number("epochs", epochs, EPOCHS)
        steps = math.ceil(passes * size / batch * (1 - 1e-15))
        return cls(noise_multiplier, batch / size, max(1, steps), **others)

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield self._step, self.steps

    @cached_property
    def _step(self) -> Mechanism:
        return _sampled(self.noise_multiplier, self.sample_rate, self.adjacency, self.records_per_unit)

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        if (adjacency, records) == (self.adjacency, self.records_per_unit):
            return self
        if self.records_per_unit > 1 or not _exact(self.adjacency, adjacency, records):
            return None
        return DPSGD(self.noise_multiplier, self.sample_rate, self.steps, adjacency, records)

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        sizes = ("sample_rate", "steps", "dataset_size", "batch_size", "epochs")
        return PlanKeys(("noise_multiplier",), (*sizes, "adjacency", "records_per_unit"))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        """From the sizes or the sample rate, and the epochs or the steps."""
        numbers = {
            key: parameters.pop(key, None) for key in ("dataset_size", "batch_size", "sample_rate", "epochs", "steps")
        }
        size, batch, rate, epochs, steps = numbers.values()
        sizes = [value is not None for value in (size, batch)]
        if (rate is None) != all(sizes) or (rate is not None and any(sizes)) or (epochs is None) == (steps is None):
            raise DomainError(
                None, problem="dpsgd takes sample_rate, or dataset_size and batch_size; and either steps or epochs"
            )
        if rate is None:
            run = cls.from_training(size, batch, 1.0 if epochs is None else epochs, **parameters)
            return run if steps is None else cls(sample_rate=run.sample_rate, steps=steps, **parameters)
        if steps is None:
            seen = number("epochs", epochs, EPOCHS) / number("sample_rate", rate, SAMPLE_RATE)
            steps = max(1, math.ceil(seen * (1 - 1e-15)))
        return cls(sample_rate=rate, steps=steps, **parameters)

    def plan_entry(self) -> dict[str, object]:
        defaults = {field.name: field.default for field in fields(self)}
        return {key: value for key, value in super().plan_entry().items() if value != defaults.get(key, MISSING)}

    @property
    def sentence(self) -> str:
        noise, rate = shown(self.noise_multiplier), shown(self.sample_rate)
        words = say(
            "DP-SGD with noise multiplier {noise}, sample rate {rate} and {steps:,} steps",
            noise=noise,
            rate=rate,
            steps=self.steps,
        )
        if self.records_per_unit == 1:
            return words
        return say("{words}, for units of {count:,} records", words=words, count=self.records_per_unit)

    @property
    def stretch(self) -> Stretch:
        numbers = ((Phrase("noise multiplier"), self.noise_multiplier), (Phrase("sample rate"), self.sample_rate))
        unit = ((Phrase("records a unit"), self.records_per_unit),) if self.records_per_unit > 1 else ()
        return Stretch("DP-SGD", self.steps, (*numbers, *unit))

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        noise, rate = shown(self.noise_multiplier), shown(self.sample_rate)
        rows: list[tuple[str, str]] = [(Phrase("Noise multiplier"), noise), (Phrase("Sample rate"), rate)]
        rows.append((Phrase("Steps"), f"{self.steps:,}"))
        if dataset_size:
            batch = f"{self.sample_rate * dataset_size:,.6g}"
            rows.append((Phrase("Data set size"), say("{count:,} records", count=dataset_size)))
            rows.append((Phrase("Expected batch"), say("{batch} records", batch=batch)))
        return tuple(rows)

    @property
    def trains(self) -> bool:
        return True


def _moves(stated: Adjacency, adjacency: Adjacency, records: int) -> int | None:
    """How many times the stated sensitivity neighbours move a sum; None if it says nothing about them."""
    if stated == "replace-one" and adjacency == "add-remove":
        return None
    return records * (1 if stated == adjacency else 2)


def _exact(stated: Adjacency, adjacency: Adjacency, records: int) -> bool:
    """Whether there is an exact account of such neighbours on a sample, of a step whose noise is stated for others."""
    if adjacency == "replace-one":
        return records == 1
    return stated == "add-remove" and records <= MOST_RECORDS


def _sampled(noise: float, rate: float, adjacency: Adjacency, records: int = 1) -> Mechanism:
    """One step on a Poisson sample as accounting knows it; without sampling, a plain release."""
    if rate == 1:
        return moved(noise, 2, adjacency) if adjacency == "replace-one" else moved(noise, records, adjacency)
    if adjacency == "replace-one":
        return SampledExchange(noise, rate)
    if records == 1:
        return PoissonSampled(Gaussian(noise), rate)
    return MixtureOfGaussians.of_records(noise, rate, records)


def moved(noise: float, moves: int, adjacency: Adjacency) -> Gaussian:
    """A plain release that neighbours move so many times as far: the mu is known where its noise cannot be written."""
    share = written(noise) / moves
    known = Gaussian(noise / moves, adjacency)
    if known.noises[0] == share:
        return known
    return GDPGaussian.of(number_up(1 / share), adjacency, number_down(1 / share))


register(MixtureOfGaussians)  # here, since kinds are listed in the order of their registration
