"""Attack scores reduced to counts per distinct score: all that any method here needs to know."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from gaussdp.errors import DomainError
from gaussdp.numerics import Floats

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """How many members and nonmembers have each score.

    The attack accuses whoever scores *above* a threshold. At the threshold `scores[i]` its false negatives are the
    members that score `scores[i]` or less, its false positives the nonmembers that score more.

    Args:
        scores: distinct, ascending; infinities are fine, NaN is not.
        members: the members with each score.
        nonmembers: the nonmembers with each score.
    """

    scores: Floats
    members: Counts
    nonmembers: Counts

    def __post_init__(self) -> None:
        scores = _scores("scores", self.scores)
        object.__setattr__(self, "scores", scores)
        if not (scores[1:] > scores[:-1]).all():
            raise DomainError(
                "scores", "distinct and ascending", advice="add up the counts of equal scores and sort them"
            )
        for side in ("members", "nonmembers"):
            object.__setattr__(self, side, _counts(side, getattr(self, side), scores.size))

    @classmethod
    def from_scores(cls, members: npt.ArrayLike, nonmembers: npt.ArrayLike) -> "ScoreCounts":
        """The counts of raw scores, in any order; a sort and one pass."""
        ins, outs = np.sort(_scores("members", members)), np.sort(_scores("nonmembers", nonmembers))
        pooled = np.sort(np.concatenate((ins, outs)))
        distinct = pooled[np.append(pooled[1:] != pooled[:-1], True)]
        return cls(distinct, _tally(ins, distinct), _tally(outs, distinct))

    @cached_property
    def member_total(self) -> int:
        """The number of members."""
        return int(self.members.sum())

    @cached_property
    def nonmember_total(self) -> int:
        """The number of nonmembers."""
        return int(self.nonmembers.sum())

    @cached_property
    def false_negatives(self) -> Counts:
        """At each score as threshold, the members at or below it."""
        return np.cumsum(self.members)

    @cached_property
    def false_positives(self) -> Counts:
        """At each score as threshold, the nonmembers above it."""
        return self.nonmember_total - np.cumsum(self.nonmembers)

    def errors_at(self, threshold: float) -> tuple[int, int]:
        """False positives and false negatives of accusing whoever scores above the threshold."""
        below = int(np.searchsorted(self.scores, threshold, side="right"))
        return int(self.nonmembers[below:].sum()), int(self.members[:below].sum())

    def area(self) -> float:
        """The share of pairs in which the member scores more than the nonmember, ties counted half."""
        wins = self.member_total - (self.false_negatives - self.members / 2)
        return float(np.dot(wins / self.member_total, self.nonmembers / self.nonmember_total))

    def halves(self, seed: int) -> tuple["ScoreCounts", "ScoreCounts"]:
        """Two parts of disjoint people, split at random: the first has half of each side, rounded down."""
        generator = np.random.default_rng(seed)
        first_members = _half_of(self.members, generator)
        first_nonmembers = _half_of(self.nonmembers, generator)
        return (
            ScoreCounts(self.scores, first_members, first_nonmembers),
            ScoreCounts(self.scores, self.members - first_members, self.nonmembers - first_nonmembers),
        )


def _scores(name: str, value: npt.ArrayLike) -> Floats:
    array = np.asarray(value)
    if array.dtype.kind not in "iufb" or np.ma.is_masked(value):
        raise DomainError(name, "an array of numbers", got=f"{array.dtype} values")
    if array.ndim != 1:
        raise DomainError(name, "a one-dimensional array of scores", got=f"shape {array.shape}")
    if array.size == 0:
        raise DomainError(name, problem="must hold at least one score", got="none: an audit compares two sides")
    scores = array.astype(np.float64, copy=False)
    missing = int(np.isnan(scores).sum())
    if missing:
        raise DomainError(
            name,
            problem="must not hold NaN",
            got=f"{missing} among {scores.size} scores",
            advice="drop or replace them",
        )
    return scores


def _counts(side: str, value: npt.ArrayLike, size: int) -> Counts:
    array = np.asarray(value)
    if array.dtype.kind not in "iu" or array.shape != (size,):
        raise DomainError(
            None,
            problem=f"the counts of {side} must be whole numbers, one per score ({size})",
            got=f"{array.dtype} of shape {array.shape}",
        )
    if array.min() < 0:
        raise DomainError(None, problem=f"the counts of {side} must not be negative", got=f"{array.min()}")
    counts = array.astype(np.int64, copy=False)
    if not counts.sum() > 0:
        raise DomainError(side, problem="must hold at least one score", got="none: an audit compares two sides")
    return counts


def _tally(ordered: Floats, distinct: Floats) -> Counts:
    at_most = np.searchsorted(ordered, distinct, side="right").astype(np.int64, copy=False)
    at_most[1:] -= at_most[:-1].copy()
    return at_most


def _half_of(counts: Counts, generator: np.random.Generator) -> Counts:
    half = int(counts.sum()) // 2
    if half == 0:
        raise DomainError(
            None, problem="a split needs at least two scores on each side", got="one", advice="use another method"
        )
    return generator.multivariate_hypergeometric(counts, half, method="marginals").astype(np.int64, copy=False)
