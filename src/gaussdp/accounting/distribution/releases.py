"""The privacy loss distribution of one elementary release, made with dp_accounting on a grid of losses, and its masses.

Losses that take whole multiples of a unit are laid on the grid here, atom by atom; the others the library makes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from gaussdp.accounting.distribution.envelopes import allocated, allocation_reach, laplace_masses, logistic_masses
from gaussdp.accounting.distribution.gaussian_grids import (
    least_mixture_of_gaussians,
    mixture_of_gaussians,
    sampled_gaussian,
)
from gaussdp.documents.written import number_up, written
from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, ProfilePoints
from gaussdp.mechanisms import (
    DiscreteGaussian,
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
from gaussdp.numerics import LARGEST_EXPONENT, Floats


@dataclass(frozen=True)
class Masses:
    """One direction: the positive losses with their masses, summed up from the largest one down."""

    losses: Floats
    masses: Floats
    infinite: float

    @classmethod
    def of(cls, pmf: Any) -> "Masses":
        """Those of a probability mass function of the library."""
        if hasattr(pmf, "_loss_probs"):
            places = np.array(sorted(pmf._loss_probs), np.float64)
            masses = np.array([pmf._loss_probs[place] for place in sorted(pmf._loss_probs)])
        else:
            places = np.arange(pmf.size, dtype=np.float64) + pmf._lower_loss
            masses = np.asarray(pmf._probs)
        positive = places > 0
        return cls(places[positive] * pmf._discretization, masses[positive], float(pmf._infinity_mass))

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Of all losses from each one on, and of none: the masses under P, and those under Q."""
        under_q = self.masses * np.exp(-self.losses)
        return _from_the_top(self.masses), _from_the_top(under_q)

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons from zero on."""
        under_p, under_q = self._sums
        first = np.searchsorted(self.losses, epsilons, side="right")
        with np.errstate(over="ignore", invalid="ignore"):
            deltas: Floats = self.infinite + under_p[first] - np.exp(epsilons) * under_q[first]
        for index in np.flatnonzero(epsilons > LARGEST_EXPONENT):
            deltas[index] = self._far(float(epsilons[index]))
        return deltas

    def _far(self, epsilon: float) -> float:
        """The same where e^epsilon is no double."""
        first = int(np.searchsorted(self.losses, epsilon, side="right"))
        return self.infinite - float(np.expm1(epsilon - self.losses[first:]) @ self.masses[first:])

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 at which the profile is at most delta, inf if none."""
        if self.infinite > delta:
            return math.inf
        if self._from(0, 0.0) <= delta:
            return 0.0
        # The first loss at which it is, by halving; between losses it is linear in e^epsilon.
        low, high = -1, self.losses.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self._from(middle + 1, float(self.losses[middle])) <= delta:
                high = middle
            else:
                low = middle
        if high < 0:
            return 0.0
        losses, masses = self.losses[high:], self.masses[high:]
        if high == self.losses.size - 1 and self._from(high + 1, float(losses[-1])) > delta:
            return math.inf
        excess = self.infinite + float(masses.sum()) - delta  # = e^epsilon times the mass under Q
        scaled = float(np.exp(losses[0] - losses) @ masses)
        return max(float(losses[0]) + math.log(excess / scaled), 0.0) if excess > 0 < scaled else float(losses[0])

    def _from(self, first: int, epsilon: float) -> float:
        """The profile at an epsilon, if the losses above it begin at this one."""
        if epsilon > LARGEST_EXPONENT:
            return self._far(epsilon)
        under_p, under_q = self._sums
        return self.infinite + float(under_p[first]) - math.exp(epsilon) * float(under_q[first])


def _from_the_top(masses: Floats) -> Floats:
    sums: Floats = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    return sums


