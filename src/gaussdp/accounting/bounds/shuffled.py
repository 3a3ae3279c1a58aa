r"""Batches that are not Poisson samples: what holds for them for sure, and what an attack proves about them.

Each pass over the data holds a record in one batch at the most, so without relying on the order a pass is one Gaussian
release (`passes`): :math:`\mu \le \sqrt{\text{passes}}/\sigma` for a record that is blanked out, twice that for one
that is exchanged. For the same batches in every pass that is attained.

For shuffled batches a lower bound comes from an attack on the first pass of N batches. If all other records pull
against the noise with their full share, the sum of the batch with the record stands out; the attack accuses if the
largest of the N sums, each counted from that of a batch of its size without the record, exceeds a threshold c:

.. math:: P(\max < c) = p\,\Phi\Big(\frac{c - a}{\sigma}\Big)\Phi\Big(\frac{c}{\sigma}\Big)^{N-1}
          + (1 - p)\,\Phi\Big(\frac{c}{\sigma}\Big)^N

with a = 2 if the record is there, 1 if it is blanked out, 0 if it pulls like the others, and p the probability that the
record is in one of the batches: 1 unless it may be dropped, or the run ends within the first pass. Full passes are
shuffled independently of each other, so that their largest sums are independent too (`repeated`).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.accounting.bounds.enclosures import Enclosure, of_exact_mu, smallest
from gaussdp.accounting.bounds.passes import (
    UNSTATED,
    Loader,
    Passes,
    cut,
    least_mu_fixed,
    least_mu_shuffled,
    most_mu,
    stretches,
)
from gaussdp.accounting.bounds.repeated import Rates, refuted, refuted_together
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Mechanism
from gaussdp.numerics import Floats


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
