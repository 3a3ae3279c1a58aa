"""One run from raw scores: the canaries are ranked, and the surest are guessed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from gaussdp.auditing.counts import Counts, ScoreCounts
from gaussdp.auditing.designs import Direction, wrong_way
from gaussdp.auditing.one_run import FIXED_BEFORE, OneRunAudit, audit_one_run
from gaussdp.auditing.result import PAID
from gaussdp.domains import integer, one_of
from gaussdp.errors import DomainError

GUESSED = ("both", "in", "out")

_TRIED = (("both", 0.5), ("both", 0.2), ("both", 0.05), ("in", 0.02))
"""What is guessed, of what share of the canaries, where the user says nothing: three for attacks that are right
everywhere, by strength, and one for attacks that are sure of a few members."""
_FEWEST = 10  # guesses; seven right ones out of seven are the least that prove anything at a quarter of 5 %
_NO_COIN = 1e-9  # chance below which fair coins did not give so many members


def audit_ranks(
    counts: ScoreCounts,
    guesses: int | Sequence[int] | None,
    confidence: float,
    guessed: str = "both",
    direction: Direction = "higher",
) -> OneRunAudit:
    """A lower bound on mu from the scores of canaries, each put in by its own fair coin.

    The canaries with the highest scores are guessed in, those with the lowest out, the others not at all. A tie at the
    edge of the guesses counts against the attack: of the tied canaries the wrong guesses come first, which no way to
    break the tie undercuts, so the bound holds without a random choice.

    Args:
        counts: of the scores, in which higher means member.
        guesses: how many, fixed before looking; or several, each tested at its share; None for those of `_TRIED`.
        confidence: in (0, 1).
        guessed: "both" guesses half of them in and half out, "in" and "out" guess that alone.
        direction: "lower" if low scores mean member, "either" to try both at half the error each.
    """
    _must_be_tossed(counts)
    canaries = counts.member_total + counts.nonmember_total
    tried = _tried(canaries, guesses, one_of("guessed", guessed, GUESSED))
    if tried[0][1] > canaries:
        raise DomainError("guesses", f"at most canaries = {canaries}", tried[0][1], got=str(tried[0][1]))
    sides = {"higher": [counts], "lower": [counts.flipped()], "either": [counts, counts.flipped()]}[direction]
    made = [(what, number) for _ in sides for what, number in tried]
    right = [_correct(side, what, number) for side in sides for what, number in tried]
    found = audit_one_run(canaries, [number for _, number in made], right, confidence)
    notes = ["Ties at the edge of the guesses are counted against the attack."]
    if len(made) == 1:
        notes.insert(0, FIXED_BEFORE)
    else:
        price = f"each is tested at 1/{len(made)} of the error, and the best is kept"
        notes.insert(0, f"The {len(made)} sets of guesses were fixed before looking; {price}.")
    area = sides[0].area()
    if direction == "either":
        notes.append(PAID)
    elif area < 0.5:
        notes.append(wrong_way(area, lower=direction == "lower"))
    return replace(found, guessed=tuple(what for what, _ in made), notes=tuple(notes))


def _tried(canaries: int, guesses: int | Sequence[int] | None, guessed: str) -> list[tuple[str, int]]:
    """What is guessed and how often, largest number first."""
    if guesses is not None:
        stated = guesses if isinstance(guesses, Sequence) else [guesses]
        found = {(guessed, integer("guesses", number, low=1)) for number in stated}
        if not found:
            raise DomainError("guesses", problem="must hold at least one number", got="none")
    else:
        found = {(what, min(canaries, max(_FEWEST, round(share * canaries)))) for what, share in _TRIED}
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def _correct(counts: ScoreCounts, what: str, guesses: int) -> int:
    """The right guesses among so many, those of a tie counted as wrong as long as there are wrong ones."""
    out = {"both": guesses // 2, "in": 0, "out": guesses}[what]
    right_in = _top(counts.members[::-1], counts.nonmembers[::-1], guesses - out)
    return right_in + _top(counts.nonmembers, counts.members, out)


def _top(right: Counts, wrong: Counts, guesses: int) -> int:
    """The right ones among the first so many, groups of ties in order, wrong ones first within a group."""
    if guesses == 0:
        return 0
    until = np.cumsum(right + wrong)
    last = int(np.searchsorted(until, guesses, side="left"))
    before = int(until[last - 1]) if last else 0
    return int(right[:last].sum()) + max(0, guesses - before - int(wrong[last]))


def _must_be_tossed(counts: ScoreCounts) -> None:
    """Refuse sides so unequal that no fair coins gave them."""
    ins, total = counts.member_total, counts.member_total + counts.nonmember_total
    fewer = min(ins, total - ins)
    if 2 * special.bdtr(fewer, total, 0.5) < _NO_COIN:
        raise DomainError(
            "members",
            problem="must each be put in by a fair coin for an audit of one run",
            got=f"{ins} of {total} canaries in",
            advice="give the canaries alone, all that were tossed for",
        )
