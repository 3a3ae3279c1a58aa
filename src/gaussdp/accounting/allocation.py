r"""Random allocation: the law of a mean of likelihood ratios, from above and from below in convex order.

Laws on a geometric grid bound the true one in convex order. Every convex function has a larger expectation under a law
that is larger in convex order, and

- `Spread`, where every value goes to the two points around it with the weights that keep its mean, is larger;
- `Grouped`, where values near a point become one, their mean, is smaller.

On such a grid the logarithm of :math:`s e^{ih} + (1 - s) e^{jh}` is :math:`ih` plus a number that depends on
:math:`j - i` alone: means of two independent ratios are sums of shifted products. All terms are positive, so that the
relative errors of probabilities add up and stay relative.

The likelihood ratio of a pass in which a record is in one of several batches is the mean of as many lognormal ones. Two
laws bound that of the mean in convex order, and with it the privacy profile in both directions. The mean
of t ratios is that of two means, of t/2 ratios each, rounded down and up: so the laws of two sizes are needed at each
level, and the grid grows finer as the mean becomes certain.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.numerics import Floats

_UNIT_ROUNDOFF = 2.0**-53
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)  # over a cell, where a normal density hardly changes


class Atoms(NamedTuple):
    """A law of the ratio: its logarithm, and the probability of each value under Q and under P."""

    losses: Floats
    under_q: Floats
    under_p: Floats
    zero: float  # under Q, where P has no mass
    infinite: float  # under P, where Q has no mass
    error: float  # relative, of the probabilities


class RatioLaw(ABC):
    """Masses of a ratio with mean 1 at, or near, the points of a geometric grid."""

    spacing: float
    first: int
    masses: Floats
    error: float

    @classmethod
    @abstractmethod
    def of_one(cls, noise_multiplier: float, spacing: float, reach: float) -> Self:
        """That of one lognormal ratio; what is beyond a normal quantile is not laid on the grid."""

    @abstractmethod
    def mean_with(self, other: Self, share: float, refinement: int, cut: float) -> Self:
        """That of a mean of this one, with its share, and the other, on a grid finer by a factor, less its tails."""

    @abstractmethod
    def atoms(self) -> Atoms:
        """The law as it is read."""

    @property
    def width(self) -> float:
        """From the first to the last point, on the scale of losses."""
        return self.masses.size * self.spacing


class Spread(RatioLaw):
    """Values moved to the points around them, which keeps the mean; what is cut off goes to zero and to infinity."""

    spacing: float
    first: int
    masses: Floats
    error: float
    zero: float
    infinite: float

    def __init__(self, spacing: float, first: int, masses: Floats, zero: float, infinite: float, error: float) -> None:
        self.spacing, self.first, self.masses, self.error = spacing, first, masses, error
        self.zero, self.infinite = zero, infinite

    @classmethod
    def of_one(cls, noise_multiplier: float, spacing: float, reach: float) -> Self:
        cells = _Cells.of(noise_multiplier, spacing, reach)
        up = cells.masses @ (np.expm1(cells.inside) / math.expm1(spacing))
        down = cells.masses @ (np.expm1(cells.inside - spacing) / math.expm1(-spacing))
        masses = np.append(down, 0.0)
        masses[1:] += up
        to_end = min(cells.before[1] * math.exp(-spacing * cells.first), cells.before[0])
        masses[0] += to_end
        masses[-1] += cells.after[0]  # and infinitely far what its mean lacks, which is less than all of it
        return cls(spacing, cells.first, masses, cells.before[0] - to_end, cells.after[1], cells.error)

    def mean_with(self, other: Self, share: float, refinement: int, cut: float) -> Self:
        pairs = _Pairs.of(self, other, share, refinement, np.floor)
        to_next = np.clip(np.expm1(pairs.logs - pairs.spacing * pairs.places) / math.expm1(pairs.spacing), 0.0, 1.0)
        masses = np.zeros(pairs.size + 1)
        for mine, theirs, there, k in pairs:
            both = self.masses[mine] * other.masses[theirs]
            both *= pairs.times[k]
            moved = both * to_next[k]
            masses[there.start + 1 : there.stop + 1 : there.step] += moved
            both -= moved
            masses[there] += both
        # Where one of the two is zero their mean is spread to zero and to infinity.
        zero = self.zero + other.zero
        infinite = share * (self.infinite + other.zero) + (1 - share) * (other.infinite + self.zero)
        values = np.exp(pairs.spacing * (pairs.first + np.arange(masses.size)))
        low, high = _kept(masses, masses * values, cut)
        to_end = masses[:low] * (values[:low] / values[low])
        zero += float((masses[:low] - to_end).sum())
        infinite += float(masses[high:] @ (values[high:] - values[high - 1]))
        kept = masses[low:high]
        kept[0] += to_end.sum()
        kept[-1] += masses[high:].sum()
        return type(self)(pairs.spacing, pairs.first + low, kept, zero, infinite, pairs.error)

    def atoms(self) -> Atoms:
        losses: Floats = self.spacing * (self.first + np.arange(self.masses.size, dtype=np.float64))
        return Atoms(losses, self.masses, self.masses * np.exp(losses), self.zero, self.infinite, self.error)


class Grouped(RatioLaw):
    """Values that became their mean, group by group; the groups of the grid's ends hold all that is beyond."""

    spacing: float
    first: int
    masses: Floats
    error: float

    def __init__(self, spacing: float, first: int, masses: Floats, moments: Floats, error: float) -> None:
        self.spacing, self.first, self.masses, self.error = spacing, first, masses, error
        self.moments = moments  # mass times value, over the point of the grid

    @classmethod
    def of_one(cls, noise_multiplier: float, spacing: float, reach: float) -> Self:
        cells = _Cells.of(noise_multiplier, spacing, reach)
        masses, moments = cells.masses.sum(axis=1), cells.masses @ np.exp(cells.inside)
        last = cells.first + masses.size - 1
        for place, tail, at in ((0, cells.before, cells.first), (-1, cells.after, last)):
            masses[place] += tail[0]
            moments[place] += tail[1] * math.exp(-spacing * at)
        return cls(spacing, cells.first, masses, moments, cells.error)

    def mean_with(self, other: Self, share: float, refinement: int, cut: float) -> Self:
        pairs = _Pairs.of(self, other, share, refinement, np.rint)
        mine_there = pairs.times * share * np.exp(-pairs.spacing * pairs.places)
        apart = self.spacing * pairs.distances - pairs.spacing * pairs.places
        theirs_there = pairs.times * (1 - share) * np.exp(apart)
        masses, moments = np.zeros(pairs.size), np.zeros(pairs.size)
        for mine, theirs, there, k in pairs:
            masses[there] += pairs.times[k] * (self.masses[mine] * other.masses[theirs])
            moments[there] += mine_there[k] * (self.moments[mine] * other.masses[theirs])
            moments[there] += theirs_there[k] * (self.masses[mine] * other.moments[theirs])
        values = np.exp(pairs.spacing * (pairs.first + np.arange(masses.size)))
        low, high = _kept(masses, moments * values, cut)
        for end, tail in ((low, slice(None, low)), (high - 1, slice(high, None))):
            masses[end] += masses[tail].sum()
            moments[end] += float(moments[tail] @ (values[tail] / values[end]))
        kept = slice(low, high)
        return type(self)(pairs.spacing, pairs.first + low, masses[kept], moments[kept], pairs.error)

    def atoms(self) -> Atoms:
        there = np.flatnonzero((self.masses > 0) & (self.moments > 0))
        masses, moments = self.masses[there], self.moments[there]
        points: Floats = self.spacing * (self.first + there.astype(np.float64))
        return Atoms(points + np.log(moments / masses), masses, moments * np.exp(points), 0.0, 0.0, self.error)


