"""The integrals along one line, for a loss whose tails, profile and density are known in closed form."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp.accounting.lines import line as _line
from gaussdp.accounting.lines.line import SETTINGS, Line, LineSettings
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError


@settings(max_examples=60)
@given(log_uniform(1e-6, 20), st.floats(-4, 5), st.floats(-SETTINGS.reach, SETTINGS.reach))
def test_a_gaussian_loss(mu, place, offset):
    """The line lies `place` deviations of the tilted law off the middle of the poles, the threshold `offset` off K'."""
    at, tau = 0.5 + place / mu, mu * (place + offset)
    if min(abs(at), abs(at - 1)) * mu < 0.3:
        return  # next to a pole no line is laid
    if (at > 1 and tau < 0) or (at < 0 and tau > 0):
        return  # a line beyond the poles is for its own side of zero
    cumulants = LossCumulants(mu * mu, [])
    points = Line(cumulants, cumulants.tilt(at)).read(np.array([tau]))
    with mp.workdps(40):
        m, t = mp.mpf(mu), mp.mpf(tau)
        high = t / m + m / 2  # Q(L > tau) = 1 - Phi(high), P(L > tau) = 1 - Phi(high - mu)
        fpr, tnr, fnr, tpr = mp.ncdf(-high), mp.ncdf(high), mp.ncdf(high - m), mp.ncdf(m - high)
        delta = tpr - mp.exp(t) * fpr if tau >= 0 else tnr - mp.exp(-t) * fnr
        read = points.log_fpr[0], points.log_tnr[0], points.log_fnr[0], points.log_tpr[0]
        log_delta = points.log_delta_remove[0] if tau >= 0 else points.log_delta_add[0]
        small = [(min(read[:2]), min(fpr, tnr)), (min(read[2:]), min(fnr, tpr)), (log_delta, delta)]
        for log_value, value in small:
            # The bound leaves out the rounding of the logarithm itself.
            assert abs(mp.expm1(mp.mpf(float(log_value)) - mp.log(value))) <= points.errors[0] + 3e-15 * abs(log_value)


@pytest.mark.parametrize(
    ("step", "steps", "at", "tau", "delta"),
    [
        ((78.51, 0.4131), 47, 471.282, 0.630096, "6.310531719142193821e-70"),
        ((78.51, 0.4131), 47, 499.004, 0.668322, "5.158862146095638876e-78"),
        ((78.51, 0.4131), 47, 526.727, 0.706678, "1.375706614415634098e-86"),
        ((78.51, 0.4131), 47, 582.172, 0.783777, "3.296956540276099801e-105"),
        ((18.19, 0.03876), 126, 710.327, 0.463656, "8.530183235175095622e-80"),
        ((18.19, 0.03876), 126, 752.111, 0.49515, "7.751547237507865513e-90"),
        ((18.19, 0.03876), 126, 793.895, 0.527202, "1.23530060310352461e-100"),
        ((18.19, 0.03876), 126, 877.463, 0.593059, "1.310307718508763628e-124"),
        ((34.27, 0.03192), 130, 1600.491, 0.192849, "4.889133562908703703e-74"),
        ((34.27, 0.03192), 130, 1694.638, 0.205032, "8.431441070143619671e-83"),
        ((34.27, 0.03192), 130, 1788.784, 0.217316, "3.896493633966107572e-92"),
        ((34.27, 0.03192), 130, 1977.077, 0.242194, "1.461217669204493523e-112"),
    ],
)
def test_the_rounding_of_large_exponents_is_counted(step, steps, at, tau, delta):
    """Strong tilts of much noise, where K and c tau are hundreds that cancel; the values are from certificates."""
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(*step).cut(36.0), steps)])
    points = Line(cumulants, cumulants.tilt(at)).read(np.array([tau]))
    with mp.workdps(40):
        error = abs(mp.expm1(mp.mpf(float(points.log_delta_remove[0])) - mp.log(mp.mpf(delta))))
    assert error <= points.errors[0] < 2e-12


def test_sums_over_many_nodes_are_the_plain_sums(monkeypatch):
    """Many nodes go through products of coarse and fine waves, few through their own cosines and sines."""
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(2.0, 0.5), 40)])
    line = Line(cumulants, cumulants.tilt(1.5))
    taus = line.tilt.mean + np.linspace(-1, 1, 5) * line.deviation
    found = []
    for blocks_from in (1, 1 << 30):
        monkeypatch.setattr(_line, "SETTINGS", LineSettings(blocks_from=blocks_from))
        found.append(line.read(taus).log_fpr)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-12)


class Understated(LossCumulants):
    """Moments beside a line that are too small, as those of too coarse a grid may be."""

    def values(self, at):
        return super().values(at) - 1.0


@pytest.mark.parametrize(("sigma", "rate", "steps", "at"), [(9.4, 0.328, 2000, 2.6), (0.5, 0.002, 10_000, 1.93)])
def test_images_that_came_from_coarse_moments_are_not_bounds_unseen(sigma, rate, steps, at):
    for kind, bounded in ((LossCumulants, True), (Understated, False)):
        cumulants = kind(0.0, [(SampledGaussianLoss(sigma, rate).cut(12.0), steps)])
        line = Line(cumulants, cumulants.tilt(at))
        assert np.isfinite(line.error_bounds(np.array([line.tilt.mean]))[0]) == bounded


def test_a_tilt_that_leans_on_outputs_left_out_is_refused():
    cumulants = LossCumulants(0.0, [(SampledGaussianLoss(1.0, 0.1, cutoff=3.0), 10)])
    with pytest.raises(ConvergenceError, match="beyond the cutoff"):
        Line(cumulants, cumulants.tilt(4.0))
