"""The density of one step's loss, against closed forms."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting.density.loss_density import MARGIN, Scale, log, log_sums, sampled_step
from gaussdp.accounting.loss.steps import SampledGaussianLoss

STEPS = [(1.0, 0.01), (0.3, 0.9), (0.1, 1e-3), (0.4, 1e-6), (100.0, 0.5), (10.0, 1e-6)]


@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_masses_under_both_laws(sigma, rate):
    law = sampled_step(SampledGaussianLoss(sigma, rate), 105.0)
    losses, log_masses = law.nodes
    assert np.exp(log_masses).sum() == pytest.approx(1, rel=1e-13)
    assert np.exp(log_masses + losses).sum() == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize("z", [-11.0, -3.0, 0.2, 5.0, 12.0])
@pytest.mark.parametrize(("sigma", "rate"), STEPS)
def test_the_density_is_that_of_a_function_of_a_normal_output(sigma, rate, z):
    law = sampled_step(SampledGaussianLoss(sigma, rate), 105.0)
    # The excess is log(1 + odds), and its slope in z is slope / sigma.
    odds = math.exp((z - 0.5 / sigma) / sigma) * rate / (1 - rate)
    excess = math.log1p(odds)
    slope = odds / (1 + odds) / sigma
    expected = -0.5 * z * z - 0.5 * math.log(2 * math.pi) - math.log(slope) + math.log(excess)
    assert law.density.at(np.array([math.log(excess)]))[0] == pytest.approx(expected, abs=1e-11)


def test_moments():
    law = sampled_step(SampledGaussianLoss(1.0, 0.3), 105.0)
    z = np.linspace(-14, 14, 20001)
    weights = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    losses = np.log1p(0.3 * np.expm1(z - 0.5))
    mean = weights @ losses
    assert law.mean == pytest.approx(mean, rel=1e-12)
    assert law.deviation == pytest.approx(np.sqrt(weights @ (losses - mean) ** 2), rel=1e-12)
    assert law.scale.loss(np.array([law.centre]))[0] == pytest.approx(mean, rel=1e-12)


def test_a_part_of_a_panel():
    sigma, rate, z = 1.0, 0.3, 0.7
    law = sampled_step(SampledGaussianLoss(sigma, rate), 105.0)
    s = law.scale.place(np.array([math.log1p(rate * math.expm1(z - 0.5))]))
    panel = law.panels(s)
    _, below = law.between(law.edges[panel], s)
    _, above = law.between(s, law.edges[panel + 1])
    whole = law.nodes[1]
    lower = np.exp(log_sums(below))[0] + np.exp(whole[: panel[0]]).sum()
    upper = np.exp(log_sums(above))[0] + np.exp(whole[panel[0] + 1 :]).sum()
    assert (lower, upper) == pytest.approx((special.ndtr(z), special.ndtr(-z)), rel=1e-13)


def test_how_deep_it_reaches():
    law = sampled_step(SampledGaussianLoss(1.0, 0.01), 105.0)
    z = np.array([-12.0, -10.5, 0.0, 10.0, 13.0])
    s = np.log(np.log1p(np.exp(z - 0.5) * 0.01 / 0.99))
    # e^-60 of mass is left beyond about 10.6 standard deviations, one more for those of P.
    assert np.array_equal(law.reaches(s), [False, True, True, True, False])
    assert law.scale.depth - MARGIN == 60


def test_scales():
    bounded, free = Scale(-0.5, 100.0, 100.0), Scale(-math.inf, 100.0, 100.0)
    losses = np.array([-0.4, 0.0, 3.0])
    assert bounded.loss(bounded.place(losses)) == pytest.approx(losses, abs=1e-15)
    assert np.array_equal(free.loss(free.place(losses)), losses)
    assert bounded.place(np.array([-0.5, -0.7])) == pytest.approx([-np.inf, -np.inf])
    assert bounded.height(np.zeros(1), np.zeros(1))[0] == pytest.approx(0.5)


def test_logarithms():
    assert np.array_equal(log(np.array([1.0, 0.0, -3.0])), [0.0, -np.inf, -np.inf])
    rows = np.array([[-1000.0, -1000.0], [-np.inf, -np.inf], [0.0, -np.inf]])
    assert log_sums(rows) == pytest.approx([-1000 + math.log(2), -np.inf, 0.0])
