"""Which bent line serves a threshold: that of its bin, and bins are evenly spaced in the logarithm of the excess.

Lines depend on their bins alone, so the same threshold is read off the same line whatever else is asked.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.bent import BentLine
from gaussdp.accounting.lines.lattice import has_width
from gaussdp.accounting.lines.saddlepoint import near_quantile
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.operating_points import LIMIT, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats
from gaussdp.objects import Described


@dataclass(frozen=True)
class BinSettings:
    """What is tuned about bins."""

    ratio: float = 3.0  # of the excesses at the ends of a bin
    half: float = 2.0  # deviations of the tilted law from the middle of a bin to its ends, at most; wider ones are cut
    most_parts: int = 64  # into which a bin is cut
    least_excess: float = 1e-4  # over the least loss, relative to that: below, lines are long, and rounding decides
    saddle_steps: int = 80  # tilts tried on the way to a saddle point
    saddle_tolerance: float = 0.2  # of an excess, or of a deviation
    far_down: float = 10.0  # tilt below zero from which on steps are multiples of it
    farthest: float = 3.0  # logarithm of such a multiple, at most
    pole_distance: float = 0.2  # least distance of a line from the poles at 0 and 1, in inverse deviations
    most_kinds: int = 20  # of steps, since each adds to the time of every node
    long: float = 1600.0
    """Where the transform of the loss should have died out for straight lines to be quicker than bent ones, in inverse
    losses of an output that the record alone explains: these take about twice as many nodes."""
    large_losses: tuple[float, float, int] = (0.1, 1e5, 120)
    """Thresholds, in deviations above the mean, and how many of them, at which tails are estimated for searches."""
    several: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # large losses that may cause one
    vanished: float = -745.0  # logarithm of the least double: what is smaller is bounded, and need not be computed
    nothing: float = -1e4  # logarithm of a tail that has vanished
    died_out: float = 39.0  # -log of what has
    middle_from: float = 4.0  # standard deviation from which on there is room for lines between the poles


SETTINGS = BinSettings()

_Key = tuple[int, int, int]  # of a bin, the parts that it is cut into, and which of them


class BentTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps, by bent lines."""

    lowest: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._arguments = squared_mu, tuple(steps)
        self._cumulants = LossCumulants(squared_mu, steps)
        self.lowest = self._cumulants.lowest
        self._middles: dict[int, Tilt | None] = {}
        self._lines: dict[_Key, BentLine | None] = {}

    @staticmethod
    def covers(steps: Sequence[tuple[StepLoss, int]]) -> bool:
        """Whether all steps are of one record, and few enough kinds of them."""
        return len(steps) <= SETTINGS.most_kinds and all(isinstance(step, SampledGaussianLoss) for step, _ in steps)

    def _describe(self) -> tuple[object, ...]:
        return self._arguments

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._origin.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._origin.deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q."""
        return self._origin.third / self._origin.deviation**3

    @cached_property
    def quicker(self) -> bool:
        """Whether straight lines would have to go on for very long."""
        loss = self._cumulants.rotated()
        try:
            values, errors = loss.values(np.array([1.0 + 1j * SETTINGS.long / loss.rarest]))
        except ConvergenceError:
            return False
        return bool(values[0].real > -SETTINGS.died_out and errors[0] < LIMIT)

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the threshold that the loss exceeds with the probability of a normal quantile, if known."""
        if quantile <= 0:
            return near_quantile(self._cumulants, self._origin, quantile, pole, roughly=True)
        tau, under_q, under_p = self._by_large_losses
        return float(np.interp(-special.log_ndtr(-quantile), -(under_p if pole else under_q), tau))

    def rough_epsilon(self, log_delta: float) -> float | None:
        """About the threshold at which the profile of the remove direction has this logarithm, if known."""
        tau, _, under_p = self._by_large_losses
        # delta at tau is the integral of e^(tau - x) P(L > x) over x from tau on.
        parts = np.diff(tau) * 0.5 * (np.exp(under_p[1:] - tau[1:]) + np.exp(under_p[:-1] - tau[:-1]))
        total = np.append(np.cumsum(parts[::-1])[::-1], 0.0)
        with np.errstate(divide="ignore"):
            log_profile = np.minimum.accumulate(np.maximum(tau + np.log(total), SETTINGS.nothing))
        return float(np.interp(-log_delta, -log_profile, tau))

    @cached_property
    def _by_large_losses(self) -> tuple[Floats, Floats, Floats]:
        """Thresholds and about the logarithms of their tails under Q and under P.

        A tail is due to the sum of many small losses, which is nearly normal, or to k large ones of one size: these
        exceed tau / k in a Poisson number of steps.
        """
        mean, deviation = self._origin.mean, self._origin.deviation
        tau = mean + deviation * np.geomspace(*SETTINGS.large_losses)
        alone = [
            (step.log_tails(tau - mean), math.log(count))
            for step, count in self._arguments[1]
            if isinstance(step, SampledGaussianLoss)
        ]
        under_q = np.logaddexp.reduce([log_fpr + log_count for (log_fpr, _), log_count in alone])
        under_p = np.logaddexp.reduce([log_tpr + log_count for (_, log_tpr), log_count in alone])
        tails = []
        for log_number, centre in ((under_q, mean), (under_p, mean + deviation**2)):
            several = np.array(SETTINGS.several, np.float64)[:, np.newaxis]
            rate = np.interp(tau / several, tau, log_number)
            poisson = several * rate - special.gammaln(several + 1) - np.exp(np.minimum(rate, 30.0))
            poisson[rate >= np.log(several)] = -np.inf
            total = np.maximum(special.log_ndtr((centre - tau) / deviation), poisson.max(axis=0))
            tails.append(np.minimum.accumulate(total))
        return tau, tails[0], tails[1]

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """None: the approximation is not that good."""
        return None

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)

    @cached_property
    def _least(self) -> float:
        """The least loss of the sampled steps."""
        return self._cumulants.rotated().least

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where a line is accurate; the other thresholds are left unanswered."""
        points = OperatingPoints.unanswered(tau)
        excess = tau - self._least
        open_ = np.flatnonzero(excess > SETTINGS.least_excess * -self._least)
        places = np.log(excess[open_] / -self._least) / math.log(SETTINGS.ratio)
        bins = np.floor(places)
        # At a threshold of zero the sides of the poles change, whatever rounding says.
        bins = np.where(tau[open_] >= 0, np.maximum(bins, 0.0), np.minimum(bins, -1.0))
        shares = np.clip(places - bins, 0.0, 1.0)
        with np.errstate(all="ignore"):  # what is not a number has no finite error
            for index in sorted(set(bins.astype(np.intp).tolist())):
                mine = np.flatnonzero(bins == index)
                parts = self._parts_of(index)
                owners = np.minimum((shares[mine] * parts).astype(np.intp), parts - 1)
                for owner in sorted(set(owners.tolist())):
                    line = self._line((index, parts, owner))
                    if line is not None:
                        some = open_[mine[owners == owner]]
                        read = line.read(tau[some])
                        smaller = np.minimum(read.log_delta_remove, read.log_delta_add)
                        good = (read.errors <= LIMIT) & (smaller > SETTINGS.vanished)
                        points.put(some[good], read.take(good))
        return points

    def _parts_of(self, index: int) -> int:
        """Into how many parts a bin is cut so that a line serves each."""
        tilt = self._middle_of(index)
        if tilt is None:
            return 1
        low, high = self._ends((index, 1, 0))
        return min(max(math.ceil((high - low) / (2 * SETTINGS.half * tilt.deviation)), 1), SETTINGS.most_parts)

    def _middle_of(self, index: int) -> Tilt | None:
        """The tilt in the middle of a bin, if there is one."""
        if index not in self._middles:
            self._middles[index] = self._saddle(self._place((index, 1, 0), 0.5), self._origin)
        return self._middles[index]

    def _place(self, key: _Key, share: float) -> float:
        """The threshold at this share of the way through a part of a bin."""
        index, parts, part = key
        excess: float = SETTINGS.ratio ** (index + (part + share) / parts)
        return self._least - self._least * excess

    def _ends(self, key: _Key) -> tuple[float, float]:
        return self._place(key, 0.0), self._place(key, 1.0)

    def _line(self, key: _Key) -> BentLine | None:
        if key not in self._lines:
            tau = self._place(key, 0.5)
            tilt = self._saddle(tau, self._middle_of(key[0]) or self._origin)
            try:
                tilt = None if tilt is None else self._off_poles(tilt, tau)
                self._lines[key] = None if tilt is None else BentLine(self._cumulants, tilt, self._ends(key))
            except ConvergenceError:
                self._lines[key] = None
        return self._lines[key]

    def _saddle(self, tau: float, here: Tilt) -> Tilt | None:
        """The tilt whose mean exceeds the least loss by nearly as much as this threshold, from another tilt on."""
        target = tau - self._least
        low, high = -math.inf, math.inf
        for _ in range(SETTINGS.saddle_steps):
            excess = here.mean - self._least
            if not (excess > 0 and has_width(here)):
                return None
            if abs(excess - target) <= SETTINGS.saddle_tolerance * min(here.deviation, target):
                return here
            low, high = (low, here.at) if excess > target else (here.at, high)
            step = -math.log(excess / target) * excess / here.variance
            if here.at < -SETTINGS.far_down:  # there the excess is about a power of the tilt
                at = here.at * math.exp(max(min(step / here.at, SETTINGS.farthest), -SETTINGS.farthest))
            else:
                at = here.at + step
            if here.at < self._cumulants.rare_from < at:
                at = self._cumulants.rare_from
            if not low < at < high:
                at = (
                    0.5 * (low + high)
                    if math.isfinite(low + high)
                    else 2 * here.at - math.copysign(1.0, target - excess)
                )
            try:
                here = self._cumulants.tilt(at)
            except ConvergenceError:
                return None
        return None

    @cached_property
    def _origin(self) -> Tilt:
        return self._cumulants.tilt(0.0)

    def _off_poles(self, tilt: Tilt, tau: float) -> Tilt:
        """The tilt itself, or one that keeps its distance from the poles at 0 and 1."""
        gap = SETTINGS.pole_distance / tilt.deviation
        at = tilt.at if tau >= 0 else 1 - tilt.at  # so that the pole to be passed lies at 1
        between = tilt.deviation >= SETTINGS.middle_from and at < 1
        at = min(max(at, gap), 1 - gap) if between else max(at, 1 + gap)
        at = at if tau >= 0 else 1 - at
        return tilt if at == tilt.at else self._cumulants.tilt(at)
