"""NumPy and SciPy: kernels see only the elements that are theirs; and one number at a time, for a tenth of the time.

Every element goes its own way, whatever its neighbours are: a value computed alone and one computed in an array have
the same bits.

Single numbers are Python's floats. Sums, products and quotients of doubles have the same bits everywhere, and all other
functions are those of NumPy and SciPy that an element of an array goes through: a number has the same bits alone.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics._operations import Array, Booleans, Floats, Kernel, Operations, Step
from gaussdp.numerics._quantiles import density, mills

DEEP = 1e-290  # below, SciPy's ndtr loses digits to the smallest doubles, and before they end it gives 0


def inside_or(limit: Floats | float, inside: Booleans, kernel: Kernel, *arguments: Floats) -> Floats:
    """kernel(*arguments) where inside holds, the limit elsewhere."""
    count = np.count_nonzero(inside)
    if count == inside.size:
        everywhere: Floats = kernel(*arguments)
        return everywhere
    result = np.empty(inside.shape)
    result[...] = limit
    if count:
        places = inside.nonzero()  # indices gather several arrays faster than the mask does
        result[places] = kernel(*(argument[places] for argument in arguments))
    return result


class Numpy(Operations):
    """The operations of NumPy, with the special functions of SciPy."""

    where: Any = staticmethod(np.where)
    larger: Any = np.maximum
    smaller: Any = np.minimum
    exp: Any = np.exp
    log: Any = np.log
    log1p: Any = np.log1p
    expm1: Any = np.expm1
    sqrt: Any = np.sqrt
    isfinite: Any = np.isfinite
    round: Any = np.rint
    erf: Any = special.erf
    erfinv: Any = special.erfinv
    erfcx: Any = special.erfcx
    ndtr: Any = special.ndtr
    log_ndtr: Any = special.log_ndtr
    ndtri: Any = special.ndtri
    ndtri_exp: Any = special.ndtri_exp

    def some(self, mask: Booleans) -> bool:
        return bool(np.count_nonzero(mask))

    def part(self, mask: Booleans, otherwise: Floats | float, kernel: Kernel, *arguments: Any) -> Floats:
        """Without a copy of otherwise where nothing is to be computed: kernels assign nothing in place."""
        count = np.count_nonzero(mask)
        if count == 0 and type(otherwise) is np.ndarray:
            return otherwise
        arrays = [argument[0] if type(argument) is tuple else argument for argument in arguments]
        if count == mask.size:
            everywhere: Floats = kernel(self, *arrays)
            return everywhere
        return inside_or(otherwise, mask, partial(kernel, self), *arrays)

    def either(self, mask: Booleans, kernel: Kernel, other: Kernel, *arguments: Any) -> Floats:
        count = np.count_nonzero(mask)
        if 0 < count < mask.size:
            result = np.empty(mask.shape)
            for places, chosen in ((mask.nonzero(), kernel), ((~mask).nonzero(), other)):
                result[places] = chosen(self, *[argument[0][places] for argument in arguments])
            return result
        everywhere: Floats = (kernel if count else other)(self, *[argument[0] for argument in arguments])
        return everywhere

    def iterate(self, step: Step, start: Floats, limit: int, *fixed: Floats) -> Floats:
        """What has settled leaves the iteration: the last few elements to settle are not slowed by the others."""
        places: tuple[Any, ...] | None = None  # of the elements still in it; None while all are
        for _ in range(limit):
            moved, settled = step(self, start, *fixed)
            if places is None:
                result: Floats = moved
            else:
                result[places] = moved
            unsettled = ~settled
            count = np.count_nonzero(unsettled)
            if count == 0:
                return result
            if count < settled.size:
                kept = unsettled.nonzero()
                places = kept if places is None else tuple(axis[kept] for axis in places)
                moved, fixed = moved[kept], tuple(array[kept] for array in fixed)
            start = moved
        raise ConvergenceError(f"the iteration did not converge in {limit} steps for some of the values")

    def column(self, numbers: Floats, like: Floats) -> Floats:
        return numbers[:, None]

    def look_up(self, table: Floats, places: Floats) -> Floats:
        return table[places.astype(np.intp)]

    def full_ndtr(self, x: Floats) -> Floats:
        p: Floats = special.ndtr(x)
        return self.part(p < DEEP, p, deep_tail, x)


def deep_tail(xp: Numpy, x: Floats) -> Floats:
    """Phi(x) where it is among the smallest doubles."""
    tail: Floats = density(xp, x) * mills(xp, -x)
    return tail


NUMPY = Numpy()


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
