"""From answers to a range of mu: everything together, each release, the noise, and what is said of it."""

import json
import math
from decimal import Decimal

import numpy as np
import pytest

from gaussdp import GDP, DomainError, Gaussian, PureDP, account, choose
from gaussdp.advising import QUESTIONS, Answers, Asked, Published, advise, record
from gaussdp.choosing.worded_bands import BANDS, band_words
from gaussdp.documents.rendering import PROSE_FORMATS
from gaussdp.documents.rounding import Rounding, rounded

PLAN = Answers(
    title="Visits",
    aim="identification",
    chance=1e-3,
    acceptable=0.01,
    people=50_000,
    every="month",
    years=2,
    published=(Published(kind="count", typical=1200), Published(kind="mean", bound=100)),
    requirements=(Asked("epsilon=3", "the board"),),
    scenarios=(("weekly", (("every", "week"),)), ("once", (("every", "once"),))),
)


def test_the_range_and_what_binds():
    advice = advise(PLAN)
    assert advice.mu == rounded(choose(PureDP(3.0)).mu, Rounding.DOWN)
    assert advice.high == pytest.approx(0.7639, abs=1e-4)
    assert advice.choice.binding.source == "the board"
    assert (PLAN.releases, advice.count) == (24, 48)


def test_each_release_together_spends_the_whole():
    """The oracle is the accountant: that many Gaussian releases with the advised noise have the advised mu."""
    advice = advise(PLAN)
    noise = advice.noise(Published(kind="count"), advice.mu)
    spent = account(48 * Gaussian(noise.sd)).fit().mu
    assert spent <= advice.mu
    assert spent == pytest.approx(advice.mu, rel=1e-3)  # the share is rounded down


@pytest.mark.parametrize(
    ("one", "records", "sd"),
    [
        (Published(kind="count"), 3, 3 / 0.5),
        (Published(kind="histogram"), 2, 2 / 0.5),
        (Published(kind="sum", bound=50), 2, 100 / 0.5),
        (Published(kind="mean", bound=50), 1, 50 / 0.5 / 1000),
    ],
)
def test_noise_and_its_interval(one, records, sd):
    noise = one.noise(GDP(0.5), 1000, records)
    assert noise.sd == pytest.approx(sd)
    drawn = np.abs(np.random.default_rng(1).normal(0, noise.sd, 200_000))
    assert (drawn <= noise.interval).mean() == pytest.approx(0.95, abs=0.003)


def test_one_unit_moves_a_statistic_by_no_more_than_its_sensitivity():
    rng = np.random.default_rng(2)
    values, owner = rng.uniform(0, 50, 400), rng.integers(0, 100, 400)
    kept = np.concatenate([np.flatnonzero(owner == person)[:3] for person in range(100)])  # at most 3 records each
    for kind, read in {"count": len, "sum": lambda rows: values[rows].sum()}.items():
        one = Published(kind=kind, bound=50 if kind == "sum" else None)
        for person in range(100):
            without = kept[owner[kept] != person]
            assert abs(read(kept) - read(without)) <= one.sensitivity(100, 3)


def test_a_model():
    one = Published(kind="model", batch_size=100, epochs=2)
    noises = [one.noise(GDP(mu), 10_000, 1).sd for mu in (0.3, 0.6)]
    assert noises[0] > noises[1] > 0.5
    assert math.isinf(one.noise(GDP(0.0), 10_000, 1).sd)
    with pytest.raises(DomainError, match="batch_size"):
        one.noise(GDP(0.5), 10, 1)


@pytest.mark.parametrize(
    ("every", "years", "releases"),
    [("once", 5, 1), ("day", 1, 366), ("week", 1, 53), ("month", 2, 24), ("quarter", 1, 4), ("year", 0.5, 1)],
)
def test_the_calendar(every, years, releases):
    assert Answers(every=every, years=years).releases == releases


