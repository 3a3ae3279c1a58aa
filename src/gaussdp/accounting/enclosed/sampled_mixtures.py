r"""Bounds on the profile of steps that are a mixture over the number of batches with the record.

It is in N of T batches, N binomial, and a run in which it is known to be in N of them has the curve of
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
from collections.abc import Callable, Iterator
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
    at_once: int = 1 << 17  # elements of one temporary table


MIXTURES = MixtureSettings()


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
        best = np.ones(epsilon.size)
        if self.spilt > SPILL.most or self.least_square < self.most_square:
            return best
        first, last = self._blocks
        offset = np.maximum(self._offset(first), self._offset(last))
        for t, more in spills(self.spilt):
            best = np.minimum(best, self._above(epsilon - t, offset) + more)
        return best

    def lower(self, epsilon: Floats) -> Floats:
        """Lower bounds on delta in the remove direction."""
        first, last = self._blocks
        return self._below(epsilon, np.minimum(self._offset(first), self._offset(last)))

    @property
    def logs(self) -> tuple[float, float]:
        """The loss of a batch with the record beside its Gaussian one, and that of a batch without."""
        return math.log(self.sample_rate), math.log1p(-self.sample_rate)

    def _offset(self, number: Floats) -> Floats:
        """The loss c_N that a number of batches has beside its Gaussian one."""
        hit, miss = self.logs
        with np.errstate(invalid="ignore"):
            misses = np.where(number < self.count, (self.count - number) * miss, 0.0)
        return number * hit + misses

    @cached_property
    def spilt(self) -> float:
        """B, which bounds log E[e^(W / 2)] of the loss W that c_N and the Gaussian losses leave out."""
        rate = self.sample_rate
        return 2 * self.count * math.sqrt(rate * (1 - rate)) * math.exp(-0.125 / self.noise_multiplier**2)

    @cached_property
    def _blocks(self) -> tuple[Floats, Floats]:
        """The least and the largest number in each block, from none to all batches."""
        mean = self.count * self.sample_rate
        deviation = math.sqrt(mean * (1 - self.sample_rate))
        far = mean + MIXTURES.finest * deviation * np.sinh(
            np.linspace(-MIXTURES.farthest, MIXTURES.farthest, MIXTURES.blocks)
        )
        near = math.floor(mean) + np.arange(-MIXTURES.one_by_one, MIXTURES.one_by_one + 1.0)
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
        tails = np.minimum(self._at_least[1:] * (1 + MIXTURES.rounding), 1.0)

        def sums(deltas: Floats) -> Floats:
            rising = np.maximum.accumulate(deltas, axis=1)
            total: Floats = rising[:, 0] + np.diff(rising, axis=1) @ tails
            return total

        return np.minimum(_in_parts(epsilon, offset, mu, sums) * (1 + MIXTURES.rounding), 1.0)

    def _below(self, epsilon: Floats, offset: Floats) -> Floats:
        """Sums over N of the profiles at the lower ends of blocks."""
        first, _ = self._blocks
        mu = np.sqrt(first / self.noise_multiplier**2 + self.least_square)
        tails = self._at_least
        masses = tails * (1 - MIXTURES.rounding) - np.append(tails[1:], 0.0) * (1 + MIXTURES.rounding)
        masses = np.maximum(masses, 0.0)
        return _in_parts(epsilon, offset, mu, lambda deltas: deltas @ masses) * (1 - MIXTURES.rounding)


@dataclass(frozen=True)
class UnitMixture(SampledMixture):
    """A lower bound for steps with random sensitivities: batches where these are at least one are told from others.

    Attributes:
        log_hit: logarithm of the weight of that sensitivity; noise_multiplier is the noise over it, sample_rate the
            probability of it and of larger ones.
        log_miss: logarithm of the weight of the sensitivity 0.
    """

    log_hit: float = 0.0
    log_miss: float = 0.0

    @property
    def logs(self) -> tuple[float, float]:
        return self.log_hit, self.log_miss


@dataclass(frozen=True)
class ExchangeMixture(SampledMixture):
    """The same for an exchanged record: where noise is small, what the other record may explain counts for little.

    If the other record is nothing to the sum this is the pair of a record that is removed.
    """

    def upper(self, epsilon: Floats) -> Floats:
        """The record is known to be in some batches, and moves these by 2."""
        told = SampledMixture(
            self.noise_multiplier / 2, self.sample_rate, self.count, self.least_square, self.most_square
        )
        return told.upper(epsilon)

    def upper_remove(self, epsilon: Floats) -> Floats:
        return self._explained.upper_remove(epsilon)

    def lower(self, epsilon: Floats) -> Floats:
        best = super().lower(epsilon)
        explained, fallen = self._explained, self._fallen
        if fallen <= SPILL.most:
            for t, less in spills(fallen):
                best = np.maximum(best, explained.lower(epsilon + t) - less)
        return best

    @cached_property
    def _explained(self) -> UnitMixture:
        """The loss of the record alone; that of the other one is left out."""
        log_odds = math.log(self.sample_rate) - math.log1p(-self.sample_rate)
        return UnitMixture(
            self.noise_multiplier,
            self.sample_rate,
            self.count,
            self.least_square,
            self.most_square,
            log_odds,
            0.0,
        )

    @cached_property
    def _fallen(self) -> float:
        return self.count * fallen(self.noise_multiplier, self.sample_rate)


def fallen(noise: float, rate: float) -> float:
    """B', which bounds log E[e^(V / 2)] of the loss V of one step that the other record of an exchange explains."""
    energy = 0.125 / noise**2
    share = math.sqrt(rate / (1 - rate)) if rate < 1 else math.inf
    return share * ((1 - rate) * math.exp(-energy) + rate * math.exp(-5 * energy))


