"""The adapter to dp_accounting: privacy loss distributions of mechanisms with atoms, and of what they compose with.

The only file that knows that library's distributions. It makes them by their public face, and looks at their masses,
the spacing of their grid and the side to which they were rounded, which nothing public tells.
"""

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from gaussdp.accounting.distribution.logistic import logistic_masses
from gaussdp.accounting.distribution.standing import least, together
from gaussdp.accounting.distribution.truncated import truncation, truncation_error
from gaussdp.domains import integer
from gaussdp.errors import ConvergenceError, DomainError, MissingExtraError
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
    RandomizedResponse,
    SampledExchange,
    SampledNoise,
    Stated,
    TruncatedPoisson,
    WithoutReplacement,
    ZCDPGaussian,
)
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class DistributionSettings:
    """What is tuned about privacy loss distributions."""

    most_points: float = 5e4  # of the grid of one run: for small noise it grows coarser rather than larger
    least_points: float = 1e3  # ... and for large noise finer
    finest: float = 1e-12  # spacing; below, neighbouring losses are hardly told apart
    most_composed: int = 1 << 21
    """Of the grid of the whole: what would be larger is made on a coarser grid, or refused where the grid is that of
    the losses themselves. Sixteen megabytes an array, and some seconds."""
    most_atoms: float = 2e5  # of one release; discrete Gaussian noise with more is taken as Gaussian noise
    from_gaussian: float = 4.0
    """The profile of discrete Gaussian noise is within this times sensitivity / sigma^3 of that of Gaussian noise, for
    a sensitivity of at most sigma; the proof is in docs/numerics.md."""
    coarsenings: int = 4
    fft_factor: float = 4.0  # on the rounding error of a transform, which grows with the logarithm of its length
    well_above_rounding: float = 1e-9  # delta at which the length of a grid is measured
    lattice_rounding: float = 1e-15  # of the total mass of a loss on its own lattice
    mass_rounding: float = 2e-13
    """Of one on the grid of dp_accounting, whose masses are differences; up to 5e-14 was seen."""
    reach: float = 12.5
    """Standard deviations of discrete Gaussian noise kept; what is beyond counts as an infinite loss."""
    beyond_reach: float = 1e-33  # probability of what is beyond


SETTINGS = DistributionSettings()

INTERVAL = 1e-4

_UNIT_ROUNDOFF = 2.0**-53
_LARGEST_EXPONENT = 700.0  # of a double
_CUT = 1e-15  # probability of the tails that the library cuts off a distribution that it composes with itself


@dataclass(frozen=True)
class _Masses:
    """One direction: the positive losses with their masses, summed up from the largest one down."""

    losses: Floats
    masses: Floats
    infinite: float

    @classmethod
    def of(cls, pmf: Any) -> "_Masses":
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
        for index in np.flatnonzero(epsilons > _LARGEST_EXPONENT):
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
        # The first loss at which it is, by halving; between losses it is linear in e^epsilon.
        low, high = -1, self.losses.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.delta(self.losses[middle : middle + 1])[0] <= delta:
                high = middle
            else:
                low = middle
        if high < 0 or (low < 0 and self.delta(np.zeros(1))[0] <= delta):
            return 0.0
        losses, masses = self.losses[high:], self.masses[high:]
        if high == self.losses.size - 1 and self.delta(losses[-1:])[0] > delta:
            return math.inf
        excess = self.infinite + float(masses.sum()) - delta  # = e^epsilon times the mass under Q
        scaled = float(np.exp(losses[0] - losses) @ masses)
        return max(float(losses[0]) + math.log(excess / scaled), 0.0) if excess > 0 < scaled else float(losses[0])


def _from_the_top(masses: Floats) -> Floats:
    sums: Floats = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    return sums


