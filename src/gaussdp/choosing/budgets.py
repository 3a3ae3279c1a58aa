"""What a policy epsilon means as a GDP budget: the main table of gaussdp."""

from collections.abc import Sequence

from gaussdp.choosing import RuleOfThumb
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.tables import Column, Table, Value
from gaussdp.domains import FINITE_NON_NEGATIVE, number
from gaussdp.guarantees import GDP, PureDP
from gaussdp.risks import Risk

DEFAULT_DIVISORS = (5.0, 3.0)
TABLES = ("budgets", "attacker", "rules")

_CRITERION = (Column("criterion", "matched on"), Column("level_of", "at"), Column("level", "level"))


def budget_document(
    epsilon: float,
    criteria: Sequence[Risk],
    divisors: Sequence[float] = DEFAULT_DIVISORS,
    prior: float = 0.5,
    digits: int = 4,
) -> Document:
    """The budget mu by criterion and level, what each mu allows an attacker, and the verdict on rules of thumb.

    Args:
        epsilon: the policy, in [0, inf).
        criteria: each at its level.
        divisors: the k of the rules mu = epsilon / k to judge.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.
        digits: significant digits; each budget is rounded down to these first, and its risks are those of the shown mu.
    """
    policy = PureDP(number("epsilon", epsilon, FINITE_NON_NEGATIVE))
    rules = [RuleOfThumb(divisor) for divisor in divisors]
    budgets = [
        (criterion, GDP(rounded(criterion.mu_from_epsilon(policy.epsilon_bound), Rounding.DOWN, digits)))
        for criterion in criteria
    ]
    tables = [_budgets(policy, budgets), _attacker(budgets, prior)]
    if rules:
        tables.append(_rules(policy, criteria, rules))
    implied = shown(rounded(policy.implied().mu, Rounding.UP, digits))
    return Document.tabular(
        f"A policy of ε = {shown(policy.epsilon_bound)}, as a GDP budget μ",
        tuple(tables),
        (
            "Each μ lets the best membership attack achieve, at that level, what pure DP with the policy's ε would.",
            f"Matching is not implication: a mechanism that is ε-DP is itself μ-GDP with μ = {implied}.",
            "Budgets are rounded down; what an attacker can achieve is that of the μ shown, rounded up.",
        ),
    )


def level_of(criterion: Risk) -> tuple[str, str, Value]:
    """The criterion's name, its level's label and its level; nothing for the latter where it has none."""
    if criterion.level is None or criterion.level_value is None:
        return criterion.name or str(criterion), "", ""
    return criterion.name, criterion.level.label, criterion.level_value


def _budgets(policy: PureDP, budgets: Sequence[tuple[Risk, GDP]]) -> Table:
    columns = (*_CRITERION, Column("mu", "budget μ", Rounding.DOWN), Column("divisor", "ε/μ", Rounding.UP))
    rows = tuple(
        (*level_of(criterion), budget.mu, policy.epsilon_bound / budget.mu if budget.mu else "any")
        for criterion, budget in budgets
    )
    return Table("budgets", "Budget μ by criterion and level", columns, rows)


def _verdict(rule: RuleOfThumb, policy: PureDP, criterion: Risk) -> str:
    return "conservative" if rule.is_conservative(policy.epsilon_bound, criterion) else "too much"


def _attacker(budgets: Sequence[tuple[Risk, GDP]], prior: float) -> Table:
    columns = (
        Column("mu", "budget μ", Rounding.DOWN),
        Column("right_of_100", f"of 100 guesses right (prior {shown(prior)})", Rounding.UP),
        Column("advantage", "TPR − FPR", Rounding.UP),
        Column("tpr_at_1e-2", "TPR at FPR 1%", Rounding.UP),
        Column("tpr_at_1e-3", "TPR at FPR 0.1%", Rounding.UP),
        Column("tpr_at_1e-5", "TPR at FPR 0.001%", Rounding.UP),
        Column("precision_at_1e-2", "precision at recall 1%", Rounding.UP),
        Column("epsilon_at_1e-5", "ε at δ = 1e-5", Rounding.UP),
    )
    rows = tuple(
        (
            budget.mu,
            100 * budget.accuracy(prior),
            budget.advantage(),
            budget.tpr(1e-2),
            budget.tpr(1e-3),
            budget.tpr(1e-5),
            budget.precision(1e-2, prior),
            budget.epsilon(1e-5),
        )
        for budget in sorted({budget for _, budget in budgets}, key=lambda budget: -budget.mu)
    )
    return Table("attacker", "What each μ allows the best attacker", columns, rows)


def _rules(policy: PureDP, criteria: Sequence[Risk], rules: Sequence[RuleOfThumb]) -> Table:
    columns = list(_CRITERION)
    for rule in rules:
        name, spent = f"ε/{shown(rule.divisor)}", shown(rounded(rule.mu(policy.epsilon_bound), Rounding.UP))
        key = f"epsilon_over_{shown(rule.divisor)}"
        columns.append(Column(f"{key}_here", f"{name} = {spent} here is"))
        columns.append(Column(f"{key}_conservative_for", f"{name} is conservative for"))
    rows: list[tuple[Value, ...]] = []
    for criterion in criteria:
        verdicts = [(_verdict(rule, policy, criterion), span(rule.conservative_epsilons(criterion))) for rule in rules]
        rows.append((*level_of(criterion), *(words for pair in verdicts for words in pair)))
    return Table("rules", "Rules of thumb: do they spend at most the matched budget?", tuple(columns), tuple(rows))


def span(intervals: Sequence[tuple[float, float]]) -> str:
    """The intervals in words, each rounded inwards."""
    if not intervals:
        return "no ε"
    parts = []
    for low, high in intervals:
        end = shown(rounded(high, Rounding.DOWN, 3))
        parts.append(f"ε ≤ {end}" if low == 0 else f"{shown(rounded(low, Rounding.UP, 3))} ≤ ε ≤ {end}")
    return ", ".join(parts)
