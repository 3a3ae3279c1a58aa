"""Exact tails of a composed privacy loss by contour integrals, with enforced accuracy."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.line import REACH, Line, Readings
from gaussdp.accounting.lines.saddlepoint import near_quantile
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.steps import OUTPUT_REACH, SampledGaussianLoss
from gaussdp.accounting.operating_points import LIMIT, OperatingPoints, log_complement
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats, Indices

TARGET = 1e-11  # relative error that every value should have

_LOSS = 1e-12  # share of a tail that a cutoff of the outputs may take
_LOSS_EXPONENT = 26.0  # and its -log, less what the Gaussian tail lies below exp(-z^2 / 2)
_DEPTHS = (36.0, 24.5, 12.5, 75.0, 150.0, 300.0, 700.0, 2000.0, math.inf)  # -log of tails, in order of trial
_DEEP = 230.0  # -log of tails from which on the tolerance grows with the logarithm, as rounding error does
_POLE_DISTANCE = 0.4  # in standard deviations
_MIDDLE_FROM = 2.0  # from this standard deviation on there is room for a line between the poles
_SPAN = 0.8 * REACH
_NORMAL_SPAN = 0.9 * REACH  # where a line through the middle serves both sides alike
_NEARLY_NORMAL = 0.3  # skewness
_TINY_SKEWNESS = 0.02  # with which normal quantiles, corrected for it, are off by some thousandths
_MODERATE = 8.0  # quantile up to which they are
_KERNELS = 3
_HOPELESS = 25.0  # -log of the weight of the outputs at the cutoff with which no line comes about
_LONG = 400  # nodes from which on another line would hardly be more accurate, only slow


class Contours:
    """Integrals along a few vertical lines, which are computed when first needed and kept."""

    def __init__(self, cumulants: LossCumulants, origin: Tilt | None = None) -> None:
        self._cumulants = cumulants
        self.origin = origin or cumulants.tilt(0.0)
        self.lines: list[tuple[Line, float]] = []
        self._tilts: list[Tilt] = [self.origin]
        self._refused = {True: math.inf, False: math.inf}  # sizes of positive and negative thresholds given up

    def integrals(self, tau: Floats) -> tuple[Floats, Booleans]:
        """Rows at, log scale, the integrals and their errors, for each threshold; and where these are accurate."""
        table = np.empty((2 + 2 * _KERNELS + 1, tau.size))
        done = np.zeros(tau.size, np.bool_)
        size = np.abs(tau)
        if self.lines:
            nearest = self._nearest(tau)
            for index, (line, tolerance) in enumerate(self.lines):
                chosen = np.flatnonzero(nearest == index)
                if chosen.size:
                    thresholds = tau[chosen]
                    readings = line.read(thresholds)
                    good = _accurate(line.tilt.at, thresholds, readings, tolerance)
                    _fill(table, done, chosen, line.tilt.at, readings, good)
            if done.all():
                return table, done
        given_up = size >= np.where(tau >= 0, self._refused[True], self._refused[False])
        while True:
            waiting = np.flatnonzero(~(done | given_up))
            if waiting.size == 0:
                return table, done
            upper = waiting[tau[waiting] >= 0]
            if upper.size:
                waiting = upper
            thresholds = tau[waiting]
            first = int(size[waiting].argmin())
            found = self._new_line(thresholds, first)
            if found is None:
                given_up[waiting] = True
                self._refused[bool(thresholds[first] >= 0)] = abs(float(thresholds[first]))
            else:
                line, tolerance, served, readings, good = found
                self.lines.append((line, tolerance))
                _fill(table, done, waiting[served], line.tilt.at, readings, good)

    def _nearest(self, tau: Floats) -> Indices:
        """Index of the nearest line that serves each threshold, -1 where none does."""
        if len(self.lines) == 1:
            return np.where(self.lines[0][0].serves(tau), 0, -1)
        distances = np.array(
            [
                np.where(line.serves(tau), np.abs(tau - line.tilt.mean) / line.deviation, np.inf)
                for line, _ in self.lines
            ]
        )
        nearest = distances.argmin(axis=0)
        return np.where(distances.min(axis=0) < np.inf, nearest, -1)

    def _new_line(self, waiting: Floats, first: int) -> tuple[Line, float, Indices, Readings, Booleans] | None:
        """A line that serves the first threshold, and much beside it if that can be, with its tolerance; or None.

        With it come the thresholds that it serves, the readings there and which of these are accurate.
        """
        start = float(waiting[first])
        side = 1.0 if start >= 0 else -1.0
        tried = {line.tilt.at for line, _ in self.lines}
        try:
            for candidate, tolerances in self._candidates(waiting, start, side):
                tilt = self._off_poles(candidate, side)
                if tilt.at in tried:
                    continue
                tried.add(tilt.at)
                line = Line(self._cumulants, tilt)
                serves = line.serves(waiting)
                if not serves[first]:
                    continue
                served = np.flatnonzero(serves)
                readings = line.read(waiting[served])
                if line.size > _LONG:
                    tolerances = (TARGET, LIMIT)
                for tolerance in tolerances:
                    good = _accurate(tilt.at, waiting[served], readings, tolerance)
                    if good[np.searchsorted(served, first)]:
                        return line, tolerance, served, readings, good
        except ConvergenceError:
            pass
        return None

    def _candidates(self, waiting: Floats, start: float, side: float) -> Iterator[tuple[Tilt, tuple[float, ...]]]:
        """Tilts for a line that must serve start: first one that covers much, then the saddle point of start."""
        covered = [
            line.tilt.mean + side * REACH * line.deviation for line, _ in self.lines if line.tilt.mean * side > 0
        ]
        inner = max((abs(edge) for edge in covered if abs(edge) < abs(start)), default=0.0)
        middle = side * 0.5 * (inner + float(np.abs(waiting).max()))
        nearly_normal = abs(self.origin.third) < _NEARLY_NORMAL * self.origin.variance**1.5
        if (
            nearly_normal
            and abs(middle - start) <= _NORMAL_SPAN * self.origin.deviation
            and middle > self._cumulants.lowest
        ):
            # The deviation is the same everywhere, so this needs no look at start.
            yield self._saddle(middle), (TARGET,)
        saddle = self._saddle(start)
        span = _SPAN * saddle.deviation
        wanted = max(min(middle, start + span), start - span)
        if wanted > self._cumulants.lowest:
            wide = self._saddle(wanted)
            if wide is not saddle:
                yield wide, (TARGET,)
        yield saddle, (TARGET, LIMIT)

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        near = near_quantile(self._cumulants, self.origin, quantile, pole)
        if near is None:
            return None
        self._tilts.append(near.tilt)
        return near.tau

    def learn(self, shallower: "Contours", tau: float) -> None:
        """Start from where another search for this threshold ended: saddle points hardly move with the cutoff."""
        near = min(shallower._tilts, key=lambda tilt: abs(tilt.mean - tau) / tilt.deviation)
        tilt = self._cumulants.tilt(near.at)
        if not 0 < tilt.variance < math.inf:  # all the weight is on one output
            return
        self._tilts.append(tilt)
        found = abs(near.mean - tau) <= near.deviation
        if found and any(grid.cut < _HOPELESS for grid in tilt.grids):
            # A lower cutoff moves the saddle point up, which only adds to the weight there; a higher one, little down.
            self._refused[tau >= 0] = abs(tau)

    def _saddle(self, tau: float) -> Tilt:
        tilt = self._cumulants.saddle(tau, self._tilts)
        if all(tilt is not known for known in self._tilts):
            self._tilts.append(tilt)
        return tilt

    def _off_poles(self, tilt: Tilt, side: float) -> Tilt:
        """The tilt itself, or the nearest one on this side that keeps its distance from the poles at 0 and 1."""
        at, gap = tilt.at, _POLE_DISTANCE / tilt.deviation
        if tilt.deviation >= _MIDDLE_FROM and 0 < at < 1:
            at = min(max(at, gap), 1 - gap)
        elif side > 0:
            at = max(at, 1 + gap)
        else:
            at = min(at, -gap)
        return tilt if at == tilt.at else self._cumulants.tilt(at)


class ContourTails:
    """The tails of a composed loss, read off contours of as many outputs as the depth of the tail asks for."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self._squared_mu, self._steps = squared_mu, tuple(steps)
        self._count = sum(count for _, count in steps)
        self._whole = LossCumulants(squared_mu, steps)
        self._contours: list[Contours] = []
        self._contours.append(self._at_depth(_DEPTHS[0]))

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._contours[0].origin.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q, rare outputs left out."""
        return self._contours[0].origin.deviation

    @property
    def skewness(self) -> float:
        """Third standardised cumulant of the loss under Q, rare outputs left out."""
        origin = self._contours[0].origin
        return origin.third / (origin.variance * origin.deviation)

    @property
    def lowest(self) -> float:
        """Infimum of the loss."""
        return self._whole.lowest

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or ConvergenceError."""
        return _interpret(tau, self._integrals(tau))

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        mean, deviation, skewness = self.mean, self.deviation, self.skewness
        growth = pole * skewness * deviation
        if max(abs(skewness), abs(skewness * deviation)) < _TINY_SKEWNESS and abs(quantile) < _MODERATE:
            # Cornish and Fisher's quantile; under P the cumulants are those at tilt 1.
            mean += pole * deviation * deviation * (1 + 0.5 * growth)
            return mean + deviation * math.sqrt(1 + growth) * (quantile + skewness / 6 * (quantile * quantile - 1))
        return self._contours[0].near_quantile(quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)

    def _integrals(self, tau: Floats) -> Floats:
        """The integrals at the least depth that makes each accurate."""
        table, done = self._contours[0].integrals(tau)
        # Lower tails, unless read between the poles, do not depend on the rare outputs that deeper contours include.
        worth = (tau >= 0) | (self.deviation >= _MIDDLE_FROM)
        for index, depth in enumerate(_DEPTHS[1:], start=1):
            if not (~done & worth).any():
                break
            if len(self._contours) <= index:
                # Unless the rare outputs matter, the saddle points hardly move.
                contours = self._at_depth(depth)
                contours.learn(self._contours[-1], float(tau[~done & worth][0]))
                self._contours.append(contours)
            missing = np.flatnonzero(~done & worth)
            table[:, missing], found = self._contours[index].integrals(tau[missing])
            done[missing] = found
        if not done.all():
            raise ConvergenceError(f"no line reaches the tails of the privacy loss at threshold {tau[~done][0]:g}")
        return table

    def _at_depth(self, depth: float) -> Contours:
        """Contours that leave out only outputs of total probability below 1e-12 of e^(-depth)."""
        cutoff = math.sqrt(2 * (depth + _LOSS_EXPONENT + math.log(max(self._count, 1))))
        steps = [(step.cut(cutoff), count) for step, count in self._steps]
        # Without a tilt no output that far out matters.
        origin = self._contours[0].origin if self._contours and cutoff > OUTPUT_REACH else None
        return Contours(LossCumulants(self._squared_mu, steps), origin)


