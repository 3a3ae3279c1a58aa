"""Privacy loss distributions of whole compositions, with dp_accounting: for losses with atoms, and what joins them.

Distributions are composed with themselves as that library does it, several times as fast: the transform of real masses
is half as long as a complex one, and its power is a product of few squares.

This file and `releases` are the only ones that know that library's distributions. They are made by its
public face; their masses, the spacing of their grid and the side to which they were rounded nothing public tells.
"""

import copy
import importlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from scipy import fft

from gaussdp.accounting.distribution import releases
from gaussdp.accounting.distribution.envelopes import allocation_error, least, together
from gaussdp.accounting.distribution.releases import Masses, truncation_error
from gaussdp.domains import integer
from gaussdp.errors import ConvergenceError, DomainError, MissingExtraError
from gaussdp.mechanisms import Mechanism, RandomAllocation, TruncatedPoisson
from gaussdp.numerics import Complexes, Floats

CUT = 1e-15
"""Probability of the tails that are cut off, and counted as an infinite loss."""
_ORDERS = 20  # of Chernoff's bounds on either side, in units of the inverse number of masses


def bounds_of(masses: Floats, count: int) -> tuple[int, int]:
    """Between which sums of so many places all but the cut lies, by Chernoff's inequality at forty orders."""
    low, high = 0, (masses.size - 1) * count
    growth = np.exp(np.arange(masses.size) / masses.size)
    slack = math.log(2 / CUT)
    for factors, sign in ((growth, 1), (1 / growth, -1)):
        weighted = masses.copy()
        for order in range(1, _ORDERS + 1):
            weighted *= factors
            total = float(weighted.sum())
            if not 0 < total < math.inf:
                continue
            bound = (count * math.log(total) + slack) * masses.size / order
            if sign > 0:
                high = min(high, math.ceil(bound))
            else:
                low = max(low, math.floor(-bound))
    return low, high


def size_of(pmf: Any, count: int) -> int:
    """The number of points that this many of a dense distribution take."""
    masses = np.asarray(pmf._probs, np.float64)
    low, high = bounds_of(masses, count)
    return max(high - low + 1, masses.size)


def self_composed(pmf: Any, count: int) -> Any:
    """This many of a dense distribution together, with the cut as part of their infinite mass."""
    masses = np.asarray(pmf._probs, np.float64)
    low, high = bounds_of(masses, count)
    if low > high:  # all finite losses together are less likely than the cut
        return _nothing_finite(type(pmf), pmf, -math.expm1(count * math.log1p(-pmf._infinity_mass)))
    size = high - low + 1
    length = fft.next_fast_len(max(size, masses.size), real=True)
    sums = fft.irfft(_power(fft.rfft(masses, length), count), length)
    infinite = CUT - math.expm1(count * math.log1p(-pmf._infinity_mass))
    make = type(pmf)
    return make(
        pmf._discretization,
        pmf._lower_loss * count + low,
        np.roll(sums, -low)[:size],
        infinite,
        pmf._pessimistic_estimate,
    )


def _nothing_finite(make: Callable[..., Any], pmf: Any, infinite: float) -> Any:
    """A distribution on the same grid, infinite but for less than the cut, which is left out on the stated side."""
    rest = 1.0 if pmf._pessimistic_estimate else infinite
    return make(pmf._discretization, 0, np.zeros(1), rest, pmf._pessimistic_estimate)


def _power(values: Complexes, exponent: int) -> Complexes:
    """By squares: the relative error of a value grows with the exponent as that of any power does."""
    result = values
    for digit in f"{exponent:b}"[1:]:
        result = result * result
        if digit == "1":
            result *= values
    return result


@dataclass(frozen=True)
class DistributionSettings:
    """What is tuned about compositions of privacy loss distributions."""

    most_composed: int = 1 << 21
    """Points of the grid: what would be larger is made on a coarser grid, or refused where the grid is that of the
    losses themselves. Sixteen megabytes an array, and some seconds."""
    coarsenings: int = 4
    fft_factor: float = 4.0  # on the rounding error of a transform, which grows with the logarithm of its length
    well_above_rounding: float = 1e-9  # delta at which the length of a grid is measured


SETTINGS = DistributionSettings()

_UNIT_ROUNDOFF = 2.0**-53


