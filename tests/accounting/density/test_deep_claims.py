"""What densities claim where tails are deepest, held against lines."""

import numpy as np

from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss


def test_deep_tails_are_off_by_what_they_claim():
    parts, tau = [(SampledGaussianLoss(4.921682393891775, 0.0004186038768883939), 17)], -0.005692930106521219
    by_density, by_line = (tails(0.0, parts).read(np.array([tau])) for tails in (DensityTails, BentTails))
    claim = by_density.errors + by_line.errors
    assert by_density.answered.all()
    assert by_line.answered.all()
    for name in ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add"):
        off = np.expm1(getattr(by_density, name) - getattr(by_line, name))
        assert np.abs(off) <= claim
