"""The likelihood ratio of a pass in which a record is in one of several batches: the mean of as many lognormal ones.

Two laws bound that of the mean in convex order (`laws`), and with it the privacy profile in both directions. The mean
of t ratios is that of two means, of t/2 ratios each, rounded down and up: so the laws of two sizes are needed at each
level, and the grid grows finer as the mean becomes certain.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from scipy import special

from gaussdp.accounting.allocation.laws import Atoms, Grouped, RatioLaw, Spread


@dataclass(frozen=True)
class MeanRatioSettings:
    """What is tuned about the grid of a mean of ratios."""

    spacing: float = 0.01
    """Of log S, over its standard deviation: epsilon is then some 1e-4 of itself too large."""
    most_points: int = 6000  # where the tails reach so far that this would take more, the grid is coarser
    cut: float = 1e-16  # probability of what is beyond the grids of one level, for all ratios of a pass together


SETTINGS = MeanRatioSettings()

Kind = TypeVar("Kind", bound=RatioLaw)


@lru_cache(maxsize=16)
def above(noise_multiplier: float, batches: int) -> Atoms:
    """A law of the mean ratio that is larger in convex order."""
    return _mean(Spread, noise_multiplier, batches).atoms()


@lru_cache(maxsize=16)
def below(noise_multiplier: float, batches: int) -> Atoms:
    """A law of the mean ratio that is smaller in convex order."""
    return _mean(Grouped, noise_multiplier, batches).atoms()


def largest_loss(noise_multiplier: float, batches: int) -> float:
    """About the largest loss that is likely enough to matter."""
    one = (0.5 / noise_multiplier + _reach(batches)) / noise_multiplier
    return float(np.logaddexp(0.0, one - math.log(batches)))


def _mean(kind: type[Kind], noise_multiplier: float, batches: int) -> Kind:
    variance = math.expm1(noise_multiplier**-2)
    reach = _reach(batches)

    def finest(size: int, width: float) -> float:
        deviation = math.sqrt(math.log1p(variance / size))
        return max(SETTINGS.spacing * deviation, width / SETTINGS.most_points)

    spacing = finest(1, (2 * reach + 1 / noise_multiplier) / noise_multiplier)
    laws = {1: kind.of_one(noise_multiplier, spacing, reach)}
    for sizes in _levels(batches):
        wanted = finest(sizes[-1], max(law.width for law in laws.values()))
        refinement = max(math.floor(spacing / wanted), 1)
        spacing /= refinement
        laws = {
            size: laws[size // 2].mean_with(
                laws[(size + 1) // 2], (size // 2) / size, refinement, SETTINGS.cut * size / batches
            )
            if size > 1
            else kind.of_one(noise_multiplier, spacing, reach)
            for size in sizes
        }
    return laws[batches]


def _levels(batches: int) -> list[list[int]]:
    """The sizes of means that are needed, from small to large: each is made of two of the level before."""
    levels = [[batches]] if batches > 1 else []
    while levels and levels[-1] not in ([2], [1, 2]):
        levels.append(sorted({part for size in levels[-1] for part in (size // 2, (size + 1) // 2)}))
    return levels[::-1]


def _reach(batches: int) -> float:
    """The normal quantile beyond which one ratio is cut off."""
    return -float(special.ndtri(SETTINGS.cut / batches))
