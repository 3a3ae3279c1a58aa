"""What the paper holds: six figures, each of one or two plots and a table."""

import csv
import io
from dataclasses import dataclass

from gaussdp.choosing.grids import GRIDS, Grid, column_label, grid_document
from gaussdp.documents.blocks import Document


@dataclass(frozen=True)
class Section:
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
    Section(i, title, (f"fig{i}a", f"fig{i}b") if i <= 3 else (f"fig{i}a",), grid)
    for i, (title, grid) in enumerate(zip(_TITLES, GRIDS, strict=True), start=1)
)


def table_document(section: Section) -> tuple[Document, int]:
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