def _fill(table: Floats, done: Booleans, chosen: Indices, at: float, readings: Readings, good: Booleans) -> None:
    """Enter the accurate ones of the readings at the chosen thresholds."""
    values, errors, log_scale = readings.values, readings.errors[:_KERNELS], readings.log_scale
    if not good.all():
        chosen, values, errors, log_scale = chosen[good], values[:, good], errors[:, good], log_scale[good]
    table[0, chosen], table[1, chosen] = at, log_scale
    table[2:6, chosen], table[6:, chosen] = values, errors
    done[chosen] = True


def _accurate(at: float, tau: Floats, readings: Readings, tolerance: float) -> Booleans:
    """Whether the integrals have the signs they must have, and their errors are within the tolerance."""
    sizes = readings.values[:_KERNELS] * _signs(at)
    log_scale = readings.log_scale + np.maximum(tau, 0.0)
    if 0 <= at <= 1:
        # Between the poles the third integral is 1 - delta; what counts is the error relative to delta.
        sizes[2] = np.minimum(sizes[2], np.exp(np.minimum(-log_scale, 700.0)) - sizes[2])
    errors = readings.errors[:_KERNELS]
    kept = readings.lost <= _LOSS * sizes
    good: Booleans = np.all((errors <= tolerance * sizes) & kept, axis=0)
    if good.all():
        return good
    deepest = -(log_scale + np.log(np.maximum(sizes.min(axis=0), 1e-300)))
    allowed = tolerance * np.maximum(1.0, deepest / _DEEP)
    deep: Booleans = np.all((sizes > 0) & (errors <= allowed * sizes) & kept, axis=0)
    return deep


