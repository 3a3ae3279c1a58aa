"""Distributions with atoms bracket what can be computed exactly by hand."""

import math
import sys

import numpy as np
import pytest
from scipy.special import gammaln

import gaussdp
from gaussdp import GDP, ApproxDP, PureDP
from gaussdp.accounting.distribution.pld import LossDistribution
from gaussdp.accounting.distribution.releases import INTERVAL
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Stated,
)

EPSILONS = np.array([0.0, 0.05, 0.3, 0.77, 1.5])


def both(mechanism):
    parts = list(mechanism.parts())
    return LossDistribution(parts, pessimistic=True), LossDistribution(parts, pessimistic=False)


def binomial_profile(epsilon, count, at):
    """Randomized response, repeated: the loss is epsilon (2k - count) with k binomial."""
    k = np.arange(count + 1)
    truth = 1 / (1 + math.exp(-epsilon))
    log_p = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
    p = np.exp(log_p + k * math.log(truth) + (count - k) * math.log1p(-truth))
    loss = epsilon * (2 * k - count)
    return np.array([np.sum(p * np.maximum(-np.expm1(e - loss), 0.0)) for e in at])


def laplace_profile(scale, at):
    return np.maximum(-np.expm1((at - 1 / scale) / 2), 0.0)


def discrete_profile(masses, shift, at):
    """sum over k of (P(k) - e^epsilon Q(k))+ for noise with these masses and a shift."""
    p, q = np.pad(masses, (shift, 0)), np.pad(masses, (0, shift))
    return np.array([np.sum(np.maximum(p - math.exp(e) * q, 0.0)) for e in at])


@pytest.mark.parametrize(
    ("mechanism", "exact", "gap"),
    [
        (RandomizedResponse(0.8), binomial_profile(0.8, 1, EPSILONS), 1e-12),
        (300 * RandomizedResponse(0.1), binomial_profile(0.1, 300, EPSILONS), 1e-9),
        (20 * Stated(PureDP(0.3)), binomial_profile(0.3, 20, EPSILONS), 1e-9),
        (Laplace(0.7), laplace_profile(0.7, EPSILONS), 2e-4),
        (Gaussian(1.0), GDP(1.0).delta(EPSILONS), 2e-4),
        (
            DiscreteLaplace(2.0, 3),
            discrete_profile(np.exp(-np.abs(np.arange(-90, 91)) / 2.0) * math.tanh(0.25), 3, EPSILONS),
            1e-9,
        ),
    ],
    ids=["rr", "rr-300", "pure-20", "laplace", "gaussian", "discrete-laplace"],
)
def test_brackets(mechanism, exact, gap):
    upper, lower = (distribution.delta(EPSILONS) for distribution in both(mechanism))
    assert (upper >= exact).all()
    assert (lower <= exact).all()
    np.testing.assert_allclose(upper, exact, atol=gap)
    np.testing.assert_allclose(lower, exact, atol=gap)


def test_discrete_gaussian_on_its_own_lattice():
    k = np.arange(-60, 61)
    masses = np.exp(-(k**2) / (2 * 2.5**2))
    exact = discrete_profile(masses / masses.sum(), 2, EPSILONS)
    upper, lower = (distribution.delta(EPSILONS) for distribution in both(DiscreteGaussian(2.5, 2)))
    np.testing.assert_allclose(upper, exact, atol=1e-12)
    assert (upper >= exact).all()
    assert (lower <= exact).all()


def test_many_categories():
    """With k answers the other k - 2 are equally likely under both inputs."""
    mechanism = RandomizedResponse(1.0, categories=5)
    truth = mechanism.truth_probability
    lie = truth / math.e
    exact = np.maximum(truth - np.exp(EPSILONS) * lie, 0.0)
    np.testing.assert_allclose(both(mechanism)[0].delta(EPSILONS), exact, atol=1e-12)


def test_a_stated_delta_stays():
    upper, lower = both(Stated(ApproxDP(0.5, 1e-4)))
    expected = ApproxDP(0.5, 1e-4).delta(EPSILONS)
    np.testing.assert_allclose(upper.delta(EPSILONS), expected, atol=1e-12)
    np.testing.assert_allclose(lower.delta(EPSILONS), expected, atol=1e-12)


def test_different_units_share_the_usual_grid():
    assert both(Composition([Laplace(2.0), Stated(PureDP(0.3))]))[0].interval == INTERVAL
    assert both(3 * Stated(PureDP(0.3)))[0].interval == 0.3


def test_atoms_between_grid_points_move_to_the_stated_side():
    mechanism = Composition([Stated(PureDP(0.123456)), Stated(PureDP(0.3))])
    upper, lower = (distribution.delta(EPSILONS) for distribution in both(mechanism))
    assert (lower <= upper).all()
    assert (upper - lower < 5e-4).all()


