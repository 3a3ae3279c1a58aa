"""The curve through a point, where both ways of writing the point lose digits elsewhere."""

import mpmath as mp
import numpy as np
from hypothesis import given

import oracles
from domains_of_test import levels, log_uniform
from gaussdp.numerics import mu_through_point


@given(log_uniform(1e-6, 12), levels)
def test_mu_through_a_point_of_its_own_curve(mu, fpr):
    with mp.workdps(oracles.DIGITS):
        fnr = oracles.fnr_from_mu(mu, fpr)
        tpr = oracles.multiplicative_advantage_from_mu(mu, fpr) * mp.mpf(fpr)
        point = [np.array([float(rate)]) for rate in (fpr, fnr, tpr)]
        if min(point[1][0], 1 - fpr) < 1e-300:
            return
        # Rounding the point to doubles moves mu by its condition; allow that and no more.
        z = float(abs(oracles._quantile(min(fpr, 1 - fpr))))
        shift = 1e-15 * (1 / max(z, 0.1) + 1) / mu
        assert abs(mu_through_point(*point)[0] / mu - 1) < 1e-12 + 20 * shift


def test_no_better_than_guessing():
    rates = np.array([1e-9, 0.3, 0.9])
    assert mu_through_point(rates, 1 - rates, rates).tolist() == [0, 0, 0]
