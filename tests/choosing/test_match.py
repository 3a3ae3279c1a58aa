import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaussdp
from domains_of_test import log_uniform
from gaussdp import (
    GDP,
    Accuracy,
    Advantage,
    ApproxDP,
    MultiplicativeAdvantage,
    Precision,
    Profile,
    PureDP,
    RuleOfThumb,
    choose,
    match,
)
from gaussdp.choosing.budgets import span
from gaussdp.choosing.match import matches, saturated_from, telling, usual_matches
from gaussdp.risks import criteria_at

RISKS = [
    MultiplicativeAdvantage(1e-3),
    MultiplicativeAdvantage(0.7),
    Precision(1e-3),
    Precision(0.9, prior=0.1),
    Profile(1e-6),
    Advantage(),
    Accuracy(0.3),
]


def test_the_example():
    assert choose(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3)) == GDP(
        gaussdp.mu_from_multiplicative_advantage(1.0, 1e-3)
    )


@pytest.mark.parametrize("risk", RISKS, ids=repr)
@pytest.mark.parametrize("reference", [PureDP(1.0), PureDP(0.9), ApproxDP(1.0, 1e-8), GDP(0.6)], ids=repr)
def test_the_chosen_guarantee_has_the_risk_of_the_reference(reference, risk):
    assert risk.of(choose(reference, risk)) == pytest.approx(risk.of(reference), rel=1e-10)


@pytest.mark.parametrize("risk", RISKS, ids=repr)
def test_gdp_matches_itself(risk):
    assert choose(GDP(0.6), risk).mu == pytest.approx(0.6, rel=1e-9)


def test_matching_is_not_implication():
    policy = PureDP(1.0)
    assert choose(policy, MultiplicativeAdvantage(1e-3)).mu == pytest.approx(0.31, abs=5e-3)
    assert policy.implied().mu == pytest.approx(1.23, abs=5e-3)


def test_curve_and_closed_form_of_precision():
    """They agree up to recall e^eps / (1 + e^eps); beyond, the curve allows less precision and so less mu."""
    epsilon = 1.0
    kink = 1 / (1 + math.exp(-epsilon))
    for recall in (1e-6, 0.3, kink * (1 - 1e-9)):
        chosen = choose(PureDP(epsilon), Precision(recall)).mu
        assert chosen == pytest.approx(gaussdp.mu_from_precision(epsilon, recall), rel=1e-12)
    for recall in (0.8, 0.95, 0.999):
        chosen = choose(PureDP(epsilon), Precision(recall)).mu
        assert chosen < gaussdp.mu_from_precision(epsilon, recall)
        assert chosen == pytest.approx(gaussdp.mu_from_multiplicative_advantage(epsilon, 1 - recall), rel=1e-12)


def test_profile_of_the_pure_curve_is_a_hair_below_its_bound():
    chosen = choose(PureDP(1.0), Profile(1e-6)).mu
    assert chosen == pytest.approx(gaussdp.mu_from_profile(1.0, 1e-6), rel=2e-6)
    assert chosen < gaussdp.mu_from_profile(1.0, 1e-6)


def test_limits():
    for risk in RISKS:
        assert choose(PureDP(0.0), risk).mu == pytest.approx(0, abs=1e-5)
    assert choose(PureDP(math.inf), MultiplicativeAdvantage(0.1)).mu == math.inf
    assert choose(ApproxDP(1.0, 0.1), Precision(0.05)).mu == math.inf


def kink(epsilon):
    return 1 / (1 + math.exp(epsilon))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0, 20.0, 40.0, 600.0])
def test_a_match_past_the_middle_of_the_policy_is_saturated(epsilon):
    """Multiplicative advantage from FPR 1/(1 + e^eps) on, precision from recall e^eps/(1 + e^eps) on."""
    for beyond in (1.0, 1.3, max(1.0, 0.45 / kink(epsilon))):
        fpr = kink(epsilon) * beyond
        assert match(PureDP(epsilon), MultiplicativeAdvantage(fpr)).saturated
        if kink(epsilon) > 0.05 and beyond * kink(epsilon) < 0.5:
            assert match(PureDP(epsilon), Precision(1 - kink(epsilon) / beyond)).saturated