@dataclass(frozen=True)
class ReleaseSettings:
    """What is tuned about the distribution of one release."""

    most_points: float = 5e4  # of its grid: for small noise it grows coarser rather than larger
    least_points: float = 1e3  # ... and for large noise finer
    most_if_rare: float = 4e5
    """The same for samples so rare that most losses are far below the spacing, which would add up: some seconds."""
    share_of_common: float = 0.05  # spacing over the common losses of such samples
    finest: float = 1e-12  # spacing; below, neighbouring losses are hardly told apart
    most_atoms: float = 2e5  # discrete Gaussian noise with more is taken as Gaussian noise
    from_gaussian: float = 4.0
    """The profile of discrete Gaussian noise is within this times sensitivity / sigma^3 of that of Gaussian noise, for
    a sensitivity of at most sigma; the proof is in docs/numerics.md."""
    lattice_rounding: float = 1e-15  # of the total mass of a loss on its own lattice
    mass_rounding: float = 2e-13
    """Of one on the grid of dp_accounting, whose masses are differences; up to 5e-14 was seen."""
    reach: float = 12.5
    """Standard deviations of discrete Gaussian noise kept; what is beyond counts as an infinite loss."""
    beyond_reach: float = 1e-33  # probability of what is beyond
    exact_power: int = 1000  # of the probability that no part fails, as a fraction
    power_rounding: float = 1e-14  # relative, of the logarithm of a longer one, and of what the power leaves to 1


SETTINGS = ReleaseSettings()

INTERVAL = 1e-4


def bearable(part: Mechanism) -> Mechanism:
    """The release itself, or Gaussian noise in the place of discrete Gaussian noise that is hardly told from it."""
    if isinstance(part, DiscreteGaussian) and 2 * SETTINGS.reach * part.sigma > SETTINGS.most_atoms:
        if part.sensitivity > part.sigma:
            raise DomainError(
                "sigma",
                f"at least the sensitivity where it is above {SETTINGS.most_atoms / (2 * SETTINGS.reach):g}",
                part.sigma,
                "such noise hides next to nothing, and has too many values to be summed over",
            )
        return _NearlyGaussian(part.noise_multiplier, part.adjacency, SETTINGS.from_gaussian / part.sigma**2)
    return part


@dataclass(frozen=True)
class _NearlyGaussian(Gaussian):
    """Gaussian noise whose profile is this close, over mu, to that of the noise that it stands for."""

    distance: float = 0.0


def spacing_for(parts: list[Mechanism]) -> tuple[float, bool]:
    """The spacing of the grid, and whether it is exact: the common unit of all losses, if they have one."""
    lattices = [_lattice(part) for part in parts]
    units = {lattice.unit for lattice in lattices if lattice}
    if len(units) == 1 and all(lattices):
        return units.pop(), True
    reach = max(_reach_of(part) for part in parts)
    finest = max(reach / SETTINGS.least_points, SETTINGS.finest)
    usual = max(min(INTERVAL, finest), reach / SETTINGS.most_points)
    wanted = min(map(_common_loss, parts)) * SETTINGS.share_of_common
    return min(usual, max(wanted, reach / SETTINGS.most_if_rare)), False


def _common_loss(part: Mechanism) -> float:
    """About the loss of an output that is common, where these are far smaller than those that matter; else infinity."""
    if not isinstance(part, TruncatedPoisson | SampledNoise):
        return math.inf
    mu = part.unsampled_mu if isinstance(part, TruncatedPoisson) else _reach_of(part.mechanism) / 10
    return math.log1p(part.sample_rate * math.expm1(min(mu, 1.0)))


def _reach_of(part: Mechanism) -> float:
    """About the largest loss of one run that is likely enough to matter."""
    if isinstance(part, Gaussian | ZCDPGaussian):
        return part.mu * (0.5 * part.mu + 10)
    if isinstance(part, PoissonSampled):
        return _reach_of(part.mechanism)
    if isinstance(part, MixtureOfGaussians | SampledExchange | TruncatedPoisson | WithoutReplacement):
        return part.unsampled_mu * (0.5 * part.unsampled_mu + 10)
    if isinstance(part, RandomAllocation):
        return allocation_reach(part)
    if isinstance(part, SampledNoise):
        return min(part.pure_epsilon, _reach_of(part.mechanism))
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


def largest_loss(parts: Sequence[tuple[Mechanism, int]]) -> tuple[float, float]:
    """The least epsilon known that no loss of all parts together exceeds, but with the probability that is second.

    Parameters are taken as they are written, and both numbers are rounded up.
    """
    largest, held = Fraction(), Fraction(1)
    for part, count in parts:
        epsilon, delta = _stated_end(part)
        if epsilon == math.inf:
            return math.inf, 0.0
        largest += count * written(epsilon)
        held *= _power_down(1 - written(delta), count)
    return number_up(largest), number_up(1 - held)


