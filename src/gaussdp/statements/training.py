"""The numbers of a training script: any of them that determine DP-SGD, held against each other."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from gaussdp.accounting.bounds.batches import UNSTATED, Loader
from gaussdp.domains import EPOCHS, MOST, POSITIVE, SAMPLE_RATE, integer, number, yes_or_no
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD, Mechanism, RandomAllocation

_RATE_TOLERANCE = 0.005  # sample rates are written with few digits
_UNSEEN = 1 - 1e-15  # epochs times steps an epoch, computed in doubles, may come out a hair above a whole number


@dataclass(frozen=True, kw_only=True)
class Training:
    """DP-SGD as a training script states it.

    The sample rate follows from `batch_size` and `dataset_size`, the steps from `epochs`; where both a number and what
    determines it are given, they must agree.

    Args:
        noise_multiplier: standard deviation of the noise over the clipping norm; positive.
        dataset_size: number of records.
        batch_size: expected size of a batch, at most dataset_size.
        sample_rate: probability with which a record enters a batch, in (0, 1].
        epochs: expected number of times that a record is seen; positive.
        steps: number of updates.
        clip_norm: the clipping norm, told for information; positive.
        batches_per_pass: of a loader that cuts the data into batches: how many make one pass; then epochs are passes.
        drop_last: whether such a loader drops a last, incomplete batch.

    >>> Training(noise_multiplier=1.0, dataset_size=50_000, batch_size=256, epochs=20).mechanism
    DPSGD(noise_multiplier=1.0, sample_rate=0.00512, steps=3907)
    """

    noise_multiplier: float
    dataset_size: int | None = None
    batch_size: int | None = None
    sample_rate: float | None = None
    epochs: float | None = None
    steps: int | None = None
    clip_norm: float | None = None
    batches_per_pass: int | None = None
    drop_last: bool | None = None

    def __post_init__(self) -> None:
        checks: dict[str, Callable[[str, object], float]] = {
            "noise_multiplier": lambda key, value: number(key, value, POSITIVE),
            "dataset_size": count,
            "batch_size": count,
            "sample_rate": lambda key, value: number(key, value, SAMPLE_RATE),
            "epochs": lambda key, value: number(key, value, EPOCHS),
            "steps": count,
            "clip_norm": lambda key, value: number(key, value, POSITIVE),
            "batches_per_pass": count,
            "drop_last": yes_or_no,
        }
        for key, check in checks.items():
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, check(key, value))
        if self.noise_multiplier is None:
            raise DomainError(
                "noise_multiplier",
                problem="is missing",
                advice="write the noise's standard deviation over the clip norm",
            )
        self._hold_sizes_together()
        sizes = self.dataset_size is not None and self.batch_size is not None
        tolerance = 0.0 if sizes else _RATE_TOLERANCE
        hold_batches_together(self._rate(), self.batches_per_pass, self.drop_last, tolerance)
        if self.epochs is not None and self.epochs / self._rate() > MOST:
            raise DomainError("epochs", value=self.epochs, problem=f"must make at most {MOST:g} steps")
        self._hold_steps_together()

    @property
    def mechanism(self) -> DPSGD:
        """The mechanism that these numbers describe."""
        return DPSGD(self.noise_multiplier, self._rate(), self._steps())

    def _hold_sizes_together(self) -> None:
        size, batch, rate = self.dataset_size, self.batch_size, self.sample_rate
        if size is not None and batch is not None:
            if batch > size:
                raise DomainError(
                    "batch_size",
                    f"at most dataset_size {size}",
                    batch,
                    "write the expected number of records in one batch",
                )
            if rate is not None and abs(rate - batch / size) > _RATE_TOLERANCE * rate:
                raise DomainError(
                    "sample_rate",
                    value=rate,
                    problem=f"must agree with batch_size / dataset_size = {batch / size:.6g}",
                    advice="leave it out, or correct one of the three",
                )
        elif rate is None:
            missing = "batch_size" if size is not None else "dataset_size" if batch is not None else "sample_rate"
            advice = "batch_size and dataset_size, or sample_rate" if missing == "sample_rate" else missing
            raise DomainError(
                missing, problem="is missing: the share of records in a batch is not known", advice=f"write {advice}"
            )

    def _hold_steps_together(self) -> None:
        if self.steps is None and self.epochs is None:
            raise DomainError(
                "steps", problem="is missing: the number of updates is not known", advice="write steps or epochs"
            )
        if self.steps is None or self.epochs is None:
            return
        hold_epochs_together(self.epochs, self.steps, self._rate(), Loader(self.batches_per_pass, self.drop_last))

    def _rate(self) -> float:
        # The exact quotient rather than a rate written with few digits.
        if self.dataset_size is not None and self.batch_size is not None:
            return self.batch_size / self.dataset_size
        return self.sample_rate or 1.0

    def _steps(self) -> int:
        loader = Loader(self.batches_per_pass, self.drop_last)
        return self.steps if self.steps is not None else _steps_of(self.epochs or 1.0, self._rate(), loader)


def _steps_of(epochs: float, rate: float, loader: Loader) -> int:
    batches = 1 / rate if loader == UNSTATED else loader.batches(rate)[0]
    return max(1, math.ceil(epochs * batches * _UNSEEN))


def hold_epochs_together(epochs: float, steps: int, rate: float, loader: Loader) -> None:
    """Refuse so many steps where no loader makes them of so many passes over data with this sample rate."""
    fewest, most_batches = loader.batches(rate)
    # A last pass may be cut short.
    least, most = math.floor(epochs * fewest), math.ceil(epochs * most_batches) + (fewest < most_batches)
    if not least <= steps <= most:
        raise DomainError(
            "steps",
            value=steps,
            problem=f"must agree with epochs: {epochs:g} epochs at sample rate {rate:.6g} are "
            f"{_steps_of(epochs, rate, loader)} steps",
            advice="leave one of them out",
        )


TOLD = ("dataset_size", "clip_norm", "epochs", "batches_per_pass", "drop_last")
"""What a run tells of these numbers besides the mechanism."""


def allocated(mechanism: Mechanism, loader: Loader) -> Mechanism:
    """The random allocation that a run of DP-SGD is; anything else as it is, if that is how its batches are made."""
    if not isinstance(mechanism, DPSGD):
        if mechanism.samplings - {RandomAllocation.sampling}:
            raise DomainError(
                "sampling",
                problem=f'is "{RandomAllocation.sampling}", but the mechanism makes its batches otherwise',
                advice=f'write mechanism = "{RandomAllocation.kind}", or the sampling that was done',
            )
        for part, _ in mechanism.parts():
            if isinstance(part, RandomAllocation) and loader.batches_per_pass not in (None, part.batches):
                raise DomainError(
                    "batches_per_pass",
                    f"that of the mechanism, {part.batches}",
                    loader.batches_per_pass,
                    "leave it out",
                )
        return mechanism
    if (mechanism.adjacency, mechanism.records_per_unit) != ("add-remove", 1):
        raise DomainError(
            "mechanism", problem="must state its noise for adding or removing one record with random allocation"
        )
    fewest, most = loader.batches(mechanism.sample_rate)
    if fewest != most:
        raise DomainError(
            "batches_per_pass",
            problem=f"is missing: sample rate {mechanism.sample_rate:.6g} makes {fewest:,} or {most:,} batches a pass",
            advice="write how many there are, or drop_last",
        )
    if mechanism.steps % fewest:
        passes = max(1, round(mechanism.steps / fewest))
        raise DomainError(
            "steps",
            value=mechanism.steps,
            problem=f"must be whole passes of {fewest:,} batches with random allocation",
            advice=f"write, for example, steps = {passes * fewest}",
        )
    return RandomAllocation(mechanism.noise_multiplier, fewest, mechanism.steps // fewest)


def hold_batches_together(
    sample_rate: float, batches_per_pass: int | None, drop_last: bool | None, tolerance: float = _RATE_TOLERANCE
) -> None:
    """Refuse a number of batches that no loader makes of data with this sample rate, known to so many parts of it."""
    if batches_per_pass is None:
        return
    loader = Loader(drop_last=drop_last)
    least, most = loader.batches(sample_rate * (1 + tolerance))[0], loader.batches(sample_rate * (1 - tolerance))[1]
    if not least <= batches_per_pass <= most:
        made = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        kept = {True: " if the last is dropped", False: " if the last is kept", None: ""}[drop_last]
        raise DomainError(
            "batches_per_pass",
            value=batches_per_pass,
            problem=f"must agree with sample rate {sample_rate:.6g}, which makes {made}{kept}",
            advice="leave it out, or correct one of them",
        )


def count(key: str, value: object) -> int:
    """A whole number from 1 to 10^15."""
    return integer(key, value, low=1)
