import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from gaussdp.integrations._array_libraries import standard
from gaussdp.numerics.portable import _special

XP = standard(np, "numpy").operations  # NumPy follows the standard, and so needs our own special functions
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # branches not taken


def test_no_special_function_is_borrowed():
    assert XP.erf is XP.erfcx is XP.ndtri is None
    assert _special.erfcx(replace(XP, erfcx=lambda x: x), 7.0) == 7.0


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.3, 1.0, 3.75, 8.0, 26.5, 27.0, 40.0, 1e3, 1e9])
def test_erfcx(x):
    with mp.workdps(60):
        exact = mp.quad(lambda t: mp.exp(-t * t - 2 * x * t), [0, mp.inf] if x < 1 else [0, 1 / x, 40 / x, mp.inf])
        exact = exact * 2 / mp.sqrt(mp.pi)
    assert _special.own_erfcx(XP, np.array([x]))[0] == pytest.approx(float(exact), rel=1e-15)
    if x < 5:
        left = 2 * math.exp(x * x) - float(exact)
        assert _special.own_erfcx(XP, np.array([-x]))[0] == pytest.approx(left, rel=1e-14)


def test_erfcx_at_the_ends():
    assert _special.own_erfcx(XP, np.array([np.inf]))[0] == 0.0
    assert _special.own_erfcx(XP, np.array([-30.0]))[0] == np.inf


def test_erf_and_normal_probabilities():
    x = np.concatenate([np.logspace(-300, 0.9, 300), [0.0, 0.5, 40.0, np.inf]])
    np.testing.assert_allclose(_special.own_erf(XP, x), special.erf(x), rtol=5e-16)
    z = np.linspace(-37, 9, 300)
    np.testing.assert_allclose(_special.ndtr(XP, z), special.ndtr(z), rtol=3e-13)
    np.testing.assert_array_equal(_special.ndtr(XP, np.array([-np.inf, -50.0, 50.0, np.inf])), [0, 0, 1, 1])


def test_quantiles():
    p = np.concatenate([np.logspace(-307, -0.31, 300), 1 - np.logspace(-16, -0.31, 100), [0.5]])
    np.testing.assert_allclose(_special.ndtri(XP, p), special.ndtri(p), rtol=2e-15)
    for log_p, tolerance in ((-np.logspace(0, 3, 50), 2e-15), (-np.logspace(3, 300, 50), 1e-12)):  # SciPy's own error
        np.testing.assert_allclose(_special.quantile_of_log(XP, log_p), special.ndtri_exp(log_p), rtol=tolerance)
