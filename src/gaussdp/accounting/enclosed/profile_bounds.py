r"""Bounds on a profile from moments of the loss, and from the number of batches that hold the record.

**Moments** give Chernoff's bound, and a normal law with Berry and Esseen's error. With
:math:`K(\theta) = \log E_Q[e^{\theta L}]`, :math:`\theta > 0` and
:math:`h(y) = (e^{-\theta y} - e^{-(1+\theta)y})_+`,

.. math:: \delta_{\rm remove}(\varepsilon) = e^{K(1+\theta) - \theta\varepsilon}\,E_{1+\theta}[h(L - \varepsilon)],
          \qquad \delta_{\rm add}(\varepsilon) = e^{K(-\theta) - \theta\varepsilon}\,E_{-\theta}[h(-L - \varepsilon)],

where :math:`E_c` is the mean under the law proportional to :math:`e^{cL} dQ`. The function h rises from 0 to
:math:`c_\theta = \theta^\theta / (1+\theta)^{1+\theta}` and falls again, so the mean is at most :math:`c_\theta`
(Chernoff), and within :math:`2 c_\theta \Delta` of its mean under a normal law whose distribution function is within
:math:`\Delta` of that of L. Shevtsova (2010, Doklady Mathematics 82): :math:`\Delta \le 0.56 \sum E|X_i|^3 / s^3` for a
sum of independent centred :math:`X_i` with variance :math:`s^2`.

**Sampled steps are a mixture** over the number of batches that hold the record: it is in N of T, N binomial, and a run
in which it is known to be in N of them has the curve of :math:`m_N`-GDP with :math:`m_N^2 = N/\sigma^2` (plus the
squared mu of what else is released). With the profile :math:`\delta_m` of m-GDP and :math:`c_N = N\log q +
(T-N)\log(1-q) \le 0`,

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import LARGEST_EXPONENT, TINY, Floats, log_profile


@dataclass(frozen=True)
class MomentSettings:
    """What is tuned about bounds from moments."""

    octaves: tuple[int, int] = (-50, 48)  # powers of two between which the best theta is sought
    parts: int = 8  # of an octave, next to the best power of two
    cancelled: float = 1e-14  # error of a normal mean, over the peak, by the difference of its two terms
    rounding: float = 4e-15  # of the logarithm of one step's moment, relative to it or to 1
    third: float = 1.01  # factor on third absolute moments, whose integrand is not smooth at the mean
    between: tuple[float, ...] = (0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95)  # tilts for deltas next to 1


SETTINGS = MomentSettings()
BERRY_ESSEEN = 0.56

_LARGE_EXPONENT = 30.0


@dataclass(frozen=True)
class _Law:
    """The tilted law of one side: bounds on log E[e^(cL)], mean and deviation of its loss, and how normal it is."""

    low: float
    high: float
    mean: float = math.nan
    deviation: float = math.nan
    distance: float = math.inf  # of distribution functions


class MomentBounds:
    """Bounds on the profiles of plain Gaussian releases (their squared mu) and counted sampled steps."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]], unsampled: Sequence[float]) -> None:
        self._squared_mu, self._steps, self._unsampled = squared_mu, tuple(steps), tuple(unsampled)
        self._cumulants = LossCumulants(squared_mu, self._steps)
        self._laws: dict[float, _Law] = {}

    def remove(self, epsilon: float) -> tuple[float, float]:
        """Bounds on delta in the remove direction, from below and from above."""
        low, high = self._bounds(epsilon, 1.0)
        return max(low, self._next_to_one(epsilon)), high

    def add(self, epsilon: float) -> tuple[float, float]:
        """Bounds on delta in the add direction."""
        return self._bounds(epsilon, -1.0)

    def _bounds(self, epsilon: float, side: float) -> tuple[float, float]:
        """The best bounds over powers of two, by golden sections, and then over their fractions nearby."""

        def exponent(power: float) -> float:
            theta = _theta(power, side)
            return self._law(theta, side).high - theta * epsilon + _log_peak(theta)

        first, last = SETTINGS.octaves
        while last - first > 2:  # K is convex, so there is one minimum
            third = (last - first) // 3
            left, right = first + third, last - third
            if exponent(left) <= exponent(right):
                last = right
            else:
                first = left
        parts = SETTINGS.parts
        powers = [first + k / parts for k in range((last - first) * parts + 1)]
        exponents = [exponent(power) for power in powers]
        least = min(exponents)
        low, high = self._normal(_theta(powers[exponents.index(least)], side), epsilon, side)
        return low, min(high, math.exp(min(least, 0.0)))

    def _normal(self, theta: float, epsilon: float, side: float) -> tuple[float, float]:
        """Bounds by the normal law of the same mean and variance."""
        law = self._law(theta, side)
        if not law.distance < 1:
            return 0.0, 1.0
        peak = _log_peak(theta)
        mean = math.exp(min(_log_normal_mean(theta, law.mean - epsilon, law.deviation) - peak, 0.0))  # over the peak
        spread = 2 * law.distance + SETTINGS.cancelled * (1 + theta)
        low, high = (bound - theta * epsilon + peak for bound in (law.low, law.high))
        return math.exp(min(low, 0.0)) * max(mean - spread, 0.0), _exp(high) * (mean + spread)

    def _next_to_one(self, epsilon: float) -> float:
        """A lower bound where delta is next to 1: 1 - delta = E[min(e^L, e^epsilon)] <= e^(K(t) + (1 - t) epsilon)."""
        rests = [self._law(t, 0.0).high + (1 - t) * epsilon for t in SETTINGS.between]
        return -math.expm1(min(*rests, 0.0))

    def _law(self, theta: float, side: float) -> _Law:
        """The law tilted by 1 + theta (side 1), by -theta (side -1) or by theta (side 0).

        On the add side it is that of -L.
        """
        tilt = -theta if side < 0 else theta + side
        if tilt not in self._laws:
            self._laws[tilt] = self._made(tilt, side)
        return self._laws[tilt]

    def _made(self, tilt: float, side: float) -> _Law:
        try:
            with np.errstate(all="ignore"):
                found = self._cumulants.tilt(tilt)
        except (ConvergenceError, OverflowError, ValueError, ZeroDivisionError):
            return _Law(-math.inf, self._simple(tilt))
        if not (math.isfinite(found.value) and 0 < found.variance < math.inf):
            return _Law(-math.inf, self._simple(tilt))
        margin = thirds = 0.0
        for (_, count), grid in zip(self._steps, found.grids, strict=True):
            # Exponents of outputs, as large as what the tilt makes of their losses, cancel in the moment.
            margin += SETTINGS.rounding * count * (1 + abs(grid.log_mgf) + abs(tilt * grid.mean))
            thirds += count * float(grid.weights @ np.abs(grid.centred) ** 3)
        cubed = found.variance * found.deviation
        distance = BERRY_ESSEEN * SETTINGS.third * thirds / cubed if cubed > 0 else math.inf
        high = min(found.value + margin, self._simple(tilt))
        return _Law(found.value - margin, high, side * found.mean, found.deviation, distance)

    def _simple(self, tilt: float) -> float:
        """An upper bound on K in closed form.

        With r the likelihood ratio of an unsampled step, E[r^t] = e^(t (t - 1) / 2 sigma^2), and 1 - q + q r to the
        power t is at most 1 - q + q r^t where that is convex (Jensen), or of norm at most 1 - q + q |r| (Minkowski);
        for t between 0 and 1 it is at most (1 - q)^t + (q r)^t.
        """
        total: float = 0.5 * self._squared_mu * tilt * (tilt - 1)
        for (step, count), square in zip(self._steps, self._unsampled, strict=True):
            if not isinstance(step, SampledGaussianLoss):
                # No Renyi divergence is larger than that of the Gaussian release that dominates the step.
                total += max(0.5 * square * tilt * (tilt - 1), 0.0)
                continue
            log_rate, log_rest = math.log(step.sample_rate), math.log1p(-step.sample_rate)
            energy = 0.5 / step.noise_multiplier**2
            if 0 <= tilt <= 1:
                terms = np.logaddexp(tilt * log_rest, tilt * log_rate + tilt * (tilt - 1) * energy)
                bound = min(float(terms) + SETTINGS.rounding, 0.0)
            else:
                bound = _log_mixed(step.sample_rate, tilt * (tilt - 1) * energy)
                by_norm = _log_mixed(step.sample_rate, (tilt - 1) * energy) if tilt > 1 else log_rest
                bound = max(min(bound, tilt * by_norm), 0.0) * (1 + SETTINGS.rounding)
            total += count * bound
        return total


