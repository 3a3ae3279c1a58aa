"""What follows from proved points: delta at an epsilon, epsilon at a delta, mu above a floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gaussdp.accounting.certified.balls import arb, ball, ball_of, precision, quantile
from gaussdp.accounting.certified.proved import ProvedNumber, ProvedPoint
from gaussdp.errors import ConvergenceError

BITS = 256
"""Of what is derived from points."""


def point_mu(point: ProvedPoint) -> arb:
    """mu of the GDP curve through a point."""
    with precision(BITS):
        return _quantile(point.fpr, point.tnr) + _quantile(point.fnr, point.tpr)


def _quantile(probability: ProvedNumber, complement: ProvedNumber) -> arb:
    return _either(ball_of(probability), ball_of(complement))


def mu_of_interval(left: ProvedPoint, right: ProvedPoint) -> arb:
    """A bound on mu at every operating point whose threshold lies between those of two points (lemma 7).

    The lines 1 - delta - e^tau fpr with delta at its upper end lie below the trade-off curve: mu is largest at their
    ends or where they meet. Nor can the error rates be below those of the two points.
    """
    with precision(BITS):
        simple = (_quantile(right.fpr, right.tnr) + _quantile(left.fnr, left.tpr)).upper()
        if right.threshold > 0:
            lines = _Tangent.remove(left), _Tangent.remove(right)
        else:
            lines = _Tangent.add(right), _Tangent.add(left)
        corner = lines[0].meets(lines[1])
        if corner is None:
            return simple
        bound = corner.upper().max(lines[0].at_end().upper()).max(lines[1].at_end().upper())
        return bound.min(simple) if bound.is_finite() else simple


@dataclass(frozen=True)
class _Tangent:
    """The line 1 - delta - slope * rate below the curve of one error rate over the other; the rate of its point."""

    slope: arb
    delta: arb
    rate: arb
    rest: arb

    @classmethod
    def remove(cls, point: ProvedPoint) -> "_Tangent":
        """FNR over FPR."""
        delta = arb(point.remove.high).upper()
        return cls(arb(point.threshold).exp(), delta, ball_of(point.fpr), ball_of(point.tnr))

    @classmethod
    def add(cls, point: ProvedPoint) -> "_Tangent":
        """FPR over FNR."""
        delta = arb(point.add.high).upper()
        return cls((-arb(point.threshold)).exp(), delta, ball_of(point.fnr), ball_of(point.tpr))

    def mu(self, rate: arb, rest: arb) -> arb:
        """mu of the point of the line with this rate, given with its complement."""
        drop = self.delta + self.slope * rate
        return _either(rate, rest) + _either(1 - drop, drop)

    def at_end(self) -> arb:
        """mu of the line's own point."""
        return self.mu(self.rate, self.rest)

    def meets(self, other: "_Tangent") -> arb | None:
        """mu where two lines meet, if they do at a rate."""
        rate = (self.delta - other.delta) / (other.slope - self.slope)
        return self.mu(rate, 1 - rate) if rate > 0 else None


def _either(p: arb, complement: arb) -> arb:
    """The quantile of a probability that is known with its complement."""
    return quantile(p) if p < 0.5 else -quantile(complement)


def above_floor(point: ProvedPoint, floor: float) -> bool:
    """Whether both error rates are proved to be at least the floor."""
    return point.fpr.at_least(floor) and point.fnr.at_least(floor)


def spans(points: Sequence[ProvedPoint], floor: float) -> bool:
    """Whether rising thresholds are proved to span all attacks above a floor."""
    rising = len(points) > 1 and all(left.threshold < right.threshold for left, right in pairwise(points))
    return rising and points[0].fnr.at_most(floor) and points[-1].fpr.at_most(floor)


def mu_between(points: Sequence[ProvedPoint], floor: float) -> arb:
    """mu above a floor, from points that span all attacks above it.

    Raises:
        ConvergenceError: if they contradict each other.
    """
    with precision(BITS):
        low, high = arb(0), arb(0)
        for point in points:
            if above_floor(point, floor):
                low = low.max(point_mu(point).lower())
        for left, right in pairwise(points):
            high = high.max(mu_of_interval(left, right).upper())
        if low > high:
            raise ConvergenceError(f"no proof: the points of mu above {floor:g} contradict each other")
        return ball(low, high)


def larger(first: ProvedNumber, second: ProvedNumber) -> arb:
    """The larger of two enclosed numbers."""
    with precision(BITS):
        return ball_of(first).max(ball_of(second))


def rates_between(
    fpr: float, remove: Sequence[ProvedPoint], add: Sequence[ProvedPoint]
) -> tuple[ProvedNumber, ProvedNumber]:
    """The FNR at an FPR of removing and of adding a record, each from two points of rising threshold around it.

    Raises:
        ConvergenceError: if the points do not prove so.
    """
    below, above = remove
    first, last = add
    if not (below.fpr.at_least(fpr) and above.fpr.at_most(fpr) and first.fnr.at_most(fpr) and last.fnr.at_least(fpr)):
        raise ConvergenceError(f"no proof: the points do not enclose the FNR at FPR {fpr:g}")
    # The FNR rises with the threshold and the FPR falls; adding a record exchanges the two.
    return ProvedNumber(below.fnr.low, above.fnr.high), ProvedNumber(last.fpr.low, first.fpr.high)


def epsilon_between(delta: float, remove: Sequence[ProvedPoint], add: Sequence[ProvedPoint]) -> tuple[float, float]:
    """epsilon at a delta, from points of either direction: the last with at most this delta, others with at least.

    Raises:
        ConvergenceError: if the points do not prove so.
    """
    low, high = 0.0, 0.0
    for sign, points, deltas in (
        (1, remove, [point.remove for point in remove]),
        (-1, add, [point.add for point in add]),
    ):
        if not points or not deltas[-1].at_most(delta) or any(sign * point.threshold < 0 for point in points):
            raise ConvergenceError(f"no proof: the points do not enclose epsilon at delta {delta:g}")
        high = max(high, sign * points[-1].threshold)
        for point, enclosed in zip(points[:-1], deltas, strict=False):
            if enclosed.at_least(delta):
                low = max(low, sign * point.threshold)
    if low > high:
        raise ConvergenceError(f"no proof: the points of epsilon at delta {delta:g} contradict each other")
    return low, high
