import pytest

import gaussdp
from gaussdp import GDP, MultiplicativeAdvantage, PureDP, TruePositiveRate


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
