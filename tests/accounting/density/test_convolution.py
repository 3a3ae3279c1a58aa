"""Sums of losses: equal however they are grouped, and as direct integrals say."""

import math

import numpy as np
import pytest

from accounting import oracle
from gaussdp.accounting.density.convolution import convolved, repeated, smoothed
from gaussdp.accounting.density.loss_density import log_sums, sampled_step
from gaussdp.accounting.loss.steps import SampledGaussianLoss


def step(sigma, rate):
    return sampled_step(SampledGaussianLoss(sigma, rate), 105.0)


def tails(law, tau):
    """FPR and FNR, summed over nodes in as many panels as there are thresholds and edges."""
    losses, log_masses = law.nodes
    s = law.scale.place(np.array([tau]))
    panel = law.panels(s)
    below, above = law.between(law.edges[panel], s), law.between(s, law.edges[panel + 1])
    upper, lower = slice(int(panel[0]) + 1, None), slice(int(panel[0]))
    fpr = np.exp(log_masses[upper]).sum() + np.exp(log_sums(above[1]))[0]
    fnr = np.exp((log_masses + losses)[lower]).sum() + np.exp(log_sums(below[0] + below[1]))[0]
    return fpr, fnr


@pytest.mark.parametrize(
    ("sigma", "rate", "tau"), [(2.0, 0.5, -0.4), (2.0, 0.5, 2.0), (1.0, 0.6, 6.0), (0.4, 0.01, 0.1), (1.0, 1e-3, 1e-3)]
)
def test_two_equal_steps(sigma, rate, tau):
    fpr, fnr = oracle.two_steps(tau, sigma, rate)
    assert tails(repeated(step(sigma, rate), 2), tau) == pytest.approx((float(fpr), float(fnr)), rel=1e-11)


@pytest.mark.parametrize("tau", [-2.0, -0.1, 0.0, 0.7, 5.0])
@pytest.mark.parametrize("mu", [0.02, 0.5, 4.0])
def test_a_step_and_a_plain_release(tau, mu):
    tau *= max(mu, 0.5)
    fpr, fnr = oracle.step_and_gaussian(tau, sigma=0.7, rate=0.05, mu=mu)
    law = smoothed(step(0.7, 0.05), mu * mu)
    expected = pytest.approx((float(fpr), float(fnr)), rel=1e-10, abs=1e-40)
    assert tails(law, tau) == expected


@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 1e-4), (1.0, 0.1), (5.0, 0.01)])
def test_grouping_does_not_matter(sigma, rate):
    one = step(sigma, rate)
    two, three = repeated(one, 2), repeated(one, 3)
    whole = repeated(one, 5)
    s = np.linspace(whole.density.edges[0], whole.density.edges[-1], 60)
    s = s[whole.reaches(s)]
    assert s.size > 10
    for law in (convolved(two, three), convolved(three, two)):
        assert law.density.at(s) == pytest.approx(whole.density.at(s), abs=2e-11)
        assert law.scale.least == pytest.approx(5 * math.log1p(-rate), rel=1e-15)


def test_different_steps_add_their_cumulants():
    first, second = step(0.6, 0.02), step(3.0, 0.4)
    law = convolved(first, second)
    losses, log_masses = law.nodes
    assert law.mean == pytest.approx(first.mean + second.mean, rel=1e-12)
    assert law.deviation == pytest.approx(math.hypot(first.deviation, second.deviation), rel=1e-12)
    assert np.exp(log_masses + losses).sum() == pytest.approx(1, rel=1e-13)


def test_many_steps_keep_their_masses():
    law = repeated(step(0.5, 1e-5), 100_000)
    losses, log_masses = law.nodes
    assert np.exp(log_masses).sum() == pytest.approx(1, rel=1e-14)
    assert np.exp(log_masses + losses).sum() == pytest.approx(1, rel=1e-12)