def _stated_end(part: Mechanism) -> tuple[float, float]:
    """The epsilon and the delta of the last statement about a part, or its pure epsilon."""
    guarantee = part.guarantee if isinstance(part, Stated) else None
    if isinstance(guarantee, ApproxDP):
        return guarantee.epsilon_bound, guarantee.delta_bound
    if isinstance(guarantee, ProfilePoints):
        return float(guarantee.epsilons[-1]), float(guarantee.deltas[-1])
    return part.pure_epsilon, 0.0


def _power_down(base: Fraction, exponent: int) -> Fraction:
    """A power of a number up to 1: exactly where that is short, else rounded down."""
    if base in (0, 1) or exponent <= SETTINGS.exact_power:
        return base**exponent
    rest = -math.expm1(exponent * math.log1p(-float(1 - base)) * (1 + SETTINGS.power_rounding))
    return 1 - Fraction(min(rest * (1 + SETTINGS.power_rounding), 1.0))


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
        if epsilon == math.inf or delta >= 1:
            problem = "a stated guarantee must have a finite epsilon and a delta below 1 to compose"
            raise DomainError(None, value=part.guarantee, problem=problem)
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
    return None


def atoms_of(guarantee: ProfilePoints) -> _Lattice:
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


def _on_grid(part: Mechanism, interval: float, pessimistic: bool) -> bool:
    """Whether we place the masses of the loss ourselves: few of them, all on the grid, or in closed form."""
    if isinstance(part, ExponentialMechanism) or (isinstance(part, Laplace) and pessimistic):
        return True
    lattice = _lattice(part)
    return lattice is not None and (lattice.unit == interval or isinstance(part, RandomizedResponse | Stated))


def mass_error(part: Mechanism, interval: float, pessimistic: bool) -> float:
    """Of the masses of one release, and of what it stands for."""
    rounding = SETTINGS.lattice_rounding if _on_grid(part, interval, pessimistic) else SETTINGS.mass_rounding
    return rounding + (part.mu * part.distance if isinstance(part, _NearlyGaussian) else 0.0)


def distribution_of(library: ModuleType, part: Mechanism, interval: float, pessimistic: bool) -> Any:
    """The privacy loss distribution of one elementary mechanism."""
    if isinstance(part, ExponentialMechanism):
        return _symmetric(library, logistic_masses(part.eta, interval), interval, pessimistic)
    if isinstance(part, Laplace) and pessimistic:
        return _symmetric(library, laplace_masses(part.epsilon, interval), interval, pessimistic)
    lattice = _lattice(part)
    if lattice and _on_grid(part, interval, pessimistic):
        return _from_lattice(library, lattice, interval, pessimistic)
    if isinstance(part, Stated) and isinstance(part.guarantee, ProfilePoints):
        return _from_lattice(library, atoms_of(part.guarantee), interval, pessimistic)
    if isinstance(part, RandomAllocation):
        return allocated(library, part, interval, pessimistic=pessimistic)
    options: dict[str, Any] = {
        "pessimistic_estimate": pessimistic,
        "value_discretization_interval": interval,
        "use_connect_dots": pessimistic,
    }
    if isinstance(part, SampledNoise):
        options["sampling_prob"] = part.sample_rate
        part = part.mechanism
    if isinstance(part, Laplace):
        return library.from_laplace_mechanism(part.scale, **options)
    if isinstance(part, DiscreteLaplace):
        return library.from_discrete_laplace_mechanism(1 / part.scale, part.sensitivity, **options)
    if isinstance(part, DiscreteGaussian):
        # What is told from zero may lie as far out as the noise reaches from the other end of the sensitivity.
        reach = math.ceil(SETTINGS.reach * part.sigma) + part.sensitivity
        return library.from_discrete_gaussian_mechanism(part.sigma, part.sensitivity, reach, **options)
    if isinstance(part, Gaussian | ZCDPGaussian):
        return _gaussian(library, 1 / part.mu, options)
    if isinstance(part, PoissonSampled):
        return _gaussian(library, part.mechanism.noise_multiplier, options, part.sample_rate)
    if isinstance(part, SampledExchange):
        return _gaussian(library, part.noise_multiplier, options, part.sample_rate, exchanged=True)
    if isinstance(part, MixtureOfGaussians):
        make = mixture_of_gaussians if pessimistic else least_mixture_of_gaussians
        return make(library, part.noise_multiplier, part.sensitivities, part.weights, interval)
    if isinstance(part, TruncatedPoisson):
        return _truncated(library, part, options)
    if isinstance(part, WithoutReplacement):
        return _mirrored(library, part, interval, options)
    raise DomainError("mechanism", "one that gaussdp accounts for", part)


