"""Every method claims too much in at most the promised share of audits; the naive one does not keep the promise."""

import numpy as np
import pytest
from scipy import special

import gaussdp
from audits_of_test import (
    audited,
    constant,
    failures,
    gaussian,
    half_steps,
    laplace,
    naive_bound,
    rare_atoms,
    too_bold,
    two_values,
)
from gaussdp.auditing import ScoreCounts, bands
from gaussdp.auditing import counts as score_counts
from gaussdp.auditing.methods import at_threshold, promising_threshold, rank_grid, rate_upper
from gaussdp.guarantees import PureDP

REPETITIONS = 300
CONFIDENCE = 0.9
METHODS = [
    gaussdp.FixedThreshold(0.5),
    gaussdp.Split(3),
    gaussdp.DKW(),
    gaussdp.EqualLocalLevel(),
    gaussdp.AUC(),
]
# Name: sampler and true mu.
PAIRS = {
    "Gaussian, mu = 1": (gaussian(1.0, 200), 1.0),
    "nothing to find": (gaussian(0.0, 200), 0.0),
    "mu = 3, few trials": (gaussian(3.0, 12), 3.0),
    "beyond exact calibration": (gaussian(1.0, 700), 1.0),
    "half steps": (half_steps(1.0, 150), 1.0),
    "two values on the curve": (two_values(1.0, 150), 1.0),
    "Laplace": (laplace(1.0, 200), PureDP(1.0).implied().mu),
    "mostly ties, unequal sides": (rare_atoms(2.0, 200), 2.0),
    "all tied": (constant, 0.0),
}


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("pair", PAIRS)
def test_claims_too_much_seldom(method, pair):
    sample, mu = PAIRS[pair]
    count = failures(
        lambda x, y: gaussdp.audit(members=x, nonmembers=y, confidence=CONFIDENCE, method=method).mu_lower,
        sample,
        mu,
        REPETITIONS,
    )
    assert not too_bold(count, REPETITIONS, 1 - CONFIDENCE), f"{count} of {REPETITIONS}"


def test_the_naive_method_fails_the_same_check():
    count = failures(lambda x, y: naive_bound(x, y, CONFIDENCE), gaussian(1.0, 2000), 1.0, REPETITIONS)
    assert too_bold(count, REPETITIONS, 1 - CONFIDENCE), f"{count} of {REPETITIONS}"


def test_a_band_without_calibration_fails_the_same_check(monkeypatch):
    """The default method with the local level left at a/2: the correction is what keeps the promise."""
    monkeypatch.setattr(bands, "equal_level_table", lambda n, tail: np.append(rate_upper(rank_grid(n), n, tail), 1.0))
    run = lambda x, y: gaussdp.audit(members=x, nonmembers=y, confidence=CONFIDENCE).mu_lower  # noqa: E731
    count = failures(run, gaussian(1.0, 2000), 1.0, REPETITIONS)
    assert too_bold(count, REPETITIONS, 1 - CONFIDENCE), f"{count} of {REPETITIONS}"


def test_a_split_that_looks_at_its_own_half_fails_the_same_check():
    """Choosing and bounding on the same half."""

    def run(members, nonmembers):
        half, _ = ScoreCounts.from_scores(members, nonmembers).halves(0)
        return at_threshold(
            gaussdp.Split(0), half, promising_threshold(half, (1 - CONFIDENCE) / 2), CONFIDENCE
        ).mu_lower

    count = failures(run, gaussian(0.5, 2000), 0.5, 3 * REPETITIONS)
    assert too_bold(count, 3 * REPETITIONS, 1 - CONFIDENCE), f"{count} of {3 * REPETITIONS}"


SPLIT_SEEDS, SPLIT_REPETITIONS, SPLIT_PEOPLE, SPLIT_CONFIDENCE = 50, 60, 40, 0.6


def failures_by_seed(prepare=lambda scores: scores):
    """For each of many seeds the failures on fresh scores that know nothing."""
    random = np.random.default_rng(5)

    def failed(seed):
        pair = (prepare(random.normal(size=SPLIT_PEOPLE)) for _ in range(2))
        return audited(pair, confidence=SPLIT_CONFIDENCE, method=gaussdp.Split(seed)).mu_lower > 0

    return np.array([sum(failed(seed) for _ in range(SPLIT_REPETITIONS)) for seed in range(SPLIT_SEEDS)])


def chance_of_such_differences(counts):
    """The chance that the counts of seeds of one failure rate differ as much: Pearson's test."""
    rate = counts.mean() / SPLIT_REPETITIONS
    spread = ((counts - counts.mean()) ** 2).sum() / (SPLIT_REPETITIONS * rate * (1 - rate))
    return special.gammaincc((SPLIT_SEEDS - 1) / 2, spread / 2)


