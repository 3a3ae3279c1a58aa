"""The area under the ROC curve as evidence, against pairs counted one by one and Hoeffding's bound in mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.auditing import AUC
from gaussdp.auditing.counts import ScoreCounts

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=30)


def counted_area(members, nonmembers):
    wins = sum((x > y) + 0.5 * (x == y) for x in members for y in nonmembers)
    return wins / (len(members) * len(nonmembers))


def proved(area, smaller, confidence):
    """sqrt 2 times the normal quantile of the area less Hoeffding's deviation."""
    with mp.workdps(40):
        lower = mp.mpf(area) - mp.sqrt(-mp.log(1 - mp.mpf(confidence)) / (2 * smaller))
        return float(max(0, 2 * mp.erfinv(2 * lower - 1))) if 0.5 < lower < 1 else 0.0


@given(SCORES, SCORES, st.sampled_from([0.5, 0.9, 0.99]))
def test_by_pairs(members, nonmembers, confidence):
    found = AUC().run(ScoreCounts.from_scores(members, nonmembers), confidence)
    area = counted_area(members, nonmembers)
    assert found.auc == pytest.approx(area, abs=1e-14)
    expected = proved(area, min(len(members), len(nonmembers)), confidence)
    assert found.mu_lower == pytest.approx(expected, abs=1e-9)


def test_the_area_of_gdp_proves_its_mu_as_the_trials_grow():
    """AUC = Phi(mu / sqrt 2) at mu = 1; a coin with that bias tied elsewhere has the same area."""
    area = float(mp.ncdf(1 / mp.sqrt(2)))
    bounds = []
    for trials in (10**4, 10**6, 10**8):
        wins = round(trials * (2 * area - 1))
        counts = ScoreCounts(np.array([0.0, 1.0]), np.array([trials - wins, wins]), np.array([trials, 0]))
        bounds.append(AUC().run(counts, 0.95).mu_lower)
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(1.0, abs=1e-3)
    assert bounds[-1] < 1.0


@pytest.mark.parametrize("members", [[0, 0, 0], [1, 1, 1], [0, 1, 2]])
def test_nothing_is_proved_by_a_useless_or_reversed_attack(members):
    found = AUC().run(ScoreCounts.from_scores(members * 200, [1] * 500), 0.95)
    assert found.mu_lower == 0.0
    assert 0.0 <= found.auc_lower < 0.5


def test_it_names_no_threshold_and_bounds_no_rate():
    found = AUC().run(ScoreCounts.from_scores([3, 4, 5] * 50, [0, 1, 2] * 50), 0.95)
    assert found.threshold is found.fpr_upper is found.fnr_upper is found.false_positives is None
    assert found.auc == 1.0
    assert found.auc_lower == pytest.approx(1 - math.sqrt(math.log(20) / 300), rel=1e-14)
    np.testing.assert_array_equal(found.band.fpr_upper, 1.0)
