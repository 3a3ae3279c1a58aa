"""The growth of a normal tail, against many digits."""

import mpmath as mp
import numpy as np
import pytest

from gaussdp.numerics import log_tail_growth

ENDS = [-37.0, -8.0, -3.1, -1.0, -1e-3, 0.0, 0.4, 2.0, 5.0, 8.0]
MUS = [1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.49, 0.51, 1.0, 3.0, 10.0, 40.0]


@pytest.mark.parametrize("x", ENDS)
def test_against_mpmath(x):
    found = log_tail_growth(np.full(len(MUS), x), np.array(MUS))
    with mp.workdps(400):
        for mu, value in zip(MUS, found, strict=True):
            end = mp.mpf(x)
            truth = mp.log(mp.erfc(-(end + mp.mpf(mu)) / mp.sqrt(2))) - mp.log(mp.erfc(-end / mp.sqrt(2)))
            assert value == pytest.approx(float(truth), rel=2e-14, abs=0), (x, mu)


def test_nothing_grows_by_nothing():
    assert (log_tail_growth(np.array(ENDS), np.zeros(len(ENDS))) == 0).all()
