"""Score files: CSV, NPZ and Parquet, down to counts per score."""

import csv
import glob
import importlib
import math
import zipfile
import zlib
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gaussdp.auditing.counts import COINS, Counts, ScoreCounts, coins, member_label, must_not_be_sorted
from gaussdp.documents.files import table_rows
from gaussdp.domains import written_number
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
    rounded = rounded_sql("s") if total > exact_rows else "s"
    people = f"(SELECT {rounded} AS score, {is_member} AS is_member, place FROM {rows})"
    counted = database.execute(
        "SELECT score, count(*) FILTER (WHERE is_member) AS members, "
        f"count(*) FILTER (WHERE NOT is_member) AS nonmembers FROM {people} GROUP BY 1"
    ).fetchnumpy()
    scores, members, nonmembers = _merged(counted, "members", "nonmembers")
    counts = ScoreCounts(scores, members, nonmembers, partial(_halves, path, people))
    counts.must_not_be_labels(f"column {score!r}")
    return counts


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


_MOST_BYTES = 1 << 34  # of the arrays of an NPZ file; larger files of scores are for Parquet
_ALWAYS_BYTES = 1 << 26  # that they may have however small the file is
_MOST_PACKED = 100  # times the size of the file; what packs better says little, and may be made to fill the memory
_NUMBERS = "biuf"  # kinds of NumPy

_UNREADABLE = (ValueError, KeyError, EOFError, SyntaxError, TokenError, zlib.error, NotImplementedError, RuntimeError)
"""What NumPy and zipfile raise for an array that is damaged or something else."""

Reader = Callable[[Path, str, str, str | None], ScoreCounts]


def read_scores(
    path: str | Path, score: str = "score", member: str = "member", member_value: str | None = None
) -> ScoreCounts:
    """The counts per score of a file with a score and a member label in each row.

    Args:
        path: ends in .csv, .tsv, .npz or .parquet. A CSV or TSV file has a header. An NPZ file has two arrays of equal
            length under these names, or else arrays `members` and `nonmembers` of scores. Parquet needs DuckDB.
        score: name of the column with the scores; higher means more likely a member.
        member: name of the column with the labels, of two values.
        member_value: the label that means member; None recognises 1/0, true/false, yes/no, in/out, member/nonmember.
    Raises:
        DomainError: if the file cannot be read or is not of this form.
        MissingExtraError: for Parquet without DuckDB.
    """
    if score == member:
        raise DomainError(None, problem=f"column {score!r} cannot hold both the scores and the labels")
    file = Path(path)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise DomainError(None, value=file.name, problem=f"a file of scores must end in {', '.join(READERS)}")
    if not file.is_file():
        raise DomainError(None, problem=f"there is no file {str(path)!r}")
    try:
        return reader(file, score, member, member_value)
    except (OSError, UnicodeDecodeError, csv.Error, zipfile.BadZipFile, SystemError) as error:
        # NumPy raises the last of these for characters that Unicode does not have.
        raise DomainError(None, problem=f"cannot read {file.name}: {error}") from None
    except MemoryError:
        raise DomainError(
            None, problem=f"{file.name} is too large for this machine's memory", advice="give it as Parquet"
        ) from None


def _read_csv(path: Path, score: str, member: str, member_value: str | None) -> ScoreCounts:
    with path.open(newline="", encoding="utf-8-sig") as lines:
        rows = table_rows(lines, path)
        header = [name.strip() for name in next(rows, [])]
        score_at, member_at = (_column(path, name, header) for name in (score, member))
        scores, codes, labels = array("d"), array("b"), dict[str, int]()
        for row in rows:
            if not row:
                continue
            try:
                scores.append(written_number(row[score_at]))
                label = row[member_at]
            except (ValueError, IndexError):
                raise DomainError(
                    None,
                    value=",".join(row)[:60],
                    place=f"{path.name}, line {rows.line_num}",
                    problem=f"a row needs a number in column {score!r} and a label in column {member!r}",
                ) from None
            codes.append(labels.setdefault(label, len(labels)))
            if len(labels) > 2:
                member_label(labels, member_value)
    values = np.frombuffer(scores, dtype=np.float64) if scores else np.empty(0)
    is_member = np.frombuffer(codes, dtype=np.int8) == labels.get(_member_in(path, list(labels), member_value), -1)
    counts = ScoreCounts.from_scores(values[is_member], values[~is_member])
    counts.must_not_be_labels(f"column {score!r}")
    return counts


