"""What was found about a run, every number computed once; the words and the formats come after."""

from dataclasses import dataclass, field
from typing import Literal

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit
from gaussdp.documents.rounding import Rounding, rounded
from gaussdp.documents.tables import Table
from gaussdp.statements.assumptions import Assumption
from gaussdp.statements.run import Run
from gaussdp.statements.verdict import Verdict

Curve = AccountedCurve | DistributionCurve
Standing = Literal["holds", "does not hold", "depends"]


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
    curve: Curve = field(repr=False)

    @property
    def mu(self) -> float:
        """The guarantee, rounded up to the digits shown."""
        return rounded(self.fit.mu, Rounding.UP, self.digits)

    @property
    def standing(self) -> Standing:
        """Whether the number holds for the run as described, or depends on what is not stated."""
        verdicts = {assumption.verdict for assumption in self.assumptions if assumption.decisive}
        return "does not hold" if "not met" in verdicts else "depends" if "not stated" in verdicts else "holds"
