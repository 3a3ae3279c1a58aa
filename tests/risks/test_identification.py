"""The chance to identify a person: closed forms, other readings of it, and guessers who stay below."""

import numpy as np
import pytest
from scipy import stats

import gaussdp
from gaussdp import GDP, ApproxDP, DomainError, Identification, MultiplicativeAdvantage, PureDP
from gaussdp.risks.identification import AIMS


def test_the_closed_form():
    assert Identification.among(1000).mu_for(0.01) == pytest.approx(0.7638, abs=1e-4)
    for mu in (0.1, 0.7638, 3.0):
        for chance in (1e-6, 1e-3, 0.3):
            exact = stats.norm.cdf(stats.norm.ppf(chance) + mu)
            assert Identification(chance).of(GDP(mu)) == pytest.approx(exact, rel=1e-9)
            assert Identification(chance).mu_for(exact) == pytest.approx(mu, rel=1e-7)


def test_it_is_multiplicative_advantage_read_another_way():
    for guarantee in (GDP(0.5), PureDP(1.0), ApproxDP(1.0, 1e-5)):
        ratio = MultiplicativeAdvantage(1e-3).of(guarantee)
        assert Identification(1e-3).of(guarantee) == pytest.approx(1e-3 * ratio, rel=1e-12)
        assert Identification(1e-3).match(guarantee) == MultiplicativeAdvantage(1e-3).match(guarantee)
    assert Identification(1e-3).epsilon_from_mu(0.5) == MultiplicativeAdvantage(1e-3).epsilon_from_mu(0.5)


def test_a_list_of_guesses_and_the_expected_number():
    assert Identification.among(1000, guesses=10) == Identification(0.01)
    assert Identification(1e-3).expected(GDP(0.0), 5000) == pytest.approx(5)
    assert Identification(1e-3).expected(GDP(0.5), 10_000) == pytest.approx(47.956, abs=0.001)


@pytest.mark.parametrize("aim", list(AIMS))
def test_words(aim):
    risk = Identification(1e-3, aim)
    assert risk.limited(0.01) == f"nobody {AIMS[aim].success} (a blind guess: 1 in 1,000) with a chance above 1%"
    assert risk.of(GDP(0.5)) == Identification(1e-3).of(GDP(0.5))
    assert AIMS[aim].success in risk.sentence(GDP(0.5))


def guessed(rng, mu, candidates, people, guesses=1):
    """How often the best guesser is right: one candidate of many adds mu to a cell of its own, under unit noise."""
    noise = rng.standard_normal((people, candidates))
    noise[:, 0] += mu  # whoever is there; the guesser does not know that it is the first
    order = np.argpartition(-noise, guesses - 1, axis=1)[:, :guesses]
    return float((order == 0).any(axis=1).mean())


@pytest.mark.parametrize(("candidates", "guesses"), [(2, 1), (10, 1), (10, 3), (1000, 1)])
@pytest.mark.parametrize("mu", [0.3, 1.0, 3.0])
def test_optimal_guessers_stay_below_the_bound(mu, candidates, guesses):
    """With equal priors the likeliest cells are the best guesses; the release without the person is pure noise."""
    rng = np.random.default_rng(7)
    people = 4_000
    risk = Identification.among(candidates, guesses)
    success = guessed(rng, mu, candidates, people, guesses)
    spread = 4 * np.sqrt(max(success * (1 - success), 1e-3) / people)
    assert success - spread <= risk.of(GDP(mu))
    assert success + spread >= risk.chance  # and the guesser is no fool


def test_the_bound_is_attained():
    """A guesser who names the person when the score is among the highest kappa of noise alone."""
    rng, mu, chance = np.random.default_rng(8), 1.0, 0.01
    threshold = stats.norm.isf(chance)
    hits = (rng.standard_normal(400_000) + mu > threshold).mean()
    assert hits == pytest.approx(Identification(chance).of(GDP(mu)), rel=0.02)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Identification(0.0), "chance must be in"),
        (lambda: Identification(1e-3, "luck"), "aim must be one of"),
        (lambda: Identification.among(1), "candidates must be a whole number of at least 2"),
        (lambda: Identification.among(10, 10), "guesses must be a whole number from 1 to 9"),
        (lambda: Identification(0.1).mu_for(0.05), "chance of a right guess must be in"),
        (lambda: Identification(0.1).expected(GDP(1.0), -1), "people must be a whole number"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(DomainError, match=message):
        make()


def test_it_is_offered():
    assert Identification in gaussdp.risks.criteria()
