"""The integrals along one line, for a loss whose tails, profile and density are known in closed form."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp.accounting.lines import line as _line
from gaussdp.accounting.lines.line import REACH, Line
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError


def exact_integrals(mu, at, tau):
    """The residues crossed between the line and the far side, written as normal tails; all times e^(log_scale)."""
    mu, tau = mp.mpf(mu), mp.mpf(tau)
    high = tau / mu + mu / 2  # Q(L > tau) = 1 - Phi(high), P(L > tau) = 1 - Phi(high - mu)
    fpr = mp.ncdf(-high) if at > 0 else -mp.ncdf(high)
    tpr = mp.exp(-tau) * (mp.ncdf(mu - high) if at > 1 else -mp.ncdf(high - mu))
    return fpr, tpr, tpr - fpr, mp.npdf(high) / mu


@settings(max_examples=60)
@given(log_uniform(1e-6, 20), st.floats(-4, 5), st.floats(-REACH, REACH))
def test_a_gaussian_loss(mu, place, offset):
    """The line lies `place` deviations of the tilted law off the middle of the poles, the threshold `offset` off K'."""
    at = 0.5 + place / mu
    if min(abs(at), abs(at - 1)) * mu < 0.3:
        return  # next to a pole no line is laid
    cumulants = LossCumulants(mu * mu, [])
    line = Line(cumulants, cumulants.tilt(at))
    tau = mu * (place + offset)
    readings = line.read(np.array([tau]))
    with mp.workdps(40):
        scale = mp.exp(mp.mpf(float(readings.log_scale[0])))
        exact = [value / scale for value in exact_integrals(mu, at, tau)]
        for row, value in enumerate(exact):
            miss = abs(mp.mpf(float(readings.values[row, 0])) - value)
            # The error bound leaves out the rounding of the scale itself.
            assert miss <= readings.errors[row, 0] + 1e-13 * abs(value), row
            assert readings.errors[row, 0] < 1e-10 * max(1, abs(value)), row
    assert (readings.lost == 0).all()


def test_what_a_line_serves():
    cumulants = LossCumulants(4.0, [])
    for at, sides in ((1.5, (False, True)), (0.5, (True, True)), (-0.5, (True, False))):
        line = Line(cumulants, cumulants.tilt(at))
        mean = 4.0 * (at - 0.5)
        near = np.array([mean - 0.99 * 2 * REACH, mean + 0.99 * 2 * REACH])
        allowed = [sides[int(tau >= 0)] for tau in near]
        assert line.serves(near).tolist() == allowed
        assert not line.serves(np.array([mean - 1.01 * 2 * REACH, mean + 1.01 * 2 * REACH])).any()


def test_sums_over_many_nodes_are_the_plain_sums(monkeypatch):
    """Many nodes go through products of coarse and fine waves, few through their own cosines and sines."""
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(2.0, 0.5), 40)])
    line = Line(cumulants, cumulants.tilt(1.5))
    taus = line.tilt.mean + np.linspace(-1, 1, 5) * line.deviation
    found = []
    for blocks_from in (1, 1 << 30):
        monkeypatch.setattr(_line, "_BLOCKS_FROM", blocks_from)
        found.append(line.read(taus).values)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_a_tilt_that_leans_on_outputs_left_out_is_refused():
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(1.0, 0.1, cutoff=3.0), 10)])
    with pytest.raises(ConvergenceError, match="beyond the cutoff"):
        Line(cumulants, cumulants.tilt(4.0))