@settings(max_examples=60)
@given(st.sampled_from([MultiplicativeAdvantage, Precision, Profile]), log_uniform(1e-8, 0.4), log_uniform(0.05, 25))
def test_saturation_grows_with_the_policy_and_the_level(criterion, level, epsilon):
    """A weaker policy, or the same at a higher level, is saturated if this is; the least such epsilon is told."""
    level = 0.05 * level if criterion is Profile else level  # a delta as large as pure DP's own advantage is met anyway
    found = match(PureDP(epsilon), criterion(level))
    assert found.saturated == (epsilon >= saturated_from(criterion(level)))
    if found.saturated:
        assert match(PureDP(1.1 * epsilon), criterion(level)).saturated
        assert match(PureDP(epsilon), criterion(min(1.5 * level, 0.9))).saturated
        assert found.instead is not None
        assert not found.instead.saturated
        assert found.instead.mu < found.mu
        assert found.warning


@settings(max_examples=60)
@given(st.sampled_from([MultiplicativeAdvantage, Precision, Profile]), log_uniform(1e-6, 0.3), log_uniform(0.05, 10))
def test_what_is_not_saturated_stays_within_ten_times_the_policy(criterion, level, epsilon):
    found = match(PureDP(epsilon), criterion(level))
    fpr, fnr, tpr = found.point
    assert fpr < fnr or found.saturated
    assert tpr == pytest.approx(PureDP(epsilon).tpr(fpr), rel=1e-3) or criterion is Profile
    if not found.saturated:
        for careful in np.geomspace(fpr / 100, fpr, 7)[:-1]:
            assert found.budget.tpr(careful) <= 10 * PureDP(epsilon).tpr(careful) * (1 + 1e-9)


def test_what_a_match_costs_elsewhere():
    found = match(PureDP(1.0), MultiplicativeAdvantage(1e-3))
    assert not found.saturated
    assert found.warning == ""
    assert [at.fpr for at in found.elsewhere] == [1e-4, 1e-5]
    at = found.elsewhere[-1].as_object()
    assert (at["policy_advantage"], at["budget_advantage"]) == pytest.approx((2.718, 3.833), abs=1e-3)
    assert found.cost == (
        "At FPR 1e-5 this μ lets an attacker find 0.00384% of the members (TPR/FPR 3.84), where the policy allows"
        " 0.00272% (2.72)."
    )


def test_the_misleading_match():
    """At epsilon 8 and FPR 1e-3 the budget looked generous, and stood for nothing."""
    found = match(PureDP(8.0), MultiplicativeAdvantage(1e-3))
    assert found.mu == pytest.approx(6.4917, abs=1e-4)
    (at,) = [at for at in found.elsewhere if at.fpr == 1e-5]
    assert (at.budget, at.policy) == pytest.approx((0.987, 0.0298), abs=5e-4)
    assert found.instead.risk == MultiplicativeAdvantage(1e-5)
    assert "Use multiplicative advantage at FPR 1e-5 instead: μ = 2.381." in found.warning
    assert found.as_object()["instead"] == {
        "criterion": "multiplicative_advantage",
        "level": 1e-5,
        "name": "multiplicative advantage at FPR 1e-5",
        "mu": found.instead.mu,
    }


def test_nothing_is_lost_where_the_policy_is_gdp_itself():
    for risk in RISKS:
        found = match(GDP(0.6), risk)
        assert not found.saturated
        assert found.cost == ""


def test_a_policy_that_does_not_limit_the_risk_at_all():
    found = match(ApproxDP(1.0, 0.1), Precision(0.05))
    assert found.mu == math.inf
    assert found.saturated
    assert "does not limit precision at recall 0.05 at all" in found.warning
    assert found.as_object()["mu"] is None


def test_a_policy_of_nothing_but_noise():
    found = match(PureDP(0.0), MultiplicativeAdvantage(1e-3))
    assert (found.mu, found.saturated, found.cost) == (0.0, False, "")


def test_matches_are_values():
    found = match(PureDP(1.0), MultiplicativeAdvantage(1e-3))
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.as_object() == found.as_object()


