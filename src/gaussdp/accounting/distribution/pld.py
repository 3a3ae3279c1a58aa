"""The adapter to dp_accounting: privacy loss distributions of mechanisms with atoms, and of what they compose with.

The only file that knows that library's distributions. It uses their public face alone, but for the side to which one
made elsewhere was rounded and the spacing of its grid, which nothing public tells.
"""

import importlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from gaussdp.accounting.distribution.logistic import logistic_masses
from gaussdp.domains import RHO, integer
from gaussdp.errors import ConvergenceError, DomainError, MissingExtraError
from gaussdp.guarantees import ZCDP, ApproxDP, ProfilePoints, PureDP
from gaussdp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    PoissonSampled,
    RandomizedResponse,
    SampledExchange,
    Stated,
    ZCDPGaussian,
)
from gaussdp.mechanisms.composition import Bounded
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class DistributionSettings:
    """What is tuned about privacy loss distributions."""

    most_points: float = 5e4  # of the grid of one run: for small noise it grows coarser rather than larger
    fft_factor: float = 4.0  # on the rounding error of a transform, which grows with the logarithm of its length
    well_above_rounding: float = 1e-9  # delta at which the length of a grid is measured
    lattice_rounding: float = 1e-15  # of the total mass of a loss on its own lattice
    mass_rounding: float = 2e-13
    """Of one on the grid of dp_accounting, whose masses are differences; up to 5e-14 was seen."""
    reach: float = 12.5
    """Standard deviations of discrete Gaussian noise kept; what is beyond counts as an infinite loss."""
    beyond_reach: float = 1e-33  # probability of what is beyond
    least_cells: int = 500  # of the range of a choice that is composed with nothing but its like


SETTINGS = DistributionSettings()

INTERVAL = 1e-4

_UNIT_ROUNDOFF = 2.0**-53


class _ReadProfile:
    """The profile of a privacy loss distribution, with its numerical noise on the stated side."""

    interval: float
    noise_floor: float
    _composed: Any
    _sign: float

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at rising epsilons, its numerical noise included on the stated side."""
        raw = np.asarray(self._composed.get_delta_for_epsilon(epsilons), dtype=np.float64)
        return np.clip(raw + self._sign * self.noise_floor, 0.0, 1.0)

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 at which the profile, its numerical noise included, is at most delta; inf if none."""
        raw = min(delta - self._sign * self.noise_floor, 1.0)
        return max(float(self._composed.get_epsilon_for_delta(raw)), 0.0)

    def largest_epsilon(self) -> float:
        """An epsilon beyond which the profile is flat to within the noise floor."""
        return self._reach(self.noise_floor)

    def _reach(self, beyond: float) -> float:
        """The epsilon whose delta exceeds the probability of an infinite loss by this much."""
        infinite = max(float(self._composed.get_delta_for_epsilon(1e9)), 0.0)
        try:
            return float(self._composed.get_epsilon_for_delta(min(infinite + beyond, 1.0)))
        except OverflowError:  # losses below -709
            raise ConvergenceError("the losses of this privacy loss distribution are too large to be read") from None

    def _transforms(self) -> float:
        """Rounding error of one transform, which grows with its depth."""
        depth = math.log2(2 * self._reach(SETTINGS.well_above_rounding) / self.interval + 4)
        return SETTINGS.fft_factor * _UNIT_ROUNDOFF * depth


class LossDistribution(_ReadProfile):
    """The composed privacy loss on a grid, rounded to one side, as a profile with a known noise floor.

    Args:
        parts: elementary mechanisms with how often each runs.
        pessimistic: whether delta is bounded from above or from below.
    """

    def __init__(self, parts: Iterable[tuple[Mechanism, int]], *, pessimistic: bool) -> None:
        library = _library()
        counted = _together(parts) if pessimistic else _least(parts)
        self.interval = _interval([part for part, _ in counted])
        composed = None
        for part, count in counted:
            distribution = _distribution(library, part, self.interval, pessimistic)
            repeated = distribution.self_compose(count) if count > 1 else distribution
            composed = repeated if composed is None else composed.compose(repeated)
        self._composed = composed
        self._sign = 1.0 if pessimistic else -1.0
        # Rounding error of the masses and of the transforms; both grow with the powers taken.
        transforms = self._transforms()
        self.noise_floor = sum(
            count
            * (transforms + (SETTINGS.lattice_rounding if _on_grid(part, self.interval) else SETTINGS.mass_rounding))
            for part, count in counted
        )


