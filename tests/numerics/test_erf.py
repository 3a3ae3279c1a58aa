"""The total variation to thirty digits, and its difference from a delta next to it."""

import mpmath as mp
import numpy as np
import pytest

from gaussdp.numerics import _erf


def exact(mu):
    return mp.erf(mp.mpf(mu) / (2 * mp.sqrt(2)))


@pytest.mark.parametrize("mu", [1e-12, 1e-3, 0.3, 1.0, 3.0, 6.0, 8.99, 9.0, 11.0, 14.0])
def test_difference_from_the_nearest_doubles(mu):
    with mp.workdps(80):
        for steps in (-3, -1, 0, 1, 3, 1000):
            delta = float(exact(mu))
            for _ in range(abs(steps)):
                delta = float(np.nextafter(delta, 1.0 if steps > 0 else 0.0))
            if delta >= 1:
                continue
            ours = _erf.erf_minus(np.array([mu]), np.array([delta]))[0]
            difference = exact(mu) - mp.mpf(delta)
            assert abs(mp.mpf(float(ours)) / difference - 1) < 1e-9, (mu, steps)


@pytest.mark.parametrize("mu", [9.0, 12.0, 20.0, 50.0])
def test_complement(mu):
    with mp.workdps(80):
        high, low = _erf.erfc_pair(np.array([mu]))
        ours = mp.mpf(float(high[0])) + mp.mpf(float(low[0]))
        assert abs(ours / mp.erfc(mp.mpf(mu) / (2 * mp.sqrt(2))) - 1) < 1e-25
