"""Trade-off curves: of one guarantee with its operating points named, and of several side by side."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gaussdp.documents.files import write_file
from gaussdp.documents.rounding import shown, shown_up
from gaussdp.domains import PROBABILITY, Domain, checked, instance, number, several
from gaussdp.errors import DomainError
from gaussdp.figures import style
from gaussdp.figures.drawing import Mark, checked_format, format_of, log_axis, name_marks, rendered
from gaussdp.guarantees import ApproxDP, Guarantee
from gaussdp.numerics import LARGEST_EXPONENT, TINY, Floats
from gaussdp.words import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


SIZE = (7.0, 3.1)  # inches: the width of two columns
COLOURS = (style.OWN, style.SEQUENCE[-1], style.OWN_SECOND, "#525252")
MOST_CURVES = 2 * len(COLOURS)

_MARGINS = {"left": 0.075, "right": 0.975, "bottom": 0.165, "top": 0.955, "wspace": 0.26}
_MOST_IN_THE_PANEL = 4  # so many entries have room in the upper right corner, which the curves leave free
_LEGEND_ROW, _LEGEND_COLUMNS = 0.16, 3  # inches a row, where the legend lies below the panels
_SHORT_WORDS, _SHORT_POWER = 28, 1e-99  # entries of the legend and labels of ticks that the margins have room for
_POINTS = 241
_LOWEST = 1e-6
_BELOW = 100  # the smallest named FPR stands this factor inside the picture
_MARK, _NAMES = "#1a1a1a", "#1a1a1a"
_GUESSING = {"color": style.BASELINE, "linestyle": style.DASHES, "linewidth": 0.7}
_SECOND: tuple[Any, ...] = ((0, (1.2, 1.2)), (0, (4, 1.5)), (0, (4, 1.2, 1, 1.2)), (0, (7, 1, 1, 1, 1, 1)))
"""Dashes of the second four curves, which share the colours of the first."""
_FPR, _TPR = Domain(TINY, 1.0), Domain(0.0, 1.0)


@dataclass(frozen=True)
class Attack:
    """An operating point with its words.

    Attributes:
        fpr: the share of nonmembers accused.
        tpr: the share of members found.
        words: its name.
        spread: whether it stands apart from the others on linear axes, and is named there too.
    """

    fpr: float
    tpr: float
    words: str
    spread: bool = False


@dataclass(frozen=True, eq=False)
class TradeoffPlot:
    """The numbers behind the figure: curves by their words, and attacks; `render` and `write` draw it.

    Attributes:
        fpr: the false-positive rates at which the curves are known.
        fnr, tpr: the error rate and its complement, by the words for each curve.
        starts: where each curve begins, at FPR 0; 1 for those that promise something at every level.
        attacks: the points to mark.

    >>> from gaussdp import GDP, tradeoff_figure
    >>> type(tradeoff_figure(GDP(0.5))).__name__
    'TradeoffPlot'
    """

    fpr: Floats
    fnr: dict[str, Floats]
    tpr: dict[str, Floats]
    starts: dict[str, float]
    attacks: tuple[Attack, ...]

    def __repr__(self) -> str:
        return f"<TradeoffPlot of {', '.join(self.fnr)}; {len(self.attacks)} attacks marked>"

    def _numbers(self) -> tuple[object, ...]:
        curves = tuple((name, fnr.tobytes(), self.tpr[name].tobytes()) for name, fnr in self.fnr.items())
        return self.fpr.tobytes(), curves, tuple(self.starts.items()), self.attacks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TradeoffPlot) and self._numbers() == other._numbers()

    def __hash__(self) -> int:
        return hash(self._numbers())

    def render(self, ending: str = "svg") -> bytes:
        """The content of a file: "svg", "pdf" or "png".

        Raises:
            MissingExtraError: if Matplotlib is not installed.
        """
        return render_tradeoffs(self, checked_format(ending))[ending]

    def write(self, path: str | Path) -> Path:
        """Draw into this file, by its ending .svg, .pdf or .png; returns the path."""
        instance("path", path, (str, PathLike), "a path")
        place = Path(path)
        write_file(place, self.render(format_of(place)))
        return place

    def data_text(self) -> str:
        """The points: a header and one row a point, FPR and then the TPR of each curve, between spaces."""
        names = ["fpr", *(f"tpr{i}" for i in range(1, len(self.tpr) + 1))]
        rows = np.column_stack([self.fpr, *self.tpr.values()]).tolist()
        return "\n".join([" ".join(names), *(" ".join(f"{value:.12g}" for value in row) for row in rows)]) + "\n"

    def _repr_svg_(self) -> str:
        return self.render("svg").decode()


def tradeoff_plot(guarantees: dict[str, Guarantee], attacks: Sequence[Attack] = ()) -> TradeoffPlot:
    """Up to eight guarantees by their words, and attacks to mark.

    >>> from gaussdp import GDP
    >>> plot = tradeoff_plot({"μ = 1": GDP(1.0)}, [Attack(0.1, GDP(1.0).tpr(0.1), "FPR 0.1")])
    >>> float(plot.fpr[0]), float(plot.tpr["μ = 1"][-1])
    (1e-06, 1.0)
    """
    if not 1 <= len(guarantees) <= MOST_CURVES:
        raise DomainError("guarantees", f"1 to {MOST_CURVES}", got=f"{len(guarantees)}")
    least = min([number("fpr", attack.fpr, _FPR) for attack in attacks], default=1.0)
    for attack in attacks:
        number("tpr", attack.tpr, _TPR)
    lowest = max(min(_LOWEST, least / _BELOW), TINY)
    tail = np.geomspace(lowest, 0.5, _POINTS // 2, endpoint=False)
    kinks = [kink for guarantee in guarantees.values() for kink in _kinks(guarantee) if kink > lowest]
    fpr = np.unique(np.concatenate([tail, np.linspace(0.0, 1.0, _POINTS)[1:], 1 - tail[tail > 1e-12], kinks]))
    return TradeoffPlot(
        fpr,
        {words: guarantee.fnr(fpr) for words, guarantee in guarantees.items()},
        {words: guarantee.tpr(fpr) for words, guarantee in guarantees.items()},
        {words: _start(guarantee, float(fpr[0])) for words, guarantee in guarantees.items()},
        tuple(attacks),
    )


def _start(guarantee: Guarantee, lowest: float) -> float:
    """The FNR at FPR 0, or at the lowest rate for a curve that is not known down to there."""
    try:
        return guarantee.fnr(0.0)
    except DomainError:
        return guarantee.fnr(lowest)


def _kinks(guarantee: Guarantee) -> list[float]:
    """Where a curve of straight pieces turns, so that its corner is drawn sharp."""
    if isinstance(guarantee, ApproxDP):
        return [(1 - guarantee.delta_bound) / (1 + math.exp(min(guarantee.epsilon_bound, LARGEST_EXPONENT)))]
    return []


def render_tradeoffs(plot: TradeoffPlot, *formats: str) -> dict[str, bytes]:
    """The figure in each of these formats ("svg", "pdf", "png")."""
    size = SIZE[0], SIZE[1] + _below(plot)
    fits = not _below(plot) and plot.fpr[0] >= _SHORT_POWER and all(len(words) <= _SHORT_WORDS for words in plot.fnr)
    return rendered(lambda canvas: draw_on(plot, canvas), size, *formats, fits=fits)


def _below(plot: TradeoffPlot) -> float:
    """Inches for a legend below the panels, or none."""
    entries = len(plot.fnr) + 1
    return 0.0 if entries <= _MOST_IN_THE_PANEL else -(-entries // _LEGEND_COLUMNS) * _LEGEND_ROW


def draw_on(plot: TradeoffPlot, canvas: "Canvas") -> None:
    """Draw the plot on a canvas."""
    left, right = canvas.subplots(1, 2)
    extra = _below(plot)
    height = SIZE[1] + extra
    canvas.subplots_adjust(**{**_MARGINS, "bottom": (_MARGINS["bottom"] * SIZE[1] + extra) / height})
    left.set(xlabel=say("FPR (false alarms)"), ylabel=say("FNR (members missed)"), xlim=(0, 1), ylim=(0, 1))
    left.plot([0, 1], [1, 0], label=say("guessing"), **_GUESSING)
    right.set(xlabel=say("FPR (false alarms)"), ylabel=say("TPR (members found)"))
    log_axis(right, "x", float(plot.fpr[0]), 1.0)
    log_axis(right, "y", float(plot.fpr[0]), 1.5)
    right.plot(plot.fpr, plot.fpr, **_GUESSING)
    for i, words in enumerate(plot.fnr):
        colour, dashes = COLOURS[i % len(COLOURS)], "solid" if i < len(COLOURS) else _SECOND[i - len(COLOURS)]
        look: dict[str, Any] = {"color": colour, "linestyle": dashes}
        # A curve along the frame is not half hidden by it.
        left.plot(
            [0.0, *plot.fpr], [plot.starts[words], *plot.fnr[words]], label=words, clip_on=False, zorder=3, **look
        )
        right.plot(plot.fpr, np.maximum(plot.tpr[words], plot.fpr[0]), **look)
    for axes in (left, right):
        axes.grid(visible=True)
    if extra:
        canvas.legend(*left.get_legend_handles_labels(), loc="lower center", ncols=_LEGEND_COLUMNS)
    else:
        left.legend(loc="upper right")
    _name(left, right, plot)


def _name(left: "Axes", right: "Axes", plot: TradeoffPlot) -> None:
    """Dots on both panels; all names on the logarithmic one, those that stand apart on the linear one too."""
    low = float(plot.fpr[0])
    for axes, marks, named in (
        (left, [Mark(a.fpr, 1 - a.tpr, a.words) for a in plot.attacks], [a.spread for a in plot.attacks]),
        (right, [Mark(a.fpr, max(a.tpr, low), a.words) for a in plot.attacks], [True] * len(plot.attacks)),
    ):
        for mark in marks:
            axes.plot([mark.x], [mark.y], "o", color=_MARK, markersize=3.0, clip_on=False, zorder=5)
        if any(named):
            name_marks(axes, [mark for mark, wanted in zip(marks, named, strict=True) if wanted], _NAMES)


DEFAULT_FPRS = (1e-2, 1e-3, 1e-5)
_NAMED = Domain(1e-12, 1.0, closed_high=False)  # the FPR that an attack may have in a figure
_BISECTIONS = 100


def operating_points(guarantee: Guarantee, fprs: Sequence[float] = DEFAULT_FPRS) -> tuple[Attack, ...]:
    """The best guess at even odds, and the best attacks with these false-positive rates, with their TPR rounded up.

    A best guess with hardly any errors, below 1e-12, is left out.

    The best guess lies where both error rates are equal: there TPR minus FPR is largest, since the curve is convex and
    symmetric.

    >>> from gaussdp import PureDP
    >>> [attack.words for attack in operating_points(PureDP(1.0), [1e-3])]
    ['best guess: TPR 0.7311', '1 in 1,000: TPR 0.002719']
    """
    low, high = 0.0, 0.5
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if guarantee.fnr(middle) > middle:
            low = middle
        else:
            high = middle
    attacks = [Attack(fpr, tpr, f"{_alarm(fpr)}: {_found(tpr)}") for fpr, tpr in _tprs(guarantee, fprs)]
    if high < _NAMED.low:
        return tuple(attacks)
    return (Attack(high, guarantee.tpr(high), f"best guess: {_found(guarantee.tpr(high))}", spread=True), *attacks)


def tradeoff_figure(
    guarantee: Guarantee, *, fpr: float | Sequence[float] = DEFAULT_FPRS, name: str = ""
) -> TradeoffPlot:
    """The trade-off curve of a guarantee with its operating points named, in the style of the paper.

    On the left the curve as it is defined, FNR by FPR; on the right TPR by FPR on logarithmic axes, where the attacks
    that accuse few can be seen.

    Args:
        guarantee: any, an accounted curve too.
        fpr: false-positive rates of the attacks to name, each in [1e-12, 1).
        name: the guarantee's entry in the legend; its parameters if empty.
    Returns:
        A plot; `render("svg")`, "pdf" or "png" draws it, `write(path)` into a file, and notebooks show it.

    >>> from gaussdp import GDP
    >>> [attack.words for attack in tradeoff_figure(GDP(0.8)).attacks][:2]
    ['best guess: TPR 0.6555', '1 in 100: TPR 0.06347']
    """
    instance("name", name, str, "a name")
    fprs: list[float] = np.ravel(checked("fpr", fpr, _NAMED)).tolist()
    named = _named({name: guarantee} if name else [guarantee])
    return tradeoff_plot(named, operating_points(guarantee, fprs))


def comparison_figure(
    guarantees: Mapping[str, Guarantee] | Sequence[Guarantee],
    *,
    points: Mapping[str, tuple[float, float]] | None = None,
) -> TradeoffPlot:
    """The trade-off curves of several guarantees in one picture, in the style of the paper.

    Args:
        guarantees: one to eight, by the names for the legend, or in a sequence, to be named by their parameters; GDP,
            pure and approximate DP, zCDP, points of a profile and accounted curves alike.
        points: single attacks to mark, by name, as (fpr, tpr): measured ones, say.
    Returns:
        A plot; `render("svg")`, "pdf" or "png" draws it, `write(path)` into a file, and notebooks show it.

    >>> from gaussdp import GDP, PureDP
    >>> list(comparison_figure([GDP(0.8), PureDP(2.0)], points={"our attack": (0.01, 0.03)}).tpr)
    ['GDP, μ = 0.8', 'pure DP, ε = 2']
    """
    if points is not None and not isinstance(points, Mapping):
        raise DomainError("points", "pairs (fpr, tpr) by name", points)
    attacks = [_point(words, place) for words, place in (points or {}).items()]
    return tradeoff_plot(_named(guarantees), attacks)


def _named(guarantees: Mapping[str, Guarantee] | Sequence[Guarantee]) -> dict[str, Guarantee]:
    """The guarantees by their names, those without one by what they are, and numbered where that is the same."""
    if isinstance(guarantees, Mapping):
        named = {
            instance("guarantees", words, str, "by name"): _guarantee(guarantee)
            for words, guarantee in guarantees.items()
        }
    else:
        named = {}
        for guarantee in several("guarantees", guarantees, "a list of guarantees, or guarantees by name"):
            words = _guarantee(guarantee).legend
            same = sum(other == words or other.startswith(f"{words} (") for other in named)
            named[f"{words} ({same + 1})" if same else words] = guarantee
    return named


def _guarantee(thing: object) -> Guarantee:
    if isinstance(thing, Guarantee):
        return thing
    raise DomainError("guarantees", "such as GDP(0.8) or account(mechanism)", thing)


def _point(words: str, place: tuple[float, float]) -> Attack:
    if not isinstance(place, Sequence | np.ndarray) or len(place) != 2:
        raise DomainError(None, value=place, problem=f"point {words!r} must be a pair (fpr, tpr)")
    fpr = number(f"fpr of {words!r}", place[0], _NAMED)
    return Attack(fpr, number(f"tpr of {words!r}", place[1], PROBABILITY), words, spread=True)


def _tprs(guarantee: Guarantee, fprs: Sequence[float]) -> list[tuple[float, float]]:
    return [(fpr, guarantee.tpr(fpr)) for fpr in fprs]


def _alarm(fpr: float) -> str:
    turns = round(1 / fpr)
    return f"1 in {turns:,}" if math.isclose(turns * fpr, 1.0, rel_tol=1e-12) else f"FPR {shown(fpr)}"


def _found(tpr: float) -> str:
    return f"TPR {shown_up(tpr)}"
