r"""A guarantee from points of a trade-off curve, on the safe side everywhere else.

What is between the points depends on what they mean. Below, a curve is seen as its ROC curve g: the largest TPR by FPR,
which is concave, with g(1) = 1.

A *bound* (a, t) says that g(a) <= t and nothing else. Since g is concave, it lies below the ray from (0, 0) through the
bound beyond it, and below the line from it to (1, 1) before it. Between two bounds these two lines meet in a peak above
the chord: a convex curve that every mechanism within the bounds respects passes through the peaks, not the points.

A *vertex* is a corner of a curve that is straight in between, as it is for mechanisms with finitely many outputs and
for tools that state a piecewise linear bound. There the curve is the hull of the points.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from gaussdp.domains import PROBABILITY, Domain, outside
from gaussdp.errors import DomainError
from gaussdp.guarantees.numeric import LARGEST_EPSILON, ProfilePoints
from gaussdp.numerics import Floats

Meaning = Literal["bounds", "vertices"]
Directions = Literal["both", "one"]

_UNIT = 2.0**-52
_ON_THE_CHORD = 1e-9


class RowError(DomainError):
    """A bad point, by the row in which it stands, counted from 1."""

    def __init__(self, row: int, reason: DomainError) -> None:
        super().__init__(**reason.at(f"row {row}")._parts())
        self.row, self.reason = row, reason

    def __reduce__(self) -> Any:
        return RowError, (self.row, self.reason)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TradeoffPoints(ProfilePoints):
    """The guarantee that points of a trade-off curve make together, pessimistic wherever they say nothing.

    The curve is convex and symmetric, and every mechanism of which the points are true has at least its error rates.

    Args:
        fpr: false-positive rates in [0, 1], each once, in any order.
        fnr: the false-negative rate at each, in [0, 1 - fpr], falling with the FPR.
        meaning: what a point is. "bounds": every attack with this FPR has at least this FNR, and nothing is known
            between; the curve then passes below the points. "vertices": a corner of a curve that is straight in
            between; the curve is the lower convex hull. Neither says anything beyond the first and last point.
        directions: whether the points hold for "both" directions, as a statement that a mechanism is f-DP does, or for
            "one" dataset against its neighbour; then the guarantee is the lower of the curve and its mirror image.

    Measured attacks are no guarantee: a better attack may exist. See `gaussdp.audit`.

    >>> paper = TradeoffPoints(fpr=[0.001, 0.01, 0.1, 0.3], fnr=[0.98, 0.92, 0.65, 0.35])
    >>> paper.tpr(0.01), paper.delta(1.0)
    (0.1163..., 0.2015...)
    >>> TradeoffPoints(fpr=[0, 0.25, 1], fnr=[1, 0.25, 0], meaning="vertices").implied()
    GDP(mu=1.34897...)
    """

    short = "points of a curve"

    fprs: Floats
    fnrs: Floats
    meaning: Meaning
    directions: Directions

    def __init__(
        self,
        fpr: npt.ArrayLike,
        fnr: npt.ArrayLike,
        *,
        meaning: Meaning = "bounds",
        directions: Directions = "both",
    ) -> None:
        self._fill(fpr, _column("fnr", fnr), None, meaning, directions)

    @classmethod
    def from_tpr(
        cls,
        fpr: npt.ArrayLike,
        tpr: npt.ArrayLike,
        *,
        meaning: Meaning = "bounds",
        directions: Directions = "both",
    ) -> "TradeoffPoints":
        """The same from true-positive rates (recall, power), of which small ones keep their digits.

        >>> TradeoffPoints.from_tpr([0.0, 1e-9], [0.0, 1e-8], meaning="vertices").tpr(1e-10)
        1.0000...e-09
        """
        curve = cls.__new__(cls)
        rates = _column("tpr", tpr)
        curve._fill(fpr, 1 - rates, rates, meaning, directions)
        return curve

    def __repr__(self) -> str:
        first, last = float(self.fprs[0]), float(self.fprs[-1])
        return f"TradeoffPoints({self.fprs.size} {self.meaning}, fpr from {first:g} to {last:g})"

    def _untitled(self) -> str:
        return f"Guarantee from {self.fprs.size:,} {self.meaning} of a trade-off curve"

    def _stated(self) -> tuple[object, ...]:
        return *super()._stated(), self.fprs.tobytes(), self.fnrs.tobytes(), self.meaning, self.directions

    def _fill(
        self, fpr: npt.ArrayLike, fnr: Floats, tpr: Floats | None, meaning: Meaning, directions: Directions
    ) -> None:
        for name, value, known in (("meaning", meaning, Meaning), ("directions", directions, Directions)):
            if value not in get_args(known):
                raise DomainError(name, f"one of {', '.join(get_args(known))}", value)
        points = _checked(_column("fpr", fpr), fnr, tpr, convex=meaning == "vertices")
        corners = _peaks(points, directions) if meaning == "bounds" else _corners(points, directions)
        ProfilePoints.__init__(self, *_lines(corners))
        for name, values in (("fprs", points.fpr), ("fnrs", points.fnr)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        object.__setattr__(self, "meaning", meaning)
        object.__setattr__(self, "directions", directions)


@dataclass(frozen=True, eq=False)
class _Points:
    """Points by rising FPR; the TPR is kept beside the FNR, since either may be small."""

    fpr: Floats
    fnr: Floats
    tpr: Floats

    def take(self, keep: npt.NDArray[np.bool_]) -> "_Points":
        return _Points(self.fpr[keep], self.fnr[keep], self.tpr[keep])

    def with_points(self, *others: tuple[float, float]) -> "_Points":
        """These and others, given by FPR and TPR, in no order."""
        fpr, tpr = np.array(others).T
        return _Points(np.append(self.fpr, fpr), np.append(self.fnr, 1 - tpr), np.append(self.tpr, tpr))

    def folded(self) -> "_Points":
        """Points beyond the diagonal, where fpr > fnr, replaced by their mirror images; by rising FPR again."""
        beyond = self.fpr > self.fnr
        fpr = np.where(beyond, self.fnr, self.fpr)
        fnr = np.where(beyond, self.fpr, self.fnr)
        tpr = np.where(beyond, 1 - self.fpr, self.tpr)
        order = np.lexsort((fnr, fpr))
        return _Points(fpr[order], fnr[order], tpr[order])


def _column(name: str, values: npt.ArrayLike) -> Floats:
    """One column of numbers; what is wrong with a single one is said later, with its row."""
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DomainError(name, "a column of numbers in [0, 1]") from None
    if column.ndim != 1 or column.size == 0:
        raise DomainError(name, "one column of at least one number in [0, 1]", got=f"shape {column.shape}")
    return column


def refuse_rows(name: str, values: Floats, domain: Domain) -> None:
    """Name the first row whose value lies outside the domain, or is missing."""
    bad = np.flatnonzero(~domain.contains(values))
    if bad.size:
        raise RowError(int(bad[0]) + 1, outside(name, domain, float(values[bad[0]])))


def refuse_order(names: tuple[str, str], values: tuple[Floats, Floats]) -> npt.NDArray[np.intp]:
    """The order of rising first values, whose second values must not rise; each first value may stand once."""
    first, second = values
    order = np.argsort(first, kind="stable")
    for before, after in pairwise(order):
        if first[before] == first[after]:
            problem = f"{first[after]:.12g} stands in row {before + 1} already"
            raise RowError(int(after) + 1, DomainError(names[0], problem=problem, advice="give each once"))
        if second[after] > second[before]:
            raise RowError(
                int(after) + 1,
                DomainError(
                    names[1],
                    problem=f"{second[after]:.12g} is above that at the smaller {names[0]} of row {before + 1}, "
                    f"{second[before]:.12g}",
                    advice=f"{names[1]} never rises with {names[0]}",
                ),
            )
    return order


def _checked(fpr: Floats, fnr: Floats, tpr: Floats | None, *, convex: bool) -> _Points:
    """The points by rising FPR, or a RowError about the first that cannot be on such a curve."""
    if fpr.shape != fnr.shape:
        raise DomainError(None, problem="fpr and fnr must be equally many", got=f"{fpr.size} and {fnr.size}")
    refuse_rows("fpr", fpr, PROBABILITY)
    refuse_rows("fnr", fnr, PROBABILITY)
    above = np.flatnonzero(fnr > 1 - fpr + 2 * _UNIT)
    if above.size:
        row = int(above[0])
        raise RowError(
            row + 1,
            DomainError(
                "fnr",
                problem=f"{fnr[row]:.12g} is above 1 - fpr = {1 - fpr[row]:.12g}, which guessing achieves",
                advice="are the columns exchanged, or is it a TPR?",
            ),
        )
    trivial = (fpr == 0) & (fnr == 1)  # may stand beside another point at FPR 0
    if tpr is None:
        # An FNR near 1 was rounded itself: 1.0 at FPR 1e-20 does not say that the TPR is no more than 1e-20.
        tpr = np.minimum(1 - fnr + np.where(trivial | (fnr == 0), 0.0, 0.5 * _UNIT), 1.0)
    rows = np.flatnonzero(~trivial) if not trivial.all() else np.arange(1)
    try:
        order = rows[refuse_order(("fpr", "fnr"), (fpr[rows], fnr[rows]))]
    except RowError as error:
        if rows.size == fpr.size:
            raise
        raise RowError(int(rows[error.row - 1]) + 1, error.reason) from None
    if trivial.any() and not (fpr[order] == 0).any():
        order = np.concatenate([np.flatnonzero(trivial)[:1], order])
    points = _Points(fpr[order], fnr[order], np.maximum(tpr[order], fpr[order]))
    if convex:
        _refuse_dents(points, order)
    return points


def _refuse_dents(points: _Points, rows: npt.NDArray[np.intp]) -> None:
    """Vertices of a convex curve lie on or below the line between their neighbours; (0, 1) and (1, 0) bound it."""
    fpr, fnr = np.pad(points.fpr, 1, constant_values=(0, 1)), np.pad(points.fnr, 1, constant_values=(1, 0))
    for k in range(1, fpr.size - 1):
        if fpr[k - 1] == fpr[k] or fpr[k] == fpr[k + 1]:
            continue
        share = (fpr[k] - fpr[k - 1]) / (fpr[k + 1] - fpr[k - 1])
        chord = fnr[k - 1] + share * (fnr[k + 1] - fnr[k - 1])
        if fnr[k] > chord + _ON_THE_CHORD:
            raise RowError(
                int(rows[k - 1]) + 1,
                DomainError(
                    "fnr",
                    problem=f"{fnr[k]:.12g} is above the line between its neighbours, {chord:.12g}, so it is no "
                    "vertex of a convex curve",
                    advice='take such points as meaning="bounds"',
                ),
            )


def _peaks(points: _Points, directions: Directions) -> _Points:
    """Where the lines that bound the ROC curve between neighbouring bounds meet, folded to the left of the diagonal."""
    informative = points.take((points.fpr > 0) & (points.fpr < 1) & (points.fnr > 0))
    if directions == "both":
        informative = informative.folded()
    fpr, fnr, tpr = informative.fpr, informative.fnr, informative.tpr
    if fpr.size == 0:
        return _Points(np.zeros(1), np.zeros(1), np.ones(1))
    with np.errstate(over="ignore"):
        rays = np.minimum.accumulate(tpr / fpr)  # slope of the lowest ray from the bounds so far
    falls = np.maximum.accumulate((fnr / (1 - fpr))[::-1])[::-1]  # slope of the lowest line to (1, 1) from here on
    ray, fall = rays, np.append(falls[1:], 1 / rays[-1])  # the last: to the mirror image of the lowest ray
    if directions == "one":
        ray, fall = ray[:-1], fall[:-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        meet = np.where(ray > fall, (1 - fall) / (ray - fall), fpr[: ray.size])
    ends = np.append(fpr[1:], 1.0)[: ray.size]
    meet = np.clip(meet, fpr[: ray.size], ends)
    start = float(np.min((tpr - fpr) / (1 - fpr)))  # of the lines to (1, 1) at FPR 0
    lines = (meet, fall * (1 - meet), np.minimum(ray * meet, 1 - fall * (1 - meet)))
    columns = [np.concatenate([[first], inner]) for first, inner in zip((0.0, 1 - start, start), lines, strict=True)]
    if directions == "one":
        columns = [np.append(inner, last) for inner, last in zip(columns, (1 / rays[-1], 0.0, 1.0), strict=True)]
    return _Points(*columns).folded()


def _corners(points: _Points, directions: Directions) -> _Points:
    """The vertices, with the first and last piece drawn on where the points end, folded to the left of the diagonal."""
    mirrored = _Points(points.fnr[::-1], points.fpr[::-1], 1 - points.fpr[::-1])
    if directions == "one":
        return points.with_points((0.0, _start(points)), (0.0, _start(mirrored))).folded()
    if points.fpr[0] > points.fnr[0]:  # all beyond the diagonal
        points, mirrored = mirrored, points
    reached = bool(points.fpr[-1] >= points.fnr[-1])  # so that a piece crosses the diagonal
    deeper = mirrored if reached and mirrored.fpr[0] < points.fpr[0] else points
    if reached:
        return points.with_points((0.0, _start(deeper))).folded()
    fpr, tpr, fnr = float(points.fpr[-1]), float(points.tpr[-1]), float(points.fnr[-1])
    before = (float(points.fpr[-2]), float(points.tpr[-2])) if points.fpr.size > 1 else (0.0, 0.0)
    if fpr == before[0]:
        return points.with_points((0.0, 1.0))
    rise = (tpr - before[1]) / (fpr - before[0])
    meet = (fnr + rise * fpr) / (1 + rise) * (1 - 4 * _UNIT)
    return points.with_points((0.0, _start(deeper)), (meet, 1 - meet))


def _start(points: _Points) -> float:
    """The TPR at FPR 0 to which the first piece leads; the second point is (1, 1) if there is only one."""
    fpr, tpr = float(points.fpr[0]), float(points.tpr[0])
    if fpr == 0:
        return tpr
    second = (float(points.fpr[1]), float(points.tpr[1])) if points.fpr.size > 1 else (1.0, 1.0)
    slope = (second[1] - tpr) / (second[0] - fpr) if second[0] > fpr else 1.0
    return max(tpr - slope * fpr, 0.0) + 4 * _UNIT * tpr


def _lines(corners: _Points) -> tuple[list[float], list[float]]:
    """The upper hull of these ROC points, up to its slope of 1, as (epsilon, delta) lines rounded outwards.

    Left of the diagonal a point bounds delta at every epsilon at least as much as its mirror image does.
    """
    hull: list[tuple[float, float]] = []
    for x, y in sorted(zip(corners.fpr.tolist(), corners.tpr.tolist(), strict=True)):
        if hull and x == hull[-1][0]:
            hull.pop()
        while len(hull) > 1 and (y - hull[-2][1]) * (hull[-1][0] - hull[-2][0]) >= (hull[-1][1] - hull[-2][1]) * (
            x - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, y))
    gain = max(y - x for x, y in hull)
    epsilons, deltas = [0.0], [gain + 2 * _UNIT * (gain > 0)]
    for (x, y), (next_x, next_y) in pairwise(hull):
        slope = (next_y - y) / (next_x - x)
        if slope > 1 and math.log(slope) < LARGEST_EPSILON:
            epsilons.append(math.nextafter(math.log(slope) * (1 + 2 * _UNIT) + _UNIT, math.inf))
            deltas.append(y if x == 0 else max(y - slope * x, 0.0) + 4 * _UNIT * y)
    return epsilons, [min(delta, 1.0) for delta in deltas]
