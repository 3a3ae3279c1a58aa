"""What the paper holds: six figures, each of one or two plots and a table; and the index that shows them."""

import csv
import io
from dataclasses import dataclass

from gaussdp.choosing.tables import GRIDS, Grid, column_label, grid_document
from gaussdp.documents import ENDINGS, Document, Format, Items, Links, Picture, Section, Words
from gaussdp.figures import FORMATS, Figure


@dataclass(frozen=True)
class Chapter:
    """One numbered figure of the paper: its plots and its table."""

    number: int
    title: str
    plots: tuple[str, ...]
    grid: Grid


_TITLES = (
    "From ε to μ by multiplicative advantage",
    "From ε to μ by precision at recall",
    "From ε to μ by the privacy profile",
    "Multiplicative advantage that μ allows",
    "Precision that μ allows",
    "The (ε, δ) that μ implies",
)

SECTIONS = tuple(
    Chapter(i, title, (f"fig{i}a", f"fig{i}b") if i <= 3 else (f"fig{i}a",), grid)
    for i, (title, grid) in enumerate(zip(_TITLES, GRIDS, strict=True), start=1)
)


def table_document(section: Chapter) -> tuple[Document, int]:
    """The section's table as the paper prints it, and the digits to render it with."""
    document, digits = grid_document([section.grid])
    letter = "abc"[len(section.plots)]
    return Document.tabular(f"Figure {section.number}{letter} of the paper", document.tables, document.notes), digits


def values_csv() -> str:
    """Every value that the paper prints, one a line, with its table, row and column."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("table", "row_parameter", "row_value", "column_parameter", "column_value", "printed"))
    for section in SECTIONS:
        grid = section.grid
        document, digits = table_document(section)
        for level, *cells in document.tables[0].text_rows(digits):
            for column, printed in zip(grid.columns.usual, cells, strict=True):
                place = (grid.rows.key, level, grid.columns.key, column_label(grid.columns, column))
                writer.writerow((grid.key, *place, printed))
    return buffer.getvalue()


TITLE = "On choosing μ: the paper's tables and plots"
SOURCE = (
    "Kulynych & Honkela, On Choosing the μ Parameter in Gaussian Differential Privacy. Every number and every curve "
    "here was computed by gaussdp."
)
NOTES = (
    "The tables hold the paper's numbers digit for digit, rounded to nearest as the paper rounds. Elsewhere gaussdp "
    "rounds budgets down and risks up; so does gaussdp tables --rounding one-sided.",
    "The x-axis of figure 4a is the false-positive rate; the paper's source labels it TPR.",
    "The line TPR = FPR of figure 1a is drawn through every point; the paper's source joins its two ends, which on a "
    "logarithmic axis is another line.",
    "The legend of figure 2a stands beside the line at ½, not on it.",
    "data/plots/ holds the points under the names that the paper's LaTeX source reads: it compiles next to it.",
)
TABLE_FORMATS: tuple[Format, ...] = ("text", "markdown", "csv", "latex")

_WIDE, _SQUARE = 440, 300  # pixels


def index_document(plots: dict[str, Figure]) -> Document:
    """The index; on a page the plots are the SVG files beside it."""
    sections = (_section(section, [plots[key] for key in section.plots]) for section in SECTIONS)
    notes = Section("notes", "Notes", (Items(NOTES),))
    return Document(TITLE, (Words(SOURCE, "quiet"), *sections, notes))


def _section(section: Chapter, plots: list[Figure]) -> Section:
    pictures = (
        Picture(f"plots/{plot.key}", plot.title, f"{plot.key}. {plot.title}.", width=_WIDE if plot.wide else _SQUARE)
        for plot in plots
    )
    document, _ = table_document(section)
    links = [
        *((f"{plot.key} {kind}", f"plots/{plot.key}.{kind}") for plot in plots for kind in FORMATS),
        *((f"{plot.key} data", f"data/plots/{plot.data_name}") for plot in plots),
        *((f"table {ENDINGS[name]}", f"tables/{section.grid.key}.{ENDINGS[name]}") for name in TABLE_FORMATS),
    ]
    title = f"Figure {section.number}. {section.title}"
    return Section(f"figure-{section.number}", title, (*pictures, *document.tables, Links(tuple(links))))
