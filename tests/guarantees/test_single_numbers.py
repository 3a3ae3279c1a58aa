"""A number alone is read as it is in an array, also at the ends of its domain."""

import math

import numpy as np
import pytest

from gaussdp import GDP, ApproxDP, PureDP

GUARANTEES = [
    GDP(0.0),
    GDP(1e-9),
    GDP(0.7),
    GDP(40.0),
    GDP(math.inf),
    PureDP(0.0),
    PureDP(1.0),
    PureDP(800.0),
    PureDP(math.inf),
    ApproxDP(1.0, 1e-5),
    ApproxDP(math.inf, 0.0),
    ApproxDP(1.0, 1.0),
]
RATES = [0.0, 5e-324, 1e-300, 1e-9, 0.3, 0.5, 0.9, 1 - 1e-16, 1.0]
LEVELS = {
    "fnr": RATES,
    "tpr": RATES,
    "fpr": RATES,
    "epsilon": RATES,
    "delta": [0.0, 5e-324, 1e-9, 0.9, 1.0, 30.0, 800.0, 1e300, math.inf],
    "multiplicative_advantage": RATES[1:-1],
    "precision": RATES[1:-1],
    "mu_at_fpr": RATES[1:-1],
    "mu_at_recall": RATES[1:-1],
}


@pytest.mark.parametrize("reading", LEVELS)
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=repr)
def test_alone_and_among_others(guarantee, reading):
    read = getattr(guarantee, reading)
    together = read(np.array(LEVELS[reading]))
    assert not np.isnan(together).any()
    alone = [read(level) for level in LEVELS[reading]]
    assert all(type(value) is float for value in alone)
    assert alone == pytest.approx(together.tolist(), rel=4e-15, abs=0)
