"""Kernels written out as source: called once, with operands that stand for values not known yet.

Every operation on such an operand writes a line of the source, in the dialect of whoever writes.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dialect:
    """How a language writes what languages write differently.

    Attributes:
        product, absolute, both, one, other: of operands: a product, an absolute value, and, or, not.
        number, truth: a line that names a number, or a condition.
        assigned: a line that gives a name another value.
        opened, closed: around what follows the head of a block.
        not_a_number, infinite, least: what has no digits.
    """

    product: str
    absolute: str
    both: str
    one: str
    other: str
    number: str
    truth: str
    assigned: str
    opened: str
    closed: str
    not_a_number: str
    infinite: str
    least: str


class Operand:
    """A value that the source has a name for; operations on it write lines."""

    source: "Writer"

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("a kernel chooses no branch by itself: what it computes with is not known yet")

    def __add__(self, other: Any) -> Any:
        return self.source.number("{} + {}", self, other)

    def __radd__(self, other: Any) -> Any:
        return self.source.number("{} + {}", other, self)

    def __sub__(self, other: Any) -> Any:
        return self.source.number("{} - {}", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.source.number("{} - {}", other, self)

    def __mul__(self, other: Any) -> Any:
        return self.source.number(self.source.dialect.product, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.source.number("{} / {}", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.source.number("{} / {}", other, self)

    def __neg__(self) -> Any:
        return self.source.number("-{}", self)

    def __abs__(self) -> Any:
        return self.source.number(self.source.dialect.absolute, self)

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
        return self.source.truth(self.source.dialect.both, self, other)

    def __or__(self, other: Any) -> Any:
        return self.source.truth(self.source.dialect.one, self, other)

    def __invert__(self) -> Any:
        return self.source.truth(self.source.dialect.other, self)


class Name(Operand):
    """One value."""

    def __init__(self, source: "Writer", text: str) -> None:
        self.source, self._text = source, text

    def __str__(self) -> str:
        return self._text


class ColumnOf(Operand):
    """Several values along an axis of their own."""

    def __init__(self, source: "Writer", elements: list[Any]) -> None:
        self.source, self.elements = source, elements
        self.shape = (len(elements),)

    def __getitem__(self, key: tuple[Any, Any]) -> Any:
        which, _ = key
        return ColumnOf(self.source, self.elements[which]) if isinstance(which, slice) else self.elements[which]


class Writer:
    """What every language writes alike."""

    dialect: Dialect

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names, self._depth = 0, 1

    def number(self, template: str, *operands: Any) -> Any:
        """A double."""
        return self._written(self.dialect.number, template, operands)

    def truth(self, template: str, *operands: Any) -> Any:
        """A condition."""
        return self._written(self.dialect.truth, template, operands)

    def assign(self, name: Name, value: Any) -> None:
        """Another value for a name."""
        self.line(self.dialect.assigned.format(name, self.text(value)))

    def line(self, text: str) -> None:
        """One line, as deep as the block it stands in."""
        self.lines.append("  " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """What is written meanwhile stands below this head."""
        self.line(f"{head}{self.dialect.opened}")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
        if self.dialect.closed:
            self.line(self.dialect.closed)

    def text(self, value: Any) -> str:
        """A value as it stands in a line."""
        if isinstance(value, (Name, str)):
            return str(value)
        if math.isnan(value):
            return self.dialect.not_a_number
        if math.isinf(value):
            return self.dialect.infinite if value > 0 else self.dialect.least
        return f"({float(value)!r})"

    def _written(self, kind: str, template: str, operands: tuple[Any, ...]) -> Any:
        sizes = {len(operand.elements) for operand in operands if isinstance(operand, ColumnOf)}
        if sizes:
            rows = range(sizes.pop())
            return ColumnOf(
                self, [self._written(kind, template, tuple(_row(operand, row) for operand in operands)) for row in rows]
            )
        name = Name(self, f"v{self._names}")
        self._names += 1
        self.line(kind.format(name, template.format(*map(self.text, operands))))
        return name


def without_stand_in(argument: Any) -> Any:
    """An argument without what would stand in for it where it does not belong."""
    return argument[0] if isinstance(argument, tuple) else argument


def _row(operand: Any, row: int) -> Any:
    return operand.elements[row] if isinstance(operand, ColumnOf) else operand
