"""Counts per score, against the scores counted one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.auditing.counts import ScoreCounts
from gaussdp.errors import DomainError

SCORES = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_counts_and_errors(members, nonmembers):
    counts = ScoreCounts.from_scores(members, nonmembers)
    assert counts.scores.tolist() == sorted({*members, *nonmembers})
    assert counts.members.tolist() == [members.count(s) for s in counts.scores]
    assert counts.nonmembers.tolist() == [nonmembers.count(s) for s in counts.scores]
    assert (counts.member_total, counts.nonmember_total) == (len(members), len(nonmembers))
    errors = [(sum(y > s for y in nonmembers), sum(x <= s for x in members)) for s in counts.scores]
    assert list(zip(counts.false_positives, counts.false_negatives, strict=True)) == errors
    for threshold in (-5.5, 0.0, 0.5, 6.0):
        accused = sum(y > threshold for y in nonmembers), sum(x <= threshold for x in members)
        assert counts.errors_at(threshold) == accused


@given(SCORES, SCORES)
def test_area_is_the_share_of_pairs_in_order(members, nonmembers):
    wins = [(x > y) + 0.5 * (x == y) for x in members for y in nonmembers]
    assert ScoreCounts.from_scores(members, nonmembers).area() == pytest.approx(np.mean(wins), abs=1e-12)


@given(st.lists(st.integers(-5, 5), min_size=2), st.lists(st.integers(-5, 5), min_size=2), st.integers(0, 9))
def test_halves_add_up(members, nonmembers, seed):
    whole = ScoreCounts.from_scores(members, nonmembers)
    first, second = whole.halves(seed)
    assert (first.members + second.members).tolist() == whole.members.tolist()
    assert (first.nonmembers + second.nonmembers).tolist() == whole.nonmembers.tolist()
    assert (first.member_total, first.nonmember_total) == (len(members) // 2, len(nonmembers) // 2)
    assert whole.halves(seed)[0].members.tolist() == first.members.tolist()


def test_one_score_cannot_be_split():
    with pytest.raises(DomainError, match="at least two scores on each side"):
        ScoreCounts.from_scores([1.0], [0.0, 2.0]).halves(0)
