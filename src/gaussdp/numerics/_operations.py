"""What a kernel needs of an array library, so that each formula stands once for all of them.

Kernels take the operations of a library as their first argument, `xp`, and arrays of that library in float64. They
assign nothing in place and choose no branch by looking at values themselves: `part` does both, in the way that suits
the library.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Complexes: TypeAlias = npt.NDArray[np.complex128]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Indices: TypeAlias = npt.NDArray[np.intp]

Array: TypeAlias = Any  # of any library
Kernel: TypeAlias = Callable[..., Array]  # called with the operations, then arrays
Step: TypeAlias = Callable[..., tuple[Array, Array]]  # likewise; returns the next array and where it has settled

LARGEST_EXPONENT = 700.0
"""e to this power, and to minus it, are still doubles with all their digits."""
TINY = 1e-300
"""A positive double, near the smallest: stands for 0 where a logarithm or a quotient is taken."""


class Operations(Protocol):
    """One library.

    Attributes:
        exp, log, log1p, expm1, sqrt, isfinite: as in the array API standard.
        round: to the nearest whole number, which stays a float.
    """

    exp: Any
    log: Any
    log1p: Any
    expm1: Any
    sqrt: Any
    isfinite: Any
    round: Any

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        """The first where the condition holds, the second elsewhere."""

    def larger(self, a: Array, b: Array | float) -> Array:
        """The larger of each pair."""

    def smaller(self, a: Array, b: Array | float) -> Array:
        """The smaller of each pair."""

    def some(self, mask: Array) -> bool:
        """Whether a mask holds anywhere; True if its values cannot be read, as under a compiler."""

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Array) -> Array:
        """The kernel where the mask holds, otherwise elsewhere.

        An argument is an array, or a pair of an array and a number that the kernel can bear in its place: where the
        mask does not hold, the kernel sees either nothing or that number, as the library computes best. Where the mask
        holds nowhere, the array that is returned may be otherwise itself.
        """

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Array) -> Array:
        """The kernel where the mask holds, the other elsewhere; both can bear the stand-ins."""

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        """Repeat step(xp, array, *fixed) on each element until it has settled, and no further."""

    def column(self, numbers: Floats, like: Array) -> Array:
        """Numbers along a first axis of their own, next to an array of one dimension."""

    def look_up(self, table: Floats, places: Array) -> Array:
        """Elements of a table of one dimension by places that are whole numbers in floating point."""

    def erf(self, x: Array) -> Array:
        """The error function for x >= 0."""

    def erfinv(self, y: Array) -> Array:
        """Its inverse for 0 < y < 1."""

    def erfcx(self, x: Array) -> Array:
        """exp(x^2) erfc(x)."""

    def ndtr(self, x: Array) -> Array:
        """Phi(x), which may lose digits below 1e-290."""

    def full_ndtr(self, x: Array) -> Array:
        """Phi(x), down to the smallest double."""

    def log_ndtr(self, x: Array) -> Array:
        """log Phi(x)."""

    def ndtri(self, p: Array) -> Array:
        """The normal quantile for 0 < p < 1."""

    def ndtri_exp(self, log_p: Array) -> Array:
        """The normal quantile of exp(log_p) <= 1/2, also where that underflows."""
