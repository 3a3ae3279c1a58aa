"""Thresholds past which a tail is smaller than any double, by Chernoff's bound."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.schedules import schedules_for
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.accounting.operating_points import OperatingPoints, log_complement, one_method
from gaussdp.accounting.readings import Method
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats


@dataclass(frozen=True)
class VanishingSettings:
    """What is tuned about vanishing tails."""

    nothing: float = -760.0  # logarithm of what is smaller than any double; e^-745 is the least one
    cutoff: float = 40.0  # standard deviations: outputs beyond have probability e^-804, even together below e^-760


SETTINGS = VanishingSettings()

_TILTS = 2.0 ** np.arange(-3, 44)


class VanishingTails:
    """Bounds on the tails of plain Gaussian releases (their squared mu) and counted sampled steps."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        few = schedules_for(steps)[0][0]
        cumulants = LossCumulants(squared_mu, [(step.cut(SETTINGS.cutoff), count) for step, count in few])
        # P(L > tau) <= E_Q[e^(L + t(L - tau))] and Q(L <= tau) <= E_Q[e^(-t(L - tau))].
        self._above = np.array([_value(cumulants, 1 + tilt) for tilt in _TILTS])
        self._below = np.array([_value(cumulants, -tilt) for tilt in _TILTS])

    def vanish(self, tau: Floats) -> Booleans:
        """Whether the smaller tail and the profile at each threshold are below any double."""
        offset = np.multiply.outer(np.abs(tau), _TILTS)
        bounds = np.where(tau[:, np.newaxis] > 0, self._above, self._below) - offset
        vanished: Booleans = bounds.min(axis=1) < SETTINGS.nothing
        return vanished

    @staticmethod
    def points(tau: Floats) -> OperatingPoints:
        """Operating points where tails vanish: upper ones for positive thresholds, lower ones for negative."""
        upper = tau > 0
        nothing, all_ = np.full_like(tau, -np.inf), np.zeros_like(tau)
        small, large = np.where(upper, nothing, all_), np.where(upper, all_, nothing)
        other = log_complement(-np.abs(tau))
        return OperatingPoints(
            tau=tau,
            log_fpr=small,
            log_tnr=large,
            log_fnr=large,
            log_tpr=small,
            log_density=nothing,
            log_delta_remove=np.where(upper, nothing, other),
            log_delta_add=np.where(upper, other, nothing),
            errors=all_,
            methods=one_method(Method.VANISHING, tau.size),
        )


def _value(cumulants: LossCumulants, tilt: float) -> float:
    try:
        value = cumulants.tilt(tilt).value
    except ConvergenceError:
        return math.inf
    return value if math.isfinite(value) else math.inf
