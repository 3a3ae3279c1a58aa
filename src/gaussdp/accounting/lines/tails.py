"""Exact tails of a composed privacy loss by contour integrals, with enforced accuracy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.lattice import COARSE, Lattice, has_width, near_quantile
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.schedules import schedules_for
from gaussdp.accounting.loss.steps import OUTPUT_REACH, StepLoss
from gaussdp.accounting.operating_points import NormalTails, OperatingPoints
from gaussdp.accounting.readings import NO_METHOD
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class DepthSettings:
    """How many of the rare outputs lines include."""

    depths: tuple[float, ...] = (36.0, 150.0, 700.0, math.inf)
    """-log of tails, in order of trial: the first serves rates down to 1e-15, the others ever smaller ones."""
    loss_exponent: float = 26.0
    """-log of the share of a tail, 1e-12, that a cutoff may take, less what a normal tail lies below exp(-z^2 / 2)."""
    tiny_skewness: float = 0.02  # with which normal quantiles, corrected for it, are off by some thousandths
    moderate: float = 8.0  # ... up to this quantile


SETTINGS = DepthSettings()


class LineTails(NormalTails):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps.

    Each threshold is read at the first depth whose lines are accurate there: lines of the few steps that stand for a
    long schedule, if there are such, before lines of the schedule itself.

    Args:
        squared_mu: of the plain releases together.
        steps: the sampled ones.
    """

    lowest: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._squared_mu, self._steps = squared_mu, tuple(steps)
        self._families = schedules_for(self._steps)
        self._count = sum(count for _, count in steps)
        self.lowest = LossCumulants(squared_mu, steps).lowest
        self._lattices: dict[tuple[float, int], Lattice] = {}

    def _describe(self) -> tuple[object, ...]:
        return self._squared_mu, self._steps

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._bulk.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q, rare outputs left out."""
        return self._bulk.deviation

    @cached_property
    def skewness(self) -> float:
        """Third standardised cumulant of the loss under Q, rare outputs left out."""
        return self._bulk.third / (self._bulk.variance * self._bulk.deviation)

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        if not has_width(self._origin):
            return OperatingPoints.unanswered(tau)
        points = self._read(tau, 0)
        if points.answered.all():
            return points
        for family in range(1, len(self._families)):
            missing = np.flatnonzero(points.methods == COARSE)
            if missing.size == 0:
                break
            points.put(missing, self._read(tau[missing], family))
        return points

    def _read(self, tau: Floats, family: int) -> OperatingPoints:
        points = self._lattice(SETTINGS.depths[0], family).read(tau)
        if points.answered.all():
            return points
        for depth in SETTINGS.depths[1:]:
            missing = np.flatnonzero(points.methods == NO_METHOD)
            if missing.size == 0:
                break
            points.put(missing, self._lattice(depth, family).read(tau[missing]))
        return points

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what `read` answers, up to rounding; infinite where none is known."""
        bounds = np.full(tau.size, np.inf)
        for index, threshold in enumerate(tau.tolist()):
            line = next(
                (found for depth in SETTINGS.depths if (found := self._lattice(depth, 0).line(threshold))), None
            )
            if line is not None:
                bounds[index] = line.error_bounds(tau[index : index + 1])[0]
        return bounds

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        mean, deviation, skewness = self.mean, self.deviation, self.skewness
        growth = pole * skewness * deviation
        small = max(abs(skewness), abs(skewness * deviation)) < SETTINGS.tiny_skewness
        if small and abs(quantile) < SETTINGS.moderate:
            # Cornish and Fisher's quantile; under P the cumulants are those at tilt 1.
            mean += pole * deviation * deviation * (1 + 0.5 * growth)
            return mean + deviation * math.sqrt(1 + growth) * (quantile + skewness / 6 * (quantile * quantile - 1))
        return near_quantile(self._cumulants(SETTINGS.depths[0]), self._origin, quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)

    @property
    def cumulants(self) -> LossCumulants:
        """Those of the loss, nothing left out, by the fewest steps that stand for it."""
        return LossCumulants(self._squared_mu, self._families[0][0])

    @property
    def _bulk(self) -> Tilt:
        if not has_width(self._origin):
            raise ConvergenceError("the losses are too small or too large for sums over their squares")
        return self._origin

    @cached_property
    def _origin(self) -> Tilt:
        return self._cumulants(SETTINGS.depths[0]).tilt(0.0)

    def _lattice(self, depth: float, family: int) -> Lattice:
        if (depth, family) not in self._lattices:
            cumulants = self._cumulants(depth, family)
            # Without a tilt no output far out matters.
            origin = self._origin if self._cutoff(depth) > OUTPUT_REACH else cumulants.tilt(0.0)
            self._lattices[depth, family] = Lattice(cumulants, origin)
        return self._lattices[depth, family]

    def _cumulants(self, depth: float, family: int = 0) -> LossCumulants:
        """The loss without outputs of total probability below 1e-12 of e^(-depth)."""
        cutoff = self._cutoff(depth)
        schedules = self._families[family]
        cut = ([(step.cut(cutoff), count) for step, count in schedule] for schedule in schedules)
        return LossCumulants(self._squared_mu, *cut)

    def _cutoff(self, depth: float) -> float:
        return math.sqrt(2 * (depth + SETTINGS.loss_exponent + math.log(max(self._count, 1))))
