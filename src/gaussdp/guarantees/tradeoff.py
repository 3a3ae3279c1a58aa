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
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from gaussdp.domains import PROBABILITY, Domain, one_of, outside, real_numbers
from gaussdp.errors import DomainError
from gaussdp.guarantees.numeric import LARGEST_EPSILON, ProfilePoints
from gaussdp.numerics import Floats
from gaussdp.words import Phrase

Meaning = Literal["bounds", "vertices"]
Directions = Literal["both", "one"]

_UNIT = 2.0**-52
_ON_THE_CHORD = 1e-9
_ROUNDINGS = 16  # of a point and of a line through it, in units of the last place
_NEIGHBOURS = 8  # on either side of a piece of the hull that its line is held above


class RowError(DomainError):
    """A bad point, by the row in which it stands, counted from 1."""

    row: int
    reason: DomainError

    def __init__(self, row: int, reason: DomainError) -> None:
        super().__init__(**reason.at(f"row {row}")._parts())
        self.row, self.reason = row, reason

    def __reduce__(self) -> Any:
        return RowError, (self.row, self.reason)


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TradeoffPoints(ProfilePoints):
    r"""The guarantee that points of a trade-off curve make together, pessimistic wherever they say nothing.

    .. math:: f(\alpha) = \sup\{g(\alpha) : g \text{ convex, } g \le \text{every bound that a point implies}\}

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
    Reference: Dong, Roth & Su (2022), Section 2: trade-off curves are convex; docs/integrations/curves.md.

    >>> paper = TradeoffPoints(fpr=[0.001, 0.01, 0.1, 0.3], fnr=[0.98, 0.92, 0.65, 0.35])
    >>> paper.tpr(0.01), paper.delta(1.0)
    (0.1163..., 0.2015...)
    >>> TradeoffPoints(fpr=[0, 0.25, 1], fnr=[1, 0.25, 0], meaning="vertices").implied()
    GDP(mu=1.34897...)
    """

    short: ClassVar[str] = Phrase("points of a curve")

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
            one_of(name, value, get_args(known))
        points, stated = _checked(_column("fpr", fpr), fnr, tpr, convex=meaning == "vertices")
        corners = _peaks(points, directions) if meaning == "bounds" else _corners(points, directions)
        ProfilePoints.__init__(self, *_lines(corners))
        for name, values in (("fprs", points.fpr), ("fnrs", stated)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        object.__setattr__(self, "meaning", meaning)
        object.__setattr__(self, "directions", directions)


@dataclass(frozen=True, eq=False)
class _Points:
    """Points by rising FPR, with the complement of each rate beside it, since any of the four may be small."""

    fpr: Floats
    tnr: Floats
    fnr: Floats
    tpr: Floats

    def take(self, keep: npt.NDArray[Any]) -> "_Points":
        return _Points(self.fpr[keep], self.tnr[keep], self.fnr[keep], self.tpr[keep])

    def with_points(self, *others: tuple[float, float, float, float]) -> "_Points":
        """These and others, given by FPR, TNR, FNR and TPR, in no order."""
        columns = (self.fpr, self.tnr, self.fnr, self.tpr)
        return _Points(*(np.append(own, new) for own, new in zip(columns, np.array(others).T, strict=True)))

    def mirrored(self) -> "_Points":
        """Their mirror images, by rising FPR."""
        return _Points(self.fnr[::-1], self.tpr[::-1], self.fpr[::-1], self.tnr[::-1])

    def folded(self) -> "_Points":
        """Points beyond the diagonal, where fpr > fnr, replaced by their mirror images; by rising FPR again."""
        beyond = self.fpr > self.fnr
        fpr, fnr = np.where(beyond, self.fnr, self.fpr), np.where(beyond, self.fpr, self.fnr)
        tnr, tpr = np.where(beyond, self.tpr, self.tnr), np.where(beyond, self.tnr, self.tpr)
        return _Points(fpr, tnr, fnr, tpr).take(np.lexsort((fnr, fpr)))


def _column(name: str, values: npt.ArrayLike) -> Floats:
    """One column of numbers; what is wrong with a single one is said later, with its row."""
    try:
        column = real_numbers(values)
    except OverflowError:
        column = None
    if column is None:
        raise DomainError(name, "a column of numbers in [0, 1]")
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


def _checked(fpr: Floats, fnr: Floats, tpr: Floats | None, *, convex: bool) -> tuple[_Points, Floats]:
    """The points by rising FPR and their FNRs as stated, or a RowError about the first on no such curve."""
    stated = fnr
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
    # A rate was rounded itself, if it is not 0 or 1: an FNR of 0.9999999999999999 at FPR 1e-20 does not say that the
    # TPR is no more than 1e-20, nor a TPR that equals the FPR that there is nothing to find.
    if tpr is None:
        tpr = np.minimum(1 - fnr + np.where(trivial | (fnr == 0), 0.0, 0.5 * _UNIT), 1.0)
        fnr = np.where((fnr > 0) & (fnr < 1), np.nextafter(fnr, 0.0), fnr)
    else:
        fnr = np.where((tpr > 0) & (tpr < 1), np.maximum(fnr - 0.5 * _UNIT, 0.0), fnr)
        tpr = np.where((tpr > 0) & (tpr < 1), np.nextafter(tpr, 1.0), tpr)
    rows = np.flatnonzero(~trivial) if not trivial.all() else np.arange(1)
    try:
        order = rows[refuse_order(("fpr", "fnr"), (fpr[rows], fnr[rows]))]
    except RowError as error:
        if rows.size == fpr.size:
            raise
        raise RowError(int(rows[error.row - 1]) + 1, error.reason) from None
    if trivial.any() and not (fpr[order] == 0).any():
        order = np.concatenate([np.flatnonzero(trivial)[:1], order])
    points = _Points(fpr[order], 1 - fpr[order], fnr[order], np.maximum(tpr[order], fpr[order]))
    if convex:
        _refuse_dents(points, order)
    return points, stated[order]


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
    """Where the lines that bound the ROC curve between neighbouring bounds meet, folded to the left of the diagonal.

    The ray from (0, 0) has slope 1 + steep, the line to (1, 1) the height `start` at FPR 0 and the slope `fall`. They
    meet at FPR start / (steep + start): every sum here is one of positive numbers, so that no digit of a small rate is
    lost.
    """
    informative = points.take((points.fpr > 0) & (points.fpr < 1) & (points.fnr > 0))
    if directions == "both":
        informative = informative.folded()
    fpr, tnr, fnr, tpr = informative.fpr, informative.tnr, informative.fnr, informative.tpr
    if fpr.size == 0:
        return _Points(np.zeros(1), np.ones(1), np.zeros(1), np.ones(1))
    gain = np.maximum(tpr - fpr, 0.0)
    with np.errstate(over="ignore"):
        steep = np.minimum.accumulate(gain / fpr)  # of the lowest ray from the bounds so far
    start = np.minimum.accumulate((gain / tnr)[::-1])[::-1]  # of the lowest line to (1, 1) from here on
    fall = np.maximum.accumulate((fnr / tnr)[::-1])[::-1]
    least = float(start[0])
    # The last line to (1, 1) is the mirror image of the lowest ray.
    last = float(steep[-1])
    across = 1.0 if math.isinf(last) else last / (1 + last)
    start, fall = np.append(start[1:], across), np.append(fall[1:], 1 / (1 + last))
    if directions == "one":
        steep, start, fall = steep[:-1], start[:-1], fall[:-1]
    size = steep.size
    with np.errstate(invalid="ignore"):
        meet = np.where(start > 0, start / (steep + start), fpr[:size])
        before = np.where(np.isfinite(steep) & (start > 0), steep / (steep + start), 1 - meet)
    meet = np.clip(meet, fpr[:size], np.append(fpr[1:], 1.0)[:size])
    before = np.clip(before, np.append(tnr[1:], 0.0)[:size], tnr[:size])
    with np.errstate(over="ignore"):
        height = np.minimum(start + fall * meet, (1 + steep) * meet)
    lines = (meet, before, fall * before, np.minimum(height, 1.0))
    columns = [
        np.concatenate([[first], inner]) for first, inner in zip((0.0, 1.0, 1 - least, least), lines, strict=True)
    ]
    if directions == "one":
        ending = (1 / (1 + last), across, 0.0, 1.0)
        columns = [np.append(inner, end) for inner, end in zip(columns, ending, strict=True)]
    return _Points(*columns).folded()


def _corners(points: _Points, directions: Directions) -> _Points:
    """The vertices, with the first and last piece drawn on where the points end, folded to the left of the diagonal."""
    mirrored = points.mirrored()
    if directions == "one":
        return points.with_points(_start(points), _start(mirrored)).folded()
    if points.fpr[0] > points.fnr[0]:  # all beyond the diagonal
        points, mirrored = mirrored, points
    reached = bool(points.fpr[-1] >= points.fnr[-1])  # so that a piece crosses the diagonal
    deeper = mirrored if reached and mirrored.fpr[0] < points.fpr[0] else points
    if reached:
        return points.with_points(_start(deeper)).folded()
    fpr, tpr, fnr = float(points.fpr[-1]), float(points.tpr[-1]), float(points.fnr[-1])
    before = (float(points.fpr[-2]), float(points.tpr[-2])) if points.fpr.size > 1 else (0.0, 0.0)
    if fpr == before[0]:
        return points.with_points((0.0, 1.0, 0.0, 1.0))
    rise = (tpr - before[1]) / (fpr - before[0])
    meet = (fnr + rise * fpr) / (1 + rise) * (1 - 4 * _UNIT) if math.isfinite(rise) else fpr
    return points.with_points(_start(deeper), (meet, 1 - meet, meet, 1 - meet))


def _start(points: _Points) -> tuple[float, float, float, float]:
    """The point at FPR 0 to which the first piece leads; the second point is (1, 1) if there is only one."""
    fpr, tpr = float(points.fpr[0]), float(points.tpr[0])
    if fpr > 0:
        second = (float(points.fpr[1]), float(points.tpr[1])) if points.fpr.size > 1 else (1.0, 1.0)
        slope = (second[1] - tpr) / (second[0] - fpr) if second[0] > fpr else 1.0
        tpr = min(max(tpr - slope * fpr, 0.0) + 4 * _UNIT * tpr, 1.0)
    return 0.0, 1.0, 1 - tpr, tpr


def _lines(corners: _Points) -> tuple[list[float], list[float]]:
    """The upper hull of these ROC points, up to its slope of 1, as (epsilon, delta) lines rounded outwards.

    Left of the diagonal a point bounds delta at every epsilon at least as much as its mirror image does. The slopes
    alone are taken from the hull; the height of each line is then raised above all the points nearby, so that neither
    the rounding of a slope nor a point that the hull lost to rounding is missed.
    """
    order = np.lexsort((corners.tpr, corners.fpr))
    x, y = corners.fpr[order], corners.tpr[order]
    hull: list[int] = []
    for i in range(x.size):
        if hull and x[i] == x[hull[-1]]:
            hull.pop()
        while len(hull) > 1 and _slope(x, y, hull[-1], i) >= _slope(x, y, hull[-2], hull[-1]):
            hull.pop()
        hull.append(i)
    gain = float(np.max(y - x))
    epsilons, deltas = [0.0], [gain + 2 * _UNIT * (gain > 0)]
    for i, j in pairwise(hull):
        near = slice(max(i - _NEIGHBOURS, 0), j + 1 + _NEIGHBOURS)
        if x[i] == 0:  # the height is known, the slope is to be rounded
            at, height = slice(i + 1, j + 1 + _NEIGHBOURS), float(y[i])
            with np.errstate(over="ignore"):
                slope = float(np.max((y[at] - height) / x[at])) * (1 + _ROUNDINGS * _UNIT)
        else:
            slope = _slope(x, y, i, j)
            if slope < math.inf:
                below = slope * x[near]
                height = float(np.max(np.maximum(y[near] - below, 0.0) + _ROUNDINGS * _UNIT * (y[near] + below)))
        if slope > 1 and math.log(slope) < LARGEST_EPSILON:
            epsilons.append(math.nextafter(math.log(slope) * (1 + 2 * _UNIT) + _UNIT, math.inf))
            deltas.append(height)
    return epsilons, [min(delta, 1.0) for delta in deltas]


def _slope(x: Floats, y: Floats, left: int, right: int) -> float:
    """Of the line between two points of rising FPR; infinite where it is no double."""
    with np.errstate(over="ignore"):
        return float((y[right] - y[left]) / (x[right] - x[left]))
