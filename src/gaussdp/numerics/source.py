"""Kernels written out as the source of a function of one element, for libraries that compile such for a GPU.

A kernel is called once, with operands that stand for values not known yet; every operation on them writes a line of C.
Eager arrays pass through a graphics processor's memory once for each operation, and compute every branch for every
element; a compiled element stays in registers, takes its own branches and iterates until it has settled itself.
"""

import math
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

from gaussdp.numerics._operations import Array, Floats, Kernel, Step
from gaussdp.numerics._portable import Portable

ENTRY = "gaussdp_value"
"""Name of the function, which takes doubles and returns one."""

CUDA = """\
template <typename T> __device__ T gaussdp_product(T a, T b) { return __dmul_rn(a, b); }
__device__ double gaussdp_bits(unsigned long long bits) { return __longlong_as_double((long long)bits); }
"""
"""What the source needs of CUDA. A product is rounded by itself: fused with a sum, it would spoil exact errors."""

_FUNCTIONS = {"erf": "erf", "erfcx": "erfcx", "erfinv": "erfinv", "ndtri": "normcdfinv", "round": "rint"}
_COMMON = ("exp", "expm1", "sqrt", "log", "log1p")


@cache
def source_of(kernel: Kernel, inputs: int) -> str:
    """The functions of C that compute a kernel of so many inputs; the last of them is the entry."""
    return _Source(inputs).of(kernel)


class _Operand:
    """A value that the source has a name for; operations on it write lines."""

    source: "_Source"

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        return self.source.number("{} + {}", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.source.number("{} + {}", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.source.number("{} - {}", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.source.number("{} - {}", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.source.number("gaussdp_product({}, {})", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.source.number("{} / {}", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.source.number("{} / {}", other, self)

    def __neg__(self) -> Any:
        return self.source.number("-{}", self)

    def __abs__(self) -> Any:
        return self.source.number("fabs({})", self)

    def __lt__(self, other: Any) -> Any:
        return self.source.truth("{} < {}", self, other)

    def __le__(self, other: Any) -> Any:
        return self.source.truth("{} <= {}", self, other)

    def __gt__(self, other: Any) -> Any:
        return self.source.truth("{} > {}", self, other)

    def __ge__(self, other: Any) -> Any:
        return self.source.truth("{} >= {}", self, other)

    def __eq__(self, other: object) -> Any:
        return self.source.truth("{} == {}", self, other)

    def __and__(self, other: Any) -> Any:
        return self.source.truth("{} && {}", self, other)

    def __or__(self, other: Any) -> Any:
        return self.source.truth("{} || {}", self, other)

    def __invert__(self) -> Any:
        return self.source.truth("!{}", self)


class _Name(_Operand):
    def __init__(self, source: "_Source", text: str) -> None:
        self.source, self._text = source, text

    def __str__(self) -> str:
        return self._text


class _Column(_Operand):
    """Several values along an axis of their own."""

    def __init__(self, source: "_Source", elements: list[Any]) -> None:
        self.source, self.elements = source, elements
        self.shape = (len(elements),)

    def __getitem__(self, key: tuple[Any, Any]) -> Any:
        which, _ = key
        return _Column(self.source, self.elements[which]) if isinstance(which, slice) else self.elements[which]


class _Source(Portable):
    """The operations of kernels, each a line."""

    def __init__(self, inputs: int) -> None:
        functions = {name: self._function(name) for name in _COMMON}
        functions["isfinite"] = lambda x: self.truth("fabs({}) < {}", x, math.inf)
        renamed = {name: self._function(other) for name, other in _FUNCTIONS.items()}
        super().__init__(SimpleNamespace(**functions), **renamed)
        self._inputs = [_Name(self, f"x{k}") for k in range(inputs)]
        self._lines: list[str] = []
        self._tables: dict[int, str] = {}
        self._names, self._depth = 0, 1

    def of(self, kernel: Kernel) -> str:
        """The source of a kernel."""
        result = kernel(self, *self._inputs)
        parameters = ", ".join(f"double {name}" for name in self._inputs)
        body = "\n".join(self._lines)
        # Not inline, since PyTorch unrolls its loop over elements: the function would be compiled many times over.
        function = f"__device__ __noinline__ double {ENTRY}({parameters}) {{\n{body}\n  return {_text(result)};\n}}\n"
        return "".join(self._tables.values()) + function

    def number(self, template: str, *operands: Any) -> Any:
        """A double."""
        return self._written("double", template, operands)

    def truth(self, template: str, *operands: Any) -> Any:
        """A condition."""
        return self._written("bool", template, operands)

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return self.number("{} ? {} : {}", condition, a, b)

    def some(self, mask: Array) -> bool:
        return True

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", otherwise)
        with self._block(f"if ({mask})"):
            self._assign(result, kernel(self, *map(_first, arguments)))
        return result

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", 0.0)
        for condition, chosen in ((f"if ({mask})", kernel), ("else", other)):
            with self._block(condition):
                self._assign(result, chosen(self, *map(_first, arguments)))
        return result

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        array, settled = self.number("{}", start), self.truth("{}", "false")
        with self._block(f"for (int k = 0; k < {limit} && !{settled}; ++k)"):
            moved, now = step(self, array, *fixed)
            self._assign(array, moved)
            self._assign(settled, now)
        return self.where(settled, array, math.nan)

    def column(self, numbers: Floats, like: Array) -> Array:
        return _Column(self, numbers.tolist())

    def look_up(self, table: Floats, places: Array) -> Array:
        key = id(table)  # tables are made once and kept
        name = f"gaussdp_table_{list(self._tables).index(key) if key in self._tables else len(self._tables)}"
        if key not in self._tables:
            values = ", ".join(map(_text, table.tolist()))
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

    def _written(self, kind: str, template: str, operands: tuple[Any, ...]) -> Any:
        sizes = {len(operand.elements) for operand in operands if isinstance(operand, _Column)}
        if sizes:
            rows = range(sizes.pop())
            return _Column(
                self, [self._written(kind, template, tuple(_row(operand, row) for operand in operands)) for row in rows]
            )
        name = _Name(self, f"v{self._names}")
        self._names += 1
        self._line(f"{kind} {name} = {template.format(*map(_text, operands))};")
        return name

    def _assign(self, name: _Name, value: Any) -> None:
        self._line(f"{name} = {_text(value)};")

    def _line(self, text: str) -> None:
        self._lines.append("  " * self._depth + text)

    @contextmanager
    def _block(self, head: str) -> Any:
        self._line(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self._line("}")


def _first(argument: Any) -> Any:
    """An argument without what would stand in for it where it does not belong."""
    return argument[0] if isinstance(argument, tuple) else argument


def _row(operand: Any, row: int) -> Any:
    return operand.elements[row] if isinstance(operand, _Column) else operand


def _text(value: Any) -> str:
    if isinstance(value, (_Name, str)):
        return str(value)
    if math.isnan(value):
        return "gaussdp_bits(0x7ff8000000000000ULL)"
    if math.isinf(value):
        return "gaussdp_bits(0x7ff0000000000000ULL)" if value > 0 else "gaussdp_bits(0xfff0000000000000ULL)"
    return f"({float(value)!r})"
