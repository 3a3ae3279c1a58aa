"""The bound on the profile of adding a record, and readings that rely on it; tails smaller than any double."""

import math

import numpy as np
import pytest

from gaussdp import account
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.loss.cumulants import AddingBound, LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.loss.vanishing import VanishingTails
from gaussdp.accounting.operating_points import vanished
from gaussdp.mechanisms import DPSGD

RUNS = [DPSGD(1.0, 1e-3, 300), DPSGD(0.8, 0.02, 50), DPSGD(3.0, 0.3, 200)]
ALIKE = [DPSGD(5.58, 0.0976, 1111), DPSGD(9.98, 0.0259, 159), DPSGD(1.18, 1.58e-4, 446), DPSGD(20.0, 0.01, 300)]
"""Of which both directions cost nearly the same, so that the bound does not tell."""
EPSILONS = np.geomspace(1e-3, 2.0, 25)


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_the_bound_is_above_the_profile(run):
    """What it says to lie below does, and a delta on the profile of adding is never said to lie above it."""
    step = SampledGaussianLoss(run.noise_multiplier, run.sample_rate)
    cumulants = LossCumulants(0.0, [(step, run.steps)])
    bound = AddingBound(cumulants, cumulants.tilt(0.0).deviation)
    deltas = account(run).add.delta(EPSILONS)
    epsilons, exact = EPSILONS[deltas > 1e-30], np.log(deltas[deltas > 1e-30])
    assert not bound.below(epsilons, exact).any()
    assert bound.below(epsilons, exact + 6.0).all()  # it is not far above, either


def test_what_usual_tilts_do_not_tell_others_may():
    """Of a tail as deep as this the best tilt lies beyond the usual ones."""
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(3.0, 0.3), 200)])
    deviation = cumulants.tilt(0.0).deviation
    bound, epsilon = AddingBound(cumulants, deviation), np.array([30.0 * deviation])
    usual = -9.0 / deviation
    with np.errstate(all="ignore"):
        least = float(cumulants.values(np.array([usual]))[0]) + usual * epsilon
    assert bound.below(epsilon, least - 30.0).all()


@pytest.mark.parametrize("run", [*RUNS, *ALIKE], ids=str)
def test_readings_are_those_of_the_worse_direction(run):
    curve = account(run)
    remove, add = curve.remove, curve.add
    np.testing.assert_allclose(
        curve.delta(EPSILONS), np.maximum(remove.delta(EPSILONS), add.delta(EPSILONS)), rtol=1e-9
    )
    deltas = np.geomspace(1e-12, 0.5 * curve.delta(0.0), 12)
    larger = np.maximum(remove.epsilon(deltas), add.epsilon(deltas))
    np.testing.assert_allclose(curve.epsilon(deltas), larger, rtol=1e-9)
    fprs = np.geomspace(1e-9, 0.1, 12)
    np.testing.assert_allclose(curve.tpr(fprs), np.maximum(remove.tpr(fprs), add.tpr(fprs)), rtol=1e-9)
    for fpr in fprs[::5].tolist():
        assert curve.tpr(fpr) == curve.tpr(np.array([0.7, fpr]))[1]


LEAST = math.log(5e-324)


@pytest.mark.parametrize("mu", [0.01, 1.0, 20.0])
def test_a_plain_release(mu):
    tau = mu * np.array([-80.0, -45.0, -38.0, -1.0, 0.0, 3.0, 36.0, 45.0, 80.0]) + 0.5 * mu * mu
    exact = GaussianTails(mu).read(tau)
    largest = np.where(tau > 0, exact.log_tpr, exact.log_tnr)
    gone = VanishingTails(mu * mu, []).read(tau).answered
    assert np.all(largest[gone] < LEAST)
    assert gone[-1]
    assert gone[0]


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.3, 1e-6), (30.0, 0.5)])
def test_a_sampled_step(sigma, rate):
    one = OneStepTails(sigma, rate)
    x = 1 + sigma * np.array([5.0, 30.0, 37.0, 60.0, 200.0])
    tau = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    gone = VanishingTails(0.0, [(SampledGaussianLoss(sigma, rate), 1)]).read(tau).answered
    assert np.all(one.read(tau[gone]).log_tpr < LEAST)
    assert not gone[:3].any()


def test_points():
    points = vanished(np.array([-800.0, 5.0]))
    assert np.array_equal(points.log_fpr, [0.0, -np.inf])
    assert np.array_equal(points.log_fnr, [-np.inf, 0.0])
    assert np.array_equal(points.log_delta_add, [-np.inf, points.log_delta_add[1]])
    assert np.exp(points.log_delta_add[1]) == pytest.approx(1 - math.exp(-5))
    assert np.exp(points.log_delta_remove[0]) == 1
