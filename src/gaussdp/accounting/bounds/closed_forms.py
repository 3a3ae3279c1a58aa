"""Single releases whose whole curve is known in closed form, and the mu of a release for every attack."""

import math

import numpy as np

from gaussdp.errors import DomainError
from gaussdp.guarantees import ZCDP, ApproxDP, Guarantee, LaplaceDP, ProfilePoints, PureDP
from gaussdp.mechanisms import (
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    RandomAllocation,
    RandomizedResponse,
    SampledExchange,
    SampledNoise,
    Stated,
    TruncatedPoisson,
    WithoutReplacement,
    ZCDPGaussian,
)

MOST_SENSITIVITY = 100
"""Of discrete Laplace noise: beyond, its losses are many."""


def closed_form(mechanism: Mechanism) -> Guarantee | None:
    """The exact curve of a single release that is not Gaussian; None where there is no closed form.

    Of a stated guarantee it is the curve of the worst mechanism that meets it, but for zCDP, where it is a bound.
    """
    (part, count), *others = mechanism.parts()
    if others or count > 1:
        return None
    if isinstance(part, Laplace):
        return LaplaceDP(part.epsilon)
    if isinstance(part, ExponentialMechanism):
        return part.guarantee
    if isinstance(part, RandomizedResponse):
        return _response(part)
    if isinstance(part, DiscreteLaplace) and part.sensitivity <= MOST_SENSITIVITY:
        return _discrete_laplace(part)
    return part.guarantee if isinstance(part, Stated) else None


def _response(part: RandomizedResponse) -> Guarantee:
    """Losses epsilon and minus epsilon, and 0 for the answers that are neither's truth."""
    if part.categories == 2:
        return PureDP(part.epsilon)
    return ProfilePoints([0.0, part.epsilon], [-part.truth_probability * math.expm1(-part.epsilon), 0.0])


def _discrete_laplace(part: DiscreteLaplace) -> ProfilePoints:
    """The profile is linear in e^epsilon between the losses (2 k - sensitivity) / scale."""
    ratio, reach = math.exp(-1 / part.scale), part.sensitivity
    places = np.arange(reach, 0, -1)
    masses = ratio ** (reach - places) * -math.expm1(-1 / part.scale) / (1 + ratio)
    masses[0] = 1 / (1 + ratio)
    losses = (2 * places - reach) / part.scale
    epsilons = np.unique(np.append(losses[losses > 0], 0.0))
    gains = np.maximum(-np.expm1(epsilons[:, np.newaxis] - losses), 0.0)
    return ProfilePoints(epsilons, gains @ masses)


def implied_mu(part: Mechanism) -> float:
    """The least mu that one elementary release has for every attack, or an upper bound; infinite if none is known.

    As the false-positive rate tends to 0 a sampled release is no better than an unsampled one, and not worse.
    """
    if isinstance(part, PoissonSampled):
        return part.mechanism.mu
    sampled = MixtureOfGaussians | RandomAllocation | SampledExchange | TruncatedPoisson | WithoutReplacement
    if isinstance(part, sampled):
        return part.unsampled_mu
    if isinstance(part, Gaussian | ZCDPGaussian):
        return part.mu
    if isinstance(part, SampledNoise):
        return implied_mu(part.mechanism)
    known = closed_form(part) or PureDP(part.pure_epsilon)
    try:
        return known.implied().mu
    except DomainError:
        return math.inf


def reveals(part: Mechanism) -> bool:
    """Whether the worst release of which only this is stated may reveal everything, which no mu allows."""
    if not isinstance(part, Stated):
        return False
    guarantee = part.guarantee
    if isinstance(guarantee, ApproxDP):
        return guarantee.delta_bound > 0
    if isinstance(guarantee, ZCDP) or not isinstance(guarantee, ProfilePoints):
        return False
    return bool(guarantee.deltas[-1] > 0)
