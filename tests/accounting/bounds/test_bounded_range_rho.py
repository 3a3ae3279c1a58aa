"""The rho of a choice of bounded range bounds the Renyi divergences of all its two-point pairs."""

import math

import numpy as np
import pytest

from gaussdp import ExponentialMechanism
from gaussdp.accounting.bounds.concentrated import smallest_rho


@pytest.mark.parametrize("eta", [0.01, 1.0, 5.0])
def test_rho(eta):
    _, rho = smallest_rho(ExponentialMechanism(eta))
    assert rho == pytest.approx(eta**2 / 8)
    largest = 0.0
    for t in np.linspace(0, eta, 201)[1:-1]:
        truth = math.expm1(t - eta) / math.expm1(-eta)
        for order in (1.001, 1.5, 2.0, 5.0, 50.0):
            moment = math.log(truth * math.exp((order - 1) * t) + (1 - truth) * math.exp((order - 1) * (t - eta)))
            largest = max(largest, moment / (order - 1) / order)
    assert largest <= rho * (1 + 1e-9)
    assert largest > 0.6 * rho
