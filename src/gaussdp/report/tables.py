"""Tables of numbers that know how they round, and the document that holds them."""

from collections.abc import Sequence
from dataclasses import dataclass

from gaussdp.report.rounding import Rounding, rounded, shown

Value = float | str


@dataclass(frozen=True)
class Column:
    """One column: its machine name, the label people read, and the side its numbers round to."""

    key: str
    label: str
    rounding: Rounding = Rounding.EXACT


@dataclass(frozen=True)
class Table:
    """Rows of numbers and words under columns; every rendering shows the same rounded numbers."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def rounded_rows(self, digits: int) -> list[list[Value]]:
        """The rows with each number rounded to its column's side."""
        return [
            [
                value if isinstance(value, str) else rounded(value, column.rounding, digits)
                for value, column in zip(row, self.columns, strict=True)
            ]
            for row in self.rows
        ]

    def text_rows(self, digits: int) -> list[list[str]]:
        """The rounded rows as people read them."""
        return [
            [value if isinstance(value, str) else shown(value) for value in row] for row in self.rounded_rows(digits)
        ]


@dataclass(frozen=True)
class Document:
    """Tables under one title, with notes that belong to them."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()

    def only(self, keys: Sequence[str]) -> "Document":
        """The document with just the tables of these keys, in their own order; all of them if none is named."""
        if not keys:
            return self
        return Document(self.title, tuple(table for table in self.tables if table.key in keys), self.notes)
