"""What a figure shows, free of any drawing library: axes, curves, annotations, and the data behind them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gaussdp.numerics import Floats
from gaussdp.objects import Compared

Corner = Literal["upper left", "upper right", "lower right"]


@dataclass(frozen=True)
class Axis:
    """One axis: its label in mathtext, its window and its ticks; the tick labels where they are not the numbers."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    tick_labels: tuple[str, ...] = ()
    log: bool = False


@dataclass(frozen=True, eq=False)
class Curve(Compared):
    """A line with its entry in the legend."""

    label: str
    x: Floats
    y: Floats
    colour: str
    dashed: bool = False


@dataclass(frozen=True)
class Arrow:
    """A vertical double arrow at x, with words to its right."""

    x: float
    low: float
    high: float
    words: str


@dataclass(frozen=True, eq=False, repr=False)
class Figure(Compared):
    """One plot.

    Attributes:
        key: its name in the paper, such as fig1a.
        title: one line of plain text that says what it shows.
        curves: in the order of the legend; later ones lie on top.
        legend: the corner that holds it, in Matplotlib's words.
        legend_columns: entries side by side.
        wide: whether it has the shape of the appendix figures (4 by 3) rather than a square one.
        data: the columns of its data file, under the names that the paper's source reads.
        data_name: the name of that file.
    """

    key: str
    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    legend: Corner
    data: Mapping[str, Floats]
    data_name: str
    wide: bool = False
    legend_columns: int = 1
    arrow: Arrow | None = None

    def __repr__(self) -> str:
        return f"<Figure {self.key}: {self.title}; {len(self.curves)} curves>"

    def data_text(self) -> str:
        """The data file: a header and one row a point, between spaces."""
        rows = zip(*(column.tolist() for column in self.data.values()), strict=True)
        lines = [" ".join(self.data), *(" ".join(f"{value:.12g}" for value in row) for row in rows)]
        return "\n".join(lines) + "\n"
