r"""Losses whose tails are normal CDFs: plain Gaussian releases, and one sampled step.

A step whose sensitivity is random is one too: with components :math:`a_i N(m_i, \sigma^2)` under P and :math:`b_j
N(n_j, \sigma^2)` under Q, and the shares :math:`\varrho_j` that the latter have in the density at x,

.. math:: \delta = \sum_{i, j} a_i \varrho_j\,\delta_{(m_i - n_j)/\sigma}(\varepsilon_{ij}), \qquad
          \varepsilon_{ij} = \frac{(m_i - n_j)(2x - m_i - n_j)}{2\sigma^2},

in which :math:`\delta_\mu` is the profile of mu-GDP and nothing cancels, since no :math:`m_i` lies below an
:math:`n_j`: :math:`e^{\varepsilon_{ij}}` is the quotient of two components at x, so the sum is :math:`P(X > x)` less
:math:`e^{L(x)} Q(X > x)`.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import special

from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.outputs import least_loss, normal_log_density
from gaussdp.accounting.operating_points import (
    HALF_LOG_2PI,
    NormalTails,
    OperatingPoints,
    log_complement,
    one_method,
    upper_quantile,
    vanished,
)
from gaussdp.accounting.readings import Method
from gaussdp.numerics import LARGEST_EXPONENT, Floats, log_profile

_ROUNDING = 1e-13  # of the kernels; up to 2.4e-14 was seen
_ROUNDINGS = 4e-15  # of a normal quantile, relative to the terms that it is the sum of
_NEWTON_STEPS = 100
_HALVINGS = 60  # of the distance between components, to less than rounding
_NEAR_LEAST = -0.5  # share of the way from 0 to the least loss, as e^tau - 1, from which on the excess is taken


class GaussianTails(NormalTails):
    """The loss of plain Gaussian releases, N(-mu^2/2, mu^2) under Q."""

    mean: float
    lowest: float

    skewness: float = 0.0

    def __init__(self, mu: float) -> None:
        self.mu = mu
        self.mean = -0.5 * mu * mu
        self.deviation = mu
        self.lowest = -math.inf

    def _describe(self) -> tuple[object, ...]:
        return (self.mu,)

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds."""
        return self._at(tau / self.mu + 0.5 * self.mu, tau)

    def near_quantile(self, quantile: float, pole: float) -> float:
        """The threshold that the loss exceeds with the probability of a normal quantile, under Q or under P."""
        return self.mu * (quantile + (pole - 0.5) * self.mu)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        z = upper_quantile(log_fpr, log_tnr)
        return self._at(z, self.mu * (z - 0.5 * self.mu))

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        z = upper_quantile(log_tpr, log_fnr) + self.mu
        return self._at(z, self.mu * (z - 0.5 * self.mu))

    def _at(self, z: Floats, tau: Floats) -> OperatingPoints:
        log_delta = log_profile(np.full_like(tau, self.mu), np.abs(tau))
        other = np.logaddexp(log_delta - np.abs(tau), log_complement(-np.abs(tau)))
        return OperatingPoints(
            tau=tau,
            log_fpr=special.log_ndtr(-z),
            log_tnr=special.log_ndtr(z),
            log_fnr=special.log_ndtr(z - self.mu),
            log_tpr=special.log_ndtr(self.mu - z),
            log_density=-0.5 * z * z - HALF_LOG_2PI - math.log(self.mu),
            log_delta_remove=np.where(tau >= 0, log_delta, other),
            log_delta_add=np.where(tau >= 0, other, log_delta),
            errors=_errors(np.abs(tau / self.mu) + self.mu, np.abs(z) + self.mu),
            methods=one_method(Method.CLOSED_FORM, tau.size),
        )


