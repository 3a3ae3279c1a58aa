"""The supremum of a function with bounds between its samples, by branch and bound."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

import numpy as np

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
