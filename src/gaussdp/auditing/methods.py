"""The protocol of a method, and the methods that look at one threshold; one is Bayesian, and labelled so."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from gaussdp.auditing.counts import Counts, ScoreCounts
from gaussdp.auditing.result import Audit, RocBand
from gaussdp.domains import LEVEL, POSITIVE, REAL, instance, integer, number, settle
from gaussdp.numerics import TINY, Floats
from gaussdp.objects import guard

EXACT_UP_TO = 512


@dataclass(frozen=True)
class RankSettings:
    """How the ranks lie at which a band is held."""

    fine: float = 0.25  # spacing in standard deviations of the count, in the tails
    coarse: float = 1.0  # and in the middle, where a standard deviation is a small rate
    tail: int = 10_000  # ranks that count as tail, from either end
    most: int = 8_000  # ranks at all; beyond, the middle is spaced wider


RATES = RankSettings()


def rate_upper(errors: ArrayLike, trials: ArrayLike, tail: ArrayLike) -> Floats:
    r"""Clopper-Pearson: the rate whose chance of so few errors is just the tail.

    .. math:: u = B^{-1}(1 - a;\; k + 1,\; n - k), \qquad u = 1 \text{ if } k = n

    For k = 0 the closed form 1 - a^(1/n) keeps every digit; elsewhere the complemented inverse does.

    Args:
        errors: k, whole numbers from 0 to trials; broadcasts.
        trials: n, at least 1.
        tail: a in (0, 1), the chance that the bound fails.
    """
    k, n, a = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in (errors, trials, tail)))
    with np.errstate(all="ignore"):
        upper = special.betainccinv(k + 1, np.maximum(n - k, 1.0), a)
    upper = np.where(k == 0, -np.expm1(np.log(a) / n), upper)
    return np.where(k < n, upper, 1.0)


def quantile_sum(fpr: ArrayLike, fnr: ArrayLike) -> Floats:
    r"""The mu of the GDP curve through a point of error rates, 0 where guessing does as well.

    .. math:: \max(0,\; \Phi^{-1}(1 - \mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr}))
    """
    x, y = np.broadcast_arrays(np.asarray(fpr, dtype=np.float64), np.asarray(fnr, dtype=np.float64))
    useful = x + y < 1
    with np.errstate(all="ignore"):
        mu = -special.ndtri(x) - special.ndtri(y)
    return np.maximum(np.where(useful, mu, 0.0), 0.0)


@lru_cache(maxsize=64)
def rank_grid(trials: int) -> Counts:
    """Ascending counts from 0 to trials - 1, chosen by the number of trials alone, never by the scores.

    A bound held at these counts holds at every count: between two of them the upper one's bound serves.
    """
    if trials <= EXACT_UP_TO:
        return np.arange(trials, dtype=np.int64)
    coarse = max(RATES.coarse, math.pi * math.sqrt(trials) / RATES.most)
    lower = [0]
    while lower[-1] <= trials // 2:
        rank = lower[-1]
        lower.append(rank + max(1, math.floor((RATES.fine if rank < RATES.tail else coarse) * math.sqrt(rank))))
    ascending = np.array(lower, dtype=np.int64)
    return np.unique(np.concatenate((ascending, trials - 1 - ascending)))


def held(counts: Counts | Floats, grid: Counts) -> Counts:
    """For each count the place in the grid whose bound serves; the length of the grid where the count is beyond it."""
    return np.searchsorted(grid, counts, side="left")


_CAUTION = 0.1  # of the tail when choosing: a threshold must not win by luck alone
_ALMOST_ONE = 1 - 1e-15
_MOST_SEED = 2**64 - 1


class Method(ABC):
    """A way to turn counts per score into a lower bound on mu."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        guard(
            cls,
            counts=lambda name, value: instance(name, value, ScoreCounts, "ScoreCounts"),
            confidence=lambda name, value: number(name, value, LEVEL),
        )

    @abstractmethod
    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        """The audit of these counts at this confidence, in (0, 1)."""

    def flipped(self) -> "Method":
        """The same method for negated scores."""
        return self


@dataclass(frozen=True)
class FixedThreshold(Method):
    r"""One threshold, chosen before looking at these scores; Clopper-Pearson on both error rates.

    .. math:: \max\{0,\; \Phi^{-1}(1 - \mathrm{CP}(\mathrm{FP}, n_0, a/2))
              - \Phi^{-1}(\mathrm{CP}(\mathrm{FN}, n_1, a/2))\}

    The tightest method if the threshold is good, and wrong if it was picked on the same scores.

    Args:
        threshold: the attack accuses whoever scores above it.
    Reference: Clopper & Pearson (1934).

    >>> from gaussdp import audit_counts
    >>> counts = {"members": [100, 300, 600], "nonmembers": [700, 295, 5]}
    >>> audit_counts([0, 1, 2], **counts, method=FixedThreshold(1.5)).mu_lower
    2.44267...
    """

    threshold: float

    def __post_init__(self) -> None:
        settle(self, threshold=REAL)

    def flipped(self) -> Method:
        return FixedThreshold(-self.threshold)

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        return at_threshold(self, counts, self.threshold, confidence)