@dataclass(frozen=True)
class SpillSettings:
    """What is tuned about losses that are left out, and bounded by Markov's inequality."""

    tried: tuple[float, ...] = (2.0, 8.0, 20.0, 40.0)  # losses t, beside the root of B
    more: tuple[float, ...] = (80.0, 160.0)  # further ones, for small deltas where B is not small
    large: float = 1e-3  # B from which on these are tried
    most: float = 15.0  # B past which a sum over numbers of batches is not worth its time


SPILL = SpillSettings()


def spills(spilt: float) -> Iterator[tuple[float, float]]:
    """Losses t with bounds on the probability that what is left out exceeds them: (e^B - 1) / (e^(t / 2) - 1)."""
    tried = (*SPILL.tried, *SPILL.more) if spilt > SPILL.large else SPILL.tried
    for t in (math.sqrt(spilt), *((2 * spilt if spilt > SPILL.large else 0.0) + t for t in tried)):
        if t > 0:
            yield t, min(math.exp(min(_log_growth(spilt) - _log_growth(0.5 * t), 0.0)) * (1 + 1e-10), 1.0)


def _log_growth(x: float) -> float:
    """log(e^x - 1) for x >= 0, -inf for 0."""
    return x + math.log(-math.expm1(-x)) if x > 0 else -math.inf


def _in_parts(epsilon: Floats, offset: Floats, mu: Floats, sums: Callable[[Floats], Floats]) -> Floats:
    """Sums of rows of profiles, for as many epsilons at once as memory allows."""
    rows = max(1, MIXTURES.at_once // mu.size)
    parts = [epsilon[start : start + rows] for start in range(0, epsilon.size, rows)]
    return np.concatenate([sums(profiles(np.subtract.outer(part, offset), mu)) for part in parts])


def profiles(epsilon: Floats, mu: Floats) -> Floats:
    """delta of mu-GDP at rows of any real epsilons."""
    sizes = np.abs(epsilon)
    positive = np.broadcast_to(mu > 0, epsilon.shape) & (sizes < np.inf)
    deltas = np.zeros(epsilon.shape)
    deltas[positive] = np.exp(log_profile(np.broadcast_to(mu, epsilon.shape)[positive], sizes[positive]))
    return np.where(epsilon >= 0, deltas, -np.expm1(-sizes) + np.exp(-sizes) * deltas)
