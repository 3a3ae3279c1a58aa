"""Losses with normal tails: plain Gaussian releases, and one sampled step."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from gaussdp import GDP
from gaussdp.accounting._closed_forms import GaussianTails, OneStepTails

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
