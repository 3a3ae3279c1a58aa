"""From mu back to the policy epsilon that a criterion gives it to."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gaussdp
from gaussdp.risks.base import Risk

LEVELS = st.floats(-12, -0.05).map(lambda exponent: 10.0**exponent) | st.floats(0.5, 0.999)
RISKS = (
    LEVELS.map(gaussdp.MultiplicativeAdvantage)
    | LEVELS.map(gaussdp.TruePositiveRate)
    | LEVELS.map(gaussdp.Precision)
    | st.just(gaussdp.Advantage())
)


def well_conditioned(risk, mu):
    """Where nearly all members are found already, epsilon as a double no longer tells one mu from another."""
    return not hasattr(risk, "fpr") or gaussdp.GDP(mu).fnr(risk.fpr) > 1e-3


@given(RISKS, st.floats(-9, 1.4).map(lambda exponent: 10.0**exponent))
def test_round_trip(risk, mu):
    assume(well_conditioned(risk, mu))
    assert risk.mu_from_epsilon(risk.epsilon_from_mu(mu)) == pytest.approx(mu, rel=1e-10)


@given(st.floats(-12, -2).map(lambda exponent: 10.0**exponent), st.floats(0.05, 30.0))
def test_round_trip_of_the_profile(delta, mu):
    risk = gaussdp.Profile(delta)
    epsilon = risk.epsilon_from_mu(mu)
    assert epsilon == gaussdp.epsilon_from_mu(mu, delta)
    if epsilon > 1e-6:
        assert risk.mu_from_epsilon(epsilon) == pytest.approx(mu, rel=1e-9)


@given(LEVELS, st.floats(0.01, 20.0))
def test_pure_dp_with_that_epsilon_has_the_same_risk(fpr, mu):
    risk = gaussdp.MultiplicativeAdvantage(fpr)
    same = gaussdp.PureDP(risk.epsilon_from_mu(mu))
    assert risk.of(same) == pytest.approx(risk.of(gaussdp.GDP(mu)), rel=1e-11)
    if well_conditioned(risk, mu):
        assert gaussdp.choose(same, risk).mu == pytest.approx(mu, rel=1e-10)


@pytest.mark.parametrize("mu", [0.01, 0.8, 6.0])
def test_the_closed_forms_agree_with_the_search(mu):
    for risk in (
        gaussdp.MultiplicativeAdvantage(1e-3),
        gaussdp.Precision(0.1),
        gaussdp.Profile(1e-3),
        gaussdp.Advantage(),
    ):
        assert Risk.epsilon_from_mu(risk, mu) == pytest.approx(risk.epsilon_from_mu(mu), rel=1e-9)


def test_a_criterion_without_a_closed_form():
    risk = gaussdp.Accuracy(prior=0.1)
    epsilon = risk.epsilon_from_mu(2.0)
    assert gaussdp.choose(gaussdp.PureDP(epsilon), risk).mu == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize(
    "risk",
    [
        gaussdp.MultiplicativeAdvantage(1e-3),
        gaussdp.Precision(0.3),
        gaussdp.Profile(1e-5),
        gaussdp.Advantage(),
        gaussdp.Accuracy(0.2),
    ],
    ids=str,
)
def test_ends(risk):
    assert risk.epsilon_from_mu(0.0) == 0.0
    assert risk.epsilon_from_mu(math.inf) == math.inf
    for mu in (-1.0, math.nan):
        with pytest.raises(gaussdp.DomainError, match="mu must be in"):
            risk.epsilon_from_mu(mu)
