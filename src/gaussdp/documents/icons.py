"""An array of 100 icons: what was right before, what the release adds at most, and the rest."""

from dataclasses import dataclass

from gaussdp.documents.escaping import html_text

SIDE = 10
COUNT = SIDE * SIDE
BEFORE, ADDED, REST = "#08519c", "#ff7f0e", "#8c8c8c"
SYMBOLS, PLAIN_SYMBOLS = ("●", "◆", "○"), ("O", "#", ".")

_STEP, _RADIUS = 20, 7.5  # of the SVG, in pixels


@dataclass(frozen=True)
class IconArray:
    """100 icons in three kinds.

    Attributes:
        title: what the icons are.
        before: how many there are of the first kind, without the release.
        added: how many more with the release, at most.
        labels: the words for the three kinds.
    """

    title: str
    before: int
    added: int
    labels: tuple[str, str, str]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many there are of each kind."""
        return self.before, self.added, COUNT - self.before - self.added

    @property
    def kinds(self) -> list[int]:
        """The kind of each icon, in rows from the upper left."""
        return [kind for kind, count in enumerate(self.counts) for _ in range(count)]

    def legend(self) -> list[tuple[int, str]]:
        """How many, and what they are."""
        return list(zip(self.counts, self.labels, strict=True))

    def text(self, plain: bool = False) -> str:
        """Ten rows of ten symbols and what they mean; plain stays within ASCII."""
        symbols = PLAIN_SYMBOLS if plain else SYMBOLS
        icons = [symbols[kind] for kind in self.kinds]
        rows = [" ".join(icons[start : start + SIDE]) for start in range(0, COUNT, SIDE)]
        words = [f"{symbol} {count:3d} {label}" for symbol, (count, label) in zip(symbols, self.legend(), strict=True)]
        beside = {(SIDE - len(words)) // 2 + i: line for i, line in enumerate(words)}
        return "\n".join(f"  {row}   {beside.get(i, '')}".rstrip() for i, row in enumerate(rows))

    def svg(self, name: str) -> str:
        """The same as an SVG element for a page, with a title and a description for those who cannot see it.

        Args:
            name: the beginning of its identifiers, so that several have a place on one page.
        """
        side = SIDE * _STEP
        shapes = "".join(_shape(place, kind) for place, kind in enumerate(self.kinds))
        words = "; ".join(f"{count} of {COUNT}: {label}" for count, label in self.legend())
        return (
            f'<svg viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{html_text(self.title)}</title><desc id="{name}-desc">{html_text(words)}</desc>'
            f"{shapes}</svg>"
        )


def symbol(kind: int) -> str:
    """One icon of this kind, for the key beside an array; the words next to it say what it is."""
    shape = _shape(0, kind)
    return f'<svg viewBox="0 0 {_STEP} {_STEP}" width="14" height="14" aria-hidden="true">{shape}</svg>'


def _shape(place: int, kind: int) -> str:
    row, column = divmod(place, SIDE)
    x, y = (column + 0.5) * _STEP, (row + 0.5) * _STEP
    if kind == 1:  # a shape of its own, for those who do not see colours
        points = f"{x:g},{y - 9:g} {x + 9:g},{y:g} {x:g},{y + 9:g} {x - 9:g},{y:g}"
        return f'<polygon points="{points}" fill="{ADDED}"/>'
    if kind == 0:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" fill="{BEFORE}"/>'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS - 0.75}" fill="none" stroke="{REST}" stroke-width="1.5"/>'
