"""What a kernel needs of an array library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Array: TypeAlias = Any  # a float64 array of any library
Step: TypeAlias = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class Operations:
    """The functions of one library, under the names of the array API standard.

    Attributes:
        where, concat, exp, log, log1p, expm1, sqrt, round: as in the standard.
        take: elements of a table (an array of one dimension) by whole numbers.
        whole: a float array of whole numbers as int64.
        table: numbers as an array on the device of another.
        some: whether a mask holds anywhere; True if its values cannot be read, as under a compiler.
        iterate: repeat a step, which returns the new array and where it has settled, until it has everywhere or the
            limit is reached; NaN where it has not settled by then.
        erf, erfcx, ndtri: the library's special functions in full precision, or None where it has none.
    """

    where: Callable[..., Array]
    concat: Callable[[list[Array]], Array]
    exp: Callable[[Array], Array]
    log: Callable[[Array], Array]
    log1p: Callable[[Array], Array]
    expm1: Callable[[Array], Array]
    sqrt: Callable[[Array], Array]
    round: Callable[[Array], Array]
    take: Callable[[Array, Array], Array]
    whole: Callable[[Array], Array]
    table: Callable[[Sequence[float], Array], Array]
    some: Callable[[Array], bool]
    iterate: Callable[[Step, Array, int], Array]
    erf: Callable[[Array], Array] | None = None
    erfcx: Callable[[Array], Array] | None = None
    ndtri: Callable[[Array], Array] | None = None

    def larger(self, a: Array, b: Array | float) -> Array:
        """The larger of each pair."""
        return self.where(a > b, a, b)

    def smaller(self, a: Array, b: Array | float) -> Array:
        """The smaller of each pair."""
        return self.where(a < b, a, b)
