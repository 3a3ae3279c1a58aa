import math

import pytest
from hypothesis import given

import gaussdp
from domains_of_test import epsilons, levels, mus
from gaussdp import GDP, ApproxDP, MultiplicativeAdvantage, Precision, Profile, PureDP, TruePositiveRate


class TestValues:
    def test_multiplicative_advantage_of_pure_dp(self):
        """e^epsilon up to the kink, then what the flat piece allows."""
        assert MultiplicativeAdvantage(1e-3).of(PureDP(1.0)) == pytest.approx(math.e, rel=1e-15)
        flat = (1 - math.exp(-1) * (1 - 0.5)) / 0.5
        assert MultiplicativeAdvantage(0.5).of(PureDP(1.0)) == pytest.approx(flat, rel=1e-15)

    def test_precision_of_pure_dp(self):
        """The bound e^eps/(1 + e^eps) is attained up to that recall, and not beyond."""
        bound = math.e / (1 + math.e)
        assert Precision(0.01).of(PureDP(1.0)) == pytest.approx(bound, rel=1e-15)
        assert Precision(bound).of(PureDP(1.0)) == pytest.approx(bound, rel=1e-15)
        assert Precision(0.9).of(PureDP(1.0)) < bound - 0.05

    def test_precision_with_a_prior(self):
        odds = 0.1 / 0.9 * math.e
        assert Precision(0.01, prior=0.1).of(PureDP(1.0)) == pytest.approx(odds / (1 + odds), rel=1e-14)

    def test_profile(self):
        assert Profile(1e-5).of(GDP(1.0)) == gaussdp.epsilon_from_mu(1.0, 1e-5)
        assert Profile(1e-5).of(ApproxDP(1.0, 1e-3)) == math.inf


class TestSolving:
    @given(mus, levels.filter(lambda level: 1e-12 < level < 0.9))
    def test_mu_of_its_own_value(self, mu, level):
        if not 1e-3 < mu < 6:
            return
        for risk in (MultiplicativeAdvantage(level), Precision(level), Precision(level, 0.1), Profile(level)):
            value = risk.of(GDP(mu))
            # A value at the end of its range (TPR 1, precision 1, epsilon 0) no longer tells mu apart.
            if isinstance(risk, MultiplicativeAdvantage) and value * level > 1 - 1e-5:
                continue
            if isinstance(risk, Precision) and value > 1 - 1e-5:
                continue
            if isinstance(risk, Profile) and value < 1e-3:
                continue
            assert risk.mu_for(value) == pytest.approx(mu, rel=1e-7)

    def test_ends_of_the_range(self):
        assert MultiplicativeAdvantage(0.25).mu_for(1.0) == 0
        assert MultiplicativeAdvantage(0.25).mu_for(4.0) == math.inf
        assert Precision(0.25, prior=0.5).mu_for(0.5) == 0
        assert Precision(0.25).mu_for(1.0) == math.inf
        assert Profile(1e-5).mu_for(math.inf) == math.inf

    @pytest.mark.parametrize(
        ("risk", "value"),
        [
            (MultiplicativeAdvantage(0.25), 0.9),
            (MultiplicativeAdvantage(0.25), 4.1),
            (Precision(0.25), 0.4),
            (Precision(0.25), 1.1),
            (Profile(1e-5), -0.1),
            (Profile(1e-5), math.nan),
        ],
    )
    def test_no_such_value(self, risk, value):
        with pytest.raises(gaussdp.DomainError, match="must be in"):
            risk.mu_for(value)


class TestMatching:
    @given(epsilons, levels)
    def test_pure_dp_by_closed_form(self, epsilon, level):
        reference = PureDP(epsilon)
        assert MultiplicativeAdvantage(level).match(reference) == gaussdp.mu_from_multiplicative_advantage(
            epsilon, level
        )
        assert MultiplicativeAdvantage(level).mu_from_epsilon(epsilon) == MultiplicativeAdvantage(level).match(
            reference
        )
        assert Precision(level).mu_from_epsilon(epsilon) == gaussdp.mu_from_precision(epsilon, level)
        assert Profile(level).mu_from_epsilon(epsilon) == gaussdp.mu_from_profile(epsilon, level)

    def test_prior_does_not_move_the_match(self):
        assert Precision(0.3, 0.01).match(PureDP(2.0)) == Precision(0.3).match(PureDP(2.0))


@pytest.mark.parametrize("risk", [MultiplicativeAdvantage, Precision, Profile])
def test_bad_level(risk):
    zero = () if risk is Profile else (0,)  # delta 0 is pure DP
    for level in (*zero, 1, -0.1, math.nan, "x", None, [0.1, 0.2]):
        with pytest.raises(gaussdp.DomainError, match=r"^(fpr|recall|delta) must be"):
            risk(level)


def test_bad_prior():
    with pytest.raises(gaussdp.DomainError, match=r"^prior must be in \(0, 1\), got 1.0"):
        Precision(0.1, prior=1)


def test_value_and_inverse():
    risk = TruePositiveRate(fpr=1e-3)
    assert risk.of(GDP(0.31)) == GDP(0.31).tpr(1e-3)
    assert risk.mu_for(risk.of(GDP(0.31))) == pytest.approx(0.31, rel=1e-12)
    assert risk.mu_for(1e-3) == 0
    assert risk.mu_for(1.0) == float("inf")


def test_it_matches_as_multiplicative_advantage_does():
    ratio, rate = MultiplicativeAdvantage(fpr=1e-4), TruePositiveRate(fpr=1e-4)
    assert rate.match(PureDP(1.0)) == ratio.match(PureDP(1.0))
    assert rate.mu_from_epsilon(2.0) == ratio.mu_from_epsilon(2.0)


def test_bad_input():
    with pytest.raises(gaussdp.DomainError, match=r"fpr must be in \(0, 1\)"):
        TruePositiveRate(0.0)
    with pytest.raises(gaussdp.DomainError, match=r"tpr must be in \[0.001, 1\]"):
        TruePositiveRate(1e-3).mu_for(1e-4)
