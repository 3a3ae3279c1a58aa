r"""How many trials, pairs of trials or canaries an audit needs.

**Independent trials.** At one threshold the power is a double sum over the counts of errors on either side, added up
exactly where there are few counts and from below where there are many: counts in between are taken for the next larger
one of a grid.

The default method looks at every threshold, so its power is simulated. The counts at the thresholds are drawn and never
the scores: exactly where they are small, else as Brownian bridges, their limit. From the power of one size follows the
size for another power: both rates being nearly normal, sqrt(n) grows as 2 z(level) + sqrt(2) z(power).

**Pairs of a sequential audit.** With the quantiles of the population, a pair falls into one of finitely many cells, and
each bet multiplies its capital by a factor of the cell. The wealth is followed from pair to pair where few pairs
suffice. Where many are needed, the logarithms of the factors are added up over blocks of pairs, whose sums are normal,
and looked at after each block. A first guess comes from the mean growth g of each bet with share s: the least n with
sum of s e^{ng} >= 1/a.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from scipy import special

from gaussdp.auditing.bands import Upper, approximate_level
from gaussdp.auditing.betting import SETTINGS as BETTING
from gaussdp.auditing.betting import Bets, bets_against, pooled_quantiles
from gaussdp.auditing.counts import Counts
from gaussdp.auditing.methods import held, rank_grid, rate_upper
from gaussdp.auditing.one_run import refuted_mu
from gaussdp.guarantees import GDP
from gaussdp.numerics import LARGEST_EXPONENT, Floats


class Sized(Protocol):
    """A plan, which has some power."""

    @property
    def power(self) -> float:
        """The probability of detection."""


Plan = TypeVar("Plan", bound=Sized)


def two_digits(size: float) -> int:
    """The number rounded up to two digits."""
    scale = 10 ** max(0, math.floor(math.log10(max(1.0, size))) - 1)
    return int(math.ceil(size / scale) * scale)


def least(most: int, power: float, best: Callable[[int], Plan], guess: float = 1.0) -> Plan | None:
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


MOST_PAIRS = 1_000_000


@dataclass(frozen=True)
class PairsPlanSettings:
    """What is tuned about plans of pairs."""

    repetitions: int = 500  # of a simulation
    few: int = 150  # pairs up to which they are followed one by one
    looks: int = 250  # at an audit of many pairs
    longest: float = 3.0  # times the guess that an audit is followed; doubled until almost all have ended
    almost_all: float = 0.99  # share of the audits that must have ended
    tail: tuple[float, float] = (0.9, 0.98)  # shares of the audits whose ends show how fast the last ones end
    lucky: float = 3.0  # deviations of a bet that is lucky
    small: float = 7.0  # logarithm of a part of the wealth that makes no difference
    steps: int = 300  # sizes that are looked at for a guess
    learning: float = 0.1  # of the guess, lost while the quantiles are not known yet; by simulation of whole audits
    farthest: float = 40.0  # mu beyond which no score is mistaken
    negligible: float = 1e-6  # share of the variance of a direction that is left out


PLANNING = PairsPlanSettings()


@dataclass(frozen=True)
class PlannedPairs:
    """A sequential audit that suffices.

    Attributes:
        expected: pairs that it takes in the mean, rounded up to two digits.
        pairs: by which it has ended with the power asked for, rounded up to two digits.
        power: asked for.
    """

    expected: int
    pairs: int
    power: float


def plan_pairs(mu: float, claim_mu: float, power: float, confidence: float) -> PlannedPairs | None:
    """How many pairs refute the claim when the truth is mu; simulated with a fixed seed. None beyond 10^6 pairs."""
    bets = bets_against([GDP(claim_mu)])
    with_record, without, logs = _cells(bets, min(mu, PLANNING.farthest))
    cells, log_shares = np.outer(with_record, without).ravel(), np.log(bets.shares.ravel())
    growth = cells @ logs
    guess = _pairs_by_growth(growth, log_shares, confidence)
    if guess is None:
        return None
    counts = _that_count(cells, logs, log_shares + guess * growth, guess)
    logs, log_shares = logs[:, counts], log_shares[counts]
    longest = PLANNING.longest * guess
    while True:
        block = max(1, round(longest / PLANNING.looks)) if guess > PLANNING.few else 1
        steps = _normal_steps(cells, logs, block) if block > 1 else _single_steps(cells, logs)
        ended = _ends(steps, math.ceil(longest / block), log_shares, confidence) * block
        if np.isfinite(ended).mean() >= PLANNING.almost_all or longest > PLANNING.longest * MOST_PAIRS:
            break
        longest *= 2
    needed = _by(np.sort(ended), power)
    if needed > MOST_PAIRS:
        return None
    learning = BETTING.first + PLANNING.learning * guess
    return PlannedPairs(
        two_digits(float(np.minimum(ended, longest).mean()) + learning), two_digits(needed + learning), power
    )


def _by(ended: Floats, power: float) -> float:
    """When audits with these ends, ascending, have ended with this power; the last ones follow an exponential law."""
    first, last = (float(np.quantile(ended, share, method="higher")) for share in PLANNING.tail)
    if power <= PLANNING.tail[1]:
        return float(np.quantile(ended, power, method="higher"))
    fall = math.log((1 - PLANNING.tail[0]) / (1 - PLANNING.tail[1]))
    return last + (last - first) * math.log((1 - PLANNING.tail[1]) / (1 - power)) / fall


def _that_count(cells: Floats, logs: Floats, wealth: Floats, pairs: float) -> Counts:
    """The bets that a lucky course could make a part of the wealth; without the others it ends a little later."""
    deviation = np.sqrt(pairs * (cells @ (logs - cells @ logs) ** 2))
    return np.flatnonzero(wealth + PLANNING.lucky * deviation >= wealth.max() - PLANNING.small)


def _cells(bets: Bets, mu: float) -> tuple[Floats, Floats, Floats]:
    """The chances of the cells of either score, and the logarithms of the factors of all bets by pair of cells."""
    thresholds = pooled_quantiles(mu, bets.quantiles)
    with_record, without = (np.diff(special.ndtr(thresholds - shift), prepend=0.0, append=1.0) for shift in (mu, 0.0))
    accused = np.tri(thresholds.size + 1, thresholds.size, -1)  # cell by cell, at which quantiles a score is accused
    member, nonmember = np.repeat(accused, accused.shape[0], axis=0), np.tile(accused, (accused.shape[0], 1))
    factors = bets.factors(member, nonmember)[:, 0]
    return with_record, without, np.log(factors).reshape(factors.shape[0], -1)


def _pairs_by_growth(growth: Floats, log_shares: Floats, confidence: float) -> float | None:
    """The least n at which bets that grow at these rates have the evidence together; None if beyond the most."""
    sizes = np.geomspace(1.0, MOST_PAIRS, PLANNING.steps)
    wealth = special.logsumexp(sizes[:, None] * growth + log_shares, axis=1)
    enough = np.flatnonzero(wealth >= -math.log1p(-confidence))
    return float(sizes[enough[0]]) if enough.size else None


def _single_steps(cells: Floats, logs: Floats) -> Iterator[Floats]:
    """The logarithms of the factors of a pair, in each repetition; pair after pair."""
    random, ends = np.random.default_rng(0), np.cumsum(cells)
    while True:
        drawn = np.searchsorted(ends, ends[-1] * random.random(PLANNING.repetitions), side="right")
        yield logs[np.minimum(drawn, ends.size - 1)]


def _normal_steps(cells: Floats, logs: Floats, block: int) -> Iterator[Floats]:
    """The same of a block of pairs, taken to be normal in the few directions that vary."""
    growth = cells @ logs
    values, vectors = np.linalg.eigh((logs - growth).T @ ((logs - growth) * cells[:, None]))
    varies = values > PLANNING.negligible * values[-1]
    root = np.sqrt(block * values[varies])[:, None] * vectors[:, varies].T
    random = np.random.default_rng(0)
    while True:
        yield block * growth + random.standard_normal((PLANNING.repetitions, root.shape[0])) @ root


def _ends(steps: Iterator[Floats], looks: int, log_shares: Floats, confidence: float) -> Floats:
    """The number of the look at which each audit ends, infinite if at none of so many."""
    ends, limit = np.full(PLANNING.repetitions, math.inf), 1 / (1 - confidence)
    logs = np.broadcast_to(log_shares, (PLANNING.repetitions, log_shares.size)).copy()
    for look in range(1, looks + 1):
        logs += next(steps)
        wealthy = np.exp(np.minimum(logs, LARGEST_EXPONENT)).sum(axis=1) >= limit
        ends[wealthy & np.isinf(ends)] = look
        if np.isfinite(ends).all():
            break
    return ends
