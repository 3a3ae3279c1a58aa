"""Tables of numbers that know how they round."""

from dataclasses import dataclass

from gaussdp.documents.rounding import Rounding, rounded, rounded_to_decimals, shown, shown_level
from gaussdp.words import numeral, say

Value = float | str


@dataclass(frozen=True)
class Column:
    """One column: its machine name, the label people read, and how its numbers round and read.

    Attributes:
        rounding: the side its numbers round to.
        decimals: this many digits after the point, with commas between thousands, instead of significant digits.
        level: whether its numbers are levels, whose powers of ten read 1e-2 rather than 0.01.
        least_digits: significant digits that its numbers need, however few are asked for.
    """

    key: str
    label: str
    rounding: Rounding = Rounding.EXACT
    decimals: int | None = None
    level: bool = False
    least_digits: int = 1

    def rounded(self, value: float, digits: int) -> float:
        """The number, rounded to this column's side."""
        if self.decimals is None:
            return rounded(value, self.rounding, max(digits, self.least_digits))
        return rounded_to_decimals(value, self.rounding, self.decimals)

    def text(self, value: float) -> str:
        """The rounded number as people read it."""
        if self.decimals is not None:
            return f"{value:,.{self.decimals}f}"
        return shown_level(value) if self.level else shown(value)


@dataclass(frozen=True)
class Table:
    """Rows of numbers and words under columns; every rendering shows the same rounded numbers.

    Attributes:
        spanner: the quantity of which the labels of all columns but the first are values, such as ε over 0.1, 0.2.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    spanner: str = ""

    def labels(self) -> list[str]:
        """The labels as people read them, in their language."""
        return [say(column.label) for column in self.columns]

    def headings(self) -> list[str]:
        """The labels, each complete in itself: "ε = 0.1" under a spanner."""
        first, *others = self.labels()
        return [first, *(f"{self.spanner} = {label}" if self.spanner else label for label in others)]

    def rounded_rows(self, digits: int) -> list[list[Value]]:
        """The rows with each number rounded to its column's side."""
        return [
            [
                value if isinstance(value, str) else column.rounded(value, digits)
                for value, column in zip(row, self.columns, strict=True)
            ]
            for row in self.rows
        ]

    def text_rows(self, digits: int) -> list[list[str]]:
        """The rounded rows as people read them."""
        return [
            [
                str(value) if isinstance(value, str) else numeral(column.text(value))
                for value, column in zip(row, self.columns, strict=True)
            ]
            for row in self.rounded_rows(digits)
        ]

    def numeric(self, place: int) -> bool:
        """Whether the column at this place holds numbers only, which line up at their right ends."""
        return all(not isinstance(row[place], str) for row in self.rows)
