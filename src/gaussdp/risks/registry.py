"""The risks that are offered by name, on the command line, in files and on the page, and bounds on one of them."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from gaussdp.domains import FINITE, LEVEL, instance, number, one_of, settle, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.registry import Registry
from gaussdp.risks.base import EVEN, Risk
from gaussdp.risks.levels import Level


@dataclass(frozen=True)
class AtMost:
    """A bound on one risk, read off the exact curve of the mechanism.

    Args:
        risk: such as `Advantage()`, `TruePositiveRate(fpr=1e-3)` or `Profile(delta=1e-6)`.
        value: the largest value allowed, one that some mu has.

    >>> from gaussdp import Advantage
    >>> AtMost(Advantage(), 0.1)
    AtMost(risk=Advantage(), value=0.1)
    """

    risk: Risk
    value: float

    def __post_init__(self) -> None:
        if not isinstance(self.risk, Risk):
            raise DomainError("risk", "a risk such as Advantage()", self.risk)
        settle(self, value=FINITE)
        self.risk.mu_for(self.value)

    def by_mu(self) -> GDP:
        """The same bound asked of the fitted mu instead of the curve: the GDP budget with this risk, rounded down.

        At the mu that is returned the risk is at most the value, the error of computing it counted (`Risk.holds`).

        >>> from gaussdp import Advantage
        >>> AtMost(Advantage(), 0.1).by_mu()
        GDP(mu=0.25132...)
        """
        mu, step = self.risk.mu_for(self.value), 1e-15
        while 0 < mu < math.inf and not self.risk.holds(mu, self.value):
            mu, step = mu * max(1 - step, 0.0), 2 * step
        return GDP(mu)

    @property
    def words(self) -> str:
        """What is asked for: "an attack finds at most 1% of the members with 1 false alarm in 1,000 nonmembers"."""
        return self.risk.limited(self.value)


Kind = TypeVar("Kind", bound=type[Risk])

RISKS: Registry[type[Risk]] = Registry("risk", lambda risk: risk.key)


def register(risk: Kind) -> Kind:
    """Offer a risk by name, after those that are offered already; usable as a decorator.

    From then on it can be bounded in `gaussdp calibrate --at-most` and on the page and, if it is a criterion, is part
    of `choose`, `tables`, `rules` and the page's choices.

    Raises:
        DomainError: if it has no name, if another risk has its key, or if it is a criterion without a level.

    >>> from gaussdp import Advantage
    >>> Advantage in registered()  # registering it again is refused
    True
    """
    if risk.criterion and risk.level is None:
        raise DomainError("risk", problem=f"{risk.__name__} is a criterion, so it must have a level")
    taken = {other.value_key: other for other in registered() if other.key != risk.key}
    if risk.value_key in taken:
        raise DomainError(
            "risk", problem=f"value_key {risk.value_key!r} belongs to {taken[risk.value_key].__name__} already"
        )
    RISKS.add(risk)
    return risk


def registered() -> tuple[type[Risk], ...]:
    """All risks that are offered, in order.

    >>> registered()[0].key
    'tpr'
    """
    return RISKS.all


def criteria() -> tuple[type[Risk], ...]:
    """Those that are offered for matching a policy; each has a level.

    >>> [risk.key for risk in criteria()]
    ['multiplicative_advantage', 'precision', 'profile', 'identification']
    """
    return _criteria_among(RISKS.all)


@lru_cache(maxsize=16)
def _criteria_among(risks: tuple[type[Risk], ...]) -> tuple[type[Risk], ...]:
    return tuple(risk for risk in risks if risk.criterion)


def by_level(risks: Sequence[type[Risk]] | None = None) -> dict[Level, tuple[type[Risk], ...]]:
    """The levels of these risks, of all criteria if None, each with those that are read at it.

    >>> [level.key for level in by_level()]
    ['fpr', 'recall', 'delta', 'chance']
    """
    chosen = criteria() if risks is None else several("risks", risks, "a list of kinds of risks")
    for one in chosen:
        if not (isinstance(one, type) and issubclass(one, Risk)):
            raise DomainError("risks", "kinds of risks, such as Profile", one)
    found = dict.fromkeys(risk.level for risk in chosen if risk.level is not None)
    return {level: tuple(risk for risk in chosen if risk.level == level) for level in found}


def criteria_at(
    values: Mapping[str, Sequence[float]] | None = None, keys: Collection[str] = (), prior: float = EVEN
) -> list[Risk]:
    """The criteria at levels.

    Args:
        values: by the key of a level; the usual ones where none are given.
        keys: of the criteria; all if none is named.
        prior: probability of membership before the attack, for those that take one.

    >>> [risk.words for risk in criteria_at({"fpr": [1e-3], "delta": [1e-6]}, ["multiplicative_advantage", "profile"])]
    ['TPR/FPR at FPR 1e-3', 'ε at δ = 1e-6']
    """
    if values is None and type(keys) is tuple and not keys:  # as it is mostly
        return list(_usual(criteria(), number("prior", prior, LEVEL)))
    known = tuple(risk.key for risk in criteria())
    named = [one_of("keys", key, known) for key in several("keys", keys, "keys of criteria")]
    chosen = tuple(risk for risk in criteria() if not named or risk.key in named)
    if values is not None:
        instance("values", values, Mapping, "levels by their key")
    if not values:
        return list(_usual(chosen, number("prior", prior, LEVEL)))
    return [risk.at(value, prior) for risk in chosen if risk.level for value in _given(risk.level, values)]


def _given(level: Level, values: Mapping[str, Sequence[float]]) -> Sequence[float]:
    """The levels asked for, none if the list is empty."""
    given = several(level.key, values.get(level.key, level.usual), f"numbers in {level.domain}")
    return level.checked(given) if given else ()


@lru_cache
def _usual(chosen: tuple[type[Risk], ...], prior: float) -> tuple[Risk, ...]:
    return tuple(risk.at(value, prior) for risk in chosen if risk.level is not None for value in risk.level.usual)


def by_value_key(key: str) -> type[Risk] | None:
    """The risk whose number has this key, if there is one.

    >>> by_value_key("epsilon").__name__
    'Profile'
    """
    wanted = instance("key", key, str, "the key of a number")
    return next((risk for risk in registered() if risk.value_key == wanted), None)


@contextmanager
def extended(*risks: type[Risk]) -> Iterator[None]:
    """With these risks too, for a while.

    >>> with extended():  # nothing more
    ...     len(criteria())
    4
    """
    with RISKS.kept():
        for risk in risks:
            register(risk)
        yield
