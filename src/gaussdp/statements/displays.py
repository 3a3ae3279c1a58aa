"""Results in a notebook: which tables each kind shows, as a fragment of HTML that needs nothing else."""

from collections.abc import Callable, Sequence
from functools import singledispatch

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.accounting.document import DEFAULT_DELTAS, DEFAULT_FPRS, fit_notes, guarantee_table
from gaussdp.auditing import Audit, AuditPlan, OneRunAudit
from gaussdp.auditing.document import audit_document, one_run_document, plan_document
from gaussdp.calibration import Calibration
from gaussdp.calibration.document import calibration_document
from gaussdp.documents.blocks import Document
from gaussdp.documents.html import fragment
from gaussdp.documents.rendering import DEFAULT_DIGITS
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.tables import Column, Table
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee


def html(result: object) -> str:
    """A result as a fragment of HTML: its document's tables side by side, with their notes.

    >>> from gaussdp import GDP
    >>> html(GDP(0.5)).count("<table")
    2
    """
    return fragment(document(result), DEFAULT_DIGITS)


@singledispatch
def document(result: object) -> Document:
    """What to show of a result."""
    raise DomainError("result", "a guarantee, a fit, an audit or a calibration", result, got=type(result).__name__)


@document.register
def _(guarantee: Guarantee) -> Document:
    attacker = Table(
        "attacker",
        "The best attacker finds",
        (
            Column("fpr", "at FPR", level=True),
            Column("tpr", "TPR at most", Rounding.UP),
            Column("tpr_over_fpr", "TPR/FPR at most", Rounding.UP),
        ),
        _readings(DEFAULT_FPRS, guarantee.tpr, guarantee.multiplicative_advantage),
    )
    epsilon = Table(
        "epsilon",
        "As (ε, δ)-DP",
        (Column("delta", "δ", level=True), Column("epsilon", "ε", Rounding.UP)),
        _readings(DEFAULT_DELTAS, guarantee.epsilon),
    )
    right = shown(rounded(100 * guarantee.accuracy(), Rounding.UP, DEFAULT_DIGITS))
    return Document.tabular(
        guarantee.label, (attacker, epsilon), (f"Of 100 guesses at most {right} are right; 50 without the release.",)
    )


@document.register(AccountedCurve)
@document.register(DistributionCurve)
def _(curve: AccountedCurve | DistributionCurve) -> Document:
    read = document.dispatch(Guarantee)(curve)
    fit = curve.fit()
    return Document.tabular(read.title, (guarantee_table(fit), *read.tables), (*read.notes, *fit_notes(fit)))


@document.register
def _(fit: Fit) -> Document:
    return Document.tabular("The tightest GDP guarantee", (guarantee_table(fit),), fit_notes(fit))


@document.register
def _(audit: Audit) -> Document:
    return audit_document(audit)


@document.register
def _(audit: OneRunAudit) -> Document:
    return one_run_document(audit)


@document.register
def _(plan: AuditPlan) -> Document:
    return plan_document(plan)


@document.register
def _(result: Calibration) -> Document:
    return calibration_document(result)


def _readings(levels: Sequence[float], *readings: Callable[[float], float]) -> tuple[tuple[float, ...], ...]:
    """A row a level, but for levels that the guarantee refuses to speak about."""
    rows = []
    for level in levels:
        try:
            rows.append((level, *(reading(level) for reading in readings)))
        except DomainError:  # below the noise floor of a distribution
            continue
    return tuple(rows)
