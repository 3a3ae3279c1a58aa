"""The supremum of a function with bounds between its samples, by branch and bound."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gaussdp.numerics import Floats

_PARTS = 6  # into which an interval that may hold the supremum is cut
_MAX_ROUNDS = 14
_MAX_SAMPLES = 1 << 14


@dataclass(frozen=True, slots=True)
class Supremum:
    """The best sample and a bound that no point exceeds; column is the sample's column of the final table."""

    lower: float
    upper: float
    column: Floats
    table: Floats


def supremum(
    table: Floats,
    sample: Callable[[Floats], Floats],
    value: Callable[[Floats], Floats],
    between: Callable[[Floats], Floats],
    absolute: float,
    relative: float,
) -> Supremum:
    """Enclose the supremum over the interval from the first to the last column.

    Args:
        table: the first samples: what is known at each abscissa is a column, the sorted abscissas are the first row.
        sample: such a table for further abscissas.
        value: the function at each column.
        between: upper bounds on the function between neighbouring columns.
        absolute: gap between the bounds at which to stop.
        relative: the same, as a share of the best value.
    Returns:
        An enclosure; wider than asked if rounding error or the cap on samples ends the search.
    """
    for _ in range(_MAX_ROUNDS):
        values, bounds = value(table), between(table)
        best = float(values.max())
        active = np.flatnonzero(bounds > best + absolute + relative * abs(best))
        if active.size == 0 or table.shape[1] + active.size * _PARTS > _MAX_SAMPLES:
            break
        left, right = table[0, active], table[0, active + 1]
        shares = np.arange(1, _PARTS) / _PARTS
        fresh = sample((left[:, np.newaxis] + np.multiply.outer(right - left, shares)).ravel())
        table = np.concatenate((table, fresh), axis=1)
        table = table[:, np.argsort(table[0], kind="stable")]
    else:
        values, bounds = value(table), between(table)
    top = int(values.argmax())
    return Supremum(float(values[top]), max(float(values[top]), float(bounds.max())), table[:, top], table)


def largest_gap(epsilon: Floats, upper: Floats, lower: Floats, lower_slope: Floats) -> Floats:
    """Bounds on upper - lower between neighbouring samples of two convex functions.

    The chord of the first lies above it, the tangents of the second below it; their difference is concave and
    piecewise linear, so it is largest at an end or where the tangents meet.
    """
    width = np.diff(epsilon)
    bend = np.diff(lower_slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (lower[:-1] - lower[1:] + lower_slope[1:] * width) / (bend * width)
    share = np.clip(np.where(np.isfinite(share), share, 0.5), 0.0, 1.0)
    chord = upper[:-1] + share * np.diff(upper)
    tangent = np.maximum(
        lower[:-1] + share * width * lower_slope[:-1], lower[1:] - (1 - share) * width * lower_slope[1:]
    )
    ends = upper - lower
    bound: Floats = np.maximum(np.maximum(ends[:-1], ends[1:]), chord - tangent)
    return bound
