import math

import mpmath
import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp import DPSGD, GDP, ApproxGDP, Composition, Gaussian, account
from gaussdp.mechanisms import Stated


class TestApproxGDP(GuaranteeContract):
    @pytest.fixture(params=[(0.0, 0.0), (1.0, 0.0), (0.0, 0.01), (0.3, 2e-6), (1.0, 3e-3), (4.0, 0.2)])
    def guarantee(self, request):
        return ApproxGDP(*request.param)


def test_the_curve_is_that_of_a_release_that_may_fail():
    """P = (1 - d) N(mu, 1) + d sure, Q = (1 - d) N(0, 1) + d surely not: thresholds, in 50 digits."""
    mu, delta = 1.3, 1e-3
    curve = ApproxGDP(mu, delta)
    with mpmath.workdps(50):
        for x in (-1.0, 0.0, 2.0, 6.0):
            fpr = (1 - mpmath.mpf(delta)) * mpmath.ncdf(-x)
            tpr = delta + (1 - mpmath.mpf(delta)) * mpmath.ncdf(mu - mpmath.mpf(x))
            assert curve.tpr(float(fpr)) == pytest.approx(float(tpr), rel=1e-11)
            assert curve.fpr(float(tpr)) == pytest.approx(float(fpr), rel=1e-9)


def test_delta_one_promises_nothing():
    curve = ApproxGDP(1.0, 1.0)
    assert (curve.fnr(0.0), curve.tpr(0.0), curve.fpr(1.0), curve.delta(9.0)) == (0.0, 1.0, 0.0, 1.0)
    assert (curve.epsilon(0.5), curve.epsilon(1.0)) == (math.inf, 0.0)


def test_a_mu_follows_only_without_slack():
    assert ApproxGDP(0.7, 0.0).implied() == GDP(0.7)
    with pytest.raises(gaussdp.DomainError, match="no finite mu follows from ApproxGDP"):
        ApproxGDP(0.7, 1e-9).implied()


@pytest.mark.parametrize("parameters", [(-1.0, 0.1, "mu"), (math.nan, 0.1, "mu"), (1.0, 1.5, "delta")])
def test_bad_input(parameters):
    mu, delta, name = parameters
    with pytest.raises(gaussdp.DomainError, match=f"^{name} must be"):
        ApproxGDP(mu, delta)


class TestAsAStep:
    def test_gdp_alone_is_exact(self):
        fit = account(GDP(1.0)).fit()
        assert fit.unconditional
        assert fit.mu == 1.0
        assert account(GDP(0.0)).delta(0.0) < 1e-12

    def test_gdp_beside_a_run_is_a_gaussian_release(self):
        run = DPSGD(1.0, 0.01, 100)
        for delta in (1e-3, 1e-9):
            ours = account(Composition([run, GDP(0.5)])).epsilon(delta)
            assert ours == account(Composition([run, Gaussian(2.0)])).epsilon(delta)

    def test_fits_with_slack_compose(self):
        fits = [account(DPSGD(1.0, 0.01, steps)).fit(1e-6) for steps in (100, 300)]
        whole = account(Composition([fit.with_slack for fit in fits]))
        first, second = (fit.with_slack for fit in fits)
        composed = first.compose(second)
        assert composed.mu == pytest.approx(math.hypot(first.mu, second.mu), rel=1e-15)
        assert composed.delta_bound == pytest.approx(1 - (1 - first.delta_bound) * (1 - second.delta_bound), rel=1e-9)
        epsilons = np.linspace(0, 4, 30)
        assert (whole.delta(epsilons) >= composed.delta(epsilons)).all()
        np.testing.assert_allclose(whole.delta(epsilons), composed.delta(epsilons), rtol=1e-4, atol=1e-10)
        truth = account(DPSGD(1.0, 0.01, 400))
        assert (composed.delta(epsilons) >= truth.delta(epsilons)).all()

    def test_plans(self, tmp_path):
        plan = tmp_path / "plan.toml"
        plan.write_text(
            '[[releases]]\nmechanism = "gdp"\nmu = 3.0\n[[releases]]\nmechanism = "approximate-gdp"\nmu = 4.0\n'
            "delta = 1e-3\n"
        )
        from gaussdp.mechanisms.composition import read_plan

        read = read_plan(plan)
        assert read == Composition([GDP(3.0), ApproxGDP(4.0, 1e-3)])
        assert read.mechanisms[1].plan_entry() == {
            "mechanism": "approximate-gdp",
            "mu": 4.0,
            "delta": 1e-3,
            "adjacency": "add-remove",
        }
        assert account(read).delta(1.0) == pytest.approx(ApproxGDP(5.0, 1e-3).delta(1.0), rel=1e-6)

    def test_claims(self):
        run = gaussdp.Run(
            mechanism=3 * Stated(GDP(1.0)), unit="one person", adjacency="add-remove", tuning="none", records_per_unit=1
        )
        assert gaussdp.check_claim(run, f"mu={math.sqrt(3) + 1e-9}").status == "sound"
        assert gaussdp.check_claim(run, "mu=1.7").status == "false"

    @pytest.mark.parametrize("mu", [math.inf, 1e-200, 1e200])
    def test_refused(self, mu):
        with pytest.raises(gaussdp.DomainError, match=r"^mu must be in"):
            account(GDP(mu))

    def test_what_surely_fails_does_not_compose(self):
        with pytest.raises(gaussdp.DomainError, match="delta must be below 1"):
            account(ApproxGDP(1.0, 1.0))
