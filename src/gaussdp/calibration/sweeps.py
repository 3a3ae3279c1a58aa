"""Many designs at once, in parallel, resumable: each row is kept as soon as it is known.

A row is one line, appended by one write; a process killed at any moment leaves whole lines and at most one torn one,
which the next run cuts off. Parquet cannot be appended to, so its rows gather in a JSON-lines file beside it and move
over when the sweep ends. A file is recognised as a sweep's before anything in it is touched, and one sweep at a time
has it.

The work goes through joblib, so that a backend which the user configures (`joblib.parallel_config(backend="dask")`)
serves unchanged.
"""

import csv
import errno
import importlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from gaussdp.calibration.sweep_designs import COLUMNS, INPUTS, Design, Row
from gaussdp.documents.files import check_file, locked, write_file
from gaussdp.documents.machine import csv_cell
from gaussdp.domains import instance, integer, several
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.risks import Risk, extended
from gaussdp.risks.registry import RISKS

_MOST_ROWS = 1 << 22  # which are known from the end of the file, before they take memory
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
    check_file(file)
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
                with self._parquet.ParquetFile(self._path) as file:
                    if tuple(file.schema_arrow.names) != tuple(COLUMNS):
                        raise _foreign(self._path, "has other columns than a sweep")
                    if file.metadata.num_rows > _MOST_ROWS:
                        raise _foreign(self._path, f"has more than {_MOST_ROWS:,} rows")
                    found = file.read().to_pylist()
            except DomainError:
                raise
            except (OSError, ValueError, self._arrow.ArrowException) as error:
                raise DomainError(None, place=str(self._path), problem=f"cannot be read: {error}") from None
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
    return _csv_line(["" if row[name] is None else csv_cell(str(row[name])) for name in COLUMNS])


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


Progress = Callable[[int, int], None]

MOST_WORKERS = 1024

_IN_FLIGHT = 4  # designs a worker is given at once where a backend returns results only in lists


def sweep(
    designs: Iterable[Design],
    out: str | Path | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Find the noise of every design.

    Args:
        designs: what to solve, such as a `grid`.
        out: a .csv, .jsonl or .parquet file. Each row is kept there as soon as it is known; rows that are there already
            are not computed again, so that an interrupted sweep goes on where it stopped. In the end it holds rows of
            other sweeps, as it held them, and then those of the designs in their order. One sweep at a time has it.
        workers: number of processes, -1 for all cores; None leaves it to joblib's configuration (one, by default).
        progress: called with the number of rows known and of designs, after every row.
    Returns:
        The rows, in the order of the designs.
    Raises:
        DomainError: if the file is not one of a sweep, which is then left as it is, or if another sweep has it.
        MissingExtraError: if joblib, or pyarrow for Parquet, is not installed.

    >>> import tempfile
    >>> from gaussdp.calibration import grid
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = sweep(grid(["mu=1"], [1000], [100], [1]), f"{folder}/rows.csv", workers=1)
    >>> rows[0]["status"]
    'tight'
    """
    given = [instance("designs", one, Design, "designs") for one in several("designs", designs, "a list of designs")]
    wanted = {_key(design.inputs()): design for design in given}
    if not wanted:
        raise DomainError("designs", problem="must not be empty", advice="give at least one, or a grid")
    if workers is not None and not (isinstance(workers, int) and workers == -1):  # all cores
        integer("workers", workers, low=1, high=MOST_WORKERS)
    joblib = _joblib()
    report = progress or (lambda done, total: None)
    if out is None:
        return _kept(joblib, wanted, None, workers, report)
    store = open_store(out)
    with locked(Path(out), "another sweep is writing this file; wait until it ends, or choose another file"):
        return _kept(joblib, wanted, store, workers, report)


def _kept(
    joblib: Any, wanted: dict[tuple[Any, ...], Design], store: Store | None, workers: int | None, report: Progress
) -> list[Row]:
    """The rows of the designs wanted, those that are not there yet solved and kept."""
    there = {} if store is None else {_key(row): row for row in store.rows()}
    known = {key: row for key, row in there.items() if key in wanted}
    todo = [design for key, design in wanted.items() if key not in known]
    report(len(known), len(wanted))
    for row in solved_rows(joblib, todo, workers):
        if store is not None:
            store.append(row)
        known[_key(row)] = row
        report(len(known), len(wanted))
    if store is not None:
        others = [row for key, row in there.items() if key not in wanted]
        store.finish([*others, *(known[key] for key in wanted)])
    return [known[key] for key in wanted]


def solved_rows(joblib: Any, designs: Sequence[Design], workers: int | None) -> Iterator[Row]:
    """The rows as they come."""
    if not designs:
        return
    others = RISKS.extensions()  # which a process of its own does not know
    workers = None if workers is None else min(workers, len(designs))  # no process without a design
    try:
        parallel = joblib.Parallel(n_jobs=workers, batch_size=1, return_as="generator_unordered")
    except ValueError:  # some backends cannot hand over results one by one
        parallel = joblib.Parallel(n_jobs=workers, batch_size=1)
        share = _IN_FLIGHT * joblib.effective_n_jobs(workers)
        for start in range(0, len(designs), share):
            yield from parallel(
                joblib.delayed(_solve_with)(others, design) for design in designs[start : start + share]
            )
        return
    yield from parallel(joblib.delayed(_solve_with)(others, design) for design in designs)


def _solve_with(risks: Sequence[type[Risk]], design: Design) -> Row:
    with extended(*risks):
        return design.solve()


def _key(row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in INPUTS)


def _joblib() -> Any:
    try:
        return importlib.import_module("joblib")
    except ImportError:
        raise MissingExtraError('sweeps need joblib: pip install "gaussdp[sweep]"') from None
