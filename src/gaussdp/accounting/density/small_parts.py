r"""Integrals of a convolution over parts of a sum that are far smaller than the rest, against their law.

With u = e^(s' - s) the share of the smaller excess, the integrand of a convolution (`convolution`) is h_1(s') e^g, with
g(u) = log h_2(s + log(1 - u)) - log(1 - u). Up to a share at which g has changed by little, e^g is a polynomial in u,
so the integral up to an edge is a sum of some values of e^g at Chebyshev points between 0 and the share of the edge,
with weights that depend on h_1 and the edge alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from gaussdp.accounting.density.log_density import LogDensity
from gaussdp.accounting.density.loss_density import LossDensity, SignedScale
from gaussdp.accounting.loss.sums import rows_times
from gaussdp.numerics import Booleans, Floats, Indices


@dataclass(frozen=True)
class SmallPartSettings:
    """What is tuned about parts that are far smaller than the rest."""

    largest: float = 2.0**-3  # share that is small
    change: float = 3.0  # of g, at most: weights of the points keep their digits where e^g is smallest
    trials: int = 3  # of shares, each a quarter of the one before
    unresolved: float = 4e-16  # last coefficients of e^g, times the size of g, that are rounding


SMALL_PARTS = SmallPartSettings()

_COUNT = 18  # Chebyshev points: e^g errs by 1.5^18 / 18! of itself at most, by 30^-18 for the pole of log(1 - u)
_ANGLES = math.pi / (_COUNT - 1) * np.arange(_COUNT)
# Both ends are among them: most of a law lies next to 0, and has the value there.
_POINTS = np.sin(0.5 * _ANGLES) ** 2
_BARYCENTRIC = (-1.0) ** np.arange(_COUNT) * np.where(np.arange(_COUNT) % (_COUNT - 1) > 0, 1.0, 0.5)
_LAST_COEFFICIENTS = (
    np.cos(np.outer(_ANGLES, [_COUNT - 3, _COUNT - 2])) * (2 * np.abs(_BARYCENTRIC) / _COUNT)[:, np.newaxis]
)

_MASS_RULE = np.polynomial.legendre.leggauss(32)


class SmallParts:
    """Integrals over the law of a smaller part, from nothing up to an edge of its panels."""

    def __init__(self, density: LogDensity) -> None:
        self._edges = edges = density.edges
        points = density.centres[:, np.newaxis] + np.multiply.outer(density.halves, _MASS_RULE[0])
        logs = density.values(np.arange(density.halves.size), points)
        shares, ratios = np.exp(points - edges[1:, np.newaxis]), np.exp(-2 * density.halves)
        self._sums = _SumsUpTo(logs, density.halves, shares, ratios)

    def integrals(self, large: LogDensity, s: Floats) -> tuple[Floats, Indices]:
        """Logarithms of the integrals for sums e^s, and the edge up to which each was taken."""

        def along(some: Indices, largest: Floats) -> tuple[Floats, Booleans]:
            log_rest = np.log1p(-np.multiply.outer(largest, _POINTS))
            logs = _along(large, s[some, np.newaxis] + log_rest) - log_rest
            return logs, s[some] + log_rest[:, -1] >= large.edges[0]

        def up_to(some: Indices, share: Floats) -> tuple[Indices, Floats]:
            last = np.searchsorted(self._edges, s[some] + np.log(share), side="right") - 1
            return last, np.exp(self._edges[last] - s[some])

        steepness = large.steepness[large.panels(s)]
        return self._sums.of(np.flatnonzero(s <= large.edges[-1]), steepness, up_to, along)


class SignedSmallParts:
    """The same where losses have either sign, from nothing up to an edge of each sign.

    With f the density of the larger loss and d' = ud the smaller one, the integrand is h(s') e^g, g(u) = log f(d (1 -
    u)), and e^g is a polynomial in u on either side of 0.
    """

    def __init__(self, law: LossDensity) -> None:
        self._sides: list[tuple[float, Floats, Floats, _SumsUpTo]] = []
        edges = law.density.edges
        for sign in (1.0, -1.0):
            panels = np.flatnonzero(edges[:-1] >= 0) if sign > 0 else np.flatnonzero(edges[1:] <= 0)[::-1]
            outer = sign * (edges[panels + 1] if sign > 0 else edges[panels])
            from_zero = np.concatenate(([0.0], outer))
            if panels.size == 0 or not np.any(edges == 0):
                continue
            centres, halves = sign * law.density.centres[panels], law.density.halves[panels]
            points = centres[:, np.newaxis] + np.multiply.outer(halves, _MASS_RULE[0])
            logs = law.density.values(panels, sign * points)
            sizes, ends = law.scale.loss(points), law.scale.loss(from_zero)
            sums = _SumsUpTo(logs, halves, sizes / ends[1:, np.newaxis], ends[:-1] / ends[1:])
            self._sides.append((sign, from_zero, ends, sums))

    def integrals(self, large: LossDensity, s: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
        """Logarithms of the integrals for total losses at s, and the points between which each was taken."""
        scale, density = cast(SignedScale, large.scale), large.density
        most = float(scale.loss(density.edges[[-1]])[0])
        result, low, high = np.full(s.size, -np.inf), np.zeros(s.size), np.zeros(s.size)
        steepness = density.steepness[density.panels(scale.place(total))]
        for sign, edges, ends, sums in self._sides:

            def along(some: Indices, largest: Floats, sign: float = sign) -> tuple[Floats, Booleans]:
                rest = total[some, np.newaxis] * (1 - sign * np.multiply.outer(largest, _POINTS))
                return _along(density, scale.place(rest)) - scale.log_slope_of(rest), rest[:, -1] <= most

            def up_to(some: Indices, share: Floats, ends: Floats = ends) -> tuple[Indices, Floats]:
                last = np.searchsorted(ends, total[some] * share, side="right") - 1
                return last, ends[last] / total[some]

            found, last = sums.of(np.flatnonzero((total > 0) & (total < most)), steepness, up_to, along)
            result = np.logaddexp(result, found)
            low, high = (low, edges[last]) if sign > 0 else (-edges[last], high)
        return result, low, high


class _SumsUpTo:
    """Integrals of a law times a polynomial in the share of its losses, from nothing up to each of its edges.

    Args:
        logs: logarithms of the density at the nodes of a rule, a row for each panel.
        halves: half the width of each panel.
        shares: of the losses at the nodes, of that at the upper edge of the panel.
        ratios: of the losses at the lower and the upper edge of each panel.
    """

    def __init__(self, logs: Floats, halves: Floats, shares: Floats, ratios: Floats) -> None:
        count = halves.size
        tops = logs.max(axis=1)
        masses = np.exp(logs - tops[:, np.newaxis]) * np.multiply.outer(halves, _MASS_RULE[1])
        # Of each panel the weights relative to its upper edge, and what a polynomial below it is on that scale.
        panels = np.einsum("ij,ijk->ik", masses, _basis(shares))
        shrinking = _basis(np.multiply.outer(ratios, _POINTS))
        self._scales, self._weights = np.full(count + 1, -np.inf), np.zeros((count + 1, _COUNT))
        for index in range(count):
            before, here = self._scales[index], tops[index]
            self._scales[index + 1] = scale = max(before, here)
            carried = math.exp(before - scale) * (self._weights[index] @ shrinking[index])
            self._weights[index + 1] = carried + math.exp(here - scale) * panels[index]

    def of(
        self,
        open_: Indices,
        steepness: Floats,
        up_to: Callable[[Indices, Floats], tuple[Indices, Floats]],
        along: Callable[[Indices, Floats], tuple[Floats, Booleans]],
    ) -> tuple[Floats, Indices]:
        """Logarithms of integrals, and the edge up to which each was taken.

        Args:
            open_: which of them may be taken.
            steepness: about the slope of the other factor, for each.
            up_to: of some of them and of shares, the last edges below these and their own shares.
            along: of some of them and of the shares of the edges, the logarithms of the other factor at the points up
                to there, and where these are known.
        """
        result, ends = np.full(steepness.size, -np.inf), np.zeros(steepness.size, np.intp)
        share = np.minimum(SMALL_PARTS.largest, 0.8 * SMALL_PARTS.change / (1 + steepness))
        for _ in range(SMALL_PARTS.trials):
            last, largest = up_to(open_, share[open_])
            some = last > 0
            open_, last, largest = open_[some], last[some], largest[some]
            if open_.size == 0:
                break
            found, values = self._up_to(last, *along(open_, largest))
            result[open_[found]], ends[open_[found]] = values[found], last[found]
            open_ = open_[~found]
            share *= 0.25
        return result, ends

    def _up_to(self, last: Indices, logs: Floats, known: Booleans) -> tuple[Booleans, Floats]:
        """Where the polynomial serves, and the logarithms of the integrals."""
        top = logs.max(axis=1)
        factors = np.exp(logs - top[:, np.newaxis])
        tail = np.abs(rows_times(factors, _LAST_COEFFICIENTS)).max(axis=1)
        served = (logs.min(axis=1) >= top - SMALL_PARTS.change) & (tail <= SMALL_PARTS.unresolved * (8 + np.abs(top)))
        served &= known
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
