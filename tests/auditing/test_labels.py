"""Which label means member: recognised where it is plain, asked for where it is not, never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import DomainError
from gaussdp.auditing.counts import member_label, plain


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
    with pytest.raises(DomainError, match=r"must be two-valued, got '0', '1', '2'$"):
        member_label(["2", "0", "1"], None)
    with pytest.raises(DomainError, match=r"must be two-valued, got '0', '1', '2', '3', \.\.\.$"):
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
