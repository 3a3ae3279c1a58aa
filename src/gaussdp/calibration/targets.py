"""What a calibration must meet, and what a mechanism achieves of it, the error of accounting counted against it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting import AccountedCurve, DistributionCurve, account
from gaussdp.domains import LEVEL, kind_of, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.base import Numbers, of_delta, of_epsilon, of_fpr, of_tpr
from gaussdp.mechanisms import Mechanism
from gaussdp.risks import AtMost, Risk

Target = GDP | AtMost
"""A GDP budget means the mechanism's fitted mu at the stated floor; AtMost means the risk itself."""


def measure(target: Target) -> str:
    """What the target bounds, in words."""
    return target.risk.words if isinstance(target, AtMost) else "μ"


def limit(target: Target) -> float:
    """The largest value that it allows."""
    return target.value if isinstance(target, AtMost) else target.mu


def budget(target: Target) -> float:
    """The mu that the target allows a Gaussian release, positive and finite; for pure DP what it implies.

    Raises:
        DomainError: if the target is none, or asks for everything or for nothing.
    """
    if isinstance(target, GDP):
        mu = target.mu
    elif isinstance(target, AtMost):
        mu = target.risk.steering_mu(target.value)
    else:
        raise DomainError("target", "a GDP or AtMost(risk, value)", got=kind_of(target))
    if mu == 0:
        raise DomainError(
            None,
            problem=f"target {target} is out of reach: only a release that says nothing meets it",
            advice="allow more",
        )
    if mu == math.inf:
        raise DomainError(
            None, problem=f"target {target} asks for nothing: every release meets it", advice="allow less"
        )
    return mu


RATE_ERROR = 1e-9  # relative error that an accounted curve promises for its rates and deltas

Curve = Callable[[Mechanism], Guarantee]


@dataclass(frozen=True)
class Achieved:
    """What a mechanism gives.

    Attributes:
        achieved: the risk or the fitted mu, an upper bound.
        mu: of the GDP curve with that risk, by which searches steer.
        floor: of the fit; None for a risk.
        curve: what it was read off.
    """

    achieved: float
    mu: float
    floor: float | None
    curve: Guarantee


class Reader:
    """Reads one target off mechanisms.

    Args:
        target: a GDP or AtMost.
        floor: of the fit for a GDP target; the curve's own default if None.
        curve: from a mechanism to its guarantee; exact accounting unless a closed form serves.
    """

    mu: float

    def __init__(self, target: Target, floor: float | None = None, curve: Curve = account) -> None:
        self.target = target
        self.mu = budget(target)
        self._floor = None if floor is None else number("floor", floor, LEVEL)
        self._limit = limit(target)
        self._curve = curve

    def meets(self, reading: Achieved) -> bool:
        """Whether the target is met."""
        return reading.achieved <= self._limit

    def __call__(self, mechanism: Mechanism) -> Achieved:
        """What this mechanism gives, by this target's measure."""
        curve = self._curve(mechanism)
        if isinstance(self.target, AtMost):
            achieved = float(self.target.risk.of(_with_error(mechanism, curve)))
            return Achieved(achieved, self._steering(self.target.risk, achieved), None, curve)
        if isinstance(curve, AccountedCurve | DistributionCurve):
            return self._fitted(curve)
        return Achieved(curve.implied().mu, curve.implied().mu, 0.0, curve)

    def _fitted(self, curve: AccountedCurve | DistributionCurve) -> Achieved:
        try:
            fit = curve.fit() if self._floor is None else curve.fit(self._floor)
        except DomainError:
            # With next to no noise even an attack at the floor is nearly perfect: no mu, however large, is a fit.
            if self._floor is not None and curve.fnr(self._floor) < self._floor:
                return Achieved(math.inf, math.inf, self._floor, curve)
            raise
        return Achieved(fit.mu, fit.mu, fit.floor, curve)

    def _steering(self, risk: Risk, achieved: float) -> float:
        try:
            return risk.steering_mu(achieved)
        except DomainError:  # an upper bound may lie a hair beyond what the risk can be
            return math.inf if achieved > self._limit else 0.0


class WithError(Guarantee):
    """A curve moved towards less privacy by the relative error of its rates and deltas."""

    def __init__(self, curve: Guarantee, error: float) -> None:
        self._curve, self._error = curve, error

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = self._curve.fnr(fpr) * (1 - self._error)
        return rate

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._capped(self._curve.tpr(fpr))

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        rate: Numbers = self._curve.fpr(tpr) * (1 - self._error)
        return rate

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        return self._capped(self._curve.delta(epsilon))

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        return self._curve.epsilon(delta * (1 - self._error))

    def implied(self) -> GDP:
        """That of the curve, which is exact."""
        return self._curve.implied()

    def _capped(self, rate: Numbers) -> Numbers:
        capped: Numbers = np.minimum(rate * (1 + self._error), 1.0)
        return capped


def _with_error(mechanism: Mechanism, curve: Guarantee) -> Guarantee:
    """The curve itself if it is a closed form or pessimistic by construction."""
    return WithError(curve, RATE_ERROR) if mechanism.sampled and isinstance(curve, AccountedCurve) else curve
