"""Quantiles and complements from logarithms, against mpmath."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.accounting.loss.closed_forms import GaussianTails
from gaussdp.accounting.operating_points import log_complement, upper_quantile


@given(st.floats(-1e6, -1e-16))
def test_log_complement(log_p):
    with mp.workdps(60):
        exact = mp.log(-mp.expm1(mp.mpf(log_p)))
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
