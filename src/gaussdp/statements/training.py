"""The numbers of a training script: any of them that determine DP-SGD, held against each other."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from gaussdp.domains import EPOCHS, MOST, POSITIVE, SAMPLE_RATE, integer, number
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD

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

    def __post_init__(self) -> None:
        checks: dict[str, Callable[[str, object], float]] = {
            "noise_multiplier": lambda key, value: number(key, value, POSITIVE),
            "dataset_size": count,
            "batch_size": count,
            "sample_rate": lambda key, value: number(key, value, SAMPLE_RATE),
            "epochs": lambda key, value: number(key, value, EPOCHS),
            "steps": count,
            "clip_norm": lambda key, value: number(key, value, POSITIVE),
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
        # A loader takes floor or ceil(1 / rate) batches a pass; a last pass may be cut short.
        rate = self._rate()
        least, most = math.floor(self.epochs * math.floor(1 / rate)), math.ceil(self.epochs * math.ceil(1 / rate)) + 1
        if not least <= self.steps <= most:
            raise DomainError(
                "steps",
                value=self.steps,
                problem=f"must agree with epochs: {self.epochs:g} epochs at sample rate {rate:.6g} are "
                f"{self._passes()} steps",
                advice="leave one of them out",
            )

    def _rate(self) -> float:
        # The exact quotient rather than a rate written with few digits.
        if self.dataset_size is not None and self.batch_size is not None:
            return self.batch_size / self.dataset_size
        return self.sample_rate or 1.0

    def _steps(self) -> int:
        return self.steps if self.steps is not None else self._passes()

    def _passes(self) -> int:
        epochs = self.epochs or 1.0
        return max(1, math.ceil(epochs / self._rate() * _UNSEEN))


def count(key: str, value: object) -> int:
    """A whole number from 1 to 10^15."""
    return integer(key, value, low=1)
