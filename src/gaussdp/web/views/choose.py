"""Choose: from a policy of pure ε-DP to a budget μ."""

import math
from functools import lru_cache

from gaussdp.choosing import Choice, Match, RuleOfThumb, match
from gaussdp.choosing import choose as chosen
from gaussdp.choosing.budgets import span
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.domains import readings
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, Guarantee, PureDP
from gaussdp.risks import Risk, criteria
from gaussdp.web.schemas.requests import ChooseRequest, RulesRequest
from gaussdp.web.schemas.responses import (
    Budget,
    ChooseResponse,
    Elsewhere,
    Instead,
    MatchedCurves,
    Mu,
    Point,
    RiskValue,
    Rule,
    RuleRange,
    RulesResponse,
)
from gaussdp.web.views.sampling import curve_rates
from gaussdp.web.views.snippets import choose_snippets
from gaussdp.web.views.wording import budget_text, guarantee_text, level_text, percent_text

DIVISORS = (5.0, 3.0)
_LEAST_KINK = 1e-6  # below, the curve's corner is no more than the corner of the picture


@readings()
def choose(request: ChooseRequest) -> ChooseResponse:
    """The budget, what it allows and costs, the same by other criteria, a recommendation, and both curves."""
    policy = request.policy
    found = match(policy, request.risk)
    advice, budget = _advice(policy, tuple(criteria())), GDP(found.mu)
    implied = policy.implied().mu if isinstance(policy, PureDP) else math.inf
    return ChooseResponse(
        epsilon=request.epsilon,
        mu=found.mu,
        mu_text=budget_text(found.mu),
        criterion=request.criterion,
        level=request.level,
        level_text=level_text(request.level),
        met=bool(request.policy_delta),
        risk=RiskValue(
            name=request.risk.words,
            value=float(request.risk.of(budget)),
            text=request.risk.text(budget),
            sentence=request.risk.sentence(budget),
        ),
        others=[_budget(other) for requirement in advice.requirements for other in requirement.matches],
        implied=Mu(mu=implied, mu_text=guarantee_text(implied)),
        saturated=found.saturated,
        warning=found.warning,
        cost="" if found.saturated else found.cost,
        elsewhere=[
            Elsewhere(
                fpr=at.fpr,
                fpr_text=level_text(at.fpr),
                policy=at.policy,
                policy_text=f"{shown(rounded(100 * at.policy, Rounding.NEAREST, 3))}%",
                budget=at.budget,
                budget_text=percent_text(at.budget),
            )
            for at in found.elsewhere
        ],
        instead=_instead(found),
        recommendation=list(advice.recommendation),
        cautious=Mu(mu=advice.mu, mu_text=budget_text(advice.mu)),
        rules=[_rule(divisor, found) for divisor in DIVISORS] if isinstance(policy, PureDP) else [],
        curves=_curves(policy, budget, found.point[0]),
        matched=matched_point(found),
        snippets=choose_snippets(request, found.mu),
    )


@lru_cache(maxsize=256)
def _advice(policy: Guarantee, by: tuple[type[Risk], ...]) -> Choice:
    """What to choose for a policy by what there is of criteria; the same while the page moves one and its level."""
    return chosen(policy)


def _budget(found: Match) -> Budget:
    level = found.risk.level_value or 0.0
    return Budget(
        criterion=found.risk.key,
        level=level,
        level_text=level_text(level),
        mu=found.mu,
        mu_text=budget_text(found.mu),
        saturated=found.saturated,
    )


def _instead(found: Match) -> Instead | None:
    other = found.instead
    if other is None:
        return None
    level = other.risk.level_value
    return Instead(
        criterion=other.risk.key,
        level=level,
        level_text="" if level is None else level_text(level),
        name=other.name,
        mu_text=budget_text(other.mu),
    )


def _rule(divisor: float, found: Match) -> Rule:
    rule, policy = RuleOfThumb(divisor), found.policy
    mu = float(rule.mu(policy.epsilon_bound)) if isinstance(policy, PureDP) else 0.0
    name, spent, matched = f"μ = ε/{divisor:g}", guarantee_text(mu), budget_text(found.mu)
    standing = rule.verdict(found)
    words = {
        "conservative": f"{name} = {spent} is conservative here: at most the matched budget {matched}.",
        "too much": f"{name} = {spent} is too much here: the matched budget is {matched}.",
        "saturated": f"{name} = {spent} cannot be judged here: the match is saturated.",
    }
    return Rule(divisor=divisor, mu=mu, mu_text=spent, standing=standing, verdict=words[standing])


def _curves(policy: Guarantee, budget: GDP, matched: float) -> MatchedCurves:
    kink = 1 / (1 + math.exp(min(getattr(policy, "epsilon_bound", 700.0), 700.0)))
    fpr = curve_rates(matched, *((kink, 1 - kink) if kink > _LEAST_KINK else ()))
    return MatchedCurves(
        fpr=fpr.tolist(),
        pure=policy.fnr(fpr).tolist(),
        gdp=budget.fnr(fpr).tolist(),
        pure_tpr=policy.tpr(fpr).tolist(),
        gdp_tpr=budget.tpr(fpr).tolist(),
    )


def matched_point(found: Match) -> Point:
    """The attack at which budget and policy meet."""
    fpr, fnr, tpr = found.point
    return Point(fpr=fpr, fnr=fnr, tpr=tpr)


def rules(request: RulesRequest) -> RulesResponse:
    """The policies for which each rule is conservative."""
    return RulesResponse(rules=[_range(divisor, request.risk) for divisor in DIVISORS])


@lru_cache(maxsize=1024)
def _range(divisor: float, risk: Risk) -> RuleRange:
    name = f"μ = ε/{divisor:g}"
    try:
        intervals = RuleOfThumb(divisor).telling_epsilons(risk)
    except DomainError:  # at extreme levels the search for its end leaves the range of a double
        return RuleRange(divisor=divisor, conservative=None, sentence=f"Where {name} holds is unknown at this level.")
    return RuleRange(
        divisor=divisor,
        conservative=[list(interval) for interval in intervals],
        sentence=f"By this criterion {name} is conservative for {span(intervals)}.",
    )
