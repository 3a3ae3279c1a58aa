"""The supremum of a function: of a smooth one by Chebyshev interpolants, of one with bounds by branch and bound."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic

import numpy as np
from scipy import special

from gaussdp.accounting.readings import AnyColumns
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class ChebyshevSettings:
    """What is tuned about interpolants."""

    max_degree: int = 512  # past which a function counts as not smooth
    denser: int = 8  # points at which the largest value is sought, over those that are known
    by_matrix: int = 32  # degree up to which a product with a matrix is quicker than a Fourier transform
    polishing_steps: int = 8  # parabolas through ever closer neighbours of the largest value


INTERPOLATION = ChebyshevSettings()


class Interpolant:
    """The polynomial through values of a smooth function at the Chebyshev points of [low, high], in falling order."""

    low: float
    high: float
    error: float

    def __init__(self, low: float, high: float, values: Floats) -> None:
        self.low, self.high = low, high
        self._centre, self._radius = 0.5 * (low + high), 0.5 * (high - low)
        self._series = _coefficients(values)
        # The coefficients fall off geometrically, so those left out add up to about the last ones kept.
        self.error = 4 * float(np.abs(self._series[-max(3, values.size // 8) :]).max())

    def largest(self, low: float, high: float) -> tuple[float, float]:
        """The largest value between low and high, and where."""
        low, high = max(low, self.low), min(high, self.high)
        at_low, at_high = self._at(np.array([low, high])).tolist()
        degree = INTERPOLATION.denser * (self._series.size - 1)
        rising = chebyshev_points(self.low, self.high, degree)[::-1]
        first, last = int(rising.searchsorted(low, side="right")), int(rising.searchsorted(high, side="left"))
        dense = _dense(self._series)[::-1][first:last]
        top = int(dense.argmax()) if dense.size else 0
        if not dense.size or dense[top] <= max(at_low, at_high):
            return (at_high, high) if at_high >= at_low else (at_low, low)
        best, at = float(dense[top]), float(rising[first + top])
        step = float(rising[first + top + 1]) - at
        # A parabola through three neighbours, repeated on ever closer ones.
        for _ in range(INTERPOLATION.polishing_steps):
            left, middle, right = self._at(np.array([at - step, at, at + step])).tolist()
            bend = left - 2 * middle + right
            if bend >= 0:
                break
            shift = 0.5 * step * (left - right) / bend
            at = min(max(at + shift, low), high)
            step *= 0.1
            if abs(shift) < 1e-7 * self._radius:
                break
        return max(best, self(at)), at

    def __call__(self, tau: float) -> float:
        """The value at one point."""
        return float(self._at(np.array([tau]))[0])

    def _at(self, tau: Floats) -> Floats:
        """The interpolant at a few points: sums of a_k cos(k arccos x)."""
        angle = np.arccos(np.minimum(np.maximum((tau - self._centre) / self._radius, -1.0), 1.0))
        values: Floats = np.cos(np.multiply.outer(angle, np.arange(self._series.size))) @ self._series
        return values


def resolve(
    low: float,
    high: float,
    samples: AnyColumns,
    sample: Callable[[Floats], AnyColumns],
    value: Callable[[AnyColumns], Floats],
    tolerance: Callable[[AnyColumns], float],
) -> tuple[Interpolant, AnyColumns]:
    """Sample at more and more Chebyshev points of [low, high] until a smooth function of the samples is resolved.

    Args:
        low: lower end of the interval.
        high: upper end.
        samples: what is known at the Chebyshev points of some degree, in falling order.
        sample: the same at further points.
        value: the function, from samples.
        tolerance: the error to aim at, from samples.
    Returns:
        The function's interpolant and the samples, in falling order.
    Raises:
        ConvergenceError: if 513 points do not resolve it.
    """
    while True:
        values = value(samples)
        function = Interpolant(low, high, values)
        if function.error <= tolerance(samples):
            return function, samples
        degree = 2 * (values.size - 1)
        if degree > INTERPOLATION.max_degree:
            raise ConvergenceError("the curve is not smooth enough to be interpolated")
        # The points of the double degree hold these ones.
        fresh = sample(chebyshev_points(low, high, degree)[1::2])
        order = np.arange(degree + 1)
        order = np.where(order % 2, values.size + order // 2, order // 2)
        samples = samples.joined((samples, fresh)).take(order)


def chebyshev_points(low: float, high: float, degree: int) -> Floats:
    """Chebyshev points of [low, high] in falling order, with the ends exact."""
    points: Floats = 0.5 * (low + high) + 0.5 * (high - low) * _cosines(degree)
    points[0], points[-1] = high, low
    return points


@lru_cache
def _cosines(degree: int) -> Floats:
    cosines: Floats = np.cos(np.arange(degree + 1) * (np.pi / degree))
    cosines.flags.writeable = False
    return cosines


def _coefficients(values: Floats) -> Floats:
    """Chebyshev coefficients of the interpolant through values at cos(pi k / n)."""
    degree = values.size - 1
    if degree <= INTERPOLATION.by_matrix:
        return _analysis(degree) @ values
    series: Floats = np.fft.rfft(np.concatenate((values, values[-2:0:-1]))).real / degree
    series[0] *= 0.5
    series[-1] *= 0.5
    return series


def _dense(series: Floats) -> Floats:
    """Values at the Chebyshev points of a degree that is larger by a factor."""
    if series.size - 1 <= INTERPOLATION.by_matrix:
        return _synthesis(series.size - 1) @ series
    degree = INTERPOLATION.denser * (series.size - 1)
    padded = np.zeros(degree + 1)
    padded[: series.size] = 0.5 * series
    padded[0] *= 2
    values: Floats = np.fft.irfft(padded, 2 * degree)[: degree + 1] * (2 * degree)
    return values


@lru_cache
def _analysis(degree: int) -> Floats:
    """The matrix from values at the Chebyshev points of a low degree to coefficients."""
    index = np.arange(degree + 1)
    matrix = np.cos(np.multiply.outer(index, index) * (np.pi / degree)) * (2 / degree)
    matrix[:, [0, -1]] *= 0.5
    matrix[[0, -1]] *= 0.5
    return matrix


@lru_cache
def _synthesis(degree: int) -> Floats:
    """The matrix from the coefficients of a low degree to values at denser Chebyshev points."""
    return np.cos(
        np.multiply.outer(np.arange(INTERPOLATION.denser * degree + 1), np.arange(degree + 1))
        * (np.pi / degree / INTERPOLATION.denser)
    )


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
    most: int = SETTINGS.max_samples,
    bounds: Floats | None = None,
) -> Supremum[AnyColumns]:
    """Enclose the supremum over the interval from the first to the last sample.

    Args:
        samples: what is known at rising points.
        sample: the same at further points.
        value: the function at each sample.
        between: upper bounds on the function between neighbouring samples.
        absolute: gap between the bounds at which to stop.
        relative: the same, as a share of the best value.
        most: samples at which to stop as well.
        bounds: those between the samples that are known, if they are.
    Returns:
        An enclosure; wider than asked if rounding error or the cap on samples ends the search.
    """
    for _ in range(SETTINGS.max_rounds):
        values = value(samples)
        if bounds is None:
            bounds = between(samples)
        best = float(values.max())
        active = np.flatnonzero(bounds > best + absolute + relative * abs(best))
        if active.size == 0 or values.size + active.size * SETTINGS.parts > most:
            break
        points = samples.points
        left, right = points[active], points[active + 1]
        shares = np.arange(1, SETTINGS.parts) / SETTINGS.parts
        fresh = sample((left[:, np.newaxis] + np.multiply.outer(right - left, shares)).ravel())
        samples, bounds = samples.joined((samples, fresh)).in_order(), None
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
