"""Parquet files of any size, counted by DuckDB (the extra `parquet`); no row reaches Python."""

import glob
import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gaussdp.auditing.counts import COINS, Counts, ScoreCounts, coins, member_label, must_not_be_sorted
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.numerics import Floats

Answer = TypeVar("Answer")

EXACT_ROWS = 1 << 25
KEPT_BITS = 16


def counts_from_parquet(
    path: Path,
    score: str,
    member: str,
    member_value: str | None = None,
    exact_rows: int = EXACT_ROWS,
) -> ScoreCounts:
    """The counts per score of a Parquet file, in memory that grows with the distinct scores alone.

    A file of more than `exact_rows` rows has its scores rounded down to 16 binary digits first, so that there are few
    distinct ones. The rule looks at the number of rows, never at scores or labels, so the rounded scores are an attack
    fixed in advance like any other and every method stays sound; scores with at most 16 digits do not change.

    Args:
        path: the file.
        score: name of the column with the scores.
        member: name of the column with the labels.
        member_value: the label that means member.
        exact_rows: the largest number of rows whose scores are taken as they are.
    """
    return _answered(path, lambda database: _counted(database, path, score, member, member_value, exact_rows))


def _answered(path: Path, ask: Callable[[Any], Answer]) -> Answer:
    """What is asked of a database of its own; what it cannot read is refused."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise MissingExtraError('Parquet files need DuckDB: pip install "gaussdp[parquet]"') from None
    with duckdb.connect() as database:
        try:
            return ask(database)
        except duckdb.Error as error:
            raise DomainError(None, problem=f"cannot read {path.name}: {str(error).splitlines()[0]}") from None


def _counted(
    database: Any, path: Path, score: str, member: str, member_value: str | None, exact_rows: int
) -> ScoreCounts:
    # The name of a file may hold what DuckDB takes for a pattern of several.
    file = f"read_parquet({_literal(glob.escape(str(path)))}, file_row_number = true)"
    names = [row[0] for row in database.execute(f"DESCRIBE SELECT * FROM {file}").fetchall()][:-1]
    for name in (score, member):
        if name not in names:
            raise DomainError(
                path.name, problem=f"has no column {name!r}", advice=f"it has {', '.join(map(repr, names))}"
            )
    rows = (
        f"(SELECT CAST({_quoted(score)} AS DOUBLE) AS s, CAST({_quoted(member)} AS VARCHAR) AS label, "
        f"file_row_number AS place FROM {file})"
    )
    [(total, no_score, no_label)] = database.execute(
        "SELECT count(*), count(*) FILTER (WHERE s IS NULL OR isnan(s)), count(*) FILTER (WHERE label IS NULL) "
        f"FROM {rows}"
    ).fetchall()
    if not total:
        raise DomainError(path.name, problem="holds no scores")
    if no_score or no_label:
        raise DomainError(
            path.name, problem="must not hold NaN or missing values", got=f"{no_score} scores, {no_label} labels"
        )
    labels = [label for (label,) in database.execute(f"SELECT DISTINCT label FROM {rows} LIMIT 5").fetchall()]
    is_member = f"label = {_literal(member_label(labels, member_value))}"
    score = rounded_sql("s") if total > exact_rows else "s"
    people = f"(SELECT {score} AS score, {is_member} AS is_member, place FROM {rows})"
    counted = database.execute(
        "SELECT score, count(*) FILTER (WHERE is_member) AS members, "
        f"count(*) FILTER (WHERE NOT is_member) AS nonmembers FROM {people} GROUP BY 1"
    ).fetchnumpy()
    scores, members, nonmembers = _merged(counted, "members", "nonmembers")
    return ScoreCounts(scores, members, nonmembers, partial(_halves, path, people))


def _halves(path: Path, people: str, seed: int) -> tuple[ScoreCounts, ScoreCounts]:
    """The counts of the two halves of the people, by their places among the rows of their side."""
    return _answered(path, lambda database: _counted_by_half(database, people, seed))


def _counted_by_half(database: Any, people: str, seed: int) -> tuple[ScoreCounts, ScoreCounts]:
    tosses = [side.tolist() for side in coins(seed)]
    database.execute(
        "CREATE TEMP TABLE tosses AS SELECT unnest(range(?)) AS pair, unnest(?::TINYINT[]) AS of_members, "
        "unnest(?::TINYINT[]) AS of_nonmembers",
        [COINS, *tosses],
    )
    database.execute(
        "CREATE TEMP TABLE placed AS SELECT score, is_member, row_number() OVER side - 1 AS place, "
        "count(*) OVER (PARTITION BY is_member) AS size, "
        "coalesce(score >= lag(score) OVER side, true) AS rises, "
        "coalesce(score <= lag(score) OVER side, true) AS falls "
        f"FROM {people} WINDOW side AS (PARTITION BY is_member ORDER BY place)"
    )
    counted = database.execute(
        "SELECT score, count(*) FILTER (WHERE first AND is_member) AS first_members, "
        "count(*) FILTER (WHERE first AND NOT is_member) AS first_nonmembers, "
        "count(*) FILTER (WHERE NOT first AND is_member) AS other_members, "
        "count(*) FILTER (WHERE NOT first AND NOT is_member) AS other_nonmembers FROM ("
        "SELECT score, is_member, place < size // 2 * 2 AND "
        "place % 2 = CASE WHEN is_member THEN of_members ELSE of_nonmembers END AS first "
        f"FROM placed JOIN tosses ON placed.place // 2 % {COINS} = tosses.pair) GROUP BY 1"
    ).fetchnumpy()
    columns = [f"{half}_{side}" for half in ("first", "other") for side in ("members", "nonmembers")]
    scores, *counts = _merged(counted, *columns)
    ordered = database.execute(
        "SELECT is_member FROM placed GROUP BY 1 HAVING bool_and(rises) OR bool_and(falls)"
    ).fetchall()
    for (is_member,) in ordered:
        side = 0 if is_member else 1
        must_not_be_sorted(("members", "nonmembers")[side], counts[side] + counts[2 + side])
    first, other = (_nonzero(scores, members, others) for members, others in (counts[:2], counts[2:]))
    return first, other


def _merged(counted: Any, *columns: str) -> list[Any]:
    """The scores in order and these counts of each; 0 and -0 are one score."""
    scores, place = np.unique(np.asarray(counted["score"], dtype=np.float64), return_inverse=True)
    sums = [np.zeros(scores.size, dtype=np.int64) for _ in columns]
    for added, name in zip(sums, columns, strict=True):
        np.add.at(added, place, np.asarray(counted[name], dtype=np.int64))
    return [scores, *sums]


def _nonzero(scores: Floats, members: Counts, nonmembers: Counts) -> ScoreCounts:
    """A half knows its own scores alone, so that a threshold chosen on it depends on nothing else."""
    held = members + nonmembers > 0
    return ScoreCounts(scores[held], members[held], nonmembers[held])


def rounded_sql(column: str) -> str:
    """SQL that rounds a double down to so many binary digits; what is tiny becomes 0, infinities stay."""
    exponent = f"floor(log2(abs({column})))"
    scale = f"pow(2.0, {KEPT_BITS - 1} - {exponent})"
    return (
        f"CASE WHEN {column} = 0 OR isinf({column}) OR abs({column}) > 1e290 THEN {column} "
        f"WHEN abs({column}) < 1e-290 THEN 0.0 ELSE floor({column} * {scale}) / {scale} END"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
