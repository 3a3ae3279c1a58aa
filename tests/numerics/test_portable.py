"""Our own special functions against SciPy's and against many digits."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from gaussdp.integrations.array_api import standard
from gaussdp.numerics import Portable

XP = standard(np, "numpy")  # NumPy follows the standard, and so needs our own special functions
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # branches not taken


def test_special_functions_are_borrowed_only_where_they_are_given():
    class Borrowing(type(XP)):
        def __init__(self):
            Portable.__init__(self, np, erfcx=special.erfcx)

    assert not {"erf", "erfcx", "ndtri"} & set(vars(XP))
    assert Borrowing().erfcx is special.erfcx


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 3.75, 8.0, 26.5, 27.0, 40.0, 1e3, 1e9])
def test_erfcx(x):
    with mp.workdps(60):
        exact = mp.quad(lambda t: mp.exp(-t * t - 2 * x * t), [0, mp.inf] if x < 1 else [0, 1 / x, 40 / x, mp.inf])
        exact = exact * 2 / mp.sqrt(mp.pi)
    assert XP.erfcx(np.array([x]))[0] == pytest.approx(float(exact), rel=1e-15)
    if x < 5:
        left = 2 * math.exp(x * x) - float(exact)
        assert XP.erfcx(np.array([-x]))[0] == pytest.approx(left, rel=1e-14)


def test_erfcx_at_the_ends():
    assert XP.erfcx(np.array([np.inf]))[0] == 0.0
    assert XP.erfcx(np.array([-30.0]))[0] == np.inf


def test_erf_and_normal_probabilities():
    x = np.concatenate([np.logspace(-300, 0.9, 300), [0.0, 0.5, 40.0, np.inf]])
    np.testing.assert_allclose(XP.erf(x), special.erf(x), rtol=5e-16)
    z = np.linspace(-37, 9, 300)
    np.testing.assert_allclose(XP.ndtr(z), special.ndtr(z), rtol=3e-13)
    np.testing.assert_array_equal(XP.ndtr(np.array([-np.inf, -50.0, 50.0, np.inf])), [0, 0, 1, 1])


def test_quantiles():
    p = np.concatenate([np.logspace(-307, -0.31, 300), 1 - np.logspace(-16, -0.31, 100), [0.5]])
    np.testing.assert_allclose(XP.ndtri(p), special.ndtri(p), rtol=2e-15)
    for log_p, tolerance in ((-np.logspace(0, 3, 50), 2e-15), (-np.logspace(3, 300, 50), 1e-12)):  # SciPy's own error
        np.testing.assert_allclose(XP.ndtri_exp(log_p), special.ndtri_exp(log_p), rtol=tolerance)


def test_the_inverse_of_erf():
    y = np.concatenate([np.logspace(-300, -0.001, 200), 1 - np.logspace(-16, -0.31, 100)])
    np.testing.assert_allclose(XP.erfinv(y), special.erfinv(y), rtol=2e-15)


def test_logarithms_of_probabilities():
    z = np.concatenate([np.linspace(-1e3, -40, 50), np.linspace(-40, 8, 200)])
    np.testing.assert_allclose(XP.log_ndtr(z), special.log_ndtr(z), rtol=1e-13)


def test_a_kernel_sees_stand_ins_where_it_does_not_belong():
    seen = []

    def kernel(xp, x, y):
        assert xp is XP
        seen.append((x.tolist(), y.tolist()))
        return x + y

    x, y = np.array([1.0, -2.0]), np.array([3.0, 4.0])
    assert XP.part(x > 0, 7.0, kernel, (x, 5.0), y).tolist() == [4.0, 7.0]
    assert XP.part(x > 9, 7.0, kernel, (x, 5.0), y).tolist() == [7.0, 7.0]
    assert seen == [([1.0, 5.0], [3.0, 4.0])]


def test_no_number_where_an_iteration_does_not_settle():
    halved = XP.iterate(lambda _, x: (x / 2, x < 3), np.array([2.0, 100.0]), 3)
    np.testing.assert_array_equal(halved, [1.0, math.nan])