class GivenDistribution(_ReadProfile):
    """A pessimistic privacy loss distribution that somebody made with dp_accounting.

    Args:
        distribution: a dp_accounting PrivacyLossDistribution.
        compositions: of how many it was composed at the most; it does not say so itself, and its rounding errors grow
            with that number.
    Raises:
        DomainError: if it is an optimistic estimate, which bounds the privacy loss from the wrong side.
    """

    def __init__(self, distribution: Any, compositions: int) -> None:
        masses = (distribution._pmf_remove, distribution._pmf_add)
        if not all(part._pessimistic_estimate for part in masses):
            raise DomainError(
                "distribution",
                "a pessimistic estimate",
                got="an optimistic one, which promises more privacy than there is",
                advice="make it with pessimistic_estimate=True",
            )
        self.interval = float(masses[0]._discretization)
        self._composed = distribution
        self._sign = 1.0
        self.noise_floor = integer("compositions", compositions, low=1) * (self._transforms() + SETTINGS.mass_rounding)


def _library() -> ModuleType:
    try:
        return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError:
        raise MissingExtraError(
            'mechanisms whose privacy loss has atoms need dp_accounting: pip install "gaussdp[accounting]"'
        ) from None


def _together(parts: Iterable[tuple[Mechanism, int]]) -> list[tuple[Mechanism, int]]:
    """The same with all zCDP statements as one: their rho and xi add up, which is tighter than their worst pairs."""
    counted = list(parts)
    stated = [(known, count) for part, count in counted if (known := _zcdp(part))]
    if sum(count for _, count in stated) <= 1:
        return counted
    rho, xi = (math.fsum(count * getattr(known, name) for known, count in stated) for name in ("rho", "xi"))
    whole = Stated(ZCDP(rho * (1 + _UNIT_ROUNDOFF), xi * (1 + _UNIT_ROUNDOFF)), counted[0][0].adjacency)
    return [*((part, count) for part, count in counted if not _zcdp(part)), (whole, 1)]


def _least(parts: Iterable[tuple[Mechanism, int]]) -> list[tuple[Mechanism, int]]:
    """Mechanisms that lose no more, and that there may be.

    What is known of choices of bounded range and of zCDP is an envelope of many pairs. One of them, made after
    everything else, attains it, but not several: these are taken as randomized response and as Gaussian releases. Of
    what is only bounded from above nothing is taken.
    """
    counted = [(Stated(PureDP(0.0)) if isinstance(part, Bounded) else part, count) for part, count in parts]
    if sum(count for part, count in counted if isinstance(part, ExponentialMechanism) or _zcdp(part)) <= 1:
        return counted
    return [(_attained(part), count) for part, count in counted]


def _attained(part: Mechanism) -> Mechanism:
    if isinstance(part, ExponentialMechanism):
        return RandomizedResponse(part.eta / 2)
    known = _zcdp(part)
    if known is None:
        return part
    return ZCDPGaussian(known.rho) if known.rho >= RHO.low else Stated(PureDP(0.0))


def _zcdp(part: Mechanism) -> ZCDP | None:
    """The zCDP statement that is all one knows of a release, if it is that."""
    known = part.guarantee if isinstance(part, Stated) else None
    return known if isinstance(known, ZCDP) and known.rho > 0 else None


def _interval(parts: list[Mechanism]) -> float:
    """The spacing of the grid: the common unit of all losses if they have one, which makes the grid exact."""
    lattices = [_lattice(part) for part in parts]
    units = {lattice.unit for lattice in lattices if lattice}
    if len(units) == 1 and all(lattices):
        return units.pop()
    return max(INTERVAL, max(_reach_of(part) for part in parts) / SETTINGS.most_points)


