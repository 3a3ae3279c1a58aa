"""What was found about a run, every number computed once; the words and the formats come after."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.accounting.fitted import LARGE_REGRET
from gaussdp.documents.blocks import Column, Table
from gaussdp.documents.rounding import Rounding, rounded, shown, shown_level, shown_up
from gaussdp.errors import DomainError
from gaussdp.figures.tradeoffs import Attack, TradeoffPlot, tradeoff_plot
from gaussdp.guarantees import Guarantee
from gaussdp.statements.assumptions import Assumption
from gaussdp.statements.run import Run
from gaussdp.statements.smallest import Found
from gaussdp.statements.verdict import Verdict
from gaussdp.words import say

Curve = AccountedCurve | DistributionCurve
Standing = Literal["holds", "does not hold", "depends"]

_BELOW = 1000  # the picture reaches this far below the smallest rate that is named
_MOST_NAMED = 3


@dataclass(frozen=True)
class Findings:
    """The numbers of a statement.

    Attributes:
        run: what was run and what it protects.
        fit: the guarantee as one mu, with its floor, slack and regret.
        assumptions: what the accounting assumes, each with a verdict.
        method: how the numbers were computed.
        version: of gaussdp.
        guarantee, epsilon, attacker, precision, overall: the tables of numbers.
        digits: significant digits shown, rounded to the side of less privacy.
        notes: what else a reader must know about the numbers.
        verdict: on the claim that the run states; None if it states none.
        holding: the smallest mu that holds for the run as described, at the floor of the fit, where the fit does not;
            else None.
        curve: the accounted guarantee.
    """

    run: Run
    fit: Fit
    assumptions: tuple[Assumption, ...]
    method: str
    version: str
    guarantee: Table
    epsilon: Table
    attacker: Table
    precision: Table
    overall: Table
    digits: int
    notes: tuple[str, ...]
    verdict: Verdict | None
    holding: Found | None
    curve: Curve = field(repr=False)

    @property
    def mu(self) -> float:
        """The guarantee, rounded up to the digits shown."""
        return rounded(self.fit.mu, Rounding.UP, self.digits)

    @property
    def curve_matters(self) -> bool:
        """Whether one mu promises visibly less than the curve does, so that the curve is to be reported with it."""
        return self.fit.regret > LARGE_REGRET

    @property
    def standing(self) -> Standing:
        """Whether the number holds for the run as described, or depends on what is not stated."""
        verdicts = {assumption.verdict for assumption in self.assumptions if assumption.decisive}
        return "does not hold" if "not met" in verdicts else "depends" if "not stated" in verdicts else "holds"


def epsilon_table(curve: Curve, deltas: Sequence[float], *, strict: bool) -> tuple[Table, tuple[str, ...]]:
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
        say("No ε is given at δ = {delta}, which lies below the noise floor of the accounting.", delta=shown(delta))
        for delta in left_out
    )
    title = say("The same guarantee as (ε, δ)-DP, from the curve itself")
    return Table("epsilon", title, columns, tuple(rows)), tuple(notes)


def attacker_table(curve: Curve, fit: Fit, fprs: Sequence[float]) -> Table:
    """What the best attacker finds at each false-positive rate."""
    return Table(
        "attacker",
        say("Members found by the best attacker"),
        (
            Column("fpr", "false alarms (FPR)", level=True),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("tpr_by_mu", "TPR by μ", Rounding.UP),
            Column("tpr_over_fpr", "TPR/FPR at most", Rounding.UP),
        ),
        tuple((fpr, curve.tpr(fpr), fit.guarantee.tpr(fpr), curve.multiplicative_advantage(fpr)) for fpr in fprs),
    )


def precision_table(curve: Curve, recalls: Sequence[float], prior: float) -> Table:
    """How many accusations are right at each recall."""
    return Table(
        "precision",
        say("Right accusations, if {prior} of all candidates are members", prior=shown(prior)),
        (
            Column("recall", "members found (recall)", level=True),
            Column("precision", "precision at most", Rounding.UP),
        ),
        tuple((recall, curve.precision(recall, prior)) for recall in recalls),
    )


def overall_table(curve: Curve, prior: float) -> Table:
    """The best attacker over all levels."""
    return Table(
        "overall",
        say("Over all attacks"),
        (
            Column("advantage", "TPR − FPR at most", Rounding.UP),
            Column("prior", "prior"),
            Column("right_of_100_before", "right of 100 before", Rounding.NEAREST),
            Column("right_of_100", "right of 100 after, at most", Rounding.UP),
        ),
        ((curve.advantage(), prior, 100 * max(prior, 1 - prior), 100 * curve.accuracy(prior)),),
    )


def statement_plot(
    curve: Curve, fit: Fit, fprs: Sequence[float], digits: int = 4, *, holds: bool = True
) -> TradeoffPlot:
    """The numbers behind the figure.

    Args:
        curve: the accounted guarantee, drawn as the run itself.
        fit: its mu, drawn beside it.
        fprs: false-positive rates of the attacks to name, as far as the accounting reaches.
        digits: significant digits of mu.
        holds: whether the run was as the accounting assumes; the curves are not its own otherwise.
    """
    mu = shown_up(fit.mu, digits)
    curves: dict[str, Guarantee] = {
        say("μ = {mu}", mu=mu) if holds else say("μ = {mu} (does not hold)", mu=mu): fit.guarantee
    }
    if not fit.unconditional:
        curves[say("the run itself") if holds else say("the run, were the assumptions met")] = curve
    reach = _BELOW * curve.noise_floor if isinstance(curve, DistributionCurve) else 0.0
    named = sorted((fpr for fpr in fprs if fpr >= max(reach, 1e-12)), reverse=True)[:_MOST_NAMED]
    return tradeoff_plot(curves, [Attack(fpr, curve.tpr(fpr), _attack_words(fpr, curve.tpr(fpr))) for fpr in named])


def _attack_words(fpr: float, tpr: float) -> str:
    return say("FPR {fpr}, TPR {tpr}", fpr=shown_level(fpr), tpr=shown_up(tpr))