def test_who_knows_nothing_gets_what_is_usual_and_is_told():
    advice = advise(Answers())
    assert advice.mu == pytest.approx(0.5067, abs=1e-4)
    assert set(advice.answers.assumed) == {question.key for question in QUESTIONS}
    assert advice.choice.binding.source == "nobody: assumed here"
    assert "Not answered, so assumed" in advice.assumptions[-1]


def test_what_others_have_set_stands_for_a_goal_that_nobody_names():
    assert advise(Answers(requirements=(Asked("mu=0.2", "law"),))).choice.requirements[0].source == "law"
    assert len(advise(Answers(acceptable=0.7, requirements=(Asked("mu=0.2"),))).choice.requirements) == 2


def test_scenarios_side_by_side():
    advice = advise(PLAN)
    assert [name for name, _ in advice.scenarios] == ["weekly", "once"]
    each = [one.each(one.mu) for _, one in advice.scenarios]
    assert each[0] < advice.each(advice.mu) < each[1]
    (table,) = advice.scenario_tables()
    assert [row[0] for row in table.rows] == ["as planned", "weekly", "once"]


def test_risk_and_noise_move_against_each_other():
    steps = advise(PLAN).steps
    guesses = [advise(PLAN).guess(step.mu) for step in steps]
    assert guesses == sorted(guesses)
    for place in range(2):
        sizes = [step.noise[place].sd for step in steps]
        assert sizes == sorted(sizes, reverse=True)


def test_words_for_a_mu_come_with_its_number():
    assert band_words(0.5).startswith("cautious: at most ")
    for band in BANDS[:-1]:
        right = float(band_words(band.high).split("at most ")[1].split()[0])
        assert right >= 100 * GDP(band.high).accuracy()


@pytest.mark.parametrize("policy", ["epsilon=20", "epsilon=3", "mu=3.337", "mu=0.1"])
def test_what_judges_a_mu_comes_from_its_band(policy):
    """Nothing is called cautious by one sentence and weak by another; of several, one may be the most cautious."""
    advice = advise(Answers(requirements=(Asked(policy),)))
    decided = record(advice)
    band = band_words(advice.mu)
    judged = "\n".join((advice.render("text"), decided.sentence, decided.standing))
    judged = " ".join(judged.split())
    assert band in judged
    for before in judged.replace(band, "").split("cautious")[:-1]:
        assert before.endswith(("The most ", "(the most ", "is more "))


def test_who_describes_one_person_is_told_of_describing_anybody():
    """The chance to isolate somebody blindly, against exact binomial arithmetic: it is no risk that a mu bounds."""
    advice = advise(Answers(aim="description", chance=1e-6, people=10**6))
    exact = 10**6 * Decimal("1e-6") * (1 - Decimal("1e-6")) ** (10**6 - 1)
    assert round(exact, 3) == Decimal("0.368")
    assert "fits exactly one of 1,000,000 people with a chance of 36.8%" in advice.not_covered[0]
    assert "chosen in advance" in advice.choice.binding.words
    everything = advice.render("text") + " ".join(str(one) for question in QUESTIONS for one in question.options)
    assert everything.lower().count("singling out") == 1
    with pytest.raises(DomainError, match="aim must be one of"):
        Answers(aim="singling out")


@pytest.mark.parametrize("style", PROSE_FORMATS)
def test_every_format(style):
    text = advise(PLAN).render(style)
    assert "the board" in text
    assert "evidence toward" in text
    for word in ("satisfies", "complies", "compliant", "GDPR"):
        assert word not in text


def test_json():
    found = json.loads(advise(PLAN).render("json"))
    assert found["mu"] == found["choice"]["mu"] == advise(PLAN).mu == 0.5498
    assert found["releases"] == {
        "count": 24,
        "statistics": 2,
        "mu_each": 0.07935,
        "mu_each_high": 0.1102,
    }
    assert len(found["scenarios"]) == 2
    assert found["utility"][1]["items"][0]["sd"] == 12.61  # sqrt(48) / 0.5498, rounded up


def test_bad_advice():
    with pytest.raises(DomainError, match="answers must be the answers"):
        advise({"aim": "membership"})
