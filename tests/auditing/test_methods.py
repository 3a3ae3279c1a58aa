"""Methods with one threshold, and the thresholds worth a look, against brute force over all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import gaussdp
from gaussdp import DomainError
from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.methods import (
    FixedThreshold,
    Method,
    Split,
    corner_places,
    posterior_quantile,
    promising_threshold,
    quantile_sum,
    rate_upper,
)

SCORES = st.lists(st.integers(0, 12), min_size=2, max_size=40)


def counts_of(seed, mu=1.5, members=60, nonmembers=80):
    random = np.random.default_rng(seed)
    return ScoreCounts.from_scores(random.normal(mu, 1, members), random.normal(0, 1, nonmembers))


@pytest.mark.parametrize("threshold", [-9.0, 0.2, 0.9, 9.0])
def test_fixed_threshold_by_the_beta_distribution(threshold):
    counts = counts_of(0)
    found = FixedThreshold(threshold).run(counts, 0.9)
    false_positives, false_negatives = counts.errors_at(threshold)
    rates = [
        stats.beta.ppf(0.95, k + 1, n - k) if k < n else 1.0 for k, n in ((false_positives, 80), (false_negatives, 60))
    ]
    assert [found.fpr_upper, found.fnr_upper] == pytest.approx(rates, rel=1e-12)
    expected = max(0.0, -stats.norm.ppf(rates[0]) - stats.norm.ppf(rates[1])) if sum(rates) < 1 else 0.0
    assert found.mu_lower == pytest.approx(expected, rel=1e-10)


def test_the_shown_band_is_bounded_at_the_threshold_alone():
    counts = counts_of(1)
    found = FixedThreshold(0.75).run(counts, 0.95)
    band = found.band
    assert np.all(np.diff(band.thresholds) >= 0)
    (here,) = np.flatnonzero(band.thresholds == 0.75)
    assert (band.fpr_upper[here], band.fnr_upper[here]) == (found.fpr_upper, found.fnr_upper)
    assert band.fpr[here] == found.false_positives / 80
    assert np.all(np.delete(band.fpr_upper, here) == 1.0)
    assert np.all(np.diff(band.fpr) <= 0)
    assert np.all(np.diff(band.fnr) >= 0)


def test_split_bounds_on_people_it_did_not_choose_on():
    counts = counts_of(2, members=101, nonmembers=50)
    choosing, bounding = counts.halves(7)
    assert (choosing.member_total, choosing.nonmember_total) == (50, 25)
    found = Split(7).run(counts, 0.95)
    assert found.threshold == promising_threshold(choosing, 0.025)
    assert (found.members, found.nonmembers) == (51, 25)
    assert (found.false_positives, found.false_negatives) == bounding.errors_at(found.threshold)
    assert found == Split(7).run(counts, 0.95)
    assert len({Split(seed).run(counts, 0.95).mu_lower for seed in range(8)}) > 1


@given(SCORES, SCORES, st.floats(0.001, 0.4))
def test_no_other_threshold_proves_more(members, nonmembers, tail):
    """Bounds that grow with the errors have their best threshold among the corners."""
    counts = ScoreCounts.from_scores(members, nonmembers)
    mu = quantile_sum(
        rate_upper(counts.false_positives, counts.nonmember_total, tail),
        rate_upper(counts.false_negatives, counts.member_total, tail),
    )
    places = corner_places(counts)
    assert np.all(np.diff(places) > 0)
    assert mu[places].max() == mu.max()


@given(SCORES, SCORES)
def test_the_promising_threshold_has_the_best_cautious_bound(members, nonmembers):
    counts = ScoreCounts.from_scores(members, nonmembers)
    tail = 0.1 * 0.025
    sums = []
    for threshold in counts.scores:
        false_positives, false_negatives = counts.errors_at(threshold)
        rates = [
            min(stats.beta.ppf(1 - tail, k + 1, n - k) if k < n else 1.0, 1 - 1e-15)
            for k, n in ((false_positives, len(nonmembers)), (false_negatives, len(members)))
        ]
        sums.append(sum(stats.norm.ppf(rates)))
    chosen = promising_threshold(counts, 0.025)
    assert sums[list(counts.scores).index(chosen)] == pytest.approx(min(sums), abs=1e-6)


def test_large_samples_look_at_some_thousands():
    places = corner_places(counts_of(4, members=40_000, nonmembers=40_000))
    assert 500 < places.size < 20_000


@pytest.mark.parametrize("threshold", [float("nan"), "0.5", None, [1.0]])
def test_bad_thresholds(threshold):
    with pytest.raises(DomainError, match="threshold must be"):
        FixedThreshold(threshold)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_bad_seeds(seed):
    with pytest.raises(DomainError, match="seed must be a whole number from 0 to"):
        Split(seed)


def test_a_method_must_run():
    with pytest.raises(TypeError, match="abstract"):
        Method()


@pytest.mark.parametrize(
    "posteriors", [((5.5, 995.5), (400.5, 600.5)), ((0.5, 50.5), (0.5, 20.5)), ((50, 50), (60, 40))]
)
def test_against_draws_from_the_posterior(posteriors):
    random = np.random.default_rng(0)
    fpr, fnr = (random.beta(*posterior, 400_000) for posterior in posteriors)
    mu = -special.ndtri(fpr) - special.ndtri(fnr)
    for tail in (0.05, 0.3):
        found = posterior_quantile(*posteriors, tail)
        share = np.mean(np.maximum(mu, 0) < found)
        if found > 0:
            assert share == pytest.approx(tail, abs=4 * np.sqrt(tail / mu.size) + 1e-6)
        else:
            assert np.mean(mu < 0) >= tail - 0.002


def test_labelled_and_larger_than_the_confidence_bound():
    random = np.random.default_rng(1)
    members, nonmembers = random.normal(1, 1, 500), random.normal(0, 1, 500)
    credible = gaussdp.audit(members=members, nonmembers=nonmembers, method=gaussdp.Credible(0.5), design="trials")
    fixed = gaussdp.audit(members=members, nonmembers=nonmembers, method=gaussdp.FixedThreshold(0.5))
    assert (credible.kind, fixed.kind) == ("credible", "confidence")
    assert credible.mu_lower > fixed.mu_lower
    assert "posterior probability" in credible.verdict(1.0).sentence


def test_the_prior_matters_when_there_is_little_data():
    weak, strong = (
        gaussdp.audit(members=[1] * 5, nonmembers=[0] * 5, method=gaussdp.Credible(0.5, p)).mu_lower
        for p in (0.5, 20.0)
    )
    assert weak > strong == 0


def test_large_counts():
    counts = {"members": [3_000_000, 7_000_000], "nonmembers": [9_000_000, 1_000_000]}
    found = gaussdp.audit_counts([0, 1], **counts, method=gaussdp.Credible(0))
    assert found.mu_lower == pytest.approx(-special.ndtri(0.1) - special.ndtri(0.3), abs=2e-3)
