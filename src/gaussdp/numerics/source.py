"""Kernels written out as the source of a function of one element, for libraries that compile such for a GPU.

A kernel is called once, with operands that stand for values not known yet; every operation on them writes a line of C.
Eager arrays pass through a graphics processor's memory once for each operation, and compute every branch for every
element; a compiled element stays in registers, takes its own branches and iterates until it has settled itself.
"""

import math
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from gaussdp.numerics._operations import Array, Floats, Kernel, Step
from gaussdp.numerics._portable import Portable
from gaussdp.numerics._writing import ColumnOf, Dialect, Name, Writer, without_stand_in

ENTRY = "gaussdp_value"
"""Name of the function, which takes doubles and returns one."""

CUDA = """\
template <typename T> __device__ T gaussdp_product(T a, T b) { return __dmul_rn(a, b); }
__device__ double gaussdp_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
"""
"""What the source needs of CUDA. A product is rounded by itself: fused with a sum, it would spoil exact errors."""

_FUNCTIONS = {"erf": "erf", "erfcx": "erfcx", "erfinv": "erfinv", "ndtri": "normcdfinv", "round": "rint"}
_COMMON = ("exp", "expm1", "sqrt", "log", "log1p")

_C = Dialect(
    product="gaussdp_product({}, {})",
    absolute="fabs({})",
    both="{} && {}",
    one="{} || {}",
    other="!{}",
    number="double {} = {};",
    truth="bool {} = {};",
    assigned="{} = {};",
    opened=" {",
    closed="}",
    not_a_number="gaussdp_bits(0x7ff8000000000000ULL)",
    infinite="gaussdp_bits(0x7ff0000000000000ULL)",
    least="gaussdp_bits(0xfff0000000000000ULL)",
)


@cache
def source_of(kernel: Kernel, inputs: int) -> str:
    """The functions of C that compute a kernel of so many inputs; the last of them is the entry."""
    return _Source(inputs).of(kernel)


class _Source(Writer, Portable):
    """The operations of kernels, each a line."""

    dialect = _C

    def __init__(self, inputs: int) -> None:
        Writer.__init__(self)
        functions = {name: self._function(name) for name in _COMMON}
        functions["isfinite"] = lambda x: self.truth("fabs({}) < {}", x, math.inf)
        renamed = {name: self._function(other) for name, other in _FUNCTIONS.items()}
        Portable.__init__(self, SimpleNamespace(**functions), **renamed)
        self._inputs = [Name(self, f"x{k}") for k in range(inputs)]
        self._tables: dict[int, str] = {}

    def of(self, kernel: Kernel) -> str:
        """The source of a kernel."""
        result = kernel(self, *self._inputs)
        parameters = ", ".join(f"double {name}" for name in self._inputs)
        body = "\n".join(self.lines)
        # Not inline, since PyTorch unrolls its loop over elements: the function would be compiled many times over.
        function = (
            f"__device__ __noinline__ double {ENTRY}({parameters}) {{\n{body}\n  return {self.text(result)};\n}}\n"
        )
        return "".join(self._tables.values()) + function

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return self.number("{} ? {} : {}", condition, a, b)

    def some(self, mask: Array) -> bool:
        return True

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", otherwise)
        with self.block(f"if ({mask})"):
            self.assign(result, kernel(self, *map(without_stand_in, arguments)))
        return result

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", 0.0)
        for condition, chosen in ((f"if ({mask})", kernel), ("else", other)):
            with self.block(condition):
                self.assign(result, chosen(self, *map(without_stand_in, arguments)))
        return result

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        array, settled = self.number("{}", start), self.truth("{}", "false")
        with self.block(f"for (int k = 0; k < {limit} && !{settled}; ++k)"):
            moved, now = step(self, array, *fixed)
            self.assign(array, moved)
            self.assign(settled, now)
        return self.where(settled, array, math.nan)

    def column(self, numbers: Floats, like: Array) -> Array:
        return ColumnOf(self, numbers.tolist())

    def look_up(self, table: Floats, places: Array) -> Array:
        key = id(table)  # tables are made once and kept
        name = f"gaussdp_table_{list(self._tables).index(key) if key in self._tables else len(self._tables)}"
        if key not in self._tables:
            values = ", ".join(map(self.text, table.tolist()))
            self._tables[key] = (
                f"__device__ double {name}(int place) {{"
                f" static const double values[] = {{{values}}}; return values[place]; }}\n"
            )
        return self.number(f"{name}((int){{}})", places)

    def from_numpy(self, array: Floats, like: Array) -> Array:
        return float(array)

    def as_dtype(self, array: Array, dtype: Any) -> Array:
        raise NotImplementedError  # all is double

    def read(self, mask: Array) -> bool | None:
        return None

    def _function(self, name: str) -> Callable[[Any], Any]:
        return lambda x: self.number(f"{name}({{}})", x)