@pytest.mark.parametrize(
    ("policy", "risk", "message"),
    [
        (Advantage(), PureDP(1.0), "policy must be a guarantee such as PureDP.1.0., got Advantage"),
        (1.0, Advantage(), "policy must be a guarantee such as .*, got 1.0"),
        (PureDP(1.0), "advantage", "risk must be a risk such as .*, got 'advantage'"),
    ],
)
def test_swapped_and_other_arguments(policy, risk, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        match(policy, risk)


@settings(max_examples=30)
@given(st.sampled_from([PureDP, lambda epsilon: ApproxDP(epsilon, 1e-9), GDP]), log_uniform(1e-7, 60))
def test_matches_found_together_are_those_found_alone(policy, number):
    together = matches(policy(number), criteria_at())
    alone = [match(policy(number), risk) for risk in criteria_at()]
    assert list(together) == alone
    assert [one.excess for one in together] == pytest.approx([one.excess for one in alone], rel=1e-14)
    assert [one.saturated for one in together] == [one.saturated for one in alone]


@pytest.mark.parametrize("risk", criteria_at(), ids=str)
def test_where_usual_matches_are_saturated_is_found_once(risk):
    start = saturated_from(risk)
    assert not match(PureDP(start * (1 - 1e-9)), risk).too_far
    assert match(PureDP(start * (1 + 1e-9)), risk).too_far
    assert not match(PureDP(math.nextafter(start, 0.0)), risk).saturated
    assert match(PureDP(start), risk).saturated


@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 0.01, 0.3, 1.0, 5.5, 12.0, 700.0, math.inf])
def test_the_usual_matches_are_those_one_by_one(epsilon):
    policy = PureDP(epsilon)
    found, alone = usual_matches(policy), [match(policy, risk) for risk in criteria_at()]
    assert [one.mu for one in found] == [one.mu for one in alone]
    assert [one.saturated for one in found] == [one.saturated for one in alone]
    assert list(found) == alone


def test_other_policies_have_usual_matches_too():
    policy = ApproxDP(1.0, 1e-9)
    assert usual_matches(policy) == matches(policy, criteria_at())


class TestWhereMatchesTell:
    """Pure DP is saturated on both sides of an interval, whose ends the curves themselves know."""

    @pytest.mark.parametrize("delta", [0.5, 0.477, 0.3, 0.1, 1e-5, 1e-8])
    def test_the_profile_says_nothing_while_the_policy_has_an_epsilon_of_0(self, delta):
        low, high = telling(Profile(delta))
        assert low == pytest.approx(math.log((1 + delta) / (1 - delta)), rel=1e-14)
        assert PureDP(low * (1 - 1e-9)).epsilon(delta) == 0 < PureDP(low * (1 + 1e-6)).epsilon(delta)
        for epsilon in (1e-12 * low, 0.5 * low, low):
            found = match(PureDP(epsilon), Profile(delta))
            assert found.saturated
            assert found.too_far
            assert "is (0, δ)-DP" in found.warning
        if delta < 0.48:
            middle = 0.5 * (low + high)
            assert not match(PureDP(middle), Profile(delta)).saturated
        assert match(PureDP(high), Profile(delta)).saturated
        assert match(PureDP(2 * high), Profile(delta)).too_far

    def test_the_cases_that_one_threshold_got_wrong(self):
        assert not match(PureDP(1.0), Profile(0.3)).saturated
        assert match(PureDP(1e-6), Profile(1e-5)).saturated
        assert telling(Profile(0.6))[0] == telling(Profile(0.6))[1]

    @pytest.mark.parametrize("recall", [0.1, 0.5, 0.6, 0.9])
    def test_precision_past_the_kink(self, recall):
        low, high = telling(Precision(recall))
        assert low == pytest.approx(max(math.log(recall / (1 - recall)), 0.0), rel=1e-12, abs=1e-15)
        for epsilon in np.geomspace(1e-9, 40, 60):
            found = match(PureDP(float(epsilon)), Precision(recall))
            assert found.saturated == (not low < epsilon < high)

    @pytest.mark.parametrize("fpr", [0.6, 0.5, 0.4, 0.1, 1e-3])
    def test_rates_past_the_kink(self, fpr):
        low, high = telling(MultiplicativeAdvantage(fpr))
        assert low == 0
        assert high <= max(math.log((1 - fpr) / fpr), 0.0)
        for epsilon in np.geomspace(1e-9, 40, 60):
            found = match(PureDP(float(epsilon)), MultiplicativeAdvantage(fpr))
            assert found.saturated == (epsilon >= high)

    @pytest.mark.parametrize("risk", [Profile(0.3), Profile(0.477), Precision(0.6), MultiplicativeAdvantage(0.3)])
    def test_rules_are_judged_inside(self, risk):
        low, high = telling(risk)
        for start, end in RuleOfThumb(5).telling_epsilons(risk):
            assert low <= start < end < high
            assert not match(PureDP(0.5 * (start + end)), risk).saturated
            assert "e-70" not in span([(start, end)])
