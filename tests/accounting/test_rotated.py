"""Transforms of one step at complex tilts, on every path, against direct integration."""

import math

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting._rotated import PATHS, REAL, Path, RotatedStep

SUPPORT = (-9.8, 11.0)


def transform(sigma, rate, w):
    """log E_Q[e^(wL)] by quadrature in 25 digits on the real axis."""
    with mp.workdps(25):
        s, q, w = mp.mpf(sigma), mp.mpf(rate), mp.mpc(w)

        def density(x):
            return mp.npdf(x, 0, s) * mp.exp(w * mp.log(1 - q + q * mp.exp((2 * x - 1) / (2 * s * s))))

        return complex(mp.log(mp.quad(density, mp.linspace(-12 * s, 24 * s, 145))))


@pytest.mark.parametrize(("sigma", "rate", "w"), [(1.0, 0.01, 3 + 20j), (0.7, 1e-3, -40 + 300j), (2.0, 0.1, 0.5 + 4j)])
def test_transform(sigma, rate, w):
    step = RotatedStep(sigma, rate)
    expected, tilt = transform(sigma, rate, w), np.array([w])
    judged = [step.judge(tilt, path, SUPPORT)[1][0] for path in PATHS]
    best = PATHS[int(np.nanargmin(judged))]
    got = step.log_transform(tilt, best, SUPPORT)[0][0]
    assert abs(np.expm1(got - expected)) < 1e-13


def test_the_error_that_is_judged_covers_the_true_one():
    step, w = RotatedStep(1.0, 0.01), np.array([9.0 + 60j])
    expected = transform(1.0, 0.01, w[0])
    for path in (REAL, Path(0.25, 0.0), Path(0.8, 0.0)):
        error = math.exp(step.judge(w, path, SUPPORT)[1][0])
        got, wrong = (result[0] for result in step.log_transform(w, path, SUPPORT))
        assert abs(np.exp(got) - np.exp(expected)) <= error + 1e-14
        assert abs(np.expm1(got - expected)) <= wrong + 1e-14
