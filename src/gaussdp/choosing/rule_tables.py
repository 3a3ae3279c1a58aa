"""Where the rules of thumb mu = epsilon / k are conservative, and which single k is, over a range of policies."""

import math
from collections.abc import Sequence

from gaussdp.choosing.budgets import DEFAULT_DIVISORS, level_of, span
from gaussdp.choosing.match import saturated_from, telling
from gaussdp.choosing.rules import RuleOfThumb, conservative_divisor
from gaussdp.choosing.tables import EPSILON
from gaussdp.documents.blocks import Column, Document, Table, Value
from gaussdp.documents.rounding import Rounding, shown, shown_up
from gaussdp.risks import MultiplicativeAdvantage, Precision, Profile, Risk

TABLES = ("conservative", "divisors", "recommended")
DEFAULT_RANGE = (0.1, 10.0)

_CRITERION = (Column("criterion", "matched on"), Column("level_of", "at"), Column("level", "level", level=True))


PAPER_CRITERIA = tuple(
    risk.at(level) for risk in (MultiplicativeAdvantage, Precision, Profile) for level in risk.level.usual
)
PAPER_RANGE = (EPSILON.usual[0], EPSILON.usual[-1])


def rule_document(
    risks: Sequence[Risk] = PAPER_CRITERIA,
    divisors: Sequence[float] = DEFAULT_DIVISORS,
    epsilon_range: tuple[float, float] = DEFAULT_RANGE,
    digits: int = 4,
) -> Document:
    """Where each rule mu = epsilon / k is conservative, the smallest k that is, and what it says of the paper's advice.

    Args:
        risks: the criteria, each at its level.
        divisors: the k to judge.
        epsilon_range: the policies for which one k is to serve, 0 < low <= high < inf.
        digits: significant digits; every k is rounded up.
    """
    low, high = epsilon_range
    rules = [RuleOfThumb(divisor) for divisor in divisors]
    best = conservative_divisor(risks, low, high)
    policies = f"{shown(low)} ≤ ε ≤ {shown(high)}"
    whole = float(math.ceil(best))
    recommended = Table(
        "recommended",
        f"The best single k for {policies}",
        (
            Column("epsilon_low", "ε from"),
            Column("epsilon_high", "to"),
            Column("divisor", "smallest conservative k", Rounding.UP),
            Column("whole_divisor", "as a whole number"),
        ),
        ((low, high, best, whole),),
    )
    return Document.tabular(
        "Rules of thumb μ = ε/k: where they spend at most the matched budget",
        (_conservative(risks, rules), _divisors(risks, low, high, policies), recommended),
        (
            *(_verdict(rule, risks, low, high, policies) for rule in rules),
            f"The best single rule for {policies} is μ = ε/{shown_up(best, 3)}, in whole numbers"
            f" μ = ε/{shown(whole)}: a smaller k spends too much at one of these levels or more.",
            "Where the policy hardly limits the attack, a criterion is saturated and judges no rule.",
            *paper_verdict(),
        ),
    )


def paper_verdict() -> tuple[str, ...]:
    """What the map says about the paper's recommendation, on the paper's own tables."""
    low, high = PAPER_RANGE
    five = RuleOfThumb(5)
    failing = [risk for risk in PAPER_CRITERIA if not _holds(five, risk, low, high)]
    best = shown_up(conservative_divisor(PAPER_CRITERIA, low, high), 3)
    examples = "; ".join(
        f"{_words(risk)} (conservative for {span(five.conservative_epsilons(risk))})" for risk in failing
    )
    three = sum(_holds(RuleOfThumb(3), risk, low, high) for risk in PAPER_CRITERIA)
    count = len(PAPER_CRITERIA)
    return (
        "The paper recommends ε/5 as conservative for general use. On its own tables,"
        f" {shown(low)} ≤ ε ≤ {shown(high)}, that holds at {count - len(failing)} of {count} levels and fails at"
        f" {examples}; ε/{best} would hold at all.",
        f"ε/3, its advice where low-probability events can be ignored, holds there at {three} of {count} levels.",
    )


def _conservative(risks: Sequence[Risk], rules: Sequence[RuleOfThumb]) -> Table:
    columns = (
        *_CRITERION,
        *(
            Column(f"epsilon_over_{shown(rule.divisor)}", f"ε/{shown(rule.divisor)} is conservative for")
            for rule in rules
        ),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (*level_of(risk), *(span(rule.telling_epsilons(risk)) for rule in rules)) for risk in risks
    )
    return Table("conservative", "Policies ε for which each rule is conservative", columns, rows)


def _divisors(risks: Sequence[Risk], low: float, high: float, policies: str) -> Table:
    columns = (
        *_CRITERION,
        Column("divisor", "smallest k", Rounding.UP),
        Column("tightest_at", "tightest at ε ="),
        Column("saturated_from", "saturated from ε =", Rounding.DOWN),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (*level_of(risk), conservative_divisor([risk], low, high), _tightest(risk, low, high), saturated_from(risk))
        for risk in risks
    )
    return Table("divisors", f"The smallest k for which ε/k is conservative over {policies}", columns, rows)


def _tightest(risk: Risk, low: float, high: float) -> float:
    """Where in the range mu/epsilon is least: at an end, since it rises and then falls."""
    return min((low, high), key=lambda epsilon: float(risk.mu_from_epsilon(epsilon)) / epsilon)


def _verdict(rule: RuleOfThumb, risks: Sequence[Risk], low: float, high: float, policies: str) -> str:
    failing = [_words(risk) for risk in risks if not _holds(rule, risk, low, high)]
    name = f"μ = ε/{shown(rule.divisor)}"
    if not failing:
        return f"{name} is conservative for {policies} at all {len(risks)} levels."
    if len(failing) == len(risks):
        return f"{name} is conservative for the whole of {policies} at none of the {len(risks)} levels."
    return (
        f"{name} is conservative for the whole of {policies} at {len(risks) - len(failing)} of {len(risks)} levels;"
        f" it spends too much somewhere at: {', '.join(failing)}."
    )


def _holds(rule: RuleOfThumb, risk: Risk, low: float, high: float) -> bool:
    """Whether the rule is conservative over the part of the range in which the criterion is not saturated."""
    least, most = telling(risk)
    first, last = max(low, least), min(high, most)
    return first >= last or any(start <= first and last <= end for start, end in rule.conservative_epsilons(risk))


def _words(risk: Risk) -> str:
    return f"{risk.name} at {risk.place}" if risk.place else risk.name or str(risk)
