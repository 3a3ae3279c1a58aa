"""Published deployments on one axis of mu, and where a user's mu stands among them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import NON_NEGATIVE, number
from gaussdp.errors import DomainError
from gaussdp.figures import style
from gaussdp.figures.drawing import rendered
from gaussdp.published.catalogue import Deployment, deployments, in_order, mu_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_WIDTH, _ROW, _FRAME = 7.0, 0.3, 0.85  # inches
_EXACT, _IMPLIED, _OWN = style.SEQUENCE[-1], style.SEQUENCE[2], style.OWN
_LEFT, _RIGHT = 0.42, 0.975
_NAMES, _SMALL, _MARK, _GAP = 6.0, 6.4, 4.2, 6.0  # points
_PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # lines that cross words stay behind them
_AXIS = (r"$\mu$ of the unit and period named (smaller is more private)", r"$\mu$ of a year (smaller is more private)")
_FEW_DECADES = 1e3  # so many have room for 2 and 5 between the powers of ten
_LOWEST, _HIGHEST = 1e-2, 1e2  # of the axis; a mu beyond stands at its end


def render_deployments(
    *formats: str, mu: float | None = None, uses: Sequence[Deployment] | None = None, per_year: bool = False
) -> dict[str, bytes]:
    """The deployments on one axis of mu, in each of these formats ("svg", "pdf", "png").

    A filled mark is an exact mu, a hollow one is implied by pure DP; those without a mu are named at the bottom.

    Args:
        formats: the file formats.
        mu: the user's own, as a line across; in [0, inf], or None.
        uses: which deployments; the catalogue's if None.
        per_year: whether each mu is that of a year.
    Raises:
        MissingExtraError: if Matplotlib is not installed.
    """
    listed = in_order(deployments() if uses is None else uses, per_year)
    if not listed:
        raise DomainError("uses", problem="must not be empty", advice="give at least one deployment")
    own = None if mu is None else number("mu", mu, NON_NEGATIVE)
    size = (_WIDTH, _FRAME + _ROW * len(listed))
    return rendered(lambda canvas: _draw(canvas, listed, own, per_year), size, *formats)


def _draw(canvas: "Canvas", uses: Sequence[Deployment], own: float | None, per_year: bool) -> None:
    height = canvas.get_size_inches()[1]
    axes = canvas.add_subplot()
    canvas.subplots_adjust(left=_LEFT, right=_RIGHT, bottom=0.42 / height, top=1 - 0.36 / height)
    known = [mu for use in uses if (mu := mu_of(use, per_year)) is not None]
    shown_mus = [*known, *([] if own is None else [_on_axis(own)])] or [1.0]
    low, high = 10 ** math.floor(math.log10(min(shown_mus))), 10 ** math.ceil(math.log10(max(shown_mus)))
    axes.set_xscale("log")
    axes.set(xlim=(low, high), ylim=(len(uses) - 0.4, -0.6), xlabel=_AXIS[per_year])
    axes.set_yticks(range(len(uses)), [_name(use) for use in uses])
    axes.tick_params(axis="y", length=0, labelsize=_NAMES)
    axes.xaxis.set_major_formatter(_tick_words)
    if high / low <= _FEW_DECADES:
        axes.xaxis.set_minor_formatter(_minor_tick_words)
        axes.tick_params(axis="x", which="minor", labelsize=_SMALL)
    axes.grid(visible=True, axis="x")
    axes.grid(visible=True, axis="y", linewidth=0.25)
    for row, use in enumerate(uses):
        _draw_use(axes, row, use, mu_of(use, per_year), low, own)
    if own is not None:
        axes.axvline(_on_axis(own), color=_OWN, zorder=1.5)
    _add_legend(axes, uses, own)


def _tick_words(value: float, _: object) -> str:
    return shown(float(f"{value:.6g}"))


def _minor_tick_words(value: float, _: object) -> str:
    return _tick_words(value, _) if f"{value:e}"[0] in "25" else ""


def _on_axis(mu: float) -> float:
    return min(max(mu, _LOWEST), _HIGHEST)


def _name(use: Deployment) -> str:
    """Who and when, and below it whom the number protects and for how long."""
    period = {"": "", "not stated": ", often"}.get(use.period, f", every {use.period}")
    return f"{use.name} ({use.organisation}, {use.year})\n{use.unit}{period}"


def _draw_use(axes: "Axes", row: int, use: Deployment, mu: float | None, low: float, own: float | None) -> None:
    words = use.stated + (", local" if use.setting == "local" else "")
    if mu is None:
        axes.text(
            low * 1.12, row, f"no $\\mu$: {words}", va="center", fontsize=_SMALL, color=style.BASELINE, bbox=_PAPER
        )
        return
    filled = use.basis == "exact"
    colour = _EXACT if filled else _IMPLIED
    axes.plot([mu], [row], "o", color=colour, markersize=_MARK, markerfacecolor=colour if filled else "white")
    label = axes.annotate(
        words,
        (mu, row),
        (_GAP, 0),
        textcoords="offset points",
        va="center",
        fontsize=_SMALL,
        bbox=_PAPER,
        zorder=1.8,
    )
    box = label.get_window_extent()
    crossed = own is not None and box.x0 < axes.transData.transform((_on_axis(own), row))[0] < box.x1 + _GAP / 2
    if crossed or box.x1 + _GAP > axes.get_window_extent().x1:
        label.set(ha="right", position=(-_GAP, 0))


def _add_legend(axes: "Axes", uses: Sequence[Deployment], own: float | None) -> None:
    from matplotlib.lines import Line2D

    marks = {
        "exact": Line2D(
            [], [], color=_EXACT, marker="o", linestyle="", markersize=_MARK, label="exact: Gaussian noise"
        ),
        "implied": Line2D(
            [],
            [],
            color=_IMPLIED,
            marker="o",
            linestyle="",
            markersize=_MARK,
            markerfacecolor="white",
            label="implied by pure DP",
        ),
    }
    handles = [mark for basis, mark in marks.items() if any(use.basis == basis for use in uses)]
    if own is not None:
        beyond = "" if own == _on_axis(own) else " (off the axis)"
        value = style.number_words(rounded(own, Rounding.UP))
        label = rf"yours: $\mu = {value}${beyond}"
        handles.append(Line2D([], [], color=_OWN, label=label))
    if handles:
        axes.legend(
            handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(handles), borderaxespad=0.1
        )
