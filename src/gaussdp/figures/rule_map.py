"""The map of mu/epsilon over policies and levels, one panel a criterion, with the contours of the rules of thumb."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussdp.choosing import RuleOfThumb
from gaussdp.choosing.tables import EPSILON
from gaussdp.documents.rounding import shown
from gaussdp.domains import LEVEL, number
from gaussdp.errors import DomainError
from gaussdp.figures import scales
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
    axes.xaxis.set_major_locator(FixedLocator(list(scales.decades(chart.epsilon[0], chart.epsilon[-1]))))
    axes.yaxis.set_major_locator(FixedLocator(list(scales.decades(chart.levels[0], chart.levels[-1], 10))))
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
