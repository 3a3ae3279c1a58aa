"""A guarantee known at finitely many points of its privacy profile; pessimistic everywhere between them."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaussdp.domains import NON_NEGATIVE, PROBABILITY, checked, evaluate
from gaussdp.errors import DomainError
from gaussdp.guarantees.base import Guarantee, Numbers, of_delta, of_epsilon, of_fpr, of_tpr, speaking_about
from gaussdp.guarantees.gaussian import GDP, at_least
from gaussdp.numerics import Floats

_TOLD_FROM_ZERO = 2.0**-52
LARGEST_EPSILON = 700.0  # e**epsilon is still a double
CORNERS = 1e-14  # relative error of the mu at a corner of a curve, by which what it implies is rounded up


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ProfilePoints(Guarantee):
    r"""The guarantee that several (epsilon, delta)-DP statements about one mechanism make together.

    .. math:: f(\alpha) = \max_j \max\{0,\; 1 - \delta_j - e^{\varepsilon_j}\alpha,\;
              e^{-\varepsilon_j}(1 - \delta_j - \alpha)\}

    The true curve of the mechanism lies on or above it. Its own profile is the lower convex hull of the points over
    e^epsilon; points above the hull say nothing new and are dropped.

    Args:
        epsilon: distinct values in [0, 700], in any order.
        delta: the delta of each, in [0, 1].
    Reference: Dong, Roth & Su (2022), Proposition 2.12: statements at several epsilons hold together.

    >>> curve = ProfilePoints(epsilon=[0.0, 0.5, 1.0], delta=[0.3, 0.1, 0.02])
    >>> curve.delta(0.5), curve.epsilon(0.02)
    (0.1, 1.0)
    >>> curve.tpr(0.01)
    0.0471...
    """

    short = "points of a profile"
    kind = "profile-points"

    epsilons: Floats
    deltas: Floats
    _kinks: Floats  # fpr at which the line of a point gives way to that of the next smaller epsilon

    def __init__(self, epsilon: npt.ArrayLike, delta: npt.ArrayLike) -> None:
        epsilons = np.ravel(checked("epsilon", epsilon, NON_NEGATIVE))
        deltas = np.ravel(checked("delta", delta, PROBABILITY))
        if epsilons.shape != deltas.shape:
            raise DomainError(
                None, problem="epsilon and delta must be equally many", got=f"{epsilons.size} and {deltas.size}"
            )
        if epsilons.max() > LARGEST_EPSILON:
            raise DomainError("epsilon", f"in [0, {LARGEST_EPSILON:g}]", float(epsilons.max()))
        order = np.argsort(epsilons, kind="stable")
        epsilons, deltas = _hull(epsilons[order], deltas[order])
        growth = _growth(epsilons)
        kinks = -np.diff(deltas) / np.diff(growth)
        for name, values in (("epsilons", epsilons), ("deltas", deltas), ("_kinks", kinks)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    def __repr__(self) -> str:
        first, last = float(self.epsilons[0]), float(self.epsilons[-1])
        return f"ProfilePoints({self.epsilons.size} points, epsilon from {first:g} to {last:g})"

    def _untitled(self) -> str:
        return f"Guarantee from {self.epsilons.size:,} points of a profile"

    def parameters(self) -> dict[str, object]:
        return {"epsilon": self.epsilons.tolist(), "delta": self.deltas.tolist()}

    @property
    def pure_epsilon(self) -> float:
        return float(self.epsilons[-1]) if self.deltas[-1] == 0 else math.inf

    def _stated(self) -> tuple[object, ...]:
        """All that makes it what it is, for comparing and hashing."""
        return type(self), self.epsilons.tobytes(), self.deltas.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProfilePoints) and self._stated() == other._stated()

    def __hash__(self) -> int:
        return hash(self._stated())

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = evaluate(self._fnr, fpr=(fpr, PROBABILITY))
        return rate

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = evaluate(self._tpr, fpr=(fpr, PROBABILITY))
        return rate

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        rate: Numbers = evaluate(lambda t: self._fnr(1 - t, t), tpr=(tpr, PROBABILITY))
        return rate

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        delta: Numbers = evaluate(self._delta, epsilon=(epsilon, NON_NEGATIVE))
        return delta

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        epsilon: Numbers = evaluate(self._epsilon, delta=(delta, PROBABILITY))
        return epsilon

    def implied(self) -> GDP:
        """The GDP that these statements imply together, if the last of them has delta = 0.

        Raises:
            DomainError: if the least delta is positive: no finite mu follows.
        """
        if self.deltas[-1] > 0:
            raise DomainError(
                None,
                problem=f"no finite mu follows from points whose least delta is {float(self.deltas[-1]):g}: with "
                "that probability everything may be revealed, which mu-GDP never does",
            )
        corner = float((1 - self.deltas[0]) / (1 + math.exp(self.epsilons[0])))
        kinks = np.append(self._kinks[(self._kinks > 0) & (self._kinks < corner)], corner)
        return speaking_about(
            at_least(float(np.max(self.mu_at_fpr(kinks))) if corner < 0.5 else 0.0, CORNERS), self.adjacency
        )

    def _line(self, fpr: Floats) -> npt.NDArray[np.intp]:
        """Which point's line is the highest at this FPR, left of the diagonal: larger epsilon nearer 0."""
        return self._kinks.size - np.searchsorted(self._kinks[::-1], fpr, side="right")

    def _tpr(self, fpr: Floats) -> Floats:
        point = self._line(fpr)
        steep = self.deltas[point] + np.exp(self.epsilons[point]) * fpr
        return np.minimum(steep, 1 - self._flat(1 - fpr))

    def _fnr(self, fpr: Floats, rest: Floats | None = None) -> Floats:
        """The curve at this FPR; rest = 1 - fpr, where that is known better."""
        point = self._line(fpr)
        steep = 1 - self.deltas[point] - np.exp(self.epsilons[point]) * fpr
        return np.maximum(steep, self._flat(1 - fpr if rest is None else rest))

    def _flat(self, rest: Floats) -> Floats:
        """The mirrored lines: max_j e^-epsilon_j (rest - delta_j), at least 0, with rest = 1 - fpr."""
        ends = self.deltas[1:] + np.exp(self.epsilons[1:]) * self._kinks  # where mirrored neighbours meet, falling
        point = ends.size - np.searchsorted(ends[::-1], rest, side="right")
        return np.maximum(np.exp(-self.epsilons[point]) * (rest - self.deltas[point]), 0.0)

    def _delta(self, epsilon: Floats) -> Floats:
        """Linear in e^epsilon between points, constant beyond the last, as one statement implies before the first."""
        first, last = self.epsilons[0], self.epsilons[-1]
        inner = _between(np.exp(np.clip(epsilon, first, last)), np.exp(self.epsilons), self.deltas)
        before = -np.expm1(np.minimum(epsilon - first, 0.0)) / (1 + math.exp(-first))
        return np.where(epsilon < first, self.deltas[0] + (1 - self.deltas[0]) * before, inner)

    def _epsilon(self, delta: Floats) -> Floats:
        first, last = self.deltas[0], self.deltas[-1]
        growth = _between(np.clip(delta, last, first), self.deltas[::-1], np.exp(self.epsilons)[::-1])
        beyond = np.maximum(delta - first, 0.0) / (1 - first) if first < 1 else np.ones_like(delta)
        loss = np.minimum(beyond * (1 + math.exp(-self.epsilons[0])), 1.0)
        inner = np.where(delta > first, np.maximum(self.epsilons[0] + np.log1p(-loss), 0.0), np.log(growth))
        return np.where(delta > last, inner, np.where(delta < last, np.inf, self.epsilons[-1]))


