"""The paper, reproduced: its six tables, its nine plots, and the data that its LaTeX source reads."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gaussdp.choosing.tables import GRIDS, PAPER_DIGITS, Grid, column_label, grid_document
from gaussdp.documents import ENDINGS, Document, Format, Items, Links, Picture, Section, Words
from gaussdp.documents.files import check_folder, write_files
from gaussdp.documents.rendering import document_files
from gaussdp.figures import FIGURES, FORMATS, Figure, figure, render
from gaussdp.figures.drawing import require_matplotlib


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


Announce = Callable[[int, int, str], None]


def write_paper(
    directory: Path, announce: Announce = lambda done, total, name: None, *, overwrite: bool = False
) -> int:
    """Everything in the paper, as files.

    Args:
        directory: where to; made if need be.
        announce: called with the steps done, the steps in all and the name of the next.
        overwrite: whether files that exist are replaced.
    Returns:
        How many files were written.
    Raises:
        MissingExtraError: if Matplotlib is not installed; nothing is written then.
        FileExistsError: if one of the files is there, and is not to be replaced.
        OSError: if the directory cannot be written.
    """
    require_matplotlib()
    check_folder(directory, ["index.html"], overwrite)
    plots = {key: figure(key) for key in FIGURES}
    steps: list[tuple[str, Callable[[], dict[str, bytes]]]] = [
        *((section.grid.key, partial(_table_files, section)) for section in SECTIONS),
        *((key, partial(_plot_files, plot)) for key, plot in plots.items()),
        ("index", partial(_index_files, plots)),
    ]
    files: dict[str, bytes] = {}
    for done, (name, make) in enumerate(steps):
        announce(done, len(steps), name)
        files |= make()
    write_files(directory, files, overwrite=overwrite)
    announce(len(steps), len(steps), "done")
    return len(files)


def _table_files(section: Chapter) -> dict[str, bytes]:
    return document_files(f"tables/{section.grid.key}", *table_document(section), *TABLE_FORMATS)


def _plot_files(plot: Figure) -> dict[str, bytes]:
    pictures = {f"plots/{plot.key}.{ending}": content for ending, content in render(plot, *FORMATS).items()}
    return {f"data/plots/{plot.data_name}": plot.data_text().encode(), **pictures}


def _index_files(plots: dict[str, Figure]) -> dict[str, bytes]:
    return {
        "tables/paper_tables.csv": values_csv().encode(),
        **document_files("index", index_document(plots), PAPER_DIGITS, "markdown", "html"),
    }
