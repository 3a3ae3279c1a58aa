"""log delta, against the profile where that lives and against mpmath where it underflows."""

import mpmath as mp
import numpy as np
import pytest

from gaussdp import numerics

DIGITS = 800  # the textbook difference loses as many as delta has zeros


def test_agrees_with_the_profile():
    mu, epsilon = (grid.ravel() for grid in np.meshgrid(np.geomspace(1e-3, 30, 40), np.linspace(0, 40, 60)))
    delta = numerics.profile(mu, epsilon)
    lives = delta > 1e-290
    assert lives.sum() > 1000
    logarithm = numerics.log_profile(mu[lives], epsilon[lives])
    np.testing.assert_allclose(logarithm, np.log(delta[lives]), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("mu", "epsilon"), [(0.1, 5.0), (0.25, 12.0), (0.02, 1.0), (1.0, 50.0)])
def test_beyond_underflow(mu, epsilon):
    with mp.workdps(DIGITS):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        upper, lower = e / m - m / 2, e / m + m / 2
        delta = (mp.erfc(upper / mp.sqrt(2)) - mp.exp(e) * mp.erfc(lower / mp.sqrt(2))) / 2
        exact = float(mp.log(delta))
    assert exact < -745
    assert numerics.log_profile(np.array([mu]), np.array([epsilon]))[0] == pytest.approx(exact, rel=1e-12)
