r"""Bounds on a profile from moments of the loss.

They give Chernoff's bound, and a normal law with Berry and Esseen's error. With
:math:`K(\theta) = \log E_Q[e^{\theta L}]`, :math:`\theta > 0` and
:math:`h(y) = (e^{-\theta y} - e^{-(1+\theta)y})_+`,

.. math:: \delta_{\rm remove}(\varepsilon) = e^{K(1+\theta) - \theta\varepsilon}\,E_{1+\theta}[h(L - \varepsilon)],
          \qquad \delta_{\rm add}(\varepsilon) = e^{K(-\theta) - \theta\varepsilon}\,E_{-\theta}[h(-L - \varepsilon)],

where :math:`E_c` is the mean under the law proportional to :math:`e^{cL} dQ`. The function h rises from 0 to
:math:`c_\theta = \theta^\theta / (1+\theta)^{1+\theta}` and falls again, so the mean is at most :math:`c_\theta`
(Chernoff), and within :math:`2 c_\theta \Delta` of its mean under a normal law whose distribution function is within
:math:`\Delta` of that of L. Shevtsova (2010, Doklady Mathematics 82): :math:`\Delta \le 0.56 \sum E|X_i|^3 / s^3` for a
sum of independent centred :math:`X_i` with variance :math:`s^2`.

The proofs are in docs/numerics.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import LARGEST_EXPONENT, TINY, Floats


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
        return max(low, -math.expm1(self.log_rest(epsilon))), high

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
        centre = np.array([law.mean - epsilon])
        log_mean = float(log_normal_mean(np.array([theta]), centre, np.array([law.deviation]))[0])
        mean = math.exp(min(log_mean - peak, 0.0))  # over the peak
        spread = 2 * law.distance + SETTINGS.cancelled * (1 + theta)
        low, high = (bound - theta * epsilon + peak for bound in (law.low, law.high))
        return math.exp(min(low, 0.0)) * max(mean - spread, 0.0), _exp(high) * (mean + spread)

    def log_rest(self, epsilon: float) -> float:
        """A bound above the logarithm of 1 - delta = E[min(e^L, e^epsilon)] <= e^(K(t) + (1 - t) epsilon)."""
        return min(*(self._law(t, 0.0).high + (1 - t) * epsilon for t in SETTINGS.between), 0.0)

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
        """An upper bound on K in closed form; no Renyi divergence exceeds that of the releases without sampling."""
        total: float = 0.5 * self._squared_mu * tilt * (tilt - 1)
        for (step, count), square in zip(self._steps, self._unsampled, strict=True):
            bound = count * step.log_mgf_at_most(tilt) * (1 + SETTINGS.rounding)
            total += bound if 0 <= tilt <= 1 else min(bound, 0.5 * square * tilt * (tilt - 1))
        return total + SETTINGS.rounding


def _theta(power: float, side: float) -> float:
    """The distance of the tilt from its pole, as the rounded tilt has it."""
    theta: float = 2.0**power
    return (1 + theta) - 1 if side > 0 else theta


def _log_peak(theta: float) -> float:
    return float(log_peak(np.array([theta]))[0])


def log_peak(theta: Floats) -> Floats:
    """log of the largest value of e^(-theta y) - e^(-(1 + theta) y) over y >= 0."""
    return -theta * np.log1p(1 / theta) - np.log1p(theta)


def log_normal_mean(theta: Floats, centre: Floats, deviation: Floats) -> Floats:
    """log of the mean of (e^(-theta y) - e^(-(1 + theta) y))_+ under a normal law of y."""

    def term(power: Floats) -> Floats:
        # E[e^(-power y); y > 0] = phi(centre / deviation) times a Mills ratio
        z = power * deviation - centre / deviation
        near = np.log(0.5 * special.erfcx(np.maximum(z, _FAR_BELOW) / math.sqrt(2))) - 0.5 * (centre / deviation) ** 2
        return np.where(z < _FAR_BELOW, -power * centre + 0.5 * (power * deviation) ** 2, near)

    first, second = term(theta), term(1 + theta)
    gap = np.log(-np.expm1(np.minimum(second - first, -TINY)))
    return np.where(second < first, first + gap, -np.inf)


_FAR_BELOW = -20.0  # standard deviations: from there on a normal law is cut nowhere


def _exp(x: float) -> float:
    return math.exp(x) if x < LARGEST_EXPONENT else math.inf