def test_noise_floor_grows_with_the_count():
    once, often = both(RandomizedResponse(0.1))[0], both(1000 * RandomizedResponse(0.1))[0]
    assert 0 < once.noise_floor < 1e-13
    assert once.noise_floor * 500 < often.noise_floor < 1e-11


def test_sampled_and_plain_gaussians_compose_with_atoms():
    mechanism = Composition([DPSGD(1.0, 0.01, 100), Laplace(5.0)])
    upper, lower = (distribution.delta(EPSILONS) for distribution in both(mechanism))
    assert (upper >= np.maximum(laplace_profile(5.0, EPSILONS), 0)).all()
    assert (lower <= upper).all()
    assert (upper - lower < 0.02).all()


def test_an_infinite_epsilon_cannot_be_composed():
    with pytest.raises(gaussdp.DomainError, match="finite epsilon"):
        both(Stated(PureDP(math.inf)))


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with pytest.raises(gaussdp.MissingExtraError, match=r'pip install "gaussdp\[accounting\]"'):
        both(Laplace(1.0))


@pytest.mark.parametrize("pessimistic", [True, False])
def test_epsilon_inverts_delta_noise_included(pessimistic):
    distribution = LossDistribution([(Laplace(2.0), 3), (Gaussian(1.0), 1)], pessimistic=pessimistic)
    for delta in (1.5 * distribution.noise_floor, 1e-9, 1e-4):
        epsilon = distribution.epsilon(delta)
        above, below = distribution.delta(epsilon * np.array([1 - 1e-6, 1 + 1e-6]))
        assert above > delta > below
    assert (distribution.epsilon(0.5 * distribution.noise_floor) == math.inf) == pessimistic
    assert distribution.epsilon(1.0) == 0.0


@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (3.0, 1), (3.0, 3), (20.0, 2), (20.0, 17), (300.0, 1)])
def test_discrete_gaussian_noise_is_close_to_gaussian_noise(sigma, shift):
    """The bound by which large discrete Gaussian noise is taken as Gaussian noise, against sums over all outputs."""
    k = np.arange(-math.ceil(40 * sigma), math.ceil(40 * sigma) + 1)
    masses = np.exp(-0.5 * (k / sigma) ** 2)
    epsilons = np.linspace(0.0, (8 + 0.5 * shift / sigma) * shift / sigma, 400)
    exact = discrete_profile(masses / masses.sum(), shift, epsilons)
    gap = np.abs(exact - GDP(shift / sigma).delta(epsilons)).max()
    assert gap <= 2.46 * shift / sigma**3


def test_large_discrete_gaussian_noise():
    upper, lower = both(3 * DiscreteGaussian(2e4, 2))
    k = np.arange(-600_000, 600_001)
    masses = np.exp(-0.5 * (k / 2e4) ** 2)
    epsilon = upper.epsilon(1e-9)
    assert epsilon == pytest.approx(GDP(math.sqrt(3) * 1e-4).epsilon(1e-9), rel=1e-3)
    assert lower.epsilon(1e-9) <= epsilon
    one = LossDistribution([(DiscreteGaussian(2e4, 2), 1)], pessimistic=True)
    at = np.array([0.0, 1e-4, 3e-4])
    assert (one.delta(at) >= discrete_profile(masses / masses.sum(), 2, at)).all()


def test_huge_discrete_noise_is_answered_or_refused():
    assert both(DiscreteGaussian(1e9))[0].delta(np.zeros(1))[0] == pytest.approx(3.99e-10, rel=1e-2)
    with pytest.raises(gaussdp.DomainError, match="sigma must be at least the sensitivity"):
        both(DiscreteGaussian(1e6, 10**7))


def test_what_would_be_too_large_is_refused_with_its_size():
    with pytest.raises(gaussdp.ConvergenceError, match=r"would take .* points, of which at most 2,097,152"):
        both(10**9 * RandomizedResponse(1.0))


def test_what_would_be_too_large_is_made_on_a_coarser_grid():
    """A million Laplace releases of scale 1: each loses 1/e in the mean, with a deviation below 1."""
    upper = both(10**6 * Laplace(1.0))[0]
    assert upper.interval > INTERVAL
    assert 10**6 / math.e < upper.epsilon(1e-5) < 1.02 * (10**6 / math.e + 4.3e3)


def test_epsilons_past_the_range_of_a_double():
    """Losses of 600 and 1200: one of two coins shows with probability next to 1, both with next to 1."""
    curve = gaussdp.account(2 * RandomizedResponse(600.0))
    assert curve.epsilon(1e-5) == pytest.approx(1200.0, rel=1e-6)
