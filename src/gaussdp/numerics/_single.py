"""One number at a time: the operations of NumPy on its scalars, which cost a tenth of arrays of one element.

A scalar goes through the same functions of NumPy and SciPy as an element of an array, and so has the same bits.
"""

import math
from typing import Any

import numpy as np

from gaussdp.errors import ConvergenceError
from gaussdp.numerics._numpy import Numpy
from gaussdp.numerics._operations import Array, Floats, Kernel, Step


class Single(Numpy):
    """Kernels take the branch of their number, and see no other."""

    isfinite: Any = staticmethod(math.isfinite)

    def larger(self, a: Array | float, b: Array | float) -> Array:
        if type(a) is np.ndarray:  # the nodes of an integral
            return np.maximum(a, b)
        return _scalar(a if a >= b or a != a else b)  # the one that is not a number, as NumPy does

    def smaller(self, a: Array | float, b: Array | float) -> Array:
        if type(a) is np.ndarray:
            return np.minimum(a, b)
        return _scalar(a if a <= b or a != a else b)

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return _scalar(a if condition else b)

    def some(self, mask: Array) -> bool:
        return bool(mask)

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        return kernel(self, *map(_first, arguments)) if mask else _scalar(otherwise)

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        return (kernel if mask else other)(self, *map(_first, arguments))

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        for _ in range(limit):
            start, settled = step(self, start, *fixed)
            if settled:
                return start
        raise ConvergenceError(f"the iteration did not converge in {limit} steps for some of the values")

    def column(self, numbers: Floats, like: Array) -> Array:
        return numbers

    def look_up(self, table: Floats, places: Array) -> Array:
        return table[int(places)]


def _first(argument: Any) -> Any:
    """An argument without what would stand in for it where it does not belong."""
    return argument[0] if type(argument) is tuple else argument


def _scalar(value: Any) -> Any:
    """Python's floats raise where NumPy's go on with infinity."""
    return np.float64(value) if type(value) is float else value


SINGLE = Single()
