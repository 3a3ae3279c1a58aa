"""The two trade-off curves of add/remove adjacency, read off one privacy loss, or one where both are the same."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.inversion import (
    SETTINGS,
    aside,
    points_at_add_delta,
    points_at_fnr,
    points_at_fpr,
    points_at_remove_delta,
)
from gaussdp.accounting.operating_points import LossTails, NormalTails, OperatingPoints, bounds_on_errors
from gaussdp.accounting.read_curve import ReadCurve
from gaussdp.accounting.readings import Columns, Method, Readable, Values, reaching
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.numerics import Booleans, Floats


class SymmetricTails(NormalTails):
    """Such tails, read at thresholds of at least 0: the others are mirror images."""

    lowest: float
    inner: LossTails

    def __init__(self, tails: LossTails) -> None:
        self.inner = tails
        self.lowest = tails.lowest

    def _describe(self) -> tuple[object, ...]:
        return (self.inner,)

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self.inner.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self.inner.deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0."""
        return self.inner.skewness

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds."""
        points = self.inner.read(np.abs(tau))
        negative = tau < 0
        return _mirrored(points, negative) if negative.any() else points

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self.inner.near_quantile(quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)


def _mirrored(points: OperatingPoints, where: Booleans) -> OperatingPoints:
    """The points at minus their thresholds, where so marked: attacks on the two hypotheses change places."""

    def swapped(one: Floats, other: Floats) -> tuple[Floats, Floats]:
        return np.where(where, other, one), np.where(where, one, other)

    log_fpr, log_fnr = swapped(points.log_fpr, points.log_fnr)
    log_tnr, log_tpr = swapped(points.log_tnr, points.log_tpr)
    remove, add = swapped(points.log_delta_remove, points.log_delta_add)
    return OperatingPoints(
        tau=np.where(where, -points.tau, points.tau),
        log_fpr=log_fpr,
        log_tnr=log_tnr,
        log_fnr=log_fnr,
        log_tpr=log_tpr,
        log_density=points.log_density + np.where(where, points.tau, 0.0),
        log_delta_remove=remove,
        log_delta_add=add,
        errors=points.errors,
        methods=points.methods,
    )


_LARGEST = 1e300  # epsilon beyond all losses, which counts as infinite
_SURELY_ABOVE_ZERO = 1e-3  # relative error with which an epsilon is not zero
_SEARCH = SETTINGS.search
ROUNDING = 2.0**-51  # of a rate near 1 that comes from its logarithm, and of its distance from a bound


@dataclass(frozen=True, slots=True)
class RateBounds(Columns):
    """Between which numbers FNR and TPR lie at given FPRs, up to rounding; infinite where that is not known.

    ``tau`` is the threshold of a test whose FPR is no smaller and whose FNR is the lower end, and ``log_delta`` the
    logarithm of the least delta that the direction of removal can have there.
    """

    tau: Floats
    log_delta: Floats
    fnr_low: Floats
    fnr_high: Floats
    tpr_low: Floats
    tpr_high: Floats

    @classmethod
    def around(
        cls, tau: Floats, log_delta: Floats, fnr: tuple[Floats, Floats], tpr: tuple[Floats, Floats]
    ) -> "RateBounds":
        """Both rates between two ends that are moved apart by what rounding leaves in them."""
        fnr_low, fnr_high, tpr_low, tpr_high = (
            end + way * ROUNDING * np.abs(end) for ends in (fnr, tpr) for end, way in zip(ends, (-1, 1), strict=True)
        )
        return cls(tau, log_delta, fnr_low, fnr_high, tpr_low, tpr_high)

    @classmethod
    def unknown(cls, size: int) -> "RateBounds":
        """Nothing is known."""
        return cls(*(np.full(size, value) for value in (0.0, -np.inf, -np.inf, np.inf, -np.inf, np.inf)))

    def with_smaller_fnr(self, other: "RateBounds") -> "RateBounds":
        """The bounds of whichever test has the smaller FNR."""
        return RateBounds(
            self.tau,
            self.log_delta,
            np.minimum(self.fnr_low, other.fnr_low),
            np.minimum(self.fnr_high, other.fnr_high),
            np.maximum(self.tpr_low, other.tpr_low),
            np.maximum(self.tpr_high, other.tpr_high),
        )

    def named(self, name: str) -> tuple[Floats, Floats]:
        """The ends of one of the two rates."""
        return (self.tpr_low, self.tpr_high) if name == "tpr" else (self.fnr_low, self.fnr_high)


class Direction(ReadCurve):
    """One direction: an attack that tells a fixed dataset P from a fixed neighbour Q.

    Unlike a guarantee it need not be symmetric. All methods take floats or arrays, and raise ConvergenceError where no
    exact method answers; `reading` gives the same values with their methods and errors.

    Where a parameter is known as a bound, errors reach the values of `least`, which surely loses no more.
    """

    def __init__(self, tails: LossTails, remove: bool, least: Readable | None = None) -> None:
        self._tails, self._remove, self._least = tails, remove, least

    def _describe(self) -> tuple[object, ...]:
        return self._tails, self._remove, self._least

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level.

        Raises:
            ConvergenceError: if one has no exact answer.
        """
        if name == "delta":
            read = self.deltas(levels)
        elif name == "epsilon":
            read = self.epsilons(levels)
        elif name in ("fnr", "tpr"):
            with np.errstate(divide="ignore"):
                read = self.rates(np.log(levels), np.log1p(-levels))[name == "tpr"]
        else:
            raise DomainError(
                None, problem="one direction is read at an FPR, not at a TPR", advice="ask the curve itself"
            )
        if not read.answered.all():
            raise ConvergenceError(f"no exact method gives the {name} at {levels[~read.answered][0]:g}")
        return read if self._least is None else reaching(self._least, read, name, levels)

    def _delta_bounds(self, epsilon: Floats) -> Floats:
        """Bounds on the relative errors of delta at finite epsilons, up to rounding; infinite where none is known."""
        return self._tails.error_bounds(epsilon if self._remove else -epsilon)

    def _rate_bounds(self, name: str, levels: Floats) -> tuple[Floats, Floats]:
        return self.rate_bounds(np.log(levels), np.log1p(-levels)).named(name)

    def rate_bounds(self, log_fpr: Floats, log_tnr: Floats) -> RateBounds:
        """Bounds on FNR and TPR, from the logarithms of an FPR inside (0, 1) and of its complement.

        A curve falls: it lies between the FNRs of two tests of which one surely has a larger FPR, and one a smaller.
        """
        points = self.points(log_fpr, log_tnr)
        if not points.answered.all():
            found, some = RateBounds.unknown(log_fpr.size), points.answered
            if some.any():
                found.put(some, self.rate_bounds(log_fpr[some], log_tnr[some]))
            return found
        distance = aside(self._tails, points, under_p=not self._remove)
        distance = np.where(np.isfinite(distance), distance, 0.0) * (-1.0 if self._remove else 1.0)
        larger, smaller = (self._tails.read(points.tau + way) for way in (distance, -distance))
        above, below = (bounds_on_errors(self._tails, read) for read in (larger, smaller))
        sure = self._exceeds(larger, log_fpr, log_tnr, -above) & ~self._exceeds(smaller, log_fpr, log_tnr, below)
        _, _, fnr, tpr = (np.exp(log_rate) for log_rate in self._oriented(larger))
        off = np.where(sure, above * np.minimum(fnr, tpr), np.inf)
        _, _, most_fnr, least_tpr = (np.exp(log_rate) for log_rate in self._oriented(smaller))
        other = np.where(sure, below * np.minimum(most_fnr, least_tpr), np.inf)
        at_least = larger.log_delta_remove + np.log1p(-np.minimum(above, 1.0))
        return RateBounds.around(larger.tau, at_least, (fnr - off, most_fnr + other), (least_tpr - other, tpr + off))

    def _oriented(self, points: OperatingPoints) -> tuple[Floats, Floats, Floats, Floats]:
        """Logarithms of FPR, TNR, FNR and TPR as this direction sees them."""
        if self._remove:
            return points.log_fpr, points.log_tnr, points.log_fnr, points.log_tpr
        return points.log_fnr, points.log_tpr, points.log_fpr, points.log_tnr

    def _exceeds(self, points: OperatingPoints, log_fpr: Floats, log_tnr: Floats, error: Floats) -> Booleans:
        """Whether FPRs, whose smaller side is off by these errors, are at least the given ones."""
        rate, rest, _, _ = self._oriented(points)
        larger: Booleans = np.where(rate <= rest, rate + np.log1p(error) >= log_fpr, rest + np.log1p(-error) <= log_tnr)
        return larger

    def rates(self, log_fpr: Floats, log_tnr: Floats) -> tuple[Values, Values]:
        """FNR and TPR from the logarithms of the FPR and of its complement."""
        nothing = np.exp(log_tnr) > 0
        inside = np.isfinite(log_fpr) & np.isfinite(log_tnr)
        fnr = Values.of(np.where(nothing, 1.0, 0.0), Method.CLOSED_FORM, 0.0)
        tpr = Values.of(np.where(nothing, 0.0, 1.0), Method.CLOSED_FORM, 0.0)
        if inside.any():
            points = self.points(log_fpr[inside], log_tnr[inside])
            smaller = np.minimum(log_fpr, log_tnr)[inside]
            for values, found in zip((fnr, tpr), self.rates_at(points, smaller), strict=True):
                values.put(inside, found)
        return fnr, tpr

    def points(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """The operating points with these FPRs, inside (0, 1)."""
        return (self._tails.at_fpr if self._remove else self._tails.at_fnr)(log_fpr, log_tnr)

    def rates_at(self, points: OperatingPoints, log_smaller: Floats) -> tuple[Values, Values]:
        """FNR and TPR at points that were found for FPRs, given the smaller of each of these and its complement."""

        def read(log_rate: Floats) -> Values:
            # The smaller of FPR and TNR is off by their error too, and the rate follows with the slope of the curve.
            slope = points.tau if self._remove else -points.tau
            share = np.exp(log_smaller + slope - log_rate)
            return Values(np.exp(log_rate), (points.errors + _SEARCH) * (1 + share), points.methods)

        if self._remove:
            return read(points.log_fnr), read(points.log_tpr)
        return read(points.log_fpr), read(points.log_tnr)

    def deltas(self, epsilon: Floats) -> Values:
        """delta at any real epsilon, infinities included."""
        return _inside_or(np.where(epsilon > 0, 0.0, 1.0), np.abs(epsilon) < _LARGEST, self._deltas, epsilon)

    def epsilons(self, delta: Floats) -> Values:
        """epsilon at deltas in [0, 1]."""
        limit = np.where(delta > 0, 0.0, math.inf if self._remove else -self._tails.lowest)
        inside = (delta > 0) & (delta < 1)
        read = _inside_or(limit, inside, self._epsilons, delta)
        # A threshold at zero or on its far side, or none, may be due to a delta above that at zero.
        doubtful = inside & ~(read.answered & (read.value > 0) & (read.error < _SURELY_ABOVE_ZERO))
        if doubtful.any():
            at_zero = self._deltas(np.zeros(1))
            above = doubtful & (delta >= at_zero.value[0] if at_zero.answered[0] else False)
            read.put(above, Values.of(limit[above], Method.CLOSED_FORM, 0.0))
            left = doubtful & ~above & ~(read.answered & (read.value > 0))
            read.put(left, Values.unanswered(int(left.sum())))
        return read

    def _deltas(self, epsilon: Floats) -> Values:
        points = self._tails.read(epsilon if self._remove else -epsilon)
        log_delta = points.log_delta_remove if self._remove else points.log_delta_add
        return Values(np.exp(log_delta), points.errors, points.methods)

    def _epsilons(self, delta: Floats) -> Values:
        log_delta = np.log(delta)
        if self._remove:
            points = points_at_remove_delta(self._tails, log_delta)
            epsilon, log_rate = points.tau, points.log_fpr
        else:
            points = points_at_add_delta(self._tails, log_delta)
            epsilon, log_rate = -points.tau, points.log_fnr
        # A profile falls with the slope e^epsilon times a rate.
        per_error = np.exp(log_delta - epsilon - log_rate) / np.maximum(epsilon, np.finfo(np.float64).tiny)
        errors = points.errors + _SEARCH
        closed = points.methods == Method.CLOSED_FORM
        if closed.any():  # whose errors are bounds: what the search has left is read once more
            errors[closed] += np.abs(np.expm1(self._log_deltas(points.tau[closed]) - log_delta[closed]))
        return Values(epsilon, errors * per_error + _SEARCH, points.methods)

    def _log_deltas(self, tau: Floats) -> Floats:
        points = self._tails.read(tau)
        return points.log_delta_remove if self._remove else points.log_delta_add


def _inside_or(limits: Floats, inside: Booleans, read: Callable[[Floats], Values], levels: Floats) -> Values:
    if inside.all():
        return read(levels)
    values = Values.of(limits.copy(), Method.CLOSED_FORM, 0.0)
    if inside.any():
        values.put(inside, read(levels[inside]))
    return values
