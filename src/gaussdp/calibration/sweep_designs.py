"""One design of a sweep: a target and a training run whose noise is to be found, and the row that comes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import product
from typing import Any

from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.calibration.free_numbers import DEFAULT_DIGITS
from gaussdp.calibration.pipelines import Pipeline, Sampler, training_noise
from gaussdp.calibration.searching import SignificantDigits
from gaussdp.calibration.targets import budget
from gaussdp.choosing.requirements import parse_target
from gaussdp.documents.rounding import shown_up
from gaussdp.domains import LEVEL, integer, number, several
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import Adjacency

Row = dict[str, Any]
"""What is known about one design, by column; None where there is nothing to say."""


@dataclass(frozen=True)
class Design:
    """A training run without its noise, and the target that it must meet.

    Args:
        target: as `parse_target` reads it, such as "mu=0.5" or "advantage=0.1".
        dataset_size: number of records.
        batch_size: expected size of a batch.
        epochs: expected number of times that a record is seen; unless the steps are given, from which it follows.
        prior: probability of membership before the attack, for precision and accuracy.
        floor: smallest error rate of the attacks that the fitted mu speaks about.
        digits: significant digits of the noise multiplier.
        steps: number of updates, instead of epochs.
        sampling, adjacency, records_per_unit: how batches are made and whom the run protects, as for `Pipeline`.

    >>> Design("advantage=0.1", dataset_size=50_000, batch_size=500, epochs=10).solve()["noise_multiplier"]
    1.423
    """

    target: str
    dataset_size: int
    batch_size: int
    epochs: float | None = None
    prior: float = 0.5
    floor: float = DEFAULT_FLOOR
    digits: int = DEFAULT_DIGITS
    steps: int | None = None
    sampling: Sampler = "poisson"
    adjacency: Adjacency = "add-remove"
    records_per_unit: int = 1

    def __post_init__(self) -> None:
        budget(parse_target(self.target, self.prior))
        object.__setattr__(self, "digits", integer("digits", self.digits, low=1))
        SignificantDigits(self.digits)
        for name in ("prior", "floor"):
            object.__setattr__(self, name, number(name, getattr(self, name), LEVEL))
        run = self._pipeline({"epochs": self.epochs, "steps": self.steps})
        for name in ("dataset_size", "batch_size", "records_per_unit"):
            object.__setattr__(self, name, getattr(run, name))
        seen = run.updates * run.batch_size / run.dataset_size
        object.__setattr__(self, "epochs", seen if run.epochs is None else run.epochs)
        object.__setattr__(self, "steps", run.updates)

    def solve(self) -> Row:
        """The design with its noise; a design that cannot be had says why instead of raising."""
        row: Row = {**self.inputs(), "sample_rate": self.batch_size / self.dataset_size, **dict.fromkeys(_RESULTS)}
        try:
            target = parse_target(self.target, self.prior)
            result = training_noise(target, self._pipeline({"steps": self.steps}), floor=self.floor, digits=self.digits)
        except (DomainError, ConvergenceError) as error:
            status = "out of reach" if isinstance(error, DomainError) else "failed"
            return {**row, "status": status, "message": " ".join(str(error).split())}
        floor = result.floor
        beyond = None if floor is None or floor <= self.floor else shown_up(floor, 3)
        return {
            **row,
            "noise_multiplier": result.value,
            "achieved": result.achieved,
            "status": result.status.value,
            "evaluations": result.evaluations,
            "message": beyond and f"the accounting reaches down to a floor of {beyond}",
        }

    def inputs(self) -> Row:
        """What tells this design from others."""
        return dict(zip(INPUTS, astuple(self), strict=True))

    def _pipeline(self, length: Mapping[str, Any]) -> Pipeline:
        return Pipeline(
            self.dataset_size,
            self.batch_size,
            **length,
            sampling=self.sampling,
            adjacency=self.adjacency,
            records_per_unit=self.records_per_unit,
        )


INPUTS = tuple(field.name for field in fields(Design))
_RESULTS = ("noise_multiplier", "achieved", "status", "evaluations", "message")
COLUMNS: Mapping[str, type[str] | type[int] | type[float]] = {
    "target": str,
    "dataset_size": int,
    "batch_size": int,
    "epochs": float,
    "prior": float,
    "floor": float,
    "digits": int,
    "steps": int,
    "sampling": str,
    "adjacency": str,
    "records_per_unit": int,
    "sample_rate": float,
    "noise_multiplier": float,
    "achieved": float,
    "status": str,
    "evaluations": int,
    "message": str,
}
"""The columns of a row and their types."""


def grid(
    targets: Iterable[str],
    dataset_sizes: Iterable[int],
    batch_sizes: Iterable[int],
    epochs: Iterable[float] = (),
    *,
    steps: Iterable[int] = (),
    prior: float = 0.5,
    floor: float = DEFAULT_FLOOR,
    digits: int = DEFAULT_DIGITS,
    sampling: Sampler = "poisson",
    adjacency: Adjacency = "add-remove",
    records_per_unit: int = 1,
) -> list[Design]:
    """Every combination, in the order given, each once; of epochs or of numbers of steps.

    >>> len(grid(["mu=0.5", "mu=1"], [50_000], [128, 256, 512], [10, 20]))
    12
    """
    axes = {"targets": targets, "dataset_sizes": dataset_sizes, "batch_sizes": batch_sizes}
    lengths = [{"epochs": one} for one in several("epochs", epochs, "a list")]
    lengths += [{"steps": one} for one in several("steps", steps, "a list")]
    designs = [
        Design(
            *one,  # type: ignore[misc]
            prior=prior,
            floor=floor,
            digits=digits,
            sampling=sampling,
            adjacency=adjacency,
            records_per_unit=records_per_unit,
            **length,
        )
        for one in product(*(several(name, values, "a list") for name, values in axes.items()))
        for length in lengths
    ]
    if not designs:
        raise DomainError(
            None, problem="a grid needs at least one target, data set size, batch size and number of epochs or steps"
        )
    return list(dict.fromkeys(designs))