def test_every_seed_of_a_split_keeps_the_level_and_none_is_better():
    counts = failures_by_seed()
    assert counts.sum() > 100
    assert not too_bold(counts.max(), SPLIT_REPETITIONS, 1 - SPLIT_CONFIDENCE)
    assert chance_of_such_differences(counts) > 1e-4


def test_a_split_by_rank_has_better_seeds(monkeypatch):
    """Sorted scores, let through and divided by a random choice of places: some choices suit the ranks."""

    def any_half(size, tosses):
        return np.random.default_rng(int.from_bytes(tosses[:64].tobytes())).permutation(size) < size // 2

    monkeypatch.setattr(score_counts, "must_not_be_sorted", lambda side, counts: None)
    monkeypatch.setattr(score_counts, "in_first_half", any_half)
    assert chance_of_such_differences(failures_by_seed(np.sort)) < 1e-9
    monkeypatch.undo()
    monkeypatch.setattr(score_counts, "in_first_half", any_half)
    assert chance_of_such_differences(failures_by_seed()) > 1e-4


def test_the_check_itself():
    assert not too_bold(0, 300, 0.1)
    assert not too_bold(30, 300, 0.1)
    assert not too_bold(45, 300, 0.1)
    assert too_bold(60, 300, 0.1)


def guesses_in_one_run(random, canaries, guesses, mu):
    """The surest guesses about canaries whose scores are N(mu, 1) if in and N(0, 1) if out."""
    inside = random.random(canaries) < 0.5
    score = random.normal(np.where(inside, mu, 0.0), 1.0) - mu / 2
    surest = np.argsort(-np.abs(score))[:guesses]
    return int(((score > 0) == inside)[surest].sum())


@pytest.mark.parametrize(
    ("canaries", "guesses", "mu"), [(100, 100, 0.0), (100, 30, 0.5), (60, 60, 1.0), (200, 10, 2.0)]
)
def test_one_run(canaries, guesses, mu):
    random = np.random.default_rng(1)
    right = [guesses_in_one_run(random, canaries, guesses, mu) for _ in range(REPETITIONS)]
    bounds = {c: gaussdp.audit_one_run(canaries, guesses, c, CONFIDENCE).mu_lower for c in set(right)}
    count = sum(bounds[c] > mu for c in right)
    assert not too_bold(count, REPETITIONS, 1 - CONFIDENCE), f"{count} of {REPETITIONS}"


def best_of_several(random, numbers, canaries=200):
    """Guesses that are coin tosses: right counts for nested sets of guesses."""
    right = np.cumsum(random.random(canaries) < 0.5)
    return [int(right[number - 1]) for number in numbers]


def test_a_stated_set_of_guesses_is_corrected_for():
    numbers = list(range(4, 201, 7))
    random = np.random.default_rng(2)
    trials = [best_of_several(random, numbers) for _ in range(REPETITIONS)]
    corrected = sum(gaussdp.audit_one_run(200, numbers, right, CONFIDENCE).mu_lower > 0 for right in trials)
    assert not too_bold(corrected, REPETITIONS, 1 - CONFIDENCE)

    def uncorrected(right):
        return any(
            gaussdp.audit_one_run(200, g, c, CONFIDENCE).mu_lower > 0 for g, c in zip(numbers, right, strict=True)
        )

    assert too_bold(sum(map(uncorrected, trials)), REPETITIONS, 1 - CONFIDENCE)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_one_run_epsilon(epsilon):
    """Randomized response: each guess is right with probability e^eps / (1 + e^eps), independently."""
    random = np.random.default_rng(3)
    right = random.binomial(120, 1 / (1 + np.exp(-epsilon)), REPETITIONS).tolist()
    bounds = {c: gaussdp.audit_one_run(120, 120, c, CONFIDENCE).epsilon_lower(0.0) for c in set(right)}
    count = sum(bounds[c] > epsilon for c in right)
    assert not too_bold(count, REPETITIONS, 1 - CONFIDENCE)
    assert count > 0, "the bound is tight here, so it should fail now and then"


def test_epsilon_from_a_band():
    """Laplace scores satisfy epsilon = 1, whatever delta."""
    run = lambda x, y: gaussdp.audit(members=x, nonmembers=y, confidence=CONFIDENCE).epsilon_lower(1e-6)  # noqa: E731
    assert not too_bold(failures(run, laplace(1.0, 200), 1.0, REPETITIONS), REPETITIONS, 1 - CONFIDENCE)


def test_a_claimed_curve_is_contradicted_seldom():
    claim = PureDP(1.0)
    run = lambda *pair: float(audited(pair, confidence=CONFIDENCE, design="trials").contradicts(claim))  # noqa: E731
    assert not too_bold(failures(run, laplace(1.0, 200), 0.0, REPETITIONS), REPETITIONS, 1 - CONFIDENCE)