def _gaussian(
    library: ModuleType, noise: float, options: Mapping[str, Any], sample_rate: float = 1.0, *, exchanged: bool = False
) -> Any:
    """A release with Gaussian noise; upper bounds connect the dots, lower ones the library makes."""
    if options["pessimistic_estimate"]:
        interval = options["value_discretization_interval"]
        return sampled_gaussian(library, noise, interval, sample_rate, exchanged=exchanged)
    relation = library.NeighborRel.REPLACE_ONE if exchanged else library.NeighborRel.ADD_OR_REMOVE_ONE
    return library.from_gaussian_mechanism(noise, sampling_prob=sample_rate, neighboring_relation=relation, **options)


def _truncated(library: ModuleType, part: TruncatedPoisson, options: Mapping[str, Any]) -> Any:
    """A sampled release or, in a full batch, one where the record takes the place of another; an upper bound."""
    exchanged = part.adjacency == "replace-one"
    added = _gaussian(library, part.noise_multiplier, options, part.sample_rate, exchanged=exchanged)
    probability, rate = truncation(part)
    if probability == 0:
        return added
    full = _gaussian(library, part.noise_multiplier / 2, options, rate, exchanged=True)
    return full.compute_mixture(added, probability) if probability < 1 else full


def _mirrored(library: ModuleType, part: WithoutReplacement, interval: float, options: Mapping[str, Any]) -> Any:
    """The positive losses of a record that is added on a Poisson sample and moves the sum by 2, and their mirror image.

    The rest of the mass is at 0; docs/mechanisms.md has the proof. An upper bound.
    """
    rate = math.nextafter(part.sample_rate, 1.0)
    added = _gaussian(library, part.noise_multiplier / 2, options, rate)._pmf_remove
    positive = Masses.of(added)
    places = np.rint(positive.losses / interval).astype(int).tolist()
    masses = dict(zip(places, positive.masses.tolist(), strict=True))
    mirrored = (positive.masses * np.exp(-positive.losses)).tolist()
    masses |= dict(zip([-place for place in places], mirrored, strict=True))
    masses[0] = max(1 - positive.infinite - math.fsum(masses.values()), 0.0)
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        masses, positive.infinite, interval, pessimistic_estimate=True
    )


def _symmetric(library: ModuleType, masses: Floats, interval: float, pessimistic: bool) -> Any:
    """Masses around zero that bound a loss from above; for a lower bound each is moved one place down."""
    lowest = -(masses.size // 2) - (0 if pessimistic else 1)
    return library.PrivacyLossDistribution(library.pld_pmf.DensePLDPmf(interval, lowest, masses, 0.0, pessimistic))


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


TRUNCATION_ERROR = 1e-9
"""Relative, of binomial tails; 5e-11 was seen for up to 10^9 records."""


def truncation(part: TruncatedPoisson) -> tuple[float, float]:
    """The probability that the other records fill the batch, and that of a record to be in a full one, rounded up."""
    from scipy import stats  # takes half a second to load, and only truncated batches need it

    size, limit, rate = part.dataset_size, part.batch_limit, part.sample_rate
    full = float(stats.binom.sf(limit - 1, size - 1, rate)) if limit < size else 0.0
    if full == 0:
        return 0.0, 0.0
    kept = float(stats.binom.sf(limit, size, rate)) / full * (limit / size)
    return full, min(kept * (1 + 3 * TRUNCATION_ERROR), rate)


def truncation_error(part: TruncatedPoisson) -> tuple[float, float]:
    """By how much rounding of that probability moves the profile of a step: relatively, and absolutely.

    Where it is at most 1/2 no mass of the mixture is wrong by a larger factor.
    """
    full, _ = truncation(part)
    if full in (0.0, 1.0):
        return 0.0, 0.0
    return (2 * TRUNCATION_ERROR, 0.0) if full <= 0.5 else (0.0, 2 * TRUNCATION_ERROR)
