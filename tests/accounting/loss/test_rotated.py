"""Moments of one sampled step at complex arguments, against direct sums in 60 digits along the real line."""

import mpmath
import numpy as np
import pytest

from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.mixtures import MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError


def moment(sigma, rate, theta):
    """E[e^(theta L)] under Q: digits make up for the cancellation that a path off the real line avoids."""
    with mpmath.workdps(60):
        sigma, rate, theta = mpmath.mpf(sigma), mpmath.mpf(rate), mpmath.mpc(theta)
        spacing = min(sigma, mpmath.mpf(1)) / 20
        last = int((max(float(theta.real), 1.0) / float(sigma) + 14) / float(spacing))
        nodes = (k * spacing for k in range(-int(14 / float(spacing)), last))
        losses = ((z, mpmath.log(1 - rate + rate * mpmath.exp((2 * sigma * z - 1) / (2 * sigma**2)))) for z in nodes)
        return spacing * mpmath.fsum(mpmath.npdf(z) * mpmath.exp(theta * loss) for z, loss in losses)


CASES = [
    (0.5, 1e-4, 4.6 + 0.5j),
    (0.5, 1e-4, 6.0 + 3.0j),
    (1.0, 0.01, 3.0 + 2.0j),
    (1.0, 1e-4, 18.5 + 4.7j),
    (1.0, 1e-4, -15400 + 2000j),
    (0.3, 0.01, 1.8 + 0.2j),
    (0.3, 0.01, -50.0 + 20.0j),
    (2.0, 0.1, 5.0 + 4.0j),
    (71.66319354196655, 0.0018032245981520968, -75070 + 3227j),  # exponents that rounding moves by 1e-12
    (71.66319354196655, 0.0018032245981520968, -74660 + 6631j),
    (24.414827964416624, 6.849461943958808e-05, -1261000 + 6j),
]


@pytest.mark.parametrize(("sigma", "rate", "theta"), CASES)
def test_one_step(sigma, rate, theta):
    loss = LossCumulants(0.0, [(SampledGaussianLoss(sigma, rate), 1)]).rotated()
    value, error = loss.values(np.array([complex(theta)]))
    miss = abs(complex(mpmath.exp(mpmath.mpc(complex(value[0]))) / moment(sigma, rate, theta)) - 1)
    assert miss <= error[0] + 4e-16
    assert error[0] < 1e-11


def test_small_changes_keep_their_digits():
    """log E[e^(theta L)] is near 1e-11 here, the small rest of terms near 1e-6."""
    loss = LossCumulants(0.0, [(SampledGaussianLoss(1.0, 1e-6), 1)]).rotated()
    theta = 3.0 + 2.0j
    value, _ = loss.values(np.array([theta]))
    with mpmath.workdps(60):
        exact = complex(mpmath.log(moment(1.0, 1e-6, theta)))
    assert abs(value[0] - exact) <= 1e-20


def test_composition_adds_up():
    steps = [(SampledGaussianLoss(0.5, 0.01), 3), (SampledGaussianLoss(2.0, 0.1), 2)]
    theta = np.array([2.0 + 1.0j])
    whole = LossCumulants(0.25, steps).rotated().values(theta)[0]
    parts = sum(count * LossCumulants(0.0, [(step, 1)]).rotated().values(theta)[0] for step, count in steps)
    assert whole == pytest.approx(parts + 0.125 * (theta * theta - theta), rel=1e-14)


def test_other_steps_are_refused():
    with pytest.raises(ConvergenceError):
        LossCumulants(0.0, [(MixtureLoss(1.0, (1.0, 2.0), (0.5, 0.5)), 2)]).rotated()
