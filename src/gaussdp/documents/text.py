"""A document as text, for a terminal of some width."""

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gaussdp.documents.blocks import (
    HUNDRED,
    Block,
    Code,
    Document,
    Facts,
    Headline,
    IconArray,
    Items,
    Judgement,
    Links,
    Section,
    Table,
    Words,
)
from gaussdp.words import Phrase, numeral, say

READABLE = 100  # characters of a line of prose; tables may be wider
ICONS, PLAIN_ICONS = ("●", "◆", "○"), ("O", "#", ".")

_NARROWEST = 20
_GROUPS_OF_WORDS = 2
_GAP = "   "
_MARKS = {"warning": Phrase("WARNING: ")}


def text(document: Document, digits: int, width: int = 2 * READABLE, *, ascii_icons: bool = False) -> str:
    """Headings, paragraphs, lists and tables; a table that is too wide is folded, and no number is ever cut.

    Args:
        document: what to show.
        digits: significant digits of numbers in tables.
        width: of the tables, in characters; prose keeps to 100.
        ascii_icons: whether icons stay within ASCII, for terminals without the others.
    """
    page = Page(digits, max(width, _NARROWEST), PLAIN_ICONS if ascii_icons else ICONS)
    title = page.wrapped(document.title)
    if document.sections:  # long enough to need lines under its headings
        title += "\n" + "=" * min(page.prose, _width(document.title))
    return "\n\n".join([title, *page.blocks(document.blocks)]) + "\n"


