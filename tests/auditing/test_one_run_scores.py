"""One run from raw scores: the guesses by hand, ties, and the promise."""

import numpy as np
import pytest

import gaussdp
from audits_of_test import too_bold


def canaries(random, size, mu, steps=0.0):
    """Scores of canaries that are in and that are out: N(mu, 1) and N(0, 1), perhaps in steps."""
    inside = random.random(size) < 0.5
    scores = random.normal(np.where(inside, mu, 0.0), 1.0)
    scores = np.round(scores / steps) * steps if steps else scores
    return scores[inside], scores[~inside]


@pytest.mark.parametrize(("guessed", "correct"), [("both", 4), ("in", 3), ("out", 3)])
def test_guesses_by_hand(guessed, correct):
    """From the top: in, in, out, in; from the bottom: out, out, in, out."""
    found = gaussdp.audit([9, 8, 6, 3.5, 2], [7, 5, 3, 1, 0], design="one-run", guesses=4, guessed=guessed)
    assert (found.canaries, found.guesses, found.guessed, found.correct) == (10, (4,), (guessed,), (correct,))


def test_ties_count_against_the_attack():
    """Five canaries tie for the last three places among the guesses; two of the five are wrong, and come first."""
    found = gaussdp.audit([9, 5, 5, 5, 0], [5, 5, 0, 0, 0], design="one-run", guesses=4, guessed="in")
    assert found.correct == (2,)
    assert gaussdp.audit([1] * 50, [1] * 50, design="one-run").mu_lower == 0


def test_it_agrees_with_the_counts_of_guesses():
    members, nonmembers = canaries(np.random.default_rng(0), 1000, 1.5)
    found = gaussdp.audit(members, nonmembers, design="one-run")
    assert len(found.guesses) == 4
    assert found.mu_lower == gaussdp.audit_one_run(1000, found.guesses, found.correct).mu_lower > 0.5
    one = gaussdp.audit(members, nonmembers, design="one-run", guesses=found.guesses[1])
    assert one.mu_lower > 0.5
    assert one.correct == (found.correct[1],)


@pytest.mark.parametrize(
    ("mu", "steps", "direction"),
    [(0.0, 0.0, "higher"), (0.5, 0.0, "either"), (0.0, 1.0, "either"), (1.0, 0.5, "higher")],
)
def test_claims_too_much_seldom(mu, steps, direction):
    random = np.random.default_rng(3)
    bounds = [
        gaussdp.audit(*canaries(random, 60, mu, steps), 0.8, design="one-run", direction=direction).mu_lower
        for _ in range(200)
    ]
    assert not too_bold(sum(bound > mu for bound in bounds), 200, 0.2)


def test_coins_that_were_not_tossed():
    with pytest.raises(gaussdp.DomainError, match=r"put in by a fair coin .* got 900 of 1000 canaries in"):
        gaussdp.audit(np.arange(900.0), np.arange(100.0), design="one-run")
    assert gaussdp.audit(np.arange(530.0), np.arange(470.0), design="one-run").canaries == 1000
