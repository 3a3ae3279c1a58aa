"""Several arrays of one length that belong together, addressed by name."""

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Self, TypeVar

import numpy as np

from gaussdp.numerics import Booleans, Floats, Indices


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


class Columns:
    """Base of frozen dataclasses whose fields are arrays of one length; the first of them orders the others."""

    __slots__ = ()

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        kind: Any = cls
        return _names(kind)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Those of several, one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls._names()))

    def take(self, which: Indices | Booleans | slice) -> Self:
        """Some of them."""
        return type(self)(*(getattr(self, name)[which] for name in self._names()))

    def put(self, which: Indices | Booleans, others: Self) -> None:
        """Enter others at some places; for who made the arrays."""
        for name in self._names():
            getattr(self, name)[which] = getattr(others, name)

    @property
    def points(self) -> Floats:
        """The array that orders the others."""
        first: Floats = getattr(self, self._names()[0])
        return first

    def in_order(self) -> Self:
        """The same in rising order."""
        return self.take(self.points.argsort(kind="stable"))

    def without_repeats(self) -> Self:
        """Those whose point does not repeat the one before."""
        fresh = np.concatenate(([True], self.points[1:] > self.points[:-1]))
        return self if fresh.all() else self.take(fresh)


AnyColumns = TypeVar("AnyColumns", bound=Columns)
