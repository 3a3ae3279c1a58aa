"""What a calibration found, and how far to trust it."""

from dataclasses import dataclass
from enum import Enum

from gaussdp.calibration.targets import AtMost, Target
from gaussdp.displays import Displayed
from gaussdp.guarantees import Guarantee
from gaussdp.mechanisms import Mechanism


class Status(Enum):
    """How a search ended. Whatever the status, the value meets the target."""

    TIGHT = "tight"
    """One unit of the last digit towards less privacy was read too, and misses the target."""

    RANGE_END = "range end"
    """The least private value of the range meets the target already; beyond it nothing was tried."""

    UNREAD = "unread"
    """Less private values could not be accounted for; one of them, perhaps far away, may meet the target too."""


@dataclass(frozen=True)
class Calibration(Displayed):
    """A parameter that meets a target, checked against the exact curve.

    Attributes:
        parameter: what was solved for.
        value: the answer, rounded to the private side.
        achieved: what it gives, numerical error included: the risk, or the fitted mu of a GDP target.
        target: what was asked.
        floor: smallest error rate of the attacks that a fitted mu speaks about; 0 if it holds for all, None for a risk.
        mechanism: the calibrated mechanism; for a closed form, the release.
        curve: its guarantee, from which more can be read.
        next_value: the neighbour towards less privacy that was tried, None at the end of the range.
        next_achieved: what that would give, None if it was not or could not be read.
        evaluations: how often a mechanism was accounted for.
        status: how the search ended.
    """

    parameter: str
    value: float
    achieved: float
    target: Target
    floor: float | None
    mechanism: Mechanism
    curve: Guarantee
    next_value: float | None
    next_achieved: float | None
    evaluations: int
    status: Status

    def __repr__(self) -> str:
        asked = self.target if isinstance(self.target, AtMost) else f"μ ≤ {self.target.mu:g}"
        found = f"{self.parameter} = {self.value:.12g}"
        return f"<Calibration: {found} meets {asked} with {self.achieved:.6g}, {self.status.value}>"
