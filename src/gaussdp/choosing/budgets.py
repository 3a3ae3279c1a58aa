"""What a policy means as a GDP budget: the main tables of gaussdp, and a recommendation."""

import math
from collections.abc import Sequence

from gaussdp.choosing.choice import Choice, choose
from gaussdp.choosing.match import Match
from gaussdp.choosing.requirements import Requirement
from gaussdp.choosing.rules import RuleOfThumb
from gaussdp.documents.blocks import Column, Document, Table, Value
from gaussdp.documents.rounding import (
    MOST_DIGITS,
    Rounding,
    rounded,
    shown,
    shown_down,
    shown_level,
    shown_nearest,
    shown_up,
)
from gaussdp.domains import FINITE_NON_NEGATIVE, number
from gaussdp.guarantees import GDP, PureDP
from gaussdp.numerics import LARGEST_EXPONENT
from gaussdp.risks import Risk
from gaussdp.words import Phrase, say

_UP, _DOWN = Rounding.UP, Rounding.DOWN
DEFAULT_DIVISORS = (5.0, 3.0)
TABLES = ("requirements", "budgets", "attacker", "rules", "recommendation")
COUNTS = Phrase("counts")

_STANDING = {
    "conservative": Phrase("conservative"),
    "too much": Phrase("too much"),
    "saturated": Phrase("saturated"),
}

_CRITERION = (Column("criterion", "matched on"), Column("level_of", "at"), Column("level", "level"))


def budget_document(
    asked: float | Sequence[Requirement],
    criteria: Sequence[Risk] = (),
    divisors: Sequence[float] = DEFAULT_DIVISORS,
    prior: float = 0.5,
    digits: int = 4,
) -> Document:
    """The budget mu of a policy, what each mu allows an attacker, the verdict on rules of thumb, a recommendation.

    Args:
        asked: the policy: the epsilon of pure DP, in [0, inf), or requirements that must all hold.
        criteria: by which an epsilon is matched, each at its level; all usual ones if none is given.
        divisors: the k of the rules mu = epsilon / k to judge, where pure DP is asked for.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.
        digits: significant digits; each budget is rounded down to these first, and its risks are those of the shown mu.
    """
    rules = [RuleOfThumb(divisor) for divisor in divisors]
    if not isinstance(asked, Sequence):
        policy = PureDP(number("epsilon", asked, FINITE_NON_NEGATIVE))
        asked = [Requirement(policy, tuple(criteria))]
    chosen = choose(*asked)
    pure = [one for one in chosen.requirements if one.matches and isinstance(one.policy, PureDP)]
    tables = []
    if len(chosen.requirements) > 1 or not pure:
        tables.append(_requirements(chosen))
    if chosen.matches:
        tables.append(_budgets(chosen.matches, digits))
    tables.append(_attacker(_shown_budgets(chosen, digits), prior))
    if rules and pure:
        tables.append(_rules([found for one in pure for found in one.matches], rules))
    tables.append(_recommendation(chosen))
    return Document.tabular(_title(chosen), tuple(tables), (*_notes(chosen, digits), *_advice(chosen)))


def level_of(criterion: Risk) -> tuple[str, str, Value]:
    """The criterion's name, its level's label and its level; nothing for the latter where it has none."""
    if criterion.level is None or criterion.level_value is None:
        return str(criterion.name or criterion), "", ""
    return str(criterion.name), str(criterion.level.label), criterion.level_value


def _title(chosen: Choice) -> str:
    if len(chosen.requirements) > 1:
        return say("A policy of {requirements} requirements, as a GDP budget μ", requirements=len(chosen.requirements))
    policy = chosen.requirements[0].policy
    stated = (
        say("ε = {epsilon}", epsilon=shown(policy.epsilon_bound))
        if isinstance(policy, PureDP)
        else chosen.requirements[0].words
    )
    return say("A policy of {stated}, as a GDP budget μ", stated=stated)


