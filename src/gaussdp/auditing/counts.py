"""Attack scores reduced to counts per distinct score: all that any method here needs to know."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.errors import DomainError, brief
from gaussdp.numerics import Floats
from gaussdp.objects import Compared

Counts = npt.NDArray[np.int64]
Halves = Callable[[int], tuple["ScoreCounts", "ScoreCounts"]]

MOST_TRIALS = 10**10
"""On one side; the default method's level takes seconds there, and more people there are not."""

COINS = 1 << 16
"""Tosses that a seed gives each side, one for every two people in a row, used again and again beyond."""

_CHANCE_OF_ORDER = 1e-9  # below which scores in order are taken to be sorted, not to have come so


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts(Compared):
    """How many members and nonmembers have each score.

    The attack accuses whoever scores *above* a threshold. At the threshold `scores[i]` its false negatives are the
    members that score `scores[i]` or less, its false positives the nonmembers that score more.

    Args:
        scores: distinct, ascending; infinities are fine, NaN is not.
        members: the members with each score.
        nonmembers: the nonmembers with each score.
        by_person: from a seed to the counts of the two halves of the people, where it is known who has which score.
    """

    scores: Floats
    members: Counts
    nonmembers: Counts
    by_person: Halves | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        sides = f"{self.member_total:,} members and {self.nonmember_total:,} nonmembers"
        return f"<ScoreCounts of {sides}, {self.scores.size:,} distinct scores>"

    def __post_init__(self) -> None:
        scores = scores_of("scores", self.scores)
        object.__setattr__(self, "scores", scores)
        if not (scores[1:] > scores[:-1]).all():
            raise DomainError(
                "scores", "distinct and ascending", advice="add up the counts of equal scores and sort them"
            )
        for side in ("members", "nonmembers"):
            object.__setattr__(self, side, _counts(side, getattr(self, side), scores.size))

    @classmethod
    def from_scores(cls, members: npt.ArrayLike, nonmembers: npt.ArrayLike) -> "ScoreCounts":
        """The counts of raw scores, in the order of the people; a sort and one pass."""
        people = scores_of("members", members), scores_of("nonmembers", nonmembers)
        ins, outs = np.sort(people[0]), np.sort(people[1])
        pooled = np.sort(np.concatenate((ins, outs)))
        distinct = pooled[np.append(pooled[1:] != pooled[:-1], True)]
        return cls(distinct, _tally(ins, distinct), _tally(outs, distinct), partial(_halves_of, *people))

    @classmethod
    def labelled(cls, scores: npt.ArrayLike, member: npt.ArrayLike, member_value: str | None = None) -> "ScoreCounts":
        """The counts of raw scores with a label each, of two values, in the order of the people."""
        values, labels = scores_of("scores", scores), _labels(member)
        if labels.shape != values.shape:
            raise DomainError("member", f"one label for each of {values.size} scores", got=f"shape {labels.shape}")
        distinct = np.unique(labels)[:_LABELS_SHOWN]
        texts = [str(label) for label in distinct.tolist()]
        is_member = labels == distinct[texts.index(member_label(texts, member_value))]
        counts = cls.from_scores(values[is_member], values[~is_member])
        counts.must_not_be_labels("scores")
        return counts

    def must_not_be_labels(self, scores: str) -> None:
        """Refuse scores that are 0 and 1 and say of each person what the label says: labels taken for scores.

        Args:
            scores: what these scores are called.
        """
        sides = self.members.astype(bool).tolist(), self.nonmembers.astype(bool).tolist()
        if self.scores.tolist() == [0, 1] and sides in (([False, True], [True, False]), ([True, False], [False, True])):
            raise DomainError(
                None,
                problem=f"{scores} holds the labels again, as 0 and 1",
                advice="give the scores of the attack; if these are its decisions, give members and nonmembers apart",
            )

    def flipped(self) -> "ScoreCounts":
        """The counts of the negated scores, for attacks that accuse whoever scores low."""
        halves = self.by_person and partial(_flipped_halves, self.by_person)
        return ScoreCounts(-self.scores[::-1], self.members[::-1], self.nonmembers[::-1], halves)

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
        """Two parts of disjoint people: the first has half of each side, rounded down.

        Who is in which half follows from the seed and the place of a person in the order given, never from a score, so
        whatever the seed the two halves are independent. Counts alone do not say who has which score.
        """
        if min(self.member_total, self.nonmember_total) < 2:
            raise DomainError(
                None, problem="a split needs at least two scores on each side", got="one", advice="use another method"
            )
        if self.by_person is None:
            raise DomainError(
                None,
                problem="a split needs to know who has which score, and counts do not say it",
                advice="give the scores themselves in the order of the trials, or use another method",
            )
        return self.by_person(seed)


