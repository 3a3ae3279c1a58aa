"""Parquet files, counted by DuckDB: the same as the scores themselves, rounded or refused by fixed rules."""

import math
import sys

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.auditing.score_files import KEPT_BITS, counts_from_parquet, read_scores, rounded_sql
from gaussdp.auditing.trials import audit_score_counts
from gaussdp.errors import DomainError, MissingExtraError

MEMBERS, NONMEMBERS = [0.5, 1.25, 1.25, 3.0], [-0.5, 0.5, 0.0]
ROWS = [(s, 1) for s in MEMBERS] + [(s, 0) for s in NONMEMBERS]


def same(counts):
    return gaussdp.audit_counts(counts.scores, members=counts.members, nonmembers=counts.nonmembers) == gaussdp.audit(
        members=MEMBERS, nonmembers=NONMEMBERS
    )


def write_parquet(path, query):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")


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
    found = [gaussdp.audit_counts(c.scores, members=c.members, nonmembers=c.nonmembers).auc for c in (exact, rounded)]
    assert found[0] == pytest.approx(found[1], abs=1e-3)


def test_a_split_of_a_file_is_the_split_of_its_rows(tmp_path):
    path = tmp_path / "rows[1].parquet"
    write_parquet(path, "SELECT sin(i * i) + i % 3 AS score, i % 3 > 0 AS member FROM range(4001) t(i)")
    write_parquet(tmp_path / "rows1.parquet", "SELECT 1.0 AS score, true AS member FROM range(9)")  # no part of it
    i = np.arange(4001)
    scores = np.sin(i * i) + i % 3
    expected = gaussdp.audit(members=scores[i % 3 > 0], nonmembers=scores[i % 3 == 0], method=gaussdp.Split(4))
    assert audit_score_counts(read_scores(path), method=gaussdp.Split(4)) == expected
    assert expected.mu_lower > 0


def test_a_sorted_file_is_not_split(tmp_path):
    write_parquet(tmp_path / "sorted.parquet", "SELECT -i AS score, i % 2 AS member FROM range(100) t(i)")
    with pytest.raises(DomainError, match="members must be in the order of the trials"):
        read_scores(tmp_path / "sorted.parquet").halves(0)
    write_parquet(tmp_path / "ties.parquet", "SELECT 'inf'::DOUBLE AS score, i % 2 AS member FROM range(100) t(i)")
    assert read_scores(tmp_path / "ties.parquet").halves(0)[0].member_total == 25


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


@given(st.floats(1e-280, 1e280) | st.floats(-1e280, -1e-280))
def test_rounding_down_by_the_book(score):
    """Down to a multiple of 2^-15 of the largest power of two in it."""
    [(found,)] = duckdb.execute(f"SELECT {rounded_sql('s')} FROM (SELECT ?::DOUBLE AS s)", [score]).fetchall()
    fraction, exponent = math.frexp(score)
    unit = math.ldexp(1.0, exponent - KEPT_BITS)
    assert found <= score < found + unit * (1 + 1e-9)
    assert found == math.floor(fraction * 2**KEPT_BITS) * unit or abs(fraction) < 0.5 * (1 + 1e-12)


def test_the_order_of_scores_survives_rounding():
    random = np.random.default_rng(0)
    scores = np.sort(random.normal(size=500) * 10.0 ** random.integers(-200, 200, 500))
    query = f"SELECT {rounded_sql('s')} AS s FROM (SELECT unnest(?::DOUBLE[]) AS s)"
    rounded = duckdb.execute(query, [scores.tolist()]).fetchnumpy()["s"]
    assert (np.diff(rounded) >= 0).all()
