"""Where the rows of a sweep are kept, each safe as soon as it is known.

A row is one line, appended by one write; a process killed at any moment leaves whole lines and at most one torn one,
which the next run cuts off. Parquet cannot be appended to, so its rows gather in a JSON-lines file beside it and move
over when the sweep ends.
"""

import csv
import importlib
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from gaussdp.calibration.designs import COLUMNS, Row
from gaussdp.errors import DomainError, MissingExtraError


class Store(Protocol):
    """Rows in a file."""

    def rows(self) -> list[Row]:
        """The rows that earlier runs left."""

    def append(self, row: Row) -> None:
        """Keep one more row, at once."""

    def finish(self) -> None:
        """Bring the file into its final form."""


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

    def read(self) -> list[str]:
        """The whole lines; a torn last one is cut off the file."""
        if not self._path.exists():
            return []
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self._path, whole)
        try:
            return content[:whole].decode().replace("\r\n", "\n").split("\n")[:-1]
        except UnicodeDecodeError:
            raise DomainError(
                None, place=str(self._path), problem="is not a file of a sweep", advice="choose another"
            ) from None

    def append(self, line: str) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)


class CSVStore:
    """Comma-separated values under a header."""

    def __init__(self, path: Path) -> None:
        self._path, self._lines = path, _Lines(path)

    def rows(self) -> list[Row]:
        lines = self._lines.read()
        if not lines:
            self._lines.append(_csv_line(list(COLUMNS)))
            return []
        if lines[0] != _csv_line(list(COLUMNS)):
            raise DomainError(
                None, place=str(self._path), problem="has other columns than a sweep", advice="choose another file"
            )
        return [_typed(dict(zip(COLUMNS, cells, strict=True)), self._path) for cells in self._cells(lines[1:])]

    def append(self, row: Row) -> None:
        self._lines.append(_csv_line(["" if row[name] is None else str(row[name]) for name in COLUMNS]))

    def finish(self) -> None:
        """Nothing is left to do."""

    def _cells(self, lines: Sequence[str]) -> list[list[str]]:
        cells = list(csv.reader(lines))
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
        for number, line in enumerate(self._lines.read(), start=1):
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise DomainError(None, place=f"{self._path}, line {number}", problem=str(error)) from None
            if not isinstance(row, dict) or row.keys() != COLUMNS.keys():
                raise DomainError(
                    None,
                    place=f"{self._path}, line {number}",
                    problem="has other columns than a sweep",
                    advice="choose another file",
                )
            rows.append(_typed(row, self._path))
        return rows

    def append(self, row: Row) -> None:
        self._lines.append(json.dumps({name: row[name] for name in COLUMNS}))

    def finish(self) -> None:
        """Nothing is left to do."""


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
                rows = self._parquet.read_table(self._path).to_pylist()
            except (OSError, ValueError) as error:
                raise DomainError(None, place=str(self._path), problem=f"cannot be read: {error}") from None
            if rows and rows[0].keys() != COLUMNS.keys():
                raise DomainError(
                    None, place=str(self._path), problem="has other columns than a sweep", advice="choose another file"
                )
        return rows + self._journal.rows()

    def append(self, row: Row) -> None:
        self._journal.append(row)

    def finish(self) -> None:
        """Move the rows over: the Parquet file is replaced in one step, and only then the other removed."""
        if not self._journal_path.exists():
            return
        kinds = {str: self._arrow.string(), int: self._arrow.int64(), float: self._arrow.float64()}
        schema = self._arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
        temporary = self._path.with_name(f"{self._path.name}.new")
        self._parquet.write_table(self._arrow.Table.from_pylist(self.rows(), schema=schema), temporary)
        temporary.replace(self._path)
        self._journal_path.unlink()


def _arrow(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError('Parquet files need pyarrow: pip install "gaussdp[parquet]"') from None


def _csv_line(cells: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    return buffer.getvalue()


def _typed(row: Row, path: Path) -> Row:
    try:
        return {name: None if row[name] in ("", None) else kind(row[name]) for name, kind in COLUMNS.items()}
    except ValueError as error:
        raise DomainError(None, place=str(path), problem=f"holds what a sweep does not write: {error}") from None
