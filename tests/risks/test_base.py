"""A risk of the user's own: only `of` is given, the rest is found."""

import math
from dataclasses import dataclass

import pytest

import gaussdp
from gaussdp import GDP, PureDP, Risk


@dataclass(frozen=True)
class TruePositiveRate(Risk):
    fpr: float

    def of(self, guarantee):
        return guarantee.tpr(self.fpr)


def test_found_by_bisection():
    risk = TruePositiveRate(1e-3)
    assert risk.mu_for(risk.of(GDP(0.7))) == pytest.approx(0.7, rel=1e-13)
    assert risk.match(PureDP(1.0)) == pytest.approx(gaussdp.mu_from_multiplicative_advantage(1.0, 1e-3), rel=1e-12)
    assert gaussdp.choose(PureDP(1.0), risk).mu == risk.match(PureDP(1.0))


def test_never_above_the_root():
    """A budget is rounded down: the mu found has at most the risk asked for."""
    risk = TruePositiveRate(0.01)
    for value in (0.011, 0.05, 0.3, 0.9):
        assert risk.of(GDP(risk.mu_for(value))) <= value


def test_policies_as_arrays():
    risk = TruePositiveRate(1e-3)
    expected = gaussdp.mu_from_multiplicative_advantage([0.5, 1.0], 1e-3)
    assert risk.mu_from_epsilon([0.5, 1.0]) == pytest.approx(expected, rel=1e-12)
    assert type(risk.mu_from_epsilon(1.0)) is float


def test_out_of_reach():
    with pytest.raises(gaussdp.DomainError, match=r"TruePositiveRate\(fpr=0.1\) of GDP lies in \[0.1, 1\], got 0.05"):
        TruePositiveRate(0.1).mu_for(0.05)
    with pytest.raises(gaussdp.DomainError, match="got nan"):
        TruePositiveRate(0.1).mu_for(math.nan)


def test_only_no_privacy_reaches_it():
    class Stubborn(Risk):
        def of(self, guarantee):
            return 1.0 if guarantee.mu == math.inf else 0.0

    assert Stubborn().mu_for(0.5) == math.inf


@pytest.mark.parametrize("risk", [*gaussdp.risks.criteria_at(), gaussdp.Profile(0.0), TruePositiveRate(1e-3)], ids=str)
def test_a_matcher_is_the_match_of_pure_dp(risk):
    matcher = risk.matcher()
    for epsilon in (0.0, 1e-5, 0.5, 3.0, 40.0, math.inf):
        assert matcher(epsilon) == risk.match(PureDP(epsilon))


def test_who_matches_otherwise_does_so_of_pure_dp_too():
    @dataclass(frozen=True)
    class Halved(gaussdp.MultiplicativeAdvantage):
        def match(self, reference):
            return super().match(reference) / 2

    assert Halved(1e-3).matcher()(1.0) == Halved(1e-3).match(PureDP(1.0))
