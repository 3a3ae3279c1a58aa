import math

import mpmath
import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp.guarantees import GDP, LaplaceDP


class TestLaplaceDP(GuaranteeContract):
    @pytest.fixture(params=[0.0, 1e-3, 0.1, 1.0, 3.0, 10.0])
    def guarantee(self, request):
        return LaplaceDP(request.param)


def test_the_curve_is_that_of_the_likelihood_ratio_test():
    """Thresholds on one Laplace output, the test that is best for it."""
    epsilon = 1.3
    thresholds = np.linspace(-3, 5, 200)

    def above(x):
        return np.where(x > 0, 0.5 * np.exp(-np.abs(x)), 1 - 0.5 * np.exp(-np.abs(x)))

    fpr, tpr = above(thresholds), above(thresholds - epsilon)
    inside = (thresholds >= 0) & (thresholds <= epsilon)  # elsewhere the ratio is constant and the test randomises
    np.testing.assert_allclose(LaplaceDP(epsilon).tpr(fpr[inside]), tpr[inside], rtol=1e-12)
    assert (LaplaceDP(epsilon).tpr(fpr) >= tpr - 1e-15).all()


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3, 0.3, 1.0, 2.0, 20.0, 600.0])
def test_implied_mu(epsilon):
    with mpmath.workdps(60):
        level = mpmath.exp(-mpmath.mpf(epsilon) / 2)
        exact = mpmath.sqrt(8) * mpmath.erfinv(1 - level) if epsilon < 30 else None
    mu = LaplaceDP(epsilon).implied().mu
    if exact is not None:
        assert mu == pytest.approx(float(exact), rel=1e-12)
    assert LaplaceDP.from_mu(mu).epsilon_bound == pytest.approx(epsilon, rel=1e-11)


@pytest.mark.parametrize("epsilon", [0.01, 0.7, 2.0, 6.0])
def test_implied_mu_holds_and_no_smaller_does(epsilon):
    curve, mu = LaplaceDP(epsilon), LaplaceDP(epsilon).implied().mu
    rates = np.geomspace(1e-12, 0.5, 2000)
    assert (GDP(mu).fnr(rates) <= curve.fnr(rates) * (1 + 1e-12)).all()
    touch = 0.5 * math.exp(-0.5 * epsilon)
    assert GDP(mu * (1 - 1e-6)).fnr(touch) > curve.fnr(touch)


@pytest.mark.parametrize("epsilon", [-1.0, math.inf, math.nan])
def test_bad_input(epsilon):
    with pytest.raises(gaussdp.DomainError, match="epsilon must be in"):
        LaplaceDP(epsilon)
