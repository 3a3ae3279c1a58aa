"""Tails that vertical lines do not reach: against direct integrals of two steps, and brackets of many."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting._contour import ContourTails
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD

REFERENCE = Path(__file__).parent / "reference"


def rows_of(name):
    with (REFERENCE / name).open() as file:
        return [tuple(float(value) for value in row) for row in list(csv.reader(file))[1:]]


# Made with accounting.oracle.two_steps: the second step in closed form, the first integrated in 20 digits.
ROWS = rows_of("two_steps.csv")
# Made by integrating over the larger of two outputs, in 30 digits and a hundred pieces; good to about 1e-11. Readings
# at the first five once erred by up to a hundred times what they claimed.
FPRS = rows_of("two_step_fprs.csv")


@pytest.mark.parametrize(("sigma", "rate", "tau", "fpr", "fnr"), ROWS)
def test_two_steps(sigma, rate, tau, fpr, fnr):
    with np.errstate(all="ignore"):
        points = ContourTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)]).read(np.array([tau]))
    got = math.exp(points.log_fpr[0]), math.exp(points.log_fnr[0])
    assert got == pytest.approx((fpr, fnr), rel=1e-9)
    assert abs(got[0] / fpr - 1) <= points.errors[0] + 1e-14


def test_no_reading_is_worse_than_it_claims():
    answered = 0
    for sigma, rate, tau, fpr in FPRS:
        try:
            points = ContourTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)]).read(np.array([tau]))
        except ConvergenceError:
            continue  # the reading says itself that it is not good enough
        answered += 1
        assert abs(math.exp(points.log_fpr[0]) / fpr - 1) <= points.errors[0] + 1e-11
    assert answered >= 1


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
