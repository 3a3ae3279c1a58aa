"""The Mills ratio and its differences against direct integration."""

import mpmath as mp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp.numerics import NUMPY, _mills


def exact(x):
    return mp.sqrt(mp.pi / 2) * mp.exp(mp.mpf(x) ** 2 / 2) * mp.erfc(mp.mpf(x) / mp.sqrt(2))


@given(st.floats(-30, 300))
def test_mills(x):
    with mp.workdps(60):
        assert abs(float(_mills.mills(NUMPY, np.array([x]))[0]) / exact(x) - 1) < (1e-14 if x > -2 else 1e-12)


@given(st.floats(0, 60) | log_uniform(1e-8, 10), log_uniform(1e-12, 20))
def test_difference(m, h):
    if m - h < -2:
        return
    with mp.workdps(80):
        expected = exact(mp.mpf(m) - mp.mpf(h)) - exact(mp.mpf(m) + mp.mpf(h))
        ours = float(_mills.mills_difference(NUMPY, np.array([m]), np.array([h]))[0])
        assert abs(ours / expected - 1) < 5e-14
