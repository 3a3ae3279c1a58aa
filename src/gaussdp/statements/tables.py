"""The tables of a report, read off the accounted curve."""

from collections.abc import Sequence

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.documents.rounding import Rounding, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.errors import DomainError

Curve = AccountedCurve | DistributionCurve


def epsilons(curve: Curve, deltas: Sequence[float], *, strict: bool) -> tuple[Table, tuple[str, ...]]:
    """The least epsilon at each delta, from the curve itself, and a note on the deltas that it does not reach.

    Args:
        curve: the accounted guarantee.
        deltas: where to read.
        strict: whether a delta below the noise floor is refused rather than left out.
    """
    rows: list[tuple[float, ...]] = []
    left_out: list[float] = []
    for delta in deltas:
        try:
            rows.append((delta, curve.epsilon(delta)))
        except DomainError:
            if strict:
                raise
            left_out.append(delta)
    columns = (Column("delta", "δ", Rounding.UP, level=True), Column("epsilon", "ε", Rounding.UP))
    notes = (
        f"No ε is given at δ = {shown(delta)}, which lies below the noise floor of the accounting."
        for delta in left_out
    )
    return Table("epsilon", "The same guarantee as (ε, δ)-DP, from the curve itself", columns, tuple(rows)), tuple(
        notes
    )


def attacker(curve: Curve, fit: Fit, fprs: Sequence[float]) -> Table:
    """What the best attacker finds at each false-positive rate."""
    return Table(
        "attacker",
        "Members found by the best attacker",
        (
            Column("fpr", "false alarms (FPR)", level=True),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("tpr_by_mu", "TPR by μ", Rounding.UP),
            Column("tpr_over_fpr", "TPR/FPR at most", Rounding.UP),
        ),
        tuple((fpr, curve.tpr(fpr), fit.guarantee.tpr(fpr), curve.multiplicative_advantage(fpr)) for fpr in fprs),
    )


def precision(curve: Curve, recalls: Sequence[float], prior: float) -> Table:
    """How many accusations are right at each recall."""
    return Table(
        "precision",
        f"Right accusations, if {shown(prior)} of all candidates are members",
        (
            Column("recall", "members found (recall)", level=True),
            Column("precision", "precision at most", Rounding.UP),
        ),
        tuple((recall, curve.precision(recall, prior)) for recall in recalls),
    )


def overall(curve: Curve, prior: float) -> Table:
    """The best attacker over all levels."""
    return Table(
        "overall",
        "Over all attacks",
        (
            Column("advantage", "TPR − FPR at most", Rounding.UP),
            Column("prior", "prior"),
            Column("right_of_100_before", "right of 100 before", Rounding.NEAREST),
            Column("right_of_100", "right of 100 after, at most", Rounding.UP),
        ),
        ((curve.advantage(), prior, 100 * max(prior, 1 - prior), 100 * curve.accuracy(prior)),),
    )
