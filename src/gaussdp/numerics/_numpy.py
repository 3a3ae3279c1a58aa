"""NumPy and SciPy: kernels see only the elements that are theirs.

Every element goes its own way, whatever its neighbours are: a value computed alone and one computed in an array have
the same bits.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics._mills import density, mills
from gaussdp.numerics._operations import Booleans, Floats, Kernel, Operations, Step

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
