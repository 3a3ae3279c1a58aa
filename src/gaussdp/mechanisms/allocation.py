"""Gaussian releases on batches to which records are allotted at random."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gaussdp.documents.rounding import shown
from gaussdp.domains import POSITIVE, Domain, integer, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Mechanism, SampledStep
from gaussdp.mechanisms.gaussian import Gaussian
from gaussdp.mechanisms.registry import register
from gaussdp.words import Phrase, plural, say

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
