"""Parquet files of any size, counted by DuckDB (the extra `parquet`); no row reaches Python."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.labels import member_label
from gaussdp.errors import DomainError, MissingExtraError

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
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise MissingExtraError('Parquet files need DuckDB: pip install "gaussdp[parquet]"') from None
    with duckdb.connect() as database:
        try:
            return _counted(database, path, score, member, member_value, exact_rows)
        except duckdb.Error as error:
            raise DomainError(None, problem=f"cannot read {path.name}: {str(error).splitlines()[0]}") from None


def _counted(
    database: Any, path: Path, score: str, member: str, member_value: str | None, exact_rows: int
) -> ScoreCounts:
    file = f"read_parquet({_literal(str(path))})"
    names = [row[0] for row in database.execute(f"DESCRIBE SELECT * FROM {file}").fetchall()]
    for name in (score, member):
        if name not in names:
            raise DomainError(
                path.name, problem=f"has no column {name!r}", advice=f"it has {', '.join(map(repr, names))}"
            )
    rows = f"(SELECT CAST({_quoted(score)} AS DOUBLE) AS s, CAST({_quoted(member)} AS VARCHAR) AS label FROM {file})"
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
    counted = database.execute(
        f"SELECT {_rounded('s') if total > exact_rows else 's'} AS score, "
        f"count(*) FILTER (WHERE {is_member}) AS members, count(*) FILTER (WHERE NOT {is_member}) AS nonmembers "
        f"FROM {rows} GROUP BY 1"
    ).fetchnumpy()
    # Sorted and merged here as well: 0 and -0 are one score.
    scores, place = np.unique(np.asarray(counted["score"], dtype=np.float64), return_inverse=True)
    members, nonmembers = np.zeros(scores.size, dtype=np.int64), np.zeros(scores.size, dtype=np.int64)
    np.add.at(members, place, np.asarray(counted["members"], dtype=np.int64))
    np.add.at(nonmembers, place, np.asarray(counted["nonmembers"], dtype=np.int64))
    return ScoreCounts(scores, members, nonmembers)


def _rounded(column: str) -> str:
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
