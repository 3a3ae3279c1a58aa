"""The smallest value that a claim about a mechanism may hold: enclosed, on both sides safely.

The mechanism is taken as described, with Poisson sampling and its own adjacency; what a pipeline does instead is the
matter of `pipelines`.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting import AccountedCurve, DistributionCurve, account
from gaussdp.accounting.bounds.concentrated import smallest_rho
from gaussdp.domains import LEVEL, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.guarantees.claim import Claim
from gaussdp.mechanisms import Gaussian, Mechanism, ZCDPGaussian
from gaussdp.numerics import Floats

_EXACT = 1e-9  # relative error of exact readings, as the accounting promises it


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
    return Enclosure(0.0, found.upper) if mechanism.bounded else found


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
    curve = account(mechanism)
    if claim.kind == "gdp":
        found = _smallest_mu(curve, claim.floor)
        return Enclosure(found.lower, group * found.upper)
    delta = float(claim.delta or 0.0)
    one = _smallest_epsilon(curve, delta)
    return one if group == 1 else Enclosure(one.lower, _group_epsilon(curve, delta, group))


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


def _smallest_mu(curve: AccountedCurve | DistributionCurve, floor: float | None) -> Enclosure:
    try:
        unconditional = curve.implied().mu
    except DomainError:
        unconditional = math.inf
    if floor is None:
        # As the false-positive rate tends to 0 a sampled release is no better than an unsampled one, and not worse.
        if isinstance(curve, AccountedCurve):
            return Enclosure(unconditional, unconditional)
        return Enclosure(_least_mu(curve), unconditional)
    try:
        fit = curve.fit(number("floor", floor, LEVEL))
    except DomainError:
        distribution = curve if isinstance(curve, DistributionCurve) else curve.by_distribution
        if floor >= distribution.noise_floor:
            raise
        return Enclosure(_least_mu(distribution), unconditional)  # a lower floor asks for a larger mu
    return Enclosure(fit.mu_lower, fit.mu_upper)


def _least_mu(curve: DistributionCurve) -> float:
    """A lower bound on mu at the lowest floor of the distribution; 0 where that leaves no attack to speak about."""
    try:
        return curve.fit().mu_lower
    except DomainError:
        return 0.0


def _smallest_epsilon(curve: AccountedCurve | DistributionCurve, delta: float) -> Enclosure:
    try:
        read = curve.reading.epsilon(delta)
    except DomainError:  # below the noise floor of a distribution
        return Enclosure(0.0, math.inf)
    if read.weakest.exact:
        return exactly(read.value)
    distribution = curve if isinstance(curve, DistributionCurve) else curve.by_distribution
    return Enclosure(min(distribution.epsilon_lower(delta), read.value), read.value)


def _group_epsilon(curve: AccountedCurve | DistributionCurve, delta: float, group: int) -> float:
    """An epsilon that holds for a group: k eps with delta (e^(k eps) - 1) / (e^eps - 1), for the best eps."""
    low, high = 1e-3, 60.0
    for _ in range(3):
        grid: Floats = np.linspace(low, high, 101)
        with np.errstate(over="ignore"):
            good = np.flatnonzero(curve.delta(grid) * np.expm1(group * grid) / np.expm1(grid) <= delta)
        if not good.size:
            return math.inf
        low, high = float(grid[max(good[0] - 1, 0)]), float(grid[good[0]])
    return group * high
