import mpmath as mp
import numpy as np
import pytest

from gaussdp.integrations._array_libraries import standard
from gaussdp.numerics.portable import _extended

XP = standard(np, "numpy").operations


@pytest.mark.parametrize("mu", [1e-8, 0.03, 0.5, 1.0, 3.7, 8.99, 9.0, 9.01, 12.0, 16.4])
def test_erf_minus_its_own_rounding(mu):
    """The hardest case: delta is erf itself, rounded to a double, or a few units in the last place below."""
    with mp.workdps(60):
        exact = mp.erf(mp.mpf(mu) / mp.sqrt(8))
        for units in (0, 1, 3, 1000):
            delta = float(exact)
            for _ in range(min(units, 3)):
                delta = np.nextafter(delta, 0)
            delta = delta - (units > 3) * 1000 * np.spacing(delta)
            difference = exact - mp.mpf(float(delta))
            found = _extended.erf_minus(XP, np.array([mu]), np.array([delta]))[0]
            assert abs(found / difference - 1) < 1e-10, units


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.4999, 0.5, 1.0, 7.123, 100.5, 640.0, 705.0])
def test_one_minus_product(epsilon):
    with mp.workdps(60):
        fpr = float(mp.exp(-mp.mpf(epsilon)))
        exact = 1 - mp.exp(mp.mpf(epsilon)) * mp.mpf(fpr)
    found = _extended.one_minus_product(XP, np.array([epsilon]), np.array([fpr]))[0]
    assert found == pytest.approx(float(exact), rel=1e-10, abs=1e-30)
    assert epsilon == 0 or exact != 0
