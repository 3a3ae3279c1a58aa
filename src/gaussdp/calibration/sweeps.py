"""Many designs at once, in parallel, resumable.

The work goes through joblib, so that a backend which the user configures (`joblib.parallel_config(backend="dask")`)
serves unchanged.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gaussdp.calibration.stores import Store, open_store
from gaussdp.calibration.sweep_designs import INPUTS, Design, Row
from gaussdp.documents.files import locked
from gaussdp.domains import instance, integer, several
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.risks import Risk, extended
from gaussdp.risks.registry import RISKS

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
