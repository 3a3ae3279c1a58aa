"""Where the rows of a sweep are kept, each safe as soon as it is known.

A row is one line, appended by one write; a process killed at any moment leaves whole lines and at most one torn one,
which the next run cuts off. Parquet cannot be appended to, so its rows gather in a JSON-lines file beside it and move
over when the sweep ends. A file is recognised as a sweep's before anything in it is touched, and one sweep at a time
has it.
"""

import csv
import errno
import importlib
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from gaussdp.calibration.sweep_designs import COLUMNS, Row
from gaussdp.documents.files import write_file
from gaussdp.errors import DomainError, MissingExtraError

_SHORT = 40  # letters: a target torn before its equals sign has fewer


class Store(Protocol):
    """Rows in a file."""

    def rows(self) -> list[Row]:
        """The rows that earlier runs left."""

    def append(self, row: Row) -> None:
        """Keep one more row, at once."""

    def finish(self, rows: Sequence[Row]) -> None:
        """Bring the file into its final form: these rows, in this order."""


def open_store(path: str | Path) -> Store:
    """The store for a file, by the ending of its name: .csv, .jsonl or .parquet."""
    file = Path(path)
    kinds: dict[str, type[CSVStore] | type[JSONLinesStore] | type[ParquetStore]] = {
        ".csv": CSVStore,
        ".jsonl": JSONLinesStore,
        ".parquet": ParquetStore,
    }
    if file.suffix not in kinds:
        raise DomainError(None, value=str(file), problem=f"the name of the output must end in {', '.join(kinds)}")
    if not file.parent.is_dir():
        raise DomainError(None, place=str(file), problem=f"there is no folder {file.parent}")
    return kinds[file.suffix](file)


class _Lines:
    """A text file of whole lines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> tuple[list[str], str]:
        """The whole lines, and what stands after the last of them."""
        if not self._path.exists():
            return [], ""
        try:
            *lines, rest = self._path.read_bytes().decode().replace("\r\n", "\n").split("\n")
        except UnicodeDecodeError:
            raise _foreign(self._path, "is not a file of a sweep") from None
        return lines, rest

    def cut(self) -> None:
        """Cut off what stands after the last whole line."""
        os.truncate(self._path, self._path.read_bytes().rfind(b"\n") + 1)

    def append(self, line: str) -> None:
        content = f"{line}\n".encode()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            written = os.write(descriptor, content)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        finally:
            os.close(descriptor)
        if written < len(content):  # the disk is full; the torn line is cut off by the next run
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))

    def replace(self, lines: Sequence[str]) -> None:
        """Other lines, in one step, unless they are the same."""
        if lines != self.read()[0]:
            write_file(self._path, "".join(f"{line}\n" for line in lines).encode())


class CSVStore:
    """Comma-separated values under a header."""

    def __init__(self, path: Path) -> None:
        self._path, self._lines = path, _Lines(path)

    def rows(self) -> list[Row]:
        lines, rest = self._lines.read()
        if (lines and lines[0] != _HEADER) or (not lines and not _HEADER.startswith(rest)):
            raise _foreign(self._path, "has other columns than a sweep")
        rows = [_typed(dict(zip(COLUMNS, cells, strict=True)), self._path) for cells in self._cells(lines[1:])]
        if rest:
            if lines and not _may_begin_a_row(rest):
                raise _foreign(self._path, "ends in what is no row of a sweep")
            self._lines.cut()
        if not lines:
            self._lines.append(_HEADER)
        return rows

    def append(self, row: Row) -> None:
        self._lines.append(_csv_row(row))

    def finish(self, rows: Sequence[Row]) -> None:
        self._lines.replace([_HEADER, *map(_csv_row, rows)])

    def _cells(self, lines: Sequence[str]) -> list[list[str]]:
        try:
            cells = list(csv.reader(lines))
        except csv.Error as error:
            raise _foreign(self._path, f"holds what a sweep does not write: {error}") from None
        for number, row in enumerate(cells, start=2):
            if len(row) != len(COLUMNS):
                raise DomainError(
                    None,
                    place=f"{self._path}, line {number}",
                    problem=f"has {len(row)} cells instead of {len(COLUMNS)}",
                )
        return cells


class JSONLinesStore:
    """One JSON object a line."""

    def __init__(self, path: Path) -> None:
        self._path, self._lines = path, _Lines(path)

    def rows(self) -> list[Row]:
        rows = []
        lines, rest = self._lines.read()
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DomainError(None, place=f"{self._path}, line {number}", problem=str(error)) from None
            if not isinstance(row, dict) or row.keys() != COLUMNS.keys():
                raise _foreign(f"{self._path}, line {number}", "has other columns than a sweep")
            rows.append(_typed(row, self._path))
        if rest:
            if not (rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)):
                raise _foreign(self._path, "ends in what is no row of a sweep")
            self._lines.cut()
        return rows

    def append(self, row: Row) -> None:
        self._lines.append(_json_row(row))

    def finish(self, rows: Sequence[Row]) -> None:
        self._lines.replace([_json_row(row) for row in rows])


class ParquetStore:
    """A Parquet file, with the rows of an unfinished sweep in a JSON-lines file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._arrow, self._parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
        self._journal_path = path.with_name(f"{path.name}.unfinished.jsonl")
        self._journal = JSONLinesStore(self._journal_path)

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        if self._path.exists():
            try:
                table = self._parquet.read_table(self._path)
                found = table.to_pylist()
            except (OSError, ValueError, self._arrow.ArrowException) as error:
                raise DomainError(None, place=str(self._path), problem=f"cannot be read: {error}") from None
            if tuple(table.column_names) != tuple(COLUMNS):
                raise _foreign(self._path, "has other columns than a sweep")
            rows = [_typed(row, self._path) for row in found]
        return rows + self._journal.rows()

    def append(self, row: Row) -> None:
        self._journal.append(row)

    def finish(self, rows: Sequence[Row]) -> None:
        """Move the rows over: the Parquet file is replaced in one step, and only then the other removed."""
        if not self._journal_path.exists():
            return
        kinds = {str: self._arrow.string(), int: self._arrow.int64(), float: self._arrow.float64()}
        schema = self._arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        content = io.BytesIO()
        self._parquet.write_table(self._arrow.Table.from_pylist(list(rows), schema=schema), content)
        write_file(self._path, content.getvalue())
        self._journal_path.unlink()


