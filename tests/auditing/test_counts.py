"""Counts per score, against the scores counted one by one; which label means member, never guessed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import DomainError
from gaussdp.auditing.counts import COINS, ScoreCounts, coins, in_first_half, member_label, plain

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
    for threshold in whole.scores:
        parts = first.errors_at(threshold), second.errors_at(threshold)
        assert tuple(map(sum, zip(*parts, strict=True))) == whole.errors_at(threshold)
    assert (first.member_total, first.nonmember_total) == (len(members) // 2, len(nonmembers) // 2)
    assert whole.halves(seed)[0].members.tolist() == first.members.tolist()


@given(st.integers(0, 2**70), st.integers(2, 40), st.integers(2, 40), st.data())
def test_who_is_in_which_half_does_not_depend_on_the_scores(seed, members, nonmembers, data):
    """Every score is unique, so a half says whose it holds; the same places are in it whatever the scores."""
    orders = [data.draw(st.permutations(range(members + nonmembers))) for _ in range(2)]

    def places(order):
        scores = np.array(order, dtype=float)
        try:
            half, _ = ScoreCounts.from_scores(scores[:members], scores[members:]).halves(seed)
        except DomainError as refusal:
            assert "sorted by score" in str(refusal)  # noqa: PT017
            return None
        return sorted(order.index(int(score)) for score in half.scores)

    found = [places(order) for order in orders]
    assert None in found or found[0] == found[1]


def test_a_half_knows_no_score_of_the_other():
    first, second = ScoreCounts.from_scores([5.0, 1.0, 2.0, 8.0], [0.0, 3.0, 6.0, 4.0]).halves(1)
    assert not set(first.scores.tolist()) & set(second.scores.tolist())


def test_the_tosses_are_fair_and_used_again_far_on():
    tosses = coins(3)[0]
    assert abs(tosses.mean() - 0.5) < 0.01
    first = in_first_half(2 * COINS + 9, tosses)
    assert first.sum() == COINS + 4
    np.testing.assert_array_equal(first[:8], first[2 * COINS : 2 * COINS + 8])
    assert not first[-1]


@pytest.mark.parametrize("flip", [1, -1])
@pytest.mark.parametrize(("people", "refused"), [(60, True), (4, False)])
def test_sorted_scores_are_not_split(flip, people, refused):
    """A place among sorted scores is a rank; among very few the order may be chance."""
    scores = np.arange(people)[::flip] / people
    counts = ScoreCounts.from_scores(np.random.default_rng(0).random(people), scores)
    if refused:
        with pytest.raises(DomainError, match="nonmembers must be in the order of the trials"):
            counts.halves(0)
    else:
        assert counts.halves(0)[0].nonmember_total == people // 2


def test_equal_scores_are_no_order():
    assert ScoreCounts.from_scores(np.zeros(100), np.zeros(100)).halves(0)[0].member_total == 50
    with pytest.raises(DomainError, match="sorted"):
        ScoreCounts.from_scores(np.repeat([0.0, 1.0], 50), np.zeros(100)).halves(0)


def test_counts_alone_are_not_split():
    with pytest.raises(DomainError, match="who has which score"):
        ScoreCounts(np.array([0.0, 1.0]), np.array([3, 4]), np.array([5, 6])).halves(0)


def test_one_score_cannot_be_split():
    with pytest.raises(DomainError, match="at least two scores on each side"):
        ScoreCounts.from_scores([1.0], [0.0, 2.0]).halves(0)


@pytest.mark.parametrize(
    "scores", [[[1.0, 2.0], [3.0]], [1.0, None], ["1"], [1 + 2j], np.ma.array([1.0, 2.0], mask=[0, 1])]
)
def test_what_is_no_score(scores):
    with pytest.raises(DomainError, match="members must"):
        ScoreCounts.from_scores(scores, [0.0])


@pytest.mark.parametrize("counts", [[10**15, 1], [2**62, 2**62], [[1], [1, 2]], np.ma.array([1, 2], mask=[0, 1])])
def test_what_is_no_count(counts):
    with pytest.raises(DomainError, match="the counts of members must"):
        ScoreCounts([0.0, 1.0], counts, [1, 1])


@pytest.mark.parametrize(
    ("member", "other"),
    [
        ("1", "0"),
        ("1.0", "0.0"),
        ("True", "False"),
        ("T", "f"),
        (" yes", "no "),
        ("Y", "N"),
        ("IN", "out"),
        ("Member", "non-member"),
        ("member", "nonmember"),
    ],
)
def test_pairs_that_speak_for_themselves(member, other):
    for labels in ([member, other], [other, member]):
        assert member_label(labels, None) == member


@pytest.mark.parametrize(
    "labels", [["a", "b"], ["2", "1"], ["0", "-1"], ["in", "1"], ["out", "0"], ["yes", "maybe"], ["x"]]
)
def test_unclear_ones_are_not_guessed(labels):
    with pytest.raises(DomainError, match=r"which label means member is unclear among .*say so with a member value"):
        member_label(labels, None)


@pytest.mark.parametrize(("labels", "missing"), [(["1"], "nonmember"), (["out"], "member")])
def test_one_side_alone(labels, missing):
    with pytest.raises(DomainError, match=f"the scores hold no {missing}: every label is '{labels[0]}'"):
        member_label(labels, None)


def test_more_than_two():
    with pytest.raises(DomainError, match=r"must be two-valued, got '0', '1', '2'; check"):
        member_label(["2", "0", "1"], None)
    with pytest.raises(DomainError, match=r"must be two-valued, got '0', '1', '2', '3', \.\.\.; check"):
        member_label(list("43210"), "1")


@pytest.mark.parametrize(("given", "chosen"), [("b", "b"), ("B", "b"), (" b ", "b"), ("2", "2.0"), ("2.0", "2.0")])
def test_a_member_value_decides(given, chosen):
    assert member_label(["a", chosen], given) == chosen


def test_a_member_value_may_overrule_the_usual_reading():
    assert member_label(["1", "0"], "0") == "0"


def test_a_member_value_that_no_row_has():
    with pytest.raises(DomainError, match="no row has the member label 'c'; the labels are 'a', 'b'"):
        member_label(["b", "a"], "c")


@given(st.lists(st.text(max_size=6), min_size=1, max_size=4, unique=True), st.none() | st.text(max_size=6))
def test_the_answer_is_one_of_the_labels(labels, member_value):
    try:
        found = member_label(labels, member_value)
    except DomainError:
        return
    assert found in labels
    assert member_value is None or plain(found) == plain(member_value)
