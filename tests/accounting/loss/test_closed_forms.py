"""Losses with normal tails: plain Gaussian releases, and one sampled step."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from accounting import oracle
from gaussdp import GDP
from gaussdp.accounting import account
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.mechanisms import DPSGD

TAUS = np.array([-2.0, -0.1, 0.0, 0.4, 3.0])


def test_gaussian_points_lie_on_the_gdp_curve():
    points = GaussianTails(0.7).read(TAUS)
    np.testing.assert_allclose(np.exp(points.log_fnr), GDP(0.7).fnr(np.exp(points.log_fpr)), rtol=1e-12)
    np.testing.assert_allclose(points.mu(), 0.7, rtol=1e-13)
    np.testing.assert_allclose(np.exp(points.log_delta_remove[TAUS >= 0]), GDP(0.7).delta(TAUS[TAUS >= 0]), rtol=1e-12)


def test_one_sampled_step_written_out():
    sigma, rate = 0.9, 0.2
    tails = OneStepTails(sigma, rate)
    taus = np.array([-0.2, -0.05, 0.1, 1.0])
    points = tails.read(taus)
    outputs = sigma**2 * np.log((np.expm1(taus) + rate) / rate) + 0.5
    np.testing.assert_allclose(np.exp(points.log_fpr), ndtr(-outputs / sigma), rtol=1e-12)
    fnr = (1 - rate) * ndtr(outputs / sigma) + rate * ndtr((outputs - 1) / sigma)
    np.testing.assert_allclose(np.exp(points.log_fnr), fnr, rtol=1e-12)
    np.testing.assert_allclose(
        np.exp(points.log_delta_remove[2:]),
        (1 - np.exp(points.log_fnr) - np.exp(taus) * np.exp(points.log_fpr))[2:],
        rtol=1e-9,
    )


def test_points_at_rates():
    tails = OneStepTails(0.9, 0.2)
    levels = np.array([1e-30, 1e-5, 0.3])
    points = tails.at_fpr(np.log(levels), np.log1p(-levels))
    np.testing.assert_allclose(np.exp(points.log_fpr), levels, rtol=1e-10)
    assert tails.lowest == pytest.approx(math.log(0.8))


@pytest.mark.parametrize("tau", [-0.2, -1e-3, 0.0, 0.05, 1.0, 8.0])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.3), (0.4, 0.25), (3.0, 0.5)])
def test_one_sampled_step_against_direct_integrals(sigma, rate, tau):
    fpr, fnr = oracle.one_step(tau, sigma, rate)
    points = OneStepTails(sigma, rate).read(np.array([tau]))
    rates = math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])
    assert rates == pytest.approx((float(fpr), float(fnr)), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("fpr", [1e-30, 1e-6, 0.1, 0.6])
def test_one_step_curve_in_closed_form(fpr):
    curve = account(DPSGD(noise_multiplier=0.8, sample_rate=0.2, steps=1))
    x = -0.8 * oracle.mpmath.sqrt(2) * oracle.mpmath.erfinv(2 * oracle.mpf(fpr) - 1)
    fnr = oracle.mpf("0.8") * oracle.mpmath.ncdf(x / 0.8) + oracle.mpf("0.2") * oracle.mpmath.ncdf((x - 1) / 0.8)
    assert curve.remove.fnr(fpr) == pytest.approx(float(fnr), rel=1e-12)
    assert curve.add.fnr(curve.remove.fnr(fpr)) == pytest.approx(fpr, rel=1e-9)
