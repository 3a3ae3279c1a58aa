"""Sums of log moment generating functions, on the real axis and off it."""

import numpy as np
import pytest

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss

STEP = SampledGaussianLoss(0.8, 0.05)
BOTH = LossCumulants(0.25, [(STEP, 40)])


def test_parts_add_up():
    alone, gaussian = LossCumulants(0.0, [(STEP, 1)]), LossCumulants(0.25, [])
    for at in (-1.5, 0.0, 0.4, 3.0):
        together, one, other = BOTH.tilt(at), alone.tilt(at), gaussian.tilt(at)
        assert together.value == pytest.approx(40 * one.value + other.value, rel=1e-13, abs=1e-15)
        assert together.mean == pytest.approx(40 * one.mean + other.mean, rel=1e-13)
        assert together.variance == pytest.approx(40 * one.variance + other.variance, rel=1e-13)


def test_mean_and_variance_are_derivatives():
    h = 1e-4
    for at in (-0.7, 0.5, 2.0):
        below, here, above = (BOTH.tilt(at + shift) for shift in (-h, 0.0, h))
        assert (above.value - below.value) / (2 * h) == pytest.approx(here.mean, rel=1e-6)
        assert (above.mean - below.mean) / (2 * h) == pytest.approx(here.variance, rel=1e-6)


def test_characteristic_function_by_table_and_by_rows():
    """An even grid goes through one matrix product, scattered points row by row: the same function."""
    tilt = BOTH.tilt(0.5)
    even = np.linspace(0.0, 3.0, 400)
    scattered = even[[0, 3, 57, 200, 399]] + 0.0
    np.testing.assert_allclose(
        BOTH.log_ratio(tilt, even)[[0, 3, 57, 200, 399]], BOTH.log_ratio(tilt, scattered), rtol=1e-9, atol=1e-13
    )
    # To second order it is that of a normal law.
    small = np.array([0.0, 1e-3])
    assert BOTH.log_ratio(tilt, small)[1].real == pytest.approx(-0.5e-6 * tilt.variance, rel=1e-4)


def test_saddle():
    start = BOTH.tilt(0.0)
    for tau in (-3.0, 0.0, 4.0, 15.0):
        found = BOTH.saddle(tau, start)
        assert abs(found.mean - tau) <= 0.3 * found.deviation


def test_lowest_loss():
    assert BOTH.lowest == -np.inf
    assert LossCumulants(0.0, [(STEP, 40)]).lowest == pytest.approx(40 * np.log(0.95))
