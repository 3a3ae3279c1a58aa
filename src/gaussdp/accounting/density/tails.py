"""Tails of a composed loss, off its density: slower than lines, and for losses that no line reads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.density.convolution import convolved, repeated, smoothed
from gaussdp.accounting.density.loss_density import (
    MARGIN,
    LossDensity,
    SignedScale,
    exchanged_step,
    gaussian_law,
    log,
    log_sums,
    sampled_step,
)
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.mixtures import LEFT_OUT, ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.outputs import FINENESS
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.accounting.loss.vanishing import VanishingTails
from gaussdp.accounting.operating_points import (
    LIMIT,
    NormalTails,
    OperatingPoints,
    log_complement,
    one_method,
    vanished,
)
from gaussdp.accounting.readings import NO_METHOD, Method
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats, Indices


@dataclass(frozen=True)
class DensitySettings:
    """What is tuned about reading densities."""

    depths: tuple[float, ...] = (60.0, 250.0, 800.0)
    """-log of tails, in order of trial; the last are beyond the range of a double."""
    likely: float = 0.95  # share of a depth that bounds on tails may use up: they are off by some exponents
    tilts: int = 24  # at which the transform of the density is compared with the exact one
    refinement: int = 2 * FINENESS  # of the grids for the exact transforms
    nothing: float = 1e-13  # share of a tilted law that may lie where the density is not exact
    largest_exponent: float = 1e3  # of a transform, past which its own rounding shows
    caution: float = 10.0  # factor on what transforms tell
    at_once: int = 1 << 18  # elements of one temporary table
    newton_steps: int = 100  # until a threshold is given up
    roundings: float = 4.0  # of a point, that count in the claimed error
    deep: float = 150.0
    """-log of a tail at which twice the error is claimed: a sum that rare is made of parts that are all rare, and their
    errors add up, of which transforms see nothing."""
    found: float = 1e-14  # relative miss of the logarithm of a rate


SETTINGS = DensitySettings()

ABOVE, BELOW, BOTH = (True, False), (False, True), (True, True)
"""Where a density goes deep: above the mean, below it."""

_ROUNDING = 2.0**-52


class DensityTails(NormalTails):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps, at least one."""

    lowest: float

    skewness: float = 0.0

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._squared_mu, self._steps = squared_mu, tuple(steps)
        self.lowest = LossCumulants(squared_mu, self._steps).lowest
        # Of all steps whose loss has a least value, or next to: a density is laid out from there.
        self._least = [
            (step.with_constant() if isinstance(step, MixtureLoss) else step, count) for step, count in self._steps
        ]
        self._left_out = LEFT_OUT * sum(
            count for (step, count), (least, _) in zip(self._steps, self._least, strict=True) if step is not least
        )
        self._readings: dict[tuple[float, ...], DensityReadings | None] = {}

    def _describe(self) -> tuple[object, ...]:
        return self._squared_mu, self._steps

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._bulk.law.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._bulk.law.deviation

    @property
    def _bulk(self) -> "DensityReadings":
        readings = self._at_depth(0, BOTH)
        if readings is None:
            raise ConvergenceError("there is no density of the privacy loss")
        return readings

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        return self._with_left_out(self._read(tau))

    def _with_left_out(self, points: OperatingPoints) -> OperatingPoints:
        """The points with what leaving data out may have taken from their tails and profiles; docs/numerics.md."""
        if self._left_out == 0:
            return points
        read = np.flatnonzero(points.methods == Method.DENSITY)
        at = points.take(read)
        shares = (
            at.log_tpr - at.log_delta_remove,
            at.log_tpr - at.log_fnr,
            at.log_tpr - at.tau - at.log_fpr,
            at.log_tnr - at.tau - at.log_delta_add,
        )
        with np.errstate(over="ignore"):
            points.errors[read] += self._left_out * np.exp(shares).sum(axis=0)
        points.methods[read[~(points.errors[read] <= LIMIT)]] = NO_METHOD
        return points

    def _read(self, tau: Floats) -> OperatingPoints:
        points = OperatingPoints.unanswered(tau)
        open_ = np.arange(tau.size)
        bounds = self.vanishing.bounds(tau)
        for index, depth in enumerate(SETTINGS.depths):
            # What Chernoff's bound puts below a depth is not looked for above it.
            likely = open_[bounds[open_] > -SETTINGS.likely * depth]
            for side in ABOVE, BELOW:
                here = likely[(tau[likely] > self._bulk_ends[0]) == (side is ABOVE)]
                readings = self._at_depth(index, side) if here.size else None
                if readings is not None:
                    reached = here[readings.law.reaches_tails(readings.law.scale.place(tau[here]))]
                    points.put(reached, readings.read(tau[reached]))
                    open_ = np.setdiff1d(open_, reached)
                elif here.size:
                    open_ = np.setdiff1d(open_, here)
            if open_.size == 0:
                return points
        # What the last one does not reach is smaller than any double; between the means of both laws that is any error.
        between = (tau[open_] > self._bulk_ends[0]) & (tau[open_] < self._bulk_ends[1])
        points.put(open_[between], VanishingTails.points_between(tau[open_[between]]))
        points.put(open_[~between], vanished(tau[open_[~between]]))
        return points

    @cached_property
    def vanishing(self) -> VanishingTails:
        """Bounds on the same tails."""
        return VanishingTails(self._squared_mu, self._steps)

    @cached_property
    def _bulk_ends(self) -> tuple[float, float]:
        """The means of the loss under Q and under P."""
        cumulants = LossCumulants(self._squared_mu, self._steps)
        return cumulants.tilt(0.0).mean, cumulants.tilt(1.0).mean

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """The threshold that the loss exceeds with the probability of a normal quantile; pole 0 is for Q, 1 for P."""
        log_above, log_below = special.log_ndtr(np.array([[-quantile], [quantile]]))
        tau = float(self._at_rate(log_below, log_above, under_p=pole == 1).tau[0])
        return tau if math.isfinite(tau) else None

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return self._at_rate(log_tnr, log_fpr, under_p=False)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return self._at_rate(log_fnr, log_tpr, under_p=True)

    def _at_rate(self, log_below: Floats, log_above: Floats, *, under_p: bool) -> OperatingPoints:
        points = OperatingPoints.unanswered(np.full_like(log_below, np.nan))
        lower = log_below < log_above
        # A lower tail under P may lie on either side of the mean under Q.
        for some, side in ((lower, BOTH if under_p else BELOW), (~lower, ABOVE)):
            open_ = np.flatnonzero(some)
            for index in range(len(SETTINGS.depths)):
                readings = self._at_depth(index, side) if open_.size else None
                if readings is None:
                    break
                found = readings.at_rate(log_below[open_], log_above[open_], under_p=under_p)
                points.put(open_, found)
                open_ = open_[~found.answered]
        return self._with_left_out(points)

    def _at_depth(self, index: int, side: "tuple[bool, bool]") -> "DensityReadings | None":
        """The readings down to a depth above the mean, below it or on both sides; None if there are none."""
        least, depth = SETTINGS.depths[0], SETTINGS.depths[index]
        depths = tuple((depth if deep else least) + MARGIN for deep in side)
        if depths not in self._readings:
            cutoff = math.sqrt(2 * max(depths))
            cumulants = LossCumulants(self._squared_mu, [(step.cut(cutoff), count) for step, count in self._least])
            try:
                # No tilt takes fewer outputs; without a transform to compare with, a density is made for nothing.
                cumulants.tilt(0.0, SETTINGS.refinement)
                self._readings[depths] = DensityReadings(self._compose(*depths), cumulants)
            except ConvergenceError:
                self._readings[depths] = None
        return self._readings[depths]

    def _compose(self, above: float, below: float) -> LossDensity:
        laws = []
        for step, count in self._least:
            if isinstance(step, ExchangedLoss):
                laws.append(repeated(exchanged_step(step, above, below), count))
            else:
                laws.append(repeated(sampled_step(step, above, below), count))
        signed = isinstance(laws[0].scale, SignedScale)
        if self._squared_mu > 0 and signed:
            laws.append(gaussian_law(self._squared_mu, above, below))
        total = laws[0]
        for law in laws[1:]:
            total = convolved(total, law)
        return smoothed(total, self._squared_mu) if self._squared_mu > 0 and not signed else total


