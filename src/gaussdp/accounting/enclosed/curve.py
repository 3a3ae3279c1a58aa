"""The guarantee of a run that no exact method reads, from bounds on both sides of its profile."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from gaussdp.accounting.distribution.points import PointsCurve
from gaussdp.accounting.enclosed.components import ComponentBounds
from gaussdp.accounting.enclosed.profile_bounds import MomentBounds
from gaussdp.accounting.enclosed.sampled_mixtures import ExchangeMixture, SampledMixture, UnitMixture, profiles
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.readings import Method, Values
from gaussdp.domains import NON_NEGATIVE, PROBABILITY, evaluate
from gaussdp.guarantees.base import Numbers, of_delta, of_epsilon
from gaussdp.guarantees.numeric import LARGEST_EPSILON
from gaussdp.numerics import TINY, Floats, epsilon_from_mu


@dataclass(frozen=True)
class SearchSettings:
    """What is tuned about searches for an epsilon."""

    halvings: int = 60
    width: float = 1e-12  # relative width of the bracket at which a search ends
    smallest: float = 1e-290  # delta below which products of probabilities may vanish
    chief: int = 4  # kinds of sampled steps that are seen as mixtures, those of the largest losses
    thresholds: int = 2  # sensitivities of a unit, from which on batches are told from others
    unlikely: float = 1e-9  # number of batches, at the mean, below which a sensitivity does not count


PROFILE = SearchSettings()


class EnclosedProfile:
    """Bounds on the profile of plain Gaussian releases and counted sampled steps, at least one.

    Args:
        squared_mu: of the plain releases together.
        steps: the sampled ones.
        unsampled: squared mu of each of these without sampling, all its repetitions together.
    """

    unsampled_mu: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]], unsampled: Sequence[float]) -> None:
        squares = list(unsampled)
        self.unsampled_mu = math.sqrt(squared_mu + math.fsum(squares))
        self._plain_mu, self._steps = math.sqrt(squared_mu), tuple(steps)
        self._moments = MomentBounds(squared_mu, steps, unsampled)
        self._components = ComponentBounds(squared_mu, steps)
        self._symmetric = all(isinstance(step, ExchangedLoss) for step, _ in steps)
        self._added = _added(squared_mu, steps)
        # The sampled steps that matter most; to the upper bounds all others are unsampled, to the lower ones not there.
        total = squared_mu + math.fsum(squares)
        self._mixtures: list[SampledMixture] = []
        self._below: list[SampledMixture] = []
        for square, (step, count) in sorted(zip(squares, steps, strict=True), key=_size, reverse=True)[: PROFILE.chief]:
            others = total - square if len(squares) > 1 else squared_mu
            if isinstance(step, SampledGaussianLoss | ExchangedLoss):
                kind = ExchangeMixture if isinstance(step, ExchangedLoss) else SampledMixture
                self._mixtures.append(kind(step.noise_multiplier, step.sample_rate, count, squared_mu, others))
            elif isinstance(step, MixtureLoss):
                self._below += _unit_mixtures(step, count, squared_mu)

    def upper(self, epsilon: Floats) -> Floats:
        """Upper bounds on delta at epsilons from zero on."""
        untouched = _gaussian(epsilon, self._plain_mu) + touched(self._steps)
        either, remove = np.minimum(_gaussian(epsilon, self.unsampled_mu), untouched), self._components.upper(epsilon)
        for mixture in self._mixtures:
            either = np.minimum(either, mixture.upper(epsilon))
            remove = np.minimum(remove, mixture.upper_remove(epsilon))
        remove = np.minimum(remove, either)
        add = either
        for offset, mu in self._added:
            add = np.minimum(add, _gaussian(epsilon + offset, mu))
        for index, one in enumerate(epsilon.tolist()):
            remove[index] = min(remove[index], self._moments.remove(one)[1])
            if not self._symmetric and add[index] > remove[index]:
                add[index] = min(add[index], self._moments.add(one)[1])
        bound: Floats = np.maximum(remove if self._symmetric else np.maximum(remove, add), PROFILE.smallest)
        return bound

    def lower(self, epsilon: Floats) -> Floats:
        """Lower bounds on delta at epsilons from zero on."""
        least: Floats = np.array([self._moments.remove(one)[0] for one in epsilon.tolist()])
        least = np.maximum(least, self._components.lower(epsilon))
        for mixture in (*self._mixtures, *self._below):
            least = np.maximum(least, mixture.lower(epsilon))
        return least

    def rest(self, epsilon: Floats) -> Floats:
        """Upper bounds on 1 - delta at epsilons from zero on, which no rounding makes vanish."""
        near_one = np.exp(np.array([self._moments.log_rest(one) for one in epsilon.tolist()])) * (1 + _SPELLED_OUT)
        least: Floats = np.minimum(1 - self.lower(epsilon) + _ROUNDING, near_one + TINY)
        return least

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Bounds on the least epsilon at a delta in (0, 1), from below and from above."""
        level = max(delta, PROFILE.smallest)
        most = float(epsilon_from_mu(np.array([self.unsampled_mu]), np.array([level]))[0]) * (1 + 1e-12)
        high = _crossing(lambda epsilon: float(self.upper(np.array([epsilon]))[0]) > level, most)[1]
        low = _crossing(lambda epsilon: float(self.lower(np.array([epsilon]))[0]) > delta, high)[0]
        return (low, high) if delta >= PROFILE.smallest else (low, self._at_any_rate(delta))

    def _at_any_rate(self, delta: float) -> float:
        return float(epsilon_from_mu(np.array([self.unsampled_mu]), np.array([delta]))[0]) * (1 + 1e-12)