def _log_mixed(rate: float, exponent: float) -> float:
    """log(1 - q + q e^exponent), to as many digits where it is small: many steps are next to nothing each."""
    if exponent > _LARGE_EXPONENT:
        return float(np.logaddexp(math.log1p(-rate), math.log(rate) + exponent))
    return math.log1p(rate * math.expm1(exponent))


def _theta(power: float, side: float) -> float:
    """The distance of the tilt from its pole, as the rounded tilt has it."""
    theta: float = 2.0**power
    return (1 + theta) - 1 if side > 0 else theta


def _log_peak(theta: float) -> float:
    """log of the largest value of e^(-theta y) - e^(-(1 + theta) y) over y >= 0."""
    return -theta * math.log1p(1 / theta) - math.log1p(theta)


def _log_normal_mean(theta: float, centre: float, deviation: float) -> float:
    """log of the mean of (e^(-theta y) - e^(-(1 + theta) y))_+ under a normal law of y."""

    def term(power: float) -> float:
        # E[e^(-power y); y > 0] = phi(centre / deviation) times a Mills ratio
        z = power * deviation - centre / deviation
        if z < -20:
            return -power * centre + 0.5 * (power * deviation) ** 2
        return math.log(0.5 * float(special.erfcx(z / math.sqrt(2)))) - 0.5 * (centre / deviation) ** 2

    first, second = term(theta), term(1 + theta)
    return first + math.log(-math.expm1(min(second - first, -TINY))) if second < first else -math.inf


