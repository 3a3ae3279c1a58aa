"""Thresholds by rate and by profile, for losses whose tails are normal CDFs; quantiles from logarithms."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from domains_of_test import log_uniform
from gaussdp.accounting import inversion as _inversion
from gaussdp.accounting.inversion import (
    InversionSettings,
    near_floor,
    points_at_add_delta,
    points_at_floor,
    points_at_fnr,
    points_at_fpr,
    points_at_remove_delta,
)
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.operating_points import log_complement, upper_quantile
from gaussdp.errors import ConvergenceError

LEVELS = log_uniform(1e-290, 0.5) | log_uniform(1e-9, 0.5).map(lambda rest: 1 - rest)


def logs(p):
    return np.log([p]), np.log1p([-p])


@given(log_uniform(1e-3, 30), LEVELS)
def test_rates_of_a_gaussian_release(mu, level):
    """FPR = 1 - Phi(tau/mu + mu/2) and FNR = Phi(tau/mu - mu/2), inverted by hand."""
    tails, z = GaussianTails(mu), -special.ndtri(level)
    assert points_at_fpr(tails, *logs(level)).tau[0] / mu == pytest.approx(z - mu / 2, rel=1e-11, abs=1e-11)
    assert points_at_fnr(tails, *logs(level)).tau[0] / mu == pytest.approx(mu / 2 - z, rel=1e-11, abs=1e-11)


@given(log_uniform(0.3, 10), st.floats(0.05, 0.95), log_uniform(1e-200, 0.5))
def test_rates_of_one_sampled_step(sigma, rate, level):
    """The FPR is a normal tail; where FNRs are small the least loss is near, and a double holds no such threshold."""
    tails = OneStepTails(sigma, rate)
    assert points_at_fpr(tails, *logs(level)).log_fpr[0] == pytest.approx(math.log(level), rel=1e-10)
    level = max(level, 1e-3)
    assert points_at_fnr(tails, *logs(level)).log_fnr[0] == pytest.approx(math.log(level), rel=1e-10)


def profile(mu, epsilon):
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


@given(log_uniform(0.01, 8), st.floats(0.1, 15))
def test_profiles_of_a_gaussian_release(mu, deviations):
    epsilon = mu * deviations
    with mp.workdps(60):
        delta = float(profile(mu, epsilon))
    assert points_at_remove_delta(GaussianTails(mu), np.log([delta])).tau[0] == pytest.approx(epsilon, rel=1e-9)
    assert points_at_add_delta(GaussianTails(mu), np.log([delta])).tau[0] == pytest.approx(-epsilon, rel=1e-9)


def test_many_targets_at_once():
    tails, levels = OneStepTails(1.0, 0.1), np.geomspace(1e-100, 0.9, 50)
    found = points_at_fpr(tails, np.log(levels), np.log1p(-levels))
    np.testing.assert_allclose(np.exp(found.log_fpr), levels, rtol=1e-10)
    assert (np.diff(found.tau) < 0).all()


LOSSES = [GaussianTails(0.2), GaussianTails(6.0), *(OneStepTails(s, q) for s in (0.6, 1.0, 3.0) for q in (0.1, 0.6))]


@pytest.mark.parametrize("tails", LOSSES)
@pytest.mark.parametrize("floor", [0.02, 1e-3, 1e-4])
def test_both_ends_at_a_floor(tails, floor):
    near, _ = near_floor(tails, floor)
    points = tails.read(points_at_floor(tails, floor, near).tau)
    assert (points.log_fnr[0], points.log_fpr[1]) == pytest.approx((math.log(floor), math.log(floor)), rel=1e-12)


def test_one_of_both_ends_at_a_floor():
    tails = OneStepTails(0.6, 0.1)
    near, sure = near_floor(tails, 1e-3)
    assert sure.shape == near.shape == (2,)
    both = points_at_floor(tails, 1e-3, near)
    for end in (0, 1):
        one = points_at_floor(tails, 1e-3, near, ends=(end,))
        assert (one.tau[0], one.log_fpr[0], one.log_fnr[0]) == (both.tau[end], both.log_fpr[end], both.log_fnr[end])


def test_a_search_that_does_not_end_says_so(monkeypatch):
    monkeypatch.setattr(_inversion, "SETTINGS", InversionSettings(max_steps=1))
    points = points_at_fpr(OneStepTails(0.5, 0.01), *logs(1e-9))
    with pytest.raises(ConvergenceError, match="no exact method"):
        points.complete()


@given(st.floats(-1e6, -1e-16))
def test_log_complement(log_p):
    with mp.workdps(60):
        exact = mp.log1p(-mp.exp(mp.mpf(log_p)))
    found = float(log_complement(np.array([log_p]))[0])
    assert found == pytest.approx(float(exact), rel=1e-14, abs=1e-300)


def test_log_complement_at_the_ends():
    assert log_complement(np.array([0.0, -np.inf])).tolist() == [-np.inf, 0.0]


@given(st.floats(-60, 60))
def test_upper_quantile_inverts_the_normal_tail(z):
    with mp.workdps(30):
        tails = [mp.log(mp.erfc(sign * mp.mpf(z) / mp.sqrt(2)) / 2) for sign in (1, -1)]
    log_p, log_rest = (np.array([float(tail)]) for tail in tails)
    # Where both logarithms are large or both near log(1/2), a double holds z to this.
    assert float(upper_quantile(log_p, log_rest)[0]) == pytest.approx(z, rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("mu", [0.01, 1.0, 7.0])
def test_mu_through_points_of_a_gdp_curve(mu):
    points = GaussianTails(mu).read(mu * np.array([-200.0, -3.0, 0.0, 0.5, 40.0, 900.0]))
    assert points.mu() == pytest.approx(np.full(6, mu), rel=1e-11)


class FarStart(GaussianTails):
    """A loss whose width is said to be three per cent off, so that searches start far from where they end."""

    def __init__(self, mu):
        super().__init__(mu)
        self.deviation, self.skewness, self.reads = 1.03 * mu, 1e-9, 0

    def read(self, tau):
        self.reads += 1
        return super().read(tau)


@pytest.mark.parametrize("mu", [0.02, 0.5, 3.0])
@pytest.mark.parametrize("deviations", [0.7, 2.0, 4.5])
def test_quadratic_steps_are_few_and_end_at_the_last_digits(mu, deviations):
    tails, epsilon = FarStart(mu), mu * deviations
    with mp.workdps(40):
        delta = float(profile(mu, epsilon))
    found = points_at_remove_delta(tails, np.log([delta])).tau[0]
    assert tails.reads <= 3
    with mp.workdps(40):
        assert abs(profile(mu, found) / mp.mpf(delta) - 1) < 2e-13
