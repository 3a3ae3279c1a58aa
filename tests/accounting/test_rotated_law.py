"""Transforms of compositions at complex tilts."""

import numpy as np
import pytest

from gaussdp.accounting._cumulants import LossCumulants
from gaussdp.accounting._rotated_law import RotatedLaw
from gaussdp.accounting._step_loss import SampledGaussianLoss

STEPS = [(SampledGaussianLoss(0.9, 0.01), 12), (SampledGaussianLoss(2.0, 0.3), 3)]
LAW = RotatedLaw(0.04, STEPS)


@pytest.mark.parametrize("at", [-2.0, 0.3, 4.0])
def test_the_axis_as_the_cumulants_have_it(at):
    ours = LAW.on_axis(np.array([at]), LAW.support(at))[0]
    assert ours == pytest.approx(LossCumulants(0.04, STEPS).tilt(at).value, rel=1e-12)


def test_off_the_axis_as_the_cumulants_have_it():
    cumulants = LossCumulants(0.04, STEPS)
    tilt, t = cumulants.tilt(-2.0), np.linspace(0.0, 8.0, 9)
    expected = tilt.value + 1j * t * tilt.mean + cumulants.log_ratio(tilt, t)
    w, support = -2.0 + 1j * t, LAW.support(-2.0)
    value, error = LAW.transform(w, t / t[-1], LAW.choose_paths(w, support), support)
    assert np.all(np.abs(np.expm1(value - expected)) <= 1e-12)
    assert np.all(error <= 1e-11)


def test_negative_tilts_need_lower_outputs():
    assert LAW.support(-1e4)[0] < LAW.support(-1.0)[0] < LAW.support(0.5)[0] == -9.8
