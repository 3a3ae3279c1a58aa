"""Bounds on tails that vanish: what is smaller than any double needs no method, and no time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.schedules import schedules_for
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.accounting.operating_points import OperatingPoints, one_method, vanished
from gaussdp.accounting.readings import Method
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats


@dataclass(frozen=True)
class VanishingSettings:
    """What is tuned about vanishing tails."""

    nothing: float = -760.0  # logarithm of what is smaller than any double; e^-745 is the least one
    cutoff: float = 40.0  # standard deviations: outputs beyond have probability e^-804, even together below e^-760


VANISHING = VanishingSettings()

NEXT_TO_ONE = 2.0**-53
"""Distance from 1 of a probability that a double rounds to 1."""

_TILTS = 2.0 ** np.concatenate((np.arange(-9, 8, 0.25), np.arange(8, 44)))
_BETWEEN = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


class VanishingTails:
    """Bounds on the tails of plain Gaussian releases (their squared mu) and counted sampled steps."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        few = schedules_for(steps)[0][0]
        cumulants = LossCumulants(squared_mu, [(step.cut(VANISHING.cutoff), count) for step, count in few])
        # P(L > tau) <= E_Q[e^(L + t(L - tau))] and Q(L <= tau) <= E_Q[e^(-t(L - tau))].
        self._above, self._below = _values(cumulants, 1 + _TILTS), _values(cumulants, -_TILTS)

    def bounds(self, tau: Floats) -> Floats:
        """Upper bounds on the logarithm of P(L > tau) at positive thresholds, and of Q(L <= tau) at others."""
        offset = np.multiply.outer(np.abs(tau), _TILTS)
        bounds: Floats = (np.where(tau[:, np.newaxis] > 0, self._above, self._below) - offset).min(axis=1)
        return bounds

    def epsilon(self, log_delta: float) -> float:
        """An upper bound on the epsilon of removing a record, by the bound on the profile of `loss.cumulants`."""
        peaks = _TILTS * np.log(_TILTS / (_TILTS + 1)) - np.log1p(_TILTS)
        return float(((self._above + peaks - log_delta) / _TILTS).min())

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where the smaller tail and the profile are below any double."""
        points = OperatingPoints.unanswered(tau)
        gone = self.bounds(tau) < VANISHING.nothing
        points.put(gone, vanished(tau[gone]))
        return points

    @staticmethod
    def points_between(tau: Floats) -> OperatingPoints:
        """Operating points where neither error occurs."""
        never, always = np.full_like(tau, -np.inf), np.zeros_like(tau)
        return OperatingPoints(
            tau=tau,
            log_fpr=never,
            log_tnr=always,
            log_fnr=never,
            log_tpr=always,
            log_density=never,
            log_delta_remove=always,
            log_delta_add=always,
            errors=always,
            methods=one_method(Method.VANISHING, tau.size),
        )


class PartedLaws:
    """Bounds on both errors of a test where the losses under Q and under P lie far apart.

    With K the log moment generating function under Q and t in (0, 1), Q(L > tau) <= e^(K(t) - t tau) and
    P(L <= tau) <= e^(K(t) + (1 - t) tau), by Chernoff.
    """

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        few = schedules_for(steps)[0][0]
        cumulants = LossCumulants(squared_mu, [(step.cut(VANISHING.cutoff), count) for step, count in few])
        self._values = np.array([_value(cumulants, tilt) for tilt in _BETWEEN])
        if not np.isfinite(self._values).all():  # too many outputs for their grids
            closed = [
                0.5 * squared_mu * (tilt * tilt - tilt) + sum(count * step.log_mgf_at_most(tilt) for step, count in few)
                for tilt in _BETWEEN.tolist()
            ]
            self._values = np.minimum(self._values, closed)

    def surely_one(self, epsilon: Floats) -> Booleans:
        """At which epsilons the profile of the remove direction is 1 in a double."""
        one: Booleans = self.log_gap(epsilon, remove=True) < math.log(0.5 * NEXT_TO_ONE)  # moments are rounded
        return one

    def surely_told(self, log_fpr: Floats) -> Booleans:
        """At which FPRs the FNR is below any double."""
        told: Booleans = self.log_fnr(log_fpr) < VANISHING.nothing
        return told

    def surely_told_nearly(self, log_fpr: Floats) -> Booleans:
        """At which FPRs the TPR is 1 in a double."""
        told: Booleans = self.log_fnr(log_fpr) < math.log(0.5 * NEXT_TO_ONE)
        return told

    def log_gap(self, tau: Floats, *, remove: bool) -> Floats:
        """Upper bounds on log(1 - delta), E_Q[min(e^L, e^tau)] if a record is removed, e^-tau times that if added."""
        offset = np.multiply.outer(tau, 1 - _BETWEEN if remove else -_BETWEEN)
        gap: Floats = (self._values + offset).min(axis=1)
        return gap

    def log_fnr(self, log_fpr: Floats) -> Floats:
        """Upper bounds on the logarithm of the FNR at an FPR: of the test whose bound on the FPR is just that."""
        bound: Floats = ((self._values - np.multiply.outer(log_fpr, 1 - _BETWEEN)) / _BETWEEN).min(axis=1)
        return bound

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where neither error occurs with a probability that a double can hold."""
        points = OperatingPoints.unanswered(tau)
        gone = np.maximum(self.log_gap(tau, remove=True), self.log_gap(tau, remove=False)) < VANISHING.nothing
        points.put(gone, VanishingTails.points_between(tau[gone]))
        return points


def _value(cumulants: LossCumulants, tilt: float) -> float:
    try:
        value = cumulants.tilt(tilt).value
    except ConvergenceError:
        return math.inf
    return value if math.isfinite(value) else math.inf


def _values(cumulants: LossCumulants, tilts: Floats) -> Floats:
    """K at tilts, several on one grid of outputs; infinite where there is none."""
    values = np.concatenate([_some_values(cumulants, some) for some in np.split(tilts, range(8, tilts.size, 8))])
    return np.where(np.isfinite(values), values, np.inf)


def _some_values(cumulants: LossCumulants, tilts: Floats) -> Floats:
    try:
        return cumulants.values(tilts)
    except ConvergenceError:
        if tilts.size == 1:
            return np.array([np.inf])
        return np.concatenate([_some_values(cumulants, tilts[k : k + 1]) for k in range(tilts.size)])
