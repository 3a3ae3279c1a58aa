r"""The part of a convolution in which one of two losses is far smaller than the other, by quadrature against its law.

With u = e^(s' - s) the share of the smaller excess, the integrand of a convolution is h_1(s') e^g,
g(u) = log h_2(s + log(1 - u)) - log(1 - u). Up to a share at which g has changed by little, e^g is a polynomial in u,
so the integral up to an edge is a sum of some values of e^g at Chebyshev points between 0 and the share of the edge,
with weights that depend on h_1 and the edge alone.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.density.log_density import LogDensity
from gaussdp.accounting.loss.products import rows_times
from gaussdp.numerics import Booleans, Floats, Indices


@dataclass(frozen=True)
class SmallPartSettings:
    """What is tuned about parts that are far smaller than the rest."""

    largest: float = 2.0**-3  # share that is small
    change: float = 3.0  # of g, at most: weights of the points keep their digits where e^g is smallest
    trials: int = 3  # of shares, each a quarter of the one before
    unresolved: float = 4e-16  # last coefficients of e^g, times the size of g, that are rounding


SETTINGS = SmallPartSettings()

_COUNT = 18  # Chebyshev points: e^g errs by 1.5^18 / 18! of itself at most, by 30^-18 for the pole of log(1 - u)
_ANGLES = math.pi / (_COUNT - 1) * np.arange(_COUNT)
# Both ends are among them: most of a law lies next to 0, and has the value there.
_POINTS = np.sin(0.5 * _ANGLES) ** 2
_BARYCENTRIC = (-1.0) ** np.arange(_COUNT) * np.where(np.arange(_COUNT) % (_COUNT - 1) > 0, 1.0, 0.5)
_LAST_COEFFICIENTS = (
    np.cos(np.outer(_ANGLES, [_COUNT - 3, _COUNT - 2])) * (2 * np.abs(_BARYCENTRIC) / _COUNT)[:, np.newaxis]
)

_RULE = np.polynomial.legendre.leggauss(32)


class SmallParts:
    """Integrals over the law of a smaller part, from nothing up to an edge of its panels."""

    def __init__(self, density: LogDensity) -> None:
        self._edges = edges = density.edges
        count = density.halves.size
        points = density.centres[:, np.newaxis] + np.multiply.outer(density.halves, _RULE[0])
        logs = density.values(np.arange(count), points)
        tops = logs.max(axis=1)
        masses = np.exp(logs - tops[:, np.newaxis]) * np.multiply.outer(density.halves, _RULE[1])
        # Of each panel the weights relative to its upper edge, and what a polynomial below it is on that scale.
        shares = np.exp(points - edges[1:, np.newaxis])
        panels = np.einsum("ij,ijk->ik", masses, _basis(shares))
        shrinking = _basis(np.multiply.outer(np.exp(-2 * density.halves), _POINTS))
        self._scales, self._weights = np.full(count + 1, -np.inf), np.zeros((count + 1, _COUNT))
        for index in range(count):
            before, here = self._scales[index], tops[index]
            self._scales[index + 1] = scale = max(before, here)
            carried = math.exp(before - scale) * (self._weights[index] @ shrinking[index])
            self._weights[index + 1] = carried + math.exp(here - scale) * panels[index]

    def integrals(self, large: LogDensity, s: Floats) -> tuple[Floats, Indices]:
        """Logarithms of the integrals for sums e^s, and the edge up to which each was taken."""
        result, ends = np.full(s.size, -np.inf), np.zeros(s.size, np.intp)
        open_ = np.flatnonzero(s <= large.edges[-1])
        share = np.minimum(SETTINGS.largest, 0.8 * SETTINGS.change / (1 + large.steepness[large.panels(s)]))
        for _ in range(SETTINGS.trials):
            last = np.searchsorted(self._edges, s[open_] + np.log(share[open_]), side="right") - 1
            some = last > 0
            open_, last = open_[some], last[some]
            if open_.size == 0:
                break
            found, values = self._up_to(last, large, s[open_])
            result[open_[found]], ends[open_[found]] = values[found], last[found]
            open_ = open_[~found]
            share *= 0.25
        return result, ends

    def _up_to(self, last: Indices, large: LogDensity, s: Floats) -> tuple[Booleans, Floats]:
        """Where the polynomial serves, and the logarithms of the integrals."""
        parts = np.multiply.outer(np.exp(self._edges[last] - s), np.ones(_COUNT)) * _POINTS
        log_rest = np.log1p(-parts)
        logs = _along(large, s[:, np.newaxis] + log_rest) - log_rest
        top = logs.max(axis=1)
        factors = np.exp(logs - top[:, np.newaxis])
        tail = np.abs(rows_times(factors, _LAST_COEFFICIENTS)).max(axis=1)
        served = (logs.min(axis=1) >= top - SETTINGS.change) & (tail <= SETTINGS.unresolved * (8 + np.abs(top)))
        served &= s + log_rest[:, -1] >= large.edges[0]
        sums = np.einsum("ij,ij->i", factors, self._weights[last])
        served &= sums > 0
        return served, top + np.log(np.where(served, sums, 1.0)) + self._scales[last]


def _along(density: LogDensity, rows: Floats) -> Floats:
    """The logarithm at rows of points, most of which lie within one panel."""
    panels, others = density.panels(rows[:, 0]), density.panels(rows[:, -1])
    logs = density.values(panels, rows)
    across = np.flatnonzero(panels != others)
    if across.size:
        logs[across] = density.at(rows[across].ravel()).reshape(across.size, -1)
    return logs


def _basis(points: Floats) -> Floats:
    """The polynomials that are 1 at one point and 0 at the others, a column each, by the barycentric formula."""
    distances = np.subtract.outer(points, _POINTS)
    hit = distances == 0
    terms = _BARYCENTRIC / np.where(hit, 1.0, distances)
    here = hit.any(axis=-1)
    terms[here] = hit[here]
    terms /= terms.sum(axis=-1, keepdims=True)
    return terms