@dataclass(frozen=True)
class _Cells:
    """The logarithm of one lognormal ratio in the cells of a grid, by quadrature, and what is outside of them."""

    first: int
    masses: Floats  # under Q: a row a cell, a column a node
    inside: Floats  # where the nodes are, from the lower end of their cell on
    before: tuple[float, float]  # probabilities under Q and P
    after: tuple[float, float]
    error: float

    @classmethod
    def of(cls, noise_multiplier: float, spacing: float, reach: float) -> "_Cells":
        a = 1 / noise_multiplier
        first, last = math.floor(-(reach + a / 2) * a / spacing), math.ceil((reach + a / 2) * a / spacing)
        ends = np.arange(first, last + 1) * (spacing / a) + a / 2
        half = 0.5 * spacing / a
        nodes = ends[:-1, None] + half * (1 + _NODES)
        masses = np.exp(-0.5 * nodes**2) * (_WEIGHTS * (half / math.sqrt(2 * math.pi)))
        before = float(special.ndtr(ends[0])), float(special.ndtr(ends[0] - a))
        after = float(special.ndtr(-ends[-1])), float(special.ndtr(a - ends[-1]))
        error = 8 * _UNIT_ROUNDOFF * (1 + (reach + a) ** 2)  # of the exponent, squared above
        return cls(first, masses, half * a * (1 + _NODES), before, after, error)


