import sys

import duckdb
import numpy as np
import pytest

import gaussdp
from gaussdp.auditing.files import read_scores
from gaussdp.auditing.parquet import counts_from_parquet
from gaussdp.errors import DomainError, MissingExtraError

MEMBERS, NONMEMBERS = [0.5, 1.25, 1.25, 3.0], [-0.5, 0.5, 0.0]
ROWS = [(s, 1) for s in MEMBERS] + [(s, 0) for s in NONMEMBERS]


def same(counts):
    return gaussdp.audit_counts(counts.scores, counts.members, counts.nonmembers) == gaussdp.audit(MEMBERS, NONMEMBERS)


def write_parquet(path, query):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "score,member\n{rows}"),
        ("order.csv", "id,member,score\n{swapped}"),
        ("spaces.csv", "\ufeffscore , member\n{rows}\n\n"),
    ],
)
def test_csv(tmp_path, name, text):
    path = tmp_path / name
    rows = "\n".join(f"{s},{m}" for s, m in ROWS)
    swapped = "\n".join(f"x,{'TRUE' if m else 'False'},{s}" for s, m in ROWS)
    path.write_text(text.format(rows=rows, swapped=swapped), encoding="utf-8")
    assert same(read_scores(path))


def test_tsv_with_own_names(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("gap\trole\n" + "\n".join(f"{s}\t{'canary' if m else 'holdout'}" for s, m in ROWS))
    assert same(read_scores(path, "gap", "role", "canary"))
    with pytest.raises(DomainError, match="unclear among 'canary', 'holdout'"):
        read_scores(path, "gap", "role")
    with pytest.raises(DomainError, match="no row has the member label 'dog'"):
        read_scores(path, "gap", "role", "dog")


@pytest.mark.parametrize("labels", [[1, 0], [1.0, 0.0], [True, False], ["in", "out"], ["Member", "nonmember"]])
def test_npz(tmp_path, labels):
    path = tmp_path / "scores.npz"
    np.savez(path, score=[s for s, _ in ROWS], member=np.array([labels[1 - m] for _, m in ROWS]))
    assert same(read_scores(path))


def test_npz_by_side(tmp_path):
    np.savez(tmp_path / "sides.npz", members=MEMBERS, nonmembers=NONMEMBERS)
    assert same(read_scores(tmp_path / "sides.npz"))


@pytest.mark.parametrize("label", ["m", "m = 1", "CASE WHEN m = 1 THEN 'it''s in' ELSE 'out' END"])
def test_parquet(tmp_path, label):
    path = tmp_path / "it's.parquet"
    values = ", ".join(f"({s}, {m})" for s, m in ROWS)
    write_parquet(
        str(path).replace("'", "''"), f'SELECT s AS "the score", {label} AS member FROM (VALUES {values}) t(s, m)'
    )
    assert same(read_scores(path, "the score", member_value="it's in" if "it" in label else None))


def test_a_large_parquet_file_is_rounded_by_a_fixed_rule(tmp_path):
    path = tmp_path / "many.parquet"
    write_parquet(path, "SELECT sin(i) * 10 ** (i % 5) AS score, i % 2 AS member FROM range(20000) t(i)")
    exact = read_scores(path)
    rounded = counts_from_parquet(path, "score", "member", None, exact_rows=100)
    assert rounded.scores.size < exact.scores.size
    assert (rounded.member_total, rounded.nonmember_total) == (exact.member_total, exact.nonmember_total)
    scores = exact.scores[exact.scores != 0]
    below = rounded.scores[np.searchsorted(rounded.scores, scores, side="right") - 1]
    assert np.abs(below / scores - 1).max() < 2**-14
    found = [gaussdp.audit_counts(c.scores, c.members, c.nonmembers).auc for c in (exact, rounded)]
    assert found[0] == pytest.approx(found[1], abs=1e-3)


def test_rounding_keeps_simple_scores(tmp_path):
    path = tmp_path / "few.parquet"
    values = "'inf', '-inf', '0', '-0.0', '0.75', '-3', '40000', '1e-300', '1e300', '-0.1'"
    write_parquet(path, f"SELECT unnest([{values}])::DOUBLE AS score, unnest(range(10)) % 2 AS member")
    rounded = counts_from_parquet(path, "score", "member", None, exact_rows=0)
    assert {-np.inf, -3.0, 0.0, 0.75, 40000.0, 1e300, np.inf} <= set(rounded.scores.tolist())
    assert rounded.scores.size == 8
    assert rounded.scores[2] == pytest.approx(-0.1, rel=1e-4)


def test_without_duckdb(tmp_path, monkeypatch):
    (tmp_path / "scores.parquet").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r'pip install "gaussdp\[parquet\]"'):
        read_scores(tmp_path / "scores.parquet")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column 'score'; it has none"),
        ("score,member\n", "holds no scores"),
        ("value,member\n1,1", "no column 'score'; it has 'value', 'member'"),
        ("score,label\n1,1", "no column 'member'"),
        ("score,member\n1,1\n2,2\n0,0", "two-valued, got '0', '1', '2'|two-valued"),
        ("score,member\n1,1\nx,0", "line 3: a row needs a number"),
        ("score,member\n1,1\n2", "line 3: a row needs"),
        ("score,member\n1,1\nnan,0", "nonmembers must not hold NaN"),
        ("score,member\n1,1\n2,1", "no nonmember"),
        ("score,member\n1,0\n2,0", "no member"),
        ("score,member\n1,1\n2,yes", "unclear"),
        ("score,member\n1,a\n2,b", "unclear among 'a', 'b'"),
    ],
)
def test_bad_csv(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DomainError, match=words):
        read_scores(path)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"score": [1.0]}, "no column 'member'"),
        ({"score": [1.0, 2.0], "member": [1]}, "equal length"),
        ({"score": [1.0, 2.0, 3.0], "member": [1, 2, 3]}, "two-valued"),
        ({"score": [], "member": []}, "holds no scores"),
        ({"members": [1.0], "nonmembers": []}, "nonmembers must hold at least one"),
        ({"score": np.array([1, None]), "member": [0, 1]}, "cannot read"),
    ],
)
def test_bad_npz(tmp_path, arrays, words):
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(DomainError, match=words):
        read_scores(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT 1.0 AS score, 1 AS label", "no column 'member'; it has 'score', 'label'"),
        ("SELECT 1.0 AS score, 1 AS member", "no nonmember"),
        ("SELECT NULL::DOUBLE AS score, 1 AS member", "must not hold NaN or missing values, got 1 scores"),
        ("SELECT 'nan'::DOUBLE AS score, NULL AS member", "got 1 scores, 1 labels"),
        ("SELECT 1.0 AS score, unnest([1, 2, 3]) AS member", "two-valued"),
        ("SELECT 'x' AS score, 1 AS member", "cannot read"),
        ("SELECT 1.0 AS score, 1 AS member WHERE false", "holds no scores"),
    ],
)
def test_bad_parquet(tmp_path, query, words):
    write_parquet(tmp_path / "bad.parquet", query)
    with pytest.raises(DomainError, match=words):
        read_scores(tmp_path / "bad.parquet")


@pytest.mark.parametrize("name", ["bad.npz", "bad.parquet", "bad.csv"])
def test_files_that_are_something_else(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\xfe\x00 not what it says" * 9)
    with pytest.raises(DomainError, match=r"cannot read|no column"):
        read_scores(tmp_path / name)


def test_no_such_file_or_kind(tmp_path):
    with pytest.raises(DomainError, match="there is no file"):
        read_scores(tmp_path / "absent.csv")
    with pytest.raises(DomainError, match="must end in"):
        read_scores(tmp_path / "scores.xlsx")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DomainError, match="there is no file"):
        read_scores(tmp_path / "folder.csv")
