r"""Sampled Gaussian steps as a mixture over the number of batches that hold the record.

A record is in N of T batches, N binomial, and a run in which it is known to be in N of them has the curve of
:math:`m_N`-GDP with :math:`m_N^2 = N/\sigma^2` (plus the squared mu of what else is released). With the profile
:math:`\delta_m` of m-GDP and :math:`c_N = N\log q + (T-N)\log(1-q) \le 0`,

.. math:: \sum_N \Pr[N]\,\delta_{m_N}(\varepsilon - c_N) \;\le\; \delta_{\rm remove}(\varepsilon), \qquad
          \delta_{\rm remove}(\varepsilon),\, \delta_{\rm add}(\varepsilon) \;\le\;
          \sum_N \Pr[N]\,\delta_{m_N}(\varepsilon).

For noise so small that an output tells whether the record was in the batch, the lower sum is the truth:

.. math:: \delta_{\rm remove}(\varepsilon) \le \sum_N \Pr[N]\,\delta_{m_N}(\varepsilon - c_N - t)
          + \frac{e^B - 1}{e^{t/2} - 1} \quad\text{for every } t > 0,\qquad
          B = 2T\sqrt{q(1-q)}\,e^{-1/8\sigma^2}.

The proofs are in docs/numerics.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.numerics import Floats, log_profile


@dataclass(frozen=True)
class MixtureSettings:
    """What is tuned about sums over the number of batches."""

    one_by_one: int = 300  # numbers around the mean that are told apart
    blocks: int = 1600  # of further numbers, ever wider ones: one bound holds for all numbers in a block
    finest: float = 0.3
    farthest: float = 5.0
    """Blocks end at finest * sinh(u) deviations from the mean, for u up to the farthest: 22 deviations."""
    rounding: float = 1e-10  # relative error of the probability of a tail, and of a sum
    spill: tuple[float, ...] = (2.0, 8.0, 20.0, 40.0)  # losses t that are tried, beside the root of B
    most_spilt: float = 15.0  # B past which no t is worth trying
    at_once: int = 1 << 17  # elements of one temporary table


SETTINGS = MixtureSettings()


@dataclass(frozen=True)
class SampledMixture:
    """Bounds on the profile of equal sampled steps with plain Gaussian releases beside them.

    Attributes:
        noise_multiplier, sample_rate, count: of the steps.
        least_square: squared mu of other releases that are surely there.
        most_square: squared mu of all other releases, sampled ones counted as unsampled.
    """

    noise_multiplier: float
    sample_rate: float
    count: int
    least_square: float
    most_square: float

    def upper(self, epsilon: Floats) -> Floats:
        """Upper bounds on delta in both directions, at epsilons from zero on."""
        return self._above(epsilon, np.zeros(self._blocks[0].size))

    def upper_remove(self, epsilon: Floats) -> Floats:
        """Upper bounds on delta in the remove direction, nearly the truth where noise is small; 1 where it is not."""
        spilt, best = self._spilt, np.ones(epsilon.size)
        if spilt > SETTINGS.most_spilt or self.least_square < self.most_square:
            return best
        first, last = self._blocks
        offset = np.maximum(self._offset(first), self._offset(last))
        for t in (math.sqrt(spilt), *SETTINGS.spill):
            if t > 0:
                more = math.expm1(spilt) / math.expm1(0.5 * t)
                best = np.minimum(best, self._above(epsilon - t, offset) + more)
        return best

    def lower(self, epsilon: Floats) -> Floats:
        """Lower bounds on delta in the remove direction."""
        first, last = self._blocks
        return self._below(epsilon, np.minimum(self._offset(first), self._offset(last)))

    def _offset(self, number: Floats) -> Floats:
        """The loss c_N that a number of batches has beside its Gaussian one."""
        rate = self.sample_rate
        return number * math.log(rate) + (self.count - number) * math.log1p(-rate)

    @cached_property
    def _spilt(self) -> float:
        """B, which bounds log E[e^(W / 2)] of the loss W that c_N and the Gaussian losses leave out."""
        rate = self.sample_rate
        return 2 * self.count * math.sqrt(rate * (1 - rate)) * math.exp(-0.125 / self.noise_multiplier**2)

    @cached_property
    def _blocks(self) -> tuple[Floats, Floats]:
        """The least and the largest number in each block, from none to all batches."""
        mean = self.count * self.sample_rate
        deviation = math.sqrt(mean * (1 - self.sample_rate))
        far = mean + SETTINGS.finest * deviation * np.sinh(
            np.linspace(-SETTINGS.farthest, SETTINGS.farthest, SETTINGS.blocks)
        )
        near = math.floor(mean) + np.arange(-SETTINGS.one_by_one, SETTINGS.one_by_one + 1.0)
        first: Floats = np.unique(np.clip(np.round(np.concatenate(([0.0], far, near))), 0.0, float(self.count)))
        last: Floats = np.append(first[1:] - 1, float(self.count))
        return first, last

    @cached_property
    def _at_least(self) -> Floats:
        """The probability that N is at least the first number of each block."""
        first = self._blocks[0][1:]
        return np.append(1.0, special.betainc(first, self.count - first + 1, self.sample_rate))

    def _above(self, epsilon: Floats, offset: Floats) -> Floats:
        """Sums over N of the profiles at the upper ends of blocks, made monotone: by parts all terms are positive."""
        _, last = self._blocks
        mu = np.sqrt(last / self.noise_multiplier**2 + self.most_square)
        tails = np.minimum(self._at_least[1:] * (1 + SETTINGS.rounding), 1.0)

        def sums(deltas: Floats) -> Floats:
            rising = np.maximum.accumulate(deltas, axis=1)
            total: Floats = rising[:, 0] + np.diff(rising, axis=1) @ tails
            return total

        return np.minimum(_in_parts(epsilon, offset, mu, sums) * (1 + SETTINGS.rounding), 1.0)

    def _below(self, epsilon: Floats, offset: Floats) -> Floats:
        """Sums over N of the profiles at the lower ends of blocks."""
        first, _ = self._blocks
        mu = np.sqrt(first / self.noise_multiplier**2 + self.least_square)
        tails = self._at_least
        masses = tails * (1 - SETTINGS.rounding) - np.append(tails[1:], 0.0) * (1 + SETTINGS.rounding)
        masses = np.maximum(masses, 0.0)
        return _in_parts(epsilon, offset, mu, lambda deltas: deltas @ masses) * (1 - SETTINGS.rounding)


def _in_parts(epsilon: Floats, offset: Floats, mu: Floats, sums: Callable[[Floats], Floats]) -> Floats:
    """Sums of rows of profiles, for as many epsilons at once as memory allows."""
    rows = max(1, SETTINGS.at_once // mu.size)
    parts = [epsilon[start : start + rows] for start in range(0, epsilon.size, rows)]
    return np.concatenate([sums(profiles(np.subtract.outer(part, offset), mu)) for part in parts])


def profiles(epsilon: Floats, mu: Floats) -> Floats:
    """delta of mu-GDP at rows of any real epsilons."""
    positive = np.broadcast_to(mu > 0, epsilon.shape)
    sizes = np.abs(epsilon)
    deltas = np.zeros(epsilon.shape)
    deltas[positive] = np.exp(log_profile(np.broadcast_to(mu, epsilon.shape)[positive], sizes[positive]))
    return np.where(epsilon >= 0, deltas, -np.expm1(-sizes) + np.exp(-sizes) * deltas)
