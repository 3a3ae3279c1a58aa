"""Training runs without their noise: how long, how batches are made, whom they protect; and the noise for a target."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration.free_numbers import DEFAULT_DIGITS, LEAST_NOISE, MOST_NOISE, noise_multiplier, parameter
from gaussdp.calibration.results import Calibration
from gaussdp.calibration.targets import Reader, Target
from gaussdp.domains import EPOCHS, instance, integer, number, one_of
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD, Adjacency, Mechanism, RandomAllocation, WithoutReplacement
from gaussdp.mechanisms.base import checked_adjacency
from gaussdp.numerics import TINY

Sampler = Literal["poisson", "random allocation", "without replacement"]
"""How batches are made, where the noise for a target is known."""

_NEIGHBOURS: dict[str, Adjacency] = {"random allocation": "add-remove", "without replacement": "replace-one"}


@dataclass(frozen=True)
class Pipeline:
    """A training run without its noise.

    Args:
        dataset_size: number of records.
        batch_size: expected size of a batch.
        epochs: expected number of times that a record is seen; unless the steps are given. Whole for random allocation.
        steps: number of updates instead; of random allocation a last pass that they begin counts in full.
        sampling: "poisson", "random allocation" or "without replacement".
        adjacency: which data sets are neighbours: either for Poisson samples, "add-remove" for random allocation,
            "replace-one" for batches drawn without replacement.
        records_per_unit: of Poisson samples, how many records a unit may have.

    >>> Pipeline(50_000, 250, epochs=20, sampling="random allocation").mechanism(1.0)
    RandomAllocation(noise_multiplier=1.0, batches=200, epochs=20, uses_per_epoch=1)
    """

    dataset_size: int
    batch_size: int
    epochs: float | None = None
    steps: int | None = None
    sampling: Sampler = "poisson"
    adjacency: Adjacency = "add-remove"
    records_per_unit: int = 1

    def __post_init__(self) -> None:
        for name in ("dataset_size", "batch_size", "records_per_unit"):
            object.__setattr__(self, name, integer(name, getattr(self, name), low=1))
        if self.batch_size > self.dataset_size:
            raise DomainError("batch_size", f"at most dataset_size {self.dataset_size}", self.batch_size)
        one_of("sampling", self.sampling, get_args(Sampler))
        checked_adjacency(self.adjacency)
        if (self.epochs is None) == (self.steps is None):
            raise DomainError("epochs", problem="or steps must be given, and not both")
        if self.steps is not None:
            object.__setattr__(self, "steps", integer("steps", self.steps, low=1))
        else:
            object.__setattr__(self, "epochs", number("epochs", self.epochs, EPOCHS))
        known = _NEIGHBOURS.get(self.sampling)
        if known is not None and self.adjacency != known:
            raise DomainError("adjacency", f"{known} for {self.sampling}", self.adjacency, "no other account is known")
        if known is not None and self.records_per_unit > 1:
            raise DomainError("records_per_unit", f"1 for {self.sampling}", self.records_per_unit)
        self.mechanism(1.0)

    @property
    def updates(self) -> int:
        """Number of updates."""
        known = self.mechanism(1.0)
        return known.steps if isinstance(known, DPSGD | RandomAllocation | WithoutReplacement) else 1

    def mechanism(self, noise: float) -> Mechanism:
        """The run with this noise multiplier."""
        size, batch = self.dataset_size, self.batch_size
        if self.sampling == "random allocation":
            batches = size // batch  # with one more a pass would be more private
            return RandomAllocation(noise, batches, self._passes(batches))
        if self.steps is None:
            run = DPSGD.from_training(size, batch, self.epochs or 1.0, noise)
            steps = run.steps
        else:
            steps = self.steps
        if self.sampling == "without replacement":
            return WithoutReplacement(noise, batch, size, steps)
        return DPSGD(noise, batch / size, steps, self.adjacency, self.records_per_unit)

    def _passes(self, batches: int) -> int:
        if self.steps is not None:
            return -(-self.steps // batches)
        if self.epochs is None or not self.epochs.is_integer():
            raise DomainError("epochs", "whole for random allocation", self.epochs)
        return int(self.epochs)


def training_noise(
    target: Target, pipeline: Pipeline, *, floor: float = DEFAULT_FLOOR, digits: int = DEFAULT_DIGITS
) -> Calibration:
    """The least noise with which a training run meets a target, whatever way it makes its batches.

    Args:
        target: a GDP or AtMost(risk, value).
        pipeline: the run.
        floor: smallest error rate of the attacks that the fitted mu speaks about, for a GDP target; where the
            accounting does not reach down to the usual one, its own, which the result tells.
        digits: significant digits of the answer, 1 to 12; it is rounded up.
    Raises:
        DomainError: if the target is out of reach, with what the ends of the range give.

    >>> from gaussdp import GDP
    >>> training_noise(GDP(0.5), Pipeline(20_000, 200, epochs=5, sampling="random allocation")).value
    0.9311
    """
    known = instance("pipeline", pipeline, Pipeline, "a Pipeline").mechanism(1.0)
    if isinstance(known, DPSGD):
        return noise_multiplier(
            target,
            sample_rate=known.sample_rate,
            steps=known.steps,
            floor=floor,
            digits=digits,
            adjacency=pipeline.adjacency,
            records_per_unit=pipeline.records_per_unit,
        )
    moves = 2.0 if pipeline.adjacency == "replace-one" else 1.0
    share = Reader(target).mu * pipeline.dataset_size / pipeline.batch_size / math.sqrt(pipeline.updates)
    start = moves / math.sqrt(math.log1p(min(max(share * share, TINY), 1 / TINY)))  # the central limit theorem's
    return parameter(
        target,
        pipeline.mechanism,
        LEAST_NOISE,
        MOST_NOISE,
        start=min(max(start, LEAST_NOISE), MOST_NOISE),
        floor=None if floor == DEFAULT_FLOOR else floor,
        digits=digits,
        name="noise_multiplier",
    )
