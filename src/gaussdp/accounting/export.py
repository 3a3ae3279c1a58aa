"""A curve as points for other programs: CSV, JSON or Parquet, each number on the side of less privacy."""

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.documents.files import write_file
from gaussdp.documents.machine import dumped
from gaussdp.domains import one_of
from gaussdp.errors import DomainError, MissingExtraError

ENDINGS = (".csv", ".json", ".parquet")
COLUMNS = ("fpr", "fnr")
_DECADES = 12  # of false-positive rates
_PER_DECADE = 10
_DELTAS = tuple(10.0**-power for power in range(1, _DECADES + 1))

Point = dict[str, float]


def curve_points(curve: AccountedCurve | PointsCurve) -> list[Point]:
    """Points of the trade-off curve, ten a decade of FPR from 1e-12 on, the largest FPRs mirrored.

    Each FNR is a lower bound: what `read_points` makes of them holds for the mechanism. Rates that the curve refuses to
    speak about are left out.

    >>> from gaussdp.accounting import account
    >>> from gaussdp.mechanisms import Gaussian
    >>> points = curve_points(account(Gaussian(2.0)))
    >>> len(points), [round(points[60][column], 6) for column in ("fpr", "fnr")]
    (235, [1e-06, 0.999989])
    """
    low = np.logspace(-_DECADES, 0, _DECADES * _PER_DECADE, endpoint=False)
    fprs = np.array([*low[low < 0.5], 0.5, *(1 - low[low < 0.5][::-1])])
    known = [fpr for fpr in fprs if _speaks(curve, fpr)] if isinstance(curve, PointsCurve) else fprs
    if not len(known):
        return []
    read = curve.reading.fnr(np.array(known))
    fnrs = np.maximum(0.0, read.value * (1 - _widened(read)))
    return [{"fpr": fpr, "fnr": fnr} for fpr, fnr in zip(map(float, known), fnrs.tolist(), strict=True)]


def _speaks(curve: PointsCurve, fpr: float) -> bool:
    """Whether a curve that is read off a distribution knows so small a rate."""
    try:
        curve.reading.fnr(fpr)
    except DomainError:
        return False
    return True


def _widened(reading: Any) -> Any:
    """By how much readings are moved to the safe side; bounds are there already, and their error may be unknown."""
    names = np.array([method.name for method in np.ravel(np.array(reading.method, dtype=object))])
    exact = np.isin(names, ("CLOSED_FORM", "LINE", "DENSITY"))
    return np.where(exact, np.broadcast_to(reading.error, exact.shape), 0.0)


def write_curve(curve: AccountedCurve | PointsCurve, path: str | Path, title: str = "") -> None:
    """Write the points of a curve into a .csv, .json or .parquet file, by its ending.

    `gaussdp account points.csv` and `read_points` take the CSV file. JSON holds the privacy profile, too.

    Raises:
        DomainError: if the file has another ending.
        MissingExtraError: if Parquet is asked for and pyarrow is not installed.
    """
    ending = one_of("the ending of the file", Path(path).suffix.lower(), ENDINGS)
    write_file(path, curve_files(curve, (ending,), title)[ending])


def curve_files(curve: AccountedCurve | PointsCurve, endings: Sequence[str], title: str = "") -> dict[str, bytes]:
    """The contents of such files, by their ending."""
    points = curve_points(curve)
    made = {".csv": lambda: _comma_separated(points), ".json": lambda: _json(curve, points, title)}
    return {ending: made.get(ending, lambda: _parquet(points))() for ending in endings}


def _comma_separated(points: list[Point]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(points)
    return text.getvalue().encode()


def _json(curve: AccountedCurve | PointsCurve, points: list[Point], title: str) -> bytes:
    profile: list[Point] = []
    for delta in _DELTAS:
        try:
            read = curve.reading.epsilon(delta)
        except DomainError:
            continue
        if np.isfinite(read.value):
            profile.append({"epsilon": read.value * (1 + float(_widened(read)[0])), "delta": delta})
    schema = {"schema": "gaussdp-curve", "schema_version": 1}
    return dumped({**schema, "title": title, "curve": points, "profile": profile}).encode()


def _parquet(points: list[Point]) -> bytes:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError('Parquet files need pyarrow: pip install "gaussdp[parquet]"') from None
    content = io.BytesIO()
    schema = pyarrow.schema([(name, pyarrow.float64()) for name in COLUMNS])
    parquet.write_table(pyarrow.Table.from_pylist(points, schema=schema), content)
    return content.getvalue()
