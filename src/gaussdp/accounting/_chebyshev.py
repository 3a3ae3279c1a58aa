"""Smooth functions on an interval, known by their Chebyshev interpolants, and their largest values."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_DEGREES = (32, 64, 128, 256, 512)
_DENSER = 8
_POLISHING_STEPS = 8


class Interpolant:
    """The polynomial through values of a smooth function at the Chebyshev points of [low, high], in falling order."""

    def __init__(self, low: float, high: float, values: Floats) -> None:
        self.low, self.high = low, high
        self._centre, self._radius = 0.5 * (low + high), 0.5 * (high - low)
        self._series = _coefficients(values)
        # The coefficients fall off geometrically, so those left out add up to about the last ones kept.
        self.error = 4 * float(np.abs(self._series[-(values.size // 8) :]).max())

    def largest(self, low: float) -> tuple[float, float]:
        """The largest value above low, and where."""
        degree = _DENSER * (self._series.size - 1)
        tau = chebyshev_points(self.low, self.high, np.arange(degree + 1), degree)
        dense = _dense(self._series, degree)
        inside = tau >= low
        top = int(np.argmax(np.where(inside, dense, -np.inf)))
        best, at = float(dense[top]), float(tau[top])
        if top == 0 or top == degree or not inside[top + 1]:
            edge = max(low, self.low)
            at_edge = self._at(edge)
            return (best, at) if best >= at_edge else (at_edge, edge)
        # A parabola through three neighbours, repeated on ever closer ones.
        step = float(tau[top - 1] - tau[top])
        for _ in range(_POLISHING_STEPS):
            left, middle, right = (self._at(at + offset) for offset in (-step, 0.0, step))
            bend = left - 2 * middle + right
            if bend >= 0:
                break
            shift = 0.5 * step * (left - right) / bend
            at = min(max(at + shift, max(low, self.low)), self.high)
            step *= 0.1
            if abs(shift) < 1e-7 * self._radius:
                break
        return max(best, self._at(at)), at

    def _at(self, tau: float) -> float:
        """The interpolant at one point: sum of a_k cos(k arccos x)."""
        angle = np.arccos(min(max((tau - self._centre) / self._radius, -1.0), 1.0))
        return float(self._series @ np.cos(angle * np.arange(self._series.size)))


def resolve(
    low: float,
    high: float,
    sample: Callable[[Floats], Floats],
    value: Callable[[Floats], Floats],
    tolerance: Callable[[Floats], float],
) -> tuple[Interpolant, Floats]:
    """Sample at more and more Chebyshev points of [low, high] until a smooth function of the samples is resolved.

    Args:
        low: lower end of the interval.
        high: upper end.
        sample: what is known at abscissas, one column each.
        value: the function, from a table of such columns.
        tolerance: the error to aim at, from such a table.
    Returns:
        The function's interpolant and the table of samples, in falling order of the abscissas.
    Raises:
        ConvergenceError: if 513 points do not resolve it.
    """
    table = sample(chebyshev_points(low, high, np.arange(_DEGREES[0] + 1), _DEGREES[0]))
    for degree in _DEGREES:
        function = Interpolant(low, high, value(table))
        if function.error <= tolerance(table):
            return function, table
        # The points of the double degree hold these ones.
        known, table = table, np.empty((table.shape[0], 2 * degree + 1))
        table[:, ::2] = known
        table[:, 1::2] = sample(chebyshev_points(low, high, np.arange(1, 2 * degree, 2), 2 * degree))
    raise ConvergenceError("the curve is not smooth enough to be interpolated")


def chebyshev_points(low: float, high: float, index: npt.NDArray[np.intp], degree: int) -> Floats:
    """Chebyshev points of [low, high] in falling order, with the ends exact."""
    points: Floats = 0.5 * (low + high) + 0.5 * (high - low) * np.cos(np.pi * index / degree)
    points[index == 0], points[index == degree] = high, low
    return points


def _coefficients(values: Floats) -> Floats:
    """Chebyshev coefficients of the interpolant through values at cos(pi k / n)."""
    series: Floats = np.fft.rfft(np.concatenate((values, values[-2:0:-1]))).real / (values.size - 1)
    series[0] *= 0.5
    series[-1] *= 0.5
    return series


def _dense(series: Floats, degree: int) -> Floats:
    """Values at cos(pi j / degree) for a degree above that of the series."""
    padded = np.zeros(degree + 1)
    padded[: series.size] = 0.5 * series
    padded[0] *= 2
    values: Floats = np.fft.irfft(padded, 2 * degree)[: degree + 1] * (2 * degree)
    return values
