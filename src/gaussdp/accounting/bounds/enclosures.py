"""The smallest value that a claim about a mechanism may hold: enclosed, on both sides safely.

The mechanism is taken as described, with Poisson sampling and its own adjacency; what a pipeline does instead is the
matter of `pipelines`.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting import AccountedCurve, DistributionCurve, PointsCurve, account
from gaussdp.accounting.bounds.approximations import smallest_rho
from gaussdp.accounting.bounds.closed_forms import closed_form, implied_mu, reveals
from gaussdp.accounting.fitted import DEFAULT_FLOOR
from gaussdp.accounting.plain_gaussians import mu_of_plain
from gaussdp.accounting.readings import Method
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, LaplaceDP, ProfilePoints, PureDP
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import (
    Composition,
    Gaussian,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    RandomAllocation,
    SampledExchange,
    Stated,
    ZCDPGaussian,
)
from gaussdp.numerics import LARGEST_EXPONENT, Floats

_EXACT = 1e-9  # relative error of exact readings, as the accounting promises it
_GROUP = (1e-3, 60.0, 101)  # epsilons of one record that a group is tried with, first and last, and how many at once


@dataclass(frozen=True)
class Enclosure:
    """The smallest value that holds is at least lower, and upper holds."""

    lower: float
    upper: float


def smallest(mechanism: Mechanism, claim: Claim, group: int = 1) -> Enclosure:
    """The smallest value of the claim's kind that holds for a group of this many records.

    Args:
        mechanism: what is released.
        claim: whose kind, delta and floor are taken; its value plays no part.
        group: number of records that change together; for several the upper end is by group privacy.
    """
    found = _smallest(mechanism, claim, group)
    least = mechanism.least
    if least is mechanism:
        return found
    return Enclosure(0.0 if least is None else min(smallest(least, claim).lower, found.upper), found.upper)


def _smallest(mechanism: Mechanism, claim: Claim, group: int) -> Enclosure:
    mu = exact_mu(mechanism)
    if mu is not None:
        return of_exact_mu(mu * group, claim)
    if claim.kind == "pure":
        epsilon = group * mechanism.pure_epsilon
        return Enclosure(epsilon, epsilon)
    if claim.kind == "zcdp":
        lower, upper = smallest_rho(mechanism)
        return Enclosure(lower, group**2 * upper)
    find = _smallest_mu if claim.kind == "gdp" else _smallest_epsilon
    one, many = find(mechanism, claim, group)
    known = _meeting(mechanism)
    return Enclosure(one.lower if known is None else min(smallest(known, claim).lower, many), many)


def _meeting(mechanism: Mechanism) -> Mechanism | None:
    """A mechanism that does what is stated, where the curve of what is stated is only a bound; None elsewhere."""
    parts = list(mechanism.parts())
    if not any(isinstance(part, Stated) and isinstance(part.guarantee, ZCDP) for part, _ in parts):
        return None
    return Composition([count * _gaussian_with(part) for part, count in parts])


def _gaussian_with(part: Mechanism) -> Mechanism:
    """Gaussian noise of the rho that is stated, or what attains a bound on the loss; any other part itself."""
    if not isinstance(part, Stated) or not isinstance(part.guarantee, ZCDP):
        return part
    rho = part.guarantee.rho
    return ZCDPGaussian(rho, part.adjacency) if rho else Stated(PureDP(part.guarantee.xi), part.adjacency)


def exact_mu(mechanism: Mechanism) -> float | None:
    """The mu of a composition of plain Gaussian releases; None for any other mechanism."""
    squares = []
    for part, count in mechanism.parts():
        if not isinstance(part, Gaussian | ZCDPGaussian):
            return None
        squares.append(math.sqrt(count) * part.mu)
    return float(f"{math.hypot(*squares):.15g}")  # 0.7, not 0.7000000000000001, which would round up to 0.701


def of_gdp(mu: float, claim: Claim) -> float:
    """The value of the claim's kind for a mechanism that is exactly mu-GDP."""
    if claim.kind == "gdp":
        return mu
    if claim.kind == "zcdp":
        return float(f"{mu * mu / 2:.15g}")
    if claim.kind == "pure":
        return 0.0 if mu == 0 else math.inf
    return GDP(mu).epsilon(float(claim.delta or 0.0))


def of_exact_mu(mu: float, claim: Claim) -> Enclosure:
    """The smallest value for a mechanism that is exactly mu-GDP; only an epsilon needs rounding."""
    value = of_gdp(mu, claim)
    return exactly(value) if claim.kind == "approximate" else Enclosure(value, value)


def exactly(value: float) -> Enclosure:
    """A value known but for rounding."""
    return Enclosure(value * (1 - _EXACT), value * (1 + _EXACT)) if math.isfinite(value) else Enclosure(value, value)


def _smallest_mu(mechanism: Mechanism, claim: Claim, group: int) -> tuple[Enclosure, float]:
    """For one record, and the upper end for a group."""
    found = _unconditional(mechanism) if claim.floor is None else _above_floor(mechanism, claim.floor)
    return found, group * found.upper


