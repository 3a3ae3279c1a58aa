"""Score files: CSV, NPZ and Parquet, down to counts per score."""

import csv
import math
import zipfile
import zlib
from array import array
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from gaussdp.auditing.counts import ScoreCounts, member_label
from gaussdp.auditing.parquet import counts_from_parquet
from gaussdp.domains import written_number
from gaussdp.errors import DomainError

_MOST_BYTES = 1 << 34  # of one array of an NPZ file; larger files of scores are for Parquet

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
        rows = csv.reader(lines, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
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
    return ScoreCounts.from_scores(values[is_member], values[~is_member])


def _read_npz(path: Path, score: str, member: str, member_value: str | None) -> ScoreCounts:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
        sides = {"members", "nonmembers"} <= set(names) and not {score, member} <= set(names)
        held = {
            name: _array(path, archive, name, names)
            for name in (("members", "nonmembers") if sides else (score, member))
        }
    if sides:
        return ScoreCounts.from_scores(held["members"], held["nonmembers"])
    scores, labels = held[score], held[member]
    if scores.ndim != 1 or scores.shape != labels.shape:
        raise DomainError(
            None,
            problem=f"{score!r} and {member!r} must be arrays of one dimension and equal length",
            got=f"shapes {scores.shape} and {labels.shape}",
        )
    distinct = np.unique(labels)
    texts = [str(label) for label in distinct.tolist()]
    is_member = labels == distinct[texts.index(_member_in(path, texts, member_value))]
    return ScoreCounts.from_scores(scores[is_member], scores[~is_member])


def _array(path: Path, archive: zipfile.ZipFile, name: str, names: list[str]) -> npt.NDArray[Any]:
    """An array of the archive, once it holds as many bytes as its header claims: memory is taken for no more."""
    _column(path, name, names)
    info = archive.getinfo(f"{name}.npy")
    try:
        with archive.open(info) as stream:
            version = np.lib.format.read_magic(stream)
            headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            shape, _, kind = headers[version](stream)
            claimed = stream.tell() + math.prod(shape) * kind.itemsize
        if kind.hasobject or claimed != info.file_size or claimed > _MOST_BYTES:
            held = f"{info.file_size} bytes, of which the header claims {claimed}"
            raise DomainError(
                None, problem=f"cannot read {path.name}: {name!r} is no array of numbers or labels", got=held
            )
        with archive.open(info) as stream:
            array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    except _UNREADABLE as error:
        if isinstance(error, DomainError):
            raise
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
