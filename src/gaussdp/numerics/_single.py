"""One number at a time: kernels on Python's floats, which cost a tenth of arrays of one element.

Sums, products and quotients of doubles have the same bits everywhere, and all other functions are those of NumPy and
SciPy that an element of an array goes through: a number has the same bits alone.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics._numpy import DEEP, Numpy, deep_tail
from gaussdp.numerics._operations import Array, Floats, Kernel, Step


class Single(Numpy):
    """Kernels take the branch of their number, and see no other.

    Args:
        kind: of the numbers that functions give.
    """

    isfinite: Any = staticmethod(math.isfinite)

    def __init__(self, kind: type[float]) -> None:
        def scalar(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
            def value(x: Any) -> Any:
                found = function(x)
                return found if type(found) is np.ndarray else kind(found)  # an array: the nodes of an integral

            return value

        for name in ("exp", "log", "log1p", "expm1", "sqrt", "round"):
            setattr(self, name, scalar(getattr(Numpy, name)))
        for name in ("erf", "erfinv", "erfcx", "ndtr", "log_ndtr", "ndtri", "ndtri_exp"):
            setattr(self, name, scalar(getattr(special, name)))

    def larger(self, a: Array | float, b: Array | float) -> Array:
        if type(a) is np.ndarray:
            return np.maximum(a, b)
        return a if a >= b or a != a else b  # the one that is not a number, as NumPy does

    def smaller(self, a: Array | float, b: Array | float) -> Array:
        if type(a) is np.ndarray:
            return np.minimum(a, b)
        return a if a <= b or a != a else b

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return a if condition else b

    def some(self, mask: Array) -> bool:
        return bool(mask)

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        return kernel(self, *[a[0] if type(a) is tuple else a for a in arguments]) if mask else otherwise

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        return (kernel if mask else other)(self, *[a[0] for a in arguments])

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

    def full_ndtr(self, x: Array) -> Array:
        p = self.ndtr(x)
        return deep_tail(self, x) if p < DEEP else p


class _NumpyFloats(Single):
    """The same with NumPy's floats, where a number leaves the range of a double or is divided by nothing."""

    def larger(self, a: Array | float, b: Array | float) -> Array:
        return _as_numpy(super().larger(a, b))

    def smaller(self, a: Array | float, b: Array | float) -> Array:
        return _as_numpy(super().smaller(a, b))

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return _as_numpy(a if condition else b)

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        return _as_numpy(super().part(mask, otherwise, kernel, *arguments))


def _as_numpy(value: Any) -> Any:
    return np.float64(value) if type(value) is float else value


SINGLE = Single(float)
BEYOND = _NumpyFloats(np.float64)
"""For what raises with `SINGLE`: Python's floats raise where NumPy's go on with infinity."""
