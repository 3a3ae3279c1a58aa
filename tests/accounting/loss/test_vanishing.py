"""Chernoff's bounds where losses lie far apart are bounds, and what they decide is so."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp import DPSGD, GDP, account
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.loss.vanishing import PartedLaws, VanishingTails
from gaussdp.accounting.readings import Method

NOTHING = [(SampledGaussianLoss(1.0, 1e-30), 1)]  # a step that loses nothing
LEVELS = np.log([1e-100, 1e-30, 1e-6, 0.3])


@pytest.mark.parametrize("mu", [0.5, 5.0, 20.0, 60.0])
def test_bounds_on_gaussian_releases(mu):
    laws = PartedLaws(mu * mu, NOTHING)
    tau = np.array([-30.0, -1.0, 0.0, 2.0, 50.0])
    log_fnr = special.log_ndtr(tau / mu - mu / 2)
    log_fpr = special.log_ndtr(-tau / mu - mu / 2)
    assert (laws.log_gap(tau, remove=True) >= np.logaddexp(log_fnr, log_fpr + tau)).all()
    assert (laws.log_gap(tau, remove=False) >= np.logaddexp(log_fpr, log_fnr - tau)).all()
    exact = special.log_ndtr(-special.ndtri_exp(LEVELS) - mu)
    assert (laws.log_fnr(LEVELS) >= exact).all()
    assert (laws.log_fnr(LEVELS) <= 0.7 * exact + 10).all() or mu < 60


@pytest.mark.parametrize("log_delta", [-1.0, -20.0, -200.0])
def test_a_bound_on_epsilon(log_delta):
    exact = GDP(3.0).epsilon(math.exp(log_delta))
    assert exact <= VanishingTails(9.0, NOTHING).epsilon(log_delta) <= 1.1 * exact + 2


@pytest.mark.parametrize(("noise", "rate", "steps"), [(0.3, 0.05, 20_000), (0.35, 0.5, 3000)])
def test_bounds_on_sampled_steps_lie_above_what_lines_read(noise, rate, steps):
    curve, laws = account(DPSGD(noise, rate, steps)), PartedLaws(0.0, [(SampledGaussianLoss(noise, rate), steps)])
    fpr = np.array([1e-30, 1e-9, 1e-3, 0.2])
    with np.errstate(divide="ignore"):
        assert (laws.log_fnr(np.log(fpr)) >= np.log(curve.remove.fnr(fpr)) - 1e-9).all()


def test_laws_far_apart_are_told_at_once():
    """Neither error is above e^-1000: a profile of 1, an FNR of 0 at any FPR, and mu beyond all floors."""
    curve = account(DPSGD(0.1394, 1.3246e-4, 13_000_000))
    for epsilon in (0.0, 8.0, 300.0):
        read = curve.reading.delta(epsilon)
        assert (read.value, read.method) == (1.0, Method.VANISHING)
    assert curve.reading.fnr(1e-28).value == 0.0
    assert curve.tpr(1e-28) == 1.0


def test_no_test_errs_between_laws_that_lie_apart():
    tau = np.array([-200.0, 0.0, 150.0, 1e4])
    points = PartedLaws(90.0**2, NOTHING).read(tau)
    assert points.answered.tolist() == [True, True, True, False]
    points = points.take(points.answered)
    assert (points.log_fpr == -np.inf).all()
    assert (points.log_fnr == -np.inf).all()
    assert (points.log_delta_remove == 0).all()
    assert (points.log_delta_add == 0).all()
