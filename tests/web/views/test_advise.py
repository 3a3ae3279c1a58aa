"""The guided start: the library's own advice, in texts."""

import json

import pytest

from gaussdp.advising import advise
from gaussdp.errors import DomainError
from gaussdp.web.schemas.kinds import read
from gaussdp.web.schemas.requests import (
    STATES,
    AdviseRequest,
    PublishedRequest,
    RequirementRequest,
    ScenarioRequest,
    TargetRequest,
)
from gaussdp.web.views.account import calibrate, releases
from gaussdp.web.views.advise import advised, answers_of

PLAN = AdviseRequest(
    aim="identification",
    chance=1e-3,
    acceptable=0.01,
    every="month",
    published=(PublishedRequest(kind="count", typical=1000.0),),
    requirements=(RequirementRequest(policy="epsilon=3 delta=1e-5", source="the board"),),
    scenarios=(ScenarioRequest(name="B", every="year"),),
)


def test_the_advice_is_the_librarys():
    answer, found = advised(PLAN), advise(answers_of(PLAN))
    assert answer["sentence"] == found.sentence
    assert (answer["mu"], answer["count"]) == (found.mu, 12)
    assert float(answer["mu_text"]) <= found.mu
    assert [row["binds"] for row in answer["requirements"]] == [False, True]
    assert [row["name"] for row in answer["scenarios"]] == ["as planned", "B"]
    assert answer["scenarios"][1]["releases"] == 1
    assert "unit" in answer["assumed"]
    assert dict(map(tuple, answer["filled"]))["unit"] == "person"


def test_nothing_has_to_be_known():
    answer = advised(AdviseRequest())
    assert len(answer["assumed"]) == 9
    assert 0 < answer["mu"] < 1


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (AdviseRequest(chance=0.5, acceptable=0.4), "acceptable"),
        (AdviseRequest(requirements=(RequirementRequest(policy="nonsense"),)), None),
        (AdviseRequest(published=(PublishedRequest(kind="sum"),)), "bound"),
    ],
)
def test_answers_that_are_refused(request_, field):
    with pytest.raises(DomainError) as caught:
        answers_of(request_)
    assert field is None or caught.value.parameter == field


PLANS = {
    "counts": AdviseRequest(every="month", published=(PublishedRequest(kind="count"),)),
    "several": AdviseRequest(
        unit="household",
        records_per_unit=3,
        people=30_000,
        every="week",
        published=(
            PublishedRequest(kind="sum", bound=50.0),
            PublishedRequest(kind="mean", bound=100.0),
            PublishedRequest(kind="histogram"),
        ),
    ),
    "model": AdviseRequest(people=20_000, published=(PublishedRequest(kind="model", batch_size=100, epochs=2.0),)),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_the_question_for_the_noise_is_about_the_same_plan(plan):
    """What is handed over is asked, and its answer is the noise of the advice, with the budget of the advice."""
    found, onward = advise(answers_of(plan)), advised(plan)["onward"]
    asked = read(STATES[onward["view"]], json.loads(json.dumps(onward["state"])))
    answer = (releases if onward["view"] == "releases" else calibrate)(asked, lambda words: None)
    assert asked.target == TargetRequest(kind="mu", value=found.mu)
    assert (asked.unit, asked.records_per_unit) == (f"one {found.answers.filled['unit']}", plan.records_per_unit or 1)
    assert 0.999 * found.mu < answer["mu"] <= found.mu
    noise = [found.noise(one, found.mu).sd for one in found.answers.statistics]
    if onward["view"] == "calibrate":
        assert answer["noise_multiplier"] == noise[0]
        return
    assert sum(row["times"] for row in answer["scales"]) == found.count
    moved = plan.records_per_unit or 1  # all the records of a unit, which the guarantee counts and the advice too
    assert [row["scale"] for row in answer["scales"]] == noise
    spent = sum(row["times"] * (moved * one.sensitivity / row["scale"]) ** 2
                for row, one in zip(answer["scales"], asked.releases, strict=True))  # fmt: skip
    assert spent <= found.mu**2 * (1 + 1e-12)


@pytest.mark.parametrize(
    "plan",
    [
        AdviseRequest(every="month", published=(PublishedRequest(kind="model", batch_size=100, epochs=2.0),)),
        AdviseRequest(
            published=(PublishedRequest(kind="count"), PublishedRequest(kind="model", batch_size=9, epochs=1.0))
        ),
        AdviseRequest(requirements=(RequirementRequest(policy="epsilon=60"),)),
    ],
)
def test_what_no_view_can_ask_is_not_handed_over(plan):
    assert "onward" not in advised(plan)
