"""What a document is made of, free of any format: a title, blocks, and tables that know how they round."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gaussdp.documents.rounding import Rounding, rounded, rounded_to_decimals, shown, shown_level
from gaussdp.domains import instance, several
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


Tone = Literal["good", "bad", "open"]

HUNDRED, MOST_ICONS = 100, 1000
BEFORE, ADDED, REST = "#08519c", "#d95f02", "#8c8c8c"


@dataclass(frozen=True)
class Words:
    """A paragraph: plain, strong for the one sentence to remember, a warning, or quiet for what stands beside."""

    text: str
    kind: Literal["plain", "strong", "warning", "quiet"] = "plain"


@dataclass(frozen=True)
class Items:
    """Sentences in a list."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Headline:
    """The one number that a document is about, with what it says; struck out where it does not hold."""

    number: str
    words: str
    struck: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and what they are."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Judgement:
    """Something that was judged: what, the verdict in a word or two and its tone, and why."""

    title: str
    verdict: str
    tone: Tone
    words: str


@dataclass(frozen=True)
class Picture:
    """A figure with its caption.

    Attributes:
        name: of its files, without ending.
        title: what it is, in a few words.
        caption: what it shows.
        draw: gives it in a format ("svg"), for renderings that hold it themselves; else they point to its file.
        width: of the file's picture on a page, in pixels, where it is not as wide as the page.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[str], bytes] | None = field(default=None, compare=False, repr=False)
    width: int | None = None


@dataclass(frozen=True)
class IconArray:
    """100 or 1,000 icons in three kinds.

    Attributes:
        title: what the icons are.
        before: how many there are of the first kind, without the release.
        added: how many more with the release, at most.
        labels: the words for the three kinds.
        of: how many there are in all, a power of ten; beyond 1,000 an icon stands for several.
    """

    title: str
    before: int
    added: int
    labels: tuple[str, str, str]
    of: int = HUNDRED

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many there are of each kind."""
        return self.before, self.added, self.of - self.before - self.added

    @property
    def each(self) -> int:
        """How many an icon stands for."""
        return max(self.of // MOST_ICONS, 1)

    @property
    def columns(self) -> int:
        """Icons of a row."""
        return 10 if self.of == HUNDRED else 40

    @property
    def drawn(self) -> tuple[int, int, int]:
        """How many icons there are of each kind; of each kind that there is, one at least."""
        counts, each = self.counts, self.each
        icons, least = self.of // each, [min(count, 1) for count in counts]
        wrong = max(min(counts[2] // each, icons - least[0] - least[1]), least[2])
        before = max(min(counts[0] // each, icons - wrong - least[1]), least[0])
        return before, icons - before - wrong, wrong

    @property
    def kinds(self) -> list[int]:
        """The kind of each icon, in rows from the upper left."""
        before, added, wrong = self.drawn
        return [0] * before + [1] * added + [2] * wrong

    @property
    def note(self) -> str:
        """What an icon stands for, if not for one."""
        return say("each icon stands for {each:,}", each=self.each) if self.each > 1 else ""

    def legend(self) -> list[tuple[int, str]]:
        """How many, and what they are."""
        return list(zip(self.counts, self.labels, strict=True))


@dataclass(frozen=True)
class Links:
    """Files to open: what each is called, and its address."""

    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """What is typed or sent, to the letter."""

    text: str


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    key: str
    title: str
    blocks: tuple["Block", ...]


Block: TypeAlias = Words | Items | Headline | Facts | Judgement | Picture | Links | Code | IconArray | Table | Section


@dataclass(frozen=True, repr=False)
class Document:
    """Blocks under a title; one renderer a format turns them into text.

    Attributes:
        title: one line.
        blocks: in order.
        content: what programs get instead of the tables, in the schema that it names itself; None for the tables.
        generator: what made it, for the formats that have a place to say so.

    >>> from gaussdp import GDP
    >>> GDP(0.5).document().title
    'Gaussian DP with μ = 0.5'
    """

    title: str
    blocks: tuple[Block, ...]
    content: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    generator: str = ""

    def __repr__(self) -> str:
        return f"<Document {self.title!r}: {len(self.blocks)} blocks, {len(self.tables)} tables>"

    @classmethod
    def tabular(cls, title: str, tables: Sequence[Table], notes: Sequence[str] = ()) -> "Document":
        """Tables under one title, then notes."""
        shown = [instance("tables", one, Table, "tables") for one in several("tables", tables, "tables")]
        words = [instance("notes", one, str, "sentences") for one in several("notes", notes, "a list of sentences")]
        return cls(instance("title", title, str, "a text"), (*shown, *([Items(tuple(words))] if words else [])))

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in order."""
        return tuple(block for block in flat(self.blocks) if isinstance(block, Table))

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences of the lists outside sections."""
        return tuple(words for block in self.blocks if isinstance(block, Items) for words in block.sentences)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts under headings."""
        return tuple(block for block in self.blocks if isinstance(block, Section))

    def only(self, keys: Sequence[str]) -> "Document":
        """The document with just the tables of these keys, in their own order; all of them if none is named."""
        named = [instance("keys", one, str, "keys of tables") for one in several("keys", keys, "a list of keys")]
        if not named:
            return self
        kept = tuple(block for block in self.blocks if not isinstance(block, Table) or block.key in named)
        return Document(self.title, kept, self.content, self.generator)


def flat(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, those of sections in the place of these."""
    for block in blocks:
        if isinstance(block, Section):
            yield from flat(block.blocks)
        else:
            yield block