def _notes(chosen: Choice, digits: int) -> list[str]:
    notes = []
    if chosen.matches:
        notes.append(
            say(
                "A matched μ gives the best attack, at its level, what the policy would; elsewhere more:"
                " the largest TPR/FPR at a lower FPR{allowed}.",
                allowed=_allowed(chosen),
            )
        )
    for policy in dict.fromkeys(one.policy for one in chosen.requirements if isinstance(one.policy, PureDP)):
        implied = shown_up(policy.implied().mu, digits)
        notes.append(
            say("Matching is not implication: what is ε-DP is itself μ-GDP with μ = {implied}.", implied=implied)
        )
    notes.append(say("Budgets are rounded down; what an attacker achieves with the μ shown, up."))
    return notes


def _allowed(chosen: Choice) -> str:
    """What pure DP allows there, where it is all that is matched and a number that can be shown."""
    bounds = {found.policy.epsilon_bound for found in chosen.matches if isinstance(found.policy, PureDP)}
    if len(bounds) != 1 or max(bounds) > LARGEST_EXPONENT:
        return ""
    return say(", where the policy allows {ratio}", ratio=shown_nearest(math.exp(*bounds), 3))


def _advice(chosen: Choice) -> list[str]:
    first, *others = chosen.recommendation
    return [say("Recommendation: {first}", first=first), *others]


def _requirements(chosen: Choice) -> Table:
    columns = (
        Column("requirement", "requirement"),
        Column("how", "how"),
        Column("mu", "budget μ", Rounding.DOWN),
        Column("mu_high", "up to", Rounding.DOWN),
        Column("binds", "binds"),
        Column("source", "set by"),
    )
    rows = tuple(
        (
            one.words,
            say("met") if one.met else say("matched"),
            one.low,
            one.high,
            say("yes") if one is chosen.binding else "",
            one.source,
        )
        for one in chosen.requirements
    )
    kept = len(columns) if any(one.source for one in chosen.requirements) else len(columns) - 1
    return Table("requirements", say("What the policy asks for"), columns[:kept], tuple(row[:kept] for row in rows))


def _budgets(matches: Sequence[Match], digits: int) -> Table:
    columns = (
        *_CRITERION,
        Column("mu", "budget μ", Rounding.DOWN),
        Column("divisor", "ε/μ", Rounding.UP),
        Column("elsewhere", "elsewhere"),
        Column("standing", "the match"),
    )
    kept = len(columns) if any(found.saturated for found in matches) else len(columns) - 1  # said where it matters
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            *level_of(found.risk),
            found.mu,
            _divisor(found, digits),
            _elsewhere(found),
            _standing(found),
        )
        for found in matches
    )
    return Table("budgets", say("Budget μ by criterion and level"), columns[:kept], tuple(row[:kept] for row in rows))


def _divisor(found: Match, digits: int) -> Value:
    mu = rounded(found.mu, Rounding.DOWN, digits)
    if not isinstance(found.policy, PureDP) or not 0 < mu < math.inf:
        return say("any") if mu == 0 else "–"
    return found.policy.epsilon_bound / mu


def _elsewhere(found: Match) -> str:
    """The largest TPR/FPR at the lowest of the other levels: "3.84 at 1e-5"."""
    if not found.elsewhere:
        return "–"
    at = found.elsewhere[-1]
    return say("{ratio} at {level}", ratio=shown_up(at.budget / at.fpr, 3), level=shown_level(at.fpr))


def _standing(found: Match) -> str:
    if not found.saturated:
        return say(COUNTS)
    if found.instead is None:
        return say("saturated")
    same = found.instead.risk.key == found.risk.key
    return say("saturated: use {place}", place=found.instead.risk.place if same else found.instead.name)


