import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from domains_of_test import epsilons, levels
from gaussdp import GDP, ApproxDP, PureDP


class TestPureDP(GuaranteeContract):
    @pytest.fixture(params=[0.0, 1e-6, 0.5, 1.0, 8.0, math.inf])
    def guarantee(self, request):
        return PureDP(request.param)


class TestApproxDP(GuaranteeContract):
    @pytest.fixture(params=[(0.0, 0.0), (1.0, 1e-5), (0.3, 0.2), (6.0, 1e-3), (0.0, 0.4), (1.0, 1.0)])
    def guarantee(self, request):
        return ApproxDP(*request.param)


def test_textbook_curve():
    """f = max(0, 1 - delta - e^eps fpr, e^-eps (1 - delta - fpr)), written out."""
    fpr = np.linspace(0, 1, 101)
    e, d = 1.2, 0.05
    expected = np.maximum(0, np.maximum(1 - d - math.exp(e) * fpr, math.exp(-e) * (1 - d - fpr)))
    np.testing.assert_allclose(ApproxDP(e, d).fnr(fpr), expected, atol=1e-15)


def test_huge_epsilon_does_not_overflow():
    guarantee = PureDP(800.0)
    assert guarantee.fnr(0.0) == 1
    assert guarantee.fnr(1e-300) == 0
    assert guarantee.tpr(0.0) == 0
    assert guarantee.delta(1.0) == 1
    assert guarantee.implied().mu == pytest.approx(2 * 39.8775, rel=1e-3)


def test_no_privacy_tells_all_apart_even_at_fpr_zero():
    assert PureDP(math.inf).fnr(0.0) == 0
    assert PureDP(math.inf).tpr(0.0) == 1
    assert GDP(math.inf).tpr(0.0) == 1


def test_pure_profile():
    """Between 0 and the bound: (e^bound - e^epsilon) / (1 + e^bound)."""
    assert PureDP(1.0).delta(0.5) == pytest.approx((math.e - math.exp(0.5)) / (1 + math.e), rel=1e-14)
    assert PureDP(1.0).delta(1.0) == 0
    assert PureDP(1.0).epsilon(0.0) == 1
    assert ApproxDP(1.0, 1e-5).epsilon(1e-5) == 1
    assert ApproxDP(1.0, 1e-5).epsilon(0.9e-5) == math.inf
    assert ApproxDP(1.0, 1e-5).epsilon(0.9) == 0


@given(epsilons)
def test_implied_mu(epsilon):
    with mp.workdps(400):
        e = mp.mpf(epsilon)
        exact = 2 * mp.sqrt(2) * mp.erfinv(mp.tanh(e / 2)) if epsilon < 100 else None
    mu = PureDP(epsilon).implied().mu
    if exact is not None:
        assert mu == pytest.approx(float(exact), rel=1e-12)
    kink = 1 / (1 + math.exp(epsilon))
    assert GDP(mu).fnr(kink) == pytest.approx(kink, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_implication_holds_everywhere_and_is_tight(epsilon):
    fpr = np.geomspace(1e-9, 0.999, 5000)
    implied = PureDP(epsilon).implied()
    assert (implied.fnr(fpr) <= PureDP(epsilon).fnr(fpr) + 1e-15).all()
    less = GDP(implied.mu * (1 - 1e-6))
    kink = 1 / (1 + math.exp(epsilon))
    assert less.fnr(kink) > PureDP(epsilon).fnr(kink)


def test_implied_value_of_the_design():
    assert PureDP(1.0).implied().mu == pytest.approx(1.2320, abs=5e-5)


def test_approximate_dp_implies_no_mu():
    with pytest.raises(gaussdp.DomainError, match=r"no finite mu follows from ApproxDP\(epsilon=1.0, delta=1e-05\)"):
        ApproxDP(1.0, 1e-5).implied()
    assert ApproxDP(1.0, 0.0).implied() == PureDP(1.0).implied()


@given(epsilons, levels)
def test_points_of_the_pure_curve_are_matched_exactly(epsilon, level):
    """The override keeps the digits that the general way, through the rates, loses."""
    assert PureDP(epsilon).mu_at_fpr(level) == gaussdp.mu_from_multiplicative_advantage(epsilon, level)
    by_curve = PureDP(epsilon).mu_at_recall(level)
    by_bound = gaussdp.mu_from_precision(epsilon, level)
    if level <= 1 / (1 + math.exp(-epsilon)):
        assert by_curve == pytest.approx(by_bound, rel=1e-12)
    else:
        assert by_curve <= by_bound


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 0.1), "epsilon"),
        ((math.nan, 0.1), "epsilon"),
        ((1, -0.1), "delta"),
        ((1, 1.1), "delta"),
        ((1, "x"), "delta"),
    ],
)
def test_bad_parameters(arguments, name):
    with pytest.raises(gaussdp.DomainError, match=f"^{name} must be"):
        ApproxDP(*arguments)


def test_keywords_and_repr():
    assert PureDP(epsilon=1) == PureDP(1.0)
    assert repr(PureDP(1)) == "PureDP(epsilon=1.0)"
    assert repr(ApproxDP(epsilon=1, delta=0.1)) == "ApproxDP(epsilon=1.0, delta=0.1)"
    assert PureDP(1.0) != ApproxDP(1.0, 0.0)


@given(st.floats(1e-3, 100), st.sampled_from([0.0, 1e-6, 0.5, 1 - 1e-9]), st.floats(0, 16))
def test_epsilon_where_delta_is_near_one(bound, delta, digits):
    """The epsilon with 1 + e^epsilon = (1 + e^bound) (1 - level) / (1 - delta), in many digits."""
    level = 1 - 10**-digits
    if level < delta:
        return
    with mp.workdps(60):
        grown = (1 + mp.exp(bound)) * (1 - mp.mpf(level)) / (1 - mp.mpf(delta)) - 1
        expected = mp.log(grown) if grown > 1 else mp.mpf(0)
    assert ApproxDP(bound, delta).epsilon(level) == pytest.approx(float(expected), abs=5e-16 * (1 + bound))
