"""Pairs of doubles, and the two differences that need them, against mpmath."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.integrations.array_api import standard
from gaussdp.numerics import NUMPY, _extended

HANDLES = [NUMPY, standard(np, "numpy")]
numbers = st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-6)


def pair(value):
    """A pair from an mpmath number."""
    high = float(value)
    return np.array([high]), np.array([float(value - mp.mpf(high))])


def value_of(a):
    return mp.mpf(float(a[0][0])) + mp.mpf(float(a[1][0]))


@given(numbers, numbers)
def test_arithmetic_to_thirty_digits(x, y):
    with mp.workdps(60):
        a, b = mp.mpf(x) / 3, mp.mpf(y) / 7
        assert abs(value_of(_extended.add(pair(a), pair(b))) - (a + b)) < mp.mpf(10) ** -30 * max(abs(a), abs(b))
        assert abs(value_of(_extended.multiply(pair(a), pair(b))) - a * b) < mp.mpf(10) ** -30 * abs(a * b)


@given(st.floats(-1 / 64, 1 / 64))
def test_exp(x):
    with mp.workdps(60):
        assert abs(value_of(_extended.exp_series(np.array([x]))) / mp.exp(mp.mpf(x)) - 1) < mp.mpf(10) ** -30


def test_tables():
    """Thirty digits at every node, of 1 - erf too where the table holds that."""
    (erf, density), (whole, part) = _extended.erf_tables(), _extended.exp_tables()
    with mp.workdps(60):
        for table, exact in (
            (erf, lambda i: mp.erf(i / mp.sqrt(2) / 64) if i < 4.5 * 64 else mp.erfc(i / mp.sqrt(2) / 64)),
            (density, lambda i: 2 * mp.npdf(mp.mpf(i) / 64)),
            (whole, mp.exp),
            (part, lambda i: mp.exp((mp.mpf(i) - 32) / 32)),
        ):
            for i, (high, low) in enumerate(zip(*table, strict=True)):
                assert abs(mp.mpf(high) + mp.mpf(low) - exact(i)) <= mp.mpf(10) ** -30 * exact(i), i


@pytest.mark.parametrize("xp", HANDLES)
@pytest.mark.parametrize("mu", [1e-12, 1e-8, 0.03, 0.3, 1.0, 3.7, 6.0, 8.99, 9.0, 9.01, 11.0, 14.0, 16.4])
def test_erf_minus_the_doubles_next_to_it(xp, mu):
    """The hardest case: delta is erf itself, rounded to a double, or a few units in the last place off."""
    with mp.workdps(80):
        exact = mp.erf(mp.mpf(mu) / mp.sqrt(8))
        for steps in (-1000, -3, -1, 0, 1, 3, 1000):
            delta = float(exact)
            for _ in range(abs(steps)):
                delta = float(np.nextafter(delta, 1.0 if steps > 0 else 0.0))
            if delta >= 1:
                continue
            found = _extended.erf_minus(xp, np.array([mu]), np.array([delta]))[0]
            assert abs(mp.mpf(float(found)) / (exact - mp.mpf(delta)) - 1) < 1e-10, steps


@pytest.mark.parametrize("xp", HANDLES)
@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.4999, 0.5, 1.0, 7.123, 100.5, 640.0, 705.0, 744.0])
def test_one_minus_product(xp, epsilon):
    with mp.workdps(60):
        fpr = float(mp.exp(-mp.mpf(epsilon)))
        exact = 1 - mp.exp(mp.mpf(epsilon)) * mp.mpf(fpr)
    found = _extended.one_minus_product(xp, np.array([epsilon]), np.array([fpr]))[0]
    assert found == pytest.approx(float(exact), rel=1e-10, abs=1e-30)
    assert epsilon == 0 or exact != 0
