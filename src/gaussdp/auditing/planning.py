"""How large an audit must be to find what it looks for."""

from dataclasses import dataclass

from gaussdp.auditing.sizes import (
    PlannedPairs,
    PlannedRun,
    PlannedTrials,
    plan_every_threshold,
    plan_pairs,
    plan_run,
    plan_threshold,
)
from gaussdp.documents import Column, Displayed, Document, Rounding, Table, Value, shown
from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, number
from gaussdp.errors import DomainError

_SEQUENTIAL = "pairs one by one (sequential)"


@dataclass(frozen=True)
class AuditPlan(Displayed):
    """What it takes to prove mu > claim_mu when the truth is mu and the attack is as good as mu-GDP allows.

    Attributes:
        mu: the truth to detect.
        claim_mu: the claim to refute.
        power: asked for.
        confidence: of the audit.
        fixed_threshold: with the best threshold known in advance, or None beyond 10^7 trials a side.
        equal_local_level: with the default method, which looks at every threshold; its power is simulated, with a
            fixed seed, at fewer thresholds than it looks at, so the true one is a little more.
        one_run: with canaries whose scores are independent, or None beyond 10^5 canaries: a single run proves less
            than the truth however many there are.
        sequential: with pairs one by one, looked at after each, or None beyond 10^6 pairs; simulated with a fixed seed.

    >>> from gaussdp import plan_audit
    >>> type(plan_audit(2.0)).__name__
    'AuditPlan'
    """

    mu: float
    claim_mu: float
    power: float
    confidence: float
    fixed_threshold: PlannedTrials | None
    equal_local_level: PlannedTrials | None
    one_run: PlannedRun | None
    sequential: PlannedPairs | None = None

    def __repr__(self) -> str:
        size = "over 1e7" if self.equal_local_level is None else f"{self.equal_local_level.trials:,}"
        return f"<AuditPlan to refute μ = {self.claim_mu:g} where it is {self.mu:g}: {size} trials a side>"

    def document(self) -> Document:
        """How large an audit must be, by design."""
        columns = (
            Column("design", "design"),
            Column("with_record", "trials with the record"),
            Column("without_record", "trials without"),
            Column("expected_pairs", "pairs expected"),
            Column("canaries", "canaries in one run"),
            Column("guesses", "guesses"),
            Column("fpr", "FPR of the threshold", Rounding.NEAREST),
            Column("power", "power", Rounding.DOWN),
        )
        rows: list[tuple[Value, ...]] = []
        for design, trials in (
            ("threshold known in advance", self.fixed_threshold),
            ("every threshold (the default)", self.equal_local_level),
        ):
            if trials is None:
                rows.append((design, "over 1e7", "over 1e7", "", "", "", "", ""))
            else:
                rows.append((design, trials.trials, trials.trials, "", "", "", trials.fpr, trials.power))
        if self.one_run is None:
            rows.append(("one run with canaries", "", "", "", "over 1e5", "", "", ""))
        else:
            run = self.one_run
            rows.append(("one run with canaries", "", "", "", run.canaries, run.guesses, "", run.power))
        if self.sequential is None:
            rows.append((_SEQUENTIAL, "over 1e6", "over 1e6", "over 1e6", "", "", "", ""))
        else:
            pairs = self.sequential
            rows.append((_SEQUENTIAL, pairs.pairs, pairs.pairs, pairs.expected, "", "", "", pairs.power))
        title = (
            f"To prove μ > {shown(self.claim_mu)} when the truth is μ = {shown(self.mu)}, with power "
            f"{shown(self.power)} at {shown(round(100 * self.confidence, 10))} % confidence"
        )
        notes = (
            "Each size suffices if the attack is as good as the truth allows and its trials, or its canaries, do not "
            "influence each other.",
            "The pairs of a sequential audit are those by which it has ended with this power, and those in the mean.",
            "Sizes have two digits. One run proves less than the truth, however many canaries there are.",
        )
        return Document.tabular(title, (Table("plan", "Sizes that suffice", columns, tuple(rows)),), notes)


def plan_audit(mu: float, claim_mu: float = 0.0, power: float = 0.9, confidence: float = 0.95) -> AuditPlan:
    """How many trials or canaries prove, with this power, that the claim is wrong when the truth is mu.

    Args:
        mu: the truth, above claim_mu; the attack's scores are those of N(mu, 1) against N(0, 1).
        claim_mu: the claim to refute; 0 asks for any leak at all.
        power: probability of detection, in (0, 1).
        confidence: of the audit, in (0, 1).

    >>> plan_audit(mu=1.0).fixed_threshold
    PlannedTrials(trials=..., fpr=0.3..., power=0.9...)
    """
    truth, claim = number("mu", mu, POSITIVE), number("claim_mu", claim_mu, FINITE_NON_NEGATIVE)
    if truth <= claim:
        raise DomainError("mu", f"above claim_mu = {claim:g}", got=f"{truth:g}: there is nothing to refute")
    asked, level = number("power", power, LEVEL), number("confidence", confidence, LEVEL)

    question = (truth, claim, asked, level)
    known = plan_threshold(*question)
    return AuditPlan(
        *question,
        fixed_threshold=known,
        equal_local_level=plan_every_threshold(*question, known),
        one_run=plan_run(*question),
        sequential=plan_pairs(*question),
    )
