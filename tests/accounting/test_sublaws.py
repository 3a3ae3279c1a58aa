"""Parts of a law by where its largest output lies."""

import math

import numpy as np
import pytest

from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.accounting._sublaws import RotatedLaw, Sublaw

LAW = RotatedLaw(0.04, [(SampledGaussianLoss(0.9, 0.01), 12), (SampledGaussianLoss(2.0, 0.3), 3)])


def part(cut, inner=-math.inf):
    return Sublaw(LAW, cut, inner, LAW.support(cut))


@pytest.mark.parametrize("at", [-2.0, 0.3, 4.0])
def test_parts_add_up(at):
    below, between, both = part(2.0), part(3.0, 2.0), part(3.0)
    total = np.logaddexp(below.on_axis(at)[0], between.on_axis(at)[0])
    assert total == pytest.approx(both.on_axis(at)[0], rel=1e-10, abs=1e-12)


def test_mass_beyond_the_cuts():
    mass = -math.expm1(part(4.0).on_axis(0.0)[0])
    assert mass == pytest.approx(LAW.lost(4.0)[0], rel=1e-3)
    assert mass <= LAW.lost(4.0)[0]


def test_least_loss():
    assert LAW.lowest == -math.inf
    assert RotatedLaw(0.0, [(SampledGaussianLoss(1.0, 0.1), 5)]).lowest == pytest.approx(5 * math.log(0.9))
