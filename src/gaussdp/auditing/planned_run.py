"""How many canaries a single run needs."""

from dataclasses import dataclass

from scipy import special

from gaussdp.auditing.one_run import refuted_mu
from gaussdp.auditing.sizes import least

MOST_CANARIES = 100_000
_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the canaries that are guessed


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


def plan_run(mu: float, claim_mu: float, power: float, confidence: float) -> PlannedRun | None:
    """The least run that refutes the claim with this power; None beyond 10^5 canaries."""
    return least(MOST_CANARIES, power, lambda canaries: best_run(canaries, mu, claim_mu, power, 1 - confidence))


def best_run(canaries: int, mu: float, claim_mu: float, power: float, tail: float) -> PlannedRun:
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