class DensityReadings:
    """Operating points off one density, whose error its transform tells.

    Raises:
        ConvergenceError: if the error is above the limit.
    """

    error: float

    def __init__(self, law: LossDensity, cumulants: LossCumulants) -> None:
        self.law = law
        self.error = law.density.error + SETTINGS.caution * max(map(abs, self._deviations(cumulants)))
        if not self.error <= LIMIT:
            raise ConvergenceError(f"the density of the privacy loss errs by {self.error:.1g}")

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at thresholds that the density reaches."""
        excess = self.law.scale.excess_of(tau)
        return self._at(self.law.scale.place(tau), tau, excess)

    def at_rate(self, log_below: Floats, log_above: Floats, *, under_p: bool) -> OperatingPoints:
        """Operating points whose thresholds have these masses below and above them under Q or P.

        What the density does not reach is left unanswered.
        """
        law, edges = self.law, self.law.edges
        # Whichever is smaller decides.
        lower = log_below < log_above
        target = np.where(lower, log_below, log_above)
        below, above = self._sums[under_p]
        panels = np.where(lower, np.searchsorted(below, target), edges.size - np.searchsorted(above[::-1], target)) - 1
        points = OperatingPoints.unanswered(np.full_like(target, np.nan))
        open_ = np.flatnonzero((panels >= 0) & (panels < edges.size - 1))
        panels, lower, target = panels[open_], lower[open_], target[open_]
        low, high = edges[panels], edges[panels + 1]
        s = 0.5 * (low + high)
        for _ in range(SETTINGS.newton_steps):
            start, end = np.where(lower, edges[panels], s), np.where(lower, s, edges[panels + 1])
            losses, log_masses = law.between(start, end)
            mass = log_sums(log_masses + losses if under_p else log_masses)
            mass = np.logaddexp(mass, np.where(lower, below[panels], above[panels + 1]))
            miss = np.where(lower, mass - target, target - mass)
            found = (np.abs(miss) <= SETTINGS.found * (1 + np.abs(target))) | (high - low <= 4 * _ROUNDING * np.abs(s))
            if found.any():
                reached = np.flatnonzero(found)[law.reaches_tails(s[found])]
                if reached.size:
                    here = s[reached]
                    points.put(open_[reached], self._at(here, law.scale.loss(here), law.scale.excess(here)))
                going = ~found
                if not going.any():
                    break
                open_, panels, lower, target = open_[going], panels[going], lower[going], target[going]
                s, low, high, mass, miss = s[going], low[going], high[going], mass[going], miss[going]
            low, high = np.where(miss < 0, s, low), np.where(miss > 0, s, high)
            log_slope = law.density.at(s) + (law.scale.loss(s) if under_p else 0.0) - mass
            with np.errstate(over="ignore", invalid="ignore"):
                step = s - miss * np.exp(-log_slope)
            s = np.where((step > low) & (step < high), step, 0.5 * (low + high))
        return points

    def _at(self, s: Floats, tau: Floats, excess: Floats) -> OperatingPoints:
        law, edges = self.law, self.law.edges
        panels = law.panels(s)
        low, high = edges[panels], edges[panels + 1]
        below, above = law.between(low, s), law.between(s, high)
        rates = [
            np.logaddexp(sums[panels + offset], log_sums(part[1] + weight * part[0]))
            for weight, (lower, upper) in zip((0.0, 1.0), self._sums, strict=True)
            for sums, part, offset in ((lower, below, 0), (upper, above, 1))
        ]
        positive = tau >= 0
        log_delta = np.empty(tau.size)
        for side, here, start, end, masses in ((1.0, positive, s, high, above[1]), (-1.0, ~positive, low, s, below[1])):
            near = law.scale.excess(law.places(start[here], end[here])) - excess[here, np.newaxis]
            log_delta[here] = self._log_delta(excess[here], panels[here], near, masses[here], side)
        # Rounding may put a probability next to 1 above it.
        rates = [np.minimum(rate, 0.0) for rate in rates]
        log_delta = np.minimum(np.where(positive, log_delta + tau, log_delta), 0.0)
        other_delta = np.logaddexp(log_delta - np.abs(tau), log_complement(-np.abs(tau)))
        log_density = law.density.at(s)
        depth = np.minimum(-np.min([*rates, log_delta], axis=0), SETTINGS.depths[-1])
        errors = self.error * (1 + depth / SETTINGS.deep) + self._rounding(s, tau, log_density, rates, log_delta)
        return OperatingPoints(
            tau=tau,
            log_fpr=rates[1],
            log_tnr=rates[0],
            log_fnr=rates[2],
            log_tpr=rates[3],
            log_density=log_density - law.scale.log_slope(s),
            log_delta_remove=np.where(positive, log_delta, other_delta),
            log_delta_add=np.where(positive, other_delta, log_delta),
            errors=errors,
            methods=np.where(errors <= LIMIT, one_method(Method.DENSITY, tau.size), NO_METHOD).astype(np.int8),
        )

    def _rounding(self, s: Floats, tau: Floats, log_density: Floats, rates: list[Floats], log_delta: Floats) -> Floats:
        """What the rounding of a point does to the tails and the profile there: their slopes times that."""
        slope_of_loss = self.law.scale.log_slope(s)
        under_q = log_density - np.minimum(rates[0], rates[1])
        under_p = log_density + tau - np.minimum(rates[2], rates[3])
        log_rate = np.where(tau >= 0, rates[1] + tau, rates[2] - tau)
        steepest = np.maximum(np.maximum(under_q, under_p), log_rate + slope_of_loss - log_delta)
        return SETTINGS.roundings * _ROUNDING * (1 + np.abs(s)) * np.exp(steepest)

    @cached_property
    def _sums(self) -> list[tuple[Floats, Floats]]:
        """Under Q and under P, logarithms of the masses below and above each edge."""
        losses, log_masses = self.law.nodes
        sums = []
        for logs in (log_sums(log_masses), log_sums(log_masses + losses)):
            rising, falling = np.logaddexp.accumulate(logs), np.logaddexp.accumulate(logs[::-1])[::-1]
            sums.append((np.concatenate(([-np.inf], rising)), np.concatenate((falling, [-np.inf]))))
        return sums

    def _log_delta(self, excess: Floats, panels: Indices, near: Floats, log_masses: Floats, side: float) -> Floats:
        """log of the mean of e^(L - tau) - 1 above thresholds (side 1), or of 1 - e^(L - tau) below them (side -1).

        Thresholds are given by their excesses, with what the losses in the panel of each exceed them by.
        """
        if excess.size == 0:
            return excess
        all_excesses, all_masses = self.law.excesses, self.law.nodes[1]
        far = np.empty(excess.size)
        rows = max(1, SETTINGS.at_once // all_excesses.size)
        for first in range(0, excess.size, rows):
            some = slice(first, first + rows)
            logs = _log_change(np.subtract.outer(-excess[some], -all_excesses), side) + all_masses
            beyond = side * np.subtract.outer(panels[some], np.arange(all_excesses.shape[0])) < 0
            far[some] = log_sums(np.where(beyond[:, :, np.newaxis], logs, -np.inf).reshape(logs.shape[0], -1))
        total: Floats = np.logaddexp(log_sums(log_masses + _log_change(near, side)), far)
        return total

    def _deviations(self, cumulants: LossCumulants) -> list[float]:
        """Differences between the log-transforms of this density and exact ones, at tilts that look all over it."""
        law = self.law
        losses, log_masses = law.nodes
        edges = law.density.edges
        log_density = law.density.at(edges) - law.scale.log_slope(edges)
        slopes = -np.diff(log_density) / np.diff(law.scale.excess(edges))
        chosen = slopes[np.unique(np.linspace(0, slopes.size - 1, SETTINGS.tilts).astype(np.intp))]
        deviations = []
        for tilt in (0.0, 1.0, *chosen.tolist()):
            logs = log_masses + tilt * losses
            top = float(logs.max())
            terms = np.exp(logs - top)
            total = float(terms.sum())
            # Past the slope at an end the tilted law lies beyond it.
            inside = slopes[0] < tilt < slopes[-1] and float(terms[~law.well_inside].sum()) <= SETTINGS.nothing * total
            value = top + math.log(total)
            if not inside or abs(value) > SETTINGS.largest_exponent:
                continue
            # Outputs are cut off above: where losses have either sign, a tilt and one minus it are mirror images.
            mirrored = tilt < 0 and isinstance(law.scale, SignedScale)
            try:
                exact = cumulants.tilt(1 - tilt if mirrored else tilt, SETTINGS.refinement)
            except ConvergenceError:  # it would take too many outputs
                continue
            if all(grid.clean for grid in exact.grids):
                deviations.append(value - exact.value)
        if not deviations:
            raise ConvergenceError("no transform of the privacy loss can be compared with its density")
        return deviations


def _log_change(offset: Floats, side: float) -> Floats:
    """log of |e^offset - 1| for offsets of one sign, -inf for the others."""
    offset = np.maximum(side * offset, 0.0)
    # For positive ones, e^offset - 1 = e^offset (1 - e^-offset).
    change = log(-np.expm1(-offset))
    return change + offset if side > 0 else change
