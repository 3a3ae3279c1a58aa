"""The mechanisms that plan files know by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from gaussdp.mechanisms.base import Mechanism, PlanKeys
from gaussdp.registry import Registry

Class = TypeVar("Class", bound=type[Mechanism])


class Kind(Protocol):
    """One kind of release in a plan file: a mechanism, or a guarantee that stands for one."""

    @property
    def kind(self) -> str:
        """Its name there."""

    def plan_keys(self) -> PlanKeys:
        """What its entry holds."""

    def from_plan(self, **parameters: object) -> Mechanism:
        """The mechanism that such an entry describes."""


KINDS: Registry[Kind] = Registry("mechanism", lambda known: known.kind)


def register(mechanism: Class) -> Class:
    """Know a mechanism by its `kind` in plan files, run files and statements; usable as a decorator.

    Raises:
        DomainError: if it has no kind, or another mechanism has the same.
    """
    KINDS.add(mechanism)
    return mechanism


def registered() -> tuple[str, ...]:
    """The kinds that are known, in order."""
    return KINDS.keys


@contextmanager
def extended(*mechanisms: type[Mechanism]) -> Iterator[None]:
    """With these mechanisms too, for a while."""
    with KINDS.kept():
        for mechanism in mechanisms:
            register(mechanism)
        yield
