"""What an audit found, against what was claimed; and what an audit would take."""

from collections.abc import Sequence

from gaussdp.auditing import Audit, AuditPlan, OneRunAudit
from gaussdp.auditing.claims import Claimed, described
from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import Rounding, shown
from gaussdp.documents.tables import Column, Table, Value

TABLES = ("bound", "attack", "epsilon", "claims")
ONE_RUN_TABLES = ("bound", "epsilon", "claims")
PLAN_TABLES = ("plan",)

_NOTHING = "none"
_ROUNDING = "Lower bounds are rounded down and upper bounds up: nothing shown says more than was proved."
_DIRECTION = "The attack accuses whoever scores above the threshold."
_CREDIBLE = "This is a credible bound, a posterior probability under a prior; it is not a confidence bound."


def audit_document(audit: Audit, claims: Sequence[Claimed] = (), deltas: Sequence[float] = ()) -> Document:
    """The bound, the attack that proves it, the epsilon it refutes and the verdict on each claim.

    Args:
        audit: of independent trials.
        claims: mus or guarantees to judge.
        deltas: at which to say what epsilon is refuted.
    """
    bound = Table(
        "bound",
        "What the scores prove",
        (
            Column("mu_lower", "μ at least", Rounding.DOWN),
            Column("confidence", "confidence" if audit.kind == "confidence" else "credibility"),
            Column("kind", "kind"),
            Column("method", "method"),
        ),
        ((audit.mu_lower, audit.confidence, audit.kind, str(audit.method)),),
    )
    attack = Table(
        "attack",
        "The attack that proves it",
        (
            Column("threshold", "threshold"),
            Column("false_positives", "accused nonmembers"),
            Column("nonmembers", "nonmembers"),
            Column("fpr_upper", "FPR at most", Rounding.UP),
            Column("false_negatives", "missed members"),
            Column("members", "members"),
            Column("fnr_upper", "FNR at most", Rounding.UP),
            Column("auc", "AUC observed", Rounding.NEAREST),
        ),
        (
            (
                _given(audit.threshold),
                _given(audit.false_positives),
                audit.nonmembers,
                _given(audit.fpr_upper),
                _given(audit.false_negatives),
                audit.members,
                _given(audit.fnr_upper),
                audit.auc,
            ),
        ),
    )
    tables = [bound, attack, *_epsilons(audit, deltas)]
    notes = [_DIRECTION, _ROUNDING] + ([_CREDIBLE] if audit.kind == "credible" else [])
    return _document("What the attack scores prove", audit, tables, claims, notes)


def one_run_document(audit: OneRunAudit, claims: Sequence[Claimed] = (), deltas: Sequence[float] = ()) -> Document:
    """The bound from one run, the epsilon it refutes and the verdict on each claim."""
    rows: tuple[tuple[Value, ...], ...] = (
        (
            audit.mu_lower,
            audit.confidence,
            audit.canaries,
            ", ".join(map(str, audit.guesses)),
            ", ".join(map(str, audit.correct)),
        ),
    )
    bound = Table(
        "bound",
        "What the guesses prove",
        (
            Column("mu_lower", "μ at least", Rounding.DOWN),
            Column("confidence", "confidence"),
            Column("canaries", "canaries"),
            Column("guesses", "guesses"),
            Column("correct", "correct"),
        ),
        rows,
    )
    notes = ["Each canary was put in by a fair coin; the numbers of guesses were fixed before looking.", _ROUNDING]
    return _document("What one run proves", audit, [bound, *_epsilons(audit, deltas)], claims, notes)


def plan_document(plan: AuditPlan) -> Document:
    """How large an audit must be, by design."""
    columns = (
        Column("design", "design"),
        Column("with_record", "trials with the record"),
        Column("without_record", "trials without"),
        Column("canaries", "canaries in one run"),
        Column("guesses", "guesses"),
        Column("fpr", "FPR of the threshold", Rounding.NEAREST),
        Column("power", "power", Rounding.DOWN),
    )
    rows: list[tuple[Value, ...]] = []
    for design, trials in (
        ("threshold known in advance", plan.fixed_threshold),
        ("every threshold (the default)", plan.equal_local_level),
    ):
        if trials is None:
            rows.append((design, "over 1e7", "over 1e7", "", "", "", ""))
        else:
            rows.append((design, trials.trials, trials.trials, "", "", trials.fpr, trials.power))
    if plan.one_run is None:
        rows.append(("one run with canaries", "", "", "over 1e5", "", "", ""))
    else:
        run = plan.one_run
        rows.append(("one run with canaries", "", "", run.canaries, run.guesses, "", run.power))
    title = (
        f"To prove μ > {shown(plan.claim_mu)} when the truth is μ = {shown(plan.mu)}, with power {shown(plan.power)} "
        f"at {shown(round(100 * plan.confidence, 10))} % confidence"
    )
    notes = (
        "Each size suffices if the attack is as good as the truth allows and its trials, or its canaries, do not "
        "influence each other.",
        "Sizes have two digits. One run proves less than the truth, however many canaries there are.",
    )
    return Document.tabular(title, (Table("plan", "Sizes that suffice", columns, tuple(rows)),), notes)


def _document(
    title: str, audit: Audit | OneRunAudit, tables: Sequence[Table], claims: Sequence[Claimed], notes: Sequence[str]
) -> Document:
    if not claims:
        return Document.tabular(title, tuple(tables), tuple(notes))
    verdicts = [audit.verdict(claim) for claim in claims]
    rows = tuple(
        (described(claim), "contradicted" if verdict.contradicted else "consistent")
        for claim, verdict in zip(claims, verdicts, strict=True)
    )
    table = Table("claims", "Claims", (Column("claim", "claim"), Column("verdict", "verdict")), rows)
    return Document.tabular(title, (*tables, table), (*(verdict.sentence for verdict in verdicts), *notes))


def _epsilons(audit: Audit | OneRunAudit, deltas: Sequence[float]) -> list[Table]:
    if not deltas:
        return []
    columns = (Column("delta", "δ"), Column("epsilon_lower", "ε at least", Rounding.DOWN))
    rows = tuple((delta, audit.epsilon_lower(delta)) for delta in deltas)
    return [Table("epsilon", "As (ε, δ)-DP, without going through μ", columns, rows)]


def _given(value: float | None) -> Value:
    return _NOTHING if value is None else value
