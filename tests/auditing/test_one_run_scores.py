"""One run from raw scores: the guesses by hand, ties, and the promise; the ranks at which bands are held."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from audits_of_test import audited, too_bold
from gaussdp.auditing.methods import EXACT_UP_TO, held, rank_grid


def canaries(random, size, mu, steps=0.0):
    """Scores of canaries that are in and that are out: N(mu, 1) and N(0, 1), perhaps in steps."""
    inside = random.random(size) < 0.5
    scores = random.normal(np.where(inside, mu, 0.0), 1.0)
    scores = np.round(scores / steps) * steps if steps else scores
    return scores[inside], scores[~inside]


@pytest.mark.parametrize(("guessed", "correct"), [("both", 4), ("in", 3), ("out", 3)])
def test_guesses_by_hand(guessed, correct):
    """From the top: in, in, out, in; from the bottom: out, out, in, out."""
    found = gaussdp.audit(
        members=[9, 8, 6, 3.5, 2], nonmembers=[7, 5, 3, 1, 0], design="one-run", guesses=4, guessed=guessed
    )
    assert (found.canaries, found.guesses, found.guessed, found.correct) == (10, (4,), (guessed,), (correct,))


def test_ties_count_against_the_attack():
    """Five canaries tie for the last three places among the guesses; two of the five are wrong, and come first."""
    found = gaussdp.audit(
        members=[9, 5, 5, 5, 0], nonmembers=[5, 5, 0, 0, 0], design="one-run", guesses=4, guessed="in"
    )
    assert found.correct == (2,)
    assert gaussdp.audit(members=[1] * 50, nonmembers=[1] * 50, design="one-run").mu_lower == 0


def test_it_agrees_with_the_counts_of_guesses():
    members, nonmembers = canaries(np.random.default_rng(0), 1000, 1.5)
    found = gaussdp.audit(members=members, nonmembers=nonmembers, design="one-run")
    assert len(found.guesses) == 4
    assert found.mu_lower == gaussdp.audit_one_run(1000, found.guesses, found.correct).mu_lower > 0.5
    one = gaussdp.audit(members=members, nonmembers=nonmembers, design="one-run", guesses=found.guesses[1])
    assert one.mu_lower > 0.5
    assert one.correct == (found.correct[1],)


@pytest.mark.parametrize(
    ("mu", "steps", "direction"),
    [(0.0, 0.0, "higher"), (0.5, 0.0, "either"), (0.0, 1.0, "either"), (1.0, 0.5, "higher")],
)
def test_claims_too_much_seldom(mu, steps, direction):
    random = np.random.default_rng(3)
    bounds = [
        audited(canaries(random, 60, mu, steps), confidence=0.8, design="one-run", direction=direction).mu_lower
        for _ in range(200)
    ]
    assert not too_bold(sum(bound > mu for bound in bounds), 200, 0.2)


def test_coins_that_were_not_tossed():
    with pytest.raises(gaussdp.DomainError, match=r"put in by a fair coin .* got 900 of 1000 canaries in"):
        gaussdp.audit(members=np.arange(900.0), nonmembers=np.arange(100.0), design="one-run")
    assert gaussdp.audit(members=np.arange(530.0), nonmembers=np.arange(470.0), design="one-run").canaries == 1000


@pytest.mark.parametrize("trials", [1, 2, 100, EXACT_UP_TO])
def test_all_ranks_of_small_samples(trials):
    assert rank_grid(trials).tolist() == list(range(trials))


@pytest.mark.parametrize("trials", [EXACT_UP_TO + 1, 1000, 10_000, 123_457, 10**6, 10**10])
def test_few_ranks_of_large_samples(trials):
    grid = rank_grid(trials)
    assert (grid[0], grid[-1]) == (0, trials - 1)
    assert (np.diff(grid) > 0).all()
    assert grid.size <= min(trials, 12_000)
    assert grid.tolist() == (trials - 1 - grid[::-1]).tolist()  # both tails alike
    # No rank is farther from the next than a standard deviation of the count, or what 8,000 ranks allow.
    gaps, lower = np.diff(grid), np.minimum(grid[:-1], trials - 1 - grid[1:])
    widest = max(1.0, np.pi * np.sqrt(trials) / 8000)
    assert (gaps <= np.maximum(1, widest * np.sqrt(np.maximum(lower, 0))) + 1).all()
    tail = lower < 10_000
    assert (gaps[tail] <= np.maximum(1, 0.25 * np.sqrt(lower[tail] + 1)) + 1).all()


@given(st.integers(1, 5000), st.data())
def test_the_rank_that_serves_a_count(trials, data):
    """The bound held at the first rank that is no smaller, so that it holds at the count too."""
    count = data.draw(st.integers(0, trials))
    grid = rank_grid(trials)
    place = int(held(np.array([count]), grid)[0])
    expected = next((index for index, rank in enumerate(grid.tolist()) if rank >= count), grid.size)
    assert place == expected
    assert (place == grid.size) == (count == trials)
