"""The guided start: the library's own advice, in texts."""

import pytest

from gaussdp.advising import advise
from gaussdp.errors import DomainError
from gaussdp.web.schemas.requests import (
    AdviseRequest,
    PublishedRequest,
    RequirementRequest,
    ScenarioRequest,
)
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
