"""Choose: from a policy of pure ε-DP to a budget μ."""

import math
from functools import lru_cache

from gaussdp.choosing import RuleOfThumb
from gaussdp.choosing.budgets import span
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, PureDP
from gaussdp.risks import Risk, criteria
from gaussdp.web.schemas.requests import ChooseRequest, RulesRequest
from gaussdp.web.schemas.responses import (
    Budget,
    ChooseResponse,
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
from gaussdp.web.views.wording import budget_text, guarantee_text, level_text

DIVISORS = (5.0, 3.0)
_LEAST_KINK = 1e-6  # below, the curve's corner is no more than the corner of the picture


def choose(request: ChooseRequest) -> ChooseResponse:
    """The budget, what it allows, the same by the other criteria, the rules of thumb, and both curves."""
    policy, risk = PureDP(request.epsilon), request.risk
    mu = float(risk.mu_from_epsilon(request.epsilon))
    budget = GDP(mu)
    matched = matched_point(request, mu)
    implied = policy.implied().mu
    return ChooseResponse(
        epsilon=request.epsilon,
        mu=mu,
        mu_text=budget_text(mu),
        criterion=request.criterion,
        level=request.level,
        level_text=level_text(request.level),
        risk=RiskValue(
            name=risk.words,
            value=float(risk.of(budget)),
            text=risk.text(budget),
            sentence=risk.sentence(budget),
        ),
        others=[budget for other in criteria() for budget in _budgets(other, request.epsilon)],
        implied=Mu(mu=implied, mu_text=guarantee_text(implied)),
        rules=[_rule(divisor, request, mu) for divisor in DIVISORS],
        curves=_curves(policy, budget, matched["fpr"]),
        matched=matched,
        snippets=choose_snippets(request, mu),
    )


def _budgets(kind: type[Risk], epsilon: float) -> list[Budget]:
    """By one criterion, at its usual levels."""
    levels = kind.level.usual if kind.level else ()
    return [
        Budget(criterion=kind.key, level=level, level_text=level_text(level), mu=mu, mu_text=budget_text(mu))
        for level, mu in zip(levels, kind.budgets_at(levels, epsilon), strict=True)
    ]


def _rule(divisor: float, request: ChooseRequest, matched: float) -> Rule:
    rule = RuleOfThumb(divisor)
    mu = rule.mu(request.epsilon)
    conservative = bool(mu <= matched)
    name, spent = f"μ = ε/{divisor:g}", guarantee_text(mu)
    if conservative:
        here = f"{name} = {spent} is conservative here: at most the matched budget {budget_text(matched)}."
    else:
        here = f"{name} = {spent} is too much here: the matched budget is {budget_text(matched)}."
    return Rule(
        divisor=divisor,
        mu=mu,
        mu_text=spent,
        conservative=conservative,
        verdict=here,
    )


def _curves(policy: PureDP, budget: GDP, matched: float) -> MatchedCurves:
    kink = 1 / (1 + math.exp(min(policy.epsilon_bound, 700.0)))
    fpr = curve_rates(matched, *((kink, 1 - kink) if kink > _LEAST_KINK else ()))
    return MatchedCurves(
        fpr=fpr.tolist(),
        pure=policy.fnr(fpr).tolist(),
        gdp=budget.fnr(fpr).tolist(),
        pure_tpr=policy.tpr(fpr).tolist(),
        gdp_tpr=budget.tpr(fpr).tolist(),
    )


def matched_point(request: ChooseRequest, mu: float) -> Point:
    """The attack at which budget and policy meet."""
    fpr, fnr, tpr = request.risk.matched_point(request.epsilon, mu)
    return Point(fpr=fpr, fnr=fnr, tpr=tpr)


def rules(request: RulesRequest) -> RulesResponse:
    """The policies for which each rule is conservative."""
    return RulesResponse(rules=[_range(divisor, request.risk) for divisor in DIVISORS])


@lru_cache(maxsize=1024)
def _range(divisor: float, risk: Risk) -> RuleRange:
    name = f"μ = ε/{divisor:g}"
    try:
        intervals = RuleOfThumb(divisor).conservative_epsilons(risk)
    except DomainError:  # at extreme levels the search for its end leaves the range of a double
        return RuleRange(divisor=divisor, conservative=None, sentence=f"Where {name} holds is unknown at this level.")
    return RuleRange(
        divisor=divisor,
        conservative=[list(interval) for interval in intervals],
        sentence=f"By this criterion {name} is conservative for {span(intervals)}.",
    )
