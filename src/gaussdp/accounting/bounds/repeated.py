"""What an attack proves that sees one number a pass, on one pass and on several that are independent.

The number is put into bins; over several passes the attack adds up the logarithm of each bin's likelihood ratio,
rounded to a grid, and accuses above a threshold. Any statistic makes a valid attack, so that bins and grid cost power
and not truth.
"""

from dataclasses import dataclass, replace

import numpy as np

from gaussdp.accounting.operating_points import log_complement, upper_quantile
from gaussdp.guarantees.claim import Claim
from gaussdp.numerics import TINY, Floats


@dataclass(frozen=True)
class RepeatedSettings:
    """What is tuned about attacks on several passes."""

    most_passes: int = 64  # an attack may look at fewer; the transform stays short
    least_mass: float = 1e-8  # of a bin, a difference of rates that are known to 1e-16
    points: int = 2**19  # of the grid of summed losses
    relative: float = 1e-5  # error of the rates, from those of the masses
    noise: float = 1e-11
    """Error of the rates from rounding: many times what is allowed for so many compositions on a grid so long."""


SETTINGS = RepeatedSettings()


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
    count = min(passes, SETTINGS.most_passes)
    losses = np.log(p / q)
    step = count * float(np.ptp(losses)) / SETTINGS.points
    places = np.rint((losses - losses.min()) / step).astype(np.intp)
    size = 1 << (count * int(places.max()) + 1).bit_length()
    some_q, some_p = (_exceeding(np.bincount(places, masses).astype(float), count, size) for masses in (q, p))
    # Each rate on the side that makes the attack worse, and attacks so far above the floor that they surely are.
    relative, noise = SETTINGS.relative, SETTINGS.noise
    if claim.floor is not None:
        claim = replace(claim, floor=min(claim.floor * (1 + 3 * relative) + 3 * noise, 0.5))
    return refuted(claim, _rates(some_q * (1 + relative) + noise), _rates(some_p * (1 - relative) - noise))


def _coarser(q: Floats, p: Floats) -> tuple[Floats, Floats]:
    """The masses of neighbouring bins together, until none is so small that its digits are lost."""
    starts, sum_q, sum_p = [0], 0.0, 0.0
    for place, (one, other) in enumerate(zip(q.tolist(), p.tolist(), strict=True), start=1):
        sum_q, sum_p = sum_q + one, sum_p + other
        if min(sum_q, sum_p) >= SETTINGS.least_mass:
            starts.append(place)
            sum_q = sum_p = 0.0
    if starts[-1] == len(q) or min(sum_q, sum_p) < SETTINGS.least_mass:
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
