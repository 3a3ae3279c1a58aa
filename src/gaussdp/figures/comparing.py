"""The trade-off curve of one guarantee with its operating points named, and several guarantees in one picture."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gaussdp.documents.rounding import shown, shown_up
from gaussdp.domains import PROBABILITY, Domain, checked, instance, number, several
from gaussdp.errors import DomainError
from gaussdp.figures.tradeoffs import Attack, TradeoffPlot, tradeoff_plot
from gaussdp.guarantees import Guarantee

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
    ['best guess: TPR 0.732', '1 in 1,000: TPR 0.00272']
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
    ['best guess: TPR 0.656', '1 in 100: TPR 0.0635']
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
    return f"TPR {shown_up(tpr, 3)}"
