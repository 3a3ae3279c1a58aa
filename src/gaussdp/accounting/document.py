"""What accounting says about a mechanism: the fitted mu with all that belongs to it, and the curve, also as points."""

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.fitted import Fit
from gaussdp.documents.blocks import Column, Document, Table
from gaussdp.documents.files import write_file
from gaussdp.documents.machine import dumped
from gaussdp.documents.rounding import Rounding
from gaussdp.domains import LEVEL, checked, one_of
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.guarantees import ProfilePoints, TradeoffPoints
from gaussdp.mechanisms import Mechanism

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


ASSUMES_POISSON = "Assumes Poisson sampling: for batches from a shuffled data set these numbers do not hold."
ASSUMES = {
    "poisson": ASSUMES_POISSON,
    "without replacement": "Assumes batches drawn afresh without replacement: for those of a shuffled data set it does"
    " not hold.",
    "random allocation": "Assumes that each record is put into batches at random, by itself and afresh in every pass:"
    " for batches from a shuffled data set these numbers do not hold.",
}
"""What an account takes for granted, by how batches are made."""
TABLES = ("guarantee", "epsilon", "attacker")
DEFAULT_DELTAS = (1e-5, 1e-6, 1e-8)
DEFAULT_FPRS = (1e-2, 1e-3, 1e-4, 1e-5)


def account_document(
    mechanism: Mechanism,
    curve: AccountedCurve | DistributionCurve,
    floor: float | None = None,
    deltas: Sequence[float] = DEFAULT_DELTAS,
    fprs: Sequence[float] = DEFAULT_FPRS,
    digits: int = 4,
) -> Document:
    """The guarantee of an accounted mechanism in three tables.

    Args:
        mechanism: what was accounted for.
        curve: its accounted curve.
        floor: smallest error rate of the attacks that the fit speaks about; the curve's own default if None.
        deltas: where to read epsilon, each in (0, 1).
        fprs: where to read the attacker's TPR, each in (0, 1).
        digits: significant digits of the numbers in the notes.
    """
    fit, tables = _tables(curve, floor, deltas, fprs)
    title = f"{mechanism.sentence}, {mechanism.adjacency} adjacency"
    return Document.tabular(title, tables, _notes(mechanism, fit, digits))


def points_document(
    name: str,
    guarantee: ProfilePoints,
    curve: PointsCurve,
    floor: float | None = None,
    deltas: Sequence[float] = DEFAULT_DELTAS,
    fprs: Sequence[float] = DEFAULT_FPRS,
    digits: int = 4,
) -> Document:
    """The guarantee that points of a curve make together, in the same three tables.

    Args:
        name: where the points are from, for the title.
        guarantee: what `read_points` made of them.
        curve: the same with its fit, from `account`.
        floor, deltas, fprs, digits: as for `account_document`.
    """
    fit, tables = _tables(curve, floor, deltas, fprs)
    if isinstance(guarantee, TradeoffPoints):
        kind, between = f"{guarantee.fprs.size} {guarantee.meaning}", _BETWEEN[guarantee.meaning]
    else:
        kind, between = f"{guarantee.epsilons.size} (ε, δ) statements", _BETWEEN["statements"]
    return Document.tabular(f"{name}: {kind}", tables, (between, *fit.notes(digits)))


_BETWEEN = {
    "bounds": "Each point is taken as a bound, and nothing is known between them: the curve passes below the points.",
    "vertices": "The points are taken as the corners of a curve that is straight in between.",
    "statements": "Each point is taken as an (ε, δ)-DP statement; points that say nothing new are not counted.",
}


def _tables(
    curve: AccountedCurve | PointsCurve, floor: float | None, deltas: Sequence[float], fprs: Sequence[float]
) -> tuple[Fit, tuple[Table, ...]]:
    for name, levels in (("delta", deltas), ("fpr", fprs)):
        checked(name, levels, LEVEL)
    fit = curve.fit() if floor is None else curve.fit(floor)
    epsilon = Table(
        "epsilon",
        "As (ε, δ)-DP, from the curve itself",
        (Column("delta", "δ"), Column("epsilon", "ε", Rounding.UP)),
        tuple((delta, curve.epsilon(delta)) for delta in deltas),
    )
    attacker = Table(
        "attacker",
        "The best attacker's TPR",
        (
            Column("fpr", "at FPR"),
            Column("tpr", "by the curve", Rounding.UP),
            Column("tpr_by_mu", "by μ", Rounding.UP),
            Column("tpr_over_fpr", "TPR/FPR by the curve", Rounding.UP),
        ),
        tuple((fpr, curve.tpr(fpr), fit.guarantee.tpr(fpr), curve.multiplicative_advantage(fpr)) for fpr in fprs),
    )
    return fit, (fit.table(), epsilon, attacker)


def _notes(mechanism: Mechanism, fit: Fit, digits: int) -> tuple[str, ...]:
    notes = list(fit.notes(digits))
    notes += [words for sampling, words in ASSUMES.items() if sampling in mechanism.samplings]
    return tuple(notes)
