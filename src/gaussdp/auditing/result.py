"""What an audit of independent trials found."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gaussdp.auditing.claims import (
    Claimed,
    Outcome,
    as_guarantee,
    below_curve,
    described,
    epsilon_by_area,
    largest_area,
)
from gaussdp.displays import Displayed
from gaussdp.domains import PROBABILITY, number
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats

if TYPE_CHECKING:
    from gaussdp.auditing.methods import Method

_SHOWN = 4


@dataclass(frozen=True, eq=False)
class Band:
    """The empirical ROC and what the method bounds it by, at no more than some thousands of thresholds.

    Attributes:
        thresholds: ascending; the attack accuses whoever scores above.
        fpr, fnr: observed rates.
        fpr_upper, fnr_upper: upper bounds on the true rates, all valid together with the audit's confidence; 1 where
            the method says nothing.
    """

    thresholds: Floats
    fpr: Floats
    fnr: Floats
    fpr_upper: Floats
    fnr_upper: Floats


@dataclass(frozen=True)
class Audit(Displayed):
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
    band: Band = field(repr=False, compare=False)

    @property
    def guarantee(self) -> GDP:
        """The strongest GDP guarantee that the scores do not contradict: a floor on the truth, not a promise."""
        return GDP(self.mu_lower)

    def contradicts(self, claim: Claimed) -> bool:
        """Whether the claim, a mu or any guarantee, is refuted at the audit's confidence.

        All the bounds of the band hold together, so a guarantee that is no GDP is compared at every threshold.
        """
        guarantee = as_guarantee(claim)
        if isinstance(guarantee, GDP):
            return self.mu_lower > guarantee.mu
        if self.auc_lower is not None:
            return self.auc_lower > largest_area(guarantee)
        return below_curve(guarantee, self.band.fpr_upper, self.band.fnr_upper)

    def verdict(self, claim: Claimed) -> Outcome:
        """The claim's verdict: consistent with it, or contradicted at this confidence."""
        contradicted = self.contradicts(claim)
        return Outcome(contradicted, sentence(claim, contradicted, self.confidence, self.kind))

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


def sentence(claim: Claimed, contradicted: bool, confidence: float, kind: str) -> str:
    """The verdict in words."""
    level = f"{100 * confidence:.{_SHOWN}g} % " + ("posterior probability" if kind == "credible" else "confidence")
    if contradicted:
        return f"The claim {described(claim)} is contradicted at {level}."
    return f"The scores are consistent with the claim {described(claim)} at {level}; that is no proof of it."
