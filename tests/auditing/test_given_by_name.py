"""Scores are given by name: labels and scores in scikit-learn's order must never be read as two groups."""

import numpy as np
import pytest

import gaussdp
from audits_of_test import audited
from gaussdp import DomainError, SequentialAudit
from gaussdp.auditing.score_files import read_scores
from gaussdp.auditing.sequential import trials_of

RANDOM = np.random.default_rng(11)
LABELS = RANDOM.integers(0, 2, 2000)
NOISE = RANDOM.normal(0, 1, 2000) - 3  # pure noise, by which nobody can tell members from nonmembers
BOTH_WAYS = r"audit\(members=\.\.\., nonmembers=\.\.\.\) .* audit\(scores=\.\.\., member=\.\.\.\)"


def test_the_order_of_scikit_learn_is_refused_with_both_spellings():
    """As two groups, these labels and this noise would prove a mu of 2 and more."""
    assert audited((LABELS, NOISE)).mu_lower > 2
    with pytest.raises(DomainError, match=f"got 2 without a name; write {BOTH_WAYS}"):
        gaussdp.audit(LABELS, NOISE)
    assert gaussdp.audit(scores=NOISE, member=LABELS, design="trials").contradicts(0.3) is False


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"members": [1.0]},
        {"nonmembers": [1.0]},
        {"scores": [1.0]},
        {"member": [1]},
        {"members": [1.0], "member": [1]},
        {"members": [1.0], "nonmembers": [0.0], "scores": [1.0], "member": [1]},
        {"members": [1.0], "nonmembers": [0.0], "member": [1]},
    ],
    ids=str,
)
def test_one_way_of_two(given):
    with pytest.raises(DomainError, match=BOTH_WAYS):
        gaussdp.audit(**given)


def test_siblings_take_names_alone():
    with pytest.raises(TypeError):
        gaussdp.audit_errors(5, 1000, 400, 1000)
    with pytest.raises(TypeError):
        gaussdp.audit_counts([0, 1], [1, 2], [2, 1])
    with pytest.raises(TypeError):
        SequentialAudit(0.5).update(LABELS, NOISE)


@pytest.mark.parametrize("names", [(1, 0), (True, False), (1.0, 0.0), ("in", "out"), ("Member", "nonmember")])
def test_labels_of_each_kind(names):
    """Also mixed in a list, and as objects; the order of the people is kept, so that a split is the same."""
    members, nonmembers = NOISE[LABELS == 1] + 2, NOISE[LABELS == 0]
    scores = NOISE + 2 * LABELS
    expected = audited((members, nonmembers), method=gaussdp.Split(1))
    told = [names[0] if label else names[1] for label in LABELS]
    for member in (told, np.array(told), np.array(told, dtype=object)):
        assert gaussdp.audit(scores=scores, member=member, method=gaussdp.Split(1)) == expected


@pytest.mark.parametrize(
    ("scores", "member", "words"),
    [
        (LABELS, NOISE, "member labels must be two-valued, got .*; check that scores and labels are not exchanged"),
        (LABELS, LABELS, "scores holds the labels again"),
        (LABELS, 1 - LABELS, "scores holds the labels again"),
        (NOISE, LABELS[:-1], "member must be one label for each of 2000 scores"),
        (NOISE, LABELS.reshape(2, -1), "member must be one label for each"),
        (NOISE, np.ones(2000), "the scores hold no nonmember"),
        (NOISE, 2 * LABELS - 1, "which label means member is unclear among '-1', '1'"),
        (NOISE, np.where(LABELS, 1.0, np.nan), "unclear among '1.0', 'nan'"),
        ([1.0, 2.0, 3.0], [1, 0, None], "member must be an array of labels"),
        ([1.0, 2.0], [[1], [0, 1]], "member must be a one-dimensional array of labels"),
        ([1.0, 2.0], np.ma.masked_array([1, 0], [0, 1]), "member must be an array of labels"),
        ([], [], "scores must hold at least one score"),
        (["a", "b"], [1, 0], "scores must be an array of numbers"),
    ],
)
def test_labels_that_are_none(scores, member, words):
    with pytest.raises(DomainError, match=words):
        gaussdp.audit(scores=scores, member=member)


def written(folder, ending, scores, labels):
    path = folder / f"scores{ending}"
    if ending == ".npz":
        np.savez(path, score=scores, member=labels)
    elif ending == ".csv":
        rows = "\n".join(f"{score},{label}" for score, label in zip(scores, labels, strict=True))
        path.write_text(f"score,member\n{rows}\n")
    else:
        duckdb = pytest.importorskip("duckdb")
        values = ", ".join(f"({score}, {label})" for score, label in zip(scores, labels, strict=True))
        duckdb.execute(f"COPY (SELECT * FROM (VALUES {values}) t(score, member)) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_columns_of_a_file_that_are_exchanged_or_one(tmp_path, ending):
    """A column of labels, read as scores, tells members from nonmembers without fail."""
    path = written(tmp_path, ending, NOISE[:50].tolist(), LABELS[:50].tolist())
    assert read_scores(path).scores.size == 50
    with pytest.raises(DomainError, match=r"two-valued, got .* not exchanged"):
        read_scores(path, "member", "score")
    with pytest.raises(DomainError, match="column 'member' cannot hold both the scores and the labels"):
        read_scores(path, "member", "member")
    again = written(tmp_path, ending, LABELS[:50].tolist(), LABELS[:50].tolist())
    with pytest.raises(DomainError, match="holds the labels again"):
        read_scores(again)


def test_growing_trials_whose_columns_are_one():
    with pytest.raises(DomainError, match="column 'member' cannot hold both"):
        list(trials_of(["member\n", "1\n"], "trials.csv", ("member",), "member", None))


def test_decisions_that_are_sometimes_wrong_are_scores():
    decisions = np.where(RANDOM.random(2000) < 0.9, LABELS, 1 - LABELS)
    assert gaussdp.audit(scores=decisions, member=LABELS).mu_lower > 2
