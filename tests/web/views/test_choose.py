"""Choose: the library's numbers, rounded to the safe side, with curves that meet where they should."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.risks import criteria
from gaussdp.web.schemas.requests import ChooseRequest, RequirementRequest
from gaussdp.web.views.choose import choose

CRITERIA = [risk.key for risk in criteria()]
EPSILONS = st.floats(0.01, 30)
LEVELS = st.floats(-9, -0.5).map(lambda power: 10.0**power)


def test_the_papers_numbers():
    answer = choose(ChooseRequest(epsilon=1.0, criterion="multiplicative_advantage", level=1e-3))
    assert answer["mu"] == pytest.approx(0.310272557, rel=1e-9)
    assert answer["mu_text"] == "0.3102"
    assert answer["risk"] == {
        "name": "TPR/FPR at FPR 1e-3",
        "value": pytest.approx(math.e),
        "text": "2.719",
        "sentence": "An attack that accuses a share 1e-3 of the non-members then accuses at most 2.719 times as large a"
        " share of the members, as under the policy.",
    }
    assert answer["implied"]["mu_text"] == "1.233"
    by_profile = {row["level"]: row["mu_text"] for row in answer["others"] if row["criterion"] == "profile"}
    assert by_profile == {1e-5: "0.268", 1e-6: "0.2367", 1e-7: "0.2137", 1e-8: "0.196"}


def test_rules_of_thumb_by_the_users_own_level():
    rules = {
        rule["divisor"]: rule for rule in choose(ChooseRequest(epsilon=1.0, criterion="profile", level=1e-8))["rules"]
    }
    assert rules[5.0]["standing"] == "too much"
    assert rules[5.0]["verdict"] == "μ = ε/5 = 0.2 is too much here: the matched budget is 0.196."
    rules = {
        rule["divisor"]: rule for rule in choose(ChooseRequest(epsilon=1.0, criterion="profile", level=1e-5))["rules"]
    }
    assert rules[5.0]["standing"] == "conservative"
    assert rules[3.0]["standing"] == "too much"


@given(EPSILONS, st.sampled_from(CRITERIA), LEVELS)
def test_texts_are_on_the_safe_side(epsilon, criterion, level):
    answer = choose(ChooseRequest(epsilon=epsilon, criterion=criterion, level=level))
    assert float(answer["mu_text"]) <= answer["mu"] * (1 + 1e-15)
    assert float(answer["implied"]["mu_text"]) >= answer["implied"]["mu"] * (1 - 1e-15)
    for rule in answer["rules"]:
        assert (rule["standing"] == "too much") == (epsilon / rule["divisor"] > answer["mu"])
        assert rule["standing"] != "conservative" or not answer["saturated"]
        shown, matched = float(rule["mu_text"]), float(answer["mu_text"])
        assert (
            shown <= rule["mu"] * (1 + 1e-15) if rule["standing"] != "too much" else shown >= rule["mu"] * (1 - 1e-15)
        )
        assert rule["standing"] == "saturated" or (shown > matched) == (rule["standing"] == "too much")
    for row in answer["others"]:
        assert float(row["mu_text"]) <= row["mu"] * (1 + 1e-15)


@given(EPSILONS, st.sampled_from(CRITERIA), LEVELS)
def test_the_matched_point_lies_on_the_budgets_curve_and_meets_the_criterion(epsilon, criterion, level):
    answer = choose(ChooseRequest(epsilon=epsilon, criterion=criterion, level=level))
    point, growth = answer["matched"], math.exp(epsilon)
    assert point["fnr"] == pytest.approx(gaussdp.fnr_from_mu(answer["mu"], point["fpr"]), rel=1e-9, abs=1e-12)
    assert point["tpr"] == pytest.approx(1 - point["fnr"], abs=1e-12)
    if criterion in ("multiplicative_advantage", "identification"):  # the curves cross: the textbook form of pure DP
        assert point["fpr"] == level
        assert point["fnr"] == pytest.approx(max(1 - growth * level, (1 - level) / growth), rel=1e-6, abs=1e-12)
    elif criterion == "precision":  # the bound on the odds: TPR at most e^epsilon FPR
        assert point["tpr"] == level
        assert point["tpr"] / point["fpr"] == pytest.approx(growth, rel=1e-6)
    else:  # the line of (epsilon, delta)-DP touches the curve, with the epsilon that pure DP has at this delta
        slope = math.exp(gaussdp.PureDP(epsilon).epsilon(level))
        assert point["tpr"] - slope * point["fpr"] == pytest.approx(level, rel=1e-5, abs=1e-15)


@given(EPSILONS, LEVELS)
def test_curves_are_dense_ordered_and_inside(epsilon, level):
    curves = choose(ChooseRequest(epsilon=epsilon, criterion="multiplicative_advantage", level=level))["curves"]
    fpr = np.array(curves["fpr"])
    assert 100 <= fpr.size <= 200
    assert (np.diff(fpr) > 0).all()
    assert level in fpr
    assert fpr[1] <= level / 100 * (1 + 1e-9) or fpr[1] <= 1e-8
    for name in ("pure", "gdp"):
        fnr, tpr = np.array(curves[name]), np.array(curves[f"{name}_tpr"])
        assert (np.diff(fnr) <= 1e-15).all()
        assert fnr + tpr == pytest.approx(1, abs=1e-12)
        assert (fnr <= 1 - fpr + 1e-12).all()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 700.0, 1e300])
def test_limits(criterion, epsilon):
    answer = choose(ChooseRequest(epsilon=epsilon, criterion=criterion, level=1e-3))
    assert not math.isnan(answer["mu"])
    assert answer["mu"] >= 0


def test_a_saturated_match_says_so_and_what_to_use_instead():
    """At FPR 1e-3 a policy of 8 hardly limits an attack: its μ of 6.49 would let one at 1e-5 find nearly everybody."""
    answer = choose(ChooseRequest(epsilon=8.0, criterion="multiplicative_advantage", level=1e-3))
    assert answer["saturated"]
    assert answer["warning"].startswith("Saturated")
    assert {rule["standing"] for rule in answer["rules"]} == {"saturated"}
    assert answer["elsewhere"][-1]["budget"] > 0.98 > 0.03 > answer["elsewhere"][-1]["policy"] > 0.029
    instead = answer["instead"]
    again = choose(ChooseRequest(epsilon=8.0, criterion=instead["criterion"], level=instead["level"]))
    assert not again["saturated"]
    assert again["mu_text"] == instead["mu_text"]
    assert answer["cautious"]["mu"] == min(row["mu"] for row in answer["others"] if not row["saturated"])
    assert answer["cautious"]["mu_text"] in answer["recommendation"][1]


def test_what_a_match_costs_elsewhere():
    answer = choose(ChooseRequest(epsilon=1.0, criterion="multiplicative_advantage", level=1e-3))
    assert "TPR/FPR 3.84" in answer["cost"]
    assert not answer["warning"]


def test_a_policy_with_a_delta_is_met():
    answer = choose(ChooseRequest(epsilon=3.0, policy_delta=1e-5, criterion="multiplicative_advantage", level=1e-3))
    assert answer["met"]
    assert gaussdp.GDP(float(answer["mu_text"])).epsilon(1e-5) <= 3
    assert answer["mu"] == pytest.approx(answer["cautious"]["mu"])
    assert answer["rules"] == answer["others"] == []


def asked(*policies, **own):
    requirements = tuple(RequirementRequest(policy=policy) for policy in policies)
    return ChooseRequest(**own, criterion="multiplicative_advantage", level=1e-3, requirements=requirements)


@pytest.mark.parametrize(
    ("policy", "mu"),
    [
        ("rho=0.1", math.sqrt(0.2)),
        ("mu=0.5", 0.5),
        ("accuracy=0.55", 2 * 0.125661346855074),  # the normal quantile of 0.55
        ("identification@1/1000=1%", 0.763884432),
        ("tpr@1e-3=1%", 0.763884432),
        ("epsilon=3 delta=1e-5", 0.719117),
        ("epsilon=1", 0.310272557),
    ],
)
def test_a_policy_in_any_currency(policy, mu):
    answer = choose(asked(policy))
    assert answer["mu"] == pytest.approx(mu, rel=1e-5)
    assert (answer["epsilon"], answer["implied"], answer["others"], answer["rules"]) == (None, None, [], [])
    assert answer["matching"] == (policy == "epsilon=1") == (not answer["met"])
    assert [row["binds"] for row in answer["requirements"]] == [True]
    if answer["matched"]:  # on the budget's curve
        tpr = gaussdp.GDP(answer["mu"]).tpr(answer["matched"]["fpr"])
        assert answer["matched"]["tpr"] == pytest.approx(tpr, rel=1e-9)


def test_all_requirements_hold():
    """The smallest counts; what the ε is matched to by other criteria is told though it does not bind."""
    answer = choose(asked("accuracy=0.55", "mu=0.5", epsilon=3.0))
    assert answer["mu"] == choose(asked("accuracy=0.55"))["mu"]
    assert [row["binds"] for row in answer["requirements"]] == [False, True, False]
    assert answer["met"]
    assert answer["matching"]
    assert len(answer["others"]) == 15
    assert answer["curves"]["pure"] is None
    alone = choose(asked(epsilon=3.0))
    assert choose(asked("mu=2", epsilon=3.0))["mu"] == alone["mu"] == choose(asked("mu=2", "epsilon=3"))["mu"]


@pytest.mark.parametrize(
    ("policies", "field"),
    [
        (("nonsense",), "requirements.0.policy"),
        (("mu=1", "accuracy=7"), "requirements.1.policy"),
        ((), "epsilon"),
    ],
)
def test_what_is_no_policy_is_refused_by_its_place(policies, field):
    with pytest.raises(gaussdp.DomainError) as caught:
        choose(asked(*policies))
    assert caught.value.parameter == field


def test_an_epsilon_of_0_is_told_as_0():
    """The epsilon of the budget at this delta is what an inversion leaves of 0; that of the policy is 0."""
    answer = choose(ChooseRequest(epsilon=0.5, criterion="profile", level=0.3))
    assert answer["risk"]["value"] == 0
    assert "with ε = 0 at δ = 0.3" in answer["risk"]["sentence"]
    assert answer["saturated"]
