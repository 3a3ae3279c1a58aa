"""What holds arrays and still compares."""

from dataclasses import fields
from typing import Any

import numpy as np


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
