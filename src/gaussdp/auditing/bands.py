r"""Methods that look at every threshold at once: a band on each side that holds everywhere, so any point may be picked.

Why ties do no harm. For nonmember scores Y of any distribution let S(t) = P(Y > t). There are uniforms U with
{Y > t} = {U <= S(t)} for all t at once, so the false positives at t number those U in [0, S(t)]. A band that holds for
all levels s in [0, 1] holds in particular for the levels S(t); where Y has atoms these are fewer, and the chance of a
failure is smaller. The same goes for members and P(X <= t).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gaussdp.auditing.counts import Counts, ScoreCounts
from gaussdp.auditing.local_level import local_level
from gaussdp.auditing.methods import Method, corner_places
from gaussdp.auditing.rates import held, quantile_sum, rank_grid, rate_upper
from gaussdp.auditing.result import Audit, RocBand
from gaussdp.numerics import Floats

Upper = Callable[[Counts, int, float], Floats]

BLOCK = 1 << 16  # thresholds looked at together


@dataclass(frozen=True)
class DKW(Method):
    r"""A band of constant width (Dvoretzky-Kiefer-Wolfowitz with Massart's constant).

    .. math:: \mathrm{fpr} \le \frac{\mathrm{FP}}{n_0} + \sqrt{\frac{\ln(2/a)}{2 n_0}}, \qquad
              \mathrm{fnr} \le \frac{\mathrm{FN}}{n_1} + \sqrt{\frac{\ln(2/a)}{2 n_1}}

    at all thresholds together. Tight for thresholds in the middle, blind to attacks with few false positives.
    Reference: Massart (1990), The Annals of Probability 18.

    >>> from gaussdp import audit_counts
    >>> counts = {"members": [100, 300, 600], "nonmembers": [700, 295, 5]}
    >>> audit_counts([0, 1, 2], **counts, method=DKW()).mu_lower
    1.80859...
    """

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        return scanned(self, counts, confidence, _dkw_upper, np.arange(counts.scores.size))


@dataclass(frozen=True)
class EqualLocalLevel(Method):
    r"""A band in which every order statistic has the same chance to break out.

    .. math:: P\bigl(\exists i : U_{(i)} \notin [a_i, b_i]\bigr) = \alpha

    At each threshold the Clopper-Pearson bounds at a level g, smaller than a/2 by just as much as it takes for all of
    one side to hold with probability 1 - a/2. g depends on the number of trials alone and is computed exactly up to 512
    trials, and on the safe side beyond, where the band is held at a fixed set of ranks (`gaussdp.auditing.rates`).

    As tight in the corners of the ROC curve, where strong attacks live, as in its middle.

    Reference: Berk & Jones (1979).

    >>> from gaussdp import audit_counts
    >>> counts = {"members": [100, 300, 600], "nonmembers": [700, 295, 5]}
    >>> audit_counts([0, 1, 2], **counts, method=EqualLocalLevel()).mu_lower
    2.22678...
    """

    def run(self, counts: ScoreCounts, confidence: float) -> Audit:
        return scanned(self, counts, confidence, equal_level_upper, corner_places(counts))


def _dkw_upper(errors: Counts, trials: int, tail: float) -> Floats:
    return np.minimum(errors / trials + math.sqrt(-math.log(tail) / (2 * trials)), 1.0)


def equal_level_upper(errors: Counts, trials: int, tail: float) -> Floats:
    """Bounds on the rate at each of these error counts that hold together at all counts."""
    return equal_level_table(trials, tail)[held(errors, rank_grid(trials))]


@lru_cache(maxsize=32)
def equal_level_table(trials: int, tail: float) -> Floats:
    """The bounds at the ranks of the grid, and 1 for the count beyond it."""
    return np.append(rate_upper(rank_grid(trials), trials, local_level(trials, tail)), 1.0)


def scanned(method: Method, counts: ScoreCounts, confidence: float, upper: Upper, places: Counts) -> Audit:
    """The audit by a band: the largest mu that any of these places proves.

    Args:
        upper: (errors, trials, tail) to upper bounds on the rate that all hold with probability 1 - tail.
        places: indices of the scores to look at as thresholds.
    """
    tail = (1 - confidence) / 2
    positives, negatives = counts.false_positives, counts.false_negatives
    nonmembers, members = counts.nonmember_total, counts.member_total

    def bounds(chosen: Counts) -> tuple[Floats, Floats]:
        return upper(positives[chosen], nonmembers, tail), upper(negatives[chosen], members, tail)

    best, mu_lower = int(places[0]), -1.0
    for start in range(0, places.size, BLOCK):
        block = places[start : start + BLOCK]
        mu = quantile_sum(*bounds(block))
        if mu.max() > mu_lower:
            best, mu_lower = int(block[np.argmax(mu)]), float(mu.max())
    kept = np.union1d(corner_places(counts), best)
    fpr_upper, fnr_upper = bounds(kept)
    here = int(np.searchsorted(kept, best))
    return Audit(
        mu_lower=mu_lower,
        method=method,
        threshold=float(counts.scores[best]) if mu_lower > 0 else None,
        confidence=confidence,
        kind="confidence",
        fpr_upper=float(fpr_upper[here]),
        fnr_upper=float(fnr_upper[here]),
        false_positives=int(positives[best]),
        false_negatives=int(negatives[best]),
        nonmembers=nonmembers,
        members=members,
        auc=counts.area(),
        auc_lower=None,
        band=RocBand(
            counts.scores[kept], positives[kept] / nonmembers, negatives[kept] / members, fpr_upper, fnr_upper
        ),
    )