class OneStepTails(NormalTails):
    r"""One Poisson-sampled Gaussian step: the loss increases with the output x, so its tails are normal CDFs of x.

    .. math:: x(\tau) = \sigma^2 \log\frac{e^\tau - 1 + q}{q} + \frac12
    """

    lowest: float
    mean: float
    deviation: float

    skewness: float = 0.0

    def __init__(self, noise_multiplier: float, sample_rate: float) -> None:
        self._sigma, self._rate = noise_multiplier, sample_rate
        self._least = least_loss([(1 - Fraction(sample_rate), 1)])
        self.lowest = self._least.high
        # Searches work on x itself; these are only the scale of the loss near its bulk.
        self.mean = 0.0
        self.deviation = math.log1p(sample_rate * math.expm1(min(1 / noise_multiplier, LARGEST_EXPONENT)))

    def _describe(self) -> tuple[object, ...]:
        return self._sigma, self._rate

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            near = np.log1p(np.expm1(tau) / self._rate)
            far = tau - math.log(self._rate) + np.log1p(-(1 - self._rate) * np.exp(-tau))
            excess = self._least.excess(tau)
            # e^tau - 1 + q = (1 - q)(e^excess - 1)
            next_to_least = np.log(np.expm1(excess) * ((1 - self._rate) / self._rate))
            near = np.where(np.expm1(tau) < _NEAR_LEAST * self._rate, next_to_least, near)
        log_ratio = np.where(excess > 0, np.where(tau > 1, far, near), -np.inf)
        return self._at(self._sigma**2 * log_ratio + 0.5, tau, log_ratio)

    def near_quantile(self, quantile: float, pole: float) -> float:
        """The threshold that the loss exceeds with the probability of a normal quantile, under Q or under P."""
        if pole == 0:
            return float(self._loss(np.array([self._sigma * quantile]))[0])
        log_fnr, log_tpr = special.log_ndtr(np.array([[quantile], [-quantile]]))
        return float(self.at_fnr(log_fnr, log_tpr).tau[0])

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        x = self._sigma * upper_quantile(log_fpr, log_tnr)
        return self._at(x, self._loss(x))

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs, by Newton on the quantile of the mixture."""
        target = upper_quantile(log_tpr, log_fnr)
        x = self._sigma * target
        # The mixture lies between its two components, which are one apart.
        low, high = x - 1e-12 * np.abs(x), x + 1.0
        open_ = np.arange(x.size)
        for _ in range(_NEWTON_STEPS):
            here, aim = x[open_], target[open_]
            log_p, log_rest = self._mixture(here)
            z = upper_quantile(log_rest, log_p)
            low[open_], high[open_] = np.where(z < aim, here, low[open_]), np.where(z > aim, here, high[open_])
            step = (z - aim) * np.exp(-0.5 * z * z - HALF_LOG_2PI - self._log_density(here))
            proposed = here - step
            inside = (proposed > low[open_]) & (proposed < high[open_])
            moved = np.where(inside, proposed, 0.5 * (low[open_] + high[open_]))
            going = (np.abs(z - aim) > 4e-15 * (1 + np.abs(aim))) & (moved != here)
            open_ = open_[going]
            if open_.size == 0:
                return self._at(x, self._loss(x))
            x[open_] = moved[going]
        points, rest = self._at(x, self._loss(x)), x[open_]
        points.put(open_, OperatingPoints.unanswered(rest))
        return points

    def _loss(self, x: Floats) -> Floats:
        exponent = (x - 0.5) / self._sigma**2
        with np.errstate(over="ignore"):
            near = np.log1p(self._rate * np.expm1(exponent))
        return np.where(exponent > 30, np.logaddexp(exponent + math.log(self._rate), self.lowest), near)

    def _mixture(self, x: Floats) -> tuple[Floats, Floats]:
        """Logarithms of P(X <= x) and P(X > x)."""
        return self._mixed(special.log_ndtr, x, 1.0), self._mixed(special.log_ndtr, x, -1.0)

    def _mixed(self, log_tail: Callable[[Floats], Floats], x: Floats, sign: float) -> Floats:
        return np.logaddexp(
            self.lowest + log_tail(sign * x / self._sigma),
            math.log(self._rate) + log_tail(sign * (x - 1) / self._sigma),
        )

    def _log_density(self, x: Floats) -> Floats:
        """Logarithm of the density of the mixture at x."""
        normal = -0.5 * (x / self._sigma) ** 2 - HALF_LOG_2PI - math.log(self._sigma)
        return normal + self._loss(x)

    def _at(self, x: Floats, tau: Floats, exponent: Floats | None = None) -> OperatingPoints:
        """At outputs x with losses tau; the exponent is (x - 1/2) / sigma^2, where it is known better than x."""
        sigma, rate = self._sigma, self._rate
        z = x / sigma
        log_fnr, log_tpr = self._mixture(x)
        if exponent is None:
            exponent = (x - 0.5) / sigma**2
        # The step's profile is the Gaussian's, scaled: delta(tau) = q delta_mu(exponent), and its mirror image.
        finite = np.isfinite(exponent)
        log_gaussian = np.full_like(tau, -np.inf)
        log_gaussian[finite] = log_profile(np.full(np.count_nonzero(finite), 1 / sigma), np.abs(exponent[finite]))
        log_delta = math.log(rate) + log_gaussian + np.where((tau < 0) & finite, exponent - tau, 0.0)
        other = np.logaddexp(log_delta - np.abs(tau), log_complement(-np.abs(tau)))
        with np.errstate(invalid="ignore"):
            log_slope = exponent + math.log(rate) - tau - 2 * math.log(sigma)  # of the loss in x
            log_density = -0.5 * z * z - HALF_LOG_2PI - math.log(sigma) - log_slope
        return OperatingPoints(
            tau=tau,
            log_fpr=special.log_ndtr(-z),
            log_tnr=special.log_ndtr(z),
            log_fnr=log_fnr,
            log_tpr=log_tpr,
            log_density=np.where(finite, log_density, -np.inf),
            log_delta_remove=np.where(tau >= 0, log_delta, other),
            log_delta_add=np.where(tau >= 0, other, log_delta),
            errors=np.where(finite, _errors(2 * sigma * np.abs(exponent) + 1 / sigma, np.abs(z) + 1 / sigma), 0.0),
            methods=one_method(Method.CLOSED_FORM, tau.size),
        )


@dataclass(frozen=True, slots=True)
class Components:
    """A mixture of normal laws of one standard deviation."""

    means: Floats
    log_weights: Floats
    sigma: float

    def log_tails(self, x: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the probabilities of at most x and of more."""
        z = (x - self.means[:, np.newaxis]) / self.sigma
        below, above = (self.log_weights[:, np.newaxis] + special.log_ndtr(sign * z) for sign in (1.0, -1.0))
        return special.logsumexp(below, axis=0), special.logsumexp(above, axis=0)

    def log_shares(self, x: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the share of each component in the density at x, and of the density over N(0, sigma^2)."""
        places = self.means[:, np.newaxis] * (x - 0.5 * self.means[:, np.newaxis]) / self.sigma**2
        logs = self.log_weights[:, np.newaxis] + places
        total: Floats = special.logsumexp(logs, axis=0)
        return logs - total, total

    def outputs(self, log_below: Floats, log_above: Floats) -> Floats:
        """The outputs with these probabilities below and above them, between those of the outermost components."""
        quantile = self.sigma * upper_quantile(log_above, log_below)
        low, high = quantile + self.means.min(), quantile + self.means.max()
        for _ in range(_HALVINGS):
            x = 0.5 * (low + high)
            below, above = self.log_tails(x)
            short = np.where(log_below < log_above, below < log_below, above > log_above)
            low, high = np.where(short, x, low), np.where(short, high, x)
        found: Floats = 0.5 * (low + high)
        return found


class OneMixtureTails(NormalTails):
    """One step whose laws are mixtures: what is said above, with x found from the loss."""

    lowest: float
    mean: float = 0.0
    deviation: float
    skewness: float = 0.0

    def __init__(self, sigma: float, under_p: dict[float, float], under_q: dict[float, float]) -> None:
        self._sigma = sigma
        self._p, self._q = (
            Components(np.array(list(law)), np.log(list(law.values())), sigma) for law in (under_p, under_q)
        )
        at_scale = float(self._loss(np.array([sigma]))[0])
        self.deviation = at_scale if at_scale > 0 else sigma  # only the scale of searches

    @abstractmethod
    def _outputs(self, tau: Floats) -> tuple[Floats, Floats]:
        """The outputs with these losses, and the size of the terms that each over sigma is the sum of."""

    def _loss(self, x: Floats) -> Floats:
        """The loss at outputs."""
        found: Floats = self._p.log_shares(x)[1] - self._q.log_shares(x)[1]
        return found

    def near_quantile(self, quantile: float, pole: float) -> float:
        """The threshold that the loss exceeds with the probability of a normal quantile, under Q or under P."""
        log_above, log_below = special.log_ndtr(np.array([[-quantile], [quantile]]))
        return float(self._loss((self._p if pole == 1 else self._q).outputs(log_below, log_above))[0])

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        x = self._q.outputs(log_tnr, log_fpr)
        return self._at(x, self._loss(x), np.abs(x) / self._sigma)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        x = self._p.outputs(log_fnr, log_tpr)
        return self._at(x, self._loss(x), np.abs(x) / self._sigma)

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds."""
        x, terms = self._outputs(tau)
        return self._at(x, tau, terms)

    def _at(self, x: Floats, tau: Floats, terms: Floats) -> OperatingPoints:
        (p_shares, _), (q_shares, log_q) = self._p.log_shares(x), self._q.log_shares(x)
        apart = self._p.means[:, np.newaxis] - self._q.means
        sums = self._p.means[:, np.newaxis] + self._q.means
        remove, add = [], []
        for i, j in np.argwhere(apart > 0).tolist():
            mu = float(apart[i, j]) / self._sigma
            epsilon = mu * (x - 0.5 * float(sums[i, j])) / self._sigma
            log_remove, log_add = _log_profiles(mu, epsilon)
            remove.append(self._p.log_weights[i] + q_shares[j] + log_remove)
            add.append(self._q.log_weights[j] + p_shares[i] + log_add)
        slope = (self._p.means @ np.exp(p_shares) - self._q.means @ np.exp(q_shares)) / self._sigma**2
        log_tnr, log_fpr = self._q.log_tails(x)
        log_fnr, log_tpr = self._p.log_tails(x)
        farthest = float(max(np.abs(self._p.means).max(), np.abs(self._q.means).max())) / self._sigma
        with np.errstate(divide="ignore"):
            log_density = normal_log_density(x, self._sigma) + log_q - np.log(slope)
        return OperatingPoints(
            tau=tau,
            log_fpr=log_fpr,
            log_tnr=log_tnr,
            log_fnr=log_fnr,
            log_tpr=log_tpr,
            log_density=log_density,
            log_delta_remove=special.logsumexp(remove, axis=0),
            log_delta_add=special.logsumexp(add, axis=0),
            errors=_errors(terms + farthest, np.abs(x) / self._sigma + farthest),
            methods=one_method(Method.CLOSED_FORM, tau.size),
        )


class OneExchangeTails(OneMixtureTails):
    """One step in which a sampled record is exchanged, at thresholds of at least 0: the others are mirror images."""

    lowest: float

    def __init__(self, step: ExchangedLoss) -> None:
        self._step, self.lowest = step, -math.inf
        rate = step.sample_rate
        super().__init__(step.noise_multiplier, {0.0: 1 - rate, 1.0: rate}, {-1.0: rate, 0.0: 1 - rate})

    def _describe(self) -> tuple[object, ...]:
        return (self._step,)

    def _loss(self, x: Floats) -> Floats:
        return self._step.loss(x)

    def _outputs(self, tau: Floats) -> tuple[Floats, Floats]:
        x = self._step.output_of(tau)
        return x, np.abs(x) / self._sigma + self._sigma


class OneUnitTails(OneMixtureTails):
    """One step with several records of a unit, some of which may be on every sample, or of any sensitivities."""

    lowest: float

    def __init__(self, step: MixtureLoss) -> None:
        self._step = step
        self._least = least_loss([(step.least_ratio, 1)])
        self.lowest = self._least.high
        law = dict(zip(step.sensitivities, step.weights, strict=True))
        super().__init__(step.noise_multiplier, law, {0.0: 1.0})

    def _describe(self) -> tuple[object, ...]:
        return (self._step,)

    def _loss(self, x: Floats) -> Floats:
        grown, _ = self._step.log_growth(x)
        return self.lowest + np.logaddexp(0.0, grown) if self.lowest > -math.inf else grown

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds; every loss is above those that do not exceed the least one."""
        inside = self._least.excess(tau) > 0
        if inside.all():
            return super().read(tau)
        points = vanished(tau)
        if inside.any():
            points.put(inside, super().read(tau[inside]))
        return points

    def _outputs(self, tau: Floats) -> tuple[Floats, Floats]:
        log_growth = tau
        if self.lowest > -math.inf:
            excess = self._least.excess(tau)
            log_growth = excess + log_complement(-excess)
        x, slope = self._step.output_at(log_growth)
        return x, np.abs(log_growth) / (slope * self._sigma) + np.abs(x) / self._sigma


def _log_profiles(mu: float, epsilon: Floats) -> tuple[Floats, Floats]:
    """Logarithms of the profile of mu-GDP at epsilon and at -epsilon, of which either may be negative."""
    log_delta = log_profile(np.full_like(epsilon, mu), np.abs(epsilon))
    other = np.logaddexp(log_delta - np.abs(epsilon), log_complement(-np.abs(epsilon)))
    return np.where(epsilon >= 0, log_delta, other), np.where(epsilon >= 0, other, log_delta)


def _errors(terms: Floats, quantile: Floats) -> Floats:
    """Relative errors of normal tails at a quantile, or a smaller one, that is the sum of terms of this size."""
    return _ROUNDING + _ROUNDINGS * terms * quantile
