"""The Mills ratio against integrals, and the curve through a point where either way to write it loses digits."""

import mpmath as mp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracles
from domains_of_test import levels, log_uniform
from gaussdp.numerics import NUMPY, _quantiles, mu_through_point


@given(log_uniform(1e-6, 12), levels)
def test_mu_through_a_point_of_its_own_curve(mu, fpr):
    with mp.workdps(oracles.DIGITS):
        fnr = oracles.fnr_from_mu(mu, fpr)
        tpr = oracles.multiplicative_advantage_from_mu(mu, fpr) * mp.mpf(fpr)
        point = [np.array([float(rate)]) for rate in (fpr, fnr, tpr)]
        if min(point[1][0], 1 - fpr) < 1e-300:
            return
        # Rounding the point to doubles moves mu by its condition; allow that and no more.
        z = float(abs(oracles.quantile(min(fpr, 1 - fpr))))
        shift = 1e-15 * (1 / max(z, 0.1) + 1) / mu
        assert abs(mu_through_point(*point)[0] / mu - 1) < 1e-12 + 20 * shift


def test_no_better_than_guessing():
    rates = np.array([1e-9, 0.3, 0.9])
    assert mu_through_point(rates, 1 - rates, rates).tolist() == [0, 0, 0]


def exact(x):
    return mp.sqrt(mp.pi / 2) * mp.exp(mp.mpf(x) ** 2 / 2) * mp.erfc(mp.mpf(x) / mp.sqrt(2))


@given(st.floats(-30, 300))
def test_mills(x):
    with mp.workdps(60):
        assert abs(float(_quantiles.mills(NUMPY, np.array([x]))[0]) / exact(x) - 1) < (1e-14 if x > -2 else 1e-12)


@given(st.floats(0, 60) | log_uniform(1e-8, 10), log_uniform(1e-12, 20))
def test_difference(m, h):
    if m - h < -2:
        return
    with mp.workdps(80):
        expected = exact(mp.mpf(m) - mp.mpf(h)) - exact(mp.mpf(m) + mp.mpf(h))
        ours = float(_quantiles.mills_difference(NUMPY, np.array([m]), np.array([h]))[0])
        assert abs(ours / expected - 1) < 5e-14