def _read_npz(path: Path, score: str, member: str, member_value: str | None) -> ScoreCounts:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
        sides = {"members", "nonmembers"} <= set(names) and not {score, member} <= set(names)
        wanted = ("members", "nonmembers") if sides else (score, member)
        _check_arrays(path, {name: _claimed(path, archive, name, names) for name in wanted}, sides)
        held = {name: _array(path, archive, name) for name in wanted}
    if sides:
        return ScoreCounts.from_scores(held["members"], held["nonmembers"])
    scores, labels = held[score], held[member]
    if not scores.size:
        raise DomainError(path.name, problem="holds no scores")
    return ScoreCounts.labelled(scores, labels, member_value)


def _claimed(path: Path, archive: zipfile.ZipFile, name: str, names: list[str]) -> tuple[tuple[int, ...], Any]:
    """The shape and the kind of an array, once it holds as many bytes as these claim; nothing of it is read."""
    _column(path, name, names)
    info = archive.getinfo(f"{name}.npy")
    try:
        with archive.open(info) as stream:
            version = np.lib.format.read_magic(stream)
            headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, _, kind = headers[version](stream)
            claimed = stream.tell() + math.prod(shape) * kind.itemsize
    except _UNREADABLE as error:
        raise DomainError(None, problem=f"cannot read {path.name}: {name!r} is no array ({error})") from None
    if kind.hasobject or claimed != info.file_size:
        held = f"{info.file_size} bytes, of which the header claims {claimed}"
        raise DomainError(None, problem=f"cannot read {path.name}: {name!r} is no array of numbers or labels", got=held)
    return shape, kind


def _check_arrays(path: Path, claimed: dict[str, tuple[tuple[int, ...], Any]], sides: bool) -> None:
    """Refuse arrays that are no scores, or too large, before memory is taken for any of them."""
    (first, (shape, kind)), (second, (other, other_kind)) = claimed.items()
    shapes, told = f"shapes {shape} and {other}", f"{first!r} and {second!r} must be arrays of one dimension"
    if len(shape) != 1 or len(other) != 1 or (shape != other and not sides):
        raise DomainError(None, problem=told if sides else f"{told} and equal length", got=shapes)
    for name, of in ((first, kind), (second, other_kind))[: 2 if sides else 1]:
        if of.kind not in _NUMBERS:
            raise DomainError(None, problem=f"cannot read {path.name}: {name!r} holds no numbers", got=str(of))
    held = math.prod(shape) * kind.itemsize + math.prod(other) * other_kind.itemsize
    most = min(_MOST_BYTES, max(_ALWAYS_BYTES, _MOST_PACKED * path.stat().st_size))
    if held > most:
        advice = "give it as Parquet" if most == _MOST_BYTES else "save it with numpy.savez, which does not compress"
        problem = f"{path.name} is too large: its arrays may have {most:,} bytes"
        raise DomainError(None, problem=problem, got=f"{held:,}", advice=advice)


def _array(path: Path, archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    """An array of the archive, which was looked at before."""
    try:
        with archive.open(f"{name}.npy") as stream:
            array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    except _UNREADABLE as error:
        raise DomainError(None, problem=f"cannot read {path.name}: {name!r} is no array ({error})") from None
    return array


def _member_in(path: Path, labels: list[str], member_value: str | None) -> str:
    if not labels:
        raise DomainError(path.name, problem="holds no scores")
    return member_label(labels, member_value)


def _column(path: Path, name: str, names: list[str]) -> int:
    if name not in names:
        raise DomainError(
            path.name, problem=f"has no column {name!r}", advice=f"it has {', '.join(map(repr, names)) or 'none'}"
        )
    if names.count(name) > 1:
        raise DomainError(path.name, problem=f"has {names.count(name)} columns {name!r}", advice="keep one")
    return names.index(name)


READERS: dict[str, Reader] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".npz": _read_npz,
    ".parquet": counts_from_parquet,
}