def _foreign(place: object, problem: str) -> DomainError:
    """What to raise for a file that a sweep did not write."""
    return DomainError(None, place=str(place), problem=problem, advice="choose another file")


def _arrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError('Parquet files need pyarrow: pip install "gaussdp[parquet]"') from None


def _csv_line(cells: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


def _csv_row(row: Row) -> str:
    return _csv_line(["" if row[name] is None else str(row[name]) for name in COLUMNS])


def _json_row(row: Row) -> str:
    return json.dumps({name: row[name] for name in COLUMNS})


def _may_begin_a_row(text: str) -> bool:
    """Whether a row of a sweep may begin so: its whole cells are of their kinds."""
    try:
        [cells] = csv.reader([text])
        for cell, kind in zip(cells[:-1], list(COLUMNS.values())[: len(cells) - 1], strict=True):
            kind(cell or 0)
    except (ValueError, csv.Error):
        return False
    return "=" in cells[0] or (len(cells) == 1 and len(cells[0]) < _SHORT and " " not in cells[0])


def _typed(row: Row, path: Path) -> Row:
    try:
        return {name: None if row[name] in ("", None) else _cell(row[name], kind) for name, kind in COLUMNS.items()}
    except (ValueError, TypeError, OverflowError) as error:
        raise DomainError(None, place=str(path), problem=f"holds what a sweep does not write: {error}") from None


def _cell(value: Any, kind: type[str] | type[int] | type[float]) -> str | int | float:
    """A cell of a kind; NaN, which no sweep writes, is none."""
    number = kind(value)
    if number != number:
        raise ValueError("NaN")
    return number


_HEADER = _csv_line(list(COLUMNS))
_BEGINNING = f'{{"{next(iter(COLUMNS))}": "'
