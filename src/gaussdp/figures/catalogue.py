"""The nine plots of the paper by name: mu by epsilon, risks by level, and three illustrations from beside this file."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gaussdp.domains import number
from gaussdp.errors import DomainError
from gaussdp.figures import illustrations, style
from gaussdp.figures.illustrations import (
    DRAWABLE,
    baseline,
    epsilons,
    log10_delta,
    log_delta_axis,
    precisions,
    recalls,
)
from gaussdp.figures.model import Axis, Curve, Figure
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats
from gaussdp.risks import DELTA, FPR, RECALL, Level, MultiplicativeAdvantage, Precision, Profile, Risk
from gaussdp.risks.levels import capital

MOST_CURVES = 8
_POINTS = 401
_COLUMNS = "ABCDEFGH"


def by_multiplicative_advantage(fpr: Sequence[float] = FPR.usual[::-1], epsilon: float = 4.0) -> Figure:
    """Figure 1b: mu by epsilon, matched on multiplicative advantage at FPR levels; epsilon ends the axis."""
    return _mapping("fig1b", MultiplicativeAdvantage, FPR, fpr, epsilon, "fig1b_mu_vs_eps_multadv.dat")


def by_precision(recall: Sequence[float] = RECALL.usual[::-1], epsilon: float = 4.0) -> Figure:
    """Figure 2b: mu by epsilon, matched on precision at recall levels; epsilon ends the axis."""
    return _mapping("fig2b", Precision, RECALL, recall, epsilon, "fig2b_mu_vs_eps_recall.dat")


def by_profile(delta: Sequence[float] = DELTA.usual, epsilon: float = 4.0) -> Figure:
    """Figure 3b: mu by epsilon, matched on the privacy profile at several delta; epsilon ends the axis."""
    return _mapping("fig3b", Profile, DELTA, delta, epsilon, "fig3b_mu_vs_eps_adp.dat")


def few(name: str, values: Sequence[float]) -> Sequence[float]:
    """The values, if one figure can tell so many curves apart."""
    if not 1 <= len(values) <= MOST_CURVES:
        raise DomainError(name, problem=f"must hold 1 to {MOST_CURVES} values, one a curve", got=f"{len(values)}")
    return values


def columns(count: int) -> list[str]:
    """The names cA, cB, ... that the paper's source reads."""
    return [f"c{letter}" for letter in _COLUMNS[:count]]


def _mapping(
    key: str, criterion: type[Risk], level: Level, values: Sequence[float], epsilon: float, data_name: str
) -> Figure:
    risks = [criterion.at(value) for value in few(level.key, values)]
    end = number("epsilon", epsilon, DRAWABLE)
    x = np.linspace(0.0, end, _POINTS)
    budgets = [risk.mu_from_epsilon(x) for risk in risks]
    top = max(end, style.enlarged(end, max(float(mu[-1]) for mu in budgets)))
    ends = np.array([0.0, end])
    rules = tuple(
        Curve(rf"$\varepsilon/{divisor}$", ends, ends / divisor, colour, dashed=True)
        for divisor, colour in ((3, style.RULE_OF_3), (5, style.RULE_OF_5))
    )
    curves = tuple(
        Curve(f"${level.math} = {style.level_words(value)}$", x, mu, colour)
        for value, mu, colour in zip(values, budgets, style.sequence(len(risks)), strict=True)
    )
    return Figure(
        key,
        f"Budget μ by ε, matched on {criterion.phrase} at {level.heading}",
        Axis(r"$\varepsilon$", 0.0, end, style.ticks(end, 5)),
        Axis(r"$\mu$", 0.0, top, style.ticks(top, 5)),
        rules + curves,
        "upper left",
        {"eps": x, **dict(zip(columns(len(risks)), budgets, strict=True))},
        data_name,
    )


PAPER_MUS = (0.1, 0.25, 0.5, 1.0)
_POINTS_BY_LEVEL = 251
_LOWEST_LOG_DELTA = -15.0


