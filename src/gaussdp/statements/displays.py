"""Results in a notebook: which tables each kind shows, as a fragment of HTML that needs nothing else."""

from collections.abc import Callable, Sequence
from functools import singledispatch

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.accounting.document import DEFAULT_DELTAS, DEFAULT_FPRS, fit_notes, guarantee_table
from gaussdp.auditing import Audit, AuditPlan, OneRunAudit
from gaussdp.auditing.document import audit_document, one_run_document, plan_document
from gaussdp.calibration import Calibration
from gaussdp.calibration.document import calibration_document
from gaussdp.documents.escaping import html_text
from gaussdp.documents.renderings import DEFAULT_DIGITS
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.tables import Column, Document, Table
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, LaplaceDP, ProfilePoints, PureDP, TradeoffPoints

# Colours are those of the page around it, so that it can be read on light and on dark.
_STYLE = """
.gaussdp { color: inherit; font-size: .95em; line-height: 1.45; margin: .25em 0; }
.gaussdp .title { font-weight: 600; margin: 0 0 .3em; }
.gaussdp .tables { display: flex; flex-wrap: wrap; gap: .2em 2.5em; align-items: flex-start; }
.gaussdp.gaussdp table { border-collapse: collapse; margin: 0 0 .5em; width: auto; color: inherit; background: none;
  font-size: 1em; font-variant-numeric: tabular-nums; border: 0; }
.gaussdp.gaussdp caption { caption-side: top; text-align: left; padding: .2em 0; color: inherit; white-space: nowrap; }
.gaussdp.gaussdp tbody tr, .gaussdp.gaussdp thead tr { background: none; }
.gaussdp.gaussdp th, .gaussdp.gaussdp td { color: inherit; background: none; font-weight: 400; text-align: right;
  vertical-align: top; max-width: 24em; padding: .15em 0 .15em 1.4em; border: 0;
  border-bottom: 1px solid rgba(128, 128, 128, .3); }
.gaussdp.gaussdp thead th { border-bottom-color: rgba(128, 128, 128, .9); }
.gaussdp.gaussdp th:first-child, .gaussdp.gaussdp td:first-child { padding-left: 0; text-align: left; }
.gaussdp ul { margin: 0; padding-left: 1.1em; opacity: .85; max-width: 46em; }
""".strip()

_TITLE_DIGITS = 10  # enough for a budget to be copied from


def html(result: object) -> str:
    """A result as a fragment of HTML: its document's tables side by side, with their notes.

    >>> html(GDP(0.5)).count("<table")
    2
    """
    return fragment(document(result))


def fragment(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """Any document as a fragment of HTML; a table of one row is set upright."""
    tables = "\n".join(_table(table, digits) for table in document.tables)
    notes = "\n".join(f"<li>{html_text(note)}</li>" for note in document.notes)
    return (
        f'<div class="gaussdp">\n<style>\n{_STYLE}\n</style>\n<p class="title">{html_text(document.title)}</p>\n'
        f'<div class="tables">\n{tables}\n</div>\n' + (f"<ul>\n{notes}\n</ul>\n" if notes else "") + "</div>\n"
    )


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
        _title(guarantee), (attacker, epsilon), (f"Of 100 guesses at most {right} are right; 50 without the release.",)
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


def _title(guarantee: Guarantee) -> str:
    match guarantee:
        case GDP(mu=mu):
            return f"Gaussian DP with μ = {shown(rounded(mu, Rounding.UP, _TITLE_DIGITS))}"
        case PureDP(epsilon_bound=epsilon):
            return f"Pure DP with ε = {shown(epsilon)}"
        case ApproxDP(epsilon_bound=epsilon, delta_bound=delta):
            return f"Approximate DP with ε = {shown(epsilon)} and δ = {shown(delta)}"
        case LaplaceDP(epsilon_bound=epsilon):
            return f"One Laplace release with ε = {shown(epsilon)}"
        case AccountedCurve():
            return "Accounted guarantee"
        case DistributionCurve():
            return "Accounted guarantee, from a privacy loss distribution"
        case ZCDP(rho=rho, xi=xi):
            return f"zCDP with ρ = {shown(rho)}" + (f" and ξ = {shown(xi)}" if xi else "")
        case TradeoffPoints():
            return f"Guarantee from {guarantee.fprs.size:,} {guarantee.meaning} of a trade-off curve"
        case ProfilePoints():
            return f"Guarantee from {guarantee.epsilons.size:,} points of a profile"
    return type(guarantee).__name__


def _readings(levels: Sequence[float], *readings: Callable[[float], float]) -> tuple[tuple[float, ...], ...]:
    """A row a level, but for levels that the guarantee refuses to speak about."""
    rows = []
    for level in levels:
        try:
            rows.append((level, *(reading(level) for reading in readings)))
        except DomainError:  # below the noise floor of a distribution
            continue
    return tuple(rows)


def _table(table: Table, digits: int) -> str:
    rows = table.text_rows(digits)
    if len(rows) == 1:
        head = ""
        pairs = zip(table.headings(), rows[0], strict=True)
        body = [f'<tr><th scope="row">{html_text(name)}</th><td>{html_text(cell)}</td></tr>' for name, cell in pairs]
    else:
        names = "".join(f'<th scope="col">{html_text(name)}</th>' for name in table.headings())
        head = f"<thead><tr>{names}</tr></thead>\n"
        body = ["<tr>" + "".join(f"<td>{html_text(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    lines = "\n".join(body)
    return f"<table>\n<caption>{html_text(table.title)}</caption>\n{head}<tbody>\n{lines}\n</tbody>\n</table>"
