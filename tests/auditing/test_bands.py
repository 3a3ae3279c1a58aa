"""Bands against every threshold tried one by one, with bounds from binomial sums in mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussdp.auditing import bands
from gaussdp.auditing.bands import DKW, EqualLocalLevel, equal_level_upper, local_level
from gaussdp.auditing.counts import ScoreCounts

MEMBERS = st.lists(st.integers(4, 9), min_size=2, max_size=25)
NONMEMBERS = st.lists(st.integers(0, 5), min_size=2, max_size=25)


def clopper_pearson(errors, trials, tail):
    """The rate at which so few errors have just this chance, by bisection on the binomial sum."""
    if errors == trials:
        return 1.0
    low, high = mp.mpf(0), mp.mpf(1)
    with mp.workdps(30):
        for _ in range(70):
            rate = (low + high) / 2
            chance = mp.fsum(mp.binomial(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(errors + 1))
            low, high = (rate, high) if chance > tail else (low, rate)
    return float(low)


def quantile(p):
    return math.sqrt(2) * float(mp.erfinv(2 * mp.mpf(p) - 1))


def best_by_hand(members, nonmembers, upper):
    """The largest mu over all thresholds at which the attack does better than guessing."""
    best = 0.0
    for threshold in {*members, *nonmembers}:
        fpr = upper(sum(y > threshold for y in nonmembers), len(nonmembers))
        fnr = upper(sum(x <= threshold for x in members), len(members))
        if fpr + fnr < 1:
            best = max(best, -quantile(fpr) - quantile(fnr))
    return best


@given(MEMBERS, NONMEMBERS)
def test_constant_width(members, nonmembers):
    def upper(errors, trials):
        return min(errors / trials + math.sqrt(math.log(2 / 0.3) / (2 * trials)), 1.0)

    found = DKW().run(ScoreCounts.from_scores(members, nonmembers), 0.7)
    assert found.mu_lower == pytest.approx(best_by_hand(members, nonmembers, upper), abs=1e-10)


@settings(max_examples=8)
@given(MEMBERS, NONMEMBERS)
def test_equal_local_level(members, nonmembers):
    def upper(errors, trials):
        return clopper_pearson(errors, trials, local_level(trials, 0.15))

    found = EqualLocalLevel().run(ScoreCounts.from_scores(members, nonmembers), 0.7)
    assert found.mu_lower == pytest.approx(best_by_hand(members, nonmembers, upper), abs=1e-9)


@pytest.mark.parametrize("trials", [1, 7, 20, 300, 5000])
def test_a_bound_for_all_counts_is_wider_than_one_for_one(trials):
    errors = np.unique(np.linspace(0, trials, 21).astype(np.int64))
    together = equal_level_upper(errors, trials, 0.025)
    assert np.all(np.diff(together) >= 0)
    assert together[-1] == 1.0
    assert np.all(together >= errors / trials)
    if trials <= 20:
        alone = [clopper_pearson(int(k), trials, 0.025) for k in errors]
        assert np.all(together >= np.array(alone) * (1 - 1e-12))


@pytest.mark.parametrize("method", [DKW(), EqualLocalLevel()])
def test_thresholds_may_be_looked_at_in_blocks(method, monkeypatch):
    random = np.random.default_rng(1)
    counts = ScoreCounts.from_scores(random.normal(1.5, 1, 90), random.normal(0, 1, 80))
    whole = method.run(counts, 0.9)
    monkeypatch.setattr(bands, "BLOCK", 7)
    assert method.run(counts, 0.9) == whole
    assert whole.mu_lower > 0


@pytest.mark.parametrize("method", [DKW(), EqualLocalLevel()])
def test_where_nothing_is_proved_no_threshold_is_named(method):
    found = method.run(ScoreCounts.from_scores([0, 1, 2, 3], [0, 1, 2, 3]), 0.95)
    assert (found.mu_lower, found.threshold) == (0.0, None)


@pytest.mark.parametrize("method", [DKW(), EqualLocalLevel()])
def test_the_band_holds_at_every_corner_it_shows(method):
    random = np.random.default_rng(2)
    members, nonmembers = random.normal(1, 1, 200), random.normal(0, 1, 150)
    band = method.run(ScoreCounts.from_scores(members, nonmembers), 0.95).band
    np.testing.assert_allclose(band.fpr, [(nonmembers > t).mean() for t in band.thresholds])
    np.testing.assert_allclose(band.fnr, [(members <= t).mean() for t in band.thresholds])
    assert np.all(band.fpr_upper >= band.fpr)
    assert np.all(band.fnr_upper >= band.fnr)
