"""An array of 100 icons: what was right before, what the release adds at most, and the rest."""

from dataclasses import dataclass

SIDE = 10
COUNT = SIDE * SIDE
BEFORE, ADDED, REST = "#08519c", "#ff7f0e", "#8c8c8c"


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
