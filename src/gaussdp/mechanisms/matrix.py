"""Matrix mechanisms: training with noise that is correlated over steps (DP-FTRL)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gaussdp.documents.rounding import shown, shown_up
from gaussdp.domains import NOISE, number, settle
from gaussdp.errors import DomainError
from gaussdp.mechanisms.base import Adjacency, Mechanism, PlanKeys, Repeated, checked_adjacency, register
from gaussdp.mechanisms.gaussian import GDPGaussian, PoissonSampled
from gaussdp.mechanisms.strategies import CyclicPoisson, Dense, Participation, Strategy, Toeplitz, Tree

AT_ANY_STEP = Participation()
_STRATEGY_KEYS = ("coefficients", "decay", "matrix", "tree", "steps")
_PATTERN_KEYS = ("separation", "times_each", "order")
_POISSON_KEYS = ("cycle", "sample_rate")


@register
@dataclass(frozen=True)
class MatrixMechanism(Mechanism):
    r"""Correlated Gaussian noise: every value that is computed from C g + noise, for clipped contributions g.

    .. math:: \mu = \max_g \lVert C g \rVert_2 / \sigma

    Without sampling it is exactly GDP, with mu = sensitivity / noise_multiplier, where the sensitivity is the largest
    norm of C g for the contributions of one record; docs/mechanisms.md says where it is known and where it is bounded.

    Args:
        noise_multiplier: standard deviation of the independent noise over the clipping norm, in [1e-100, 1e100].
        strategy: C, as Toeplitz(coefficients, steps), Tree(steps), or a matrix with one column a step.
        participation: at which steps a record may contribute; or a CyclicPoisson, for banded strategies.
        adjacency: the neighbours for which the clipping norm bounds a contribution.
    Reference: Denisov, McMahan, Rush, Smith & Thakurta (2022), Theorem 2.1.

    >>> MatrixMechanism(2.0, Toeplitz.correlated(0.5, 1000), Participation(separation=100)).mu
    1.8257...
    >>> MatrixMechanism(1.0, Tree(1000), Participation(times=1)).mu    # the root of its 10 levels
    3.1622...
    """

    kind = "matrix"

    noise_multiplier: float
    strategy: Strategy
    participation: Participation | CyclicPoisson = AT_ANY_STEP
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        settle(self, noise_multiplier=NOISE)
        given: object = self.strategy
        object.__setattr__(self, "strategy", given if isinstance(given, Strategy) else _dense(given))
        if not isinstance(self.participation, Participation | CyclicPoisson):
            raise DomainError("participation", "a Participation or a CyclicPoisson", self.participation)
        checked_adjacency(self.adjacency)
        if isinstance(self.participation, CyclicPoisson) and self.strategy.bands > self.participation.cycle:
            raise DomainError(
                "cycle",
                f"at least {self.strategy.bands}, the bands of the strategy",
                self.participation.cycle,
                "sampling helps only if no two contributions of a record meet",
            )
        number("mu", self.mu, NOISE)
        next(self.parts())  # refuses what cannot be accounted for

    @cached_property
    def sensitivity(self) -> float:
        """The most by which one record moves C g: of all its contributions, or of one that is sampled."""
        if isinstance(self.participation, CyclicPoisson):
            return self.strategy.largest_column
        return self.strategy.sensitivity(self.participation)

    @property
    def mu(self) -> float:
        """The GDP parameter without sampling: of everything, or of one sampled contribution."""
        return self.sensitivity / self.noise_multiplier

    @cached_property
    def least_mu(self) -> float:
        """What the same is at least."""
        if isinstance(self.participation, CyclicPoisson):
            return self.strategy.least_column / self.noise_multiplier
        return self.strategy.least_sensitivity(self.participation) / self.noise_multiplier

    @cached_property
    def _release(self) -> Mechanism:
        """What is released of everything, or of one contribution."""
        release = GDPGaussian.of(self.mu, self.adjacency, self.least_mu)
        if not isinstance(self.participation, CyclicPoisson):
            return release
        return PoissonSampled(release, self.participation.sample_rate)

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        turns = 1
        if isinstance(self.participation, CyclicPoisson):
            turns = -(-self.strategy.steps // self.participation.cycle)
        for part, count in self._release.parts():
            yield part, count * turns

    @property
    def trains(self) -> bool:
        return True

    @property
    def bounded(self) -> bool:
        """Where the sensitivity is a bound, or not every turn of a group has the largest column."""
        return self._release.bounded or self._sure_turns < sum(count for _, count in self.parts())

    @property
    def least(self) -> Mechanism:
        known = self._release.least or self._release
        return known if self._sure_turns == 1 else Repeated(known, self._sure_turns)

    @cached_property
    def _sure_turns(self) -> int:
        """How many contributions of the largest column some group surely has."""
        at = self.participation
        return self.strategy.largest_turns(at.cycle) if isinstance(at, CyclicPoisson) else 1

    @property
    def sentence(self) -> str:
        first = f"Correlated noise with noise multiplier {shown(self.noise_multiplier)}"
        return f"{first} over {self.strategy.steps:,} steps ({self.strategy.words}); {self.participation.words}"

    def facts(self, dataset_size: int | None = None) -> tuple[tuple[str, str], ...]:
        return (
            ("Noise multiplier", shown(self.noise_multiplier)),
            ("Strategy", self.strategy.words),
            ("Steps", f"{self.strategy.steps:,}"),
            ("Participation", self.participation.words),
            ("Sensitivity", shown_up(self.sensitivity)),
        )

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("noise_multiplier",), (*_STRATEGY_KEYS, *_PATTERN_KEYS, *_POISSON_KEYS, "adjacency"))

    def plan_entry(self) -> dict[str, object]:
        described = {**self.strategy.plan_keys(), **self.participation.plan_keys()}
        return {
            "mechanism": self.kind,
            "noise_multiplier": self.noise_multiplier,
            **described,
            "adjacency": self.adjacency,
        }

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        given = {key: parameters.pop(key) for key in _STRATEGY_KEYS if key in parameters}
        pattern = {key: parameters.pop(key) for key in _PATTERN_KEYS if key in parameters}
        poisson = {key: parameters.pop(key) for key in _POISSON_KEYS if key in parameters}
        if poisson and (pattern or set(poisson) != set(_POISSON_KEYS)):
            raise DomainError(
                None, problem="matrix takes either cycle and sample_rate, or separation, times_each and order"
            )
        participation = (
            CyclicPoisson(**poisson)
            if poisson
            else Participation(pattern.get("separation", 1), pattern.get("times_each"), pattern.get("order", "any"))
        )
        return cls(strategy=_strategy_of(given), participation=participation, **parameters)


def _strategy_of(given: dict[str, Any]) -> Strategy:
    """The strategy that the keys of a plan describe."""
    kinds: dict[frozenset[str], Callable[[], Strategy]] = {
        frozenset({"coefficients", "steps"}): lambda: Toeplitz(given["coefficients"], given["steps"]),
        frozenset({"decay", "steps"}): lambda: Toeplitz.correlated(given["decay"], given["steps"]),
        frozenset({"tree", "steps"}): lambda: Tree(given["steps"]),
        frozenset({"matrix"}): lambda: Dense(given["matrix"]),
    }
    build = kinds.get(frozenset(given))
    if build is None or given.get("tree", True) is not True:
        raise DomainError(
            None,
            problem="matrix takes one of: coefficients and steps; decay and steps; tree = true and steps; matrix",
        )
    return build()


def _dense(strategy: Any) -> Strategy:
    matrix = np.asarray(strategy)
    if matrix.ndim == 1:
        advice = "give Toeplitz(coefficients, steps)"
        raise DomainError("strategy", "a matrix or a strategy", got=f"{matrix.size} numbers", advice=advice)
    return Dense(matrix)