class Page:
    """How blocks are set as text: digits, widths and the symbols of icons."""

    digits: int
    width: int
    icons: tuple[str, ...]
    prose: int

    def __init__(self, digits: int, width: int, icons: tuple[str, ...]) -> None:
        self.digits, self.width, self.icons = digits, width, icons
        self.prose = min(width, READABLE)

    def blocks(self, blocks: Sequence[Block]) -> list[str]:
        return [shown for block in blocks if (shown := self.block(block))]

    def block(self, block: Block) -> str:
        match block:
            case Words(words, kind):
                return self.wrapped(say(_MARKS.get(kind, "")) + words)
            case Items(sentences):
                return "\n".join(self.wrapped(words, "- ", "  ") for words in sentences)
            case Headline(number, words, struck):
                return f"{number}{say(' (does not hold)') if struck else ''}\n{self.wrapped(words)}"
            case Facts(rows):
                indent = max(_width(name) for name, _ in rows) + 4
                return "\n".join(self.wrapped(words, f"  {name}".ljust(indent), " " * indent) for name, words in rows)
            case Judgement(title, verdict, _, words):
                return f"{self.wrapped(f'[{verdict}] {title}', '  ', '    ')}\n{self.wrapped(words, '    ', '    ')}"
            case Links(targets):
                return "\n".join(f"  {name}: {address}" for name, address in targets)
            case Code(typed):
                return "\n".join(f"  {line}" for line in typed.splitlines())
            case IconArray():
                return f"{self.wrapped(block.title)}\n{self.icon_rows(block)}"
            case Table():
                return f"{self.wrapped(block.title)}\n\n{self.table(block)}"
            case Section(_, title, blocks):
                inside = self.blocks(blocks)
                rule = "-" * min(self.prose, _width(title))
                return "\n\n".join([f"{self.wrapped(title)}\n{rule}", *inside]) if inside else ""
        return ""  # a picture

    def wrapped(self, words: str, first: str = "", rest: str = "") -> str:
        return textwrap.fill(
            words,
            self.prose,
            initial_indent=first,
            subsequent_indent=rest,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def icon_rows(self, array: IconArray) -> str:
        """Rows of symbols, and what they mean beside them, or below where they are wide."""
        icons, columns = [self.icons[kind] for kind in array.kinds], array.columns
        gap = " " if array.of == HUNDRED else ""
        rows = [gap.join(icons[start : start + columns]) for start in range(0, len(icons), columns)]
        wide = max(3, len(f"{array.of:,}"))
        pairs = zip(self.icons, array.legend(), strict=True)
        words = [f"{icon} {numeral(f'{count:,}').rjust(wide)} {label}" for icon, (count, label) in pairs]
        room = self.prose - len(rows[0]) - 5
        if array.of != HUNDRED or max(map(_width, words)) > room:
            return "\n".join(f"  {line}" for line in (*rows, *words, *([f"({array.note})"] if array.note else [])))
        beside = {(len(rows) - len(words)) // 2 + i: line for i, line in enumerate(words)}
        return "\n".join(f"  {row}   {beside.get(i, '')}".rstrip() for i, row in enumerate(rows))

    def table(self, table: Table) -> str:
        whole = _Grid(
            table.headings(),
            table.text_rows(self.digits),
            [table.numeric(place) for place in range(len(table.columns))],
        )
        for grids in whole.groups():
            parts = [grid.side_by_side(self.width) for grid in grids]
            if all(parts):
                return "\n\n".join(filter(None, parts))
        return self.folded(whole)

    def folded(self, grid: "_Grid") -> str:
        """A group of lines for each row, where columns have no room side by side."""
        groups = (
            "\n".join(
                self.wrapped(f"{name}: {cell}", "  " if place == 0 else "    ", "      ")
                for place, (name, cell) in enumerate(zip(grid.headings, row, strict=True))
            )
            for row in grid.rows
        )
        return "\n".join(groups)


@dataclass(frozen=True)
class _Grid:
    """The cells of a table as text, and which columns hold numbers only."""

    headings: list[str]
    rows: list[list[str]]
    numeric: list[bool]

    def groups(self) -> Iterator[list["_Grid"]]:
        """All columns together; then in two groups, in more if they are numbers, each after those that tell rows apart.

        A single row, or words in many columns, read better as a list for each row.
        """
        yield [self]
        others = range(self.keys(), len(self.headings))
        most = 1 if len(self.rows) < 2 else len(others) if all(self.numeric[1:]) else _GROUPS_OF_WORDS
        for count in range(2, min(most, len(others)) + 1):
            cuts = [round(len(others) * part / count) for part in range(count + 1)]
            yield [self.chosen([*range(others.start), *others[start:stop]]) for start, stop in pairwise(cuts)]

    def keys(self) -> int:
        """How many columns it takes, from the first on, to tell the rows apart."""
        counts = range(1, len(self.headings))
        return next((n for n in counts if len({tuple(row[:n]) for row in self.rows}) == len(self.rows)), 1)

    def chosen(self, places: list[int]) -> "_Grid":
        """The columns at these places."""
        return _Grid(
            [self.headings[place] for place in places],
            [[row[place] for place in places] for row in self.rows],
            [self.numeric[place] for place in places],
        )

    def side_by_side(self, width: int) -> str | None:
        """The columns beside each other; None if they have no room."""
        widths = _column_widths(self, width - 3)  # an indent of two, and a rule that is one longer
        if widths is None:
            return None
        lines = _lines([_cells(self.headings, widths)], widths, self.numeric)
        lines.append(" " + "─" * (sum(widths) + len(_GAP) * (len(widths) - 1) + 2))
        lines += _lines([_cells(row, widths) for row in self.rows], widths, self.numeric)
        return "\n".join(lines)


def _column_widths(grid: _Grid, available: int) -> list[int] | None:
    """How wide each column is; None if they do not fit even with all words wrapped."""
    least, most = [], []
    for place, heading in enumerate(grid.headings):
        cells = [row[place] for row in grid.rows]
        unbroken = cells if grid.numeric[place] else [word for cell in cells for word in cell.split()]
        least.append(max(map(_width, [*heading.split(), *unbroken, ""])))
        most.append(max(map(_width, [heading, *cells])))
    spare = available - sum(least) - len(_GAP) * (len(grid.headings) - 1)
    if spare < 0:
        return None
    wanted = sum(most) - sum(least)
    share = 1.0 if wanted <= spare else spare / wanted
    return [low + int((high - low) * share) for low, high in zip(least, most, strict=True)]


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    """The lines of each cell."""
    return [
        [cell] if _width(cell) <= width else textwrap.wrap(cell, width, break_on_hyphens=False, break_long_words=False)
        for cell, width in zip(row, widths, strict=True)
    ]


def _lines(rows: Sequence[list[list[str]]], widths: Sequence[int], numeric: Sequence[bool]) -> list[str]:
    lines = []
    for row in rows:
        for depth in range(max(map(len, row))):
            cells = [
                _padded(cell[depth] if depth < len(cell) else "", width, right=right)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            ]
            lines.append(("  " + _GAP.join(cells)).rstrip())
    return lines


def _padded(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - _width(cell))
    return blanks + cell if right else cell + blanks


def _width(words: str) -> int:
    """The columns that words take on a screen: none for a mark above a letter, two for a wide character."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in words)
    return len(words) + wide - sum(bool(unicodedata.combining(character)) for character in words)
