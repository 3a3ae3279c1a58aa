"""Maps: mu/epsilon over policies and levels with the rules of thumb, and the noise of a sweep by batch and epochs."""

import importlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussdp.calibration.sweep_designs import Row
from gaussdp.choosing import RuleOfThumb
from gaussdp.choosing.tables import EPSILON
from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import shown, shown_up
from gaussdp.domains import LEVEL, number
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered
from gaussdp.figures.illustrations import DRAWABLE
from gaussdp.numerics import Floats
from gaussdp.risks import Identification, Level, criteria

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


SIZE = (7.0, 2.85)  # inches: the width of two columns, for the three criteria of the paper
LEVELS = (1e-10, 1e-1)

_MARGINS = {"left": 0.078, "right": 0.902, "bottom": 0.235, "top": 0.915, "wspace": 0.42}
_BAR = (0.925, 0.235, 0.011, 0.68)  # left, bottom, width, height
_POINTS = 141
_BANDS = (8, 7, 6, 5, 4, 3, 2, 1)  # the k between whose mu = epsilon / k the shades change
_SHADES = ("#08306b", "#08519c", "#2171b5", "#4292c6", "#6baed6", "#9ecae1", "#c6dbef", "#deebf7", "#f7fbff")
_LINE = "#111111"
_HATCH = "#d0e0ee"
_PAPER = "#d62728"


@dataclass(frozen=True, eq=False)
class Panel:
    """One criterion: its level down the side, and mu/epsilon at each (level, epsilon)."""

    title: str
    level: Level
    ratio: Floats

    @property
    def label(self) -> str:
        """The level's name and symbol."""
        return f"${self.level.math}$" if self.level.by_symbol else f"{self.level.label} ${self.level.math}$"


@dataclass(frozen=True, eq=False)
class RuleMap:
    """mu/epsilon by criterion over a grid of policies and levels."""

    epsilon: Floats
    levels: Floats
    panels: tuple[Panel, ...]
    divisors: tuple[float, ...]


def rule_map(
    epsilon_range: tuple[float, float] = (0.1, 10.0),
    levels: tuple[float, float] = LEVELS,
    divisors: Sequence[float] = (5.0, 3.0),
) -> RuleMap:
    """The map's numbers.

    Args:
        epsilon_range: the policies, 0 < low < high < inf.
        levels: the lowest and the highest FPR, recall and delta, in (0, 1).
        divisors: the k whose contours mu/epsilon = 1/k are drawn.
    """
    low, high = (number("epsilon", end, DRAWABLE) for end in epsilon_range)
    bottom, top = (number("level", end, LEVEL) for end in levels)
    if not (low < high and bottom < top):
        raise DomainError(
            None,
            problem="the map needs ranges that ascend",
            got=f"epsilon {low:g} to {high:g}, level {bottom:g} to {top:g}",
        )
    epsilon = np.geomspace(low, high, _POINTS)
    level = np.geomspace(bottom, top, _POINTS)
    return RuleMap(
        epsilon,
        level,
        tuple(
            Panel(risk.name, risk.level, np.stack([risk.at(at).mu_from_epsilon(epsilon) for at in level]) / epsilon)
            for risk in criteria()
            if risk.level is not None and risk is not Identification  # which has the map of multiplicative advantage
        ),
        tuple(sorted({RuleOfThumb(divisor).divisor for divisor in divisors})),
    )


def render_rule_map(chart: RuleMap, *formats: str) -> dict[str, bytes]:
    """The map in each of these formats ("svg", "pdf", "png")."""
    width = SIZE[0] * max(len(chart.panels) / 3, 1.0)
    return rendered(lambda canvas: _draw(chart, canvas), (width, SIZE[1]), *formats)


