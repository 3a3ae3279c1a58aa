"""What our objects have in common: how they compare, copy and pickle."""

from dataclasses import fields
from typing import Any, Self

import numpy as np


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
