"""One design of a sweep: a target and a training run whose noise is to be found, and the row that comes of it."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import product
from typing import Any

from gaussdp.calibration.dpsgd import DEFAULT_DIGITS, DEFAULT_FLOOR, noise_multiplier
from gaussdp.calibration.grids import SignificantDigits
from gaussdp.calibration.targets import budget
from gaussdp.choosing.notation import parse_target
from gaussdp.domains import LEVEL, integer, number, several
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD

Row = dict[str, Any]
"""What is known about one design, by column; None where there is nothing to say."""


@dataclass(frozen=True)
class Design:
    """A training run without its noise, and the target that it must meet.

    Args:
        target: as `parse_target` reads it, such as "mu=0.5" or "advantage=0.1".
        dataset_size: number of records.
        batch_size: expected size of a batch.
        epochs: expected number of times that a record is seen.
        prior: probability of membership before the attack, for precision and accuracy.
        floor: smallest error rate of the attacks that the fitted mu speaks about.
        digits: significant digits of the noise multiplier.

    >>> Design("advantage=0.1", dataset_size=50_000, batch_size=500, epochs=10).solve()["noise_multiplier"]
    1.423
    """

    target: str
    dataset_size: int
    batch_size: int
    epochs: float
    prior: float = 0.5
    floor: float = DEFAULT_FLOOR
    digits: int = DEFAULT_DIGITS

    def __post_init__(self) -> None:
        budget(parse_target(self.target, self.prior))
        for name in ("dataset_size", "batch_size", "digits"):
            object.__setattr__(self, name, integer(name, getattr(self, name), low=1))
        SignificantDigits(self.digits)
        for name in ("prior", "floor"):
            object.__setattr__(self, name, number(name, getattr(self, name), LEVEL))
        self._run()
        object.__setattr__(self, "epochs", float(self.epochs))

    def solve(self) -> Row:
        """The design with its noise; a design that cannot be had says why instead of raising."""
        run = self._run()
        row: Row = {**self.inputs(), "sample_rate": run.sample_rate, "steps": run.steps, **dict.fromkeys(_RESULTS)}
        try:
            result = noise_multiplier(
                parse_target(self.target, self.prior),
                sample_rate=run.sample_rate,
                steps=run.steps,
                floor=self.floor,
                digits=self.digits,
            )
        except (DomainError, ConvergenceError) as error:
            status = "out of reach" if isinstance(error, DomainError) else "failed"
            return {**row, "status": status, "message": " ".join(str(error).split())}
        return {
            **row,
            "noise_multiplier": result.value,
            "achieved": result.achieved,
            "status": result.status.value,
            "evaluations": result.evaluations,
        }

    def inputs(self) -> Row:
        """What tells this design from others."""
        return dict(zip(INPUTS, astuple(self), strict=True))

    def _run(self) -> DPSGD:
        return DPSGD.from_training(self.dataset_size, self.batch_size, self.epochs, noise_multiplier=1.0)


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
    "sample_rate": float,
    "steps": int,
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
    epochs: Iterable[float],
    *,
    prior: float = 0.5,
    floor: float = DEFAULT_FLOOR,
    digits: int = DEFAULT_DIGITS,
) -> list[Design]:
    """Every combination, in the order given, each once.

    >>> len(grid(["mu=0.5", "mu=1"], [50_000], [128, 256, 512], [10, 20]))
    12
    """
    axes = {"targets": targets, "dataset_sizes": dataset_sizes, "batch_sizes": batch_sizes, "epochs": epochs}
    combinations = product(*(several(name, values, "a list") for name, values in axes.items()))
    designs = [Design(*one, prior=prior, floor=floor, digits=digits) for one in combinations]  # type: ignore[misc]
    if not designs:
        raise DomainError(
            None, problem="a grid needs at least one target, data set size, batch size and number of epochs"
        )
    return list(dict.fromkeys(designs))
