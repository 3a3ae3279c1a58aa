"""Guarantees side by side as trade-off curves, with named attacks on them: linear axes, and logarithmic ones."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussdp.domains import LEVEL, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee
from gaussdp.numerics import Floats
from gaussdp.report.figures import style
from gaussdp.report.figures.drawing import rendered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SIZE = (7.0, 3.1)  # inches: the width of two columns
COLOURS = (style.SINGLE, style.SEQUENCE[-1], style.SEQUENCE[1], style.BASELINE)

_MARGINS = {"left": 0.075, "right": 0.975, "bottom": 0.165, "top": 0.955, "wspace": 0.26}
_POINTS = 241
_LOWEST = 1e-6
_BELOW = 100  # the smallest named FPR stands this factor inside the picture
_ROOM = 0.42  # of the width: what the words of an attack take
_LINE = {"color": style.BASELINE, "linestyle": style.DASHES, "linewidth": 0.7}


@dataclass(frozen=True)
class Attack:
    """An operating point with its words."""

    fpr: float
    tpr: float
    words: str


@dataclass(frozen=True, eq=False)
class TradeoffPlot:
    """The numbers behind the figure: curves by their words, and attacks."""

    fpr: Floats
    fnr: dict[str, Floats]
    tpr: dict[str, Floats]
    attacks: tuple[Attack, ...]


def tradeoff_plot(guarantees: dict[str, Guarantee], attacks: Sequence[Attack] = ()) -> TradeoffPlot:
    """Up to four guarantees by their words, and attacks to mark.

    >>> from gaussdp import GDP
    >>> plot = tradeoff_plot({"μ = 1": GDP(1.0)}, [Attack(0.1, GDP(1.0).tpr(0.1), "FPR 0.1")])
    >>> float(plot.fpr[0]), float(plot.tpr["μ = 1"][-1])
    (1e-06, 1.0)
    """
    if not 1 <= len(guarantees) <= len(COLOURS):
        raise DomainError(f"guarantees must be 1 to {len(COLOURS)}, got {len(guarantees)}")
    least = min([number("fpr", attack.fpr, LEVEL) for attack in attacks], default=1.0)
    lowest = max(min(_LOWEST, least / _BELOW), 1e-300)
    tail = np.geomspace(lowest, 0.5, _POINTS // 2, endpoint=False)
    fpr = np.unique(np.concatenate([tail, np.linspace(0.0, 1.0, _POINTS)[1:], 1 - tail[tail > 1e-12]]))
    return TradeoffPlot(
        fpr,
        {words: guarantee.fnr(fpr) for words, guarantee in guarantees.items()},
        {words: guarantee.tpr(fpr) for words, guarantee in guarantees.items()},
        tuple(attacks),
    )


def render_tradeoffs(plot: TradeoffPlot, *formats: str) -> dict[str, bytes]:
    """The figure in each of these formats ("svg", "pdf", "png")."""
    return rendered(lambda canvas: _draw(plot, canvas), SIZE, *formats)


def _draw(plot: TradeoffPlot, canvas: "Canvas") -> None:
    left, right = canvas.subplots(1, 2)
    canvas.subplots_adjust(**_MARGINS)
    left.set(xlabel="FPR", ylabel="FNR", xlim=(0, 1), ylim=(0, 1))
    left.plot([0, 1], [1, 0], label="guessing", **_LINE)
    right.set(xlabel="FPR", ylabel="TPR", xscale="log", yscale="log")
    right.set(xlim=(plot.fpr[0], 1.0), ylim=(plot.fpr[0], 1.5))
    right.plot(plot.fpr, plot.fpr, **_LINE)
    for colour, words in zip(COLOURS, plot.fnr, strict=False):
        # Both ends are the same for all: every curve starts at FNR 1 and ends at 0.
        left.plot([0.0, *plot.fpr], [plot.fnr[words][0], *plot.fnr[words]], color=colour, label=words)
        right.plot(plot.fpr, plot.tpr[words], color=colour)
    for attack in plot.attacks:
        _mark(left, attack.fpr, 1 - attack.tpr)
        _mark(right, attack.fpr, attack.tpr)
        _name(right, attack, float(plot.fpr[0]))
    for axes in (left, right):
        axes.grid(visible=True)
    left.legend(loc="upper right")


def _mark(axes: "Axes", fpr: float, rate: float) -> None:
    axes.plot([fpr], [rate], "o", color="black", markersize=3.0, clip_on=False, zorder=5)


def _name(axes: "Axes", attack: Attack, lowest: float) -> None:
    """The words above the curve, or below it where they would run out of the picture."""
    above = math.log(attack.fpr / lowest) > _ROOM * math.log(1 / lowest)
    offset, side = ((-4, 4), "right") if above else ((6, -8), "left")
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    place = (attack.fpr, attack.tpr)
    axes.annotate(attack.words, place, offset, textcoords="offset points", ha=side, fontsize=6.5, bbox=paper)
