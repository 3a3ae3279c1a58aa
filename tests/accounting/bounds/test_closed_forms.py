"""Closed forms against the outputs themselves: every likelihood-ratio test on them, in order."""

import math
from itertools import accumulate

import numpy as np
import pytest
from scipy import special

from gaussdp import Claim, Composition, DiscreteLaplace, Gaussian, Laplace, RandomizedResponse
from gaussdp.accounting.bounds.enclosures import smallest


def outputs(mechanism):
    """Probabilities of every output under two neighbours."""
    if isinstance(mechanism, RandomizedResponse):
        p = np.full(mechanism.categories, 1.0)
        p[0] = math.exp(mechanism.epsilon)
        return p / p.sum(), np.roll(p, 1) / p.sum()
    reach = math.ceil(45 * mechanism.scale)
    k = np.arange(-reach, reach + mechanism.sensitivity + 1)
    weights = [np.exp(-np.abs(k - shift) / mechanism.scale) for shift in (mechanism.sensitivity, 0)]
    return weights[0] / weights[0].sum(), weights[1] / weights[1].sum()


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(1.0, 2),
        RandomizedResponse(0.3, 4),
        RandomizedResponse(4.0, 10),
        DiscreteLaplace(2.0),
        DiscreteLaplace(0.7, 3),
        DiscreteLaplace(5.0, 4),
    ],
)
def test_against_the_outputs(mechanism):
    p, q = outputs(mechanism)
    order = np.argsort(-p / q, kind="stable")
    tpr, fpr = np.array(list(accumulate(p[order]))), np.array(list(accumulate(q[order])))
    inside = (fpr > 1e-9) & (fpr < 1 - 1e-9) & (tpr < 1 - 1e-9)
    mu = np.max(special.ndtri(tpr[inside]) - special.ndtri(fpr[inside]))
    found = smallest(mechanism, Claim(mu=1.0))
    assert found.lower <= found.upper <= found.lower * (1 + 1e-8)
    assert found.upper == pytest.approx(mu, rel=1e-7)
    assert smallest(mechanism, Claim(mu=1.0, floor=1e-8)).upper == pytest.approx(mu, rel=1e-7)
    for delta in (0.1, 1e-3, 1e-6):
        epsilon = smallest(mechanism, Claim(epsilon=1.0, delta=delta)).upper
        if epsilon > 1e-6:
            assert np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) == pytest.approx(delta, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("count", [1, 5, 40])
@pytest.mark.parametrize("epsilon", [0.05, 0.6])
def test_compositions_of_bounded_losses_have_a_mu(count, epsilon):
    """Randomized response: kinks of the composed curve are sums of binomials."""
    k = np.arange(count + 1)
    truth = 1 / (1 + math.exp(-epsilon))
    tpr, fpr = (special.bdtrc(k[:-1], count, share) for share in (truth, 1 - truth))
    inside = (fpr > 1e-14) & (tpr < 1 - 1e-9)
    mu = np.max(special.ndtri(tpr[inside]) - special.ndtri(fpr[inside]))
    found = smallest(count * RandomizedResponse(epsilon), Claim(mu=1.0))
    assert found.lower <= mu * (1 + 1e-7)
    assert mu <= found.upper * (1 + 1e-7) < 1.3 * mu


def test_a_large_loss_is_bounded_by_pure_dp_alone():
    """The kink of its curve lies below the floor of the distribution, where only pure DP speaks."""
    many = smallest(30 * Laplace(1.0), Claim(mu=1.0))
    assert many.upper <= math.sqrt(30) * smallest(Laplace(1.0), Claim(mu=1.0)).upper
    assert many.lower <= many.upper


def test_gaussian_noise_among_bounded_losses():
    found = smallest(Composition([Laplace(1.0), Gaussian(0.5)]), Claim(mu=1.0))
    assert 2 <= found.lower <= found.upper
    assert found.upper == pytest.approx(math.hypot(2.0, smallest(Laplace(1.0), Claim(mu=1.0)).upper))
