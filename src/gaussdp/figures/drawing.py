"""From a figure's description to SVG, PDF or PNG with Matplotlib, the extra `plot`."""

import importlib
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gaussdp.documents.rounding import shown
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.figures import style
from gaussdp.figures.model import Arrow, Axis, Figure
from gaussdp.numerics import Floats
from gaussdp.words import ENGLISH, numeral, spoken

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
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


FORMATS = ("svg", "pdf", "png")

_POINTS_PER_INCH = 72  # SVG and PDF count in points: text set once at that size serves for both

_CHECKS = 1000  # points along a curve at which it might lie under the legend
_FAR_RIGHT = 0.8  # of the width: from there on an arrow has its words to the left
_MOST_DECADES = 9
_ROOM = 1.08  # beyond the least and the largest value
_TICKS = 2.01  # where Matplotlib has its own
_ABOVE_FRAME = 3  # a line along the frame would be half hidden by it

_DROPPED, _ONE_PDF_AT_A_TIME = "_drop_tables_default", Lock()
_LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "kern")
_COMPRESSION = 3  # of zlib: its usual 6 takes a tenth of a whole picture's time for a tenth of its size

_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "gaussdp"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "gaussdp", "Producer": None},
    "png": {"Software": None},
}


def require_matplotlib() -> None:
    """Return if figures can be drawn.

    Raises:
        MissingExtraError: if Matplotlib is not installed.
    """
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise MissingExtraError('figures need matplotlib: pip install "gaussdp[plot]"') from None


