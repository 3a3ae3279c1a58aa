"""Tails smaller than any double are seen to be so, and no others."""

import math

import numpy as np
import pytest

from gaussdp.accounting.density.vanishing import VanishingTails
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss

LEAST = math.log(5e-324)


@pytest.mark.parametrize("mu", [0.01, 1.0, 20.0])
def test_a_plain_release(mu):
    tau = mu * np.array([-80.0, -45.0, -38.0, -1.0, 0.0, 3.0, 36.0, 45.0, 80.0]) + 0.5 * mu * mu
    exact = GaussianTails(mu).read(tau)
    largest = np.where(tau > 0, exact.log_tpr, exact.log_tnr)
    vanished = VanishingTails(mu * mu, []).vanish(tau)
    assert np.all(largest[vanished] < LEAST)
    assert vanished[-1]
    assert vanished[0]


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.3, 1e-6), (30.0, 0.5)])
def test_a_sampled_step(sigma, rate):
    one = OneStepTails(sigma, rate)
    x = 1 + sigma * np.array([5.0, 30.0, 37.0, 60.0, 200.0])
    tau = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    vanished = VanishingTails(0.0, [(SampledGaussianLoss(sigma, rate), 1)]).vanish(tau)
    assert np.all(one.read(tau[vanished]).log_tpr < LEAST)
    assert not vanished[:3].any()


def test_points():
    points = VanishingTails.points(np.array([-800.0, 5.0]))
    assert np.array_equal(points.log_fpr, [0.0, -np.inf])
    assert np.array_equal(points.log_fnr, [-np.inf, 0.0])
    assert np.array_equal(points.log_delta_add, [-np.inf, points.log_delta_add[1]])
    assert np.exp(points.log_delta_add[1]) == pytest.approx(1 - math.exp(-5))
    assert np.exp(points.log_delta_remove[0]) == 1
