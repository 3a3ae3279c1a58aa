"""What our objects have in common: how they compare, copy and pickle, and checks said once for a family of classes."""

import sys
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801
        """As that of functools, without the lock that it takes before Python 3.12, and which takes longer than most.

        What is computed twice at once is the same twice.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            found = instance.__dict__[self.name] = self.compute(instance)
            return found


__all__ = ["Check", "Compared", "Described", "cached_property", "guard", "unguarded"]


class Described:
    """What is its description, and keeps what it has computed so far only to be quick: that is computed again.

    It is compared, copied, pickled and shown by the description.

    That is safe since everything computed is a function of the description and of the question alone.
    """

    def _describe(self) -> tuple[object, ...]:
        """The arguments that make an equal object."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._describe() == self._describe()

    def __hash__(self) -> int:
        return hash((type(self), self._describe()))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._describe()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._describe()))})"


class Compared:
    """Base of what holds arrays: equal where all that it tells is, arrays element by element."""

    def _told(self) -> object:
        """What makes it equal to another: the fields of a dataclass, or what its kind says instead."""
        record: Any = self
        return [getattr(self, field.name) for field in fields(record) if field.compare]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compared) and type(other) is type(self) and _same(self._told(), other._told())

    def __hash__(self) -> int:
        return hash(type(self))  # arrays have none; equal ones must have the same


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and _same(list(one.values()), list(other.values()))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


Check = Callable[[str, Any], Any]
"""Takes the name of a parameter and its value, and gives what is meant; refuses a bad one."""


def guard(kind: type, **checks: Check) -> None:
    """Have the public methods that this class itself defines check their parameters of these names.

    A base class whose methods take one kind of thing under one name says so once; whoever derives from it, in gaussdp
    or elsewhere, writes methods that may rely on it.

    >>> from gaussdp.domains import POSITIVE, number
    >>> class Square:
    ...     def area(self, side):
    ...         return side * side
    >>> guard(Square, side=lambda name, value: number(name, value, POSITIVE))
    >>> Square().area("x")
    Traceback (most recent call last):
        ...
    gaussdp.errors.DomainError: side must be a number or an array of numbers in (0, inf), got str 'x'
    """
    for name, method in list(vars(kind).items()):
        if name.startswith("_") or not isfunction(method):
            continue
        places = [(place, key, checks[key]) for place, key in enumerate(signature(method).parameters) if key in checks]
        if places:
            setattr(kind, name, _guarded(method, places))


def unguarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a class without what `guard` adds, for arguments that are checked already."""
    inner: Callable[..., Any] = getattr(method, _INNERMOST, method)
    return inner


_INNERMOST = "unguarded"


def _guarded(method: Callable[..., Any], places: list[tuple[int, str, Check]]) -> Callable[..., Any]:
    @wraps(method)
    def checked(*given: Any, **named: Any) -> Any:
        for place, key, check in places:
            if place < len(given):
                meant = check(key, given[place])
                if meant is not given[place]:  # as hardly ever
                    given = (*given[:place], meant, *given[place + 1 :])
            elif key in named:
                named[key] = check(key, named[key])
        return method(*given, **named)

    setattr(checked, _INNERMOST, method)
    return checked