def _draw(chart: RuleMap, canvas: "Canvas") -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    row = canvas.subplots(1, len(chart.panels), sharex=True)
    for axes, panel in zip(row, chart.panels, strict=True):
        shades = _draw_panel(axes, chart, panel)
    canvas.subplots_adjust(**_MARGINS)
    bar = canvas.colorbar(shades, cax=canvas.add_axes(_BAR))
    bar.set_ticks([1 / k for k in _BANDS], labels=[_fraction(k) for k in _BANDS])
    bar.set_label(r"$\mu / \varepsilon$")
    bar.ax.tick_params(length=0)
    words = [
        (
            Patch(facecolor=_SHADES[3], edgecolor=_HATCH, hatch="/////", linewidth=0),
            _spends(max(chart.divisors, default=0)),
        ),
        (Line2D([], [], color=_PAPER, linestyle=(0, (1, 1)), linewidth=1.2), "what the paper tabulates"),
    ]
    shown_words = [pair for pair in words if pair[1]]
    canvas.legend(
        [handle for handle, _ in shown_words],
        [label for _, label in shown_words],
        loc="lower center",
        ncols=len(shown_words),
    )


def _draw_panel(axes: "Axes", chart: RuleMap, panel: Panel) -> Any:
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    bounds = [1 / k for k in _BANDS]
    ratio = np.clip(panel.ratio, 0.5 * bounds[0], 2 * bounds[-1])
    norm = BoundaryNorm(bounds, len(_SHADES), extend="both")
    axes.set_xscale("log")
    axes.set_yscale("log")
    shades = axes.contourf(
        chart.epsilon, chart.levels, ratio, levels=bounds, cmap=ListedColormap(_SHADES), norm=norm, extend="both"
    )
    shades.set_edgecolor("face")  # no hairlines between the bands
    contours = [1 / k for k in reversed(chart.divisors)]
    if contours:
        _draw_contours(axes, chart, panel.ratio, contours)
    _draw_paper(axes, panel.level)
    axes.set_title(panel.title, fontsize=8.5)
    axes.set_xlabel(r"$\varepsilon$")
    axes.set_ylabel(panel.label, labelpad=1.5)
    axes.set_xlim(chart.epsilon[0], chart.epsilon[-1])
    axes.set_ylim(chart.levels[0], chart.levels[-1])
    axes.xaxis.set_major_locator(FixedLocator(list(style.decades(chart.epsilon[0], chart.epsilon[-1]))))
    axes.yaxis.set_major_locator(FixedLocator(list(style.decades(chart.levels[0], chart.levels[-1], 10))))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    return shades


def _draw_contours(axes: "Axes", chart: RuleMap, ratio: Floats, contours: list[float]) -> None:
    from matplotlib.patheffects import withStroke

    if ratio.min() < contours[0]:
        spent = axes.contourf(
            chart.epsilon, chart.levels, ratio, levels=[0, contours[0]], colors="none", hatches=["/////"]
        )
        spent.set_edgecolor(_HATCH)
        spent.set_linewidth(0)
    inside = [level for level in contours if ratio.min() < level < ratio.max()]
    if not inside:
        return
    lines = axes.contour(chart.epsilon, chart.levels, ratio, levels=inside, colors=_LINE, linewidths=1.2)
    words = dict(zip(contours, (_fraction(k) for k in reversed(chart.divisors)), strict=True))
    places = [_on_contour(chart, ratio, level) for level in inside]
    for label in axes.clabel(lines, fmt=words, fontsize=8, inline=True, inline_spacing=3, manual=places):
        label.set_path_effects([withStroke(linewidth=2.5, foreground="white")])


