"""Figures 1b, 2b and 3b of the paper: the budget mu by the policy's epsilon, one curve a level."""

from collections.abc import Sequence

import numpy as np

from gaussdp.domains import number
from gaussdp.errors import DomainError
from gaussdp.figures import scales, style
from gaussdp.figures.illustrations import DRAWABLE
from gaussdp.figures.model import Axis, Curve, Figure
from gaussdp.risks import DELTA, FPR, RECALL, Level, MultiplicativeAdvantage, Precision, Profile, Risk

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
    top = max(end, scales.enlarged(end, max(float(mu[-1]) for mu in budgets)))
    ends = np.array([0.0, end])
    rules = tuple(
        Curve(rf"$\varepsilon/{divisor}$", ends, ends / divisor, colour, dashed=True)
        for divisor, colour in ((3, style.RULE_OF_3), (5, style.RULE_OF_5))
    )
    curves = tuple(
        Curve(f"${level.math} = {scales.level_words(value)}$", x, mu, colour)
        for value, mu, colour in zip(values, budgets, style.sequence(len(risks)), strict=True)
    )
    return Figure(
        key,
        f"Budget μ by ε, matched on {criterion.phrase} at {level.heading}",
        Axis(r"$\varepsilon$", 0.0, end, scales.ticks(end, 5)),
        Axis(r"$\mu$", 0.0, top, scales.ticks(top, 5)),
        rules + curves,
        "upper left",
        {"eps": x, **dict(zip(columns(len(risks)), budgets, strict=True))},
        data_name,
    )