def _reach_of(part: Mechanism) -> float:
    """About the largest loss of one run that is likely enough to matter."""
    if isinstance(part, Gaussian | ZCDPGaussian):
        return part.mu * (0.5 * part.mu + 10)
    if isinstance(part, PoissonSampled):
        return _reach_of(part.mechanism)
    if isinstance(part, MixtureOfGaussians | SampledExchange):
        return part.unsampled_mu * (0.5 * part.unsampled_mu + 10)
    if isinstance(part, DiscreteGaussian):
        return (0.5 / part.noise_multiplier + 10) / part.noise_multiplier
    if isinstance(part, Stated) and isinstance(part.guarantee, ProfilePoints):
        return part.guarantee.epsilon(min(float(part.guarantee.deltas[-1]) + SETTINGS.beyond_reach, 1.0))
    if isinstance(part, Stated) and isinstance(part.guarantee, ApproxDP):
        return part.guarantee.epsilon_bound
    if isinstance(part, Laplace | DiscreteLaplace | RandomizedResponse):
        return part.epsilon
    if isinstance(part, ExponentialMechanism):
        return part.eta
    raise DomainError("mechanism", "one that gaussdp accounts for", part)


@dataclass(frozen=True)
class _Lattice:
    """A privacy loss that takes whole multiples of a unit, with these masses, or is infinite."""

    unit: float
    masses: Mapping[int, float] | Mapping[float, float]
    infinite: float = 0.0


def _lattice(part: Mechanism) -> _Lattice | None:
    """The loss of a mechanism with discrete outputs, None for the others."""
    if isinstance(part, RandomizedResponse):
        truth = part.truth_probability
        lie = truth * math.exp(-part.epsilon)
        return _Lattice(part.epsilon, {1: truth, 0: (part.categories - 2) * lie, -1: lie})
    if isinstance(part, Stated) and isinstance(part.guarantee, ApproxDP):
        # The worst mechanism that meets a stated guarantee is randomized response that fails with probability delta.
        epsilon, delta = part.guarantee.epsilon_bound, part.guarantee.delta_bound
        if epsilon == math.inf:
            raise DomainError(
                None, value=part.guarantee, problem="a stated guarantee must have a finite epsilon to compose"
            )
        truth = (1 - delta) / (1 + math.exp(-epsilon))
        masses = {1: truth, -1: truth * math.exp(-epsilon)} if epsilon else {0: 1 - delta}
        return _Lattice(epsilon or INTERVAL, masses, delta)
    if isinstance(part, DiscreteLaplace):
        ratio, reach = math.exp(-1 / part.scale), part.sensitivity
        masses = {2 * k - reach: ratio ** (reach - k) * (1 - ratio) / (1 + ratio) for k in range(1, reach)}
        return _Lattice(1 / part.scale, {**masses, reach: 1 / (1 + ratio), -reach: ratio**reach / (1 + ratio)})
    if isinstance(part, DiscreteGaussian):
        k = np.arange(-math.ceil(SETTINGS.reach * part.sigma), math.ceil(SETTINGS.reach * part.sigma) + 1)
        weights = np.exp(-0.5 * (k / part.sigma) ** 2)
        indices = 2 * (k + part.sensitivity) - part.sensitivity
        masses = dict(zip(indices.tolist(), (weights / weights.sum()).tolist(), strict=True))
        return _Lattice(part.sensitivity / (2 * part.sigma**2), masses, SETTINGS.beyond_reach)
    if isinstance(part, ExponentialMechanism):
        cells = min(max(math.ceil(part.eta / INTERVAL), SETTINGS.least_cells), SETTINGS.most_points)
        return _Lattice(part.eta / cells, {})  # its masses depend on the grid
    return None