class _ReadProfile:
    """The profile of a privacy loss distribution, with its numerical noise on the stated side."""

    interval: float
    noise_floor: float
    _composed: Any
    _sign: float
    _factor: float = 1.0  # of the masses, where they are known to within one

    @cached_property
    def _directions(self) -> tuple[_Masses, ...]:
        remove, add = self._composed._pmf_remove, self._composed._pmf_add
        return (_Masses.of(remove),) if add is remove else (_Masses.of(remove), _Masses.of(add))

    def delta(self, epsilons: Floats) -> Floats:
        """The profile at epsilons, its numerical noise included on the stated side."""
        raw = np.max([direction.delta(epsilons) for direction in self._directions], axis=0)
        deltas: Floats = np.clip(self._factor * raw + self._sign * self.noise_floor, 0.0, 1.0)
        return deltas

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 at which the profile, its numerical noise included, is at most delta; inf if none."""
        return self._epsilon(min((delta - self._sign * self.noise_floor) / self._factor, 1.0))

    def _epsilon(self, raw: float) -> float:
        return max(direction.epsilon(raw) for direction in self._directions)

    def largest_epsilon(self) -> float:
        """An epsilon beyond which the profile is flat to within the noise floor."""
        return self._reach(self.noise_floor)

    def _reach(self, beyond: float) -> float:
        """The epsilon whose delta exceeds the probability of an infinite loss by this much."""
        infinite = max(max(direction.infinite for direction in self._directions), 0.0)
        return self._epsilon(min(infinite + beyond, 1.0))

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
        counted = [(_large(part), count) for part, count in (together(parts) if pessimistic else least(parts))]
        self.interval, exact = _interval([part for part, _ in counted])
        for _ in range(SETTINGS.coarsenings):
            try:
                self._composed = _composed(library, counted, self.interval, pessimistic)
                break
            except _TooLargeError as error:
                if exact:
                    raise
                self.interval *= 2.0 ** math.ceil(math.log2(error.size / SETTINGS.most_composed))
        else:
            raise ConvergenceError("no grid of bearable size holds the privacy loss distribution of this composition")
        self._sign = 1.0 if pessimistic else -1.0
        # Rounding error of the masses and of the transforms; both grow with the powers taken.
        transforms = self._transforms()
        self.noise_floor = sum(count * (transforms + _error(part, self.interval)) for part, count in counted)
        cut = [(truncation_error(part), count) for part, count in counted if isinstance(part, TruncatedPoisson)]
        self._factor = math.exp(math.fsum(count * relative for (relative, _), count in cut))
        self.noise_floor += math.fsum(count * absolute for (_, absolute), count in cut)


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


class _TooLargeError(ConvergenceError):
    """A privacy loss distribution would take this many points."""

    def __init__(self, size: float) -> None:
        self.size = size
        super().__init__(
            f"the privacy loss distribution of this composition would take {size:.2g} points, of which at most "
            f"{SETTINGS.most_composed:,} are bearable: take fewer releases, or more noise"
        )


def _composed(library: ModuleType, counted: Sequence[tuple[Mechanism, int]], interval: float, pessimistic: bool) -> Any:
    """The distribution of all parts together.

    Raises:
        ConvergenceError: if it would be too large, or if the library cannot make one.
    """
    composed, size = None, 0.0
    for part, count in counted:
        try:
            distribution = _distribution(library, part, interval, pessimistic)
            size += max(_size(pmf, count) for pmf in (distribution._pmf_remove, distribution._pmf_add))
            if size > SETTINGS.most_composed:
                raise _TooLargeError(size)
            repeated = _dense(library, distribution).self_compose(count) if count > 1 else distribution
            composed = repeated if composed is None else composed.compose(repeated)
        except OverflowError:
            raise DomainError(
                "noise",
                "large enough for its privacy loss to be a number",
                got=f"{part!r}, whose loss is beyond the range of a double",
                advice="it gives no privacy to speak of",
            ) from None
        except ValueError as error:
            if isinstance(error, DomainError):
                raise
            raise ConvergenceError(f"there is no privacy loss distribution of {part!r}: {error}") from None
    return composed


def _dense(library: ModuleType, distribution: Any) -> Any:
    """The same on a whole grid: of few atoms the library computes how many sums they have, a number of any size."""
    remove, add = distribution._pmf_remove, distribution._pmf_add
    if remove is add:
        return library.PrivacyLossDistribution(remove.to_dense_pmf())
    return library.PrivacyLossDistribution(remove.to_dense_pmf(), add.to_dense_pmf())


def _size(pmf: Any, count: int) -> float:
    """The number of points that this many of a distribution take, as the library lays them out."""
    if hasattr(pmf, "_loss_probs"):
        places = pmf._loss_probs
        if count == 1:
            return float(len(places))
        width = max(places) - min(places) + 1
        if width > SETTINGS.most_composed:
            return float(width)
    if count == 1:
        return float(pmf.size)
    masses = pmf.to_dense_pmf()._probs
    low, high = importlib.import_module("dp_accounting.pld.common").compute_self_convolve_bounds(masses, count, _CUT)
    return float(max(high - low + 1, masses.size))


def _large(part: Mechanism) -> Mechanism:
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


def _interval(parts: list[Mechanism]) -> tuple[float, bool]:
    """The spacing of the grid, and whether it is exact: the common unit of all losses, if they have one."""
    lattices = [_lattice(part) for part in parts]
    units = {lattice.unit for lattice in lattices if lattice}
    if len(units) == 1 and all(lattices):
        return units.pop(), True
    reach = max(_reach_of(part) for part in parts)
    finest = max(reach / SETTINGS.least_points, SETTINGS.finest)
    return max(min(INTERVAL, finest), reach / SETTINGS.most_points), False


def _reach_of(part: Mechanism) -> float:
    """About the largest loss of one run that is likely enough to matter."""
    if isinstance(part, Gaussian | ZCDPGaussian):
        return part.mu * (0.5 * part.mu + 10)
    if isinstance(part, PoissonSampled):
        return _reach_of(part.mechanism)
    if isinstance(part, MixtureOfGaussians | SampledExchange | TruncatedPoisson | WithoutReplacement):
        return part.unsampled_mu * (0.5 * part.unsampled_mu + 10)
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
    if isinstance(part, ExponentialMechanism):
        return True
    lattice = _lattice(part)
    return lattice is not None and (lattice.unit == interval or isinstance(part, RandomizedResponse | Stated))


def _error(part: Mechanism, interval: float) -> float:
    """Of the masses of one release, and of what it stands for."""
    rounding = SETTINGS.lattice_rounding if _on_grid(part, interval) else SETTINGS.mass_rounding
    return rounding + (part.mu * part.distance if isinstance(part, _NearlyGaussian) else 0.0)


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
    if isinstance(part, TruncatedPoisson):
        return _truncated(library, part, options)
    if isinstance(part, WithoutReplacement):
        return _mirrored(library, part, interval, options)
    raise DomainError("mechanism", "one that gaussdp accounts for", part)


def _truncated(library: ModuleType, part: TruncatedPoisson, options: Mapping[str, Any]) -> Any:
    """A sampled release or, in a full batch, one where the record takes the place of another; an upper bound."""
    relation = library.NeighborRel
    exchanged = part.adjacency == "replace-one"
    added = library.from_gaussian_mechanism(
        part.noise_multiplier,
        sampling_prob=part.sample_rate,
        neighboring_relation=relation.REPLACE_ONE if exchanged else relation.ADD_OR_REMOVE_ONE,
        **options,
    )
    probability, rate = truncation(part)
    if probability == 0:
        return added
    full = library.from_gaussian_mechanism(
        part.noise_multiplier / 2, sampling_prob=rate, neighboring_relation=relation.REPLACE_ONE, **options
    )
    return full.compute_mixture(added, probability) if probability < 1 else full


def _mirrored(library: ModuleType, part: WithoutReplacement, interval: float, options: Mapping[str, Any]) -> Any:
    """The positive losses of a record that is added on a Poisson sample and moves the sum by 2, and their mirror image.

    The rest of the mass is at 0; docs/mechanisms.md has the proof. An upper bound.
    """
    rate = math.nextafter(part.sample_rate, 1.0)
    added = library.from_gaussian_mechanism(part.noise_multiplier / 2, sampling_prob=rate, **options)._pmf_remove
    positive = _Masses.of(added)
    places = np.rint(positive.losses / interval).astype(int).tolist()
    masses = dict(zip(places, positive.masses.tolist(), strict=True))
    mirrored = (positive.masses * np.exp(-positive.losses)).tolist()
    masses |= dict(zip([-place for place in places], mirrored, strict=True))
    masses[0] = max(1 - positive.infinite - math.fsum(masses.values()), 0.0)
    return library.PrivacyLossDistribution.create_from_rounded_probability(
        masses, positive.infinite, interval, pessimistic_estimate=True
    )


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
