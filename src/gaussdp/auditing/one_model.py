"""Members and nonmembers of one trained model: a curve to look at, and no claim."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from gaussdp.auditing.claims import Claimed, claims_table, described
from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.designs import Design, wrong_way
from gaussdp.auditing.methods import unbounded_band
from gaussdp.auditing.result import RocBand, accusing
from gaussdp.documents import Column, Displayed, Document, Rounding, Table
from gaussdp.domains import PROBABILITY, number
from gaussdp.errors import DomainError

TABLES = ("attack", "curve", "claims")
_UNJUDGED = "no verdict for this design"
_FPRS = (0.001, 0.01, 0.1)
_WHY = (
    "What can be concluded: how well this attack tells these members from these nonmembers, on this one model.",
    "What cannot: anything about a guarantee. The scores share one run, so they are not independent, and the two groups"
    " may differ for reasons other than training.",
    "For a bound, put each row in by its own fair coin (--design one-run), or train anew for each score"
    " (--design trials).",
)


@dataclass(frozen=True)
class Description(Displayed):
    """What an attack achieves on the rows of one model: observed rates, no bound and no verdict.

    Attributes:
        auc: observed area under the ROC curve.
        members, nonmembers: how many scores there are.
        lower: whether lower scores mean members.
        band: the observed curve.
        design: one-model.
    """

    auc: float
    members: int
    nonmembers: int
    lower: bool = field(repr=False)
    band: RocBand = field(repr=False, compare=False)
    design: Design = field(default=Design.ONE_MODEL, init=False)

    @classmethod
    def of(cls, counts: ScoreCounts, *, lower: bool) -> "Description":
        """The description of these counts, in which higher means member."""
        return cls(counts.area(), counts.member_total, counts.nonmember_total, lower, unbounded_band(counts))

    def tpr(self, fpr: float) -> float:
        """The largest observed true-positive rate at an observed false-positive rate of at most this."""
        allowed = self.band.fpr <= number("fpr", fpr, PROBABILITY)
        return float(1 - np.min(self.band.fnr[allowed], initial=1.0))

    def contradicts(self, claim: Claimed) -> NoReturn:
        """Refused: rows of one model refute no claim."""
        raise DomainError(
            "design",
            problem=f"one-model gives no verdict on the claim {described(claim)}",
            advice="put each row in by its own fair coin (one-run), or train anew for each score (trials)",
        )

    verdict = contradicts

    def document(self, claims: Sequence[Claimed] = ()) -> Document:
        """The observed rates, and what they do not say."""
        attack = Table(
            "attack",
            "What the attack does on this model",
            (
                Column("design", "design"),
                Column("members", "members"),
                Column("nonmembers", "nonmembers"),
                Column("auc", "AUC observed", Rounding.NEAREST),
            ),
            ((self.design.value, self.members, self.nonmembers, self.auc),),
        )
        curve = Table(
            "curve",
            "Observed curve, without a claim",
            (Column("fpr", "FPR at most"), Column("tpr", "TPR observed", Rounding.NEAREST)),
            tuple((fpr, self.tpr(fpr)) for fpr in _FPRS),
        )
        refused = [f"No verdict on the claim {described(claim)}: one-model scores refute none." for claim in claims]
        judged = [claims_table(claims, [_UNJUDGED] * len(claims))] if claims else []
        notes = [self.design.assumption, *refused, *_WHY, accusing(lower=self.lower)]
        if self.auc < 0.5:
            notes.append(wrong_way(self.auc, lower=self.lower, payable=False))
        return Document.tabular(
            "What the attack scores of one model show: no bound, no verdict", (attack, curve, *judged), notes
        )
