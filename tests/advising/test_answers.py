"""Answers and the policy file: what is written is read back, what is wrong is refused with its name."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussdp import DomainError
from gaussdp.advising import QUESTIONS, Answers, Asked, Published, advise

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
choices = {question.key: [option.value for option in question.options] for question in QUESTIONS}


@settings(max_examples=40)
@given(
    words,
    st.sampled_from([None, *choices["aim"]]),
    st.sampled_from([None, *choices["every"]]),
    st.none() | st.integers(1, 10**6),
    st.none() | st.floats(0.1, 20),
    words,
)
def test_files_hold_what_was_said(title, aim, every, people, years, source):
    answers = Answers(
        title=title,
        aim=aim,
        every=every,
        people=people,
        years=years,
        published=(Published(kind="sum", bound=3.5, name=source),),
        requirements=(Asked("epsilon=3", source), Asked("tpr@1e-3=1%")),
        scenarios=((source + "x", (("every", "week"), ("published", (Published(kind="count"),)))),),
    )
    import tomllib

    assert Answers.from_mapping(tomllib.loads(answers.as_toml())) == answers
    assert Answers.from_mapping(json.loads(json.dumps(answers.as_mapping()))) == answers


def test_a_file(tmp_path):
    file = tmp_path / "policy.toml"
    answers = Answers(aim="attribute", chance=0.3, acceptable=0.4)
    answers.write(file)
    assert Answers.read(file) == answers


def test_shares_are_written_as_people_write_them():
    content = {"aim": "identification", "chance": "1/1000", "acceptable": "1%"}
    assert Answers.from_mapping(content) == Answers(aim="identification", chance=1e-3, acceptable=0.01)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"uint": "person"}, "policy: has no answer 'uint'; did you mean 'unit'?"),
        ({"unit": "cat"}, "unit must be one of"),
        ({"people": 0}, "people must be a whole number of at least 1"),
        ({"chance": 1.5}, "chance must be in"),
        ({"chance": "much"}, "chance must be a number such as 0.01"),
        ({"years": 0}, "years must be in"),
        ({"aim": "identification", "chance": 0.1, "acceptable": 0.05}, "acceptable must be in"),
        ({"acceptable": 0.5}, "acceptable must be above the chance"),
        ({"published": ["count"]}, "published must be made of entries with kind"),
        ({"published": [{"kind": "sum"}]}, "bound is missing for a sum"),
        ({"published": [{"kind": "model"}]}, "batch_size and epochs are missing"),
        ({"published": [{"name": "x"}]}, "published needs kind in each entry"),
        ({"published": "count"}, "published must be a list"),
        ({"requirements": ["luck=1"]}, "requirement must be one of"),
        ({"requirements": [{"policy": 3}]}, "requirement must be a text"),
        ({"requirements": [{"policy": "mu=1", "source": 3}]}, "source must be a text"),
        ({"published": [{"kind": "count", "name": 3}]}, "name must be a text"),
        ({"scenarios": {"B": {"evry": "week"}}}, "has no answer 'evry'"),
        ({"scenarios": {"B": {"every": "hour"}}}, "every must be one of"),
        ({"scenarios": ["B"]}, "scenarios must be a table"),
        ({"title": 3}, "title must be a text"),
        ([], "policy: must be a table of answers"),
    ],
)
def test_what_is_wrong(content, message):
    with pytest.raises(DomainError) as refused:
        Answers.from_mapping(content)
    assert message in str(refused.value)
    assert str(refused.value).startswith("policy: ")


shares = st.none() | st.floats(1e-12, 1 - 1e-12) | st.sampled_from([0.01, 0.5, 0.99, 0.999, 1e-3])


def refusal(given):
    try:
        Answers(**given)
    except DomainError as problem:
        return problem
    return None


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([None, *choices["aim"]]), shares, shares)
def test_what_is_assumed_follows_what_is_given(aim, chance, acceptable):
    """Whoever answers one question is never refused for another; what is refused was given."""
    given = {"aim": aim, "chance": chance, "acceptable": acceptable}
    problem = refusal(given)
    if problem is not None:
        assert problem.parameter == "acceptable"
        assert repr(acceptable) in str(problem)
        assert chance is not None or aim == "membership" or (aim is None and acceptable >= 0.5)
        return
    answers = Answers(**given)
    found = advise(answers)
    assert 0 < found.mu < math.inf
    assert found.before <= found.guess(found.mu)
    assert found.guess(found.mu) <= answers.filled["acceptable"] * (1 + 1e-9)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"chance": 0.01}, "the advice is about identification"),
        ({"chance": 0.01, "acceptable": 0.02}, "the advice is about identification"),
        ({"aim": "membership", "chance": 0.01}, "The usual limit is assumed: of 100 guesses at most 60 are right"),
        ({"aim": "attribute", "acceptable": 0.05}, "so 0.019 is assumed"),
        ({"published": (Published(kind="model", batch_size=20_000, epochs=1),)}, "at least as many people are assumed"),
    ],
)
def test_a_default_that_gives_way_is_told(given, words):
    found = advise(Answers(**given))
    assert any(words in sentence for sentence in found.assumptions)
    assert Answers(aim="attribute", chance=0.2).given_way == ()
