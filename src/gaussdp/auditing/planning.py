"""How large an audit must be to find what it looks for."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from scipy import special

from gaussdp.auditing.bands import Upper
from gaussdp.auditing.counts import Counts
from gaussdp.auditing.local_level import local_level
from gaussdp.auditing.one_run import refuted_mu
from gaussdp.auditing.planned_pairs import PlannedPairs, plan_pairs
from gaussdp.auditing.rates import held, rank_grid, rate_upper
from gaussdp.documents import Column, Displayed, Document, Rounding, Table, Value, shown
from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, number
from gaussdp.errors import DomainError
from gaussdp.numerics import Floats

Plan = TypeVar("Plan", "PlannedTrials", "PlannedRun")

MOST_TRIALS = 10_000_000
MOST_CANARIES = 100_000
_SHIFTS = np.arange(0.0, 4.01, 0.25)  # of the threshold from the symmetric one, in standard deviations
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the canaries that are guessed
_FARTHEST = 37.0  # standard deviations of a threshold: beyond, its false-positive rate is no double
_FAR = np.concatenate((np.arange(0.9, 1.5, 0.1), np.arange(1.5, 4.01, 0.25)))
_THRESHOLDS = np.concatenate((-_FAR[::-1], np.arange(-0.8, 0.81, 0.02), _FAR))
"""That the default method looks at in a simulation, in standard deviations from the symmetric one: the best is near."""
_REPETITIONS = 1000  # of a simulation; a standard error of a power of 0.9 is 0.01
_FIRST = 250  # of the one from which the size is guessed
_STANDARD_ERRORS = 1.0  # that a simulated power is lowered by
_SEQUENTIAL = "pairs one by one (sequential)"
_MANY = 1000  # trials from which whole numbers make no more difference
_WINDOW = 9.0  # standard deviations of a count beyond which its mass is below 1e-16


@dataclass(frozen=True)
class PlannedTrials:
    """Independent trials that suffice.

    Attributes:
        trials: on each side, rounded up to two digits: so many with the record and so many without.
        fpr: false-positive rate of the threshold, or of the one that detects most often.
        power: the probability of detection; where it is simulated, less a standard error.
    """

    trials: int
    fpr: float
    power: float


@dataclass(frozen=True)
class PlannedRun:
    """One run that suffices.

    Attributes:
        canaries: rounded up to two digits.
        guesses: to make; the attack abstains on the others.
        power: the probability of detection.
    """

    canaries: int
    guesses: int
    power: float


@dataclass(frozen=True)
class AuditPlan(Displayed):
    """What it takes to prove mu > claim_mu when the truth is mu and the attack is as good as mu-GDP allows.

    Attributes:
        mu: the truth to detect.
        claim_mu: the claim to refute.
        power: asked for.
        confidence: of the audit.
        fixed_threshold: with the best threshold known in advance, or None beyond 10^7 trials a side.
        equal_local_level: with the default method, which looks at every threshold; its power is simulated, with a
            fixed seed, at fewer thresholds than it looks at, so the true one is a little more.
        one_run: with canaries whose scores are independent, or None beyond 10^5 canaries: a single run proves less
            than the truth however many there are.
        sequential: with pairs one by one, looked at after each, or None beyond 10^6 pairs; simulated with a fixed seed.

    >>> from gaussdp import plan_audit
    >>> type(plan_audit(2.0)).__name__
    'AuditPlan'
    """

    mu: float
    claim_mu: float
    power: float
    confidence: float
    fixed_threshold: PlannedTrials | None
    equal_local_level: PlannedTrials | None
    one_run: PlannedRun | None
    sequential: PlannedPairs | None = None

    def __repr__(self) -> str:
        size = "over 1e7" if self.equal_local_level is None else f"{self.equal_local_level.trials:,}"
        return f"<AuditPlan to refute μ = {self.claim_mu:g} where it is {self.mu:g}: {size} trials a side>"

    def document(self) -> Document:
        """How large an audit must be, by design."""
        columns = (
            Column("design", "design"),
            Column("with_record", "trials with the record"),
            Column("without_record", "trials without"),
            Column("expected_pairs", "pairs expected"),
            Column("canaries", "canaries in one run"),
            Column("guesses", "guesses"),
            Column("fpr", "FPR of the threshold", Rounding.NEAREST),
            Column("power", "power", Rounding.DOWN),
        )
        rows: list[tuple[Value, ...]] = []
        for design, trials in (
            ("threshold known in advance", self.fixed_threshold),
            ("every threshold (the default)", self.equal_local_level),
        ):
            if trials is None:
                rows.append((design, "over 1e7", "over 1e7", "", "", "", "", ""))
            else:
                rows.append((design, trials.trials, trials.trials, "", "", "", trials.fpr, trials.power))
        if self.one_run is None:
            rows.append(("one run with canaries", "", "", "", "over 1e5", "", "", ""))
        else:
            run = self.one_run
            rows.append(("one run with canaries", "", "", "", run.canaries, run.guesses, "", run.power))
        if self.sequential is None:
            rows.append((_SEQUENTIAL, "over 1e6", "over 1e6", "over 1e6", "", "", "", ""))
        else:
            pairs = self.sequential
            rows.append((_SEQUENTIAL, pairs.pairs, pairs.pairs, pairs.expected, "", "", "", pairs.power))
        title = (
            f"To prove μ > {shown(self.claim_mu)} when the truth is μ = {shown(self.mu)}, with power "
            f"{shown(self.power)} at {shown(round(100 * self.confidence, 10))} % confidence"
        )
        notes = (
            "Each size suffices if the attack is as good as the truth allows and its trials, or its canaries, do not "
            "influence each other.",
            "The pairs of a sequential audit are those by which it has ended with this power, and those in the mean.",
            "Sizes have two digits. One run proves less than the truth, however many canaries there are.",
        )
        return Document.tabular(title, (Table("plan", "Sizes that suffice", columns, tuple(rows)),), notes)


def plan_audit(mu: float, claim_mu: float = 0.0, power: float = 0.9, confidence: float = 0.95) -> AuditPlan:
    """How many trials or canaries prove, with this power, that the claim is wrong when the truth is mu.

    Args:
        mu: the truth, above claim_mu; the attack's scores are those of N(mu, 1) against N(0, 1).
        claim_mu: the claim to refute; 0 asks for any leak at all.
        power: probability of detection, in (0, 1).
        confidence: of the audit, in (0, 1).

    >>> plan_audit(mu=1.0).fixed_threshold
    PlannedTrials(trials=..., fpr=0.3..., power=0.9...)
    """
    truth, claim = number("mu", mu, POSITIVE), number("claim_mu", claim_mu, FINITE_NON_NEGATIVE)
    if truth <= claim:
        raise DomainError("mu", f"above claim_mu = {claim:g}", got=f"{truth:g}: there is nothing to refute")
    asked, level = number("power", power, LEVEL), number("confidence", confidence, LEVEL)

    tail = (1 - level) / 2

    def best_trials(size: int) -> PlannedTrials:
        return _best_trials(size, truth, claim, tail, rate_upper)

    def best_run(size: int) -> PlannedRun:
        return _best_run(size, truth, claim, asked, 1 - level)

    # What no error at all proves in the largest audit; beyond, no size suffices.
    within = bool(-2 * special.ndtri(rate_upper(0, MOST_TRIALS, tail)) > claim)
    return AuditPlan(
        truth,
        claim,
        asked,
        level,
        fixed_threshold=_least(MOST_TRIALS, asked, best_trials, _guess(truth, claim, asked, tail)) if within else None,
        equal_local_level=_least_by_every_threshold(truth, claim, asked, tail) if within else None,
        one_run=_least(MOST_CANARIES, asked, best_run),
        sequential=plan_pairs(truth, claim, asked, level),
    )


def trials_power(trials: int, mu: float, fpr: float, claim_mu: float, tail: float, upper: Upper) -> float:
    """The probability that the bounds at this one threshold prove more than the claim, exactly summed.

    Args:
        trials: on each side.
        mu: the truth.
        fpr: false-positive rate of the threshold.
        claim_mu: the claim to refute.
        tail: that each side's bound may fail with.
        upper: (errors, trials, tail) to upper bounds on the rate.
    """
    fnr = float(special.ndtr(-special.ndtri(fpr) - mu))
    accused, missed = _likely(trials, fpr), _likely(trials, fnr)
    fpr_upper, fnr_upper = upper(accused, trials, tail), upper(missed, trials, tail)
    with np.errstate(all="ignore"):
        # The largest fnr bound that, with this fpr bound, still proves more than the claim.
        allowed = np.where(fpr_upper < 1, special.ndtr(-special.ndtri(fpr_upper) - claim_mu), 0.0)
    enough = np.searchsorted(fnr_upper, allowed, side="left")  # so many of the likely counts of misses are few enough
    at_most = np.concatenate(([0.0], special.bdtr(missed.astype(np.float64), trials, fnr)))
    mass = special.bdtr(accused.astype(np.float64), trials, fpr)
    mass[1:] -= mass[:-1].copy()
    return min(1.0, float(np.dot(mass, at_most[enough])))


def _best_trials(trials: int, mu: float, claim_mu: float, tail: float, upper: Upper) -> PlannedTrials:
    best = PlannedTrials(trials, 0.5, -1.0)
    for rate in special.ndtr(-np.minimum(mu / 2 + _SHIFTS, _FARTHEST)).tolist():
        plan = PlannedTrials(trials, rate, trials_power(trials, mu, rate, claim_mu, tail, upper))
        if plan.power < best.power and trials > _MANY:
            break  # with many trials the power has one peak
        best = max(best, plan, key=lambda plan: plan.power)
    return best


def _best_run(canaries: int, mu: float, claim_mu: float, power: float, tail: float) -> PlannedRun:
    """The share of guesses that detects with at least this power; power 0 if none does."""
    for share in _SHARES:
        guesses = max(1, round(share * canaries))
        accuracy = guess_accuracy(mu, guesses / canaries)
        # The most right guesses that the attack reaches with this power.
        reached = _reached(guesses, accuracy, power)
        if reached > 0 and refuted_mu(claim_mu, canaries, guesses, reached, tail):
            return PlannedRun(canaries, guesses, float(special.bdtrc(reached - 1.0, guesses, accuracy)))
    return PlannedRun(canaries, 0, 0.0)


def guess_accuracy(mu: float, share: float) -> float:
    """How often the surest share of guesses is right, scores being N(mu, 1) or N(0, 1) with equal chance."""
    low, high = 0.0, mu + 40.0
    for _ in range(64):  # halvings, down to neighbouring doubles
        middle = (low + high) / 2
        surer = special.ndtr(mu / 2 - middle) + special.ndtr(-mu / 2 - middle)
        low, high = (middle, high) if surer > share else (low, middle)
    right, wrong = special.ndtr(mu / 2 - low), special.ndtr(-mu / 2 - low)
    return float(right / (right + wrong))


def _reached(guesses: int, accuracy: float, power: float) -> int:
    """The largest v with P(Bin(guesses, accuracy) >= v) at least the power."""
    low, high = 0, guesses
    while low < high:
        middle = (low + high + 1) // 2
        if special.betainc(middle, guesses - middle + 1, accuracy) >= power:
            low = middle
        else:
            high = middle - 1
    return low


def _likely(trials: int, rate: float) -> Counts:
    """The counts within the window, ascending."""
    spread = _WINDOW * math.sqrt(trials * rate * (1 - rate)) + _WINDOW**2 / 2
    low, high = math.floor(trials * rate - spread), math.ceil(trials * rate + spread)
    return np.arange(max(0, low), min(trials, high) + 1, dtype=np.int64)


def _guess(mu: float, claim_mu: float, power: float, level: float) -> float:
    """About how many trials suffice at the symmetric threshold: both rates normal, each bounded at this level."""
    needed = float(-2 * special.ndtri(level) + math.sqrt(2) * special.ndtri(power))
    root = max(needed, 0.1) * _spread(mu) / (mu - claim_mu)
    return root * root


def _corrected(plan: PlannedTrials, mu: float, claim_mu: float, power: float) -> float:
    """About how many trials suffice, from the power of so many: both rates normal, whatever the bounds ask for."""
    apart = (mu - claim_mu) / _spread(mu)  # of one trial, in standard deviations
    reached = min(max(plan.power, 0.01), 1 - 1 / _FIRST)
    more = math.sqrt(2) * float(special.ndtri(power) - special.ndtri(reached))
    root = max(math.sqrt(plan.trials) + more / apart, 1.5)
    return root * root


def _spread(mu: float) -> float:
    """The standard deviation of a quantile from one trial, at the symmetric threshold."""
    z = min(mu / 2, 2.0)  # farther out few trials suffice, and normal rates say nothing
    rate = float(special.ndtr(-z))
    return math.sqrt(rate * (1 - rate)) / math.exp(-z * z / 2) * math.sqrt(2 * math.pi)


def _least_by_every_threshold(mu: float, claim_mu: float, power: float, tail: float) -> PlannedTrials | None:
    """The least size that suffices for the default method, to two digits."""
    # One threshold at the level of the whole band needs more than the best of all: a size that is too large.
    size = 10.0
    for _ in range(3):
        size = max(_guess(mu, claim_mu, power, tail / (1 + 5 * math.log(size))), 10.0)
    while True:
        most = next((number for number in _two_digit_numbers(MOST_TRIALS) if number >= size), MOST_TRIALS)
        # The level falls with the size, so that of the largest is on the safe side for all below.
        level = local_level(most, tail)
        simulated = partial(_simulated, mu=mu, claim_mu=claim_mu, level=level)
        first = simulated(max(1, round(most / 1.6)), repetitions=_FIRST)
        plan = _least(most, power, simulated, _corrected(first, mu, claim_mu, power))
        if plan is not None or most == MOST_TRIALS:
            return plan
        size = 4.0 * most


def _simulated(trials: int, mu: float, claim_mu: float, level: float, repetitions: int = _REPETITIONS) -> PlannedTrials:
    """The power of a band with this local level, simulated: how often some threshold proves more than the claim.

    The counts at the thresholds are drawn, never the scores, so a large audit takes no longer than a small one.
    """
    z = np.minimum(mu / 2, _FARTHEST - _THRESHOLDS[-1]) + _THRESHOLDS
    random = np.random.default_rng(0)
    accused = _drawn_below(random, trials, -z[::-1], repetitions)[:, ::-1]
    missed = _drawn_below(random, trials, z - mu, repetitions)
    grid = rank_grid(trials)
    table = np.append(rate_upper(grid, trials, level), 1.0)
    with np.errstate(all="ignore"):
        allowed = np.append(special.ndtr(-special.ndtri(table[:-1]) - claim_mu), 0.0)
    proved = table[held(missed, grid)] < allowed[held(accused, grid)]
    share = float(proved.any(axis=1).mean())
    error = math.sqrt(max(share * (1 - share), 1 / repetitions) / repetitions)
    best = int(np.argmax(proved.sum(axis=0)))
    return PlannedTrials(trials, float(special.ndtr(-z[best])), max(0.0, share - _STANDARD_ERRORS * error))


def _drawn_below(random: np.random.Generator, trials: int, ends: Floats, repetitions: int) -> Counts:
    """How many of so many standard normal scores lie below each of these rising ends, drawn so often."""
    below = special.ndtr(ends)
    cells = np.diff(below, prepend=0.0, append=1.0)
    counts: Counts = random.multinomial(trials, cells / cells.sum(), size=repetitions)
    return np.cumsum(counts, axis=1)[:, :-1]


def _least(most: int, power: float, best: Callable[[int], Plan], guess: float = 1.0) -> Plan | None:
    """A plan with enough power whose next smaller size has not, looked for around the guess; sizes have two digits."""
    sizes = list(_two_digit_numbers(most))
    high = min(bisect_left(sizes, guess), len(sizes) - 1)
    found, step = best(sizes[high]), 1 if guess > 1 else 24
    low = -1
    if found.power < power:
        while found.power < power:
            if high == len(sizes) - 1:
                return None
            low, high = high, min(high + step, len(sizes) - 1)
            found, step = best(sizes[high]), 2 * step
    else:
        while high > 0:
            lower = max(high - step, 0)
            plan, step = best(sizes[lower]), 2 * step
            if plan.power < power:
                low = lower
                break
            high, found = lower, plan
    while high - low > 1:
        middle = (low + high) // 2
        plan = best(sizes[middle])
        if plan.power >= power:
            high, found = middle, plan
        else:
            low = middle
    return found


def _two_digit_numbers(most: int) -> Iterator[int]:
    yield from range(1, 10)
    scale = 1
    while True:
        for lead in range(10, 100):
            if lead * scale > most:
                return
            yield lead * scale
        scale *= 10
