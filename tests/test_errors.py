"""A refusal is made of parts, and whoever needs one reads it there."""

import pickle
from copy import copy

import pytest

from gaussdp import DomainError, fnr_from_mu


def test_the_parts_of_a_number_outside_its_domain():
    with pytest.raises(DomainError) as caught:
        fnr_from_mu(1.0, 1.2)
    error = caught.value
    assert (error.parameter, error.domain, error.value) == ("fpr", "in [0, 1]", 1.2)
    assert str(error) == "fpr must be in [0, 1], got 1.2"


def test_advice_and_place_stand_around_the_sentence():
    error = DomainError("steps", "a whole number", 1.5, "round it up").at("release 2").at("plan.toml")
    assert str(error) == "plan.toml: release 2: steps must be a whole number, got 1.5; round it up"
    assert error.parameter == "steps"


def test_a_problem_replaces_must_be():
    assert str(DomainError("unit", problem="is missing", advice="write one")) == "unit is missing; write one"
    assert str(DomainError(None, problem="the shapes do not match")) == "the shapes do not match"


def test_another_name():
    error = DomainError("sigma", "above 0", -1.0).changed(parameter="noise_multiplier")
    assert str(error) == "noise_multiplier must be above 0, got -1.0"


@pytest.mark.parametrize("again", [copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_refusals_pickle_and_copy(again):
    error = DomainError("kind", "one of a, b", "c", "see the list", got="str 'c'").at("here")
    assert vars(again(error)) == vars(error)
    assert str(again(error)) == str(error)
