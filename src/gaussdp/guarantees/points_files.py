"""Points of a curve from a CSV file or a data frame, as the guarantee they make."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.documents.files import table_rows
from gaussdp.domains import PROBABILITY, Domain, real_numbers, written_number
from gaussdp.errors import DomainError
from gaussdp.guarantees.numeric import LARGEST_EPSILON, ProfilePoints
from gaussdp.guarantees.tradeoff import Directions, Meaning, RowError, TradeoffPoints, refuse_order, refuse_rows
from gaussdp.numerics import Floats

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "fpr": ("fpr", "alpha", "α", "false_positive_rate", "type_1_error"),
    "fnr": ("fnr", "beta", "β", "false_negative_rate", "type_2_error"),
    "tpr": ("tpr", "recall", "power", "true_positive_rate"),
    "epsilon": ("epsilon", "eps", "ε"),
    "delta": ("delta", "δ"),
}
"""The names under which a column is known; case, spaces and hyphens do not matter."""

_PAIRS = (("fpr", "fnr"), ("fpr", "tpr"), ("epsilon", "delta"))
_EPSILON = Domain(0.0, LARGEST_EPSILON)
_NEEDED = "fpr and fnr, fpr and tpr, or epsilon and delta"


def read_points(
    source: object, *, meaning: Meaning = "bounds", directions: Directions = "both"
) -> ProfilePoints | TradeoffPoints:
    """The guarantee that points of a trade-off curve or of a privacy profile make together.

    Args:
        source: the path of a .csv or .tsv file with a header, a pandas or Polars data frame, or a mapping from names to
            columns. It holds columns `fpr` and `fnr` (or `tpr`), or `epsilon` and `delta`; `COLUMNS` lists their other
            names. Further columns are passed over.
        meaning, directions: what (fpr, fnr) points mean; see `TradeoffPoints`. (epsilon, delta) points are statements
            about both directions.
    Raises:
        DomainError: naming the row (of a file: the line) that is out of range, repeated, not a number, or rises where
            it must fall.

    >>> read_points({"epsilon": [0.5, 1.0, 2.0], "delta": [1e-2, 1e-3, 1e-6]}).epsilon(1e-4)
    1.9353...
    >>> read_points({"alpha": [0.01, 0.1], "beta": [0.9, 0.7]}).tpr(0.01)
    0.15318...
    """
    if isinstance(source, str | Path):
        return _from_file(Path(source), meaning, directions)
    names = getattr(source, "columns", None)
    if names is None and isinstance(source, Mapping):
        names = list(source)
    if not isinstance(names, Iterable) or not hasattr(source, "__getitem__"):
        kind = type(source).__name__
        raise DomainError("points", f"a path, a data frame or a mapping of columns with {_NEEDED}", kind, got=str(kind))
    found = _named(list(names), "points")
    return _guarantee({key: _numbers(key, source[name]) for key, name in found.items()}, meaning, directions)


def _from_file(path: Path, meaning: Meaning, directions: Directions) -> ProfilePoints | TradeoffPoints:
    if path.suffix.lower() not in (".csv", ".tsv"):
        raise DomainError(None, value=path.name, problem="a file of points must end in .csv or .tsv")
    try:
        with path.open(newline="", encoding="utf-8-sig") as text:
            columns, lines = _parsed(path, table_rows(text, path))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DomainError(None, place=str(path), problem=f"cannot be read: {reason}") from None
    try:
        return _guarantee(columns, meaning, directions)
    except RowError as error:
        raise error.reason.at(f"{path.name}, line {lines[error.row - 1]}") from None


def _parsed(path: Path, rows: Any) -> tuple[dict[str, Floats], list[int]]:
    """The columns of a file, and the line of each of their rows."""
    header = [name.strip() for name in next(rows, [])]
    found = _named(header, path.name)
    at = {key: header.index(str(name)) for key, name in found.items()}
    values: dict[str, list[float]] = {key: [] for key in at}
    lines: list[int] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        for key, place in at.items():
            try:
                values[key].append(written_number(row[place]))
            except (ValueError, IndexError):
                got = repr(row[place]) if place < len(row) else "nothing"
                raise DomainError(
                    None, place=f"{path.name}, line {rows.line_num}", problem=f"{key} must be a number", got=got
                ) from None
        lines.append(rows.line_num)
    if not lines:
        raise DomainError(
            None, place=f"{path.name}", problem="holds no points", advice="write one row for each under the header"
        )
    return {key: np.array(column) for key, column in values.items()}, lines


def _named(names: Sequence[object], where: str) -> dict[str, object]:
    """Which of the names are the two columns needed, by what they stand for."""
    found: dict[str, object] = {}
    for name in names:
        plain = str(name).strip().lower().replace(" ", "_").replace("-", "_")
        key = next((key for key, known in COLUMNS.items() if plain in known), None)
        if key in found:
            raise DomainError(
                None, place=where, problem=f"{found[key]!r} and {name!r} both name the column {key}", advice="keep one"
            )
        if key is not None:
            found[key] = name
    pairs = [pair for pair in _PAIRS if set(pair) <= found.keys()]
    if len(pairs) != 1:
        listed = ", ".join(repr(str(name)) for name in names) or "none"
        what = "must hold one pair of columns" if pairs else "must hold a pair of columns"
        raise DomainError(None, place=where, problem=f"{what}, {_NEEDED}", advice=f"it has {listed}")
    return {key: found[key] for key in pairs[0]}


def _numbers(key: str, column: object) -> Floats:
    try:
        values: Any = column if isinstance(column, list | tuple | np.ndarray) else np.asarray(column)
        if isinstance(values, np.ndarray) and values.dtype.kind == "O":  # None, or numbers of several kinds
            values = values.tolist()
        if isinstance(values, list | tuple):
            values = [np.nan if value is None else value for value in values]  # refused later, with its row
        numbers = real_numbers(values)
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        raise DomainError(key, "a column of numbers")
    return numbers


def _guarantee(columns: dict[str, Floats], meaning: Meaning, directions: Directions) -> ProfilePoints | TradeoffPoints:
    if "epsilon" in columns:
        return _profile(columns["epsilon"], columns["delta"])
    build: Callable[..., TradeoffPoints] = TradeoffPoints if "fnr" in columns else TradeoffPoints.from_tpr
    for key, values in columns.items():
        refuse_rows(key, values, PROBABILITY)
    return build(**columns, meaning=meaning, directions=directions)


def _profile(epsilon: Floats, delta: Floats) -> ProfilePoints:
    if epsilon.shape != delta.shape or epsilon.ndim != 1:
        raise DomainError(
            None, problem="epsilon and delta must be equally many", got=f"shapes {epsilon.shape} and {delta.shape}"
        )
    refuse_rows("epsilon", epsilon, _EPSILON)
    refuse_rows("delta", delta, PROBABILITY)
    refuse_order(("epsilon", "delta"), (epsilon, delta))
    return ProfilePoints(epsilon, delta)
