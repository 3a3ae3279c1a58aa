import math

import mpmath
import numpy as np
import pytest
from scipy import special

import gaussdp
from contracts_of_guarantees import RATES, GuaranteeContract
from gaussdp import GDP, ZCDP, PureDP


class TestZCDP(GuaranteeContract):
    @pytest.fixture(params=[ZCDP(0.5), ZCDP(0.02), ZCDP(1.0, 0.3), ZCDP(0.0, 0.7), ZCDP(0.0)], ids=repr)
    def guarantee(self, request):
        return request.param


def bound(rho, xi, epsilon):
    """The conversion in 40 digits, its best order found by trying many."""
    with mpmath.workdps(40):
        orders = [1 + mpmath.mpf(10) ** (mpmath.mpf(k) / 200) for k in range(-400, 1000)]
        return min(mpmath.exp((a - 1) * (xi + rho * a - epsilon)) / (a - 1) * (1 - 1 / a) ** a for a in orders)


@pytest.mark.parametrize(("rho", "xi"), [(0.5, 0.0), (0.01, 0.0), (2.0, 0.5)])
def test_the_profile_is_the_conversion_at_its_best_order(rho, xi):
    guarantee = ZCDP(rho, xi)
    for share in (0.2, 0.5, 0.8):
        epsilon = float(guarantee.epsilons[int(share * guarantee.epsilons.size)])
        tried = float(bound(rho, xi, epsilon))
        assert tried * (1 - 1e-2) < guarantee.delta(epsilon) <= tried * (1 + 1e-9)


@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 4.0])
def test_holds_for_what_is_known_to_be_zcdp(rho):
    """A Gaussian release with mu = sqrt(2 rho), and randomized response with epsilon = sqrt(2 rho)."""
    stated = ZCDP(rho)
    for known in (GDP(math.sqrt(2 * rho)), PureDP(math.sqrt(2 * rho))):
        assert (stated.fnr(RATES) <= known.fnr(RATES) + 1e-15).all()
        assert stated.implied().mu > known.mu if isinstance(known, GDP) else True
    assert (stated.implied().fnr(RATES) <= stated.fnr(RATES) + 1e-15).all()


def test_implied_holds_far_below_every_point():
    """By the bound (1 + e^xi) exp(-(z - sqrt(2 rho))^2 / 2) on the TPR at log fpr = -z^2 / 2."""
    for rho, xi in ((1e-4, 0.0), (0.5, 0.0), (0.5, 1.0), (20.0, 0.0)):
        guarantee = ZCDP(rho, xi)
        z = math.sqrt(-2 * math.log(guarantee._kinks[-1])) + np.geomspace(1e-6, 1e4, 2000)
        log_tpr = np.log1p(math.exp(xi)) - 0.5 * (z - math.sqrt(2 * rho)) ** 2
        mus = special.ndtri_exp(log_tpr) - special.ndtri_exp(-0.5 * z * z)
        assert mus.max() <= guarantee.implied().mu + 1e-9


def test_limits():
    assert ZCDP(0.0).implied() == GDP(0.0)
    assert ZCDP(0.0, 1.0).implied().mu == pytest.approx(PureDP(1.0).implied().mu, rel=1e-12)
    assert ZCDP(0.0, 800.0).implied().mu == math.inf
    assert ZCDP(1000.0).advantage() == 1.0


@pytest.mark.parametrize(("rho", "xi", "name"), [(-1.0, 0.0, "rho"), (math.inf, 0.0, "rho"), (1.0, math.nan, "xi")])
def test_bad_input(rho, xi, name):
    with pytest.raises(gaussdp.DomainError, match=f"{name} must be in"):
        ZCDP(rho, xi)
