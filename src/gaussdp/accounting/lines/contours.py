"""Tails of a composed loss by contour integrals: straight contours, or bent ones where those would be too long."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.inversion import nearer_epsilon, points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.loss.vanishing import VanishingTails
from gaussdp.accounting.operating_points import OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats
from gaussdp.objects import Described


@dataclass(frozen=True)
class ContourSettings:
    """Which contours a loss has, and which of them are tried first."""

    least_noise: float = 0.25  # of a step: below, losses are so large that no straight contour is accurate
    nearly_normal: float = 0.05  # skewness of the loss up to which straight contours are short, and go first
    apart: float = 4.0  # deviations of the loss under P from which on it is a sum of many large losses


SETTINGS = ContourSettings()


class ContourTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps, where a contour answers."""

    lowest: float
    straight: LineTails | None

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._squared_mu, self._steps = squared_mu, tuple(steps)
        noise = min(step.noise_multiplier for step, _ in steps)
        self.straight = LineTails(squared_mu, steps) if noise >= SETTINGS.least_noise else None
        self._bent = BentTails(squared_mu, steps) if BentTails.covers(steps) else None
        self.lowest = LossCumulants(squared_mu, self._steps).lowest

    def _describe(self) -> tuple[object, ...]:
        return self._squared_mu, self._steps

    @cached_property
    def in_order(self) -> tuple[LineTails | BentTails, ...]:
        """The contours in order of trial; there may be none."""
        straight, bent = self.straight, self._bent
        if straight is None or bent is None:
            return tuple(tails for tails in (straight, bent) if tails)
        if self._skewness >= SETTINGS.nearly_normal and bent.quicker:
            return bent, straight
        return straight, bent

    @cached_property
    def _skewness(self) -> float:
        """Size of the skewness of the loss under Q; infinite if straight contours do not know it."""
        try:
            return abs(self.straight.skewness) if self.straight else math.inf
        except ConvergenceError:
            return math.inf

    @cached_property
    def vanishing(self) -> VanishingTails:
        """Bounds on the same tails."""
        return VanishingTails(self._squared_mu, self._steps)

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self.in_order[0].mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self.in_order[0].deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q."""
        return self.in_order[0].skewness

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        points = OperatingPoints.unanswered(tau)
        for tails in self.in_order:
            missing = np.flatnonzero(~points.answered)
            if missing.size == tau.size:
                points = OperatingPoints.joined((tails.read(tau),))  # whose arrays are its own
            elif missing.size:
                points.put(missing, tails.read(tau[missing]))
        return points

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what is read, up to rounding; infinite where none is known."""
        bounds = np.full(tau.size, np.inf)
        missing = np.arange(tau.size)
        for tails in self.in_order:
            if missing.size == 0:
                break
            answered = tails.read(tau[missing]).answered
            if answered.any():
                bounds[missing[answered]] = tails.error_bounds(tau[missing[answered]])
            missing = missing[~answered]
        return bounds

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self.in_order[0].near_quantile(quantile, pole)

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the same threshold, if the loss is far from normal and its approximation is known."""
        bent = self._bent_first
        if bent is None:
            return self._by_one_loss(quantile) if pole == 0 and quantile > 0 else None
        if pole == 1 and quantile > 0 and self._apart(bent):
            return bent.under_p.mean + quantile * bent.under_p.deviation
        return bent.rough_quantile(quantile, pole)

    def rough_epsilon(self, log_delta: float) -> float | None:
        """The same for the threshold at which the profile of the remove direction has this logarithm."""
        bent = self._bent_first
        if bent is None:
            return None
        quantile = -float(special.ndtri_exp(log_delta))
        if quantile > 0 and self._apart(bent):
            roughly: float | None = bent.under_p.mean + quantile * bent.under_p.deviation
        else:
            roughly = bent.rough_epsilon(log_delta)
        if roughly is None:
            return None
        points = self.read(np.array([roughly]))
        if points.answered[0]:
            return nearer_epsilon(points, log_delta)
        # A density is ahead, and should not be made for a start that is far off.
        return self.vanishing.epsilon(log_delta)

    @property
    def _bent_first(self) -> BentTails | None:
        """Bent contours, if they go first: the loss is far from normal then."""
        first = self.in_order[0]
        return first if isinstance(first, BentTails) else None

    def _by_one_loss(self, quantile: float) -> float | None:
        """The threshold that some one step's loss exceeds with this probability, beside others of common size.

        None unless that is more than a normal loss of this deviation would exceed.
        """
        steps = [(step, count) for step, count in self._steps if isinstance(step, SampledGaussianLoss)]
        log_rate = float(special.log_ndtr(-quantile))
        largest = max((step.exceeded(log_rate - math.log(count)) for step, count in steps), default=-math.inf)
        return self.mean + largest if largest > quantile * self.deviation else None

    def _apart(self, bent: BentTails) -> bool:
        """Whether the law under P lies far from that under Q and is nearly normal, being of many large losses."""
        bulk = bent.under_p
        return bulk.mean - self.mean > SETTINGS.apart * bulk.deviation > SETTINGS.apart * self.deviation
