"""Curves off which values are read with their methods and errors, and which of these errors are bounds.

They are where lines answer whose every part is bounded, and for epsilon and for rates where what is read on either side
of a threshold brackets them.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from gaussdp.accounting.readings import Method, Readings, Values
from gaussdp.domains import PROBABILITY, REAL, Domain, evaluate
from gaussdp.guarantees.base import Numbers, of_delta, of_epsilon, of_fpr
from gaussdp.numerics import Booleans, Floats
from gaussdp.objects import Described


class ReadCurve(Described):
    """A curve that is read by `values`; all other readings take floats or arrays and come from there."""

    _epsilons_asked: ClassVar[Domain] = REAL

    @abstractmethod
    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level."""

    @abstractmethod
    def _delta_bounds(self, epsilon: Floats) -> Floats:
        """Bounds on the relative errors of delta at finite epsilons, up to rounding; infinite where none is known."""

    @abstractmethod
    def _rate_bounds(self, name: str, levels: Floats) -> tuple[Floats, Floats]:
        """Between which numbers the rate of this name lies at each level, up to rounding; infinite if not known."""

    @property
    def reading(self) -> Readings:
        """The readings with the method and the error of each value.

        >>> from gaussdp.accounting import account
        >>> from gaussdp.mechanisms import DPSGD
        >>> account(DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1)).reading.epsilon(1e-6)
        Reading(value=0.3639..., error=..., method=closed form)
        """
        return Readings(self)

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        """The least false-negative rate at this false-positive rate, in [0, 1]."""
        return self._read("fnr", fpr=(fpr, PROBABILITY))

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        """The largest true-positive rate at this false-positive rate: 1 - fnr(fpr)."""
        return self._read("tpr", fpr=(fpr, PROBABILITY))

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        """The least delta with which (epsilon, delta)-DP holds; of one direction, for negative epsilons too."""
        return self._read("delta", epsilon=(epsilon, self._epsilons_asked))

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon >= 0 with which (epsilon, delta)-DP holds, inf if none, for delta in [0, 1]."""
        return self._read("epsilon", delta=(delta, PROBABILITY))

    def _read(self, name: str, **level: tuple[Numbers, Domain]) -> Numbers:
        value: Numbers = evaluate(lambda levels: self.values(name, levels).value, **level)
        return value

    def _errors_are_bounds(self, name: str, levels: Floats, read: Values) -> Booleans:
        """Whether the errors that readings off lines state are bounds, up to rounding."""
        found = np.zeros(levels.size, np.bool_)
        mine = np.flatnonzero(read.method == Method.LINE)
        with np.errstate(all="ignore"):
            if name == "delta" and mine.size:
                found[mine] = self._delta_bounds(levels[mine]) <= read.error[mine]
            if name == "epsilon":
                for index in mine:
                    found[index] = self._bracketed(levels[index], read.value[index], read.error[index])
            if name in ("fnr", "tpr", "fpr") and mine.size:
                low, high = self._rate_bounds(name, levels[mine])
                value, error = read.value[mine], read.error[mine]
                found[mine] = (low >= value * (1 - error)) & (high <= value * (1 + error))
        return found

    def _bracketed(self, delta: float, epsilon: float, error: float) -> bool:
        """Whether the deltas at both ends of an epsilon lie on either side of delta: the profile falls."""
        ends = epsilon * (1 + error * np.array([-1.0, 1.0]))
        deltas, bounds = self.values("delta", ends).value, self._delta_bounds(ends)
        return bool(deltas[0] * (1 - bounds[0]) >= delta >= deltas[1] * (1 + bounds[1]))
