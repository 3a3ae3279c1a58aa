"""Audits from a single run with many canaries, each put in with probability one half: by guesses or by raw scores."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import special

from gaussdp.auditing.claims import Claimed, Evidence, as_guarantee, pure_epsilon
from gaussdp.auditing.counts import Counts, ScoreCounts
from gaussdp.auditing.designs import Design, Direction, wrong_way
from gaussdp.auditing.result import PAID
from gaussdp.documents import Column, Document, Rounding, Table, Value
from gaussdp.domains import LEVEL, PROBABILITY, integer, number, one_of
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP, ApproxDP
from gaussdp.numerics import LARGEST_EXPONENT

_LARGEST_MU = 1e4
TABLES = ("bound", "epsilon", "claims")

FIXED_BEFORE = "The numbers of guesses were fixed before looking."
_RELATIVE_WIDTH = 1e-12
_ABSOLUTE_WIDTH = 1e-12  # of an epsilon


@dataclass(frozen=True)
class OneRunAudit(Evidence):
    """A lower bound on mu from one run, with its confidence.

    Attributes:
        mu_lower: with the stated confidence the mechanism is mu-GDP for no mu below this; 0 if nothing is proved.
        canaries: how many there were, each included by the toss of a fair coin.
        guesses: how many of them the attack guessed, one number for each of the stated set.
        correct: how many guesses were right, in the same order.
        confidence: of the whole statement; with several numbers of guesses each is tested at its share.
        guessed: what each set of guesses says, "both" (in and out), "in" or "out", where the scores are known.
        notes: what else a reader must know.
        design: one-run.

    >>> from gaussdp import audit_one_run
    >>> audit_one_run(canaries=1000, guesses=100, correct=90).mu_lower > 0.5
    True
    """

    mu_lower: float
    canaries: int
    guesses: tuple[int, ...]
    correct: tuple[int, ...]
    confidence: float
    guessed: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    kind: str = field(default="confidence", init=False, repr=False)
    design: Design = field(default=Design.ONE_RUN, init=False)

    @property
    def guarantee(self) -> GDP:
        """The strongest GDP guarantee that the guesses do not contradict: a floor on the truth, not a promise."""
        return GDP(self.mu_lower)

    def _contradicts(self, claim: Claimed) -> bool:
        guarantee = as_guarantee(claim)
        if isinstance(guarantee, GDP):
            return self.mu_lower > guarantee.mu
        if isinstance(guarantee, ApproxDP):
            return self.epsilon_lower(guarantee.delta_bound) > guarantee.epsilon_bound
        if self.epsilon_lower(0.0) > pure_epsilon(guarantee):
            return True
        return any(refuted(guarantee.fpr, self.canaries, *pair, self._tail()) for pair in self._pairs())

    def epsilon_lower(self, delta: float) -> float:
        """The epsilon below which (epsilon, delta)-DP is refuted by the same guesses at the same confidence.

        Two theorems bound the probability of so many right guesses, and the smaller bound counts: the binomial one is
        exact at delta = 0, the one for curves loses less to a large delta.

        Args:
            delta: in [0, 1].
        Reference: Steinke, Nasr & Jagielski (2023), arXiv:2305.08846, Section 5; Mahloujifar, Melis & Chaudhuri
            (2024), arXiv:2410.22235.

        >>> audit_one_run(canaries=500, guesses=100, correct=100).epsilon_lower(1e-5)
        3.49264...
        """
        level = number("delta", delta, PROBABILITY)
        return max(epsilon_refuted_up_to(self.canaries, *pair, level, self._tail()) for pair in self._pairs())

    def document(self, claims: Sequence[Claimed] = (), deltas: Sequence[float] = ()) -> Document:
        """The bound from one run, the epsilon it refutes and the outcome for each claim."""
        rows: tuple[tuple[Value, ...], ...] = (
            (
                self.mu_lower,
                self.confidence,
                self.canaries,
                ", ".join(map(str, self.guesses)),
                ", ".join(map(str, self.correct)),
                self.design.value,
            ),
        )
        bound = Table(
            "bound",
            "What the guesses prove",
            (
                Column("mu_lower", "μ at least", Rounding.DOWN),
                Column("confidence", "confidence"),
                Column("canaries", "canaries"),
                Column("guesses", "guesses"),
                Column("correct", "correct"),
                Column("design", "design"),
            ),
            rows,
        )
        notes = self.notes or (FIXED_BEFORE,)
        return self._document("What one run proves", (bound,), claims, deltas, notes)

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.guesses, self.correct, strict=True))

    def _tail(self) -> float:
        return (1 - self.confidence) / len(self.guesses)


def audit_one_run(
    canaries: int, guesses: int | Sequence[int], correct: int | Sequence[int], confidence: float = 0.95
) -> OneRunAudit:
    """A lower bound on mu from right and wrong guesses about the canaries of one run.

    The number of guesses is fixed before looking at which are right. To try several, state them all: each is then
    tested at its share of the error (Bonferroni), and the best may be kept.

    Args:
        canaries: m, each included with probability one half, independently.
        guesses: how many canaries the attack guessed in or out, abstaining on the others; at most canaries.
        correct: how many of the guesses are right; at most guesses.
        confidence: in (0, 1).
    Reference: Mahloujifar, Melis & Chaudhuri (2024), arXiv:2410.22235.

    >>> audit_one_run(canaries=1000, guesses=100, correct=90).mu_lower
    0.60250...
    >>> audit_one_run(canaries=1000, guesses=[50, 100], correct=[49, 90]).mu_lower
    0.70940...
    """
    total = integer("canaries", canaries, low=1)
    made, right = _numbers("guesses", guesses, low=1), _numbers("correct", correct, low=0)
    if len(made) != len(right):
        raise DomainError("correct", problem=f"must have as many numbers as guesses, {len(made)}", got=f"{len(right)}")
    for g, c in zip(made, right, strict=True):
        if g > total:
            raise DomainError("guesses", f"at most canaries = {total}", g, got=str(g))
        if c > g:
            raise DomainError("correct", f"at most guesses = {g}", c, got=str(c))
    level = number("confidence", confidence, LEVEL)
    tail = (1 - level) / len(made)
    mu_lower = max(_largest_refuted_mu(total, g, c, tail) for g, c in zip(made, right, strict=True))
    return OneRunAudit(mu_lower, total, made, right, level)


def refuted(least_fpr: Callable[[float], float], canaries: int, guesses: int, correct: int, tail: float) -> bool:
    """Whether so many right guesses have probability below the tail under the guarantee with this curve.

    Args:
        least_fpr: the least false-positive rate of an attack with this true-positive rate.
    """
    right, wrong = tail * correct / canaries, tail * (guesses - correct) / canaries
    for i in range(correct - 1, -1, -1):
        raised = least_fpr(right)
        if raised <= wrong:
            return False  # nothing changes from here on, and the sum has not passed the limit
        right = min(1.0, right + i / (guesses - i) * (raised - wrong))
        wrong = raised
        if right + wrong > guesses / canaries:
            return True
    return False


def refuted_mu(mu: float, canaries: int, guesses: int, correct: int, tail: float) -> bool:
    """Whether mu-GDP is refuted."""
    return refuted(lambda tpr: float(special.ndtr(special.ndtri(tpr) - mu)), canaries, guesses, correct, tail)


def _largest_refuted_mu(canaries: int, guesses: int, correct: int, tail: float) -> float:
    """A mu that is refuted, within rounding of the largest; 0 if none is."""
    low, high = 0.0, 1.0
    if not refuted_mu(low, canaries, guesses, correct, tail):
        return 0.0
    while refuted_mu(high, canaries, guesses, correct, tail):
        low, high = high, 2 * high
        if high > _LARGEST_MU:
            raise ConvergenceError(f"every mu up to {_LARGEST_MU:g} is refuted")
    while high - low > _RELATIVE_WIDTH * high:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted_mu(middle, canaries, guesses, correct, tail) else (low, middle)
    return low


def _numbers(name: str, value: int | Sequence[int], low: int) -> tuple[int, ...]:
    items = tuple(value) if isinstance(value, Sequence) else (value,)
    if not items:
        raise DomainError(name, problem="must hold at least one number", got="none")
    return tuple(integer(name, item, low=low) for item in items)


def epsilon_refuted_up_to(canaries: int, guesses: int, correct: int, delta: float, tail: float) -> float:
    """An epsilon whose p-value is at most the tail by one theorem or the other, within rounding of the largest.

    (epsilon, delta)-DP implies the same with any larger epsilon, so a refuted epsilon refutes all smaller ones. Both
    theorems bound the probability of one and the same event, so the choice between them costs no confidence.

    Returns:
        Epsilon, 0 if none is refuted.
    """
    return max(
        _largest_refuted_epsilon(lambda epsilon: p_value(canaries, guesses, correct, epsilon, delta) <= tail),
        _largest_refuted_epsilon(lambda epsilon: refuted(_least_fpr(epsilon, delta), canaries, guesses, correct, tail)),
    )


def _largest_refuted_epsilon(is_refuted: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    if not is_refuted(low):
        return 0.0
    while is_refuted(high) and high < LARGEST_EXPONENT:
        low, high = high, 2 * high
    while high - low > _ABSOLUTE_WIDTH * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return low


def _least_fpr(epsilon: float, delta: float) -> Callable[[float], float]:
    """The curve of (epsilon, delta)-DP: the least false-positive rate of an attack with a true-positive rate."""
    shrink, grow = math.exp(-epsilon), math.exp(min(epsilon, LARGEST_EXPONENT))
    return lambda tpr: max(0.0, shrink * (tpr - delta), 1 - delta - grow * (1 - tpr))


def p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    r"""An upper bound on the probability of so many right guesses under (epsilon, delta)-DP.

    But for delta, the right ones among r guesses are no more than binomial with the chance q = e^epsilon /
    (1 + e^epsilon) that randomized response has:

    .. math:: P(W \ge v) \le P(B \ge v) + 2 m \delta \max_{1 \le i \le v} P(v > B \ge v - i) / i,
              \quad B \sim \mathrm{Bin}(r, q)

    Reference: Steinke, Nasr & Jagielski (2023), arXiv:2305.08846, Section 5.
    """
    if correct == 0:
        return 1.0
    right = special.expit(epsilon)
    at_least = float(special.betainc(correct, guesses - correct + 1, right))
    if delta == 0:
        return at_least
    fewer = np.arange(correct - 1, -1, -1, dtype=np.float64)  # v - 1, v - 2, ..., 0
    log_mass = (
        special.gammaln(guesses + 1.0)
        - special.gammaln(fewer + 1)
        - special.gammaln(guesses - fewer + 1)
        + fewer * special.log_expit(epsilon)
        + (guesses - fewer) * special.log_expit(-epsilon)
    )
    densest = float(np.max(np.cumsum(np.exp(log_mass)) / np.arange(1, correct + 1)))
    return min(1.0, at_least + 2 * canaries * delta * densest)


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
