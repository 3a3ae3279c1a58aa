"""Choose: from a policy, in any currency, to a budget μ."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gaussdp.choosing import Choice, Match, RuleOfThumb, match
from gaussdp.choosing import choose as chosen
from gaussdp.choosing.budgets import span
from gaussdp.choosing.requirements import Policy, Requirement
from gaussdp.domains import readings
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxDP, Guarantee, PureDP
from gaussdp.risks import AtMost, Profile, Risk, criteria, criteria_at
from gaussdp.web.schemas.requests import ChooseRequest, RulesRequest, Side
from gaussdp.web.schemas.responses import (
    Asked,
    Budget,
    ChooseResponse,
    Elsewhere,
    Instead,
    MatchedCurves,
    Mu,
    Place,
    Point,
    RiskValue,
    Rule,
    RuleRange,
    RulesResponse,
)
from gaussdp.web.views.showing import budget_text, budget_texts, curve_rates, guarantee_text, level_text, read_sides
from gaussdp.web.views.snippets import choose_snippets
from gaussdp.words import Phrase, numeral, remembered, say, spoken

RULES = (RuleOfThumb(5.0), RuleOfThumb(3.0))
_NAMES = {rule: f"μ = ε/{rule.divisor:g}" for rule in RULES}
_VERDICTS = {
    "conservative": Phrase("{name} = {spent} is conservative here: at most the matched budget {matched}."),
    "too much": Phrase("{name} = {spent} is too much here: the matched budget is {matched}."),
    "saturated": Phrase("{name} = {spent} cannot be judged here: the match is saturated."),
}
_LEAST_KINK = 1e-6  # below, the curve's corner is no more than the corner of the picture


@readings()
def choose(request: ChooseRequest) -> ChooseResponse:
    """The budget, what it allows and costs, and both curves; the same by other criteria, and a recommendation."""
    asked = request.asked
    choice = chosen(*asked)
    binding, found = choice.binding, match_of(choice)
    budget = GDP(choice.mu) if found is None or binding.met else found.budget
    own, mu_text = request.own, budget_text(choice.mu)
    matched, point = None if binding.met else found, matched_point(choice)
    judged = own.matches[0] if own and isinstance(own.policy, PureDP) else None
    risk = found.risk if found else binding.policy.risk if isinstance(binding.policy, AtMost) else request.risk
    value = float(risk.of(found.policy if found else budget))  # of what is matched, which has no error of an inversion
    answer = ChooseResponse(
        epsilon=request.epsilon,
        mu=choice.mu,
        mu_text=mu_text,
        criterion=request.criterion,
        level=request.level,
        level_text=_told(request.risk),
        met=binding.met,
        matching=bool(choice.matches),
        requirements=[
            Asked(
                words=one.words,
                source=one.source,
                mu_text=mu_text if one is binding else budget_text(one.low),
                binds=one is binding,
            )
            for one in asked
        ],
        risk=RiskValue(
            name=risk.words,
            value=value,
            text=risk.unit.text(value),
            sentence=risk.sentence(matched.policy)
            if matched
            else say("Every release with such a μ meets it: {words}.", words=binding.words),
        ),
        saturated=choice.saturated,
        warning=matched.warning if matched else "",
        cost="" if matched is None or matched.saturated else matched.cost,
        elsewhere=[
            Elsewhere(
                fpr=at.fpr,
                fpr_text=level_text(at.fpr),
                policy=at.policy,
                policy_text=numeral(at.policy_text),
                budget=at.budget,
                budget_text=numeral(at.budget_text),
            )
            for at in (matched.elsewhere if matched else ())
        ],
        instead=_instead(matched) if matched else None,
        rules=[] if judged is None else _rules(judged, mu_text if judged is found else budget_text(judged.mu)),
        matched=point,
        snippets=choose_snippets(request, choice.mu),
    )
    sides = request.sides
    if sides:
        answer["curves"] = _curves(sides, curve_of(binding), budget, point)
    if request.wants("advice"):
        _advise(answer, asked)
    return answer


def _advise(answer: ChooseResponse, asked: Sequence[Requirement]) -> None:
    """Add what the policy is by all criteria, whichever was chosen."""
    advice = _advice(tuple([one.policy for one in asked]), criteria())
    pure = asked[0].policy if answer["epsilon"] is not None and isinstance(asked[0].policy, PureDP) else None
    implied = None if pure is None else pure.implied().mu
    answer["others"] = [] if pure is None else _budgets(advice.requirements[0].matches)
    answer["implied"] = None if implied is None else Mu(mu=implied, mu_text=guarantee_text(implied))
    answer["recommendation"] = list(advice.recommendation)
    answer["cautious"] = Mu(mu=advice.mu, mu_text=budget_text(advice.mu))


def match_of(choice: Choice) -> Match | None:
    """The match of what binds: by its criterion, or of (ε, δ)-DP by its δ; None of what is no guarantee on a curve."""
    binding = choice.binding
    if binding.met and isinstance(binding.policy, ApproxDP):
        return match(binding.policy, Profile(binding.policy.delta_bound))
    return binding.binding


def curve_of(asked: Requirement) -> Guarantee | None:
    """The curve of a policy that has one of its own, beside that of the budget."""
    policy = asked.policy
    return policy if type(policy) is PureDP or not isinstance(policy, (AtMost, GDP)) else None


@lru_cache(maxsize=16)
def _advice(policies: tuple[Policy, ...], by: tuple[type[Risk], ...]) -> Choice:
    """What to choose for a policy by what there is of criteria; the same while the page moves one and its level."""
    return chosen(*map(Requirement, policies))


def _told(risk: Risk) -> str:
    """Its level as people read it."""
    return _level_told((type(risk), risk.level_value))


@remembered
def _level_told(at: tuple[type[Risk], float | None]) -> str:
    kind, value = at
    return "" if kind.level is None or value is None else numeral(kind.level.told(value))


def _budgets(usual: Sequence[Match]) -> list[Budget]:
    """The match by each criterion at its usual levels."""
    texts = budget_texts([found.mu for found in usual])
    return [
        {**place, "mu": found.mu, "mu_text": text, "saturated": found.saturated}
        for place, found, text in zip(_usual_places(criteria(), spoken()), usual, texts, strict=True)
    ]


@lru_cache(maxsize=16)
def _usual_places(kinds: tuple[type[Risk], ...], language: str) -> list[Place]:
    return [Place(criterion=one.key, level=one.level_value or 0.0, level_text=_told(one)) for one in criteria_at()]


def _instead(found: Match) -> Instead | None:
    other = found.instead
    if other is None:
        return None
    level = other.risk.level_value
    return Instead(
        criterion=other.risk.key,
        level=level,
        level_text=_told(other.risk),
        name=other.name,
        mu_text=budget_text(other.mu),
    )


def _rules(found: Match, matched: str) -> list[Rule]:
    epsilon = found.policy.epsilon_bound if isinstance(found.policy, PureDP) else 0.0
    return [_rule(rule, float(rule.mu(epsilon)), found, matched) for rule in RULES]


def _rule(rule: RuleOfThumb, mu: float, found: Match, matched: str) -> Rule:
    standing = rule.verdict(found)
    # What may be spent is a budget; what is too much is seen to be more than the matched one.
    spent = guarantee_text(mu) if standing == "too much" else budget_text(mu)
    return Rule(
        divisor=rule.divisor,
        mu=mu,
        mu_text=spent,
        standing=standing,
        verdict=say(_VERDICTS[standing], name=_NAMES[rule], spent=spent, matched=matched),
    )


def _curves(sides: Sequence[Side], policy: Guarantee | None, budget: GDP, matched: Point | None) -> MatchedCurves:
    kink = 1 / (1 + math.exp(min(getattr(policy, "epsilon_bound", 700.0), 700.0)))
    rates = curve_rates(*([matched["fpr"]] if matched else []), *((kink, 1 - kink) if kink > _LEAST_KINK else ()))
    curves, fpr = MatchedCurves(fpr=rates), np.array(rates.numbers)
    pure: Sequence[list[float] | None] = [None] * len(sides) if policy is None else read_sides(policy, fpr, sides)
    for side, own, gdp in zip(sides, pure, read_sides(budget, fpr, sides), strict=True):
        if side == "fnr":
            curves["pure"], curves["gdp"] = own, gdp
        else:
            curves["pure_tpr"], curves["gdp_tpr"] = own, gdp
    return curves


def matched_point(choice: Choice) -> Point | None:
    """The attack at which budget and policy meet, if there is one."""
    found, policy = match_of(choice), choice.binding.policy
    if found is not None:
        fpr, fnr, tpr = found.point
    elif isinstance(policy, AtMost) and 0 < choice.mu < math.inf:
        fpr, fnr, tpr = policy.risk.matched_point(GDP(choice.mu), choice.mu)
    else:
        return None
    return Point(fpr=fpr, fnr=fnr, tpr=tpr)


def rules(request: RulesRequest) -> RulesResponse:
    """The policies for which each rule is conservative."""
    return RulesResponse(rules=[_range(rule, request.risk) for rule in RULES])


def _range(rule: RuleOfThumb, risk: Risk) -> RuleRange:
    divisor, name = rule.divisor, _NAMES[rule]
    intervals = _intervals(rule, risk)
    if intervals is None:
        return RuleRange(
            divisor=divisor, conservative=None, sentence=say("Where {name} holds is unknown at this level.", name=name)
        )
    return RuleRange(
        divisor=divisor,
        conservative=[list(interval) for interval in intervals],
        sentence=say("By this criterion {name} is conservative for {intervals}.", name=name, intervals=span(intervals)),
    )


@lru_cache(maxsize=1024)
def _intervals(rule: RuleOfThumb, risk: Risk) -> list[tuple[float, float]] | None:
    """Where the rule is conservative; None if that is unknown."""
    try:
        return rule.telling_epsilons(risk)
    except DomainError:  # at extreme levels the search for its end leaves the range of a double
        return None
