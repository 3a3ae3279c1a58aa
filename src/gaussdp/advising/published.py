"""What is published, and how good it is at a given mu: the noise on a count, a sum, a mean, a cell or a model."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from gaussdp.calibration import noise_multiplier
from gaussdp.calibration.free_numbers import DEFAULT_DIGITS
from gaussdp.documents.rounding import Rounding, rounded, shown_up
from gaussdp.documents.written import number_up, root_down, root_up, written
from gaussdp.domains import POSITIVE, instance, integer, number, one_of
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import DPSGD
from gaussdp.words import Phrase, numeral, say

KINDS = {
    "count": Phrase("a count"),
    "sum": Phrase("a sum"),
    "mean": Phrase("a mean"),
    "histogram": Phrase("a cell of a histogram or table"),
    "model": Phrase("a model by DP-SGD"),
}
_NORMAL_95 = 1.959964  # rounded up: 95 % of a normal variable lie within so many standard deviations
_WORDS = tuple(KINDS)


@dataclass(frozen=True)
class Noise:
    """How much noise a statistic has.

    Attributes:
        sd: its standard deviation; for a model the noise multiplier. inf where no noise is enough.
        interval: half of the interval in which 95 % of the noise lies; None for a model.
        relative: that, over the typical size; None where this is not known.
    """

    sd: float
    interval: float | None = None
    relative: float | None = None


@dataclass(frozen=True, kw_only=True)
class Published:
    """One statistic that each release holds.

    Args:
        kind: count, sum, mean, histogram or model.
        name: for people, such as "visits a day".
        typical: its usual size, beside which the noise is judged.
        bound: the largest value that one record adds to a sum or mean; larger ones are cut.
        batch_size, epochs: of a model's training.

    >>> from gaussdp import GDP
    >>> Published(kind="count", typical=1000).noise(GDP(0.5), people=10_000, records=1)
    Noise(sd=2.0, interval=3.919928, relative=0.00391992...)
    """

    kind: str
    name: str = ""
    typical: float | None = None
    bound: float | None = None
    batch_size: int | None = None
    epochs: float | None = None

    fields: ClassVar[tuple[str, ...]] = ("kind", "name", "typical", "bound", "batch_size", "epochs")

    def __post_init__(self) -> None:
        one_of("kind", self.kind, _WORDS)
        instance("name", self.name, str, "a text")
        for key in ("typical", "bound", "epochs"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, number(key, getattr(self, key), POSITIVE))
        if self.batch_size is not None:
            integer("batch_size", self.batch_size, low=1)
        if self.kind in ("sum", "mean") and self.bound is None:
            raise DomainError(
                "bound",
                problem=say("is missing for a {kind}", kind=self.kind),
                advice=say("give a record's largest value"),
            )
        if self.kind == "model" and (self.batch_size is None or self.epochs is None):
            raise DomainError("batch_size", problem=say("and epochs are missing for a model"))

    @property
    def label(self) -> str:
        """What it is, for a table."""
        return self.name or say(KINDS[self.kind])

    @property
    def unit(self) -> str:
        """What its noise is measured as."""
        return say("noise multiplier") if self.kind == "model" else say("standard deviation")

    def noise(self, budget: GDP, people: int, records: int, *, sharing: int = 1) -> Noise:
        """What a release needs, where one unit has at most so many records among so many people's.

        Args:
            budget: of all releases that share it.
            people, records: in the data, and of one unit.
            sharing: how many releases share the budget alike.
        """
        if budget.mu == 0:
            return Noise(math.inf)
        if self.kind == "model":
            mu = share_of(budget.mu, sharing)
            return Noise(_multiplier(mu, self.batch_size or 1, self.epochs or 1.0, people, records))
        least = _root(records**2 * sharing, budget.mu)
        multiplier, moved = rounded(least, Rounding.UP, DEFAULT_DIGITS), self.sensitivity(people, 1)
        sd = multiplier * moved
        if 0 < sd < math.inf:
            sd = number_up(written(multiplier) * written(moved))
        return Noise(sd, _NORMAL_95 * sd, None if self.typical is None else _NORMAL_95 * sd / self.typical)

    def sensitivity(self, people: int, records: int) -> float:
        """How far one unit moves it: all its records in the same cell, each with the largest value."""
        moved = records * (self.bound or 1.0) if self.kind in ("sum", "mean") else float(records)
        return moved / people if self.kind == "mean" else moved

    def as_object(self) -> dict[str, Any]:
        """What was given, for files."""
        return {key: getattr(self, key) for key in self.fields if getattr(self, key) not in (None, "")}


_SQUARED = 1e150  # numbers up to this, and down to one over it, have squares that are doubles
_MORE = 1 + 1e-12  # than rounding errors


def share_of(mu: float, sharing: int) -> float:
    """The largest mu of which so many together spend no more than this one, as a ledger counts."""
    if sharing == 1 or not 1 / _SQUARED < mu < _SQUARED:
        return mu if sharing == 1 else mu / math.sqrt(sharing) / _MORE
    return root_down(written(mu) ** 2 / sharing)


def _root(square: int, mu: float) -> float:
    """The root of a number over mu, rounded up."""
    if not 1 / _SQUARED < mu < _SQUARED:
        return math.sqrt(square) / mu * _MORE
    return root_up(square / written(mu) ** 2)


@lru_cache(maxsize=256)
def _multiplier(mu: float, batch_size: int, epochs: float, people: int, records: int) -> float:
    run = DPSGD.from_training(people, batch_size, epochs, noise_multiplier=1.0)
    try:
        found = noise_multiplier(GDP(mu), sample_rate=run.sample_rate, steps=run.steps, records_per_unit=records)
    except DomainError as error:
        if error.parameter is not None:
            raise
        return math.inf  # out of reach: no noise in the range is enough
    return float(found.value)


def noise_text(noise: Noise) -> str:
    """The noise as people read it: "± 3.92 (0.4%), sd 2"."""
    if math.isinf(noise.sd):
        return say("out of reach")
    sd = shown_up(noise.sd, 3)
    if noise.interval is None:
        return numeral(sd)
    size = shown_up(noise.interval, 3)
    if noise.relative is None:
        return say("± {size}, sd {sd}", size=size, sd=sd)
    share = f"{shown_up(100 * noise.relative, 2)}%"
    return say("± {size} ({share}), sd {sd}", size=size, share=share, sd=sd)
