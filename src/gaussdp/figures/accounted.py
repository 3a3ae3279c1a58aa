"""What one number leaves out: the accounted curve beside its GDP fit, and the fitted mu by floor."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gaussdp.accounting import AccountedCurve, PointsCurve
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.documents.rounding import shown_up
from gaussdp.figures import style
from gaussdp.figures.drawing import log_axis, rendered
from gaussdp.guarantees import ApproxDP
from gaussdp.numerics import TINY, Floats
from gaussdp.words import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

SIZE = (7.0, 2.9)  # inches: the width of two columns

_MARGINS = {"left": 0.085, "right": 0.975, "bottom": 0.175, "top": 0.955, "wspace": 0.3}
_CURVE_POINTS = 121
_FLOORS = 25
_LOWEST_FPR, _HIGHEST_FLOOR = 1e-8, 1e-2
_FIT = style.OWN
_TRUTH = style.SEQUENCE[-1]


@dataclass(frozen=True, eq=False)
class AccountedPlot:
    """The numbers behind the figure: three curves by FPR, and mu by floor."""

    fpr: Floats
    tpr: Floats
    tpr_by_mu: Floats
    tpr_by_statement: Floats
    floors: Floats
    mus: Floats
    mu: float
    floor: float
    delta: float
    epsilon: float


def accounted_plot(
    curve: AccountedCurve | PointsCurve, floor: float | None = None, delta: float = 1e-5
) -> AccountedPlot:
    """The accounted curve, the curve of its fitted mu and that of its (epsilon, delta) statement; mu by floor.

    Args:
        curve: the accounted guarantee.
        floor: of the fit drawn in the first panel; the curve's own default if None.
        delta: of the (epsilon, delta) statement, in (0, 1).
    """
    fit = curve.fit() if floor is None else curve.fit(floor)
    epsilon = curve.epsilon(delta)
    fpr = np.geomspace(_LOWEST_FPR, 1.0, _CURVE_POINTS)
    fpr[-1] = 1.0
    lowest = max(fit.floor, TINY) if not fit.unconditional else DEFAULT_FLOOR
    floors = np.geomspace(min(lowest, _HIGHEST_FLOOR), _HIGHEST_FLOOR, _FLOORS)
    floors[0] = max(floors[0], lowest)
    return AccountedPlot(
        fpr=fpr,
        tpr=curve.tpr(fpr),
        tpr_by_mu=fit.guarantee.tpr(fpr),
        tpr_by_statement=ApproxDP(epsilon, delta).tpr(fpr),
        floors=floors,
        mus=np.array([curve.fit(float(level)).mu for level in floors]),
        mu=fit.mu,
        floor=fit.floor,
        delta=delta,
        epsilon=epsilon,
    )


def render_accounted(plot: AccountedPlot, *formats: str) -> dict[str, bytes]:
    """The figure in each of these formats ("svg", "pdf", "png")."""
    return rendered(lambda canvas: _draw(plot, canvas), SIZE, *formats)


def _draw(plot: AccountedPlot, canvas: "Canvas") -> None:
    left, right = canvas.subplots(1, 2)
    canvas.subplots_adjust(**_MARGINS)
    _draw_curves(plot, left)
    _draw_floors(plot, right)


def _draw_curves(plot: AccountedPlot, axes: "Axes") -> None:
    mu, epsilon = (style.text_words(shown_up(value)) for value in (plot.mu, plot.epsilon))
    level = style.level_words(plot.delta)
    axes.set(xlabel="FPR", ylabel="TPR")
    log_axis(axes, "x", float(plot.fpr[0]), 1.0)
    log_axis(axes, "y", float(plot.fpr[0]), 1.5)
    axes.plot(plot.fpr, plot.fpr, color=style.BASELINE, linestyle=style.DASHES, label="TPR = FPR")
    if plot.epsilon < math.inf:
        axes.plot(
            plot.fpr,
            plot.tpr_by_statement,
            color=style.SEQUENCE[0],
            label=rf"$(\varepsilon = {epsilon},\ \delta = {level})$-DP",
        )
    # Wider, to be seen where the curve itself lies on it.
    axes.plot(plot.fpr, plot.tpr_by_mu, color=_FIT, linewidth=2 * style.THICK, label=rf"$\mu = {mu}$")
    axes.plot(plot.fpr, plot.tpr, color=_TRUTH, label=say("the curve itself"))
    axes.grid(visible=True)
    axes.legend(loc="lower right")


def _draw_floors(plot: AccountedPlot, axes: "Axes") -> None:
    axes.set(xlabel=say("floor: smallest error rate of the attacks"), ylabel=r"$\mu$")
    axes.plot(plot.floors, plot.mus, color=_TRUTH)
    if plot.floor > 0:
        axes.plot([plot.floor], [plot.mu], "o", color=_FIT, markersize=3.5, clip_on=False, zorder=5)
    if plot.floors[0] < plot.floors[-1]:  # a floor as high as that leaves one point
        log_axis(axes, "x", float(plot.floors[0]), float(plot.floors[-1]))
    else:
        axes.set_xscale("log")
    axes.set_ylim(0.0, 1.15 * float(plot.mus.max()))
    axes.grid(visible=True)