def _on_contour(chart: RuleMap, ratio: Floats, level: float) -> tuple[float, float]:
    """A point of the contour, to the right of the middle, where its label leaves the paper's corner free."""
    crossings = np.argwhere(np.diff(ratio > level, axis=0))
    if not crossings.size:
        return float(chart.epsilon[_POINTS // 2]), float(chart.levels[_POINTS // 2])
    row, column = crossings[np.argmin(np.abs(crossings[:, 1] - 0.75 * _POINTS))]
    return float(chart.epsilon[column]), float(chart.levels[row])


def _draw_paper(axes: "Axes", level: Level) -> None:
    """Outline the policies and levels of the paper's table."""
    x = [EPSILON.usual[0], EPSILON.usual[-1]]
    y = [min(level.usual), max(level.usual)]
    corners = ([x[0], x[1], x[1], x[0], x[0]], [y[0], y[0], y[1], y[1], y[0]])
    axes.plot(*corners, color=_PAPER, linestyle=(0, (1, 1)), linewidth=1.2)


def _fraction(divisor: float) -> str:
    return "1" if divisor == 1 else f"1/{shown(divisor)}"


def _spends(divisor: float) -> str:
    return rf"$\varepsilon/{shown(divisor)}$ spends more than the matched budget" if divisor else ""


FIGURE_FORMATS = (".png", ".pdf", ".svg")

_ANNOTATED = 160  # cells of a panel that still have room for their number
_CELL = 0.72  # inches
_LIGHT = 0.6  # share of the colour scale above which black letters read better


def heat_map(rows: Sequence[Row], path: str | Path) -> None:
    """Draw the noise multiplier over batch size and epochs, one panel for each target and data set size.

    Args:
        rows: of a sweep; designs without an answer stay grey.
        path: a .png, .pdf or .svg file.
    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    file = figure_path(path)
    figures, colors = _matplotlib("matplotlib.figure"), _matplotlib("matplotlib.colors")
    panels = list(dict.fromkeys((row["target"], row["dataset_size"]) for row in rows))
    values = [row["noise_multiplier"] for row in rows if row["noise_multiplier"] is not None]
    if not values:
        raise DomainError(None, problem="no design of the sweep has an answer, so there is nothing to draw")
    batches, epochs = _levels(rows, "batch_size"), _levels(rows, "epochs")
    across = min(len(panels), 3)
    down = -(-len(panels) // across)
    size = (across * (_CELL * len(batches) + 1.2) + 1.4, down * (0.5 * _CELL * len(epochs) + 1.3) + 0.4)
    figure = figures.Figure(figsize=(max(size[0], 4.5), max(size[1], 3.0)), layout="constrained")
    axes = figure.subplots(down, across, squeeze=False)
    low, high = min(values), max(values)
    norm = colors.LogNorm(low, high if high > low else low * 1.01)
    image = None
    for place, axis in enumerate(axes.flat):
        if place >= len(panels):
            axis.set_axis_off()
            continue
        target, dataset_size = panels[place]
        cells = np.full((len(epochs), len(batches)), np.nan)
        for row in rows:
            if (row["target"], row["dataset_size"]) == panels[place] and row["noise_multiplier"] is not None:
                cells[epochs.index(row["epochs"]), batches.index(row["batch_size"])] = row["noise_multiplier"]
        axis.set_facecolor("0.85")
        image = axis.imshow(cells, origin="lower", aspect="auto", norm=norm, cmap="viridis")
        _annotate(axis, cells, norm)
        axis.set_xticks(range(len(batches)), [shown(value) for value in batches])
        axis.set_yticks(range(len(epochs)), [shown(value) for value in epochs])
        axis.set_title(f"{target.replace('mu=', 'μ = ')}, {dataset_size:,} records", fontsize=10)
        axis.set_xlabel("batch size")
        axis.set_ylabel("epochs")
    bar = figure.colorbar(image, ax=axes, label="noise multiplier")
    ticks = style.readable_ticks(low, high) if high > low else (low,)
    bar.set_ticks(ticks, labels=[shown(tick) for tick in ticks])
    bar.ax.minorticks_off()
    picture = io.BytesIO()
    figure.savefig(picture, format=file.suffix.removeprefix("."), dpi=150)
    write_file(file, picture.getvalue())


def figure_path(path: str | Path) -> Path:
    """The path, if a figure can be written there."""
    file = Path(path)
    if file.suffix not in FIGURE_FORMATS:
        raise DomainError(
            None, value=str(file), problem=f"the name of the figure must end in {', '.join(FIGURE_FORMATS)}"
        )
    if not file.parent.is_dir():
        raise DomainError(None, place=str(file), problem=f"there is no folder {file.parent}")
    return file


def _annotate(axis: Any, cells: np.ndarray[Any, np.dtype[np.float64]], norm: Any) -> None:
    if cells.size > _ANNOTATED:
        return
    for (i, j), value in np.ndenumerate(cells):
        if not np.isnan(value):
            color = "black" if norm(value) > _LIGHT else "white"
            label = shown_up(float(value))
            axis.text(j, i, label, ha="center", va="center", color=color, fontsize=8)


def _levels(rows: Sequence[Row], column: str) -> list[float]:
    return sorted({row[column] for row in rows})


def _matplotlib(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError('figures need matplotlib: pip install "gaussdp[plot]"') from None
