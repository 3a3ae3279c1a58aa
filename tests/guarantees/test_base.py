"""The general readings of a curve, on a guarantee that overrides none of them; numbers alone."""

import math

import numpy as np
import pytest

import gaussdp
from gaussdp import GDP, ApproxDP, PureDP
from gaussdp.guarantees.base import log_odds


class Plain(gaussdp.Guarantee):
    """A GDP curve seen only through the five abstract readings."""

    def __init__(self, mu):
        self.gdp = gaussdp.GDP(mu)

    def fnr(self, fpr):
        return self.gdp.fnr(fpr)

    def tpr(self, fpr):
        return self.gdp.tpr(fpr)

    def fpr(self, tpr):
        return self.gdp.fpr(tpr)

    def delta(self, epsilon):
        return self.gdp.delta(epsilon)

    def epsilon(self, delta):
        return self.gdp.epsilon(delta)

    def implied(self):
        return self.gdp


@pytest.mark.parametrize("mu", [1e-5, 0.3, 2.0])
def test_general_readings_agree_with_the_closed_forms(mu):
    plain, closed = Plain(mu), gaussdp.GDP(mu)
    rates = np.array([1e-9, 1e-3, 0.2, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(
        plain.multiplicative_advantage(rates), closed.multiplicative_advantage(rates), rtol=1e-14
    )
    np.testing.assert_allclose(plain.precision(rates, 0.1), closed.precision(rates, 0.1), rtol=1e-14)
    np.testing.assert_allclose(plain.mu_at_fpr(rates), mu, rtol=1e-8)
    np.testing.assert_allclose(plain.mu_at_recall(rates), mu, rtol=1e-8)
    assert plain.advantage() == pytest.approx(closed.advantage(), rel=1e-13)
    assert plain.accuracy(0.3) == closed.accuracy(0.3)


def test_log_odds():
    assert log_odds(0.5) == 0
    assert log_odds(0.9) == pytest.approx(math.log(9))
    assert log_odds(0.1) == pytest.approx(math.log(9))
    with pytest.raises(gaussdp.DomainError, match=r"^prior must be"):
        log_odds(0.0)


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
    "mu_at_delta": RATES[1:-1],
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
