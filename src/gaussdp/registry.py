"""Kinds of things by key, in the order in which they were registered: what is registered is offered everywhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import Any, Generic, TypeVar

from gaussdp.errors import DomainError, brief

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Kinds of one sort of thing.

    Args:
        sort: what they are, for messages: "risk".
        key: gives the key of one.
    """

    def __init__(self, sort: str, key: Callable[[Thing], str]) -> None:
        self._sort, self._key = sort, key
        self._things: dict[str, Thing] = {}

    def add(self, thing: Thing) -> None:
        """Offer it from now on. The same definition, run again, takes its own place.

        Raises:
            DomainError: if it has no key, or another has the same.
        """
        key = self._key(thing)
        if not key:
            raise DomainError(self._sort, problem=f"{self._sort} {name_of(thing)} has no key to be found by")
        known = self._things.get(key)
        if known is not None and name_of(known) != name_of(thing):
            raise DomainError(self._sort, problem=f"key {key!r} belongs to {name_of(known)} already")
        self._things[key] = thing

    def __iter__(self) -> Iterator[Thing]:
        return iter(tuple(self._things.values()))

    def __getitem__(self, key: str) -> Thing:
        if key not in self._things:
            raise DomainError(self._sort, f"one of {', '.join(self.keys)}", key, got=brief(key))
        return self._things[key]

    def get(self, key: str) -> Thing | None:
        """The one with this key, if there is one."""
        return self._things.get(key)

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys, in order."""
        return tuple(self._things)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What is added meanwhile is forgotten at the end."""
        before = dict(self._things)
        try:
            yield
        finally:
            self._things = before

    def extensions(self) -> tuple[Thing, ...]:
        """What was defined outside of gaussdp, which other processes have to be told."""
        return tuple(thing for thing in self if not name_of(thing).startswith("gaussdp."))


def name_of(thing: Any) -> str:
    """The module and the name under which it was defined."""
    kind = thing if isinstance(thing, type) else type(thing)
    return f"{kind.__module__}:{kind.__qualname__}"


def named(name: str) -> Any:
    """What is defined under a module and a name, "module:name"."""
    module, _, path = name.partition(":")
    return attrgetter(path)(import_module(module))
