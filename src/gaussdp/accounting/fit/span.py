"""Samples of a loss at thresholds that span the attacks above a floor, and where exactly the span ends.

A table of samples has a column for each threshold: the fields of its operating point and, in the last two rows, the
normal quantiles of its FPR and FNR, whose sum is mu.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.fit.chebyshev import chebyshev_points
from gaussdp.accounting.inversion import floor_quantiles, near_floor, points_at_floor
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, upper_quantile
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.numerics import Floats

_FIELDS = OperatingPoints.__slots__
_UPPER_DEGREE, _LOWER_DEGREE = 32, 16  # above zero the regret is read off as well
_ROUGHLY = 4e-3  # relative miss of a quantile that one step of Newton's method makes up for
_MARGIN = 0.004  # share of the span by which the samples reach beyond ends that are not known exactly
_NEIGHBOURS = 8  # samples next to an end from which it is interpolated


@dataclass(frozen=True, slots=True)
class Piece:
    """Samples at the Chebyshev points of [low, high], in falling order."""

    low: float
    high: float
    table: Floats


@dataclass(frozen=True, slots=True)
class Ends:
    """The thresholds with FNR and with FPR equal to the floor.

    ``wobble`` is by how much mu there may differ because the ends are interpolated: what one sample less would change.
    """

    low: float
    high: float
    wobble: float


@dataclass(frozen=True, slots=True)
class Span:
    """Samples above and below zero, or in one piece if zero is no threshold of theirs.

    All attacks whose error rates are at least the floor have thresholds in the pieces.
    """

    pieces: tuple[Piece, ...]  # falling

    @property
    def known(self) -> Floats:
        """All samples, by rising thresholds."""
        first, *rest = self.pieces
        return np.hstack((*(piece.table[:, :0:-1] for piece in reversed(rest)), first.table[:, ::-1]))

    def ends(self, floor: float) -> Ends:
        """Where the attacks above the floor end."""
        target = float(floor_quantiles(floor)[1])
        upper, lower = self.pieces[0], self.pieces[-1]
        high, at_high = _end(upper.table[:, :_NEIGHBOURS], -2, target)
        low, at_low = _end(lower.table[:, : -_NEIGHBOURS - 1 : -1], -1, target)
        if lower.low <= low <= high <= upper.high:
            return Ends(low, high, max(at_low, at_high))
        return Ends(lower.low, upper.high, math.inf)


def sample_span(tails: LossTails, floor: float) -> Span:
    """Samples that span the attacks above the floor.

    Raises:
        DomainError: if there are none.
    """
    near, sure = near_floor(tails, floor)
    if not sure:
        near = points_at_floor(tails, floor, near, _ROUGHLY).tau
    margin = _MARGIN * float(near[1] - near[0])
    if margin > 0:
        low = max(float(near[0]) - margin, 0.5 * (float(near[0]) + tails.lowest))
        span = _sampled(tails, low, float(near[1]) + margin)
        target = floor_quantiles(floor)[1]
        if span.pieces[-1].table[-1, -1] >= target and span.pieces[0].table[-2, 0] >= target:
            return span
    ends = points_at_floor(tails, floor, near)
    low, high = float(ends.tau[0]), float(ends.tau[1])
    if low > high:
        raise DomainError(
            "floor",
            problem="must leave attacks to speak about",
            got=f"{floor!r}: an attack with this FPR has FNR {math.exp(ends.log_fnr[1]):.3g}",
            advice="lower the floor",
        )
    return _sampled(tails, low, high)


def exact_ends(tails: LossTails, floor: float, near: Floats) -> Floats:
    """Samples where the FNR and where the FPR equals the floor, from samples nearby."""
    points = as_points(near)
    return as_table(points_at_floor(tails, floor, points.tau, first=points))


def as_table(points: OperatingPoints) -> Floats:
    """The table of operating points."""
    table = np.empty((len(_FIELDS) + 2, points.tau.size))
    for row, field in zip(table, _FIELDS, strict=False):
        row[:] = getattr(points, field)
    table[-2:] = upper_quantile(table[1:4:2], table[2:5:2])
    return table


def as_points(table: Floats) -> OperatingPoints:
    """The operating points of a table."""
    return OperatingPoints(*table[: len(_FIELDS)])


def in_order(table: Floats) -> Floats:
    """The columns by rising thresholds, none twice."""
    order = table[0].argsort()
    tau = table[0, order]
    fresh = tau[1:] > tau[:-1]
    return table[:, order if fresh.all() else order[np.concatenate(([True], fresh))]]


def _sampled(tails: LossTails, low: float, high: float) -> Span:
    inside = low < 0 < high
    above = chebyshev_points(0.0 if inside else low, high, _UPPER_DEGREE)
    below = chebyshev_points(low, 0.0, _LOWER_DEGREE)[1:] if inside else np.empty(0)
    table = as_table(tails.read(np.concatenate((above, below))))
    if not np.isfinite(table[-2:]).all():
        raise ConvergenceError("the floor lies nearer to the least loss than a double can tell")
    upper = Piece(float(above[-1]), high, table[:, : above.size])
    # Zero belongs to both pieces.
    return Span((upper, Piece(low, 0.0, table[:, above.size - 1 :])) if inside else (upper,))


def _end(table: Floats, row: int, target: float) -> tuple[float, float]:
    """Where a row of the table has the target value, and what the error of this does to mu."""
    x, tau, mu = table[row].tolist(), table[0].tolist(), (table[-2, :2] + table[-1, :2]).tolist()
    end, error = _interpolated(x, tau, target)
    return end, error * abs((mu[1] - mu[0]) / (tau[1] - tau[0]))


def _interpolated(x: Sequence[float], y: Sequence[float], at: float) -> tuple[float, float]:
    """The polynomial through the points (x, y) at an abscissa, and what the last point changes, by Neville's scheme.

    Infinite if two abscissas coincide.
    """
    row, before = list(y), math.inf
    for span in range(1, len(row)):
        before = row[0]
        for i in range(len(row) - span):
            width = x[i + span] - x[i]
            if width == 0:
                return math.inf, math.inf
            row[i] = ((at - x[i]) * row[i + 1] - (at - x[i + span]) * row[i]) / width
    return row[0], abs(row[0] - before)
