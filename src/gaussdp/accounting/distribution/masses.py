"""The masses of a distribution of dp_accounting in one direction, and the profile that they have."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gaussdp.numerics import LARGEST_EXPONENT, Floats


@dataclass(frozen=True)
class Masses:
    """One direction: the positive losses with their masses, summed up from the largest one down."""

    losses: Floats
    masses: Floats
    infinite: float

    @classmethod
    def of(cls, pmf: Any) -> "Masses":
        """Those of a probability mass function of the library."""
        if hasattr(pmf, "_loss_probs"):
            places = np.array(sorted(pmf._loss_probs), np.float64)
            masses = np.array([pmf._loss_probs[place] for place in sorted(pmf._loss_probs)])
        else:
            places = np.arange(pmf.size, dtype=np.float64) + pmf._lower_loss
            masses = np.asarray(pmf._probs)
        positive = places > 0
        return cls(places[positive] * pmf._discretization, masses[positive], float(pmf._infinity_mass))

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Of all losses from each one on, and of none: the masses under P, and those under Q."""
        under_q = self.masses * np.exp(-self.losses)
        return _from_the_top(self.masses), _from_the_top(under_q)

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons from zero on."""
        under_p, under_q = self._sums
        first = np.searchsorted(self.losses, epsilons, side="right")
        with np.errstate(over="ignore", invalid="ignore"):
            deltas: Floats = self.infinite + under_p[first] - np.exp(epsilons) * under_q[first]
        for index in np.flatnonzero(epsilons > LARGEST_EXPONENT):
            deltas[index] = self._far(float(epsilons[index]))
        return deltas

    def _far(self, epsilon: float) -> float:
        """The same where e^epsilon is no double."""
        first = int(np.searchsorted(self.losses, epsilon, side="right"))
        return self.infinite - float(np.expm1(epsilon - self.losses[first:]) @ self.masses[first:])

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 at which the profile is at most delta, inf if none."""
        if self.infinite > delta:
            return math.inf
        if self._from(0, 0.0) <= delta:
            return 0.0
        # The first loss at which it is, by halving; between losses it is linear in e^epsilon.
        low, high = -1, self.losses.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._from(middle + 1, float(self.losses[middle])) <= delta:
                high = middle
            else:
                low = middle
        if high < 0:
            return 0.0
        losses, masses = self.losses[high:], self.masses[high:]
        if high == self.losses.size - 1 and self._from(high + 1, float(losses[-1])) > delta:
            return math.inf
        excess = self.infinite + float(masses.sum()) - delta  # = e^epsilon times the mass under Q
        scaled = float(np.exp(losses[0] - losses) @ masses)
        return max(float(losses[0]) + math.log(excess / scaled), 0.0) if excess > 0 < scaled else float(losses[0])

    def _from(self, first: int, epsilon: float) -> float:
        """The profile at an epsilon, if the losses above it begin at this one."""
        if epsilon > LARGEST_EXPONENT:
            return self._far(epsilon)
        under_p, under_q = self._sums
        return self.infinite + float(under_p[first]) - math.exp(epsilon) * float(under_q[first])


def _from_the_top(masses: Floats) -> Floats:
    sums: Floats = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    return sums
