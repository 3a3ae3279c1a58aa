r"""Batches that are cut from the data rather than sampled: what holds for them for sure, and what an attack proves.

**How often a record takes part.** A loader cuts a pass over n records into N batches of b: :math:`\lfloor n/b \rfloor`
of them if it drops the last, incomplete one, :math:`\lceil n/b \rceil` if it keeps it. In every pass a record is in one
batch, or in none if it was dropped. A run of T steps, which begins a pass, holds a record at most :math:`\lceil T/N
\rceil` times, some record that often, and a record that is never dropped at least :math:`\lfloor T/N \rfloor` times.
What is not stated is taken as few batches for an upper bound and as many for a lower one.

**What an attack proves** that sees one number a pass, on one pass and on several that are independent: the number is
put into bins; over several passes the attack adds up the logarithm of each bin's likelihood ratio, rounded to a grid,
and accuses above a threshold. Any statistic makes a valid attack, so that bins and grid cost power and not truth.

**Both, for shuffled batches.** Each pass over the data holds a record in one batch at the most, so without relying on
the order a pass is one Gaussian release: :math:`\mu \le \sqrt{\text{passes}}/\sigma` for a record that is blanked out,
twice that for one that is exchanged. For the same batches in every pass that is attained.

For shuffled batches a lower bound comes from an attack on the first pass of N batches. If all other records pull
against the noise with their full share, the sum of the batch with the record stands out; the attack accuses if the
largest of the N sums, each counted from that of a batch of its size without the record, exceeds a threshold c:

.. math:: P(\max < c) = p\,\Phi\Big(\frac{c - a}{\sigma}\Big)\Phi\Big(\frac{c}{\sigma}\Big)^{N-1}
          + (1 - p)\,\Phi\Big(\frac{c}{\sigma}\Big)^N

with a = 2 if the record is there, 1 if it is blanked out, 0 if it pulls like the others, and p the probability that the
record is in one of the batches: 1 unless it may be dropped, or the run ends within the first pass. Full passes are
shuffled independently of each other, so that their largest sums are independent too.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy import special

from gaussdp.accounting.bounds.closed_forms import implied_mu
from gaussdp.accounting.bounds.enclosures import Enclosure, of_exact_mu, smallest
from gaussdp.accounting.operating_points import log_complement, upper_quantile
from gaussdp.accounting.plain_gaussians import roots
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Composition, Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.mechanisms.base import Repeated
from gaussdp.numerics import TINY, Floats

_PLAIN = Gaussian | ZCDPGaussian
_ROUNDING = 2.0**-51  # of 1 / (b / n) in doubles; a quotient that is not whole is farther off for n up to 1e15
_MOST = 1e300  # batches: beyond, a double is infinite


@dataclass(frozen=True)
class Loader:
    """What is stated about the batches of one pass.

    Attributes:
        batches_per_pass: their number; None if not stated.
        drop_last: whether a last, incomplete batch is dropped; None if not stated.
    """

    batches_per_pass: int | None = None
    drop_last: bool | None = None

    def batches(self, sample_rate: float) -> tuple[int, int]:
        """The fewest and the most batches of a pass that fit what is stated."""
        if self.batches_per_pass is not None:
            return self.batches_per_pass, self.batches_per_pass
        full, all_ = cut(sample_rate)
        return (full if self.drop_last is not False else all_), (all_ if self.drop_last is not True else full)

    def drops(self, sample_rate: float) -> bool:
        """Whether a pass may leave a record out."""
        return self.batches(sample_rate)[0] < cut(sample_rate)[1]


def cut(sample_rate: float) -> tuple[int, int]:
    """The full batches of a pass, and all of them with an incomplete last one."""
    exact = min(1 / sample_rate, _MOST)
    nearest = round(exact)
    if abs(exact - nearest) <= _ROUNDING * exact:
        return nearest, nearest
    return math.floor(exact), math.ceil(exact)


UNSTATED = Loader()


@dataclass(frozen=True)
class Passes:
    """Runs of one mechanism, each of so many sampled steps, each beginning a pass."""

    part: PoissonSampled
    runs: int
    steps: int

    def at_most(self, batches: int) -> int:
        """How often a record takes part at the most, if a pass has so many batches."""
        return self.runs * math.ceil(self.steps / batches)


def stretches(mechanism: Mechanism) -> list[Passes]:
    """The sampled steps of a mechanism by the runs that make them."""
    return [
        Passes(part, times, count)
        for leaf, times in _leaves(mechanism)
        for part, count in leaf.parts()
        if isinstance(part, PoissonSampled)
    ]


def _leaves(mechanism: Mechanism, times: int = 1) -> Iterator[tuple[Mechanism, int]]:
    """What a composition repeats; sampled steps that are repeated are one run."""
    if isinstance(mechanism, Composition):
        for item in mechanism.mechanisms:
            yield from _leaves(item, times)
    elif isinstance(mechanism, Repeated) and not isinstance(mechanism.mechanism, PoissonSampled):
        yield from _leaves(mechanism.mechanism, times * mechanism.count)
    else:
        yield mechanism, times


def most_mu(mechanism: Mechanism, loader: Loader = UNSTATED, *, each_step: bool = False) -> float:
    """The mu that holds without relying on random batches, for a record that is blanked out; infinite if unknown.

    Args:
        mechanism: described as if it sampled.
        loader: how batches are cut.
        each_step: whether a record may be in every batch, not in one a pass.
    """
    others = [(part, count) for part, count in mechanism.parts() if not isinstance(part, PoissonSampled | _PLAIN)]
    implied = math.fsum(count * implied_mu(part) ** 2 for part, count in others)
    if implied == math.inf:
        return math.inf
    squares = [*_plain(mechanism), Fraction(implied)]
    for one in stretches(mechanism):
        uses = one.runs * one.steps if each_step else one.at_most(loader.batches(one.part.sample_rate)[0])
        squares.append(uses * one.part.mechanism.squared_mu)
    return roots(squares)[1]


def least_mu_shuffled(mechanism: Mechanism, loader: Loader) -> float:
    """The mu of the Gaussian releases that some order of shuffled data makes; each order has a positive probability."""
    uses = [
        one.at_most(loader.batches(one.part.sample_rate)[1]) * one.part.mechanism.least_squared_mu
        for one in stretches(mechanism)
    ]
    return roots([*_least_plain(mechanism), *uses])[0]


def least_mu_fixed(mechanism: Mechanism, loader: Loader) -> float:
    """A mu that some record has for sure if every run uses its own batches, the same in every pass.

    Some record is in :math:`\\lceil T/N \\rceil` batches of one run; over several runs, whose batches may differ, in
    the mean over all records, rounded up. In the other runs it is in as many as every record is.
    """
    plain, found = _least_plain(mechanism), [Fraction()]
    runs = stretches(mechanism)
    for one in runs:
        rate = one.part.sample_rate
        batches = loader.batches(rate)[1] if one.runs == 1 else cut(rate)[1]
        best = math.ceil(one.runs * one.steps / batches) * one.part.mechanism.least_squared_mu
        others = [
            other.runs
            * (other.steps // loader.batches(other.part.sample_rate)[1])
            * other.part.mechanism.least_squared_mu
            for other in runs
            if other is not one and not loader.drops(other.part.sample_rate)
        ]
        found.append(best + sum(others, Fraction()))
    return roots([*plain, max(found)])[0]


def _plain(mechanism: Mechanism) -> list[Fraction]:
    """The squared mu of the Gaussian releases without sampling; others can only reveal more."""
    return [count * part.squared_mu for part, count in mechanism.parts() if isinstance(part, _PLAIN)]


def _least_plain(mechanism: Mechanism) -> list[Fraction]:
    """The same, at least."""
    return [count * part.least_squared_mu for part, count in mechanism.parts() if isinstance(part, _PLAIN)]


@dataclass(frozen=True)
class RepeatedSettings:
    """What is tuned about attacks on several passes."""

    most_passes: int = 64  # an attack may look at fewer; the transform stays short
    least_mass: float = 1e-8  # of a bin, a difference of rates that are known to 1e-16
    points: int = 2**19  # of the grid of summed losses
    relative: float = 1e-5  # error of the rates, from those of the masses
    noise: float = 1e-11
    """Error of the rates from rounding: many times what is allowed for so many compositions on a grid so long."""


REPEATED = RepeatedSettings()


@dataclass(frozen=True)
class Rates:
    """Chances that a number exceeds each threshold, and that it does not, each exact in its own small values."""

    some: Floats
    log_none: Floats

    def quantile(self) -> Floats:
        """z with the chance of exceeding that a normal variable has of exceeding z."""
        with np.errstate(divide="ignore"):
            return upper_quantile(np.log(self.some), self.log_none)

    def masses(self) -> Floats:
        """Chances of the bins between thresholds that rise, and of the two beyond."""
        none = np.exp(self.log_none)
        inner = np.where(none[1:] < 0.5, np.diff(none), -np.diff(self.some))
        found: Floats = np.maximum(np.concatenate([none[:1], inner, self.some[-1:]]), 0.0)
        return found


def refuted(claim: Claim, away: Rates, here: Rates) -> float:
    """The value of the claim's kind below which an attack refutes every claim.

    Args:
        claim: an epsilon with delta or a mu with floor, whose value plays no part.
        away: its accusations without the record.
        here: and with it.
    """
    fpr, tpr, fnr = away.some, here.some, np.exp(here.log_none)
    if claim.kind == "gdp":
        floor = float(claim.floor or 0.0)
        usable = (fpr >= floor) & (fnr >= floor) & (fpr < 1) & (fnr < 1)
        if not usable.any():
            return 0.0
        mus = away.quantile() - here.quantile()
        return max(float(np.max(mus[usable])), 0.0)
    delta = float(claim.delta or 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.log(tpr - delta) - np.log(fpr)
        below = np.log(np.exp(away.log_none) - delta) - here.log_none
    epsilons = np.concatenate([above[fpr > 0], below[fnr > 0]])
    return float(np.max(epsilons[np.isfinite(epsilons)], initial=0.0))


def refuted_together(claim: Claim, away: Rates, here: Rates, passes: int) -> float:
    """The same for an attack that sees this many independent passes, or the first of them."""
    q, p = _coarser(away.masses(), here.masses())
    if len(q) < 2:
        return 0.0
    count = min(passes, REPEATED.most_passes)
    losses = np.log(p / q)
    step = count * float(np.ptp(losses)) / REPEATED.points
    places = np.rint((losses - losses.min()) / step).astype(np.intp)
    size = 1 << (count * int(places.max()) + 1).bit_length()
    some_q, some_p = (_exceeding(np.bincount(places, masses).astype(float), count, size) for masses in (q, p))
    # Each rate on the side that makes the attack worse, and attacks so far above the floor that they surely are.
    relative, noise = REPEATED.relative, REPEATED.noise
    if claim.floor is not None:
        claim = replace(claim, floor=min(claim.floor * (1 + 3 * relative) + 3 * noise, 0.5))
    return refuted(claim, _rates(some_q * (1 + relative) + noise), _rates(some_p * (1 - relative) - noise))


def _coarser(q: Floats, p: Floats) -> tuple[Floats, Floats]:
    """The masses of neighbouring bins together, until none is so small that its digits are lost."""
    starts, sum_q, sum_p = [0], 0.0, 0.0
    for place, (one, other) in enumerate(zip(q.tolist(), p.tolist(), strict=True), start=1):
        sum_q, sum_p = sum_q + one, sum_p + other
        if min(sum_q, sum_p) >= REPEATED.least_mass:
            starts.append(place)
            sum_q = sum_p = 0.0
    if starts[-1] == len(q) or min(sum_q, sum_p) < REPEATED.least_mass:
        starts.pop()  # what is left over joins the last bin
    return (np.add.reduceat(q, starts), np.add.reduceat(p, starts)) if starts else (q[:0], p[:0])


def _exceeding(masses: Floats, count: int, size: int) -> Floats:
    """Chances that the sum of so many places exceeds each place."""
    summed = np.fft.irfft(np.fft.rfft(masses / masses.sum(), size) ** count, size)
    exceeding: Floats = np.cumsum(summed[::-1])[::-1]
    return exceeding


def _rates(some: Floats) -> Rates:
    clipped = np.clip(some, TINY, 1 - 2**-53)
    return Rates(clipped, log_complement(np.log(clipped)))


@dataclass(frozen=True)
class AttackSettings:
    """What is tuned about the attack on shuffled batches."""

    thresholds: int = 2001  # that the attack tries
    safety: float = 1e-9  # relative, by which its bound is lowered for rounding


SETTINGS = AttackSettings()


def fixed_batches(mechanism: Mechanism, claim: Claim, group: int, loader: Loader, *, together: int) -> Enclosure:
    """The smallest value for the same batches in every pass: exactly Gaussian, but for what is not stated.

    Args:
        mechanism: described as if it sampled.
        claim: whose kind, delta and floor are taken.
        group: number of blanked-out records that a change counts for.
        loader: how batches are cut.
        together: as how many of them the change counts for sure, in one batch.
    """
    lower = of_exact_mu(together * least_mu_fixed(mechanism, loader), claim).lower
    return Enclosure(lower, of_exact_mu(group * most_mu(mechanism, loader), claim).upper)


def shuffled_batches(
    mechanism: Mechanism, claim: Claim, group: int, loader: Loader = UNSTATED, *, exchanged: bool
) -> Enclosure:
    """The smallest value for batches cut from shuffled data, as far as it is known.

    Args:
        mechanism: described as if it sampled.
        claim: whose kind, delta and floor are taken.
        group: number of blanked-out records that a change counts for.
        loader: how batches are cut.
        exchanged: whether a record may be exchanged, rather than blanked out.
    """
    upper = of_exact_mu(group * most_mu(mechanism, loader), claim).upper
    if _hides_nothing(claim):
        return Enclosure(of_exact_mu(least_mu_shuffled(mechanism, loader), claim).lower, upper)
    lower = max(
        (
            min(_refuted(claim, one, batches, exchanged=exchanged) for batches in _possible(one, loader))
            for one in stretches(mechanism)
        ),
        default=0.0,
    )
    return Enclosure(min(lower * (1 - SETTINGS.safety), upper), upper)


def drawn_batches(mechanism: Mechanism, claim: Claim, group: int) -> Enclosure:
    """The smallest value for batches of a fixed size, each drawn afresh without replacement, as far as it is known.

    If all other records contribute nothing, only the steps matter at which this one is drawn, and it is drawn at each
    with the sample rate, whatever happened at the others: then it is the mechanism with Poisson samples.
    """
    upper = of_exact_mu(group * most_mu(mechanism, each_step=True), claim).upper
    return Enclosure(min(smallest(mechanism, claim).lower, upper), upper)


def _hides_nothing(claim: Claim) -> bool:
    """Whether random batches do not count for it: as orders grow, or false-positive rates fall, they hide nothing."""
    return claim.kind in ("pure", "zcdp") or (claim.kind == "gdp" and claim.floor is None)


def _possible(one: Passes, loader: Loader) -> set[int]:
    """The batches that a pass may have."""
    return set(loader.batches(one.part.sample_rate))


def _refuted(claim: Claim, one: Passes, batches: int, *, exchanged: bool) -> float:
    """The value below which the attack on the first pass, or on all full passes, refutes every claim."""
    away, here = _attack(one, batches, exchanged=exchanged)
    passes = one.runs * (one.steps // batches)
    first = refuted(claim, away, here)
    return first if passes < 2 else max(first, refuted_together(claim, away, here, passes))


def _attack(one: Passes, batches: int, *, exchanged: bool) -> tuple[Rates, Rates]:
    """What the sums of the first pass do: without the record, and with it."""
    sigma, rate = one.part.mechanism.noise_multiplier, one.part.sample_rate
    seen = min(one.steps, batches)
    everyone = seen == batches and batches >= cut(rate)[1]
    share = 1.0 if everyone else min(seen * rate, 1.0)
    c = np.linspace(-2 * sigma, 2 + 12 * sigma, SETTINGS.thresholds)
    rest = special.log_ndtr(c / sigma)

    def rates(a: float) -> Rates:
        inside, outside = special.log_ndtr((c - a) / sigma) + (seen - 1) * rest, seen * rest
        if share == 1:
            return Rates(-np.expm1(inside), inside)
        mixed: Floats = np.logaddexp(math.log(share) + inside, math.log1p(-share) + outside)
        return Rates(-share * np.expm1(inside) - (1 - share) * np.expm1(outside), mixed)

    return rates(0.0 if exchanged else 1.0), rates(2.0)
