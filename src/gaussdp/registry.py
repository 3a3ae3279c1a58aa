"""What is registered is offered everywhere: kinds of things by key, and objects of other libraries by who knows them.

Each integration, which lies above everything here, says what we make of a library's objects. One for `account`
registers itself when it is imported; one for columns and arrays evaluates kernels on them. `gaussdp/__init__.py` knows
which one serves a library, and imports it when the first object of that library is given.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import Any, Generic, TypeVar

from gaussdp.errors import DomainError

Adapter = Callable[[Any, Any], Any]
"""From an object and the adjacency that was asked for (or None) to a mechanism or a curve."""

Evaluator = Callable[[Callable[..., Any], Any], Any]
"""From a kernel and its parameters, each with its domain, to the value in the library of the parameters."""

_adapters: dict[str, Adapter] = {}


def _nothing(package: str) -> None:
    """Where nobody has said how integrations are loaded."""


def _numpy(kind: type) -> None:
    """Where nobody has said who computes: NumPy does."""


_load: Callable[[str], None] = _nothing
_find: Callable[[type], Evaluator | None] = _numpy


def register(package: str, adapter: Adapter) -> None:
    """Adapt the objects whose types are defined in this package."""
    _adapters[package] = adapter


def load_with(loader: Callable[[str], None]) -> Callable[[str], None]:
    """Before an object is given up, have this function import the integration for its package, if there is one.

    Returns:
        What did so before.
    """
    global _load
    before, _load = _load, loader
    return before


def adapter_for(kind: type) -> Adapter | None:
    """What adapts objects of this type, None if no integration does."""
    for base in kind.__mro__:
        package = base.__module__.partition(".")[0]
        if package not in _adapters:
            _load(package)
        if package in _adapters:
            return _adapters[package]
    return None


def serve_with(find: Callable[[type], Evaluator | None]) -> None:
    """Serve columns and arrays of other libraries with what this function finds for their type."""
    global _find
    _find = find


def evaluator_for(kind: type) -> Evaluator | None:
    """What computes on values of this type, None where NumPy does."""
    return _find(kind)


Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Kinds of one sort of thing.

    Args:
        sort: what they are, for messages: "risk".
        key: gives the key of one.
    Attributes:
        all: of them, in order.
    """

    all: tuple[Thing, ...]

    def __init__(self, sort: str, key: Callable[[Thing], str]) -> None:
        self._sort, self._key = sort, key
        self._things: dict[str, Thing] = {}
        self.all: tuple[Thing, ...] = ()
        self._extensions: tuple[Thing, ...] = ()

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
        self._note()

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.all)

    def __getitem__(self, key: str) -> Thing:
        if key not in self._things:
            raise DomainError(self._sort, f"one of {', '.join(self.keys)}", key)
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
            self._note()

    def extensions(self) -> tuple[Thing, ...]:
        """What was defined outside of gaussdp, which other processes have to be told."""
        return self._extensions

    def _note(self) -> None:
        """What is asked for far more often than it changes."""
        self.all = tuple(self._things.values())
        self._extensions = tuple(one for one in self.all if not _kind_of(one).__module__.startswith("gaussdp."))


def name_of(thing: Any) -> str:
    """The module and the name under which it was defined."""
    kind = _kind_of(thing)
    return f"{kind.__module__}:{kind.__qualname__}"


def _kind_of(thing: Any) -> type:
    return thing if isinstance(thing, type) else type(thing)


def named(name: str) -> Any:
    """What is defined under a module and a name, "module:name"."""
    module, _, path = name.partition(":")
    return attrgetter(path)(import_module(module))
