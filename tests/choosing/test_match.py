import math

import pytest

import gaussdp
from gaussdp import GDP, Accuracy, Advantage, ApproxDP, MultiplicativeAdvantage, Precision, Profile, PureDP, choose

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


@pytest.mark.parametrize(
    ("reference", "risk", "message"),
    [
        (Advantage(), PureDP(1.0), "reference must be a guarantee such as PureDP.1.0., got Advantage"),
        (1.0, Advantage(), "reference must be a guarantee such as .*, got 1.0"),
        (PureDP(1.0), "advantage", "risk must be a risk such as .*, got 'advantage'"),
    ],
)
def test_swapped_and_other_arguments(reference, risk, message):
    with pytest.raises(gaussdp.DomainError, match=message):
        choose(reference, risk)
