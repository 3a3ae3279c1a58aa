"""The supremum of a function with bounds between its samples, by branch and bound; such bounds for two profiles."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import numpy as np
from scipy import special

from gaussdp.accounting.columns import AnyColumns
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class SupremumSettings:
    """What is tuned about branch and bound."""

    parts: int = 6  # into which an interval that may hold the supremum is cut
    max_rounds: int = 14  # of cutting
    max_samples: int = 1 << 14  # at which the search ends with the bounds it has


SETTINGS = SupremumSettings()


@dataclass(frozen=True, slots=True)
class Supremum(Generic[AnyColumns]):
    """The best value and a bound that no point exceeds; `best` holds the one sample that has this value."""

    lower: float
    upper: float
    best: AnyColumns


def supremum(
    samples: AnyColumns,
    sample: Callable[[Floats], AnyColumns],
    value: Callable[[AnyColumns], Floats],
    between: Callable[[AnyColumns], Floats],
    absolute: float,
    relative: float,
) -> Supremum[AnyColumns]:
    """Enclose the supremum over the interval from the first to the last sample.

    Args:
        samples: what is known at rising points.
        sample: the same at further points.
        value: the function at each sample.
        between: upper bounds on the function between neighbouring samples.
        absolute: gap between the bounds at which to stop.
        relative: the same, as a share of the best value.
    Returns:
        An enclosure; wider than asked if rounding error or the cap on samples ends the search.
    """
    for _ in range(SETTINGS.max_rounds):
        values, bounds = value(samples), between(samples)
        best = float(values.max())
        active = np.flatnonzero(bounds > best + absolute + relative * abs(best))
        if active.size == 0 or values.size + active.size * SETTINGS.parts > SETTINGS.max_samples:
            break
        points = samples.points
        left, right = points[active], points[active + 1]
        shares = np.arange(1, SETTINGS.parts) / SETTINGS.parts
        fresh = sample((left[:, np.newaxis] + np.multiply.outer(right - left, shares)).ravel())
        samples = samples.joined((samples, fresh)).in_order()
    else:
        values, bounds = value(samples), between(samples)
    top = int(values.argmax())
    return Supremum(float(values[top]), float(bounds.max(initial=values[top])), samples.take(slice(top, top + 1)))


def gaussian_fall(epsilon: Floats, mu: float) -> Floats:
    """e^epsilon times the FPR of the best attack on mu-GDP: its profile's slope over epsilon, without the sign."""
    fall: Floats = np.exp(epsilon + special.log_ndtr(-epsilon / mu - 0.5 * mu))
    return fall


def largest_gap(epsilon: Floats, gaps: Floats, drops: Floats, lower_fall: Floats) -> Floats:
    """Bounds on upper - lower between neighbouring samples of two profiles, which are convex functions of e^epsilon.

    The chord of the first lies above it, the tangents of the second below it. Less either tangent the chord is linear,
    so the smaller of the two differences is largest at an end or where both are equal.

    Args:
        epsilon: of the samples, rising.
        gaps: upper - lower at each.
        drops: of the upper one from each sample to the next.
        lower_fall: e^epsilon times the slope of the lower one, without its sign.
    """
    step = np.diff(epsilon)
    left, right = gaps[:-1], gaps[1:]
    # What the chord gains on the tangent of the left end, and on that of the right end backwards.
    ahead = lower_fall[:-1] * np.expm1(step) - drops
    back = drops + lower_fall[1:] * np.expm1(-step)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (right - left + back) / (ahead + back)
    share = np.where(np.isfinite(share), np.clip(share, 0.0, 1.0), 0.5)
    meeting = np.maximum(left + share * ahead, right + (1 - share) * back)
    bound: Floats = np.maximum(np.maximum(left, right), np.where((ahead > 0) & (back > 0), meeting, -np.inf))
    return bound
