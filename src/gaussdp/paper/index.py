"""The index of the reproduced paper: every plot and table, with links to their files."""

from gaussdp.documents import ENDINGS, Document, Format, Items, Links, Picture, Section, Words
from gaussdp.figures import FORMATS, Figure
from gaussdp.paper.contents import SECTIONS, table_document
from gaussdp.paper.contents import Section as PaperSection

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


def _section(section: PaperSection, plots: list[Figure]) -> Section:
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