def multiplicative_advantage(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 4a: TPR/FPR by FPR. The paper's source labels the x-axis TPR; it is the FPR."""
    guarantees = _guarantees(mu)
    low, high = 1e-6, 1e-1
    x = np.geomspace(low, high, _POINTS_BY_LEVEL)
    x[0], x[-1] = low, high
    ratios = [guarantee.multiplicative_advantage(x) for guarantee in guarantees]
    # One decade above the highest curve leaves room for the legend.
    top = float(f"1e{math.ceil(math.log10(max(float(ratio[0]) for ratio in ratios))) + 1}")
    even = Curve("TPR = FPR", np.array([low, high]), np.ones(2), style.BASELINE, dashed=True)
    return Figure(
        "fig4a",
        _title(MultiplicativeAdvantage, FPR),
        Axis(FPR.label, low, high, style.decades(low, high), log=True),
        Axis(_axis(MultiplicativeAdvantage), 1.0, top, style.decades(1.0, top), log=True),
        (even, *_curves(guarantees, [x] * len(ratios), ratios)),
        "upper right",
        {"fpr": x, **dict(zip(columns(len(ratios)), ratios, strict=True))},
        "fig4a_advratio_vs_fpr.dat",
        wide=True,
    )


def precision(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 5a: precision by recall."""
    guarantees = _guarantees(mu)
    x = recalls()
    shares = [precisions(guarantee, x) for guarantee in guarantees]
    return Figure(
        "fig5a",
        _title(Precision, RECALL),
        Axis("TPR", 0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), ("0", "0.25", "0.5", "0.75", "1")),
        Axis(Precision.label, 0.45, 1.02, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), ("0.5", "0.6", "0.7", "0.8", "0.9", "1")),
        (baseline(), *_curves(guarantees, [x] * len(shares), shares)),
        "upper right",
        {"recall": x, **dict(zip(columns(len(shares)), shares, strict=True))},
        "fig5a_precision_vs_recall.dat",
        wide=True,
    )


def profile(mu: Sequence[float] = PAPER_MUS) -> Figure:
    """Figure 6a: epsilon by delta."""
    guarantees = _guarantees(mu)
    top = style.enlarged(9.0, max(guarantee.epsilon(10.0**_LOWEST_LOG_DELTA) for guarantee in guarantees))
    y = epsilons(top)
    exponents = [log10_delta(guarantee.mu, y) for guarantee in guarantees]
    return Figure(
        "fig6a",
        "Privacy profile of μ-GDP: ε by δ",
        log_delta_axis(_LOWEST_LOG_DELTA),
        Axis(r"$\varepsilon$", 0.0, top, style.ticks(top, 5)),
        _curves(guarantees, exponents, [y] * len(exponents)),
        "upper right",
        {"eps": y, **dict(zip(columns(len(exponents)), exponents, strict=True))},
        "fig6a_log10delta_vs_eps.dat",
        wide=True,
    )


def _title(risk: type[Risk], level: Level) -> str:
    return f"{capital(risk.name)} of the best attack on μ-GDP, by {level.label}"


def _axis(risk: type[Risk]) -> str:
    return f"{capital(risk.name)} {risk.quantity}"


def _guarantees(mus: Sequence[float]) -> list[GDP]:
    return [GDP(number("mu", mu, DRAWABLE)) for mu in few("mu", mus)]


def _curves(guarantees: Sequence[GDP], xs: Sequence[Floats], ys: Sequence[Floats]) -> tuple[Curve, ...]:
    colours = style.sequence(len(guarantees))
    return tuple(
        Curve(rf"$\mu = {style.number_words(guarantee.mu)}$", x, y, colour)
        for guarantee, x, y, colour in zip(guarantees, xs, ys, colours, strict=True)
    )


@dataclass(frozen=True)
class FigureEntry:
    """A figure's maker and what it takes: parameters with one value and with several (one a curve)."""

    make: Callable[..., Figure]
    one: tuple[str, ...] = ()
    several: tuple[str, ...] = ()

    @property
    def takes(self) -> tuple[str, ...]:
        """The names of all its parameters."""
        return self.several + self.one


FIGURES: dict[str, FigureEntry] = {
    "fig1a": FigureEntry(illustrations.tradeoff, one=("mu", "fpr")),
    "fig1b": FigureEntry(by_multiplicative_advantage, one=("epsilon",), several=("fpr",)),
    "fig2a": FigureEntry(illustrations.precision, one=("mu",)),
    "fig2b": FigureEntry(by_precision, one=("epsilon",), several=("recall",)),
    "fig3a": FigureEntry(illustrations.profile, one=("mu",)),
    "fig3b": FigureEntry(by_profile, one=("epsilon",), several=("delta",)),
    "fig4a": FigureEntry(multiplicative_advantage, several=("mu",)),
    "fig5a": FigureEntry(precision, several=("mu",)),
    "fig6a": FigureEntry(profile, several=("mu",)),
}


def figure(key: str, **parameters: Any) -> Figure:
    """A figure of the paper, with the paper's values for the parameters that are not given.

    Args:
        key: "fig1a", "fig1b", ... "fig6a".
        parameters: `mu`, `epsilon` (the end of the axis), `fpr`, `recall`, `delta`; a sequence where the figure has
            one curve for each.

    >>> figure("fig4a", mu=[0.3, 0.6]).curves[2].label
    '$\\\\mu = 0.6$'
    """
    return FIGURES[key].make(**parameters)
