r"""How many pairs a sequential audit takes.

With the quantiles of the population, a pair falls into one of finitely many cells, and each bet multiplies its capital
by a factor of the cell. The wealth is followed from pair to pair where few pairs suffice. Where many are needed, the
logarithms of the factors are added up over blocks of pairs, whose sums are normal, and looked at after each block. A
first guess comes from the mean growth g of each bet with share s: the least n with sum of s e^{ng} >= 1/a.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.auditing.betting import SETTINGS as BETTING
from gaussdp.auditing.betting import Bets, bets_against, pooled_quantiles
from gaussdp.auditing.counts import Counts
from gaussdp.auditing.sizes import two_digits
from gaussdp.guarantees import GDP
from gaussdp.numerics import LARGEST_EXPONENT, Floats

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
