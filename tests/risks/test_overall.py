import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp import GDP, Accuracy, Advantage, PureDP


def test_advantage_of_pure_dp():
    assert Advantage().of(PureDP(1.0)) == pytest.approx(math.tanh(0.5), rel=1e-15)


def test_accuracy_of_pure_dp():
    """With even odds the best guess is right with probability e^eps / (1 + e^eps)."""
    assert Accuracy().of(PureDP(1.0)) == pytest.approx(math.e / (1 + math.e), rel=1e-15)


@given(st.floats(1e-3, 6), st.floats(0.05, 0.95))
def test_mu_of_its_own_value(mu, prior):
    assert Advantage().mu_for(Advantage().of(GDP(mu))) == pytest.approx(mu, rel=1e-12 + 1e-16 * math.exp(mu * mu / 8))
    accuracy = Accuracy(prior)
    value = accuracy.of(GDP(mu))
    if value > max(prior, 1 - prior) + 1e-6:
        assert accuracy.mu_for(value) == pytest.approx(mu, rel=1e-7)
        assert accuracy.match(GDP(mu)) == pytest.approx(mu, rel=1e-11)


def test_matching_the_advantage_of_pure_dp_is_what_it_implies():
    for epsilon in (1e-6, 0.5, 3.0):
        assert Advantage().match(PureDP(epsilon)) == pytest.approx(PureDP(epsilon).implied().mu, rel=1e-12)
        assert PureDP(epsilon).implied().mu == pytest.approx(Advantage().mu_from_epsilon(epsilon), rel=2e-15)


def test_nothing_gained_over_a_strong_prior():
    """A policy that leaves a sure attacker no wiser matches mu = 0."""
    assert Accuracy(prior=0.01).match(PureDP(1.0)) == 0
    assert Accuracy(prior=0.3).mu_from_epsilon([0.5, 1.0]).tolist() == [0.0, Accuracy(0.3).match(PureDP(1.0))]


def test_ends():
    assert Advantage().mu_for(1.0) == math.inf
    assert Accuracy(0.5).mu_for(1.0) == math.inf
    assert Accuracy(0.5).mu_for(0.5) == 0


@pytest.mark.parametrize(("risk", "value"), [(Advantage(), -0.1), (Advantage(), 1.1), (Accuracy(0.3), 0.6)])
def test_no_such_value(risk, value):
    with pytest.raises(gaussdp.DomainError, match="must be in"):
        risk.mu_for(value)


def test_bad_prior():
    with pytest.raises(gaussdp.DomainError, match=r"^prior must be in \(0, 1\), got 0.0"):
        Accuracy(0)


@pytest.mark.parametrize("epsilon", [20.0, 30.0, 42.3, 100.0, 700.0, 1e4])
@pytest.mark.parametrize("prior", [0.5, 0.2, 0.999])
def test_matches_where_the_risk_is_one_but_for_digits_that_no_double_has(epsilon, prior):
    """1 - delta of pure DP, (1 + e^l) / (1 + e^epsilon), is that of the GDP found, all in many digits."""
    mu = gaussdp.choose(PureDP(epsilon), Accuracy(prior)).mu
    with mpmath.workdps(40):
        odds = abs(mpmath.log(mpmath.mpf(prior) / (1 - mpmath.mpf(prior))))
        middle = odds / mu
        rest = [mpmath.erfc((mu / 2 + sign * middle) / mpmath.sqrt(2)) / 2 for sign in (-1, 1)]
        ours = mpmath.log(rest[0] + mpmath.exp(odds) * rest[1])
        theirs = mpmath.log((1 + mpmath.exp(odds)) / (1 + mpmath.exp(mpmath.mpf(epsilon))))
    assert float(ours) == pytest.approx(float(theirs), rel=1e-12)
    if prior == 0.5:
        assert gaussdp.choose(PureDP(epsilon), Advantage()).mu == pytest.approx(mu, rel=1e-12)


@pytest.mark.parametrize("reference", [GDP(60.0), gaussdp.LaplaceDP(200.0), gaussdp.ApproxDP(80.0, 0.3)], ids=repr)
def test_matches_of_other_references_near_certainty(reference):
    mu = gaussdp.choose(reference, Advantage()).mu
    assert GDP(mu).log_overlap(0.0) == pytest.approx(reference.log_overlap(0.0), rel=1e-12)
    assert mu == pytest.approx(gaussdp.choose(reference, Accuracy()).mu, rel=1e-12)
    assert mu < math.inf