def format_of(path: Path) -> str:
    """The format that the file's ending names."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise DomainError(None, value=path.name, problem="a figure's file must end in .svg, .pdf or .png")
    return ending


def checked_format(name: str) -> str:
    """The name, if it is that of a format."""
    if not isinstance(name, str) or name not in FORMATS:
        raise DomainError(None, value=name, problem="a figure's format must be svg, pdf or png")
    return name


def rendered(
    draw: Callable[["Canvas"], None], size: tuple[float, float], *formats: str, fits: bool = False
) -> dict[str, bytes]:
    """What draw puts on a canvas of this size in inches, in each of these formats.

    Args:
        draw: draws.
        size: of the canvas.
        formats: "svg", "pdf", "png".
        fits: whether all labels are known to have room, so that none needs to be measured.
    """
    require_matplotlib()
    import matplotlib.style
    from matplotlib.figure import Figure as Canvas

    # The user's own settings stay out: the figures are the same everywhere.
    with matplotlib.style.context(["default", style.PARAMETERS]):
        canvas = Canvas(figsize=size, dpi=_POINTS_PER_INCH)
        draw(canvas)
        _write_numbers(canvas)
        if not fits:
            _keep_inside(canvas)
        return {ending: _bytes(canvas, ending) for ending in formats}


def render(figure: Figure, *formats: str) -> dict[str, bytes]:
    """The figure in each of these formats ("svg", "pdf", "png")."""
    return rendered(lambda canvas: draw_on(figure, canvas), style.WIDE if figure.wide else style.SQUARE, *formats)


def _write_numbers(canvas: "Canvas") -> None:
    """Plain numbers along the axes, as the language writes them."""
    if spoken() == ENGLISH:
        return
    from matplotlib.ticker import ScalarFormatter

    for axis in (axis for axes in canvas.axes for axis in (axes.xaxis, axes.yaxis)):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(lambda value, _: numeral(f"{value:g}"))


def _keep_inside(canvas: "Canvas") -> None:
    """Where labels are so long that the usual margins would cut them, find other margins."""
    box = canvas.get_tightbbox()
    width, height = canvas.get_size_inches()
    if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
        canvas.set_layout_engine("constrained")
        canvas.draw_without_rendering()
        canvas.set_layout_engine(None)


def _bytes(canvas: "Canvas", ending: str) -> bytes:
    buffer = io.BytesIO()
    more: dict[str, Any] = {"pil_kwargs": {"compress_level": _COMPRESSION}} if ending == "png" else {}
    with _without_layout_tables() if ending == "pdf" else nullcontext():
        canvas.savefig(buffer, format=ending, metadata=_UNDATED[ending], **more)
    return buffer.getvalue()


@contextmanager
def _without_layout_tables() -> Iterator[None]:
    """Embed fonts without the tables by which text is laid out: in a picture it is, and viewers do not read them.

    To thin these tables out takes fontTools longer than all the rest of a picture. Matplotlib sets its options itself,
    so that only their defaults are left to be told; a version that has none elsewhere embeds the tables.
    """
    from fontTools.subset import Options  # type: ignore[import-untyped]

    with _ONE_PDF_AT_A_TIME:
        before: list[str] | None = getattr(Options, _DROPPED, None)
        if before is None:
            yield
            return
        setattr(Options, _DROPPED, [*before, *_LAYOUT_TABLES])
        try:
            yield
        finally:
            setattr(Options, _DROPPED, before)


def draw_on(figure: Figure, canvas: "Canvas") -> None:
    """Draw the figure on a canvas."""
    axes = canvas.add_subplot()
    canvas.subplots_adjust(**(style.WIDE_MARGINS if figure.wide else style.SQUARE_MARGINS))
    _set_axis(axes, "x", figure.x)
    _set_axis(axes, "y", figure.y)
    axes.grid(visible=True, which="major")
    for curve in figure.curves:
        lines = style.DASHES if curve.dashed else "solid"
        (line,) = axes.plot(curve.x, curve.y, color=curve.colour, linestyle=lines, label=curve.label)
        if (curve.y == figure.y.low).all():
            line.set(clip_on=False, zorder=_ABOVE_FRAME)
    if figure.arrow:
        _draw_arrow(axes, figure.arrow)
    axes.legend(loc=figure.legend, ncols=figure.legend_columns)
    if legend_hides_a_curve(axes):
        axes.legend(loc="best")
    if legend_hides_a_curve(axes):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def legend_hides_a_curve(axes: "Axes") -> bool:
    """Whether a curve runs behind the legend."""
    legend = axes.get_legend()
    if legend is None:
        return False
    box = legend.get_window_extent()
    for line in axes.get_lines():
        points = line.get_transform().transform(line.get_xydata())
        places = np.linspace(0, len(points) - 1, _CHECKS)
        x, y = (np.interp(places, np.arange(len(points)), points[:, i]) for i in (0, 1))
        if bool(((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).any()):
            return True
    return False


def _set_axis(axes: "Axes", name: str, axis: Axis) -> None:
    from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator

    scale = axes.set_xscale if name == "x" else axes.set_yscale
    scale("log" if axis.log else "linear")
    (axes.set_xlim if name == "x" else axes.set_ylim)(axis.low, axis.high)
    (axes.set_xlabel if name == "x" else axes.set_ylabel)(axis.label)
    side = axes.xaxis if name == "x" else axes.yaxis
    side.set_major_locator(FixedLocator(list(axis.ticks)))
    side.set_minor_locator(LogLocator(subs="auto", numticks=20) if axis.log else NullLocator())
    side.set_minor_formatter(NullFormatter())
    if axis.tick_labels:
        side.set_ticklabels(list(axis.tick_labels))


def log_axis(axes: "Axes", name: str, low: float, high: float) -> None:
    """A logarithmic axis whose lesser ticks are one mark many times over.

    To Matplotlib a tick is two lines and two texts, which it makes, moves and measures one by one: a hundred of them
    take longer than all the rest of a figure; and a label in plain text is set twenty times as fast as one in mathtext.
    """
    from matplotlib.markers import TICKDOWN, TICKLEFT, TICKRIGHT, TICKUP
    from matplotlib.ticker import FixedLocator, NullLocator

    axis, across = (axes.xaxis, False) if name == "x" else (axes.yaxis, True)
    (axes.set_yscale if across else axes.set_xscale)("log")
    (axes.set_ylim if across else axes.set_xlim)(low, high)
    major = style.decades(low, high, _MOST_DECADES)
    axis.set_major_locator(FixedLocator(list(major)))
    axis.set_ticklabels([style.power_words(tick) for tick in major])
    axis.set_minor_locator(NullLocator())
    between = np.array(style.between_decades(low, high, major))
    place = axes.get_yaxis_transform() if across else axes.get_xaxis_transform()
    look: dict[str, Any] = {
        "s": style.MINOR_TICK**2,
        "linewidths": style.MINOR_WIDTH,
        "color": style.FRAME,
        "clip_on": False,
    }
    for edge, mark in ((0.0, TICKRIGHT if across else TICKUP), (1.0, TICKLEFT if across else TICKDOWN)):
        edges = np.full_like(between, edge)
        points = (edges, between) if across else (between, edges)
        axes.scatter(*points, transform=place, zorder=_TICKS, **{**look, "marker": mark})


def readable_log_axis(axes: "Axes", low: float, high: float) -> None:
    """A logarithmic upright axis around these values, with numbers at its ticks however short it is."""
    from matplotlib.ticker import FixedLocator, NullLocator

    low, high = low / _ROOM, high * _ROOM
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    ticks = style.readable_ticks(low, high)
    axes.yaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticklabels([numeral(shown(tick)) for tick in ticks])


def _draw_arrow(axes: "Axes", arrow: Arrow) -> None:
    if arrow.high > arrow.low:
        heads = {
            "arrowstyle": "<|-|>,head_length=0.35,head_width=0.16",
            "color": style.ARROW,
            "linewidth": style.THICK,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
            "mutation_scale": 9.0,
        }
        axes.annotate("", (arrow.x, arrow.high), (arrow.x, arrow.low), arrowprops=heads)
    left = axes.transAxes.inverted().transform(axes.transData.transform((arrow.x, arrow.low)))[0] > _FAR_RIGHT
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}  # lines that cross the words stay behind them
    place = (arrow.x / 1.1 if left else 1.1 * arrow.x, (arrow.low + arrow.high) / 2)
    axes.text(*place, arrow.words, va="center", ha="right" if left else "left", bbox=paper)
