"""One step, two steps, and a step with a plain release, against direct integrals."""

import math

import numpy as np
import pytest

from accounting import oracle
from gaussdp.accounting import account
from gaussdp.accounting._closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting._contour import ContourTails
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, PoissonSampled


def rates(tails, tau):
    points = tails.read(np.array([tau]))
    return math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])


@pytest.mark.parametrize("tau", [-0.2, -1e-3, 0.0, 0.05, 1.0, 8.0])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.3), (0.4, 0.25), (3.0, 0.5)])
def test_one_step(sigma, rate, tau):
    fpr, fnr = oracle.one_step(tau, sigma, rate)
    assert rates(OneStepTails(sigma, rate), tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("fpr", [1e-30, 1e-6, 0.1, 0.6])
def test_one_step_curve_in_closed_form(fpr):
    curve = account(DPSGD(noise_multiplier=0.8, sample_rate=0.2, steps=1))
    x = -0.8 * oracle.mpmath.sqrt(2) * oracle.mpmath.erfinv(2 * oracle.mpf(fpr) - 1)
    fnr = oracle.mpf("0.8") * oracle.mpmath.ncdf(x / 0.8) + oracle.mpf("0.2") * oracle.mpmath.ncdf((x - 1) / 0.8)
    assert curve.remove.fnr(fpr) == pytest.approx(float(fnr), rel=1e-12)
    assert curve.add.fnr(curve.remove.fnr(fpr)) == pytest.approx(fpr, rel=1e-9)


@pytest.mark.parametrize(
    ("sigma", "rate", "tau"), [(2.0, 0.5, -0.4), (2.0, 0.5, 2.0), (1.0, 0.6, 0.3), (1.0, 0.6, 6.0)]
)
def test_two_steps(sigma, rate, tau):
    fpr, fnr = oracle.two_steps(tau, sigma, rate)
    tails = ContourTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)])
    assert rates(tails, tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-9)


@pytest.mark.parametrize("tau", [-2.0, -0.1, 0.0, 0.7, 5.0])
def test_a_sampled_step_and_a_plain_release(tau):
    fpr, fnr = oracle.step_and_gaussian(tau, sigma=0.7, rate=0.05, mu=0.5)
    tails = ContourTails(0.25, [(SampledGaussianLoss(0.7, 0.05), 1)])
    assert rates(tails, tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-10)


@pytest.mark.parametrize("tau", [-700.0, -30.0, -1.0, 0.0, 0.3, 4.0, 90.0])
@pytest.mark.parametrize("mu", [0.01, 1.0, 6.0])
def test_contours_of_a_plain_gaussian_equal_the_closed_form(mu, tau):
    tau *= mu / 6
    expected, got = GaussianTails(mu).read(np.array([tau])), ContourTails(mu * mu, []).read(np.array([tau]))
    for field in ("log_fpr", "log_fnr", "log_delta_remove", "log_delta_add", "log_density"):
        assert getattr(got, field)[0] == pytest.approx(getattr(expected, field)[0], rel=1e-11, abs=1e-11), field


def test_sample_rate_one_is_the_plain_gaussian():
    plain = account(7 * Gaussian(noise_multiplier=2.0))
    sampled = account(DPSGD(noise_multiplier=2.0, sample_rate=1.0, steps=7))
    levels = np.array([0.0, 1e-12, 1e-3, 0.5, 1.0])
    assert np.array_equal(plain.fnr(levels), sampled.fnr(levels))
    assert plain.fit() == sampled.fit()


def test_a_sample_rate_near_one_is_near_the_plain_gaussian():
    plain = account(40 * Gaussian(noise_multiplier=5.0))
    sampled = account(DPSGD(noise_multiplier=5.0, sample_rate=1 - 1e-9, steps=40))
    assert sampled.delta(1.0) == pytest.approx(plain.delta(1.0), rel=1e-7)
    assert sampled.delta(1.0) < plain.delta(1.0)


def test_the_order_and_grouping_of_a_composition_do_not_matter():
    step = PoissonSampled(Gaussian(1.0), 0.02)
    first = account(Composition([300 * step, Gaussian(3.0), DPSGD(1.0, 0.02, 200), 2 * Gaussian(4.0)]))
    second = account(Composition([2 * Composition([250 * step, Gaussian(4.0)]), Gaussian(3.0)]))
    assert first.delta(1.3) == second.delta(1.3)


def test_what_no_contour_reaches_is_refused_by_the_exact_engine():
    curve = account(DPSGD(noise_multiplier=0.4, sample_rate=1e-5, steps=2))
    with pytest.raises(ConvergenceError, match="privacy loss distribution"):
        curve.remove.delta(1.0)
