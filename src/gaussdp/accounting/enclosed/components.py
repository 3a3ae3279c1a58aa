r"""Bounds on a profile where an output tells nearly which part of a mixture it came from, in closed form.

Under P an output of a step comes from one component, :math:`N(s_J, \sigma^2)` with probability :math:`w_J`. If that
component alone explained it the loss would be, with :math:`m_j = s_j/\sigma` and Z standard normal,

.. math:: Y = c_J + m_J^2/2 + m_J Z, \qquad c_j = \log w_j,

and for an exchanged record :math:`c_0 = 0`, :math:`c_1 = \log(q/(1-q))`. The loss is L = Y + W - V, where W >= 0 is
what the other components add, and V >= 0, for exchanged records alone, what the other record explains. Y is a sum
of independent parts whose moments are sums over components,

.. math:: E[e^{\theta Y}] = \sum_j w_j\,e^{\theta c_j + \theta(1+\theta) m_j^2/2},

whatever the noise and the number of records: no grid of outputs is needed. They bound the profile of Y as moments of
L do (`moments`), and :math:`\delta_Y(\varepsilon + t) - \Pr[V > t] \le \delta(\varepsilon) \le
\delta_Y(\varepsilon - t) + \Pr[W > t]`. The proofs are in docs/numerics.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.accounting.enclosed.profile_bounds import BERRY_ESSEEN, log_normal_mean, log_peak
from gaussdp.accounting.enclosed.profile_bounds import SETTINGS as MOMENTS
from gaussdp.accounting.enclosed.sampled_mixtures import fallen, spills
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.numerics import LARGEST_EXPONENT, Floats


@dataclass(frozen=True)
class ComponentSettings:
    """What is tuned about moments of components."""

    negligible: float = 50.0  # exponent by which a component lies below the heaviest whose rounding does not count
    far: float = 1e4  # B past which too much is left out


SETTINGS = ComponentSettings()


@dataclass(frozen=True)
class _Components:
    """Those of a step: logarithms of their probabilities, constants of their losses, and their mu."""

    log_weights: Floats
    constants: Floats
    mu: Floats
    spilt: float  # bounds log E[e^(W / 2)] of one step
    fallen: float  # ... and log E[e^(V / 2)]

    @classmethod
    def of(cls, step: StepLoss) -> "_Components | None":
        """Those of a step, if its kind is known."""
        if isinstance(step, MixtureLoss):
            logs = np.log(np.array(step.weights))
            mu = np.array(step.sensitivities) / step.noise_multiplier
            # Of pairs of neighbours and of farther ones alike, each counted twice.
            pairs = 0.5 * np.add.outer(logs, logs) - 0.125 * np.subtract.outer(mu, mu) ** 2
            np.fill_diagonal(pairs, -np.inf)
            return cls(logs, logs, mu, float(np.exp(pairs).sum()), 0.0)
        if not isinstance(step, SampledGaussianLoss | ExchangedLoss):
            return None
        noise, rate = step.noise_multiplier, step.sample_rate
        logs, mu = np.array([math.log1p(-rate), math.log(rate)]), np.array([0.0, 1 / noise])
        spilt = 2 * math.sqrt(rate * (1 - rate)) * math.exp(-0.125 / noise**2)
        if isinstance(step, ExchangedLoss):
            return cls(logs, np.array([0.0, logs[1] - logs[0]]), mu, spilt, fallen(noise, rate))
        return cls(logs, logs, mu, spilt, 0.0)

    def moments(self, theta: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """log E[e^(theta Y)], its rounding error, and mean, variance and third absolute moment under that tilt."""
        at, energy = theta[:, np.newaxis], 0.5 * self.mu**2
        exponents = self.log_weights + at * self.constants + at * (1 + at) * energy
        total = special.logsumexp(exponents, axis=1)
        shares = np.exp(exponents - total[:, np.newaxis])
        sizes = np.abs(self.log_weights) + at * np.abs(self.constants) + at * (1 + at) * energy
        heavy = exponents > total[:, np.newaxis] - SETTINGS.negligible
        error = MOMENTS.rounding * (1 + np.where(heavy, sizes, 0.0).max(axis=1))
        means = self.constants + (1 + 2 * at) * energy
        mean = (shares * means).sum(axis=1)
        off = means - mean[:, np.newaxis]
        variance = (shares * (self.mu**2 + off * off)).sum(axis=1)
        return total, error, mean, variance, (shares * _third(off, self.mu)).sum(axis=1)


def _third(mean: Floats, deviation: Floats) -> Floats:
    """E|X|^3 of normal variables."""
    size, spread = np.abs(mean), np.broadcast_to(deviation, mean.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(spread > 0, size / spread, np.inf)
        near = math.sqrt(2 / math.pi) * np.exp(-0.5 * ratio * ratio) * spread * (2 * spread * spread + size * size)
    third: Floats = near + size * (size * size + 3 * spread * spread) * special.erf(ratio / math.sqrt(2))
    return third


class ComponentBounds:
    """Bounds on the profile of removing a record, of plain Gaussian releases and counted sampled steps.

    They say nothing if the kind of a step is not known.
    """

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        kinds = [(_Components.of(step), count) for step, count in steps]
        known = [(components, count) for components, count in kinds if components is not None]
        self._known = len(known) == len(steps)
        self._spilt = math.fsum(count * one.spilt for one, count in known)
        self._fallen = math.fsum(count * one.fallen for one, count in known)
        first, last = MOMENTS.octaves
        theta = 2.0 ** np.linspace(first, last, (last - first) * MOMENTS.parts + 1)
        value, mean = 0.5 * squared_mu * theta * (1 + theta), squared_mu * (0.5 + theta)
        variance, thirds, margin = np.full(theta.size, squared_mu), np.zeros(theta.size), MOMENTS.rounding * (1 + value)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for one, count in known:
                moments = one.moments(theta)
                value, margin = value + count * moments[0], margin + count * moments[1]
                mean, variance, thirds = (
                    mean + count * moments[2],
                    variance + count * moments[3],
                    thirds + count * moments[4],
                )
            distance = BERRY_ESSEEN * thirds / variance**1.5
        finite = np.isfinite(value) & np.isfinite(margin) & (variance > 0) & np.isfinite(variance) & np.isfinite(mean)
        self._theta, self._low, self._high = theta[finite], (value - margin)[finite], (value + margin)[finite]
        self._mean, self._deviation = mean[finite], np.sqrt(variance[finite])
        self._distance = np.where(np.isfinite(distance), distance, 1.0)[finite]
        self._peak = log_peak(self._theta)

    def lower(self, epsilon: Floats) -> Floats:
        """Lower bounds on delta."""
        if not self._known or self._fallen > SETTINGS.far:
            return np.zeros(epsilon.size)
        if self._fallen == 0:
            return self._profile(epsilon)[0]
        bounds = [self._profile(epsilon + t)[0] - less for t, less in spills(self._fallen)]
        best: Floats = np.max([np.zeros(epsilon.size), *bounds], axis=0)
        return best

    def upper(self, epsilon: Floats) -> Floats:
        """Upper bounds on delta."""
        if not self._known or self._spilt > SETTINGS.far:
            return np.ones(epsilon.size)
        bounds = [self._profile(epsilon - t)[1] + more for t, more in spills(self._spilt)]
        best: Floats = np.min([np.ones(epsilon.size), *bounds], axis=0)
        return best

    def _profile(self, epsilon: Floats) -> tuple[Floats, Floats]:
        """Bounds on the profile of Y at real epsilons, by the tilt whose Chernoff bound is the least."""
        if self._theta.size == 0:
            return np.zeros(epsilon.size), np.ones(epsilon.size)
        exponents = self._high + self._peak - np.multiply.outer(epsilon, self._theta)
        best = exponents.argmin(axis=1)
        theta, peak, distance = self._theta[best], self._peak[best], self._distance[best]
        with np.errstate(all="ignore"):
            logs = log_normal_mean(theta, self._mean[best] - epsilon, self._deviation[best]) - peak
        normal = np.exp(np.minimum(np.where(np.isnan(logs), -np.inf, logs), 0.0))
        spread = np.where(np.isnan(logs), 1.0, 2 * distance + MOMENTS.cancelled * (1 + theta))
        low, high = (bound[best] - theta * epsilon + peak for bound in (self._low, self._high))
        below = np.exp(np.minimum(low, 0.0)) * np.maximum(normal - spread, 0.0)
        above = np.exp(np.minimum(high, LARGEST_EXPONENT)) * np.minimum(normal + spread, 1.0)
        return below, np.minimum(above, 1.0)