@lru_cache(maxsize=8)
def coins(seed: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """For members and for nonmembers, which one of each two in a row goes to the first half: 0 or 1."""
    members, nonmembers = np.random.default_rng(seed).integers(0, 2, (2, COINS), dtype=np.int8)
    return members, nonmembers


def in_first_half(size: int, tosses: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
    """Which of so many people in a row are in the first half; of an odd number the last is in the second."""
    place = np.arange(size)
    first: npt.NDArray[np.bool_] = place % 2 == tosses[place // 2 % tosses.size]
    first[size // 2 * 2 :] = False
    return first


def must_not_be_sorted(side: str, counts: Counts) -> None:
    """Refuse to split people whose scores are in order, unless so few of them may have come so.

    Their places are then ranks, and a split by rank is no split by person: a seed may suit the ranks.

    Args:
        side: whose scores these are.
        counts: how many people have each distinct score.
    """
    log_orders = special.gammaln(counts.sum() + 1.0) - special.gammaln(counts + 1.0).sum()
    if log_orders > -np.log(_CHANCE_OF_ORDER):
        raise DomainError(
            side,
            problem="must be in the order of the trials for a split, and these are sorted by score",
            advice="give them as they came, or use another method",
        )


def _halves_of(members: Floats, nonmembers: Floats, seed: int) -> tuple[ScoreCounts, ScoreCounts]:
    chosen = []
    for side, people, tosses in zip(("members", "nonmembers"), (members, nonmembers), coins(seed), strict=True):
        steps = people[1:] >= people[:-1], people[1:] <= people[:-1]
        if any(step.all() for step in steps):
            must_not_be_sorted(side, np.unique(people, return_counts=True)[1])
        chosen.append(in_first_half(people.size, tosses))
    ins, outs = chosen
    return (
        ScoreCounts.from_scores(members[ins], nonmembers[outs]),
        ScoreCounts.from_scores(members[~ins], nonmembers[~outs]),
    )


def _flipped_halves(halves: Halves, seed: int) -> tuple[ScoreCounts, ScoreCounts]:
    first, second = halves(seed)
    return first.flipped(), second.flipped()


def scores_of(name: str, value: npt.ArrayLike, *, may_be_empty: bool = False) -> Floats:
    """The scores of one side as an array, or the reason why they are none."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise DomainError(name, "a one-dimensional array of scores", got="rows of different lengths") from None
    if np.ma.is_masked(value):
        raise DomainError(name, problem="must not hold masked scores", advice="drop them")
    if array.dtype.kind not in "iufb":
        raise DomainError(name, "an array of numbers", got=f"{array.dtype} values")
    if array.ndim != 1:
        raise DomainError(name, "a one-dimensional array of scores", got=f"shape {array.shape}")
    if array.size == 0 and not may_be_empty:
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


def _labels(member: npt.ArrayLike) -> npt.NDArray[Any]:
    """The labels as an array of truth values, numbers or texts."""
    try:
        labels = np.asarray(member)
    except (ValueError, TypeError):
        raise DomainError("member", "a one-dimensional array of labels", got="rows of different lengths") from None
    if labels.dtype == object and all(isinstance(label, str | bool | int | float) for label in labels.flat):
        labels = labels.astype(str)
    if labels.dtype.kind not in "biufU" or np.ma.is_masked(member):
        raise DomainError("member", "an array of labels such as True and False", got=brief(member))
    return labels


def _counts(side: str, value: npt.ArrayLike, size: int) -> Counts:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise DomainError(None, problem=f"the counts of {side} must be whole numbers, one per score ({size})") from None
    if array.dtype.kind not in "iu" or array.shape != (size,) or np.ma.is_masked(value):
        raise DomainError(
            None,
            problem=f"the counts of {side} must be whole numbers, one per score ({size})",
            got=f"{array.dtype} of shape {array.shape}",
        )
    if array.min() < 0:
        raise DomainError(None, problem=f"the counts of {side} must not be negative", got=f"{array.min()}")
    if array.astype(np.float64).sum() > MOST_TRIALS:
        raise DomainError(None, problem=f"the counts of {side} must add up to at most {MOST_TRIALS:,}")
    counts = array.astype(np.int64, copy=False)
    if not counts.sum() > 0:
        raise DomainError(side, problem="must hold at least one score", got="none: an audit compares two sides")
    return counts


def _tally(ordered: Floats, distinct: Floats) -> Counts:
    at_most = np.searchsorted(ordered, distinct, side="right").astype(np.int64, copy=False)
    at_most[1:] -= at_most[:-1].copy()
    return at_most


_LABELS_SHOWN = 5  # of many: four are named, and the fifth says that there are more
_MEMBER = {"1", "true", "t", "yes", "y", "in", "member"}
_NONMEMBER = {"0", "false", "f", "no", "n", "out", "nonmember", "non-member"}


def member_label(labels: Collection[str], member_value: str | None) -> str:
    """The label that means member, among the one or two distinct labels found.

    Args:
        labels: the distinct labels, as text.
        member_value: the one that means member; None recognises 1/0, true/false, yes/no, in/out, member/nonmember.
    """
    found = ", ".join(repr(label) for label in sorted(labels)[:4])
    if len(labels) > 2:
        raise DomainError(
            None,
            problem="member labels must be two-valued",
            got=f"{found}{', ...' if len(labels) > 4 else ''}",
            advice="check that scores and labels are not exchanged",
        )
    if member_value is not None:
        wanted = [label for label in labels if label == member_value or plain(label) == plain(member_value)]
        if not wanted:
            raise DomainError(
                None, problem=f"no row has the member label {member_value!r}", advice=f"the labels are {found}"
            )
        return wanted[0]
    members = [label for label in labels if plain(label) in _MEMBER]
    others = [label for label in labels if plain(label) in _NONMEMBER]
    if len(members) + len(others) < len(labels) or max(len(members), len(others)) > 1:
        raise DomainError(
            None,
            problem=f"which label means member is unclear among {found}",
            advice="say so with a member value, or label people member and nonmember",
        )
    if not members or not others:
        missing = "member" if not members else "nonmember"
        raise DomainError(
            None, problem=f"the scores hold no {missing}: every label is {found}", advice="an audit compares two sides"
        )
    return members[0]


def plain(label: str) -> str:
    """The label without case, spaces and a trailing .0."""
    return label.strip().lower().removesuffix(".0")


def means_member(label: str, member_value: str | None) -> bool:
    """Whether a label means member, where the others are not known yet; any other label than the member's means not."""
    if member_value is not None:
        return plain(label) == plain(member_value)
    if plain(label) not in _MEMBER | _NONMEMBER:
        raise DomainError(
            None, problem=f"whether {label!r} means member is unclear", advice="say so with a member value"
        )
    return plain(label) in _MEMBER
