"""Which errors of readings are bounds: those of lines whose every part is bounded, and searches that are bracketed."""

from typing import Protocol

import numpy as np

from gaussdp.accounting.readings import Method, Values
from gaussdp.numerics import Booleans, Floats


class HasProfile(Protocol):
    """A curve whose deltas have bounds on their errors."""

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level."""

    def _delta_bounds(self, epsilon: Floats) -> Floats:
        """Bounds on the relative errors of delta, up to rounding; infinite where none is known."""


def bounded(curve: HasProfile, name: str, levels: Floats, read: Values) -> Booleans:
    """Whether the errors that readings off lines state are bounds, up to rounding."""
    found = np.zeros(levels.size, np.bool_)
    mine = np.flatnonzero(read.method == Method.LINE)
    with np.errstate(all="ignore"):
        if name == "delta" and mine.size:
            found[mine] = curve._delta_bounds(levels[mine]) <= read.error[mine]
        if name == "epsilon":
            for index in mine:
                found[index] = _bracketed(curve, levels[index], read.value[index], read.error[index])
    return found


def _bracketed(curve: HasProfile, delta: float, epsilon: float, error: float) -> bool:
    """Whether the deltas at both ends of an epsilon lie on either side of delta: the profile falls."""
    ends = epsilon * (1 + error * np.array([-1.0, 1.0]))
    deltas, bounds = curve.values("delta", ends).value, curve._delta_bounds(ends)
    return bool(deltas[0] * (1 - bounds[0]) >= delta >= deltas[1] * (1 + bounds[1]))
