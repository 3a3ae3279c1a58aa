"""dp_accounting's events as mechanisms, and mechanisms as its events.

What an event does not say is which datasets are neighbours, and the noise multiplier of a `GaussianDpEvent` is sigma
over the bound C on *one record's* contribution. Adding or removing a record, or replacing it by a zero record, moves
the sum by C; replacing it by another moves it by 2 C, so under replace-one adjacency a noise multiplier counts half.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from gaussdp.domains import FINITE, NON_NEGATIVE, PROBABILITY, checked, integer, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, ProfilePoints, PureDP
from gaussdp.integrations.versions import require
from gaussdp.mechanisms import (
    DPSGD,
    Adjacency,
    BestOf,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    MatrixMechanism,
    Mechanism,
    MixtureOfGaussians,
    Participation,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SampledExchange,
    SampledNoise,
    Stated,
    Tree,
    TruncatedPoisson,
    WithoutReplacement,
    ZCDPGaussian,
)
from gaussdp.mechanisms.additive import Noisy
from gaussdp.mechanisms.base import checked_adjacency

_SUPPORTED = ">=0.5.1,<0.7"


def load(module: str) -> Any:
    """A module of the library."""
    return require("dp-accounting", extra="accounting", supported=_SUPPORTED, module=module)


_events = load("dp_accounting.dp_event")
Relation = load("dp_accounting").NeighboringRelation

if TYPE_CHECKING:
    DpEvent = Any
else:
    DpEvent = _events.DpEvent


def mechanism_of(event: DpEvent, adjacency: Adjacency | None = None) -> Mechanism:
    """The mechanism that a DpEvent describes.

    Args:
        event: a dp_accounting DpEvent.
        adjacency: which datasets are neighbours. Unless given, replace-one if the event contains randomized response,
            for which nothing else makes sense, and add-remove otherwise, as in dp_accounting.
    Raises:
        DomainError: naming the event that has no analysis, and why.

    >>> mechanism_of(_events.SelfComposedDpEvent(_events.GaussianDpEvent(2.0), 3))
    Repeated(mechanism=Gaussian(noise_multiplier=2.0, adjacency='add-remove'), count=3)
    """
    relation = _relation_for(event, adjacency)
    entries = Entries()
    try:
        enter(entries, event, 1, relation)
    except NoAnalysisError as error:
        raise DomainError(None, problem=f"there is no analysis of {error.event}: {error.reason}") from None
    if not entries.private:
        raise DomainError(event, problem="has no privacy: it releases data without noise, so it has no curve and no mu")
    return entries.mechanism(adjacency_of(relation))


def event_of(mechanism: Mechanism) -> DpEvent:
    """The DpEvent that describes a mechanism, for other tools that take one.

    Its meaning under dp_accounting's relation of the same name is that of the mechanism under its adjacency. Discrete
    Gaussian noise, which has no event of its own, becomes the zCDP statement that holds for it.

    >>> event_of(DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=1000)).count
    1000
    """
    if isinstance(mechanism, Repeated):
        return _events.SelfComposedDpEvent(event_of(mechanism.mechanism), mechanism.count)
    if isinstance(mechanism, Composition):
        return _events.ComposedDpEvent([event_of(item) for item in mechanism.mechanisms])
    if isinstance(mechanism, DPSGD):
        ((step, _),) = mechanism.parts()
        return _events.SelfComposedDpEvent(event_of(step), mechanism.steps)
    if isinstance(mechanism, MixtureOfGaussians):
        return _events.MixtureOfGaussiansDpEvent(mechanism.noise_multiplier, mechanism.sensitivities, mechanism.weights)
    if isinstance(mechanism, SampledExchange):
        return _events.PoissonSampledDpEvent(mechanism.sample_rate, _events.GaussianDpEvent(mechanism.noise_multiplier))
    if isinstance(mechanism, TruncatedPoisson):
        step = _events.TruncatedSubsampledGaussianDpEvent(
            mechanism.dataset_size, mechanism.sample_rate, mechanism.batch_limit, mechanism.noise_multiplier
        )
        return step if mechanism.steps == 1 else _events.SelfComposedDpEvent(step, mechanism.steps)
    if isinstance(mechanism, WithoutReplacement):
        sizes, inside = (mechanism.dataset_size, mechanism.batch_size), mechanism.noise_multiplier
        batch = _events.SampledWithoutReplacementDpEvent(*sizes, _events.GaussianDpEvent(inside))
        return batch if mechanism.steps == 1 else _events.SelfComposedDpEvent(batch, mechanism.steps)
    if isinstance(mechanism, SampledNoise) and not isinstance(mechanism.mechanism, DiscreteGaussian):
        return _events.PoissonSampledDpEvent(mechanism.sample_rate, event_of(mechanism.mechanism))
    if isinstance(mechanism, PoissonSampled):
        return _events.PoissonSampledDpEvent(mechanism.sample_rate, event_of(mechanism.mechanism))
    factor = 2 if mechanism.adjacency == "replace-one" else 1
    if isinstance(mechanism, Gaussian | ZCDPGaussian):
        return _events.GaussianDpEvent(factor / mechanism.mu)
    if isinstance(mechanism, Laplace):
        return _events.LaplaceDpEvent(factor * mechanism.scale)
    if isinstance(mechanism, DiscreteLaplace) and mechanism.sensitivity % factor == 0:
        return _events.DiscreteLaplaceDpEvent(1 / mechanism.scale, mechanism.sensitivity // factor)
    if isinstance(mechanism, DiscreteGaussian):
        return _events.ZCDpEvent(0.5 / mechanism.noise_multiplier**2)
    if isinstance(mechanism, RandomizedResponse):
        k, shrink = mechanism.categories, math.exp(-mechanism.epsilon)
        return _events.RandomizedResponseDpEvent(k * shrink / (1 + (k - 1) * shrink), k)
    if isinstance(mechanism, Stated) and isinstance(mechanism.guarantee, ZCDP):
        return _events.ZCDpEvent(mechanism.guarantee.rho, mechanism.guarantee.xi)
    if isinstance(mechanism, BestOf):
        return _events.RepeatAndSelectDpEvent(event_of(mechanism.mechanism), mechanism.mean_runs, mechanism.eta)
    if isinstance(mechanism, MatrixMechanism):
        return event_of(Composition([count * part for part, count in mechanism.parts()]))
    if isinstance(mechanism, Stated) and isinstance(mechanism.guarantee, GDP):
        return _events.GaussianDpEvent(factor / mechanism.guarantee.mu)
    raise DomainError("mechanism", "one that dp_accounting has an event for", mechanism)


class NoAnalysisError(Exception):
    """An event that gaussdp cannot account for."""

    def __init__(self, event: object, reason: str) -> None:
        super().__init__(reason)
        self.event, self.reason = event, reason


@dataclass
class Entries:
    """What has been composed: releases with their counts, the sums of zCDP statements, and whether all had noise."""

    releases: dict[Mechanism, int] = field(default_factory=dict)
    rho: float = 0.0
    xi: float = 0.0
    private: bool = True

    def copy(self) -> "Entries":
        return Entries(dict(self.releases), self.rho, self.xi, self.private)

    def add(self, mechanism: Mechanism, count: int) -> None:
        self.releases[mechanism] = self.releases.get(mechanism, 0) + count

    @property
    def empty(self) -> bool:
        """Whether nothing has been released, noise or not."""
        return self.private and not self.releases and self.rho == self.xi == 0

    def mechanism(self, adjacency: Adjacency) -> Mechanism:
        """All of it as one mechanism."""
        items: list[Mechanism] = [count * item if count > 1 else item for item, count in self.releases.items()]
        if self.rho > 0 or self.xi > 0:
            items.append(Stated(ZCDP(self.rho, self.xi), adjacency))
        if not items:
            return Stated(PureDP(0.0), adjacency)
        return items[0] if len(items) == 1 else Composition(items)

    def pure_epsilon(self) -> float:
        """The sum of the pure-DP parameters, inf if a release has none."""
        if self.rho > 0:
            return math.inf
        terms = [count * item.pure_epsilon for item, count in self.releases.items()]
        return math.fsum([self.xi, *terms]) * (1 + 1e-15)


def enter(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    """Add the event, this many times, to the entries."""
    kinds = [kind.__name__ for kind in type(event).__mro__ if kind.__module__.startswith("dp_accounting.")]
    handler = next((_HANDLERS[name] for name in kinds if name in _HANDLERS), None)
    if handler is None:
        reason = next((_WHY_NOT[name] for name in kinds if name in _WHY_NOT), "gaussdp does not know this event")
        raise NoAnalysisError(event, reason)
    try:
        handler(entries, event, integer("count", count, low=0), relation)
    except DomainError as error:
        raise NoAnalysisError(event, str(error)) from None


def _no_op(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    pass


def _non_private(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    entries.private = entries.private and count == 0


def _self_composed(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    enter(entries, event.event, integer("count", event.count, low=0) * count, relation)


def _composed(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    for item in event.events:
        enter(entries, item, count, relation)


def _gaussian(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    noise = number("noise_multiplier", event.noise_multiplier, NON_NEGATIVE)
    if noise == 0:
        _non_private(entries, event, count, relation)
    elif count:
        entries.add(Gaussian(noise / _moves(relation), adjacency_of(relation)), count)


def _laplace(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    noise = number("noise_multiplier", event.noise_multiplier, NON_NEGATIVE)
    if noise == 0:
        _non_private(entries, event, count, relation)
    elif count:
        entries.add(Laplace(noise / _moves(relation), adjacency_of(relation)), count)


def _discrete_laplace(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    noise = number("noise_parameter", event.noise_parameter, NON_NEGATIVE)
    sensitivity = integer("sensitivity", event.sensitivity, low=0) * _moves(relation)
    if noise == 0:  # not a distribution; dp_accounting takes it so, too
        _non_private(entries, event, count, relation)
    elif sensitivity and count:
        entries.add(DiscreteLaplace(1 / noise, sensitivity, adjacency_of(relation)), count)


def _randomized_response(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    buckets = integer("num_buckets", event.num_buckets, low=1)
    noise = number("noise_parameter", event.noise_parameter, PROBABILITY)
    if relation == Relation.ADD_OR_REMOVE_ONE:
        raise NoAnalysisError(
            event,
            "every record gives an answer, so only replacing one makes neighbours; account for"
            ' it under adjacency="replace-one" or the relations REPLACE_ONE and REPLACE_SPECIAL',
        )
    if noise == 0 and buckets > 1:
        _non_private(entries, event, count, relation)
    elif noise < 1 and buckets > 1 and count:
        release = (
            _answer_or_uniform(noise, buckets)
            if relation == Relation.REPLACE_SPECIAL
            else (RandomizedResponse(math.log1p(buckets * (1 - noise) / noise), buckets))
        )
        entries.add(release, count)


@cache  # the same statement each time, so that repeated releases count as repetitions
def _answer_or_uniform(noise: float, buckets: int) -> Mechanism:
    """Randomized response against a uniform answer: (epsilon, delta) statements at the two losses, either direction."""
    truth = 1 - noise + noise / buckets
    growths = (1.0, buckets * truth, 1 / noise)
    deltas = [max(truth - g / buckets, (1 - 1 / buckets) * (1 - g * noise), 0.0) for g in growths]
    return Stated(ProfilePoints([math.log(g) for g in growths], deltas))


def _zcdp(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    statement = ZCDP(event.rho, event.xi)
    entries.rho += count * statement.rho
    entries.xi += count * statement.xi


def _stated(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if count:
        entries.add(Stated(ApproxDP(event.epsilon, event.delta), adjacency_of(relation)), count)


def _approximate(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    """An event that is as stated but with probability delta: together with a release of everything with that chance."""
    delta = number("delta", event.delta, PROBABILITY)
    enter(entries, event.event, count, relation)
    if delta == 1:
        _non_private(entries, event, count, relation)
    elif delta and count:
        entries.add(Stated(ApproxDP(0.0, delta), adjacency_of(relation)), count)


def _exponential(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if count and event.epsilon != 0:
        entries.add(ExponentialMechanism(event.epsilon, adjacency_of(relation)), count)


def _permute_and_flip(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if count:  # not of bounded range
        entries.add(Stated(PureDP(event.epsilon), adjacency_of(relation)), count)


def _discrete_gaussian(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    sigma = number("sigma", event.sigma, NON_NEGATIVE)
    moves = number("sensitivity", event.sensitivity, NON_NEGATIVE) * _moves(relation)
    if sigma == 0:
        _non_private(entries, event, count, relation)
    elif event.dimension == 1 and moves.is_integer() and moves and count:
        entries.add(DiscreteGaussian(sigma, int(moves), adjacency_of(relation)), count)
    else:  # in several dimensions only its zCDP is known (Canonne, Kamath & Steinke 2020)
        entries.rho += count * 0.5 * (moves / sigma) ** 2


def _tree(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if relation == Relation.ADD_OR_REMOVE_ONE:
        raise NoAnalysisError(
            event,
            "without a record the others would move to other steps; account for it under the relation REPLACE_SPECIAL,"
            ' which blanks a record out, or under adjacency="replace-one"',
        )
    counts = event.step_counts if isinstance(event.step_counts, list | tuple) else [event.step_counts]
    steps = max((integer("step_counts", steps, low=0) for steps in counts), default=0)
    noise = number("noise_multiplier", event.noise_multiplier, NON_NEGATIVE)
    if noise == 0 and steps:
        _non_private(entries, event, count, relation)
    elif steps and count:  # each record in one tree, once
        once = Participation(times=1)
        mechanism = MatrixMechanism(noise / _moves(relation), Tree(steps), once, adjacency_of(relation))
        entries.add(mechanism, count)


def _repeat_and_select(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if event.shape == math.inf:
        raise NoAnalysisError(event, "Poisson numbers of runs are not analysed; truncated negative binomial ones are")
    inside = Entries()
    enter(inside, event.event, 1, relation)
    if not inside.private:
        _non_private(entries, event, count, relation)
    elif not inside.empty and count:
        run = inside.mechanism(adjacency_of(relation))
        entries.add(run if event.mean == 1 else BestOf(run, event.mean, event.shape), count)


def _poisson_sampled(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    rate = number("sampling_probability", event.sampling_probability, PROBABILITY)
    if rate == 0:
        return
    inside = Entries()
    enter(inside, event.event, 1, relation)
    if rate == 1:
        enter(entries, event.event, count, relation)
        return
    if not inside.private:
        _non_private(entries, event, count, relation)
        return
    if not (inside.rho or inside.xi) and list(inside.releases.values()) == [1]:
        (item,) = inside.releases
        if isinstance(item, PoissonSampled):  # a sample of a sample; several releases of one would not be independent
            if rate > 0 and count:
                entries.add(item.sampled_again(rate), count)
            return
        if isinstance(item, Noisy) and item.adjacency == "add-remove":
            if count:
                entries.add(item.on_sample(rate), count)
            return
    if inside.rho or inside.xi or not all(isinstance(item, Gaussian) for item in inside.releases):
        raise NoAnalysisError(
            event,
            "on a Poisson sample only Gaussian releases are analysed, and a single one with Laplace or discrete noise"
            " by adding or removing a record",
        )
    if inside.releases and count:
        # Its noise is that for adding a record, whichever the neighbours are.
        noise = _moves(relation) / _joint_mu(inside)
        entries.add(PoissonSampled(Gaussian(noise), rate, adjacency_of(relation)), count)


def _joint_mu(inside: Entries) -> float:
    """Gaussian releases on one sample are one Gaussian release of it."""
    plain = [(item, times) for item, times in inside.releases.items() if isinstance(item, Gaussian)]
    return math.hypot(*(math.sqrt(times) / item.noise_multiplier for item, times in plain))


def _without_replacement(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    if relation != Relation.REPLACE_ONE:
        raise NoAnalysisError(event, 'batches of a fixed size are analysed under adjacency="replace-one" only')
    inside = Entries()
    enter(inside, event.event, 1, relation)
    if event.sample_size == 0 or count == 0 or inside.empty:
        return
    if not inside.private:
        _non_private(entries, event, count, relation)
    elif inside.rho or inside.xi or not all(isinstance(item, Gaussian) for item in inside.releases):
        raise NoAnalysisError(event, "only Gaussian releases are analysed on batches of a fixed size")
    else:
        noise = _moves(relation) / _joint_mu(inside)
        entries.add(WithoutReplacement(noise, event.sample_size, event.source_dataset_size, 1), count)


def _mixture(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    shifts = checked("sensitivities", event.sensitivities, FINITE).ravel().tolist()
    probabilities = checked("sampling_probs", event.sampling_probs, PROBABILITY).ravel().tolist()
    deviation = number("standard_deviation", event.standard_deviation, NON_NEGATIVE)
    if relation == Relation.REPLACE_ONE:
        raise NoAnalysisError(event, "a mixture of Gaussians speaks about adding or removing a record")
    if not any(shift and share for shift, share in zip(shifts, probabilities, strict=True)) or count == 0:
        return
    if min(shifts) < 0:
        raise NoAnalysisError(event, "mixtures of Gaussians are analysed with sensitivities of at least 0")
    if deviation == 0:
        _non_private(entries, event, count, relation)
    elif len(shifts) == 1:
        entries.add(Gaussian(deviation / shifts[0]), count)
    elif len(shifts) == 2 and shifts[0] == 0 and math.fsum(probabilities) == 1:
        entries.add(PoissonSampled(Gaussian(deviation / shifts[1]), probabilities[1]), count)
    else:
        entries.add(MixtureOfGaussians(deviation, shifts, probabilities), count)


def _truncated(entries: Entries, event: DpEvent, count: int, relation: Enum) -> None:
    noise = number("noise_multiplier", event.noise_multiplier, NON_NEGATIVE)
    rate = number("sampling_probability", event.sampling_probability, PROBABILITY)
    if rate == 0 or event.truncated_batch_size == 0 or event.dataset_size == 0:
        return
    if noise == 0:
        _non_private(entries, event, count, relation)
    elif count:
        sizes = (event.truncated_batch_size, event.dataset_size)
        entries.add(TruncatedPoisson(noise, rate, 1, *sizes, adjacency_of(relation)), count)


_HANDLERS: Mapping[str, Callable[[Entries, DpEvent, int, Enum], None]] = {
    "NoOpDpEvent": _no_op,
    "NonPrivateDpEvent": _non_private,
    "SelfComposedDpEvent": _self_composed,
    "ComposedDpEvent": _composed,
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "ZCDpEvent": _zcdp,
    "EpsilonDeltaDpEvent": _stated,
    "ApproximateDpEvent": _approximate,
    "ExponentialMechanismDpEvent": _exponential,
    "PermuteAndFlipDpEvent": _permute_and_flip,
    "DiscreteGaussianDpEvent": _discrete_gaussian,
    "PoissonSampledDpEvent": _poisson_sampled,
    "MixtureOfGaussiansDpEvent": _mixture,
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "SampledWithoutReplacementDpEvent": _without_replacement,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "RepeatAndSelectDpEvent": _repeat_and_select,
}
_FIXED_SIZE = "no exact account of batches of a fixed size is known; Poisson sampling has one"
_WHY_NOT = {
    "UnsupportedDpEvent": "it stands for an operation without a description",
    "SampledWithReplacementDpEvent": _FIXED_SIZE,
}


def _moves(relation: Enum) -> int:
    """By how many bounds on one record's contribution a neighbouring dataset moves a sum."""
    return 2 if relation == Relation.REPLACE_ONE else 1


def adjacency_of(relation: Enum) -> Adjacency:
    """Replacing a record by a zero record moves a sum as adding or removing one does."""
    return "replace-one" if relation == Relation.REPLACE_ONE else "add-remove"


def _relation_for(event: DpEvent, adjacency: Adjacency | None) -> Enum:
    if adjacency is None:
        if _holds(event, "SingleEpochTreeAggregationDpEvent"):
            blanked: Enum = Relation.REPLACE_SPECIAL
            return blanked
        adjacency = "replace-one" if _holds(event, "RandomizedResponseDpEvent") else "add-remove"
    relation: Enum = {
        "add-remove": Relation.ADD_OR_REMOVE_ONE,
        "replace-one": Relation.REPLACE_ONE,
    }[checked_adjacency(adjacency)]
    return relation


def _holds(event: DpEvent, kind: str) -> bool:
    inner = [*getattr(event, "events", ()), *([event.event] if hasattr(event, "event") else ())]
    return isinstance(event, getattr(_events, kind)) or any(_holds(item, kind) for item in inner)
