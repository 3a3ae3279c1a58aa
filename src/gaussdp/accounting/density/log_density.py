"""The logarithm of a density as Chebyshev polynomials on panels, which are halved until they hold it to rounding error.

A logarithm keeps its digits however small the density is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.loss.sums import rows_times, weighted_rows
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats, Indices


@dataclass(frozen=True)
class PanelSettings:
    """What is tuned about panels."""

    precision: float = 2e-14  # absolute error of a logarithm up to `size`; it grows with larger ones
    size: float = 20.0
    bending: float = 2.0
    """How far a panel may be from an exponential, so that Gauss-Legendre rules integrate the density itself."""
    last: int = 3  # coefficients that tell the error
    narrowest: float = 1e-10  # half-width, relative to the place, that is not halved again
    most_panels: int = 4000  # a density that needs more is refused
    most_rounds: int = 48  # of halving
    caution: float = 10.0  # factor on what the last coefficients tell
    roundings: float = 3.0  # factor on rounding errors in the claimed error
    at_once: int = 1 << 14  # values that are computed together
    forgiving: float = 40.0
    """Exponent of the largest factor by which errors may be larger where the density does not matter."""


SETTINGS = PanelSettings()

NODES = 20  # of a panel

_ROUNDING = 2.0**-52

_ANGLES = math.pi / (2 * NODES) * np.arange(2 * NODES - 1, 0, -2)
_CHEBYSHEV = np.cos(_ANGLES)
_ORDERS = np.arange(NODES, dtype=np.float64)
_TO_COEFFICIENTS = np.cos(np.outer(_ANGLES, np.arange(NODES))) * np.where(np.arange(NODES) > 0, 2 / NODES, 1 / NODES)


@dataclass(frozen=True)
class LogDensity:
    """Polynomials between neighbouring edges, and their error where the density matters."""

    edges: Floats
    coefficients: Floats  # one row for each panel
    error: float

    @cached_property
    def centres(self) -> Floats:
        """Middle of each panel."""
        return 0.5 * (self.edges[1:] + self.edges[:-1])

    @cached_property
    def halves(self) -> Floats:
        """Half the width of each panel."""
        return 0.5 * (self.edges[1:] - self.edges[:-1])

    @cached_property
    def steepness(self) -> Floats:
        """At least the largest slope in each panel."""
        return weighted_rows(np.abs(self.coefficients), _ORDERS**2) / self.halves

    def panels(self, points: Floats) -> Indices:
        """The panel of each point, the first or the last one if it lies outside."""
        return panels_of(self.edges, points)

    def values(self, panels: Indices, points: Floats) -> Floats:
        """The logarithm at rows of points, each row within one panel."""
        shares = points - self.centres[panels][:, np.newaxis]
        shares /= self.halves[panels][:, np.newaxis]
        return _polynomials(self.coefficients[panels], shares)

    def at(self, points: Floats) -> Floats:
        """The logarithm at any points."""
        return self.values(self.panels(points), points[:, np.newaxis])[:, 0]

    def scaled(self, log_factor: float) -> "LogDensity":
        """The density times a factor."""
        coefficients = self.coefficients.copy()
        coefficients[:, 0] += log_factor
        return LogDensity(self.edges, coefficients, self.error)


def panels_of(edges: Floats, points: Floats) -> Indices:
    """The index of the edge below each point, that of the first or the last panel if it lies outside."""
    found: Indices = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, edges.size - 2)
    return found


def resolved(
    function: Callable[[Floats], Floats],
    edges: Floats,
    irrelevance: Callable[[Floats, Floats], Floats],
    noise: Callable[[Floats], Floats] = np.zeros_like,
) -> LogDensity:
    """The panels that hold a logarithm.

    Args:
        function: the logarithm at given points.
        edges: of the panels to begin with.
        irrelevance: of points and the logarithms there, the exponents of factors by which errors may be larger.
        noise: of the function at points, beside what their own rounding makes of its slope.
    Raises:
        ConvergenceError: if it takes too many panels.
    """
    kept: list[tuple[Floats, Floats, Floats]] = []
    left, right = edges[:-1], edges[1:]
    error, count = 0.0, 0
    for _ in range(SETTINGS.most_rounds):
        centre, half = 0.5 * (left + right), 0.5 * (right - left)
        points = centre[:, np.newaxis] + np.multiply.outer(half, _CHEBYSHEV)
        values = function(points.ravel()).reshape(points.shape)
        middle = values[:, NODES // 2]
        # A large constant would leave a trace of rounding in every coefficient.
        coefficients = rows_times(values - middle[:, np.newaxis], _TO_COEFFICIENTS)
        sizes = np.abs(coefficients)
        coefficients[:, 0] += middle
        last = sizes[:, -SETTINGS.last :].max(axis=1)
        # A point is rounded relative to itself, and a slope turns that into an error of the value.
        rounding = _ROUNDING * (1 + np.abs(centre)) * weighted_rows(sizes, _ORDERS) / half + noise(centre)
        allowed = SETTINGS.precision * (1 + np.abs(values).max(axis=1) / SETTINGS.size) + 4 * rounding
        excess = np.clip(irrelevance(points, values).min(axis=1), 0.0, SETTINGS.forgiving)
        straight = (sizes[:, 2:].sum(axis=1) <= SETTINGS.bending) | (excess > 0.5 * SETTINGS.forgiving)
        fine = (last <= allowed * np.exp(excess)) & straight
        fine |= half < SETTINGS.narrowest * (1 + np.abs(centre))
        kept.append((left[fine], right[fine], coefficients[fine]))
        estimate = (SETTINGS.caution * last + SETTINGS.roundings * rounding) * np.exp(-excess)
        error = max(error, float(np.max(estimate[fine], initial=0.0)))
        count += int(np.count_nonzero(fine))
        rest = ~fine
        if not rest.any():
            break
        left, right = np.concatenate((left[rest], centre[rest])), np.concatenate((centre[rest], right[rest]))
        if count + left.size > SETTINGS.most_panels:
            raise ConvergenceError(f"the density of the privacy loss is not resolved by {SETTINGS.most_panels} panels")
    else:
        raise ConvergenceError("the density of the privacy loss is not resolved by panels of any width")
    lefts = np.concatenate([part[0] for part in kept])
    order = np.argsort(lefts)
    coefficients = np.concatenate([part[2] for part in kept])[order]
    return LogDensity(np.append(lefts[order], edges[-1]), coefficients, error)


def _polynomials(coefficients: Floats, shares: Floats) -> Floats:
    """Rows of Chebyshev coefficients at rows of points, in blocks that stay in cache."""
    rows = max(1, SETTINGS.at_once // shares.shape[1])
    if shares.shape[0] <= rows:
        return _block(coefficients, shares)
    result = np.empty_like(shares)
    for first in range(0, shares.shape[0], rows):
        some = slice(first, first + rows)
        result[some] = _block(coefficients[some], shares[some])
    return result


def _block(coefficients: Floats, shares: Floats) -> Floats:
    """The same by Clenshaw's recurrence."""
    double = 2 * shares
    older, newer, product = np.zeros_like(double), np.zeros_like(double), np.empty_like(double)
    columns = coefficients.T[:, :, np.newaxis]
    for column in columns[:0:-1]:
        # The next one is double * newer - older + column; in place, since memory is what takes time.
        np.multiply(double, newer, out=product)
        np.subtract(product, older, out=older)
        older += column
        older, newer = newer, older
    newer *= shares
    newer -= older
    newer += columns[0]
    return newer
