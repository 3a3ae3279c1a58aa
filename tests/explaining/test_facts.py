"""The facts against formulas of their own: many digits, and the best threshold found by trying them all."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import gaussdp
from gaussdp.explaining import facts

MUS = st.floats(0.0, 12.0) | st.sampled_from([0.0, 1e-10, 40.0, math.inf])
PRIORS = st.floats(1e-6, 1 - 1e-6) | st.sampled_from([0.5, 0.01, 0.99])


@pytest.mark.parametrize("prior", [0.5, 0.01, 0.3, 0.9])
@pytest.mark.parametrize("mu", [0.1, 0.8, 2.5])
def test_right_guesses_are_those_of_the_best_threshold(mu, prior):
    """Say "member" above a threshold on N(0, 1) against N(mu, 1); the best one is looked for, not derived."""
    thresholds = np.linspace(-60.0, 60.0, 1_200_001)
    right = prior * special.ndtr(mu - thresholds) + (1 - prior) * special.ndtr(thresholds)
    found = facts.guesses(gaussdp.GDP(mu), prior)
    assert found.after == pytest.approx(right.max(), abs=1e-8)
    assert found.before == max(prior, 1 - prior)


@given(MUS, PRIORS)
def test_counts_round_up_and_no_further(mu, prior):
    found = facts.guesses(gaussdp.GDP(mu), prior)
    assert found.of in (100, 1_000, 10_000, 100_000, 1_000_000)
    assert found.before_count <= found.after_count <= found.of
    assert found.of * found.after - 1e-6 <= found.after_count < found.of * found.after + 1.01
    assert abs(found.before_count - found.of * found.before) <= 0.5 + 1e-6
    assert found.of == 100 or found.of * found.gain < 10.01


@pytest.mark.parametrize("mu", [1e-8, 0.31, 0.8, 3.0])
@pytest.mark.parametrize("fpr", [1e-2, 1e-3, 1e-5])
def test_alarms(mu, fpr):
    prior = 0.02
    found = facts.alarm(gaussdp.GDP(mu), fpr, prior)
    with mp.workdps(40):
        start = mp.sqrt(2) * mp.erfinv(2 * mp.mpf(fpr) - 1)
        tpr = mp.ncdf(start + mp.mpf(mu))
        posterior = prior * tpr / (prior * tpr + (1 - mp.mpf(prior)) * fpr)
        assert found.tpr == pytest.approx(float(tpr), rel=1e-12)
        assert found.ratio == pytest.approx(float(tpr / fpr), rel=1e-12)
        assert found.precision == pytest.approx(float(posterior), rel=1e-12)
        assert found.odds_after == pytest.approx(float(posterior / (1 - posterior)), rel=1e-12)


def test_searches_and_alarms_tell_of_the_same_attack():
    guarantee = gaussdp.GDP(0.8)
    alarm = facts.alarm(guarantee, 1e-3, 0.01)
    search = facts.search(guarantee, alarm.tpr, 0.01)
    assert search.fpr == pytest.approx(1e-3, rel=1e-12)
    assert search.precision == pytest.approx(alarm.precision, rel=1e-12)


def test_together():
    guarantee = gaussdp.GDP(0.6)
    assert facts.group(guarantee, 3).mu == pytest.approx(1.8)
    assert facts.repeated(guarantee, 4).mu == guarantee.compose(guarantee, guarantee, guarantee).mu
    assert facts.repeated(guarantee, 4).accuracy == pytest.approx(float(mp.ncdf(0.6)), rel=1e-14)


def test_equivalents_have_the_same_risk():
    guarantee = gaussdp.GDP(0.8)
    found = facts.equivalents(guarantee, {"fpr": [1e-3], "recall": [0.1], "delta": [1e-5]})
    same = {fact.criterion: gaussdp.PureDP(fact.epsilon) for fact in found}
    assert same["advantage"].accuracy() == pytest.approx(guarantee.accuracy(), rel=1e-13)
    assert same["multiplicative_advantage"].tpr(1e-3) == pytest.approx(guarantee.tpr(1e-3), rel=1e-13)
    assert same["precision"].precision(0.1) == pytest.approx(guarantee.precision(0.1), rel=1e-13)
    assert same["profile"].epsilon_bound == guarantee.epsilon(1e-5)
