"""Contours that bend, for two steps whose transform hardly decays on a vertical line."""

import math

import numpy as np
import pytest

from gaussdp.accounting._bent import BentContour
from gaussdp.accounting._rotated_law import RotatedLaw
from gaussdp.accounting._step_loss import SampledGaussianLoss


def contour(tau, at):
    law = RotatedLaw(0.0, [(SampledGaussianLoss(1.0, 0.01), 2)])
    return BentContour(law, tau, at, abs(at) / 2)


def test_the_crossing_of_the_axis_does_not_matter():
    one = np.array([-0.005])
    values = []
    for at in (-30.0, -80.0):
        log_scale, integrals, errors = contour(-0.005, at).read(one)
        values.append(integrals[:3, 0] * math.exp(log_scale[0]))
        assert np.all(errors[:3, 0] <= 1e-12 * np.abs(integrals[:3, 0]))
    np.testing.assert_allclose(*values, rtol=1e-12)
    # TNR of two steps at this threshold, by direct integration; see reference/two_steps.csv.
    assert -values[0][0] == pytest.approx(1 - 0.492768201126562, rel=1e-12)


def test_neighbouring_thresholds_share_a_contour():
    shared, own = contour(-0.005, -50.0), contour(-0.004, -50.0)
    one = np.array([-0.004])
    (scale, first, errors), (other_scale, second, _) = shared.read(one), own.read(one)
    np.testing.assert_allclose(first * np.exp(scale), second * np.exp(other_scale), rtol=1e-11)
    assert np.all(errors[:3] < 1e-10 * np.abs(first[:3]))
