"""Tails that vertical lines do not reach: against direct integrals of two steps, and brackets of many."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting._contour import ContourTails
from gaussdp.accounting._slices import SlicedTails
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.mechanisms import DPSGD

# Made with accounting.oracle.two_steps: the second step in closed form, the first integrated in 20 digits.
with (Path(__file__).parent / "reference" / "two_steps.csv").open() as file:
    ROWS = [tuple(float(value) for value in row) for row in list(csv.reader(file))[1:]]


@pytest.mark.parametrize(("sigma", "rate", "tau", "fpr", "fnr"), ROWS)
def test_two_steps(sigma, rate, tau, fpr, fnr):
    with np.errstate(all="ignore"):
        points = ContourTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)]).read(np.array([tau]))
    got = math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])
    assert got == pytest.approx((fpr, fnr), rel=1e-9)
    assert abs(got[0] / fpr - 1) <= points.errors[0] + 1e-14


def test_many_steps_lie_within_the_bracket_of_distributions():
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    sigma, rate, steps = 0.78, 1.78e-4, 164
    ours = account(DPSGD(sigma, rate, steps)).remove.delta(np.array([0.003, 0.02]))
    for pessimistic in (True, False):
        distribution = pld.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            value_discretization_interval=1e-4,
            pessimistic_estimate=pessimistic,
            use_connect_dots=pessimistic,
        ).self_compose(steps)
        bound = np.array(distribution.get_delta_for_epsilon(np.array([0.003, 0.02])))
        assert np.all(bound >= ours) if pessimistic else np.all(bound <= ours)
        if pessimistic:
            assert np.all(bound < 1.02 * ours)


def test_slices_add_up_to_what_one_contour_gives():
    """A threshold between the bulk and the losses of one rare output, read with and without slices."""
    tails = SlicedTails(0.0, [(SampledGaussianLoss(2.5, 4.9e-4), 374)])
    with np.errstate(all="ignore"):
        lower = tails.make(-1, 0.005).read(np.array([0.005]))
        upper = tails.make(1, 0.005).read(np.array([0.005]))
    tnr = -lower.values[0, 0] * math.exp(lower.log_scale[0])
    fpr = upper.values[0, 0] * math.exp(upper.log_scale[0])
    assert fpr + tnr == pytest.approx(1, abs=1e-11)
