"""Gaussian releases on batches of limited or fixed size, or to which records are allotted at random."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scipy import special

from gaussdp.documents.rounding import shown
from gaussdp.domains import POSITIVE, SAMPLE_RATE, SAMPLED_NOISE, Domain, integer, number, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Mechanism, SampledStep, checked_adjacency, register
from gaussdp.mechanisms.gaussian import DPSGD, Gaussian, moved
from gaussdp.words import Phrase, plural, say

_TAIL_ERROR = 1e-6  # relative, of binomial tails; 4e-10 was seen for up to 10^9 records
_MOST_RECORDS = 10**9  # beyond, the tails of their binomial numbers are not known well enough


@register
@dataclass(frozen=True)
class TruncatedPoisson(SampledStep):
    r"""DP-SGD on Poisson samples of limited size: of a larger sample, random records fill the batch.

    .. math:: |B| = \min(\mathrm{Bin}(n, q),\, B_{\max})

    Accounted for as dp_accounting does, which bounds the privacy loss from above: in a full batch a record takes the
    place of another.

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [1e-3, 1e9].
        sample_rate: probability with which a record enters a sample, in [1e-100, 1].
        steps: number of updates; a whole number from 1 to 10^15.
        batch_limit: the most records of a batch, at most 10^9; if it is dataset_size, these are Poisson samples.
        dataset_size: number of records of the larger of two neighbours, at most 10^9.
        adjacency: which datasets are neighbours.
    Reference: Ganesh (2025), arXiv:2508.15089, as in dp_accounting.

    >>> TruncatedPoisson(1.0, 0.01, 100, batch_limit=150, dataset_size=10_000).batch_limit
    150
    """

    kind = "truncated-poisson"

    noise_multiplier: float
    sample_rate: float
    steps: int
    batch_limit: int
    dataset_size: int
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, SAMPLED_NOISE)
        object.__setattr__(self, "noise_multiplier", noise)
        settle(self, sample_rate=SAMPLE_RATE)
        object.__setattr__(self, "steps", integer("steps", self.steps, low=1))
        for name in ("batch_limit", "dataset_size"):
            object.__setattr__(self, name, integer(name, getattr(self, name), low=1, high=_MOST_RECORDS))
        checked_adjacency(self.adjacency)

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        if self.bounded:
            yield replace(self, steps=1), self.steps
        else:
            yield from DPSGD(self.noise_multiplier, self.sample_rate, self.steps, self.adjacency).parts()

    @property
    def unsampled_mu(self) -> float:
        """The GDP parameter of a step in which the record always takes the place of another."""
        return 2 / self.noise_multiplier

    @property
    def sentence(self) -> str:
        noise, rate = shown(self.noise_multiplier), shown(self.sample_rate)
        batches = f"at most {self.batch_limit:,} of {self.dataset_size:,} records a batch"
        return f"DP-SGD with noise multiplier {noise}, sample rate {rate}, {batches} and {self.steps:,} steps"

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        return (
            ("Noise multiplier", shown(self.noise_multiplier)),
            ("Sample rate", shown(self.sample_rate)),
            ("Largest batch", f"{self.batch_limit:,} of {self.dataset_size:,} records"),
            ("Steps", f"{self.steps:,}"),
        )

    @property
    def bounded(self) -> bool:
        return self.batch_limit < self.dataset_size

    @property
    def least(self) -> Mechanism:
        """That of data whose other records contribute nothing: Poisson samples, at the rate that is left."""
        if not self.bounded:
            return self
        size, limit, rate = self.dataset_size, self.batch_limit, self.sample_rate
        free = special.betaincc(limit, size - limit, rate)  # the others leave room in the batch
        cut = special.betainc(limit + 1, size - limit, rate)  # the sample is too large
        left = min(float(rate * free + limit / size * cut) * (1 - _TAIL_ERROR), rate)
        return DPSGD(self.noise_multiplier, max(left, SAMPLE_RATE.low), self.steps, self.adjacency)


@register
@dataclass(frozen=True)
class WithoutReplacement(SampledStep):
    r"""DP-SGD on batches of a fixed size, each drawn afresh and uniformly, by exchange of a record.

    .. math:: f = C_{m/n}(G_{2/\sigma})

    Accounted for by the trade-off curve of Dong, Roth & Su (docs/mechanisms.md), which holds for every step and
    composes; what is lost at least is not known.

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [1e-3, 1e9].
        batch_size: number of records of a batch, at most dataset_size.
        dataset_size: number of records, at most 10^15.
        steps: number of updates; a whole number from 1 to 10^15.
    Reference: Balle, Barthe & Gaboardi (2018); Dong, Roth & Su (2022), Section 4.

    >>> WithoutReplacement(1.0, batch_size=256, dataset_size=50_000, steps=3907).sample_rate
    0.00512
    """

    kind = "without-replacement"
    sampling = "without replacement"

    noise_multiplier: float
    batch_size: int
    dataset_size: int
    steps: int

    def __post_init__(self) -> None:
        noise = number("noise_multiplier", self.noise_multiplier, SAMPLED_NOISE)
        object.__setattr__(self, "noise_multiplier", noise)
        for name in ("batch_size", "dataset_size", "steps"):
            object.__setattr__(self, name, integer(name, getattr(self, name), low=1))
        if self.batch_size > self.dataset_size:
            raise DomainError("batch_size", f"at most dataset_size {self.dataset_size}", self.batch_size)

    @property
    def adjacency(self) -> Adjacency:
        """Always replace-one."""
        return "replace-one"

    @property
    def sample_rate(self) -> float:
        """The share of the data in a batch."""
        return self.batch_size / self.dataset_size

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        if self.bounded:
            yield replace(self, steps=1), self.steps
        else:
            yield moved(self.noise_multiplier, 2, self.adjacency), self.steps

    @property
    def unsampled_mu(self) -> float:
        """The GDP parameter of a step that sees all the data."""
        return 2 / self.noise_multiplier

    @property
    def sentence(self) -> str:
        return say(
            "DP-SGD with noise multiplier {noise}, batches of {batch:,} of {of:,} records, each drawn without"
            " replacement, and {steps:,} steps",
            noise=shown(self.noise_multiplier),
            batch=self.batch_size,
            of=self.dataset_size,
            steps=self.steps,
        )

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        return (
            (Phrase("Noise multiplier"), shown(self.noise_multiplier)),
            (Phrase("Batch"), say("{count:,} of {of:,} records", count=self.batch_size, of=self.dataset_size)),
            (Phrase("Steps"), f"{self.steps:,}"),
        )

    @property
    def sampled(self) -> bool:
        return self.bounded

    @property
    def bounded(self) -> bool:
        return self.batch_size < self.dataset_size

    @property
    def least(self) -> Mechanism:
        """That of data whose other records contribute nothing: each step has the record with its sample rate."""
        rate = math.nextafter(self.sample_rate, 0.0)
        return DPSGD(self.noise_multiplier, rate, self.steps, self.adjacency) if self.bounded else self


_NOISE = Domain(
    0.05, 1e9, advice="with less, the likelihood of a batch without the record is no double", meant=POSITIVE
)
_MOST_BATCHES = 10**7  # beyond, rounding errors of their probabilities count


@register
@dataclass(frozen=True)
class RandomAllocation(SampledStep):
    r"""DP-SGD in passes over the data: in each, every record is put into one of the batches at random, by itself.

    .. math:: P = \frac1t \sum_{i=1}^t N(e_i, \sigma^2 I), \qquad Q = N(0, \sigma^2 I)

    Also called balls and bins. The batches of a pass differ in size; shuffling and cutting is another mechanism. For
    one batch a pass the account is enclosed from both sides (docs/mechanisms.md); for several it is bounded from above
    by as many passes of one batch each, among a share of the batches.

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm, in [0.05, 1e9].
        batches: number of batches of a pass, at most 10^7.
        epochs: number of passes; a whole number from 1 to 10^15.
        uses_per_epoch: in how many batches of a pass a record is; different ones, all choices alike.
    Reference: Chua et al. (2024); Feldman & Shenfeld (2025).

    >>> RandomAllocation(1.0, batches=195, epochs=20).steps
    3900
    """

    kind = "random-allocation"
    sampling = "random allocation"

    noise_multiplier: float
    batches: int
    epochs: int
    uses_per_epoch: int = 1

    def __post_init__(self) -> None:
        settle(self, noise_multiplier=_NOISE)
        object.__setattr__(self, "batches", integer("batches", self.batches, low=1, high=_MOST_BATCHES))
        for name in ("epochs", "uses_per_epoch"):
            object.__setattr__(self, name, integer(name, getattr(self, name), low=1))
        if self.uses_per_epoch > self.batches:
            raise DomainError("uses_per_epoch", f"at most batches {self.batches}", self.uses_per_epoch)

    @property
    def adjacency(self) -> Adjacency:
        """Always add-remove."""
        return "add-remove"

    @property
    def steps(self) -> int:
        """Number of updates, one a batch."""
        return self.batches * self.epochs

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        """Passes; where every batch holds the record, plain releases."""
        if self.sampled:
            yield replace(self, epochs=1), self.epochs
        else:
            yield Gaussian(self.noise_multiplier), self.steps

    @property
    def unsampled_mu(self) -> float:
        """The GDP parameter of a pass where one is told which batches hold the record."""
        return math.sqrt(self.uses_per_epoch) / self.noise_multiplier

    @property
    def sentence(self) -> str:
        return say(
            "DP-SGD with noise multiplier {noise}, {passes} of {batches:,} batches, each record in {each} of a pass at"
            " random",
            noise=shown(self.noise_multiplier),
            passes=plural(self.epochs, "1 pass", "{n:,} passes"),
            batches=self.batches,
            each=plural(self.uses_per_epoch, "one batch", "{n:,} batches"),
        )

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        each = ((Phrase("Batches of a pass that hold a record"), f"{self.uses_per_epoch:,}"),)
        return (
            (Phrase("Noise multiplier"), shown(self.noise_multiplier)),
            (Phrase("Batches a pass"), f"{self.batches:,}"),
            (Phrase("Passes"), f"{self.epochs:,}"),
            *(each if self.uses_per_epoch > 1 else ()),
        )

    @property
    def sampled(self) -> bool:
        return self.uses_per_epoch < self.batches

    @property
    def bounded(self) -> bool:
        return 1 < self.uses_per_epoch < self.batches

    @property
    def apart(self) -> Mechanism:
        """The same if one is told a part of the batches of a pass for each use: less private, one use at a time."""
        if not self.bounded:
            return self
        return RandomAllocation(
            self.noise_multiplier, self.batches // self.uses_per_epoch, self.epochs * self.uses_per_epoch
        )

    @property
    def least(self) -> Mechanism:
        """Of several batches a pass, all that their sum tells."""
        if not self.bounded:
            return self
        noise = self.noise_multiplier * math.sqrt(self.batches) / self.uses_per_epoch
        return Gaussian(noise * (1 + 2.0**-50)) if self.epochs == 1 else self.epochs * replace(self, epochs=1).least