@dataclass(frozen=True)
class _Pairs:
    """All pairs of points of two laws by their distance, and where their mean is: so many places from the first."""

    spacing: float
    first: int
    size: int
    distances: npt.NDArray[Any]
    logs: Floats  # of the mean over the first of the two
    places: npt.NDArray[Any]  # the same in points of the new grid
    times: Floats  # how often they count: of one law with itself each pair stands for its mirror image too
    error: float
    _slices: list[tuple[slice, slice, slice]]

    @classmethod
    def of(cls, one: RatioLaw, other: RatioLaw, share: float, refinement: int, whole: Any) -> "_Pairs":
        spacing, counts = one.spacing / refinement, (one.masses.size, other.masses.size)
        apart = np.arange(0 if one is other else 1 - counts[0], counts[1])
        distances = apart + (other.first - one.first)
        gap = distances * one.spacing
        nearer = np.where(gap <= 0, np.log1p((1 - share) * np.expm1(np.minimum(gap, 0.0))), 0.0)
        logs = np.where(gap <= 0, nearer, gap + np.log1p(share * np.expm1(-np.maximum(gap, 0.0))))
        places = whole(logs / spacing).astype(np.int64)
        starts, stops = np.maximum(0, -apart), np.minimum(counts[0], counts[1] - apart)
        begin = starts * refinement + places
        base = int(begin.min())
        ends = (stops - 1) * refinement + places
        slices = [
            (slice(i, j), slice(i + d, j + d), slice(a - base, b - base + 1, refinement))
            for i, j, d, a, b in zip(*(x.tolist() for x in (starts, stops, apart, begin, ends)), strict=True)
        ]
        error = one.error + other.error + (2 * apart.size + 8) * _UNIT_ROUNDOFF
        size, first = int(ends.max()) - base + 1, one.first * refinement + base
        times = np.where((apart > 0) & (one is other), 2.0, 1.0)
        return cls(spacing, first, size, distances, logs, places, times, error, slices)

    def __iter__(self) -> Iterator[tuple[slice, slice, slice, int]]:
        """Those of one distance after the other: which points of both, where their means go, and the distance's number.

        Of one law with itself, whose share is one half, distances are not negative."""
        for k, (mine, theirs, there) in enumerate(self._slices):
            yield mine, theirs, there, k


def _kept(under_q: Floats, under_p: Floats, cut: float) -> tuple[int, int]:
    """The points that are left if so much of Q is cut off below, and so much of P above."""
    low = int(np.searchsorted(np.cumsum(under_q), cut))
    high = under_p.size - int(np.searchsorted(np.cumsum(under_p[::-1]), cut))
    return min(low, high - 1), high


@dataclass(frozen=True)
class MeanRatioSettings:
    """What is tuned about the grid of a mean of ratios."""

    spacing: float = 0.01
    """Of log S, over its standard deviation: epsilon is then some 1e-4 of itself too large."""
    most_points: int = 6000  # where the tails reach so far that this would take more, the grid is coarser
    cut: float = 1e-16  # probability of what is beyond the grids of one level, for all ratios of a pass together


SETTINGS = MeanRatioSettings()

Kind = TypeVar("Kind", bound=RatioLaw)


@lru_cache(maxsize=16)
def above(noise_multiplier: float, batches: int) -> Atoms:
    """A law of the mean ratio that is larger in convex order."""
    return _mean(Spread, noise_multiplier, batches).atoms()


@lru_cache(maxsize=16)
def below(noise_multiplier: float, batches: int) -> Atoms:
    """A law of the mean ratio that is smaller in convex order."""
    return _mean(Grouped, noise_multiplier, batches).atoms()


def largest_loss(noise_multiplier: float, batches: int) -> float:
    """About the largest loss that is likely enough to matter."""
    one = (0.5 / noise_multiplier + _reach(batches)) / noise_multiplier
    return float(np.logaddexp(0.0, one - math.log(batches)))


def _mean(kind: type[Kind], noise_multiplier: float, batches: int) -> Kind:
    variance = math.expm1(noise_multiplier**-2)
    reach = _reach(batches)

    def finest(size: int, width: float) -> float:
        deviation = math.sqrt(math.log1p(variance / size))
        return max(SETTINGS.spacing * deviation, width / SETTINGS.most_points)

    spacing = finest(1, (2 * reach + 1 / noise_multiplier) / noise_multiplier)
    laws = {1: kind.of_one(noise_multiplier, spacing, reach)}
    for sizes in _levels(batches):
        wanted = finest(sizes[-1], max(law.width for law in laws.values()))
        refinement = max(math.floor(spacing / wanted), 1)
        spacing /= refinement
        laws = {
            size: laws[size // 2].mean_with(
                laws[(size + 1) // 2], (size // 2) / size, refinement, SETTINGS.cut * size / batches
            )
            if size > 1
            else kind.of_one(noise_multiplier, spacing, reach)
            for size in sizes
        }
    return laws[batches]


def _levels(batches: int) -> list[list[int]]:
    """The sizes of means that are needed, from small to large: each is made of two of the level before."""
    levels = [[batches]] if batches > 1 else []
    while levels and levels[-1] not in ([2], [1, 2]):
        levels.append(sorted({part for size in levels[-1] for part in (size // 2, (size + 1) // 2)}))
    return levels[::-1]


def _reach(batches: int) -> float:
    """The normal quantile beyond which one ratio is cut off."""
    return -float(special.ndtri(SETTINGS.cut / batches))