def _exp(x: float) -> float:
    return math.exp(x) if x < LARGEST_EXPONENT else math.inf


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
        spilt, best = self._spilt, np.ones(epsilon.size)
        if spilt > MIXTURES.most_spilt or self.least_square < self.most_square:
            return best
        first, last = self._blocks
        offset = np.maximum(self._offset(first), self._offset(last))
        for t in (math.sqrt(spilt), *MIXTURES.spill):
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


def _in_parts(epsilon: Floats, offset: Floats, mu: Floats, sums: Callable[[Floats], Floats]) -> Floats:
    """Sums of rows of profiles, for as many epsilons at once as memory allows."""
    rows = max(1, MIXTURES.at_once // mu.size)
    parts = [epsilon[start : start + rows] for start in range(0, epsilon.size, rows)]
    return np.concatenate([sums(profiles(np.subtract.outer(part, offset), mu)) for part in parts])


def profiles(epsilon: Floats, mu: Floats) -> Floats:
    """delta of mu-GDP at rows of any real epsilons."""
    positive = np.broadcast_to(mu > 0, epsilon.shape)
    sizes = np.abs(epsilon)
    deltas = np.zeros(epsilon.shape)
    deltas[positive] = np.exp(log_profile(np.broadcast_to(mu, epsilon.shape)[positive], sizes[positive]))
    return np.where(epsilon >= 0, deltas, -np.expm1(-sizes) + np.exp(-sizes) * deltas)
