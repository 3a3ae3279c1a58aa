r"""The density of a sum of privacy losses, by integrals of positive terms: nothing cancels, however deep the tail.

Excesses over the least loss add, so on the scale of their logarithms a sum has the density

.. math:: h(s) = \int h_1(s')\,h_2(s'')\,\frac{d}{d''}\,ds', \qquad d = e^s = d' + d'',\; d' = e^{s'},\; d'' = e^{s''}.

The half with d' <= d'' is integrated over s', the other over s'', by a Gauss-Legendre rule between all neighbouring
edges of the panels of both densities. A sum of n equal losses takes at most 2 log2(n) such convolutions.

Where one of two losses is far smaller than the other, the integral is a quadrature against its law (`small_parts`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from gaussdp.accounting.density.log_density import LogDensity
from gaussdp.accounting.density.loss_density import LossDensity, Scale, SignedScale, log
from gaussdp.accounting.density.small_parts import SignedSmallParts, SmallParts
from gaussdp.accounting.loss.sums import weighted_rows
from gaussdp.accounting.operating_points import HALF_LOG_2PI
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats, Indices


@dataclass(frozen=True)
class ConvolutionSettings:
    """What is tuned about convolutions."""

    negligible: float = 38.0  # panels below e^-38 of the largest add nothing
    at_once: int = 1 << 14  # edges in one table, which stays in cache
    few: int = 32  # edges of an integral over parts of a sum, about
    peaked: float = 1.0  # exponent by which the integrand falls from its peak to an edge that is of use
    wide: float = 0.35  # half-width of panels next to the half that are cut
    least_width: float = 1e-14  # relative width of a panel that is left out


SETTINGS = ConvolutionSettings()

_RULE = np.polynomial.legendre.leggauss(16)
_ROUNDING = 2.0**-52

# Where both parts are of one size, the integrand of a steep tail has a peak that is narrower than the panels.
_NEAR_HALF = np.array([0.02, 0.05, 0.12, 0.3, 0.7])

# ... and the other part, a function of the share, bends within a panel that is wider than this.
_BELOW_HALF = np.array([0.7, 1.5, 2.5])

Integrand = Callable[[Indices | slice, Floats], Floats]


def repeated(law: LossDensity, count: int) -> LossDensity:
    """The density of the sum of this many equal losses, by doubling; where they can be, three are added at once."""
    three: list[LossDensity] = []

    def times(count: int) -> LossDensity:
        if count == 1:
            return law
        if count % 4 == 3:
            if not three:
                three.append(convolved(convolved(law, law), law))
            return three[0] if count == 3 else convolved(doubled(doubled(times(count // 4))), three[0])
        return convolved(doubled(times(count // 2)), law) if count % 2 else doubled(times(count // 2))

    return times(count)


def doubled(law: LossDensity) -> LossDensity:
    """The density of the sum of two equal losses."""
    return convolved(law, law)


def convolved(first: LossDensity, second: LossDensity) -> LossDensity:
    """The density of the sum of two losses that have least ones, or of two on signed scales."""
    if isinstance(first.scale, SignedScale):
        return _signed(first, second)
    one, other = first.density, second.density
    parts_of_one = SmallParts(one)
    parts_of_other = parts_of_one if first is second else SmallParts(other)

    def log_density(s: Floats) -> Floats:
        if first is second:
            return _half(one, parts_of_one, one, s) + math.log(2)
        sums: Floats = np.logaddexp(_half(one, parts_of_one, other, s), _half(other, parts_of_other, one, s))
        return sums

    scale = first.scale.plus(second.scale)
    low, high = (float(np.logaddexp(one.edges[end], other.edges[end])) for end in (0, -1))
    centre = float(np.logaddexp(first.centre, second.centre))
    return scale.build(log_density, *scale.live(log_density, low, centre, high)).normalised()


def _signed(first: LossDensity, second: LossDensity) -> LossDensity:
    """The density of a sum on a signed scale.

    With either sign of a loss changed its law under Q is that under P, so densities at -d are e^d times those at d.
    """
    scale = first.scale.plus(second.scale)
    upper = replace(scale, above=scale.depth)

    parts_of_first = SignedSmallParts(first)
    parts_of_second = parts_of_first if first is second else SignedSmallParts(second)

    def of_positive(s: Floats) -> Floats:
        if first is second:
            return _signed_half(first, parts_of_first, first, scale, s) + math.log(2)
        sums: Floats = np.logaddexp(
            _signed_half(first, parts_of_first, second, scale, s),
            _signed_half(second, parts_of_second, first, scale, s),
        )
        return sums

    ends = sum((law.scale.loss(law.density.edges[[0, -1]]) for law in (first, second)), start=np.zeros(2))
    half = upper.build(of_positive, *upper.live(of_positive, 0.0, 0.0, float(np.abs(scale.place(ends)).max()))).density

    if half.halves.size == 0:  # on the scale of large losses others lie next to nothing
        raise ConvergenceError("the density of a sum lies at one point of its scale")

    def log_density(s: Floats) -> Floats:
        size = np.abs(s)
        return half.at(size) + np.where(s < 0, scale.loss(size), 0.0)

    last = float(half.edges[-1])
    law = scale.build(log_density, *scale.live(log_density, -last, 0.0, last))
    return replace(law, density=replace(law.density, error=law.density.error + half.error)).normalised()


def _signed_half(small: LossDensity, parts: SignedSmallParts, large: LossDensity, scale: Scale, s: Floats) -> Floats:
    """Logarithms of the integrals over the losses of the one up to half of those at s, which are not negative."""
    of_large, mine, others, total = cast(SignedScale, large.scale), small.density, large.density, scale.loss(s)
    least, most = (float(large.scale.loss(others.edges[[end]])[0]) for end in (0, -1))
    half, half_of_other = small.scale.place(0.5 * total), large.scale.place(0.5 * total)
    low = np.maximum(small.scale.place(total - most), mine.edges[0])
    high = np.minimum(np.minimum(half, small.scale.place(total - least)), mine.edges[-1])
    near, *between = parts.integrals(large, s, total)
    wide = mine.halves[mine.panels(half)] > SETTINGS.wide
    steepness = _steepness(mine, half) + _steepness(others, half_of_other)

    def edges(rows: slice) -> Floats:
        own = _window(mine.edges, low[rows], high[rows])
        images = _window(others.edges, half_of_other[rows], np.full(half[rows].size, others.edges[-1]))
        needed = np.multiply.outer(steepness[rows], _NEAR_HALF**2) >= SETTINGS.peaked
        halves = half[rows, np.newaxis] - np.where(needed, _NEAR_HALF, 0.0)
        rounder = half[rows, np.newaxis] - np.where(wide[rows, np.newaxis], _BELOW_HALF, 0.0)
        back = small.scale.place(total[rows, np.newaxis] - large.scale.loss(images))
        return np.concatenate((own, back, halves, rounder), axis=1)

    def integrand(whole: Floats, middles: Floats) -> Integrand:
        of_mine = mine.panels(middles)
        of_others = others.panels(large.scale.place(whole - small.scale.loss(middles)))

        def values(chosen: Indices | slice, points: Floats) -> Floats:
            rest = whole[chosen][:, np.newaxis] - small.scale.loss(points)
            logs = mine.values(of_mine[chosen], points)
            logs += others.values(of_others[chosen], of_large.place(rest))
            logs -= of_large.log_slope_of(rest)
            return logs

        return values

    columns = mine.edges.size + others.edges.size
    rest = _integrals(total, edges, columns, low, high, integrand, between)
    found: Floats = np.logaddexp(near, rest) + scale.log_slope(s)
    return found


def smoothed(law: LossDensity, squared_mu: float) -> LossDensity:
    """The density of the sum with the loss of plain Gaussian releases, N(-mu^2 / 2, mu^2)."""
    mu, least, density = math.sqrt(squared_mu), law.scale.least, law.density
    reach = math.sqrt(2 * law.scale.depth) + mu + 1
    breaks = np.linspace(-reach, reach, math.ceil(reach) + 1)

    def excess_of(loss: Floats) -> Floats:
        return loss - least + 0.5 * squared_mu

    def far_out(loss: Floats) -> Booleans:
        # There the releases move an excess by less than half, and its rounding is far below their scale.
        far: Booleans = excess_of(loss) > 2 * mu * reach
        return far

    def log_density(loss: Floats) -> Floats:
        far, excess = far_out(loss), excess_of(loss)
        logs = np.empty_like(loss)
        logs[~far] = _over_excesses(density, excess[~far], mu, reach, breaks) - math.log(mu)
        logs[far] = _over_releases(density, excess[far], mu, reach, breaks)
        return logs - HALF_LOG_2PI

    scale = Scale(-math.inf, law.scale.above, law.scale.below)
    ends = law.scale.loss(density.edges[[0, -1]]) - 0.5 * squared_mu + mu * reach * np.array([-1.0, 1.0])
    live = scale.live(log_density, float(ends[0]), law.mean - 0.5 * squared_mu, float(ends[1]))

    def noise(loss: Floats) -> Floats:
        # Excesses are rounded relative to themselves, and the releases see that on the scale of mu.
        return np.where(far_out(loss), 0.0, _ROUNDING / mu * (np.abs(loss) + abs(least)))

    return scale.build(log_density, *live, noise).normalised()


def _over_excesses(density: LogDensity, excess: Floats, mu: float, reach: float, breaks: Floats) -> Floats:
    """Logarithms of the integrals of h(s) e^(-z^2 / 2) over s, with z = (excess - e^s) / mu."""

    def edges(rows: slice) -> Floats:
        return _with(density.edges, log(np.subtract.outer(excess[rows], mu * breaks)))

    def integrand(whole: Floats, middles: Floats) -> Integrand:
        panels = density.panels(middles)

        def values(chosen: Indices | slice, points: Floats) -> Floats:
            z = (whole[chosen][:, np.newaxis] - np.exp(points)) / mu
            return density.values(panels[chosen], points) - 0.5 * z * z

        return values

    low = np.maximum(log(excess - mu * reach), density.edges[0])
    high = np.minimum(log(excess + mu * reach), density.edges[-1])
    return _integrals(excess, edges, density.edges.size + breaks.size, low, high, integrand)


def _over_releases(density: LogDensity, excess: Floats, mu: float, reach: float, breaks: Floats) -> Floats:
    """The same over z, where e^s = excess - mu z stays far from 0: only the slope of h sees its rounding."""
    places = np.exp(density.edges)

    def edges(rows: slice) -> Floats:
        return _with(breaks, np.subtract.outer(excess[rows], places) / mu)

    def integrand(whole: Floats, middles: Floats) -> Integrand:
        panels = density.panels(np.log(whole - mu * middles))

        def values(chosen: Indices | slice, points: Floats) -> Floats:
            s = np.log(whole[chosen][:, np.newaxis] - mu * points)
            return density.values(panels[chosen], s) - s - 0.5 * points * points

        return values

    low = np.maximum((excess - places[-1]) / mu, -reach)
    high = np.minimum((excess - places[0]) / mu, reach)
    return _integrals(excess, edges, density.edges.size + breaks.size, low, high, integrand)


def _with(edges: Floats, rows: Floats) -> Floats:
    """Rows of edges, and the same further ones in each."""
    return np.concatenate((np.broadcast_to(edges, (rows.shape[0], edges.size)), rows), axis=1)


def _half(small: LogDensity, parts: SmallParts, large: LogDensity, s: Floats) -> Floats:
    """Logarithms of the integrals over the excesses of the small one up to half of e^s."""
    far, start = parts.integrals(large, s)
    low = np.maximum(_remainder(s, large.edges[-1]), small.edges[start])
    high = np.minimum(np.minimum(s - math.log(2), _remainder(s, large.edges[0])), small.edges[-1])
    wide = small.halves[small.panels(s - math.log(2))] > SETTINGS.wide
    steepness = _steepness(small, s - math.log(2)) + _steepness(large, s - math.log(2))

    def edges(rows: slice) -> Floats:
        whole = s[rows][:, np.newaxis]
        mine = _window(small.edges, low[rows], high[rows])
        others = _window(large.edges, s[rows] - math.log(2), s[rows])
        # An edge is of use where the peak, as wide as one over the root of the slopes, does not fill what it cuts off.
        needed = np.multiply.outer(steepness[rows], _NEAR_HALF**2) >= SETTINGS.peaked
        halves = whole - math.log(2) - np.where(needed, _NEAR_HALF, 0.0)
        rounder = whole - math.log(2) - np.where(wide[rows, np.newaxis], _BELOW_HALF, 0.0)
        return np.concatenate((mine, _remainder(whole, others), halves, rounder), axis=1)

    def integrand(whole: Floats, middles: Floats) -> Integrand:
        mine, others = small.panels(middles), large.panels(_remainder(whole, middles))

        def values(chosen: Indices | slice, points: Floats) -> Floats:
            sums = whole[chosen][:, np.newaxis]
            log_share = np.log1p(-np.exp(points - sums))
            logs = small.values(mine[chosen], points)
            logs += large.values(others[chosen], sums + log_share)
            logs -= log_share
            return logs

        return values

    near: Floats = np.logaddexp(far, _integrals(s, edges, SETTINGS.few, low, high, integrand))
    return near


def _steepness(density: LogDensity, points: Floats) -> Floats:
    """About the largest slope of the logarithm in the panel of each point."""
    steep: Floats = density.steepness[density.panels(points)]
    return steep


def _window(edges: Floats, low: Floats, high: Floats) -> Floats:
    """Rows of those edges that lie between limits, and perhaps of some beyond."""
    first = np.searchsorted(edges, low)
    count = int(np.max(np.searchsorted(edges, high, side="right") - first, initial=0))
    rows: Floats = edges[np.minimum(np.add.outer(first, np.arange(count)), edges.size - 1)]
    return rows


def _integrals(
    whole: Floats,
    edges: Callable[[slice], Floats],
    columns: int,
    low: Floats,
    high: Floats,
    integrand: Callable[[Floats, Floats], Integrand],
    known: Sequence[Floats] = (),
) -> Floats:
    """Logarithms of integrals from low to high, by the rule between all edges.

    Args:
        whole: what each integral is for.
        edges: of panels, for some of the integrals a row each.
        columns: how many of them, about.
        low: lower limits.
        high: upper limits; where one lies below the lower limit, the integral is 0.
        integrand: of wholes and of points in their panels, a function of some of these and of rows of points.
        known: edges between which, for each integral, it is left out.
    """
    high = np.maximum(high, low)
    result = np.empty(whole.size)
    at_once = max(1, SETTINGS.at_once // columns)
    for first in range(0, whole.size, at_once):
        some = slice(first, first + at_once)
        inner = np.clip(edges(some), low[some, np.newaxis], high[some, np.newaxis])
        table = np.concatenate((low[some, np.newaxis], inner, high[some, np.newaxis]), axis=1)
        table.sort(axis=1)
        result[some] = _sums(whole[some], table, integrand, [ends[some, np.newaxis] for ends in known])
    return result


def _sums(
    whole: Floats, edges: Floats, integrand: Callable[[Floats, Floats], Integrand], known: Sequence[Floats]
) -> Floats:
    """Logarithms of the integrals over all of a row's edges, but those between the known ones."""
    total = np.full(whole.size, -np.inf)
    asked = edges[:, 1:] - edges[:, :-1] > SETTINGS.least_width * (1 + np.abs(edges[:, 1:]))
    if known:
        asked &= (edges[:, 1:] <= known[0]) | (edges[:, :-1] >= known[1])
    rows, columns = np.nonzero(asked)
    if rows.size == 0:
        return total
    left, right = edges[rows, columns], edges[rows, columns + 1]
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    values = integrand(whole[rows], middle)
    # Between its ends a panel's logarithm is nearly linear, so they bound it.
    bound = values(slice(None), np.stack((left, right), axis=1)).max(axis=1) + np.log(half)
    np.maximum.at(total, rows, bound)
    kept = np.flatnonzero(bound > total[rows] - SETTINGS.negligible)
    points = middle[kept][:, np.newaxis] + np.multiply.outer(half[kept], _RULE[0])
    terms = weighted_rows(np.exp(values(kept, points) - total[rows[kept]][:, np.newaxis]), _RULE[1])
    shares = np.bincount(rows[kept], weights=terms * half[kept], minlength=whole.size).astype(np.float64)
    return total + log(shares)


def _remainder(s: Floats, part: Floats) -> Floats:
    """The point of what is left of an excess without a part of it, -inf if nothing is."""
    with np.errstate(divide="ignore"):
        rest: Floats = s + np.log1p(-np.exp(np.minimum(part - s, 0.0)))
    return rest
