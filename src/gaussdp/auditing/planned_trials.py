r"""How many independent trials an audit needs.

At one threshold the power is a double sum over the counts of errors on either side, added up exactly where there are
few counts and from below where there are many: counts in between are taken for the next larger one of a grid.

The default method looks at every threshold, so its power is simulated. The counts at the thresholds are drawn and never
the scores: exactly where they are small, else as Brownian bridges, their limit. From the power of one size follows the
size for another power: both rates being nearly normal, sqrt(n) grows as 2 z(level) + sqrt(2) z(power).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.auditing.bands import Upper
from gaussdp.auditing.counts import Counts
from gaussdp.auditing.local_level import approximate_level
from gaussdp.auditing.rates import held, rank_grid, rate_upper
from gaussdp.auditing.sizes import least, two_digits
from gaussdp.numerics import Floats

MOST_TRIALS = 10_000_000

_SHIFTS = np.arange(0.0, 4.01, 0.25)  # of the threshold from the symmetric one, in standard deviations


@dataclass(frozen=True)
class TrialsPlanSettings:
    """What is tuned about plans of trials."""

    farthest: float = 37.0  # standard deviations of a threshold: beyond, its false-positive rate is no double
    rare: float = 0.1  # expected errors of which there will be none
    least_deviations: float = 0.1  # that a plan is made with: with fewer, half the power would need no trials
    many: int = 1000  # trials from which whole numbers make no more difference
    window: float = 9.0  # standard deviations of a count beyond which its mass is below 1e-16
    grid: int = 32  # counts of the sum in a standard deviation
    repetitions: int = 1000  # of a simulation; a standard error of a power of 0.9 is 0.01
    first: int = 250  # of the one from which the size is guessed
    standard_errors: float = 1.0  # that a simulated power is lowered by
    simulated: float = 0.98  # the largest power that so many repetitions tell; beyond, a formula has the size
    gain: float = 1.3  # about so many times as many trials does one threshold need, at the level of the default method
    stride: float = 2.0  # times a size is the farthest that the formula is trusted from there
    close: float = 1.1  # times a size that is too small is near enough
    normal: float = 100.0  # expected errors at the symmetric threshold from which the counts are drawn as bridges
    counted: float = 25.0  # expected errors at a threshold that is then still looked at


SETTINGS = TrialsPlanSettings()


_FAR = np.concatenate((np.arange(0.9, 1.5, 0.1), np.arange(1.5, 4.01, 0.25)))
_THRESHOLDS = np.concatenate((-_FAR[::-1], np.arange(-0.8, 0.81, 0.02), _FAR))
"""That the default method looks at in a simulation, in standard deviations from the symmetric one: the best is near."""


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


def plan_threshold(mu: float, claim_mu: float, power: float, confidence: float) -> PlannedTrials | None:
    """The least size with the best threshold known in advance; None beyond 10^7 trials a side."""
    tail = (1 - confidence) / 2
    if -2 * special.ndtri(rate_upper(0, MOST_TRIALS, tail)) <= claim_mu:
        return None  # no error at all in the largest audit would not prove more
    guess = _guess(mu, claim_mu, power, tail)
    return least(MOST_TRIALS, power, lambda trials: _best_threshold(trials, mu, claim_mu, tail), guess)


def _guess(mu: float, claim_mu: float, power: float, tail: float) -> float:
    """About how many trials suffice at the symmetric threshold: without an error, or with rates that are normal."""
    rate = float(special.ndtr(-mu / 2))
    faultless = -math.log(tail) / float(special.ndtr(-claim_mu / 2))
    if faultless * rate < SETTINGS.rare:
        return faultless
    spread = math.sqrt(rate * (1 - rate)) / math.exp(-mu * mu / 8) * math.sqrt(2 * math.pi)  # of a quantile, one trial
    root = min(_deviations(tail, power) * spread / (mu - claim_mu), float(MOST_TRIALS))
    return max(root * root, faultless)


def _deviations(level: float, power: float) -> float:
    """How many deviations of a rate, bounded at this level on either side, give this power; as sqrt(trials)."""
    return max(float(-2 * special.ndtri(level) + math.sqrt(2) * special.ndtri(power)), SETTINGS.least_deviations)


def _best_threshold(trials: int, mu: float, claim_mu: float, tail: float) -> PlannedTrials:
    best = PlannedTrials(trials, 0.5, -1.0)
    for rate in special.ndtr(-np.minimum(mu / 2 + _SHIFTS, SETTINGS.farthest)).tolist():
        plan = PlannedTrials(trials, rate, trials_power(trials, mu, rate, claim_mu, tail, rate_upper))
        if plan.power < best.power and trials > SETTINGS.many:
            break  # with many trials the power has one peak
        best = max(best, plan, key=lambda plan: plan.power)
    return best


def trials_power(trials: int, mu: float, fpr: float, claim_mu: float, tail: float, upper: Upper) -> float:
    """The probability that the bounds at this one threshold prove more than the claim, never more than it is.

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
    enough = np.searchsorted(fnr_upper, _allowed(fpr_upper, claim_mu), side="left")  # counts of misses few enough
    at_most = np.concatenate(([0.0], special.bdtr(missed.astype(np.float64), trials, fnr)))
    mass = special.bdtr(accused.astype(np.float64), trials, fpr)
    mass[1:] -= mass[:-1].copy()
    return min(1.0, float(np.dot(mass, at_most[enough])))


def _allowed(fpr_upper: Floats, claim_mu: float) -> Floats:
    """The fnr bound below which, with this fpr bound, more than the claim is proved."""
    with np.errstate(all="ignore"):
        return np.where(fpr_upper < 1, special.ndtr(-special.ndtri(fpr_upper) - claim_mu), 0.0)


