"""What accounting says about a mechanism: the fitted mu with all that belongs to it, and the curve beside it."""

from collections.abc import Sequence

from gaussdp.accounting.curve import AccountedCurve
from gaussdp.accounting.distribution.curve import DistributionCurve
from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.readings import Fit
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding
from gaussdp.documents.tables import Column, Table
from gaussdp.domains import LEVEL, checked
from gaussdp.guarantees import ProfilePoints, TradeoffPoints
from gaussdp.mechanisms import Mechanism

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
