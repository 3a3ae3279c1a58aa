import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp import GDP, ApproxDP, PureDP
from gaussdp.auditing.claims import largest_area


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(0)
    return gaussdp.audit(members=random.normal(1.5, 1, 2000), nonmembers=random.normal(0, 1, 2000), design="trials")


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0, 4.0])
def test_area_under_a_gdp_curve(mu):
    exact = special.ndtr(mu / np.sqrt(2))
    assert exact <= largest_area(GDP(mu)) <= exact + 1e-4


def test_area_under_a_pure_dp_curve():
    kink = 1 / (1 + np.e)
    exact = 1 - kink
    assert exact <= largest_area(PureDP(1.0)) <= exact + 1e-4


def test_mu(found):
    assert found.contradicts(found.mu_lower * (1 - 1e-9))
    assert not found.contradicts(found.mu_lower)
    assert not found.contradicts(GDP(1.5))
    assert found.contradicts(0)


def test_other_curves_are_compared_at_every_threshold(found):
    assert found.contradicts(PureDP(1.0))
    assert not found.contradicts(PureDP(8.0))
    epsilon = found.epsilon_lower(1e-5)
    assert found.contradicts(ApproxDP(epsilon * (1 - 1e-6), 1e-5))
    assert not found.contradicts(ApproxDP(epsilon * (1 + 1e-6), 1e-5))


def test_area_against_curves():
    found = gaussdp.audit(
        members=np.arange(2000) + 900, nonmembers=np.arange(2000), method=gaussdp.AUC(), design="trials"
    )
    assert found.contradicts(PureDP(0.5))
    assert not found.contradicts(PureDP(3.0))
    assert found.contradicts(ApproxDP(found.epsilon_lower(1e-5) - 1e-6, 1e-5))
    assert not found.contradicts(ApproxDP(found.epsilon_lower(1e-5) + 1e-6, 1e-5))


def test_an_accounted_curve(found):
    """DP-SGD with noise enough, and with too little, for scores that look like mu = 1.5."""
    private, leaky = (gaussdp.account(gaussdp.DPSGD(s, sample_rate=0.01, steps=1000)) for s in (1.0, 0.3))
    assert found.contradicts(private)
    assert not found.contradicts(leaky)
    assert found.verdict(private).sentence == "The claim of the given curve is contradicted at 95 % confidence."
    by_area = gaussdp.audit(
        members=np.arange(2000) + 1800, nonmembers=np.arange(2000), method=gaussdp.AUC(), design="trials"
    )
    assert by_area.contradicts(private)
    assert gaussdp.audit_one_run(1000, 100, 99).contradicts(private)


def test_sentences(found):
    assert found.verdict(0.5).contradicted
    assert found.verdict(0.5).sentence == "The claim μ = 0.5 is contradicted at 95 % confidence."
    assert not found.verdict(2).contradicted
    assert found.verdict(2).sentence.startswith("The scores are consistent with the claim μ = 2 at 95 % confidence")
    assert "ε = 9, δ = 1e-5" in found.verdict(ApproxDP(9, 1e-5)).sentence


def test_bad_claims(found):
    with pytest.raises(gaussdp.DomainError):
        found.contradicts(-1.0)
    with pytest.raises(gaussdp.DomainError):
        found.epsilon_lower(2.0)


@pytest.mark.parametrize(
    "method", [gaussdp.EqualLocalLevel(), gaussdp.DKW(), gaussdp.AUC(), gaussdp.FixedThreshold(0.5)]
)
def test_what_proves_nothing_contradicts_nothing(method):
    """A claim that the bound only equals stands, most of all mu = 0 where nothing is proved."""
    found = gaussdp.audit(members=[0, 1] * 9, nonmembers=[0, 1] * 9, method=method, design="trials")
    assert found.mu_lower == 0
    assert not found.contradicts(0.0)
    assert not found.contradicts(PureDP(0.0))
    strong = gaussdp.audit(members=[1] * 900, nonmembers=[0] * 900, method=method, design="trials")
    assert not strong.contradicts(strong.mu_lower)
    assert strong.contradicts(np.nextafter(strong.mu_lower, 0.0))


def test_guesses_that_prove_nothing_contradict_nothing():
    found = gaussdp.audit_one_run(canaries=10, guesses=5, correct=2)
    assert found.mu_lower == found.epsilon_lower(0.0) == 0
    assert not found.contradicts(0.0)
    assert not found.contradicts(PureDP(0.0))
