"""Several requirements in any currency: all hold, the smallest budget is chosen, and the reason is told."""

import copy
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gaussdp
from domains_of_test import log_uniform
from gaussdp import (
    GDP,
    ZCDP,
    Accuracy,
    ApproxDP,
    AtMost,
    Choice,
    DomainError,
    Identification,
    MultiplicativeAdvantage,
    Precision,
    ProfilePoints,
    PureDP,
    Requirement,
    TruePositiveRate,
    choose,
)
from gaussdp.choosing.requirements import parse_policy

TEXTS = {
    "epsilon=3": PureDP(3.0),
    "epsilon=3 delta=1e-5": ApproxDP(3.0, 1e-5),
    "(3, 1e-5)": ApproxDP(3.0, 1e-5),
    "ρ=0.5": ZCDP(0.5),
    "mu = 0.4": GDP(0.4),
    "accuracy=55%": AtMost(Accuracy(), 0.55),
    "identification@1/1000=1%": AtMost(Identification(1e-3), 0.01),
    "tpr@1e-3=0.01": AtMost(TruePositiveRate(1e-3), 0.01),
}


@pytest.mark.parametrize("text", list(TEXTS))
def test_texts(text):
    found = parse_policy(text)
    assert type(found) is type(TEXTS[text])
    assert repr(found) == repr(TEXTS[text])


def test_what_each_currency_allows():
    assert Requirement("mu=0.4").low == 0.4
    assert Requirement("rho=0.08").low == 0.4  # the Renyi divergence of order a is mu^2 a / 2
    assert Requirement("accuracy=0.55").low == pytest.approx(0.2513, abs=5e-5)
    assert Requirement("identification@1/1000=1%").low == pytest.approx(0.7638, abs=1e-4)
    assert Requirement("(3, 1e-5)").low == pytest.approx(gaussdp.mu_from_profile(3.0, 1e-5), rel=1e-12)
    assert all(Requirement(text).met for text in TEXTS if text != "epsilon=3")
    assert not Requirement("epsilon=3").met


@settings(max_examples=60)
@given(log_uniform(1e-3, 20), log_uniform(1e-12, 0.5), st.floats(0.501, 0.99), log_uniform(1e-6, 0.3))
def test_what_is_met_holds_on_the_whole_curve(epsilon, delta, accuracy, chance):
    """The chosen curve lies on or above that of every guarantee that was met, and no bound is exceeded."""
    allowed = chance + (1 - chance) / 7
    bounds = [AtMost(Accuracy(), accuracy), AtMost(Identification(chance), allowed)]
    pair, points = ApproxDP(epsilon, delta), ProfilePoints([epsilon, 2 * epsilon], [delta, delta / 10])
    for asked in ([pair], [points], [pair, points, *bounds]):
        chosen = choose(*asked)
        for fpr in (1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9):
            for guarantee in (one for one in asked if not isinstance(one, AtMost)):
                assert chosen.tpr(fpr) <= guarantee.tpr(fpr) * (1 + 1e-9)
        for bound in (one for one in asked if isinstance(one, AtMost)):
            assert bound.risk.of(chosen) <= bound.value


def test_the_largest_that_meets_a_pair():
    chosen = choose(ApproxDP(3.0, 1e-5))
    assert chosen.epsilon(1e-5) <= 3.0
    assert GDP(chosen.mu * (1 + 1e-9)).epsilon(1e-5) > 3.0


def test_all_must_hold():
    chosen = choose(PureDP(3.0), "identification@1/1000=1%", Requirement("accuracy=0.55", source="the board"))
    assert chosen.mu == min(one.low for one in chosen.requirements)
    assert chosen.binding.source == "the board"
    assert chosen.high == chosen.mu
    assert "allows least: of 100 guesses at most 55" in chosen.recommendation[0]


def test_a_choice_is_a_guarantee():
    chosen = choose(PureDP(1.0), MultiplicativeAdvantage(1e-3))
    assert isinstance(chosen, GDP)
    assert chosen == GDP(chosen.mu)
    assert GDP(chosen.mu) == chosen
    assert hash(chosen) == hash(GDP(chosen.mu))
    assert chosen != GDP(1.0)
    assert chosen != 1
    for again in (copy.deepcopy(chosen), pickle.loads(pickle.dumps(chosen))):
        assert again == chosen
        assert again.recommendation == chosen.recommendation
    assert chosen.compose(GDP(0.4)).mu == pytest.approx(math.hypot(chosen.mu, 0.4))
    assert gaussdp.calibration.noise_multiplier(chosen, sample_rate=0.01, steps=10).value > 0


def test_the_recommendation():
    chosen = choose(PureDP(3.0))
    assert chosen.mu == pytest.approx(0.54986, abs=1e-5)
    assert chosen.high == pytest.approx(1.4877, abs=1e-4)
    assert chosen.rule_of_thumb == pytest.approx(0.6)
    assert [found.risk for found in chosen.left_out] == [Identification(0.1)]
    assert chosen.as_object()["recommendation"] == list(chosen.recommendation)
    assert chosen.as_object()["binding_match"] == "privacy profile at δ = 1e-8"


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(0.1, "lies below all of these"), (1.0, "lies inside the range; 14 of 15"), (20.0, "lies above the range")],
)
def test_where_a_fifth_lies(epsilon, words):
    assert any(words in sentence for sentence in choose(PureDP(epsilon)).recommendation)


def test_what_is_saturated_alone_is_no_budget():
    chosen = choose(PureDP(8.0), MultiplicativeAdvantage(1e-3))
    assert chosen.saturated
    (words,) = chosen.recommendation
    assert words.startswith("No budget follows: the match gives μ = 6.491")
    assert not choose(PureDP(8.0), MultiplicativeAdvantage(1e-3), Precision(1e-3)).saturated


@pytest.mark.parametrize("asked", [(), (MultiplicativeAdvantage(1e-3),), (1.0,), ("luck=1",), (None,)])
def test_what_is_no_requirement(asked):
    with pytest.raises(DomainError, match="requirement must be"):
        choose(*asked)


def test_choices_are_shown():
    assert repr(choose("mu=0.5")) == "Choice(mu=0.5)"
    assert isinstance(choose("mu=0.5"), Choice)
