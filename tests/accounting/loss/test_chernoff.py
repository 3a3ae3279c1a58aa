"""The bound on the profile of adding a record, and readings that rely on it."""

import numpy as np
import pytest

from gaussdp import account
from gaussdp.accounting.loss.chernoff import AddingBound
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.mechanisms import DPSGD

RUNS = [DPSGD(1.0, 1e-3, 300), DPSGD(0.8, 0.02, 50), DPSGD(3.0, 0.3, 200)]
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


@pytest.mark.parametrize("run", RUNS, ids=str)
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
