r"""Batches that are not Poisson samples: what holds for them for sure, and what an attack proves about them.

Each pass over the data holds a record in one batch, so without relying on the order a pass is one Gaussian release:
:math:`\mu \le \sqrt{\text{passes}}/\sigma` for a record that is blanked out, twice that for one that is exchanged. For
the same batches in every pass that is exact.

For shuffled batches a lower bound comes from an attack on one pass of N batches. If all other records pull against the
noise with their full share, the sum of the batch with the record stands out; the attack accuses if the largest of the N
sums exceeds a threshold c:

.. math:: P(\max \ge c) = 1 - \Phi\Big(\frac{c - a}{\sigma}\Big)\Phi\Big(\frac{c}{\sigma}\Big)^{N-1}

with a = 2 if the record is there, 1 if it is blanked out, 0 if it pulls like the others.
"""

import math

import numpy as np
from scipy import special

from gaussdp.accounting.bounds.enclosures import Enclosure, of_exact_mu
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Gaussian, Mechanism, PoissonSampled, ZCDPGaussian
from gaussdp.numerics import Floats

_THRESHOLDS = 2001
_SAFETY = 1e-9


def without_sampling(mechanism: Mechanism, *, each_step: bool = False) -> float:
    """The mu that holds without relying on random batches, for a record that is blanked out; infinite if unknown.

    Args:
        mechanism: described as if it sampled.
        each_step: whether a record may be in every batch, not in one a pass.
    """
    squares: list[float] = []
    for part, count in mechanism.parts():
        if isinstance(part, Gaussian | ZCDPGaussian):
            squares.append(count * part.mu**2)
        elif isinstance(part, PoissonSampled):
            uses = count if each_step else passes(part, count)
            squares.append(uses * part.mechanism.mu**2)
        else:
            return math.inf
    return math.sqrt(math.fsum(squares))


def passes(part: PoissonSampled, steps: int) -> int:
    """How many batches hold one record, at most; the last batch of a pass may be dropped."""
    return math.ceil(steps / batches(part))


def batches(part: PoissonSampled) -> int:
    """The batches of one pass."""
    return max(1, math.floor(1 / part.sample_rate))


def fixed_batches(mechanism: Mechanism, claim: Claim, group: int) -> Enclosure:
    """The smallest value for the same batches in every pass: exactly Gaussian."""
    mu = without_sampling(mechanism)
    return of_exact_mu(group * mu, claim) if math.isfinite(mu) else Enclosure(0.0, math.inf)


def shuffled_batches(mechanism: Mechanism, claim: Claim, group: int, *, exchanged: bool) -> Enclosure:
    """The smallest value for batches cut from shuffled data, as far as it is known.

    Args:
        mechanism: described as if it sampled.
        claim: whose kind, delta and floor are taken.
        group: number of blanked-out records that a change counts for.
        exchanged: whether a record may be exchanged, rather than blanked out.
    """
    most = without_sampling(mechanism)
    if not math.isfinite(most):
        return Enclosure(0.0, math.inf)
    upper = of_exact_mu(group * most, claim).upper
    if claim.kind == "pure" or claim.kind == "zcdp" or (claim.kind == "gdp" and claim.floor is None):
        # As the order grows, or the false-positive rate falls, the shuffling hides nothing.
        return Enclosure(of_exact_mu(most, claim).lower, upper)
    lower = max(
        (
            _proved(claim, *_attack(part, count, exchanged=exchanged))
            for part, count in mechanism.parts()
            if isinstance(part, PoissonSampled)
        ),
        default=0.0,
    )
    return Enclosure(min(lower * (1 - _SAFETY), upper), upper)


def _attack(part: PoissonSampled, steps: int, *, exchanged: bool) -> tuple[Floats, Floats]:
    """Logarithms of the chance that no sum of the first pass exceeds a threshold: without the record, and with it."""
    sigma, whole = part.mechanism.noise_multiplier, batches(part)
    seen = min(steps, whole)
    share = seen / whole  # of the first pass
    c = np.linspace(-2 * sigma, 2 + 12 * sigma, _THRESHOLDS)
    rest = special.log_ndtr(c / sigma)

    def below(a: float) -> Floats:
        inside: Floats = special.log_ndtr((c - a) / sigma) + (seen - 1) * rest
        if share == 1:
            return inside
        mixed: Floats = np.logaddexp(math.log(share) + inside, math.log1p(-share) + seen * rest)
        return mixed

    return below(0.0 if exchanged else 1.0), below(2.0)


def _proved(claim: Claim, log_tnr: Floats, log_fnr: Floats) -> float:
    """The value of the claim's kind below which the attack refutes every claim."""
    fpr, tpr, fnr = -np.expm1(log_tnr), -np.expm1(log_fnr), np.exp(log_fnr)
    if claim.kind == "gdp":
        floor = float(claim.floor or 0.0)
        usable = (fpr >= floor) & (fnr >= floor) & (fpr < 1) & (fnr < 1)
        if not usable.any():
            return 0.0
        mus = -special.ndtri(fpr[usable]) - special.ndtri(fnr[usable])
        return max(float(np.max(mus)), 0.0)
    delta = float(claim.delta or 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.log(tpr - delta) - np.log(fpr)
        below = np.log(np.exp(log_tnr) - delta) - log_fnr
    epsilons = np.concatenate([above[fpr > 0], below[fnr > 0]])
    return float(np.max(epsilons[np.isfinite(epsilons)], initial=0.0))