def _shown_budgets(chosen: Choice, digits: int) -> list[GDP]:
    """The budgets as they are shown, the largest first; saturated ones are none."""
    all_mu = [found.mu for one in chosen.requirements for found in one.limiting] + [chosen.mu]
    shown_mu = {rounded(mu, Rounding.DOWN, digits) for mu in all_mu}
    return [GDP(mu) for mu in sorted(shown_mu, reverse=True)]


def _attacker(budgets: Sequence[GDP], prior: float) -> Table:
    columns = (
        Column("mu", "budget μ", Rounding.DOWN),
        Column("right_of_100", say("of 100 guesses right (prior {prior})", prior=shown(prior)), Rounding.UP),
        Column("advantage", "TPR − FPR", Rounding.UP),
        Column("tpr_at_1e-2", "TPR at FPR 1e-2", Rounding.UP),
        Column("tpr_at_1e-3", "TPR at FPR 1e-3", Rounding.UP),
        Column("tpr_at_1e-5", "TPR at FPR 1e-5", Rounding.UP),
        Column("precision_at_1e-2", "precision at recall 1%", Rounding.UP),
        Column("epsilon_at_1e-6", "ε at δ = 1e-6", Rounding.UP),
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
            budget.epsilon(1e-6),
        )
        for budget in budgets
    )
    return Table("attacker", say("What each μ allows the best attacker"), columns, rows)


def _rules(matches: Sequence[Match], rules: Sequence[RuleOfThumb]) -> Table:
    columns = list(_CRITERION)
    policies = [found.policy for found in matches if isinstance(found.policy, PureDP)]
    for rule in rules:
        spent = say(" or ").join(dict.fromkeys(_spent(rule, policy) for policy in policies))
        name, key = f"ε/{shown(rule.divisor)}", f"epsilon_over_{shown(rule.divisor)}"
        columns.append(Column(f"{key}_here", say("{name} = {spent} here is", name=name, spent=spent)))
        columns.append(Column(f"{key}_conservative_for", say("{name} is conservative for", name=name)))
    rows: list[tuple[Value, ...]] = []
    for found in matches:
        verdicts = [(str(_STANDING[rule.verdict(found)]), span(rule.telling_epsilons(found.risk))) for rule in rules]
        rows.append((*level_of(found.risk), *(words for pair in verdicts for words in pair)))
    return Table("rules", say("Rules of thumb: do they spend at most the matched budget?"), tuple(columns), tuple(rows))


def _spent(rule: RuleOfThumb, policy: PureDP) -> str:
    return shown_down(rule.mu(policy.epsilon_bound))


def _recommendation(chosen: Choice) -> Table:
    at = chosen.binding.binding
    columns = (
        Column("mu", "smallest μ", Rounding.DOWN),
        Column("mu_high", "range up to", Rounding.DOWN),
        Column("decided_by", "decided by"),
        Column("rule_of_thumb", "ε/5", Rounding.DOWN),
        Column("saturated", "saturated, left out"),
    )
    rule = chosen.rule_of_thumb
    row: tuple[Value, ...] = (
        say("none: saturated") if chosen.saturated else chosen.mu,
        "–" if chosen.saturated else chosen.high,
        chosen.binding.words if at is None else at.name,
        "–" if rule is None else rule,
        float(len(chosen.left_out)),
    )
    return Table("recommendation", say("Recommendation"), columns, (row,))


def span(intervals: Sequence[tuple[float, float]]) -> str:
    """The intervals in words, each rounded inwards."""
    if not intervals:
        return say("no ε")
    parts = []
    for low, high in intervals:
        inside = (d for d in range(3, MOST_DIGITS) if rounded(low, _UP, d) <= rounded(high, _DOWN, d))
        digits = next(inside, MOST_DIGITS)
        start, end = shown_up(low, digits), shown_down(high, digits)
        parts.append(say("ε ≤ {end}", end=end) if low == 0 else say("{start} ≤ ε ≤ {end}", start=start, end=end))
    return ", ".join(parts)
