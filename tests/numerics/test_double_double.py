"""Pairs of doubles against mpmath."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.numerics import _double_double as dd

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
        for ours, exact in (
            (dd.add(pair(a), pair(b)), a + b),
            (dd.multiply(pair(a), pair(b)), a * b),
            (dd.divide(pair(a), pair(b)), a / b),
        ):
            scale = max(abs(a), abs(b)) if exact == a + b else abs(exact)
            assert abs(value_of(ours) - exact) < mp.mpf(10) ** -30 * scale


@given(st.floats(-640, 640))
def test_exp(x):
    with mp.workdps(60):
        ours = value_of(dd.exp((np.array([x]), np.zeros(1))))
        assert abs(ours / mp.exp(mp.mpf(x)) - 1) < mp.mpf(10) ** -29


@pytest.mark.parametrize("constant", [(dd._LN2, "log(2)"), (dd.INV_SQRT_2PI, "1/sqrt(2*pi)")])
def test_constants(constant):
    (high, low), formula = constant
    with mp.workdps(60):
        exact = eval(formula, {"log": mp.log, "sqrt": mp.sqrt, "pi": mp.pi})
        assert abs(mp.mpf(high) + mp.mpf(low) - exact) < mp.mpf(10) ** -32