def touched(steps: Sequence[tuple[StepLoss, int]]) -> float:
    """At most the probability that a step of any kind is touched by what is removed or exchanged.

    With the others alone nothing is told; so the profile is at most this more than that of the plain releases.
    """
    return -math.expm1(math.fsum(count * step.log_untouched for step, count in steps)) * (1 + _ROUNDING)


def _size(kind: tuple[float, tuple[StepLoss, int]]) -> float:
    return kind[0]


def _added(squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> list[tuple[float, float]]:
    """Gaussian profiles, each moved by a loss, that bound that of adding a record.

    Whatever component of a mixture is taken, without the record the loss is at least what it alone would give: one
    choice is that of unmoved outputs, where there are such, and one that of the least mean.
    """
    found = []
    for choose in (_unmoved, _least):
        parts = [choose(step) if isinstance(step, SampledGaussianLoss | MixtureLoss) else None for step, _ in steps]
        known = [part for part in parts if part is not None]
        if len(known) < len(steps):
            continue
        counts = [count for _, count in steps]
        offset = math.fsum(count * log_weight for (log_weight, _), count in zip(known, counts, strict=True))
        square = squared_mu + math.fsum(count * mu * mu for (_, mu), count in zip(known, counts, strict=True))
        found.append((offset, math.sqrt(square)))
    return found


def _unmoved(step: SampledGaussianLoss | MixtureLoss) -> tuple[float, float] | None:
    return (step.lowest, 0.0) if math.isfinite(step.lowest) else None


def _least(step: SampledGaussianLoss | MixtureLoss) -> tuple[float, float]:
    """Logarithm of the weight and mu of the component whose loss without the record is least at the mean."""
    if isinstance(step, SampledGaussianLoss):
        sizes, logs = np.array([0.0, 1.0]), np.array([step.lowest, math.log(step.sample_rate)])
    else:
        sizes, logs = np.array(step.sensitivities), np.log(np.array(step.weights))
    mu = sizes / step.noise_multiplier
    best = int(np.argmin(0.5 * mu * mu - logs))
    return float(logs[best]), float(mu[best])


def _unit_mixtures(step: MixtureLoss, count: int, squared_mu: float) -> list[SampledMixture]:
    """Lower bounds by whether the sensitivity is at least one of these: the first, and those of the largest losses."""
    sizes, weights = np.array(step.sensitivities), np.array(step.weights)
    if sizes[0] > 0:
        weights, sizes = np.append(0.0, weights), np.append(0.0, sizes)
    logs = np.log(np.maximum(weights, TINY))
    from_there = np.array([math.fsum(weights[index:]) for index in range(sizes.size)])
    losses = count * from_there * (logs + 0.5 * (sizes / step.noise_multiplier) ** 2)
    likely = count * from_there > PROFILE.unlikely
    ranked = [int(index) for index in np.argsort(-losses) if index > 0 and likely[index]][: PROFILE.thresholds]
    rare = [int(index) for index in np.flatnonzero(likely[1:] & (from_there[1:] > 0))[-1:] + 1]
    log_miss = math.log(weights[0]) if weights[0] > 0 else -math.inf
    return [
        UnitMixture(
            step.noise_multiplier / float(sizes[index]),
            math.nextafter(min(float(from_there[index]), 1.0), 0.0),
            count,
            squared_mu,
            squared_mu,
            float(logs[index]),
            log_miss,
        )
        for index in sorted({1, *ranked, *rare})
        if weights[index] > 0
    ]


def _gaussian(epsilon: Floats, mu: float) -> Floats:
    """delta of mu-GDP at any real epsilons."""
    return profiles(epsilon[:, np.newaxis], np.array([mu]))[:, 0]


def _crossing(above: Callable[[float], bool], most: float) -> tuple[float, float]:
    """Neighbouring epsilons in [0, most], the first above a level (or 0) and the second not (or the most)."""
    if most <= 0 or not above(0.0):
        return 0.0, 0.0
    low, high = 0.0, most
    for _ in range(PROFILE.halvings):
        if high - low <= PROFILE.width * high:
            break
        middle = 0.5 * (low + high)
        if above(middle):
            low = middle
        else:
            high = middle
    return low, high


@dataclass(frozen=True)
class EnclosedSettings:
    """What is tuned about the points that an enclosed curve is drawn through."""

    points: int = 240
    scale: float = 1e-3  # share of delta(0) whose epsilon is the scale of the points
    reach: float = 40.0  # ... up to this multiple of it
    attacks: int = 200  # at which mu is bounded from below


SETTINGS = EnclosedSettings()

_ROUNDING = 1e-15  # of a rate next to 1
_SPELLED_OUT = 1e-12  # of e^x for the logarithm of a small rate, relative
_BEYOND = 1e100  # epsilon at which every delta is below any double: losses of sampled releases are far smaller
_ROUNDING_OF_MU = 1e-14  # of a sum of two quantiles of probabilities that are doubles


class EnclosedCurve(PointsCurve):
    """A guarantee read off proved upper bounds on the profile; `values` says how far the truth may lie away.

    delta and epsilon come from the bounds themselves, rates from the hull of their values at some epsilons. Reached as
    `AccountedCurve.enclosed`.
    """

    title = "Accounted guarantee, from bounds"
    _method = Method.ENCLOSURE
    _error = math.inf
    _profile: EnclosedProfile
    _below: EnclosedProfile  # of what surely loses no more
    _run: tuple[float, tuple[tuple[StepLoss, int], ...], tuple[float, ...], "EnclosedCurve | None"]
    _grid: Floats

    def __init__(
        self,
        squared_mu: float,
        steps: Sequence[tuple[StepLoss, int]],
        unsampled: Sequence[float],
        least: "EnclosedCurve | None" = None,
    ) -> None:
        profile = EnclosedProfile(squared_mu, steps, unsampled)
        grid = _grid(profile)
        super().__init__(grid, profile.upper(grid))
        object.__setattr__(self, "_profile", profile)
        object.__setattr__(self, "_below", least._profile if least else profile)
        object.__setattr__(self, "_run", (squared_mu, tuple(steps), tuple(unsampled), least))
        object.__setattr__(self, "_grid", grid)

    def __reduce__(self) -> Any:
        return EnclosedCurve, self._run

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        """The bound on delta at this epsilon."""
        read: Numbers = evaluate(lambda levels: self.values("delta", levels).value, epsilon=(epsilon, NON_NEGATIVE))
        return read

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        """The least epsilon at which a bound comes down to delta, inf for none."""
        read: Numbers = evaluate(lambda levels: self.values("epsilon", levels).value, delta=(delta, PROBABILITY))
        return read

    def values(self, name: str, levels: Floats) -> Values:
        """The reading of this name at each level: a bound on the safe side, and how far the truth may lie away."""
        safe, other = self.ends(name, levels)
        return Values(safe, relative(safe, other), np.full(levels.size, self._method, np.int8))

    def ends(self, name: str, levels: Floats) -> tuple[Floats, Floats]:
        """Bounds on the reading of this name at each level, on the safe side and on the other one."""
        if name in ("delta", "epsilon"):
            read = self._deltas if name == "delta" else self._epsilons
            low, high = np.array([read(one) for one in levels.tolist()]).reshape(-1, 2).T
            return high, low
        if name == "tpr":
            return self._most(levels), 1 - self._highest(levels, 1 - levels)
        # The curve is symmetric: the least FPR at an FNR is the least FNR at an FPR.
        if name == "fnr":
            return super().fnr(levels), self._highest(levels, 1 - levels)
        return super().fpr(levels), self._highest(1 - levels, levels)

    def _deltas(self, epsilon: float) -> tuple[float, float]:
        if epsilon > _BEYOND:
            return 0.0, 0.0
        at = np.array([epsilon])
        return float(self._below.lower(at)[0]), float(self._profile.upper(at)[0])

    def _epsilons(self, delta: float) -> tuple[float, float]:
        if delta == 0:
            return math.inf, math.inf  # a sampled Gaussian release has unbounded losses
        if delta == 1:
            return 0.0, 0.0
        low, high = self._profile.epsilon(delta)
        return (low if self._below is self._profile else self._below.epsilon(delta)[0]), high

    @cached_property
    def _rest(self) -> Floats:
        """Upper bounds on 1 - delta at the grid but for its first epsilon, and beyond, where delta may be 0."""
        return np.append(self._below.rest(self._grid[1:]), 1.0)

    def _most(self, fpr: Floats) -> Floats:
        """Upper bounds on the TPR; those of the steep lines keep the digits of a small one."""
        steep = (self.deltas + np.multiply.outer(fpr, np.exp(self.epsilons))).min(axis=1)
        most: Floats = np.minimum(np.minimum(steep, super().tpr(fpr) + _ROUNDING), 1.0)
        return most

    def _highest(self, fpr: Floats, tnr: Floats) -> Floats:
        """Upper bounds on the FNR: that of the best attack, and its mirror image, at the epsilons between the points.

        Between neighbours 1 - delta - e^epsilon fpr is at most what the delta of the right and the epsilon of the left
        one make of it; and so for the mirror image, e^-epsilon (1 - delta - fpr).
        """
        rest = self._rest
        steep = rest - np.multiply.outer(fpr, np.exp(self._grid))
        flat = np.exp(-self._grid) * np.where(fpr < tnr, rest[:, np.newaxis] - fpr, rest[:, np.newaxis] - 1 + tnr).T
        highest: Floats = np.clip(np.maximum(steep, flat).max(axis=1), 0.0, tnr)
        return highest

    def surely_ends_above(self, floor: float) -> bool:
        """Whether every attack with an FPR of the floor has a smaller FNR, so that no attack is above the floor."""
        at = np.array([floor])
        return bool(self._highest(at, 1 - at)[0] < floor)

    def _mu_lower(self, floor: float, mu: float) -> float:
        """No smaller mu holds: some attacks whose rates are surely above the floor have at most these FNRs."""
        fpr = np.geomspace(floor, 0.5, SETTINGS.attacks)
        fpr = fpr[super().fnr(fpr) >= floor]
        fnr = np.minimum(self._highest(fpr, 1 - fpr) + _ROUNDING, 1.0)
        found = np.where(fnr < 1 - fpr, -special.ndtri(fpr) - special.ndtri(fnr), 0.0)
        return max(float(np.max(found, initial=0.0)) - _ROUNDING_OF_MU, 0.0)


def relative(safe: Floats, other: Floats) -> Floats:
    """How far one bound lies from the other, as a share of the one on the safe side."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(safe == other, 0.0, np.abs(safe - other) / safe)


def _grid(profile: EnclosedProfile) -> Floats:
    """Epsilons from zero on, closer to each other near zero, on the scale of the losses that matter."""
    most = float(profile.upper(np.zeros(1))[0])
    scale = profile.epsilon(min(most, 1 - 1e-9) * SETTINGS.scale)[1]
    if scale == 0:
        return np.zeros(1)
    last = min(SETTINGS.reach * scale, LARGEST_EPSILON)
    scale = min(scale, LARGEST_EPSILON)
    grid: Floats = scale * np.sinh(np.linspace(0.0, math.asinh(last / scale), SETTINGS.points))
    return np.append(grid[:-1], last)
