import math

import mpmath
import numpy as np
import pytest
from scipy import special

import gaussdp
from contracts_of_guarantees import RATES, GuaranteeContract
from gaussdp import GDP, ZCDP, PureDP
from gaussdp.mechanisms import Stated


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
def test_the_profile_is_nowhere_above_the_conversion_at_its_best_order(rho, xi):
    guarantee = ZCDP(rho, xi)
    for share in (0.2, 0.5, 0.8):
        epsilon = float(guarantee.epsilons[int(share * guarantee.epsilons.size)])
        tried = float(bound(rho, xi, epsilon))
        assert 0.5 * tried < guarantee.delta(epsilon) <= tried * (1 + 1e-9)


def excess(order, x, y, rho, xi):
    """By how much a divergence between two bits exceeds its bound, either way round; order 1 is the limit."""
    if order == 1:
        log = mpmath.log
        ways = [p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)) for p, q in ((x, y), (y, x))]
        return max(ways) - rho - xi
    ways = [p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order) for p, q in ((x, y), (y, x))]
    return mpmath.log(max(ways)) / (order - 1) - rho * order - xi


def largest_excess(x, y, rho, xi):
    """Over orders: a coarse grid, and a fine one around its best."""
    coarse = range(-100, 60)
    best = max(coarse, key=lambda k: excess(1 + mpmath.mpf(10) ** (mpmath.mpf(k) / 25), x, y, rho, xi))
    fine = [1 + mpmath.mpf(10) ** (mpmath.mpf(best + k / 50) / 25) for k in range(-75, 76)]
    return max(excess(order, x, y, rho, xi) for order in (1, *fine))


@pytest.mark.parametrize(("rho", "xi"), [(0.005, 0.0), (0.125, 0.0), (0.5, 0.0), (2.0, 0.0), (0.5, 0.3)])
def test_the_curve_is_the_boundary_of_what_divergences_allow(rho, xi):
    """In 40 digits: a hair beyond the curve some order forbids the two bits, a hair inside none does."""
    curve = ZCDP(rho, xi)
    with mpmath.workdps(40):
        corner = (1 - curve.delta(0.0)) / 2
        for fpr in (1e-30, 1e-9, 1e-4, 0.3 * corner, 0.9 * corner, corner):
            x, y = mpmath.mpf(fpr), mpmath.mpf(curve.tpr(fpr))
            assert largest_excess(x, y, rho, xi) > -1e-5 * rho  # no attack does better: sound
            inside = x + (y - x) * (1 - mpmath.mpf(2e-3))
            assert largest_excess(x, inside, rho, xi) <= 0  # and some release allows this one


@pytest.mark.parametrize(("rho", "mu"), [(0.125, 0.6304), (0.5, 1.2839), (2.0, 2.7675)])
def test_the_mu_that_follows(rho, mu):
    """It binds where both errors are equal, at the divergence rho; the conversion gave 8 to 14 % more."""
    fit = gaussdp.account(ZCDP(rho)).fit(1e-6)
    assert fit.mu == pytest.approx(mu, abs=1e-4)
    assert (1 - 2 * fit.fpr) * math.log((1 - fit.fpr) / fit.fpr) == pytest.approx(rho, rel=1e-6)
    assert fit.mu * (1 - 1e-12) <= ZCDP(rho).implied().mu < 1.03 * fit.mu


@pytest.mark.parametrize("rho", [1e-25, 1e-12, 1e-6, 50.0, 1e5])
def test_from_next_to_nothing_to_next_to_everything(rho):
    curve = ZCDP(rho)
    assert curve.advantage() <= min(math.sqrt(rho / 2), 1.0) * (1 + 1e-9)
    assert curve.advantage() >= GDP(math.sqrt(2 * rho)).advantage()
    assert (curve.fnr(RATES) <= GDP(math.sqrt(2 * rho)).fnr(RATES) + 1e-15).all()


def test_statements_in_a_composition_add_up():
    whole = gaussdp.account(gaussdp.Composition([4 * Stated(ZCDP(0.1)), Stated(ZCDP(0.1, 0.2))]))
    alone = ZCDP(0.5, 0.2)
    for delta in (1e-3, 1e-6):
        assert alone.epsilon(delta) <= whole.epsilon(delta) <= alone.epsilon(delta) + 1e-3
        gaussian = GDP(1.0).epsilon(delta)  # which may be behind them
        assert gaussian - 1e-2 < whole.epsilon_lower(delta) <= gaussian


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
        slopes = np.exp(guarantee.epsilons[-2:])
        last = (guarantee.deltas[-2] - guarantee.deltas[-1]) / (slopes[1] - slopes[0])  # where their lines meet
        z = math.sqrt(-2 * math.log(last)) + np.geomspace(1e-6, 1e4, 2000)
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
