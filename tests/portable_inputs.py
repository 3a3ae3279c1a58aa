"""Seeded draws over the whole promised domain, dense where the numerics change regime, as NumPy arrays."""

import numpy as np

import gaussdp

KINK_OFFSETS = [0.0, 1e-16, -3e-16, 1e-12, -1e-9, 1e-6, -1e-4, 1e-2]


def epsilons(rng, size):
    return np.where(rng.random(size) < 0.5, _log_uniform(rng, 1e-10, 500, size), _log_uniform(rng, 1e-2, 10, size))


def mus(rng, size):
    return np.where(rng.random(size) < 0.5, _log_uniform(rng, 1e-8, 50, size), _log_uniform(rng, 1e-2, 10, size))


def levels(rng, size):
    choices = [
        _log_uniform(rng, 1e-300, 0.5, size),
        _log_uniform(rng, 1e-12, 0.5, size),
        1 - _log_uniform(rng, 1e-12, 0.5, size),
        rng.uniform(0.45, 0.55, size),
    ]
    return np.choose(rng.integers(0, 4, size), choices)


def inputs_of(name, size, seed=0):
    """Arguments of one flat function, in order, with its hardest corners among them."""
    rng = np.random.default_rng(seed)
    epsilon, mu, level = epsilons(rng, size), mus(rng, size), levels(rng, size)
    half = slice(0, size // 2)
    if name == "mu_from_multiplicative_advantage":  # the kink of the pure-DP curve, fpr = 1/(e^epsilon + 1)
        kink = 1 / (1 + np.exp(epsilon[half])) * (1 + rng.choice(KINK_OFFSETS, size // 2))
        level[half] = np.clip(kink, 1e-300, 1 - 1e-12)
        return epsilon, level
    if name in ("mu_from_precision", "mu_from_profile"):
        return epsilon, level
    if name == "delta_from_mu":  # epsilon by how many standard deviations out
        epsilon[half] = np.clip((rng.uniform(-8, 37, size // 2) + mu[half] / 2) * mu[half], 1e-10, 500)
        return mu, epsilon
    if name == "epsilon_from_mu":  # delta just below delta(0)
        near = gaussdp.advantage_from_mu(mu[half]) * (1 - _log_uniform(rng, 1e-15, 0.1, size // 2))
        level[half] = np.clip(near, 1e-300, 1 - 1e-12)
        return mu, level
    if name == "advantage_from_mu":
        return (mu,)
    if name == "precision_from_mu":
        return mu, level, rng.uniform(1e-6, 1 - 1e-6, size)
    return mu, level


def _log_uniform(rng, low, high, size):
    return np.exp(rng.uniform(np.log(low), np.log(high), size))