def _growth(epsilons: Floats) -> Floats:
    """e^epsilon, which is 1 for all that rounding does not tell from 0, on both sides of it."""
    return np.where(epsilons < _TOLD_FROM_ZERO, 1.0, np.exp(epsilons))


def _between(x: Floats, xs: Floats, ys: Floats) -> Floats:
    """Linear between points of rising x, as a sum of positive shares: `np.interp` subtracts, and loses a small y."""
    if xs.size == 1:
        return np.full_like(x, ys[0])
    right = np.clip(np.searchsorted(xs, x, side="right"), 1, xs.size - 1)
    left = right - 1
    width = xs[right] - xs[left]
    return ys[left] * ((xs[right] - x) / width) + ys[right] * ((x - xs[left]) / width)


def _hull(epsilons: Floats, deltas: Floats) -> tuple[Floats, Floats]:
    """The points on the lower convex hull over e^epsilon, given in rising order.

    Each statement is two-sided: (epsilon, delta) also puts a point at -epsilon, since the curve is symmetric.
    """
    growth = _growth(epsilons)
    mirrored = np.where(growth == 1.0, 1.0, np.exp(-epsilons))[::-1]
    mirrored_deltas = -np.expm1(-epsilons[::-1]) + mirrored * deltas[::-1]
    # Lists: one by one, their floats are several times quicker than those of an array.
    x, y = [*mirrored.tolist(), *growth.tolist()], [*mirrored_deltas.tolist(), *deltas.tolist()]
    kept: list[int] = []
    for i in range(len(x)):
        # A point at -epsilon never lies below that at epsilon; by rounding they may be level.
        level = bool(kept) and i >= epsilons.size > kept[-1] and y[i] == y[kept[-1]]
        if kept and y[i] >= y[kept[-1]] and not level:
            continue
        if kept and x[i] == x[kept[-1]]:
            kept.pop()
        while len(kept) > 1 and _above(x, y, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    size = epsilons.size
    own = [i - size if i >= size else size - 1 - i for i in kept if i >= size or x[i] == 1.0]
    own = own or [0]  # all deltas are 1: nothing is promised
    return epsilons[own].copy(), deltas[own].copy()


def _above(x: list[float], y: list[float], left: int, middle: int, right: int) -> bool:
    """Whether the middle point lies on or above the chord of its neighbours."""
    share = (x[middle] - x[left]) / (x[right] - x[left])
    return y[middle] >= y[left] + share * (y[right] - y[left])