class ReadProfile:
    """The profile of a privacy loss distribution, with its numerical noise on the stated side."""

    interval: float
    noise_floor: float
    _composed: Any
    _sign: float
    _factor: float = 1.0  # of the masses, where they are known to within one

    @cached_property
    def _directions(self) -> tuple[Masses, ...]:
        remove, add = self._composed._pmf_remove, self._composed._pmf_add
        return (Masses.of(remove),) if add is remove else (Masses.of(remove), Masses.of(add))

    def only(self, direction: int) -> "ReadProfile":
        """The same in one direction: 0 if the record is in the data, -1 if it is not."""
        one = copy.copy(self)
        one.__dict__["_directions"] = (self._directions[direction],)
        return one

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
        reach = self._reach(SETTINGS.well_above_rounding)
        if reach == math.inf:  # no finite loss is left
            return 0.0
        depth = math.log2(2 * reach / self.interval + 4)
        return SETTINGS.fft_factor * _UNIT_ROUNDOFF * depth


class LossDistribution(ReadProfile):
    """The composed privacy loss on a grid, rounded to one side, as a profile with a known noise floor.

    Args:
        parts: elementary mechanisms with how often each runs.
        pessimistic: whether delta is bounded from above or from below.
    """

    interval: float
    noise_floor: float

    def __init__(self, parts: Iterable[tuple[Mechanism, int]], *, pessimistic: bool) -> None:
        library = _library()
        counted = [
            (releases.bearable(part), count) for part, count in (together(parts) if pessimistic else least(parts))
        ]
        self.interval, exact = releases.spacing_for([part for part, _ in counted])
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
        self.noise_floor = sum(
            count * (transforms + releases.mass_error(part, self.interval, pessimistic)) for part, count in counted
        )
        cut = [(truncation_error(part), count) for part, count in counted if isinstance(part, TruncatedPoisson)]
        relative = [count * relative for (relative, _), count in cut]
        relative += [
            count * allocation_error(part, pessimistic=pessimistic)
            for part, count in counted
            if isinstance(part, RandomAllocation)
        ]
        self._factor = math.exp(self._sign * math.fsum(relative))
        self.noise_floor += math.fsum(count * absolute for (_, absolute), count in cut)


class GivenDistribution(ReadProfile):
    """A pessimistic privacy loss distribution that somebody made with dp_accounting.

    Args:
        distribution: a dp_accounting PrivacyLossDistribution.
        compositions: of how many it was composed at the most; it does not say so itself, and its rounding errors grow
            with that number.
    Raises:
        DomainError: if it is an optimistic estimate, which bounds the privacy loss from the wrong side.
    """

    interval: float
    noise_floor: float

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
        self.noise_floor = integer("compositions", compositions, low=1) * (
            self._transforms() + releases.SETTINGS.mass_rounding
        )


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
            distribution = releases.distribution_of(library, part, interval, pessimistic)
            directions = [distribution._pmf_remove, distribution._pmf_add][: 1 if distribution._symmetric else 2]
            size += max(_size(pmf, count) for pmf in directions)
            if size > SETTINGS.most_composed:
                raise _TooLargeError(size)
            if count > 1:
                distribution = library.PrivacyLossDistribution(
                    *(self_composed(pmf.to_dense_pmf(), count) for pmf in directions)
                )
            composed = distribution if composed is None else _together(library, composed, distribution)
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


def _together(library: ModuleType, one: Any, other: Any) -> Any:
    """Two distributions together; the library knows none without a finite loss."""
    pairs = [(one._pmf_remove, other._pmf_remove), (one._pmf_add, other._pmf_add)]
    finite = [(1 - mine._infinity_mass) * (1 - theirs._infinity_mass) for mine, theirs in pairs]
    if min(finite) > 2 * CUT:
        return one.compose(other)
    make = library.pld_pmf.DensePLDPmf
    return library.PrivacyLossDistribution(
        *(_nothing_finite(make, mine, 1 - both) for (mine, _), both in zip(pairs, finite, strict=True))
    )


def _size(pmf: Any, count: int) -> float:
    """The number of points that this many of a distribution take."""
    if hasattr(pmf, "_loss_probs"):
        places = pmf._loss_probs
        if count == 1:
            return float(len(places))
        width = max(places) - min(places) + 1
        if width > SETTINGS.most_composed:
            return float(width)
    return float(pmf.size if count == 1 else size_of(pmf.to_dense_pmf(), count))