def _atoms(guarantee: ProfilePoints) -> _Lattice:
    """The loss of the worst mechanism that meets a guarantee known at points: an atom at each, and at its mirror image.

    Over e^epsilon the profile is piecewise linear, and Q has the mass of each change of slope. The differences
    telescope: sums of the masses are as exact as the slopes.
    """
    epsilons, deltas = guarantee.epsilons, guarantee.deltas
    growth = np.exp(epsilons)
    slopes = np.append(np.diff(deltas) / np.diff(growth), 0.0)
    before = np.append(-(1 - deltas[0]) / (1 + growth[0]), slopes[:-1])
    lower = np.maximum(slopes - before, 0.0)
    masses = {-float(e): float(q) for e, q in zip(epsilons, lower, strict=True)}
    masses |= {float(e): float(q * g) for e, q, g in zip(epsilons, lower, growth, strict=True)}
    infinite = float(deltas[-1])
    if epsilons[0] == 0:  # its atom is its own mirror image
        masses[0.0] = max(1 - infinite - math.fsum(mass for loss, mass in masses.items() if loss != 0), 0.0)
    return _Lattice(1.0, masses, infinite)


def _on_grid(part: Mechanism, interval: float) -> bool:
    """Whether we place the atoms of the loss ourselves: few of them, or all on the grid."""
    lattice = _lattice(part)
    return lattice is not None and (
        lattice.unit == interval or isinstance(part, RandomizedResponse | Stated | ExponentialMechanism)
    )


def _mass_rounding(part: Mechanism, interval: float) -> float:
    return SETTINGS.lattice_rounding if _on_grid(part, interval) else SETTINGS.mass_rounding


def _distribution(library: ModuleType, part: Mechanism, interval: float, pessimistic: bool) -> Any:
    """The privacy loss distribution of one elementary mechanism."""
    if isinstance(part, ExponentialMechanism):
        masses = logistic_masses(part.eta, interval, pessimistic=pessimistic)
        return _from_lattice(library, _Lattice(interval, masses), interval, pessimistic)
    lattice = _lattice(part)
    if lattice and _on_grid(part, interval):
        return _from_lattice(library, lattice, interval, pessimistic)
    if isinstance(part, Stated) and isinstance(part.guarantee, ProfilePoints):
        return _from_lattice(library, _atoms(part.guarantee), interval, pessimistic)
    options = {
        "pessimistic_estimate": pessimistic,
        "value_discretization_interval": interval,
        "use_connect_dots": pessimistic,
    }
    if isinstance(part, Laplace):
        return library.from_laplace_mechanism(part.scale, **options)
    if isinstance(part, DiscreteLaplace):
        return library.from_discrete_laplace_mechanism(1 / part.scale, part.sensitivity, **options)
    if isinstance(part, DiscreteGaussian):
        return library.from_discrete_gaussian_mechanism(part.sigma, part.sensitivity, **options)
    if isinstance(part, Gaussian | ZCDPGaussian):
        return library.from_gaussian_mechanism(1 / part.mu, **options)
    if isinstance(part, PoissonSampled):
        sigma = part.mechanism.noise_multiplier
        return library.from_gaussian_mechanism(sigma, sampling_prob=part.sample_rate, **options)
    if isinstance(part, SampledExchange):
        options["neighboring_relation"] = library.NeighborRel.REPLACE_ONE
        return library.from_gaussian_mechanism(part.noise_multiplier, sampling_prob=part.sample_rate, **options)
    if isinstance(part, MixtureOfGaussians):
        return library.from_mixture_gaussian_mechanism(
            part.noise_multiplier, part.sensitivities, part.weights, **options
        )
    raise DomainError("mechanism", "one that gaussdp accounts for", part)


def _from_lattice(library: ModuleType, lattice: _Lattice, interval: float, pessimistic: bool) -> Any:
    """The same loss on the grid: unchanged where its unit is the interval, else each atom moved up (or down)."""
    masses: dict[int, float] = {}
    for index, mass in lattice.masses.items():
        place = int(index)
        if lattice.unit != interval:
            exact = index * lattice.unit / interval
            place = math.ceil(exact) if pessimistic else math.floor(exact)
        masses[place] = masses.get(place, 0.0) + mass
    infinite = lattice.infinite if pessimistic or lattice.infinite > SETTINGS.beyond_reach else 0.0
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        masses, infinite, interval, pessimistic_estimate=pessimistic
    )