def _unconditional(mechanism: Mechanism) -> Enclosure:
    """The smallest mu for every attack. Upper bounds on the parts' mu compose as they do for Gaussian releases."""
    known = closed_form(mechanism)
    parts = list(mechanism.parts())
    if any(reveals(part) for part, _ in parts):
        return Enclosure(math.inf, math.inf)
    if known is not None:
        return exactly(known.implied().mu)
    if all(isinstance(part, Gaussian | ZCDPGaussian) for part, _ in parts):
        return Enclosure(*mu_of_plain(parts))
    upper = math.sqrt(math.fsum(count * implied_mu(part) ** 2 for part, count in parts))
    kinds = Gaussian | ZCDPGaussian | PoissonSampled | MixtureOfGaussians | RandomAllocation | SampledExchange
    gaussian = [(part, count) for part, count in parts if isinstance(part, kinds) and not part.bounded]
    lower = math.sqrt(math.fsum(count * _limit_mu(part) ** 2 for part, count in gaussian))
    if len(gaussian) == len(parts):
        return Enclosure(lower, upper)
    curve = _by_distribution(account(mechanism))
    return Enclosure(max(lower, _least_mu(curve)), min(upper, _mu_of_pure(mechanism, curve)))


def _limit_mu(part: Mechanism) -> float:
    """The mu to which that of a release tends as the false-positive rate tends to 0.

    For an exchange only the record that is there matters that far out, and it moves the sum by one of two.
    """
    return 0.5 * part.unsampled_mu if isinstance(part, SampledExchange) else implied_mu(part)


def _mu_of_pure(mechanism: Mechanism, curve: DistributionCurve) -> float:
    """A mu for every attack of a mechanism with bounded loss: by its curve, and below the noise floor by pure DP.

    The mu that pure DP allows at an FPR grows with it up to the kink of its curve, since the hazard rate of a normal
    variable grows.
    """
    epsilon = mechanism.pure_epsilon
    if not math.isfinite(epsilon):
        return math.inf
    whole = PureDP(epsilon).implied().mu
    floor = max(curve.noise_floor, DEFAULT_FLOOR)
    try:
        ratio = math.exp(min(epsilon, LARGEST_EXPONENT))
        below = whole if floor * (1 + ratio) >= 1 else PureDP(epsilon).mu_at_fpr(floor)
        return min(whole, max(curve.fit(floor).mu_upper, below))
    except DomainError:  # it leaves no attack to speak about
        return whole


def _above_floor(mechanism: Mechanism, floor: float) -> Enclosure:
    known = closed_form(mechanism)
    if isinstance(known, LaplaceDP) and known.fnr(floor) >= floor:  # it binds where both rates are equal
        return exactly(known.implied().mu)
    if isinstance(known, ApproxDP | ProfilePoints):
        return exactly(PointsCurve.of(known).fit(floor).mu)
    curve = account(mechanism)
    try:
        fit = curve.fit(floor)
    except DomainError:
        if not isinstance(curve, DistributionCurve) or floor >= curve.noise_floor:
            raise
        # A lower floor asks for a larger mu.
        return Enclosure(_least_mu(curve), _unconditional(mechanism).upper)
    return Enclosure(fit.mu_lower, fit.mu_upper)


def _by_distribution(curve: AccountedCurve | DistributionCurve) -> DistributionCurve:
    return curve if isinstance(curve, DistributionCurve) else curve.by_distribution


def _least_mu(curve: DistributionCurve) -> float:
    """A lower bound on mu at the lowest floor of the distribution; 0 where that leaves no attack to speak about."""
    try:
        return curve.fit().mu_lower
    except DomainError:
        return 0.0


def _smallest_epsilon(mechanism: Mechanism, claim: Claim, group: int) -> tuple[Enclosure, float]:
    """For one record, and the upper end for a group."""
    delta = float(claim.delta or 0.0)
    curve = closed_form(mechanism)
    if curve is not None:
        one = exactly(curve.epsilon(delta))
    else:
        curve = account(mechanism)
        one = _read_epsilon(curve, delta)
    pure = mechanism.pure_epsilon
    one = Enclosure(one.lower, min(one.upper, pure))
    return one, one.upper if group == 1 else min(_group_epsilon(curve, delta, group), group * pure)


def _read_epsilon(curve: AccountedCurve | DistributionCurve, delta: float) -> Enclosure:
    try:
        read = curve.reading.epsilon(delta)
    except DomainError:  # below the noise floor of a distribution
        return Enclosure(0.0, math.inf)
    if read.weakest.exact:
        return exactly(read.value)
    if isinstance(curve, DistributionCurve):
        return Enclosure(min(curve.epsilon_lower(delta), read.value), read.value)
    lower = read.value * max(1 - read.error, 0.0) if read.value < math.inf else 0.0
    if read.weakest == Method.DISTRIBUTION:  # which has a lower end of its own
        with suppress(ConvergenceError, DomainError):
            lower = max(lower, curve.by_distribution.epsilon_lower(delta))
    return Enclosure(min(lower, read.value), read.value)


def _group_epsilon(curve: Guarantee, delta: float, group: int) -> float:
    """An epsilon that holds for a group: k eps with delta (e^(k eps) - 1) / (e^eps - 1), for the best eps."""
    low, high, count = _GROUP
    for _ in range(3):
        grid: Floats = np.linspace(low, high, count)
        with np.errstate(over="ignore"):
            growth = np.expm1(group * grid) / np.expm1(grid) * (1 + _EXACT)
            good = np.flatnonzero(curve.delta(grid) * growth <= delta)
        if not good.size:
            return math.inf
        low, high = float(grid[max(good[0] - 1, 0)]), float(grid[good[0]])
    return group * high
