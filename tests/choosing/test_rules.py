"""Rules of thumb: the facts of the paper's recommendation, and where they end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaussdp
from domains_of_test import log_uniform
from gaussdp import Advantage, MultiplicativeAdvantage, Precision, Profile, RuleOfThumb, conservative_divisor

FIFTH, THIRD = RuleOfThumb(5), RuleOfThumb(3)
criteria = st.sampled_from([MultiplicativeAdvantage, Precision, Profile])


class TestFactsAboutAFifth:
    def test_profile_at_1e_8(self):
        assert gaussdp.mu_from_profile(1.0, 1e-8) == pytest.approx(0.1961, abs=5e-5)
        assert gaussdp.mu_from_profile(2.0, 1e-8) == pytest.approx(0.377, abs=5e-4)
        assert not FIFTH.is_conservative(1.0, Profile(1e-8))
        assert not FIFTH.is_conservative(2.0, Profile(1e-8))
        assert FIFTH.is_conservative(0.5, Profile(1e-8))

    def test_profile_at_1e_5_fails_above_ten(self):
        ((start, end),) = FIFTH.conservative_epsilons(Profile(1e-5))
        assert start == 0
        assert end == pytest.approx(10.01, abs=0.01)

    def test_precision_at_1e_5_fails_above_five(self):
        ((start, end),) = FIFTH.conservative_epsilons(Precision(1e-5))
        assert start == 0
        assert end == pytest.approx(5.41, abs=0.01)

    def test_multiplicative_advantage_at_1e_7_fails_below_four(self):
        ((start, _),) = FIFTH.conservative_epsilons(MultiplicativeAdvantage(1e-7))
        assert start == pytest.approx(3.93, abs=0.01)
        assert not FIFTH.is_conservative(1.0, MultiplicativeAdvantage(1e-7))

    def test_conservative_at_the_levels_and_policies_the_paper_prints_except_the_smallest_delta(self):
        policies = np.array([0.1, 0.2, 0.5, 1.0, 1.5, 2.0])
        for level in (1e-2, 1e-3, 1e-4, 1e-5):
            assert FIFTH.is_conservative(policies, MultiplicativeAdvantage(level)).all()
            assert FIFTH.is_conservative(policies, Precision(level)).all()
        for delta in (1e-5, 1e-6, 1e-7):
            assert FIFTH.is_conservative(policies, Profile(delta)).all()
        assert FIFTH.is_conservative(policies, Profile(1e-8)).tolist() == [True, True, True, False, False, False]


def test_nowhere_conservative():
    assert THIRD.conservative_epsilons(Precision(1e-3)) == []


@settings(max_examples=40)
@given(criteria, log_uniform(1e-9, 0.4), st.floats(1, 20))
def test_intervals_agree_with_the_verdicts(criterion, level, divisor):
    """Just inside every end the rule is conservative, just outside it is not."""
    rule, risk = RuleOfThumb(divisor), criterion(level)
    for start, end in rule.conservative_epsilons(risk):
        assert start < end
        assert rule.is_conservative(end, risk)
        assert not rule.is_conservative(end * (1 + 1e-9), risk)
        if start > 0:
            assert rule.is_conservative(start, risk)
            assert not rule.is_conservative(start * (1 - 1e-9), risk)
    scan = np.geomspace(1e-7, 1e4, 500)
    inside = np.zeros(500, dtype=bool)
    for start, end in rule.conservative_epsilons(risk):
        inside |= (scan >= start) & (scan <= end)
    assert (rule.is_conservative(scan, risk) == inside).all()


@settings(max_examples=40)
@given(criteria, log_uniform(1e-9, 0.4), log_uniform(1e-3, 10), st.floats(1, 30))
def test_the_divisor_is_the_least_conservative_one(criterion, level, low, ratio):
    risk, high = criterion(level), low * ratio
    divisor = conservative_divisor([risk], low, high)
    policies = np.geomspace(low, high, 333)
    policies[0], policies[-1] = low, high
    assert RuleOfThumb(divisor).is_conservative(policies, risk).all()
    assert not RuleOfThumb(divisor * (1 - 1e-6)).is_conservative(policies, risk).all()


def test_the_divisor_over_a_range_of_levels():
    """Ends of a range of levels suffice."""
    ends = [MultiplicativeAdvantage(1e-5), MultiplicativeAdvantage(0.9)]
    divisor = conservative_divisor(ends, 0.1, 5.0)
    between = [MultiplicativeAdvantage(float(level)) for level in np.geomspace(1e-5, 0.9, 60)]
    assert conservative_divisor(between, 0.1, 5.0) <= divisor


def test_a_divisor_for_the_whole_of_the_papers_tables():
    risks = [kind(level) for kind in (MultiplicativeAdvantage, Precision) for level in (1e-2, 1e-5)]
    assert conservative_divisor([*risks, Profile(1e-5), Profile(1e-8)], 0.1, 2.0) == pytest.approx(5.31, abs=0.005)


def test_any_risk_serves():
    ((start, end),) = FIFTH.conservative_epsilons(Advantage())
    assert start == 0
    assert end > 100


@pytest.mark.parametrize("divisor", [0, -1, float("inf"), float("nan"), "5", None])
def test_bad_divisor(divisor):
    with pytest.raises(gaussdp.DomainError, match=r"^divisor must be"):
        RuleOfThumb(divisor)


def test_bad_range():
    with pytest.raises(gaussdp.DomainError, match=r"epsilon_low must be at most epsilon_high, got 2.0 and 1.0"):
        conservative_divisor([Profile(1e-5)], 2, 1)
    with pytest.raises(gaussdp.DomainError, match=r"epsilon_low must be in \(0, inf\), got 0.0"):
        conservative_divisor([Profile(1e-5)], 0, 1)
    with pytest.raises(gaussdp.DomainError, match="risks must not be empty"):
        conservative_divisor([], 1, 2)


def test_mu():
    assert FIFTH.mu(1.0) == 0.2
    assert FIFTH.mu([1.0, 2.0]).tolist() == [0.2, 0.4]
