"""Choose: from a policy of pure ε-DP to a budget μ."""

import math
from collections.abc import Callable
from typing import Any

from scipy import special

from gaussdp import conversions
from gaussdp.choosing import RuleOfThumb
from gaussdp.guarantees import GDP, PureDP
from gaussdp.web.schemas.requests import CRITERIA, ChooseRequest, CriterionName
from gaussdp.web.schemas.responses import Budget, ChooseResponse, MatchedCurves, Mu, Point, RiskValue, Rule
from gaussdp.web.snippets import choose_snippets
from gaussdp.web.views.criteria import USUAL_LEVELS, criterion_of, risk_words
from gaussdp.web.views.sampling import curve_rates
from gaussdp.web.wording import budget_text, guarantee_text, level_text, percent_text

DIVISORS = (5.0, 3.0)
_LEAST_KINK = 1e-6  # below, the curve's corner is no more than the corner of the picture
_MATCHED_MU: dict[CriterionName, Callable[..., Any]] = {
    "multiplicative_advantage": conversions.mu_from_multiplicative_advantage,
    "precision": conversions.mu_from_precision,
    "profile": conversions.mu_from_profile,
}


def choose(request: ChooseRequest) -> ChooseResponse:
    """The budget, what it allows, the same by the other criteria, the rules of thumb, and both curves."""
    policy = PureDP(request.epsilon)
    mu = float(criterion_of(request.criterion, request.level).mu_from_epsilon(request.epsilon))
    budget = GDP(mu)
    matched = matched_point(request, budget)
    implied = policy.implied().mu
    others = [row for name in CRITERIA for row in _budgets(name, request.epsilon)]
    return ChooseResponse(
        epsilon=request.epsilon,
        mu=mu,
        mu_text=budget_text(mu),
        criterion=request.criterion,
        level=request.level,
        level_text=level_text(request.level),
        risk=_risk(request, budget),
        others=others,
        implied=Mu(mu=implied, mu_text=guarantee_text(implied)),
        rules=[_rule(divisor, request, mu) for divisor in DIVISORS],
        curves=_curves(policy, budget, matched["fpr"]),
        matched=matched,
        snippets=choose_snippets(request, mu),
    )


def _risk(request: ChooseRequest, budget: GDP) -> RiskValue:
    value = float(criterion_of(request.criterion, request.level).of(budget))
    text = percent_text(value) if request.criterion == "precision" else guarantee_text(value)
    return RiskValue(name=risk_words(request.criterion, request.level), value=value, text=text)


def _budgets(name: CriterionName, epsilon: float) -> list[Budget]:
    levels = USUAL_LEVELS[name]
    mus = _MATCHED_MU[name](epsilon, levels).tolist()
    return [
        Budget(criterion=name, level=level, level_text=level_text(level), mu=mu, mu_text=budget_text(mu))
        for level, mu in zip(levels, mus, strict=True)
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


def matched_point(request: ChooseRequest, budget: GDP) -> Point:
    """The attack at which budget and policy meet: for the profile, where the GDP curve has slope −e^ε."""
    if request.criterion == "multiplicative_advantage":
        fpr = request.level
    elif request.criterion == "precision":
        fpr = budget.fpr(request.level)
        return Point(fpr=fpr, fnr=1 - request.level, tpr=request.level)
    elif 0 < budget.mu < math.inf:
        fpr = float(special.ndtr(-request.epsilon / budget.mu - budget.mu / 2))
    else:
        fpr = 0.5 if budget.mu == 0 else 0.0
    return Point(fpr=fpr, fnr=budget.fnr(fpr), tpr=budget.tpr(fpr))
