"""From answers to a range of mu: everything together, each release, the noise, and what is said of it."""

import json
import math

import numpy as np
import pytest

from gaussdp import GDP, DomainError, Gaussian, PureDP, account, choose
from gaussdp.advising import QUESTIONS, Answers, Asked, Published, advise
from gaussdp.advising.advice import BANDS, band_words
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
    assert found["utility"][1]["items"][0]["sd"] == pytest.approx(1 / 0.07935)


def test_bad_advice():
    with pytest.raises(DomainError, match="answers must be the answers"):
        advise({"aim": "membership"})