def _signs(at: float) -> Floats:
    """The signs that the integrals have along Re(theta) = at: tails above the poles, minus their complements below."""
    return np.array([[1.0 if at > 0 else -1.0], [1.0 if at > 1 else -1.0], [-1.0 if 0 <= at <= 1 else 1.0]])


def _interpret(tau: Floats, table: Floats) -> OperatingPoints:
    """Error rates and profiles from the integrals along Re(theta) = at."""
    at, scale, values, errors = table[0], table[1], table[2:5], table[6:]
    depth = np.abs(tau)
    sizes = np.abs(values)
    logs = scale + np.log(sizes)
    logs[1] += tau
    logs[2] += np.maximum(tau, 0.0)
    complements = log_complement(np.concatenate((logs, -depth[np.newaxis])))
    rests = complements[:_KERNELS]
    log_delta = np.where((at >= 0) & (at <= 1), rests[2], logs[2])
    other_delta = np.logaddexp(log_delta - depth, complements[_KERNELS])
    # Errors are relative to the smaller of a rate and its complement.
    smaller = np.minimum(logs, rests)
    smaller[2] = log_delta
    relative = (errors / sizes * np.exp(logs - smaller)).max(axis=0)
    with np.errstate(divide="ignore"):
        log_density = scale + np.log(np.maximum(table[5], 0.0))
    right, beyond, upper = at > 0, at > 1, tau >= 0
    return OperatingPoints(
        tau=tau,
        log_fpr=np.where(right, logs[0], rests[0]),
        log_tnr=np.where(right, rests[0], logs[0]),
        log_fnr=np.where(beyond, rests[1], logs[1]),
        log_tpr=np.where(beyond, logs[1], rests[1]),
        log_density=log_density,
        log_delta_remove=np.where(upper, log_delta, other_delta),
        log_delta_add=np.where(upper, other_delta, log_delta),
        errors=relative,
    )
