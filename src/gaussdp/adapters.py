"""Objects of other libraries: each integration, which lies above everything here, says what we make of them.

An integration for `account` registers itself when it is imported; one for columns and arrays evaluates kernels on them.
`gaussdp/__init__.py` knows which one serves a library, and imports it when the first object of that library is given.
"""

from collections.abc import Callable
from typing import Any

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
