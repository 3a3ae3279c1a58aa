"""Tails of small compositions by contours, against direct integrals and closed forms."""

import math

import numpy as np
import pytest

from accounting import oracle
from gaussdp.accounting import account
from gaussdp.accounting._closed_forms import GaussianTails
from gaussdp.accounting._contour import ContourTails
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD


def rates(tails, tau):
    points = tails.read(np.array([tau]))
    return math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])


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
@pytest.mark.parametrize("mu", [1e-6, 0.01, 1.0, 6.0])
def test_contours_of_a_plain_gaussian_equal_the_closed_form(mu, tau):
    tau *= mu / 6
    expected, got = GaussianTails(mu).read(np.array([tau])), ContourTails(mu * mu, []).read(np.array([tau]))
    for field in ("log_fpr", "log_fnr", "log_delta_remove", "log_delta_add", "log_density"):
        assert getattr(got, field)[0] == pytest.approx(getattr(expected, field)[0], rel=1e-11, abs=1e-11), field


def test_what_no_contour_reaches_is_refused_by_the_exact_engine():
    curve = account(DPSGD(noise_multiplier=0.4, sample_rate=1e-5, steps=2))
    with pytest.raises(ConvergenceError, match="privacy loss distribution"):
        curve.remove.delta(1.0)
