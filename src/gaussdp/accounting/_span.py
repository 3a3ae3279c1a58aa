"""Samples of a loss at thresholds that span the attacks above a floor, and where exactly the span ends.

A table of samples has a column for each threshold: the fields of its operating point and, in the last two rows, the
normal quantiles of its FPR and FNR, whose sum is mu.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting._chebyshev import chebyshev_points
from gaussdp.accounting._inversion import floor_quantiles, near_floor, points_at_floor
from gaussdp.accounting._tails import LossTails, OperatingPoints, upper_quantile
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.numerics import Floats

_FIELDS = OperatingPoints.__slots__
_DEGREE = 32
_ROUGHLY = 4e-3  # relative miss of a quantile that one step of Newton's method makes up for
_MARGIN = 0.004  # share of the span by which the samples reach beyond ends that are not known exactly
_NEIGHBOURS = 8  # samples next to an end from which it is interpolated
_EXACT = 1e-13  # quantiles


@dataclass(frozen=True, slots=True)
class Span:
    """Samples at the Chebyshev points of [low, high], in falling order, and at zero if it lies inside.

    All attacks whose error rates are at least the floor have thresholds between low and high.
    """

    low: float
    high: float
    table: Floats
    zero: Floats

    @property
    def known(self) -> Floats:
        """All samples, by rising thresholds."""
        return in_order(np.hstack((self.table, self.zero))) if self.zero.size else self.table[:, ::-1]

    def near_ends(self, floor: float) -> tuple[float, float]:
        """The thresholds with FNR and with FPR equal to the floor, interpolated between the samples."""
        tau, from_q, from_p = self.table[0], self.table[-2], self.table[-1]
        target = float(floor_quantiles(floor)[1])
        low = _interpolated(from_p[: -_NEIGHBOURS - 1 : -1].tolist(), tau[: -_NEIGHBOURS - 1 : -1].tolist(), target)
        high = _interpolated(from_q[:_NEIGHBOURS].tolist(), tau[:_NEIGHBOURS].tolist(), target)
        return (
            low if self.low <= low <= self.high else self.low,
            high if self.low <= high <= self.high else self.high,
        )


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
        if span.table[-1, -1] >= target and span.table[-2, 0] >= target:
            return span
    ends = points_at_floor(tails, floor, near)
    low, high = float(ends.tau[0]), float(ends.tau[1])
    if low > high:
        raise DomainError(
            f"floor must leave attacks to speak about, got {floor!r}: an attack with this FPR has FNR"
            f" {math.exp(ends.log_fnr[1]):.3g}; lower the floor"
        )
    return _sampled(tails, low, high)


def is_end(column: Floats, floor: float) -> bool:
    """Whether the FPR or the FNR of a sample equals the floor, to rounding."""
    target = float(floor_quantiles(floor)[1])
    return min(abs(float(column[-2]) - target), abs(float(column[-1]) - target)) <= _EXACT * target


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
    tau = chebyshev_points(low, high, _DEGREE)
    zero = [0.0] if low < 0 < high else []
    table = as_table(tails.read(np.concatenate((tau, zero))))
    if not np.isfinite(table[-2:]).all():
        raise ConvergenceError("the floor lies nearer to the least loss than a double can tell")
    return Span(low, high, table[:, : tau.size], table[:, tau.size :])


def _interpolated(x: Sequence[float], y: Sequence[float], at: float) -> float:
    """The polynomial through the points (x, y) at an abscissa, by Neville's scheme; NaN if two abscissas coincide."""
    row = list(y)
    for span in range(1, len(row)):
        for i in range(len(row) - span):
            width = x[i + span] - x[i]
            if width == 0:
                return math.nan
            row[i] = ((at - x[i]) * row[i + 1] - (at - x[i + span]) * row[i]) / width
    return row[0]