@dataclass(frozen=True)
class Split(Method):
    r"""Choose the threshold on a random half of the people of each side, bound on the other half.

    .. math:: \mu \ge \Phi^{-1}(1 - \bar\alpha) - \Phi^{-1}(\bar\beta)

    People are told apart by the order in which their scores are given, never by the scores, so for every seed the
    halves are independent and the bound keeps its confidence. Fix the seed before looking: trying several and keeping
    the best is the error this method is made to avoid. Scores that were sorted, and bare counts, are refused.

    Args:
        seed: of the random split, from 0 to 2^64 - 1.
    Reference: Clopper & Pearson (1934); the threshold is chosen on other scores.

    >>> Split(seed=0).seed
    0
    """

    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", integer("seed", self.seed, low=0, high=_MOST_SEED))

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        choosing, bounding = counts.halves(self.seed)
        return at_threshold(self, bounding, promising_threshold(choosing, (1 - confidence) / 2), confidence)


def at_threshold(method: Method, counts: ScoreCounts, threshold: float, confidence: float) -> Audit:
    """The Clopper-Pearson bound at a threshold that does not depend on these counts."""
    false_positives, false_negatives = counts.errors_at(threshold)
    tail = (1 - confidence) / 2
    fpr_upper = float(rate_upper(false_positives, counts.nonmember_total, tail))
    fnr_upper = float(rate_upper(false_negatives, counts.member_total, tail))
    return Audit(
        mu_lower=float(quantile_sum(fpr_upper, fnr_upper)),
        method=method,
        threshold=threshold,
        confidence=confidence,
        kind="confidence",
        fpr_upper=fpr_upper,
        fnr_upper=fnr_upper,
        false_positives=false_positives,
        false_negatives=false_negatives,
        nonmembers=counts.nonmember_total,
        members=counts.member_total,
        auc=counts.area(),
        auc_lower=None,
        band=single_point_band(counts, threshold, fpr_upper, fnr_upper),
    )


def single_point_band(counts: ScoreCounts, threshold: float, fpr_upper: float, fnr_upper: float) -> RocBand:
    """The empirical ROC, with bounds at this threshold alone."""
    empirical = unbounded_band(counts)
    errors = counts.errors_at(threshold)
    place = int(np.searchsorted(empirical.thresholds, threshold))
    return RocBand(
        np.insert(empirical.thresholds, place, threshold),
        np.insert(empirical.fpr, place, errors[0] / counts.nonmember_total),
        np.insert(empirical.fnr, place, errors[1] / counts.member_total),
        np.insert(empirical.fpr_upper, place, fpr_upper),
        np.insert(empirical.fnr_upper, place, fnr_upper),
    )


def unbounded_band(counts: ScoreCounts) -> RocBand:
    """The empirical ROC, with no bound anywhere."""
    places = corner_places(counts)
    nothing = np.ones(places.size)
    return RocBand(
        counts.scores[places],
        counts.false_positives[places] / counts.nonmember_total,
        counts.false_negatives[places] / counts.member_total,
        nothing,
        nothing,
    )


def corner_places(counts: ScoreCounts) -> Counts:
    """Scores worth a look: for each rank of the grids, the lowest threshold with so few false positives, and so on.

    At most some thousands, whatever the number of scores; all that matter in samples of up to 512.
    """
    negative_positives, negatives = -counts.false_positives, counts.false_negatives
    lowest = np.searchsorted(negative_positives, -rank_grid(counts.nonmember_total), side="left")
    highest = np.searchsorted(negatives, rank_grid(counts.member_total), side="right") - 1
    return np.unique(np.concatenate((lowest, highest[highest >= 0])))


def promising_threshold(counts: ScoreCounts, tail: float) -> float:
    """The threshold with the best cautious bound on these counts, which are not used again.

    Bounds below 0 count as well: where nothing is proved, some thresholds are still better than others.
    """
    places = corner_places(counts)
    fpr = rate_upper(counts.false_positives[places], counts.nonmember_total, _CAUTION * tail)
    fnr = rate_upper(counts.false_negatives[places], counts.member_total, _CAUTION * tail)
    z = special.ndtri(np.minimum(fpr, _ALMOST_ONE)) + special.ndtri(np.minimum(fnr, _ALMOST_ONE))
    return float(counts.scores[places[int(np.argmin(z))]])


@dataclass(frozen=True)
class AUC(Method):
    r"""The area under the ROC curve, which mu-GDP keeps below Phi(mu / sqrt 2); no threshold to choose.

    .. math:: \mu \ge \sqrt 2\, \Phi^{-1}\!\left(\mathrm{AUC} - \sqrt{\frac{\ln(1/a)}{2 \min(n_0, n_1)}}\right)

    Strong against weak attacks that are a little right everywhere; blind to those that are sure of a few people.
    Reference: Hoeffding (1963), Section 5, for the deviation of a two-sample mean over pairs; ties count half.

    >>> from gaussdp import audit_counts
    >>> counts = {"members": [100, 300, 600], "nonmembers": [700, 295, 5]}
    >>> audit_counts([0, 1, 2], **counts, method=AUC()).mu_lower
    1.45997...
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
