"""A Bayesian answer, labelled as one."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.auditing.counts import ScoreCounts
from gaussdp.auditing.methods import Method, single_point_band
from gaussdp.auditing.result import Audit
from gaussdp.domains import POSITIVE, REAL, settle
from gaussdp.numerics import TINY, Floats


@dataclass(frozen=True)
class CredibleSettings:
    """What is tuned about the posterior."""

    nodes: int = 801  # of the quadrature, a trapezoidal rule
    outside: float = 1e-18  # posterior mass left out at either end of the quadrature
    bisections: int = 60  # which leave less of an interval than a double tells apart


SETTINGS = CredibleSettings()


@dataclass(frozen=True)
class Credible(Method):
    r"""The posterior quantile of mu at one threshold: credible, not a confidence bound.

    .. math:: \mu = \Phi^{-1}(1 - \alpha) - \Phi^{-1}(\beta)

    Each error rate has the prior Beta(prior, prior) and, given k errors in n trials, the posterior
    Beta(prior + k, prior + n - k), independently of the other. mu_lower is the value that
    Phi^-1(1 - fpr) - Phi^-1(fnr) exceeds with posterior probability `confidence`. It is larger than the confidence
    bound, and promises less: how often it fails depends on the truth.

    Args:
        threshold: the attack accuses whoever scores above it; chosen before looking at these scores.
        prior: 0.5 (Jeffreys) or another number above 0.
    Reference: Zanella-Beguelin et al. (2023), arXiv:2206.05199, there for epsilon.

    >>> from gaussdp import audit_counts
    >>> counts = {"members": [100, 300, 600], "nonmembers": [700, 295, 5]}
    >>> audit_counts([0, 1, 2], **counts, method=Credible(1.5)).mu_lower
    2.57737...
    """

    threshold: float
    prior: float = 0.5

    def __post_init__(self) -> None:
        settle(self, threshold=REAL, prior=POSITIVE)

    def flipped(self) -> Method:
        return Credible(-self.threshold, self.prior)

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        false_positives, false_negatives = counts.errors_at(self.threshold)
        nonmembers, members = counts.nonmember_total, counts.member_total
        fpr = (self.prior + false_positives, self.prior + nonmembers - false_positives)
        fnr = (self.prior + false_negatives, self.prior + members - false_negatives)
        tail = 1 - confidence
        fpr_upper, fnr_upper = (float(special.betainccinv(*posterior, tail / 2)) for posterior in (fpr, fnr))
        return Audit(
            mu_lower=posterior_quantile(fpr, fnr, tail),
            method=self,
            threshold=self.threshold,
            confidence=confidence,
            kind="credible",
            fpr_upper=fpr_upper,
            fnr_upper=fnr_upper,
            false_positives=false_positives,
            false_negatives=false_negatives,
            nonmembers=nonmembers,
            members=members,
            auc=counts.area(),
            auc_lower=None,
            band=single_point_band(counts, self.threshold, fpr_upper, fnr_upper),
        )


def posterior_quantile(fpr: tuple[float, float], fnr: tuple[float, float], tail: float) -> float:
    """The mu, at least 0, below which the posterior mass is the tail; the rates have these Beta posteriors."""
    z, mass = _normal_scores(*fpr)

    def mass_below(mu: float) -> float:
        # Phi^-1(1 - fpr) - Phi^-1(fnr) < mu where fnr > Phi(-z - mu), z = Phi^-1(fpr).
        return float(mass @ special.betaincc(*fnr, special.ndtr(-z - mu)))

    low, high = 0.0, 1.0
    if mass_below(low) >= tail:
        return 0.0
    while mass_below(high) < tail:
        low, high = high, 2 * high
    for _ in range(SETTINGS.bisections):
        middle = (low + high) / 2
        low, high = (middle, high) if mass_below(middle) < tail else (low, middle)
    return low


def _normal_scores(a: float, b: float) -> tuple[Floats, Floats]:
    """Nodes z = Phi^-1(x) for x of this Beta distribution and their masses: the trapezoid rule, exponentially good."""
    low = special.ndtri(max(float(special.betaincinv(a, b, SETTINGS.outside)), TINY))
    high = -special.ndtri(max(float(special.betaincinv(b, a, SETTINGS.outside)), TINY))
    z = np.linspace(low, high, SETTINGS.nodes)
    log_density = (a - 1) * special.log_ndtr(z) + (b - 1) * special.log_ndtr(-z) - z * z / 2
    mass = np.exp(log_density - log_density.max())
    return z, mass / mass.sum()
