"""How large an audit must be to find what it looks for."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy import special

from gaussdp.auditing.bands import Upper, equal_level_upper
from gaussdp.auditing.counts import Counts
from gaussdp.auditing.one_run import refuted_mu
from gaussdp.auditing.rates import rate_upper
from gaussdp.documents import Column, Displayed, Document, Rounding, Table, Value, shown
from gaussdp.domains import FINITE_NON_NEGATIVE, LEVEL, POSITIVE, number
from gaussdp.errors import DomainError

Plan = TypeVar("Plan", "PlannedTrials", "PlannedRun")

MOST_TRIALS = 10_000_000
MOST_CANARIES = 100_000
_SHIFTS = np.arange(0.0, 4.01, 0.25)  # of the threshold from the symmetric one, in standard deviations
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the canaries that are guessed
_WINDOW = 9.0  # standard deviations of a count beyond which its mass is below 1e-16


@dataclass(frozen=True)
class PlannedTrials:
    """Independent trials that suffice.

    Attributes:
        trials: on each side, rounded up to two digits: so many with the record and so many without.
        fpr: false-positive rate of the threshold at which the power was computed.
        power: the probability of detection there.
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
        equal_local_level: with the default method, which looks at every threshold; the power is that of the one
            threshold it was computed at, so the true one is at least that.
        one_run: with canaries whose scores are independent, or None beyond 10^5 canaries: a single run proves less
            than the truth however many there are.
    """

    mu: float
    claim_mu: float
    power: float
    confidence: float
    fixed_threshold: PlannedTrials | None
    equal_local_level: PlannedTrials | None
    one_run: PlannedRun | None

    def __repr__(self) -> str:
        size = "over 1e7" if self.equal_local_level is None else f"{self.equal_local_level.trials:,}"
        return f"<AuditPlan to refute μ = {self.claim_mu:g} where it is {self.mu:g}: {size} trials a side>"

    def document(self) -> Document:
        """How large an audit must be, by design."""
        columns = (
            Column("design", "design"),
            Column("with_record", "trials with the record"),
            Column("without_record", "trials without"),
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
                rows.append((design, "over 1e7", "over 1e7", "", "", "", ""))
            else:
                rows.append((design, trials.trials, trials.trials, "", "", trials.fpr, trials.power))
        if self.one_run is None:
            rows.append(("one run with canaries", "", "", "over 1e5", "", "", ""))
        else:
            run = self.one_run
            rows.append(("one run with canaries", "", "", run.canaries, run.guesses, "", run.power))
        title = (
            f"To prove μ > {shown(self.claim_mu)} when the truth is μ = {shown(self.mu)}, with power "
            f"{shown(self.power)} at {shown(round(100 * self.confidence, 10))} % confidence"
        )
        notes = (
            "Each size suffices if the attack is as good as the truth allows and its trials, or its canaries, do not "
            "influence each other.",
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

    def trials(upper: Upper) -> PlannedTrials | None:
        return _least(MOST_TRIALS, asked, lambda size: _best_trials(size, truth, claim, (1 - level) / 2, upper))

    def best_run(size: int) -> PlannedRun:
        return _best_run(size, truth, claim, asked, 1 - level)

    return AuditPlan(
        truth,
        claim,
        asked,
        level,
        fixed_threshold=trials(rate_upper),
        equal_local_level=trials(equal_level_upper),
        one_run=_least(MOST_CANARIES, asked, best_run),
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
    rates: list[float] = special.ndtr(-mu / 2 - _SHIFTS).tolist()
    return max(
        (PlannedTrials(trials, x, trials_power(trials, mu, x, claim_mu, tail, upper)) for x in rates),
        key=lambda plan: plan.power,
    )


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
    for _ in range(200):
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


def _least(most: int, power: float, best: Callable[[int], Plan]) -> Plan | None:
    """A plan with enough power whose next smaller size has not; sizes have two digits."""
    sizes = list(_two_digit_numbers(most))
    low, high = -1, 0
    found = best(sizes[0])
    while found.power < power:
        if high == len(sizes) - 1:
            return None
        low, high = high, min(high + 24, len(sizes) - 1)
        found = best(sizes[high])
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
