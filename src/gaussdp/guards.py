"""Checks that hold in every method of a family of classes, said once at their base."""

from collections.abc import Callable
from functools import wraps
from inspect import isfunction, signature
from typing import Any

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


def _guarded(method: Callable[..., Any], places: list[tuple[int, str, Check]]) -> Callable[..., Any]:
    @wraps(method)
    def checked(*given: Any, **named: Any) -> Any:
        for place, key, check in places:
            if place < len(given):
                meant = check(key, given[place])
                if meant is not given[place]:
                    given = (*given[:place], meant, *given[place + 1 :])
            elif key in named:
                named[key] = check(key, named[key])
        return method(*given, **named)

    return checked
