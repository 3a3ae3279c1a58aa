"""Upper confidence bounds on an error rate, the mu that two rates prove, and the ranks at which a band is held."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from gaussdp.auditing.counts import Counts
from gaussdp.numerics import Floats

EXACT_UP_TO = 512


@dataclass(frozen=True)
class RankSettings:
    """How the ranks lie at which a band is held."""

    fine: float = 0.25  # spacing in standard deviations of the count, in the tails
    coarse: float = 1.0  # and in the middle, where a standard deviation is a small rate
    tail: int = 10_000  # ranks that count as tail, from either end
    most: int = 8_000  # ranks at all; beyond, the middle is spaced wider


SETTINGS = RankSettings()


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
    coarse = max(SETTINGS.coarse, math.pi * math.sqrt(trials) / SETTINGS.most)
    lower = [0]
    while lower[-1] <= trials // 2:
        rank = lower[-1]
        lower.append(rank + max(1, math.floor((SETTINGS.fine if rank < SETTINGS.tail else coarse) * math.sqrt(rank))))
    ascending = np.array(lower, dtype=np.int64)
    return np.unique(np.concatenate((ascending, trials - 1 - ascending)))


def held(counts: Counts | Floats, grid: Counts) -> Counts:
    """For each count the place in the grid whose bound serves; the length of the grid where the count is beyond it."""
    return np.searchsorted(grid, counts, side="left")
