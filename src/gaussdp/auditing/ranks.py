"""The ranks at which a whole band is held: all of them in small samples, a fixed few thousand in large ones."""

import math
from functools import lru_cache

import numpy as np

from gaussdp.auditing.counts import Counts

EXACT_UP_TO = 512
_FINE = 0.25  # spacing in standard deviations of the count, in the tails
_COARSE = 1.0  # and in the middle, where a standard deviation is a small rate
_TAIL = 10_000  # ranks that count as tail, from either end
_MOST = 8_000  # ranks at all; beyond, the middle is spaced wider


@lru_cache(maxsize=64)
def rank_grid(trials: int) -> Counts:
    """Ascending counts from 0 to trials - 1, chosen by the number of trials alone, never by the scores.

    A bound held at these counts holds at every count: between two of them the upper one's bound serves.
    """
    if trials <= EXACT_UP_TO:
        return np.arange(trials, dtype=np.int64)
    coarse = max(_COARSE, math.pi * math.sqrt(trials) / _MOST)
    lower = [0]
    while lower[-1] <= trials // 2:
        rank = lower[-1]
        lower.append(rank + max(1, math.floor((_FINE if rank < _TAIL else coarse) * math.sqrt(rank))))
    ascending = np.array(lower, dtype=np.int64)
    return np.unique(np.concatenate((ascending, trials - 1 - ascending)))


def held(counts: Counts, grid: Counts) -> Counts:
    """For each count the place in the grid whose bound serves; the length of the grid where the count is beyond it."""
    return np.searchsorted(grid, counts, side="left")
