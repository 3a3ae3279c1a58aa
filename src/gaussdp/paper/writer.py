"""Write the paper's tables, plots and data into a directory."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from gaussdp.choosing.tables import PAPER_DIGITS
from gaussdp.documents.files import write_files
from gaussdp.documents.rendering import document_files
from gaussdp.figures import FIGURES, FORMATS, Figure, figure, render
from gaussdp.figures.drawing import require_matplotlib
from gaussdp.paper.contents import SECTIONS, TABLE_FORMATS, Chapter, index_document, table_document, values_csv

Announce = Callable[[int, int, str], None]


def write_paper(directory: Path, announce: Announce = lambda done, total, name: None) -> int:
    """Everything in the paper, as files.

    Args:
        directory: where to; made if need be.
        announce: called with the steps done, the steps in all and the name of the next.
    Returns:
        How many files were written.
    Raises:
        MissingExtraError: if Matplotlib is not installed; nothing is written then.
        OSError: if the directory cannot be written.
    """
    require_matplotlib()
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
    write_files(directory, files)
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