def _likely(trials: int, rate: float) -> Counts:
    """The counts within the window, ascending; where there are many, so many in a standard deviation."""
    deviation = math.sqrt(trials * rate * (1 - rate))
    spread = SETTINGS.window * deviation + SETTINGS.window**2 / 2
    low, high = math.floor(trials * rate - spread), math.ceil(trials * rate + spread)
    return np.arange(max(0, low), min(trials, high) + 1, max(1, math.floor(deviation / SETTINGS.grid)), dtype=np.int64)


def plan_every_threshold(
    mu: float, claim_mu: float, power: float, confidence: float, known: PlannedTrials | None
) -> PlannedTrials | None:
    """A size that suffices for the default method; None beyond 10^7 trials a side.

    Args:
        known: what suffices with the best threshold known in advance.
    """
    if known is None:
        return None
    tail, simulated = (1 - confidence) / 2, min(power, SETTINGS.simulated)

    def other(plan: PlannedTrials, reached: float, wanted: float) -> float:
        """About how many trials have the power that is wanted, where so many have that which is reached."""
        level = approximate_level(plan.trials, tail)
        ratio = _deviations(level, wanted) / _deviations(level, reached)
        return plan.trials * min(max(ratio * ratio, 1 / SETTINGS.stride), SETTINGS.stride)

    one_threshold = (
        known.trials * (_deviations(approximate_level(known.trials, tail), simulated) / _deviations(tail, power)) ** 2
    )
    plan = simulated_plan(
        two_digits(min(one_threshold / SETTINGS.gain, MOST_TRIALS)), mu, claim_mu, tail, SETTINGS.first
    )
    found, too_few = None, 0
    while found is None or found.trials > SETTINGS.close * too_few:
        size = min(other(plan, min(max(plan.power, 0.01), 1 - 2 / SETTINGS.repetitions), simulated), float(MOST_TRIALS))
        if plan is found and two_digits(size) >= found.trials:
            break
        if found is not None and not too_few < two_digits(size) < found.trials:
            size = math.sqrt(max(too_few, 1) * found.trials)  # the formula leads out of what is left
        plan = simulated_plan(two_digits(max(size, too_few + 1)), mu, claim_mu, tail)
        if plan.power >= simulated and plan.trials > too_few:
            if found is not None and plan.trials >= found.trials:
                break
            found = plan
        elif plan.trials >= MOST_TRIALS:
            return None
        else:
            too_few = plan.trials
    if power <= simulated:
        return found
    size = two_digits(other(found, simulated, power))
    return PlannedTrials(size, found.fpr, power) if size <= MOST_TRIALS else None


def simulated_plan(
    trials: int, mu: float, claim_mu: float, tail: float, repetitions: int = SETTINGS.repetitions
) -> PlannedTrials:
    """The power of the default method: how often some threshold proves more than the claim."""
    z = np.minimum(mu / 2, SETTINGS.farthest - _THRESHOLDS[-1]) + _THRESHOLDS
    many = trials * special.ndtr(-mu / 2) >= SETTINGS.normal
    if many:
        z = z[trials * np.minimum(special.ndtr(-z), special.ndtr(z - mu)) >= SETTINGS.counted]
    random = np.random.default_rng(0)
    below = _bridges_below if many else _drawn_below
    accused = below(random, trials, -z[::-1], repetitions)[:, ::-1]
    missed = below(random, trials, z - mu, repetitions)
    grid, level = rank_grid(trials), approximate_level(trials, tail)
    table = np.append(_near_upper(grid, trials, level) if many else rate_upper(grid, trials, level), 1.0)
    proved = table[held(missed, grid)] < _allowed(table, claim_mu)[held(accused, grid)]
    share = float(proved.any(axis=1).mean())
    error = math.sqrt(max(share * (1 - share), 1 / repetitions) / repetitions)
    best = int(np.argmax(proved.sum(axis=0)))
    return PlannedTrials(trials, float(special.ndtr(-z[best])), max(0.0, share - SETTINGS.standard_errors * error))


def _drawn_below(random: np.random.Generator, trials: int, ends: Floats, repetitions: int) -> Floats:
    """How many of so many standard normal scores lie below each of these rising ends, drawn so often."""
    cells = np.diff(special.ndtr(ends), prepend=0.0, append=1.0)
    counts = random.multinomial(trials, cells / cells.sum(), size=repetitions)
    return np.cumsum(counts[:, :-1], axis=1, dtype=np.float64)


def _bridges_below(random: np.random.Generator, trials: int, ends: Floats, repetitions: int) -> Floats:
    """The same of very many scores."""
    below = special.ndtr(ends)
    steps = np.sqrt(np.diff(below, prepend=0.0, append=1.0))
    paths = np.cumsum(random.standard_normal((repetitions, steps.size)) * steps, axis=1)
    return np.asarray(trials * below + math.sqrt(trials) * (paths[:, :-1] - below * paths[:, -1:]))


def _near_upper(errors: Counts, trials: int, tail: float) -> Floats:
    """`rate_upper` for many errors, in a tenth of the time; with fifty, a thousandth part of the bound's width off.

    Reference: Abramowitz & Stegun, Section 26.5.
    """
    a, b = errors + 1.0, np.asarray(trials - errors, dtype=np.float64)
    y = float(special.ndtri(tail))
    h, shift = 2 / (1 / (2 * a - 1) + 1 / (2 * b - 1)), (y * y - 3) / 6
    w = y * np.sqrt(h + shift) / h - (1 / (2 * b - 1) - 1 / (2 * a - 1)) * (shift + 5 / 6 - 2 / (3 * h))
    return np.asarray(a / (a + b * np.exp(2 * w)))
