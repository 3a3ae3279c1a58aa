"""Simulated audits: how often a lower bound exceeds the truth, and whether that is too often.

The check is one function, so that every method meets the same one and a method without correction fails it.
"""

import numpy as np
from scipy import special

import gaussdp
from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.methods import quantile_sum, rate_upper

SURE = 1e-4  # a method is called too bold only if its failures would be this unlikely at the promised rate


def audited(pair, **settings):
    """The audit of the scores of members and of nonmembers."""
    members, nonmembers = pair
    return gaussdp.audit(members=members, nonmembers=nonmembers, **settings)


def failures(run, sample, mu, repetitions, seed=0):
    """How many of the simulated audits claim more than the true mu."""
    random = np.random.default_rng(seed)
    return sum(run(*sample(random)) > mu * (1 + 1e-12) for _ in range(repetitions))


def too_bold(count, repetitions, tail):
    """Whether so many failures contradict a failure rate of at most the tail (a binomial test)."""
    return count > 0 and special.betainc(count, repetitions - count + 1, tail) < SURE


def naive_bound(members, nonmembers, confidence):
    """The best Clopper-Pearson bound over all thresholds, as if it had been chosen in advance: not sound."""
    counts = ScoreCounts.from_scores(members, nonmembers)
    tail = (1 - confidence) / 2
    mu = quantile_sum(
        rate_upper(counts.false_positives, counts.nonmember_total, tail),
        rate_upper(counts.false_negatives, counts.member_total, tail),
    )
    return float(mu.max())


def gaussian(mu, size):
    return lambda random: (random.normal(mu, 1, size), random.normal(0, 1, size))


def half_steps(mu, size):
    return lambda random: tuple(np.round(2 * random.normal(shift, 1, size)) / 2 for shift in (mu, 0))


def two_values(mu, size):
    """Randomized response on the GDP curve itself: the bit is right with probability Phi(mu / 2)."""
    right = special.ndtr(mu / 2)
    return lambda random: (
        (random.random(size) < right).astype(float),
        (random.random(size) >= right).astype(float),
    )


def laplace(epsilon, size):
    """Laplace noise: epsilon-DP, hence mu-GDP with mu = 2 Phi^-1(e^eps / (1 + e^eps))."""
    return lambda random: (random.laplace(epsilon, 1, size), random.laplace(0, 1, size))


def rare_atoms(mu, size):
    """Gaussian scores of which only the far tails are seen; most people tie at 0. Unequal sides."""

    def seen(scores):
        return np.where(np.abs(scores - mu / 2) > 1.5, np.round(scores, 1), mu / 2)

    return lambda random: (seen(random.normal(mu, 1, size // 2)), seen(random.normal(0, 1, 2 * size)))


def constant(random):
    """Scores that say nothing."""
    return np.zeros(50), np.zeros(60)
