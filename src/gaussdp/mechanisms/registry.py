"""The mechanisms that plan files know by name."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from gaussdp.domains import integer
from gaussdp.errors import DomainError
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

    >>> from gaussdp import Gaussian
    >>> Gaussian.kind in registered()  # registering it again is refused
    True
    """
    KINDS.add(mechanism)
    return mechanism


def registered() -> tuple[str, ...]:
    """The kinds that are known, in order.

    >>> registered()[:2]
    ('gaussian', 'gaussian-zcdp')
    """
    return KINDS.keys


def from_entry(entry: Mapping[str, Any]) -> Mechanism:
    """The mechanism that an entry of a plan file describes, which names its `mechanism`.

    Raises:
        DomainError: if there is no such mechanism, or it has other parameters.
    """
    parameters = dict(entry)
    name = parameters.pop("mechanism")
    kind = KINDS.get(str(name))
    if kind is None:
        raise DomainError(None, problem=f"unknown mechanism {name!r}", advice=f"known are {', '.join(registered())}")
    times = parameters.pop("times", 1)
    keys = kind.plan_keys()
    for key in parameters:
        if key not in keys.required + keys.optional:
            known = ", ".join((*keys.required, *keys.optional, "times"))
            raise DomainError(None, problem=f"{name} has no parameter {key!r}", advice=f"it has {known}")
    for key in keys.required:
        if key not in parameters:
            raise DomainError(None, problem=f"{name} needs {key}")
    mechanism, count = kind.from_plan(**parameters), integer("times", times, low=1)
    return mechanism if count == 1 else count * mechanism


@contextmanager
def extended(*mechanisms: type[Mechanism]) -> Iterator[None]:
    """With these mechanisms too, for a while.

    >>> with extended():  # nothing more
    ...     len(registered()) > 20
    True
    """
    with KINDS.kept():
        for mechanism in mechanisms:
            register(mechanism)
        yield
