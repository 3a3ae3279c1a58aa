"""The area under the ROC curve as evidence."""

import math
from dataclasses import dataclass

from scipy import special

from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.methods import Method, unbounded_band
from gaussdp.auditing.result import Audit


@dataclass(frozen=True)
class AUC(Method):
    r"""The area under the ROC curve, which mu-GDP keeps below Phi(mu / sqrt 2); no threshold to choose.

    .. math:: \mu \ge \sqrt 2\, \Phi^{-1}\!\left(\mathrm{AUC} - \sqrt{\frac{\ln(1/a)}{2 \min(n_0, n_1)}}\right)

    Strong against weak attacks that are a little right everywhere; blind to those that are sure of a few people.
    Reference: Hoeffding (1963), section 5b, for the deviation of a two-sample mean over pairs; ties count half.
    """

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        auc = counts.area()
        smaller = min(counts.nonmember_total, counts.member_total)
        auc_lower = max(0.0, auc - math.sqrt(-math.log1p(-confidence) / (2 * smaller)))
        return Audit(
            mu_lower=math.sqrt(2) * float(special.ndtri(auc_lower)) if auc_lower > 0.5 else 0.0,
            method=self,
            threshold=None,
            confidence=confidence,
            kind="confidence",
            fpr_upper=None,
            fnr_upper=None,
            false_positives=None,
            false_negatives=None,
            nonmembers=counts.nonmember_total,
            members=counts.member_total,
            auc=auc,
            auc_lower=auc_lower,
            band=unbounded_band(counts),
        )
