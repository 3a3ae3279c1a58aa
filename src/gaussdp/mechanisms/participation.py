"""At which steps one record may contribute to training with correlated noise."""

from dataclasses import dataclass
from typing import Literal

from gaussdp.documents.rounding import shown
from gaussdp.domains import SAMPLE_RATE, integer, one_of, settle

Order = Literal["any", "cyclic"]


@dataclass(frozen=True)
class Participation:
    """At which steps one record may contribute.

    Args:
        separation: least number of steps from one contribution to the next; 1 if it may contribute at every step.
        times: most contributions; as many as the separation allows if None.
        order: "any" contributions so far apart, or "cyclic" for one at every separation-th step exactly, as when a data
            set is cut into batches once and these are used in turn.

    >>> Participation(separation=100, times=5)
    Participation(separation=100, times=5, order='any')
    """

    separation: int = 1
    times: int | None = None
    order: Order = "any"

    def __post_init__(self) -> None:
        object.__setattr__(self, "separation", integer("separation", self.separation, low=1))
        if self.times is not None:
            object.__setattr__(self, "times", integer("times", self.times, low=1))
        object.__setattr__(self, "order", one_of("order", self.order, ("any", "cyclic")))

    @property
    def words(self) -> str:
        """The same in words."""
        often = "any number of times" if self.times is None else f"at most {self.times:,} times"
        if self.separation == 1:
            return f"a record contributes {often}"
        where = f"at every {self.separation:,}th step" if self.order == "cyclic" else f"{self.separation:,} steps apart"
        return f"a record contributes {often}, {where}" + (" or more" if self.order == "any" else "")

    def plan_keys(self) -> dict[str, object]:
        """What describes it in a plan file."""
        times = {} if self.times is None else {"times_each": self.times}
        return {"separation": self.separation, **times, "order": self.order}

    def most(self, steps: int) -> int:
        """The most contributions in so many steps."""
        possible = -(-integer("steps", steps, low=1) // self.separation)
        return possible if self.times is None else min(self.times, possible)


@dataclass(frozen=True)
class CyclicPoisson:
    """Records are parted into as many groups as a cycle has steps; each step takes a Poisson sample of one in turn.

    Args:
        cycle: number of groups; at least the bands of the strategy.
        sample_rate: probability with which a record of the group whose turn it is enters the batch, in (0, 1].

    >>> CyclicPoisson(cycle=4, sample_rate=0.02).cycle
    4
    """

    cycle: int
    sample_rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "cycle", integer("cycle", self.cycle, low=1))
        settle(self, sample_rate=SAMPLE_RATE)

    @property
    def words(self) -> str:
        """The same in words."""
        return f"Poisson samples at rate {shown(self.sample_rate)} of {self.cycle:,} groups in turn"

    def plan_keys(self) -> dict[str, object]:
        """What describes it in a plan file."""
        return {"cycle": self.cycle, "sample_rate": self.sample_rate}
