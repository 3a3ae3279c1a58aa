"""Names beside points, each where it hides no curve, no other name and no legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gaussdp.numerics import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

Mask = npt.NDArray[np.bool_]

_NEAR, _RING, _RINGS = 5.0, 6.0, 12  # points from the mark to its name, then further out, and how often
_ANGLES = np.radians((-20, 20, 160, 200, -55, 55, 125, 235, 90, 270, *range(-85, 270, 15)))  # the best looking first
_UPRIGHT = 0.3  # of the distance sideways: below it the name is centred over or under its mark
_SAMPLES = 800  # points along a curve that a name might hide
_STEPS = 20  # points along a line that leads to a name
_PASSES = 3  # each name is moved so often, now that the others have their places
_FORBIDDEN, _CROSSING, _DOT, _INK = (
    1e6,
    1e3,
    500.0,
    10.0,
)  # what it costs to hide a name, a leading line, a dot, a curve
_SMALL, _ON_TOP, _PAD = 6.5, 6, 0.8


@dataclass(frozen=True)
class Mark:
    """A point in the coordinates of the axes, and its name."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, eq=False)
class _Places:
    """Where a name may stand, the lines that lead there, and what each costs whatever the other names do."""

    boxes: Floats  # one row a place: left, lower, right, upper
    lines: Floats  # place, step, coordinate
    costs: Floats
    rings: Floats


@dataclass(frozen=True, eq=False)
class _Place:
    """The place of one name."""

    box: Floats
    line: Floats
    far: bool


def name_marks(axes: "Axes", marks: Sequence[Mark], colour: str) -> None:
    """Write each mark's name as near to it as there is room; a thin line leads to a name further off."""
    names = [_name(axes, mark, colour) for mark in marks]
    dots = axes.transData.transform([(mark.x, mark.y) for mark in marks])
    extents = [name.get_window_extent() for name in names]
    sizes = [(extent.width + 2 * _PAD, extent.height + 2 * _PAD) for extent in extents]
    places = _arranged(axes, dots, sizes)
    line = {"arrowstyle": "-", "linewidth": 0.4, "color": colour, "shrinkA": 0.0, "shrinkB": 1.5}
    for mark, name, dot, place in zip(marks, names, dots, places, strict=True):
        # The canvas counts in points, so that pixels are points here; as offsets they hold at every resolution.
        name.set_position((place.box[0] + _PAD - dot[0], (place.box[1] + place.box[3]) / 2 - dot[1]))
        if place.far:
            end = tuple(place.line[-1] - dot)
            axes.annotate("", (mark.x, mark.y), end, textcoords="offset points", arrowprops=line)


def _name(axes: "Axes", mark: Mark, colour: str) -> "Annotation":
    return axes.annotate(
        mark.words,
        (mark.x, mark.y),
        (0.0, 0.0),
        textcoords="offset points",
        va="center",
        fontsize=_SMALL,
        color=colour,
        zorder=_ON_TOP,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": _PAD / 2, "alpha": 0.8},
    )


def _arranged(axes: "Axes", dots: Floats, sizes: Sequence[tuple[float, float]]) -> list[_Place]:
    """A place for each name: the best of those found from either end, each name moved again among the others."""
    ink, frame = _line_points(axes), np.array(axes.get_window_extent().extents)
    legend = [] if (found := axes.get_legend()) is None else [np.array(found.get_window_extent().extents)]
    choices = [_places(dot, size, ink, dots, legend, frame) for dot, size in zip(dots, sizes, strict=True)]
    best, least = [], np.inf
    for order in (range(len(choices)), range(len(choices) - 1, -1, -1)):
        chosen: dict[int, _Place] = {}
        total = 0.0
        for _ in range(_PASSES):
            total = 0.0
            for i in order:
                chosen.pop(i, None)
                chosen[i], cost = _cheapest(choices[i], list(chosen.values()))
                total += cost
        if total < least:
            best, least = [chosen[i] for i in range(len(choices))], total
    return best


def _places(
    dot: Floats, size: tuple[float, float], ink: Floats, dots: Floats, legend: Sequence[Floats], frame: Floats
) -> _Places:
    width, height = size
    rings = np.repeat(np.arange(_RINGS), _ANGLES.size)
    reach, angles = _NEAR + rings * _RING, np.tile(_ANGLES, _RINGS)
    x, y = reach * np.cos(angles), reach * np.sin(angles)
    shift = np.where(np.abs(x) < _UPRIGHT * reach, -width / 2, np.where(x > 0, 0.0, -width))
    left, lower = dot[0] + x + shift, dot[1] + y - height / 2
    boxes = np.column_stack([left, lower, left + width, lower + height])
    outside = (boxes[:, :2] < frame[:2]).any(axis=1) | (boxes[:, 2:] > frame[2:]).any(axis=1)
    forbidden = outside + sum((_overlaps(boxes, other) for other in legend), np.zeros(len(boxes)))
    hidden = _INK * _within(boxes, ink).sum(axis=1) + _DOT * _within(boxes, dots).sum(axis=1)
    ends = np.clip(dot, boxes[:, :2], boxes[:, 2:])
    lines = dot + np.linspace(0, 1, _STEPS)[:, None] * (ends - dot)[:, None, :]
    return _Places(boxes, lines, rings + hidden + _FORBIDDEN * forbidden, rings.astype(np.float64))


def _cheapest(places: _Places, others: Sequence[_Place]) -> tuple[_Place, float]:
    """The place that hides least, and what it costs."""
    costs = places.costs.copy()
    for other in others:
        costs += _FORBIDDEN * _overlaps(places.boxes, other.box)
        led_through = _within(other.box, places.lines).any(axis=1)
        lies_across = _within(places.boxes, other.line).any(axis=1)
        costs += _CROSSING * (led_through | lies_across)
    i = int(np.argmin(costs))
    return _Place(places.boxes[i], places.lines[i], bool(places.rings[i] > 0)), float(costs[i])


def _overlaps(boxes: Floats, other: Floats) -> Mask:
    left, lower, right, upper = boxes.T
    apart: Mask = (left >= other[2]) | (right <= other[0]) | (lower >= other[3]) | (upper <= other[1])
    return ~apart


def _within(box: Floats, points: Floats) -> Mask:
    """Which points lie in the box, whatever the shape of the points; of several boxes, a row each."""
    x, y = points[..., 0], points[..., 1]
    left, lower, right, upper = (box[..., i, None] if box.ndim > 1 else box[i] for i in range(4))
    inside: Mask = (x > left) & (x < right) & (y > lower) & (y < upper)
    return inside


def _line_points(axes: "Axes") -> Floats:
    parts = [np.empty((0, 2))]
    for line in axes.get_lines():
        points = line.get_transform().transform(line.get_xydata())
        if len(points) > 1:
            places = np.linspace(0, len(points) - 1, _SAMPLES)
            parts.append(np.column_stack([np.interp(places, np.arange(len(points)), points[:, i]) for i in (0, 1)]))
    return np.concatenate(parts)
