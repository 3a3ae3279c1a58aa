r"""Bets against a claim: what they pay for one pair of trials, and never more than fair under the claim.

A *test* gives a score x a chance phi(x) in [0, 1] to be accused. Under a guarantee with profile delta, and for every
epsilon >= 0, its error rates keep e^epsilon FPR + FNR >= 1 - delta(epsilon), and the same with the rates exchanged. So

    Z = 1 - delta(epsilon) - e^epsilon phi(nonmember) - (1 - phi(member))

has expectation at most 0 under the claim, and so has every average of such Z. It is at least -(e^epsilon + delta), so
that 1 + lambda Z is positive for lambda below 1 / (e^epsilon + delta), and its expectation at most 1: a factor of a
nonnegative supermartingale. docs/audit.md has the proof.

Tests are thresholds at quantiles of the scores of *earlier* pairs, both sides pooled. A score that ties with earlier
ones is accused with the share of them that lies above the quantile, so that discrete scores lose nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy import special

from gaussdp.guarantees import GDP, Guarantee
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class BettingSettings:
    """How the evidence is bet. No value affects validity; all are fixed before any score is seen.

    Attributes:
        fractions: of the largest lambda; the small ones are for claims close to the truth.
        fraction_shares: of the capital, more on the large ones, with which most audits end.
        along: quantiles of the bet along the claimed curve, whose slope at each is near the best one.
        along_share: of the capital. Against a Gaussian attack this bet grows at nine tenths of the possible rate.
        middle: quantiles of the bet on advantage, epsilon = 0, which grows fastest where the claim is far off.
        middle_share: of the capital.
        median_share: of the bet on advantage at the median alone, for attacks that tell nearly all people apart.
        corners: quantiles of bets on attacks that are sure of a few people, and their mirror images.
        corner_epsilons: of these bets.
        corner_share: of the capital, for all of them together.
        first: pairs before the first bet, from which its quantiles come.
        renewal: by which the number of pairs grows between two takings of quantiles.
        frozen: pairs beyond which the quantiles stay.
        mus: claims whose refutation gives the bound on mu.
    """

    fractions: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 0.6, 0.95)
    fraction_shares: tuple[float, ...] = (0.03, 0.07, 0.1, 0.2, 0.25, 0.35)
    along: tuple[float, ...] = tuple(np.linspace(0.1, 0.9, 15).tolist())
    along_share: float = 0.4
    middle: tuple[float, ...] = (0.4, 0.45, 0.5, 0.55, 0.6)
    middle_share: float = 0.2
    median_share: float = 0.2
    corners: tuple[float, ...] = (0.9, 0.97, 0.99)
    corner_epsilons: tuple[float, ...] = (1.0, 2.5)
    corner_share: float = 0.2
    first: int = 2
    renewal: float = 1.25
    frozen: int = 2048
    mus: tuple[float, ...] = tuple(
        np.concatenate((np.arange(40) / 20, 2 + np.arange(20) / 10, 4 + np.arange(17) / 4)).tolist()
    )


SETTINGS = BettingSettings()

_LARGEST_MU = 8.0  # of the slopes along a curve
_STEP = 0.01  # between scores from which quantiles are interpolated, up to
_FARTHEST = 9.0  # standard deviations, beyond which no share of a double lies
_DOUBT = 1e-9  # relative, by which a claimed delta is raised for its rounding


@dataclass(frozen=True)
class _Term:
    """One test in a bet: its quantile, its epsilon, the side of the costly error, and its part of the bet."""

    quantile: float
    epsilon: float
    costly_fp: bool
    part: float


@dataclass(frozen=True, eq=False)
class Bets:
    """Bets against one claim or several, by claim, bet and quantile.

    Attributes:
        quantiles: of pooled earlier scores, ascending.
        accusing: what an accused nonmember costs at each quantile; shape (claims, bets, quantiles).
        missing: what a member costs that is not accused.
        gain: of a pair without errors; shape (claims, bets).
        stakes: lambda; shape (claims, bets, fractions).
        shares: of the capital; shape (bets, fractions).
    """

    quantiles: Floats
    accusing: Floats
    missing: Floats
    gain: Floats
    stakes: Floats
    shares: Floats

    def joined(self, other: "Bets") -> "Bets":
        """These claims and then the others."""
        fields = ("accusing", "missing", "gain", "stakes")
        return replace(self, **{name: np.concatenate((getattr(self, name), getattr(other, name))) for name in fields})

    @cached_property
    def _tables(self) -> tuple[Floats, Floats]:
        """What a nonmember and what a member costs that is accused at so many of the quantiles, from the first on."""
        steps = np.tri(self.quantiles.size + 1, self.quantiles.size, -1)
        return _cost(steps, self.accusing), _cost(1 - steps, self.missing)

    def factors(self, member: Floats, nonmember: Floats) -> Floats:
        """What each pair multiplies the capital of each claim, bet and fraction by, 1 + lambda Z.

        Args:
            member: the chance of each pair's member to be accused at each quantile; shape (pairs, quantiles).
            nonmember: the same of the nonmember.
        """
        accused, missed = self._tables
        payoff = self.gain - _looked_up(nonmember, accused, self.accusing) - _looked_up(member, missed, self.missing, 1)
        return np.asarray(1 + self.stakes * payoff[..., None])

    def wealth(self, capital: Floats) -> Floats:
        """What all bets against a claim have together."""
        held = capital * self.shares
        return np.asarray(held.reshape(*held.shape[:-2], -1).sum(axis=-1))


def _looked_up(chances: Floats, table: Floats, prices: Floats, missed: int = 0) -> Floats:
    """The cost of each pair; without ties a score is surely accused up to some quantile, and its cost in the table."""
    sure = ((chances == 0) | (chances == 1)).all(axis=1)
    total: Floats = table[np.count_nonzero(chances == 1, axis=1)]
    total[~sure] = _cost(np.abs(missed - chances[~sure]), prices)
    return total


def _cost(chances: Floats, prices: Floats) -> Floats:
    """What errors with these chances at each quantile cost, by pair, claim and bet.

    Added up one quantile after the other, so that a pair costs the same bits alone as among others.
    """
    total = np.zeros((chances.shape[0], *prices.shape[:-1]))
    for place in range(prices.shape[-1]):
        total += chances[:, place, None, None] * prices[..., place]
    return total


def bets_against(claims: Sequence[Guarantee], settings: BettingSettings = SETTINGS) -> Bets:
    """The bets against these claims, which differ in epsilons and deltas alone."""
    made = [_bets(claim, settings) for claim in claims]
    quantiles = np.array(sorted({term.quantile for _, terms in made[0] for term in terms}))
    shape = len(claims), len(made[0])
    accusing, missing = np.zeros((*shape, quantiles.size)), np.zeros((*shape, quantiles.size))
    gain, worst = np.zeros(shape), np.zeros(shape)
    for i, (claim, bets) in enumerate(zip(claims, made, strict=True)):
        for j, (_, terms) in enumerate(bets):
            for term in terms:
                place = int(np.searchsorted(quantiles, term.quantile))
                costly, delta = math.exp(term.epsilon), min(1.0, (1 + _DOUBT) * float(claim.delta(term.epsilon)))
                accusing[i, j, place] += term.part * (costly if term.costly_fp else 1.0)
                missing[i, j, place] += term.part * (1.0 if term.costly_fp else costly)
                gain[i, j] += term.part * (1 - delta)
                worst[i, j] += term.part * (costly + delta)
    shares = np.array([share for share, _ in made[0]])
    fractions, of_fractions = np.array(settings.fractions), np.array(settings.fraction_shares)
    parts = np.outer(shares, of_fractions) / (shares.sum() * of_fractions.sum())
    return Bets(quantiles, accusing, missing, gain, fractions / worst[..., None], parts)


@lru_cache(maxsize=1)
def grid_bets() -> Bets:
    """The bets against the claims whose refutation gives the bound on mu."""
    return bets_against([GDP(mu) for mu in SETTINGS.mus])


def _bets(claim: Guarantee, settings: BettingSettings) -> list[tuple[float, list[_Term]]]:
    """Each bet's share of the capital and its tests."""
    advantage = min(1.0, float(claim.delta(0.0)))
    mu = min(_LARGEST_MU, 2 * float(special.ndtri((1 + advantage) / 2)))  # of the GDP curve with this advantage
    places = pooled_quantiles(mu, np.array(settings.along)) - mu / 2
    slopes = np.abs(mu * places)
    parts = np.exp(-slopes) / np.exp(-slopes).sum()
    along = [
        _Term(q, float(slope), bool(side >= 0), float(part))
        for q, slope, side, part in zip(settings.along, slopes, places, parts, strict=True)
    ]
    middle = [_Term(q, 0.0, True, 1 / len(settings.middle)) for q in settings.middle]
    corners = [
        term
        for epsilon in settings.corner_epsilons
        for q in settings.corners
        for term in (_Term(q, epsilon, True, 1.0), _Term(1 - q, epsilon, False, 1.0))
    ]
    share = settings.corner_share / len(corners)
    return [
        (settings.along_share, along),
        (settings.middle_share, middle),
        (settings.median_share, [_Term(0.5, 0.0, True, 1.0)]),
        *((share, [term]) for term in corners),
    ]


def pooled_quantiles(mu: float, quantiles: Floats) -> Floats:
    """Quantiles of as many scores of N(0, 1) as of N(mu, 1)."""
    z = np.arange(-_FARTHEST, mu + _FARTHEST, _STEP)
    return np.asarray(np.interp(quantiles, (special.ndtr(z) + special.ndtr(z - mu)) / 2, z))


def chances(scores: Floats, earlier: Floats, quantiles: Floats) -> Floats:
    """The chance that the test at each quantile of the earlier scores accuses each score.

    A score covers the ranks of the earlier ones that it ties with; the chance is the share of these above the quantile,
    one half for a quantile in the very gap that a score falls into.

    Args:
        scores: shape (pairs,).
        earlier: sorted.
        quantiles: in (0, 1).
    """
    low = np.searchsorted(earlier, scores, side="left")[:, None] / earlier.size
    high = np.searchsorted(earlier, scores, side="right")[:, None] / earlier.size
    with np.errstate(all="ignore"):
        tied = np.clip((high - quantiles) / (high - low), 0.0, 1.0)
    return np.where(high > low, tied, (1 + np.sign(low - quantiles)) / 2)
