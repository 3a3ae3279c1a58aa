"""Kernels written out as one Python function of numbers, for those who ask many.

A kernel that is called with `SINGLE` calls a function for most of its operations; written out, these are lines of one
function, on local variables. The lines are the same operations in the same order, so that the bits are the same.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import cython_special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics._numpy import DEEP, SINGLE, deep_tail
from gaussdp.numerics._operations import Array, Floats, Kernel, Operations, Step
from gaussdp.numerics._writing import ColumnOf, Dialect, Name, Writer, without_stand_in

LONGEST = 160
"""Lines of a branch beside the branches in it; a longer one, which is a rare one, is left to the kernel itself."""

_PYTHON = Dialect(
    product="{} * {}",
    absolute="abs({})",
    both="{} and {}",
    one="{} or {}",
    other="not {}",
    number="{} = {}",
    truth="{} = {}",
    assigned="{} = {}",
    opened=":",
    closed="",
    not_a_number="nan",
    infinite="infinity",
    least="-infinity",
)
_FUNCTIONS = {name: getattr(np, name) for name in ("exp", "log", "log1p", "expm1")} | {"round": np.rint}


def _of_doubles(name: str) -> Callable[[float], float]:
    """SciPy's function of one double: what its function of arrays computes, without the way through an array."""
    function = getattr(cython_special, name)
    one: Callable[[float], float] = function["double"] if hasattr(function, "__signatures__") else function
    return one


_SPECIAL = {name: _of_doubles(name) for name in ("erf", "erfinv", "erfcx", "ndtr", "log_ndtr", "ndtri", "ndtri_exp")}


def written_out(kernel: Kernel, inputs: int, beyond: Callable[..., float]) -> Callable[..., float]:
    """A function of numbers that computes a kernel.

    Args:
        kernel: takes the operations and its inputs; one that needs more than these operations cannot be written.
        inputs: how many.
        beyond: computes where Python's numbers raise and NumPy's go on.
    Raises:
        TypeError: if it cannot be written.
    """
    return _Python().function(kernel, inputs, beyond)


class _LongError(Exception):
    """A branch has too many lines."""


class _Python(Writer, Operations):
    """The operations of kernels, each a line."""

    dialect = _PYTHON
    exp: Any
    log: Any
    log1p: Any
    expm1: Any
    sqrt: Any
    isfinite: Any
    round: Any
    erf: Any
    erfinv: Any
    erfcx: Any
    ndtr: Any
    log_ndtr: Any
    ndtri: Any
    ndtri_exp: Any

    def __init__(self) -> None:
        super().__init__()
        self._longest = math.inf  # so many lines may there be before the branch that is written is too long
        self._known: dict[str, Any] = {"infinity": math.inf, "nan": math.nan, "sqrt": math.sqrt, "SINGLE": SINGLE}
        self._known |= {"ConvergenceError": ConvergenceError, "finite": math.isfinite, **_FUNCTIONS, **_SPECIAL}
        for name in _FUNCTIONS:
            setattr(self, name, self._function(f"float({name}({{}}))"))
        for name in _SPECIAL:
            setattr(self, name, self._function(f"{name}({{}})"))
        self.sqrt, self.isfinite = self._function("sqrt({})"), self._function("finite({})")

    def function(self, kernel: Kernel, inputs: int, beyond: Callable[..., float]) -> Callable[..., float]:
        """Of a kernel."""
        names = [Name(self, f"x{k}") for k in range(inputs)]
        given = ", ".join(map(str, names))
        self._known["beyond"] = beyond
        with self.block("try"):
            self.line(f"return {self.text(kernel(self, *names))}")
        with self.block("except (ArithmeticError, ValueError)"):
            self.line(f"return beyond({given})")
        text = "\n".join([f"def value({given}):", *_folded(self.lines), ""])
        exec(compile(text, f"<{getattr(kernel, '__name__', 'kernel')} written out>", "exec"), self._known)
        function: Callable[..., float] = self._known["value"]
        return function

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        return self.number("{1} if {0} else {2}", condition, a, b)

    def larger(self, a: Array | float, b: Array | float) -> Array:
        return self.number("{0} if {0} >= {1} or {0} != {0} else {1}", a, b)

    def smaller(self, a: Array | float, b: Array | float) -> Array:
        return self.number("{0} if {0} <= {1} or {0} != {0} else {1}", a, b)

    def some(self, mask: Array) -> bool:
        return True

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", otherwise)
        self._branch(f"if {mask}", result, kernel, arguments)
        return result

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        result = self.number("{}", 0.0)
        self._branch(f"if {mask}", result, kernel, arguments)
        self._branch("else", result, other, arguments)
        return result

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        array = self.number("{}", start)
        with self.block(f"for _ in range({limit})"):
            moved, settled = step(self, array, *fixed)
            self.assign(array, moved)
            with self.block(f"if {settled}"):
                self.line("break")
        with self.block("else"):
            words = f"the iteration did not converge in {limit} steps for some of the values"
            self.line(f"raise ConvergenceError({words!r})")
        return array

    def column(self, numbers: Floats, like: Array) -> Array:
        return ColumnOf(self, numbers.tolist())

    def look_up(self, table: Floats, places: Array) -> Array:
        return self.number(f"{self._name_of(table.tolist())}[int({{}})]", places)

    def full_ndtr(self, x: Array) -> Array:
        p = self.ndtr(x)
        return self.part(p < DEEP, p, deep_tail, x)

    def _branch(self, head: str, result: Name, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        given = [without_stand_in(argument) for argument in arguments]
        with self.block(head):
            before, around = len(self.lines), self._longest
            self._longest = before + LONGEST
            try:
                self.assign(result, kernel(self, *given))
            except _LongError:
                del self.lines[before:]
                values = ", ".join(map(self.text, given))
                self.assign(result, f"float({self._name_of(kernel)}(SINGLE, {values}))")
            self._longest = around + len(self.lines) - before

    def line(self, text: str) -> None:
        if len(self.lines) >= self._longest:
            raise _LongError
        super().line(text)

    def _name_of(self, thing: Any) -> str:
        """A name in the source for what the source cannot write."""
        name = f"k{len(self._known)}"
        self._known[name] = thing
        return name

    def _function(self, template: str) -> Callable[[Any], Any]:
        return lambda x: self.number(template, x)


_NAME = re.compile(r"\bv\d+\b")
_VALUE = re.compile(r"( *)(v\d+) = (.*)")
_WIDEST = 500  # characters of a value that is written in its place: expressions must not be nested too deeply


def _folded(lines: Sequence[str]) -> list[str]:
    """The lines, where a value that the next line alone asks for stands in that line: names take their time too."""
    uses = Counter(name for line in lines for name in _NAME.findall(line))
    folded: list[str] = []
    for line in lines:
        asking = line
        while folded and (value := _VALUE.fullmatch(folded[-1])):
            indent, name, expression = value.groups()
            level = len(line) - len(line.lstrip()) == len(indent)
            if not level or uses[name] != 2 or len(expression) > _WIDEST or name not in _NAME.findall(asking):
                break
            folded.pop()
            asking = re.sub(rf"\b{name}\b", f"({expression})", asking)
        folded.append(asking)
    return folded
