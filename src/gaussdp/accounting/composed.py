"""The tails of a composed loss by whichever method answers: lines, which take milliseconds, or the density."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.density.vanishing import VanishingTails
from gaussdp.accounting.descriptions import Described
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.least import LeastLoss, least_loss
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.accounting.operating_points import LossTails, OperatingPoints
from gaussdp.numerics import Floats

_LEAST_NOISE = 0.25  # of a sampled step: below, losses are so large that no line is accurate
_NEAR = 1e-14  # relative distance from the least loss at which its last digits decide


class ComposedTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps.

    Each threshold is answered by the first method that can: lines, the bound that makes its tails vanish, the density.
    """

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._parts = squared_mu, tuple(steps)
        self._density = DensityTails(squared_mu, steps)
        self._lines = None
        if min(step.noise_multiplier for step, _ in steps) >= _LEAST_NOISE:
            self._lines = LineTails(squared_mu, steps)
        self._first: LossTails = self._lines or self._density
        self.lowest = self._density.lowest

    def _describe(self) -> tuple[object, ...]:
        return self._parts

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._first.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._first.deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0."""
        return self._first.skewness

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        gone = tau <= self.lowest
        near = np.abs(tau - self.lowest) <= _NEAR * abs(self.lowest)
        if near.any() and np.isfinite(self.lowest):
            gone[near] = self._least.excess(tau[near]) <= 0
        if gone.any():
            points = OperatingPoints.unanswered(tau)
            points.put(gone, VanishingTails.points(tau[gone]))
            if not gone.all():
                points.put(~gone, self.read(tau[~gone]))
            return points
        points = self._lines.read(tau) if self._lines else OperatingPoints.unanswered(tau)
        missing = np.flatnonzero(~points.answered)
        if missing.size:
            gone = self._vanishing.vanish(tau[missing])
            points.put(missing[gone], VanishingTails.points(tau[missing[gone]]))
            missing = missing[~gone]
        if missing.size:
            points.put(missing, self._density.read(tau[missing]))
        return points

    @cached_property
    def _least(self) -> LeastLoss:
        return least_loss((step.least_ratio, count) for step, count in self._parts[1])

    @cached_property
    def _vanishing(self) -> VanishingTails:
        return VanishingTails(*self._parts)

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self._first.near_quantile(quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        points = self._first.at_fpr(log_fpr, log_tnr)
        missing = np.flatnonzero(~points.answered)
        if missing.size and self._lines:
            points.put(missing, self._density.at_fpr(log_fpr[missing], log_tnr[missing]))
        return points

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        points = self._first.at_fnr(log_fnr, log_tpr)
        missing = np.flatnonzero(~points.answered)
        if missing.size and self._lines:
            points.put(missing, self._density.at_fnr(log_fnr[missing], log_tpr[missing]))
        return points
