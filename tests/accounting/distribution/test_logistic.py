"""Choices of bounded range: alone against the closed form, together against their two-point pairs."""

import math
from itertools import product

import numpy as np
import pytest

from gaussdp import BoundedRange, Composition, ExponentialMechanism, Gaussian, Laplace, RandomizedResponse, account

EPSILONS = np.linspace(0, 0.99, 40)


@pytest.mark.parametrize("eta", [1e-3, 0.1, 1.0, 20.0])
def test_alone_it_is_the_closed_form(eta):
    curve, exact = account(ExponentialMechanism(eta)), BoundedRange(eta)
    deltas = curve.delta(eta * EPSILONS)
    assert (deltas >= exact.delta(eta * EPSILONS)).all()
    np.testing.assert_allclose(deltas, exact.delta(eta * EPSILONS), rtol=1e-3, atol=1e-11)
    fit = curve.fit()
    assert fit.mu_lower <= exact.implied().mu <= fit.mu
    assert fit.mu == pytest.approx(exact.implied().mu, rel=1e-5)


def test_beside_another_mechanism():
    """On their common grid, which is not made for eta; the reference integrates over the Laplace loss."""
    eta, scale = math.pi / 3, 2.0
    curve = account(Composition([ExponentialMechanism(eta), Laplace(scale)]))
    assert curve.epsilon(0.0) == pytest.approx(eta + 0.5, rel=1e-15)
    for epsilon in (0.0, 0.4, 1.2):
        exact = _laplace_mean(scale, lambda loss, e=epsilon: _logistic_delta(eta, e - loss))
        assert exact <= curve.delta(epsilon) <= exact * (1 + 1e-3) + 1e-10


@pytest.mark.parametrize(("eta", "count"), [(0.5, 2), (1.0, 3), (0.3, 6)])
def test_together_they_bound_every_choice_of_pairs(eta, count):
    curve = account(count * ExponentialMechanism(eta))
    draw = np.random.default_rng(count)
    for _ in range(30):
        pairs = [_two_points(eta, t) for t in draw.uniform(0, eta, count)]
        for epsilon in (0.0, 0.3 * count * eta, 0.7 * count * eta):
            delta = 0.0
            for outcome in product((0, 1), repeat=count):
                loss = sum(pair[which][0] for pair, which in zip(pairs, outcome, strict=True))
                mass = math.prod(pair[which][1] for pair, which in zip(pairs, outcome, strict=True))
                delta += mass * max(-math.expm1(epsilon - loss), 0.0)
            assert delta <= curve.delta(epsilon) * (1 + 1e-12)


def _adaptive(eta, epsilon, steps=4000):
    """delta of two choices, the second made after the first, by a search over all pairs of the first."""
    found = 0.0
    for t in np.linspace(0, eta, steps + 1):
        high, low = _two_points(eta, float(t))
        found = max(found, sum(mass * _logistic_delta_outside(eta, epsilon - loss) for loss, mass in (high, low)))
    return found


def _logistic_delta_outside(eta, epsilon):
    """The same beyond all losses."""
    return max(-math.expm1(epsilon), 0.0) if abs(epsilon) >= eta else _logistic_delta(eta, epsilon)


@pytest.mark.parametrize(("eta", "epsilon"), [(0.5, 0.0), (0.5, 0.4), (2.0, 1.0), (8.0, 9.0), (1e-3, 5e-4)])
def test_two_choices_are_the_best_game(eta, epsilon):
    best = _adaptive(eta, epsilon)
    assert best * (1 - 1e-12) <= account(2 * ExponentialMechanism(eta)).delta(epsilon) <= best * 1.01 + 1e-11


def test_many_choices_are_nearly_the_pair_that_may_be():
    """Far more than by envelopes, which are 15 % apart."""
    fit = account(300 * ExponentialMechanism(0.2)).fit(1e-4)
    assert fit.mu <= 1.01 * fit.mu_lower


def test_choices_of_different_ranges_are_no_worse_than_envelopes():
    mixed = account(Composition([4 * ExponentialMechanism(0.5), 3 * ExponentialMechanism(0.7), Laplace(2.0)]))
    larger = account(Composition([7 * ExponentialMechanism(0.7), Laplace(2.0)]))
    smaller = account(Composition([7 * ExponentialMechanism(0.5), Laplace(2.0)]))
    assert smaller.epsilon(1e-4) < mixed.epsilon(1e-4) < larger.epsilon(1e-4) * 1.01


@pytest.mark.parametrize("epsilon", [0.0, 0.6, 1.2])
def test_choices_of_two_ranges_in_turns(epsilon):
    """The attacker chooses each pair after seeing the releases of the other range too."""
    etas = (1.0, 0.5, 1.0, 0.5)

    def value(stage, left):
        if stage == len(etas):
            return max(-math.expm1(left), 0.0)
        pairs = (_two_points(etas[stage], t) for t in np.linspace(0, etas[stage], 7).tolist())
        return max(sum(mass * value(stage + 1, left - loss) for loss, mass in pair) for pair in pairs)

    curve = account(Composition([2 * ExponentialMechanism(1.0), 2 * ExponentialMechanism(0.5)]))
    found = value(0, epsilon)
    assert found <= curve.delta(epsilon) * (1 + 1e-12) <= 1.5 * found


def test_no_mu_below_is_that_of_a_pair_that_may_be():
    """The least curve of several choices lies between the pair with equal errors and the envelope."""
    fit = account(6 * ExponentialMechanism(0.4)).fit(1e-6)
    pair = account(6 * RandomizedResponse(0.2)).fit(1e-6)
    assert fit.mu_lower <= pair.mu < fit.mu < 1.2 * pair.mu
    curve = account(6 * ExponentialMechanism(0.4))
    for delta in (1e-2, 1e-5):
        assert curve.epsilon_lower(delta) <= account(6 * RandomizedResponse(0.2)).epsilon(delta) <= curve.epsilon(delta)


def test_beside_gaussian_noise_it_has_no_pure_epsilon():
    assert account(Composition([ExponentialMechanism(1.0), Gaussian(2.0)])).epsilon(0.0) == math.inf


def _two_points(eta, t):
    truth = math.expm1(t - eta) / math.expm1(-eta)
    return (t, truth), (t - eta, 1 - truth)


def _logistic_delta(eta, epsilon):
    """For any real epsilon, by symmetry."""
    if epsilon < 0:
        return -math.expm1(epsilon) + math.exp(epsilon) * _logistic_delta(eta, -epsilon)
    return BoundedRange(eta).delta(epsilon)


def _laplace_mean(scale, function):
    """The mean over the privacy loss with the record: two atoms, and a density in between."""
    bound, cells = 1 / scale, 4000
    losses = (np.arange(cells) + 0.5) * 2 * bound / cells - bound
    density = 0.25 * np.exp(0.5 * (losses - bound))
    between = math.fsum(density * [function(loss) for loss in losses]) * 2 * bound / cells
    return 0.5 * function(bound) + 0.5 * math.exp(-bound) * function(-bound) + between
