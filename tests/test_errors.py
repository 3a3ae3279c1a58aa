"""A refusal is made of parts, and whoever needs one reads it there."""

import math
import pickle
from copy import copy

import numpy as np
import pytest

from gaussdp import DPSGD, DomainError, PureDP, Requirement, Run, explain, fnr_from_mu, risks
from gaussdp.errors import BudgetExceeded
from gaussdp.figures.drawing import checked_format
from gaussdp.published import Deployment


def charged(**options):
    pytest.importorskip("sqlalchemy")
    from gaussdp.ledger.charges import charge_of

    return charge_of(RUN, unit="person", adjacency="add-remove", **options)


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


ARRAY = np.zeros((2, 2))
RUN = DPSGD(1.0, 0.01, 50)
DEPLOYED = {
    **dict.fromkeys(("name", "organisation", "unit", "covers", "source"), "words"),
    "year": 2020,
    "setting": "central",
    "epsilon": 1.0,
}
WRONG_KINDS = {
    "key": lambda: risks.by_value_key(ARRAY),
    "keys": lambda: risks.criteria_at(keys=ARRAY),
    "an unknown criterion": lambda: risks.criteria_at(keys=["profil"]),
    "contact": lambda: Run(mechanism=RUN, unit="person", adjacency="add-remove", contact=ARRAY),
    "source": lambda: Requirement(PureDP(1.0), source=math.nan),
    "follows": lambda: Deployment(**DEPLOYED, follows=ARRAY),
    "stated_for": lambda: charged(stated_for=ARRAY),
    "digits": lambda: explain(1.0).render(digits=[0.1, None]),
    "ending": lambda: checked_format(ARRAY),
    "releases": lambda: explain(1.0, releases=[[0.1], [0.1, 0.2]]),
    "group": lambda: explain(1.0, group="12"),
}


@pytest.mark.parametrize("call", WRONG_KINDS.values(), ids=WRONG_KINDS)
def test_a_wrong_kind_is_refused_in_one_line(call):
    with pytest.raises(DomainError) as refusal:
        call()
    assert "\n" not in str(refusal.value)


def test_what_is_said_to_be_left_is_left():
    """1.82208609 was told as 1.82209, which the budget refuses."""
    words = str(BudgetExceeded("a", (1.90000001, 0.0), (1.82208609, 1.23456e-8), ""))
    assert words == "budget 'a' is exceeded: mu = 1.90001 and slack 0 asked, mu = 1.82208 and slack 1.23e-08 left"
    assert "mu = 0.6 left" in str(BudgetExceeded("a", (math.inf, 0.0), (0.6, 0.0), ""))
