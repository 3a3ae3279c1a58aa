r"""Methods that look at every threshold at once: a band on each side that holds everywhere, so any point may be chosen.

How small each order statistic's own tail must be for a whole one-sided band to hold: let U be n sorted uniforms and b_k
= B^-1(1 - g; k+1, n-k), the level that U_(k+1) exceeds with probability g. The band over a set of ranks fails if some
U_(k+1) > b_k, that is, if fewer than k + 1 points lie in [0, b_k]: event V_k. Let q_j be the probability that V_j is
the first failure. Then at most j points lie in [0, b_j], and the fewer they are the likelier every later failure, so

    g = P(V_k) >= sum over j <= k of q_j A_kj,    A_kj = P(V_k | exactly j points in [0, b_j]),

and any weights w >= 0 with sum over k >= j of w_k A_kj >= 1 for every j give, by adding these up,

    P(the band fails) = sum of q_j <= g * sum of w_k.

The weights are found backwards, from the last rank to the first. Over all ranks the first inequality is an equality
(at the first failure exactly j points lie in [0, b_j]) and so is the last: the result is exact. Over a thinned set of
ranks, and with weights at fewer ranks still, it is an upper bound: the band can only be wider than needed.

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
from scipy import special

from gaussdp.auditing.counts import Counts, ScoreCounts
from gaussdp.auditing.methods import EXACT_UP_TO, Method, corner_places, held, quantile_sum, rank_grid, rate_upper
from gaussdp.auditing.result import Audit, RocBand
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class LevelSettings:
    """What is tuned about the search for a level."""

    aim: float = 0.9995  # of the allowed failure probability, so that the secant may miss a little
    enough: float = 0.999  # of it, which ends the search
    attempts: int = 30  # of the secant, which needs about five
    weight_spacing: float = 0.02  # between ranks that carry weight, in units of the log odds over two
    weight_reach: float = 0.9  # beyond which a failure says too little of a later one to be counted
    steepness: float = 0.87  # typical d log P(failure) / d log g, to start the secant


SETTINGS = LevelSettings()


_TRIALS = np.log([1, 5, 10, 20, 50, 100, 200, 512, 513, 1000, 1e4, 1e5, 1e6, 1e7])
_TAILS = -np.log([0.45, 0.1, 0.025, 0.005, 5e-6, 5e-13])
_RATIOS = np.array(
    (
        (1, 1, 1, 1, 1, 1),
        (2.534, 3.577, 4.088, 4.432, 4.902, 4.999),
        (3.664, 5.682, 6.794, 7.634, 9.192, 9.897),
        (5.091, 8.49, 10.51, 12.2, 16.01, 18.81),
        (7.414, 13.21, 16.97, 20.33, 29.41, 39.17),
        (9.466, 17.47, 22.87, 27.9, 42.71, 61.77),
        (11.74, 22.22, 29.49, 36.46, 58.29, 90.15),
        (15.14, 29.33, 39.39, 49.28, 82.2, 136.1),
        (26.74, 35.3, 43.14, 52, 86.35, 151.8),
        (31.65, 42.05, 51.7, 62.77, 107.2, 198.1),
        (50.24, 67.41, 83.78, 103.1, 186, 381.1),
        (70.38, 94.44, 117.6, 145.1, 266, 561.4),
        (91.97, 123.3, 153.6, 189.8, 351.4, 759),
        (114.5, 153.1, 190.6, 235.4, 437.2, 954.3),
    )
)
"""Computed tail over level, by trials and tail; beyond 512 trials the band is held at fewer ranks."""


def approximate_level(trials: int, tail: float) -> float:
    """About the local level, within a few parts in a hundred: for plans, and to start the search for the true one."""
    by_tail = [np.interp(math.log(trials), _TRIALS, ratios) for ratios in _RATIOS.T]
    return tail / float(np.interp(-math.log(tail), _TAILS, by_tail))


@lru_cache(maxsize=256)
def local_level(trials: int, tail: float) -> float:
    """The common tail g at which the band over `rank_grid(trials)` fails with probability at most `tail`.

    The value returned is one at which the failure probability itself was computed and found at most `tail`.

    Args:
        trials: sample size n, at least 1.
        tail: allowed failure probability of the whole band, in (0, 1).

    >>> round(local_level(10, 0.025), 6)
    0.00368
    """
    if trials == 1:
        return tail
    log_level = math.log(approximate_level(trials, tail))
    earlier: tuple[float, float] | None = None
    for _ in range(SETTINGS.attempts):
        level = math.exp(log_level)
        fails = failure_bound(trials, level)
        if SETTINGS.enough * tail <= fails <= tail:
            return level
        miss = math.log(fails / (SETTINGS.aim * tail))
        slope = SETTINGS.steepness
        if earlier is not None and log_level != earlier[0]:
            slope = min(max((miss - earlier[1]) / (log_level - earlier[0]), 0.3), 1.5)
        earlier = log_level, miss
        log_level = min(log_level - miss / slope, math.log(tail))
    raise ConvergenceError(f"no local level found for {trials} trials and tail {tail!r}")


def failure_bound(trials: int, level: float) -> float:
    """An upper bound on the probability that the band with this local level fails; exact up to 512 trials.

    Args:
        trials: n, at least 1.
        level: the tail of each order statistic, in (0, 1).
    """
    grid = rank_grid(trials)
    # 1 - b_k rather than b_k: near the last ranks b_k rounds to 1.
    beyond = np.asarray(special.betaincinv(trials - grid, grid + 1.0, level), dtype=np.float64)
    return level * total_weight(trials, grid, beyond, _weighted_places(trials, grid))


def _weighted_places(trials: int, grid: Counts) -> Counts:
    """Places in the grid that carry weight: all in small samples, else about evenly spaced in log odds."""
    places = np.arange(grid.size)
    if trials <= EXACT_UP_TO:
        return places
    log_odds = np.log((grid + 1.0) / (trials - grid)) / 2
    bins = np.floor(log_odds / SETTINGS.weight_spacing)
    last_of_bin = np.append(bins[1:] != bins[:-1], True)
    return np.flatnonzero(last_of_bin)


def total_weight(trials: int, grid: Counts, beyond: Floats, places: Counts) -> float:
    """The sum of the w_k, found from the last weighted rank to the first."""
    thinned = places.size < grid.size
    log_odds = np.log((grid + 1.0) / (trials - grid)) / 2
    weights = np.zeros(places.size)
    for i in range(places.size - 1, -1, -1):
        start = places[i - 1] + 1 if i else 0
        first = np.arange(start, places[i] + 1)  # first failures for which this is the next weighted rank
        stop = places.size
        if thinned:
            stop = int(np.searchsorted(log_odds[places], log_odds[places[i]] + SETTINGS.weight_reach, side="right"))
        later = places[i:stop]
        fails_later = _fails_given(trials, grid, beyond, later[None, :], first[:, None])
        lacking = 1 - fails_later[:, 1:] @ weights[i + 1 : stop]
        weights[i] = max(0.0, float(np.max(lacking / fails_later[:, 0])))
    return float(weights.sum())


def _fails_given(trials: int, grid: Counts, beyond: Floats, later: Counts, first: Counts) -> Floats:
    """A_kj: the chance of a failure at the later places given exactly grid[first] points before those of the first."""
    more = grid[later] - grid[first]
    chance = special.betainc(trials - grid[later], more + 1.0, beyond[later] / beyond[first])
    return np.asarray(chance, dtype=np.float64)


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
    trials, and on the safe side beyond, where the band is held at a fixed set of ranks (`gaussdp.auditing.methods`).

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
