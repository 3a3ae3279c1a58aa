"""Several requirements in any currency: all hold, the smallest budget is chosen, and the reason is told."""

import copy
import math
import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import gaussdp
from domains_of_test import log_uniform
from gaussdp import (
    GDP,
    ZCDP,
    Accuracy,
    Advantage,
    ApproxDP,
    AtMost,
    BoundedRange,
    Choice,
    DomainError,
    Identification,
    LaplaceDP,
    MultiplicativeAdvantage,
    Precision,
    ProfilePoints,
    PureDP,
    Requirement,
    TruePositiveRate,
    choose,
)
from gaussdp.choosing.requirements import parse_policy
from gaussdp.documents.written import written

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


class TestBudgetsRoundDown:
    """What is asked for holds at the mu that is chosen, in 50 digits: no requirement is exceeded in its last digits."""

    @staticmethod
    def profile(mu, epsilon):
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)

    @staticmethod
    def quantile(rate):
        z = mpmath.mpf(float(special.ndtri(float(rate))))
        for _ in range(6):
            z -= (mpmath.ncdf(z) - rate) / mpmath.npdf(z)
        return z

    def asked(self, draw):
        """Requirements with what they bound, as a function of mu in many digits, and with the bound."""
        epsilon, delta = 10 ** draw.uniform(-6, 2.3), 10 ** draw.uniform(-200, -0.01)
        yield ApproxDP(epsilon, delta), lambda mu: self.profile(mu, mpmath.mpf(epsilon)), delta
        accuracy = 0.5 + 10 ** draw.uniform(-6, -0.4)
        yield AtMost(Accuracy(), accuracy), lambda mu: (1 + mpmath.erf(mu / mpmath.sqrt(8))) / 2, accuracy
        rate = 10 ** draw.uniform(-12, -0.01)
        tpr = rate + (1 - rate) * 10 ** draw.uniform(-6, -0.01)
        start = self.quantile(mpmath.mpf(rate))
        yield AtMost(TruePositiveRate(rate), tpr), lambda mu: mpmath.ncdf(start + mu), tpr
        ratio = min(1 + 10 ** draw.uniform(-5, 2), 0.9 / rate)
        if ratio > 1:
            held = lambda mu: mpmath.ncdf(start + mu) / mpmath.mpf(rate)  # noqa: E731
            yield AtMost(MultiplicativeAdvantage(rate), ratio), held, ratio
        share = 0.5 + 0.499 * draw.uniform()
        recall = mpmath.mpf(rate)
        yield AtMost(Precision(rate), share), lambda mu: recall / (recall + mpmath.ncdf(start - mu)), share
        advantage = 10 ** draw.uniform(-9, -0.01)
        yield AtMost(Advantage(), advantage), lambda mu: mpmath.erf(mu / mpmath.sqrt(8)), advantage

    @pytest.mark.parametrize("seed", range(20))
    def test_every_requirement_holds(self, seed):
        draw = np.random.default_rng(seed)
        with mpmath.workdps(50):
            for policy, bounded, bound in self.asked(draw):
                mu = Requirement(policy).low
                if 0 < mu < math.inf:
                    assert bounded(mpmath.mpf(mu)) <= mpmath.mpf(bound), policy
                    assert bounded(mpmath.mpf(mu)) >= mpmath.mpf(bound) * (1 - mpmath.mpf("1e-11")), policy

    def test_rho_is_exact(self):
        assert choose("rho=0.38072546192224677").mu ** 2 / 2 <= 0.38072546192224677
        assert choose("rho=0.5").mu == 1.0
        assert choose("rho=0.02").mu == 0.2
        draw = np.random.default_rng(1)
        for rho in 10 ** draw.uniform(-6, 3, 200):
            mu = choose(ZCDP(rho)).mu
            assert written(mu) ** 2 <= 2 * written(rho) < written(math.nextafter(mu, math.inf)) ** 2


@pytest.mark.parametrize("guarantee", [PureDP, LaplaceDP, BoundedRange])
def test_what_is_implied_rounds_up(guarantee):
    """By the overlap of both hypotheses, which is that of GDP where the curves touch."""
    overlaps = {
        PureDP: lambda e: 2 / (1 + mpmath.exp(e)),
        LaplaceDP: lambda e: mpmath.exp(-e / 2),
        BoundedRange: lambda e: 2 / (1 + mpmath.exp(e / 2)),
    }
    with mpmath.workdps(50):
        for parameter in (*10 ** np.random.default_rng(2).uniform(-10, 2.8, 100), 1.1537853203869666):
            mu = mpmath.mpf(guarantee(float(parameter)).implied().mu)
            overlap = overlaps[guarantee](mpmath.mpf(float(parameter)))
            assert mpmath.erfc(mu / mpmath.sqrt(8)) <= overlap
            assert mpmath.erfc(mu * (1 - mpmath.mpf("2e-15")) / mpmath.sqrt(8)) >= overlap
