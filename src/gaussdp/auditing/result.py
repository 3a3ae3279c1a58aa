"""What an audit of independent trials found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gaussdp.auditing.claims import (
    Claimed,
    Evidence,
    as_guarantee,
    below_curve,
    epsilon_by_area,
    largest_area,
)
from gaussdp.auditing.designs import Design, wrong_way
from gaussdp.documents import Column, Document, Rounding, Table, Value
from gaussdp.domains import PROBABILITY, number
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats
from gaussdp.objects import Compared

if TYPE_CHECKING:
    from gaussdp.auditing.methods import Method

TABLES = ("bound", "attack", "epsilon", "claims")

PAID = "Both directions of the scores were tried, each at half the error; the better one is shown."
_CREDIBLE = "This is a credible bound, a posterior probability under a prior; it is not a confidence bound."


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(Compared):
    """The empirical ROC and what the method bounds it by, at no more than some thousands of thresholds.

    Attributes:
        thresholds: the attack accuses whoever scores above; ascending. Descending, where it accuses who scores below.
        fpr, fnr: observed rates.
        fpr_upper, fnr_upper: upper bounds on the true rates, all valid together with the audit's confidence; 1 where
            the method says nothing.
    """

    thresholds: Floats
    fpr: Floats
    fnr: Floats
    fpr_upper: Floats
    fnr_upper: Floats

    def __repr__(self) -> str:
        return f"<RocBand at {self.thresholds.size:,} thresholds>"


@dataclass(frozen=True)
class Audit(Evidence):
    """A lower bound on mu from the scores of an attack, with its confidence.

    Attributes:
        mu_lower: with the stated confidence the mechanism is mu-GDP for no mu below this; 0 if nothing is proved.
        method: how it was found.
        threshold: whoever scores above it is accused, in the attack that proves the bound; None if no single one does.
        confidence: of the whole statement.
        kind: "confidence" (the bound fails in at most a share 1 - confidence of audits, whatever the truth), or
            "credible" (a posterior probability under a prior; no such promise).
        fpr_upper, fnr_upper: upper bounds on that attack's error rates, or None.
        false_positives, false_negatives: its errors, or None.
        nonmembers, members: the trials that the bound rests on; for a split, the half that was held out.
        auc: observed area under the ROC curve of these trials.
        auc_lower: its lower bound, where the method is one of areas.
        band: ROC and bounds by threshold.
        design: how the scores came about; if it is only assumed, there is no verdict on a claim.
        lower: whether the attack accuses who scores below the threshold.
        either: whether both directions were tried, each at half the error.

    >>> from gaussdp import audit_errors
    >>> found = audit_errors(false_positives=5, nonmembers=1000, false_negatives=400, members=1000)
    >>> found.mu_lower
    2.44267...
    """

    mu_lower: float
    method: "Method"
    threshold: float | None
    confidence: float
    kind: str = field(repr=False)
    fpr_upper: float | None = field(repr=False)
    fnr_upper: float | None = field(repr=False)
    false_positives: int | None = field(repr=False)
    false_negatives: int | None = field(repr=False)
    nonmembers: int = field(repr=False)
    members: int = field(repr=False)
    auc: float = field(repr=False)
    auc_lower: float | None = field(repr=False)
    band: RocBand = field(repr=False, compare=False)
    design: Design = Design.UNSTATED
    lower: bool = field(default=False, repr=False)
    either: bool = field(default=False, repr=False)

    @property
    def guarantee(self) -> GDP:
        """The strongest GDP guarantee that the scores do not contradict: a floor on the truth, not a promise."""
        return GDP(self.mu_lower)

    def _contradicts(self, claim: Claimed) -> bool:
        """Whether the claim is refuted, if the scores came about as assumed.

        All the bounds of the band hold together, so a guarantee that is no GDP is compared at every threshold.
        """
        guarantee = as_guarantee(claim)
        if isinstance(guarantee, GDP):
            return self.mu_lower > guarantee.mu
        if self.auc_lower is not None:
            return self.auc_lower > largest_area(guarantee)
        return below_curve(guarantee, self.band.fpr_upper, self.band.fnr_upper)

    def epsilon_lower(self, delta: float) -> float:
        r"""The epsilon below which (epsilon, delta)-DP is refuted at the same confidence.

        .. math:: \max \log\frac{1 - \delta - \mathrm{fnr}}{\mathrm{fpr}},\;
                  \log\frac{1 - \delta - \mathrm{fpr}}{\mathrm{fnr}}

        over the thresholds, with upper bounds for both rates; 0 if nothing is proved. It does not pass through mu, so
        it holds for mechanisms of any kind. Where the area is what is bounded, the epsilon is the one whose curve has
        that area.

        Args:
            delta: in [0, 1].
        """
        level = number("delta", delta, PROBABILITY)
        if self.auc_lower is not None:
            return epsilon_by_area(self.auc_lower, level)
        rest = 1 - level
        x, y = self.band.fpr_upper, self.band.fnr_upper
        with np.errstate(all="ignore"):
            ratios = np.concatenate(((rest - y) / x, (rest - x) / y))
        return float(np.log(max(1.0, ratios.max())))

    def document(self, claims: Sequence[Claimed] = (), deltas: Sequence[float] = ()) -> Document:
        """The bound, the attack that proves it, the epsilon it refutes and the outcome for each claim.

        Args:
            claims: mus, guarantees or published claims to judge.
            deltas: at which to say what epsilon is refuted; a method that bounds no error rates refutes none.
        """
        bound = Table(
            "bound",
            "What the scores prove",
            (
                Column("mu_lower", "μ at least", Rounding.DOWN),
                Column("confidence", "confidence" if self.kind == "confidence" else "credibility"),
                Column("kind", "kind"),
                Column("method", "method"),
                Column("design", "design"),
            ),
            ((self.mu_lower, self.confidence, self.kind, str(self.method), self.design.value),),
        )
        attack = Table(
            "attack",
            "The attack that proves it" if self.mu_lower > 0 else "The best attack, which proves nothing",
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
                    _given(self.threshold),
                    _given(self.false_positives),
                    self.nonmembers,
                    _given(self.fpr_upper),
                    _given(self.false_negatives),
                    self.members,
                    _given(self.fnr_upper),
                    self.auc,
                ),
            ),
        )
        notes = [accusing(lower=self.lower)]
        if self.either:
            notes.append(PAID)
        elif self.auc < 0.5:
            notes.append(wrong_way(self.auc, lower=self.lower))
        if self.kind == "credible":
            notes.append(_CREDIBLE)
        return self._document("What the attack scores prove", (bound, attack), claims, deltas, notes)


def accusing(*, lower: bool) -> str:
    """The sentence that says whom the attack accuses."""
    return f"The attack accuses whoever scores {'below' if lower else 'above'} the threshold."


def _given(value: float | None) -> Value:
    return "none" if value is None else value
