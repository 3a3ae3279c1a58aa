import math

import mpmath
import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp import GDP, BoundedRange, ExponentialMechanism, PureDP

RATES = np.concatenate([np.geomspace(1e-30, 0.5, 300), 1 - np.geomspace(1e-9, 0.49, 100)])


class TestBoundedRange(GuaranteeContract):
    @pytest.fixture(params=[0.0, 1e-3, 0.1, 1.0, 3.0, 10.0])
    def guarantee(self, request):
        return BoundedRange(request.param)


@pytest.mark.parametrize("eta", [1e-4, 0.7, 5.0, 60.0])
def test_the_curve_is_that_of_a_logistic_shift(eta):
    """Thresholds on one output: Logistic(eta, 1) above x against Logistic(0, 1) above x."""
    curve = BoundedRange(eta)
    with mpmath.workdps(50):
        for x in (-3.0, 0.0, 0.4 * eta, eta, eta + 30.0):
            fpr, tpr = (1 / (1 + mpmath.exp(mpmath.mpf(x) - shift)) for shift in (0, mpmath.mpf(eta)))
            assert curve.tpr(float(fpr)) == pytest.approx(float(tpr), rel=1e-11)
            loss = mpmath.log(tpr * (1 - tpr) / (fpr * (1 - fpr)))  # of densities, which are F (1 - F)
            if loss > 0:
                assert curve.delta(float(loss)) == pytest.approx(
                    float(tpr - mpmath.exp(loss) * fpr), rel=1e-9, abs=1e-18
                )


@pytest.mark.parametrize("eta", [0.2, 1.0, 4.0])
def test_the_curve_is_the_envelope_of_two_point_pairs(eta):
    c = math.exp(-eta)
    curve = BoundedRange(eta)
    lowest = np.ones_like(RATES)
    for a in np.exp(-np.linspace(0, eta, 4001)):
        fpr, fnr = (a - c) / (1 - c), c * (1 - a) / (a * (1 - c))
        line = np.interp(RATES, [0, fpr, 1], [1, fnr, 0]) if 0 < fpr < 1 else 1 - RATES
        lowest = np.minimum(lowest, line)
    assert (curve.fnr(RATES) <= lowest + 1e-15).all()
    np.testing.assert_allclose(curve.fnr(RATES), lowest, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("monotone", [False, True])
def test_it_holds_for_exponential_mechanisms(seed, monotone):
    draw = np.random.default_rng(seed)
    scale, scores = float(draw.uniform(0.3, 5)), draw.normal(size=40) * 3
    moves = draw.choice([0.0, 1.0], 40) if monotone else draw.choice([-1.0, 0.3, 1.0], 40)
    one, other = (np.exp(s / scale) / np.exp(s / scale).sum() for s in (scores, scores + moves))
    curve = ExponentialMechanism.from_scores(scale, 1.0, monotone=monotone).guarantee
    for p, q in ((one, other), (other, one)):
        order = np.argsort(q / p)
        fpr, tpr = np.cumsum(q[order]), np.cumsum(p[order])
        assert (tpr <= curve.tpr(np.minimum(fpr, 1.0)) + 1e-14).all()


@pytest.mark.parametrize("eta", [1e-6, 0.01, 1.0, 6.0, 40.0])
def test_implied_mu_holds_and_no_smaller_does(eta):
    curve, mu = BoundedRange(eta), BoundedRange(eta).implied().mu
    with mpmath.workdps(60):
        exact = 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(mpmath.mpf(eta) / 4))
    assert mu == pytest.approx(float(exact), rel=1e-11)
    assert (curve.mu_at_fpr(RATES) <= mu * (1 + 1e-12) + 1e-14).all()
    assert curve.mu_at_fpr(1 / (1 + math.exp(eta / 2))) == pytest.approx(mu, rel=1e-9, abs=1e-14)


def test_it_is_half_of_what_pure_dp_implies():
    assert BoundedRange(1.0).implied().mu == pytest.approx(0.62389, abs=1e-5)
    assert PureDP(1.0).implied().mu == pytest.approx(1.23204, abs=1e-5)
    assert BoundedRange(1.0).pure_epsilon == 1.0
    assert BoundedRange(0.0).implied() == GDP(0.0)


@pytest.mark.parametrize("eta", [-1.0, math.inf, math.nan, "x"])
def test_bad_input(eta):
    with pytest.raises(gaussdp.DomainError, match="eta must be"):
        BoundedRange(eta)
    with pytest.raises(gaussdp.DomainError, match="eta must be"):
        ExponentialMechanism(eta)
    with pytest.raises(gaussdp.DomainError, match="scale must be"):
        ExponentialMechanism.from_scores(eta)
