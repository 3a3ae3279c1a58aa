"""The index of the reproduced paper, in Markdown and as one HTML page that shows every plot and table."""

from html import escape

from gaussdp.documents.renderings import markdown
from gaussdp.documents.tables import Document
from gaussdp.documents.writing import ENDINGS
from gaussdp.figures import FORMATS, Figure
from gaussdp.paper.contents import SECTIONS, Section, table_document

TITLE = "On choosing μ: the paper's tables and plots"
SOURCE = "Kulynych & Honkela, On Choosing the μ Parameter in Gaussian Differential Privacy"
NOTES = (
    "The tables hold the paper's numbers digit for digit, rounded to nearest as the paper rounds. Elsewhere gaussdp "
    "rounds budgets down and risks up; so does gaussdp tables --rounding one-sided.",
    "The x-axis of figure 4a is the false-positive rate; the paper's source labels it TPR.",
    "The line TPR = FPR of figure 1a is drawn through every point; the paper's source joins its two ends, which on a "
    "logarithmic axis is another line.",
    "The legend of figure 2a stands beside the line at ½, not on it.",
    "data/plots/ holds the points under the names that the paper's LaTeX source reads: it compiles next to it.",
)

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; margin: 0 auto; max-width: 72rem;
  padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
section { border-top: 1px solid #ddd; padding: 1.25rem 0; }
.row { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; } figure img { display: block; max-width: 100%; height: auto; }
figcaption { font-size: .85rem; color: #444; max-width: 300px; margin-top: .4rem; }
figure.wide figcaption { max-width: 440px; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; } thead tr:last-child th { border-bottom: 1px solid #888; }
thead th.over { text-align: center; border-bottom: 1px solid #bbb; }
a { color: #08519c; } p.source, ul { color: #444; }
""".strip()


def index_markdown(plots: dict[str, Figure]) -> str:
    """The index in Markdown, with the plots as pictures and the tables as tables."""
    parts = [f"# {TITLE}", f"{SOURCE}."]
    for section in SECTIONS:
        parts.append(f"## Figure {section.number}. {section.title}")
        for key in section.plots:
            plot = plots[key]
            links = ", ".join(f"[{name}]({path})" for name, path in _plot_links(plot))
            parts.append(f"![{plot.title}](plots/{key}.png)")
            parts.append(f"**{key}.** {plot.title}. {links}")
        document, digits = table_document(section)
        table = document.tables[0]
        body = markdown(Document.tabular(document.title, document.tables), digits).split("\n\n", 2)[2]
        parts.append(f"**{table.title}**")
        parts.append(body.rstrip("\n"))
        parts.append(", ".join(f"[{name}]({path})" for name, path in _table_links(section)))
    parts.append("\n".join(f"- {note}" for note in NOTES))
    return "\n\n".join(parts) + "\n"


def index_html(plots: dict[str, Figure]) -> str:
    """The index as a page; it shows the SVG files beside it and needs nothing else."""
    sections = "\n".join(_section_html(section, plots) for section in SECTIONS)
    notes = "\n".join(f"<li>{escape(note)}</li>" for note in NOTES)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(TITLE)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<h1>{escape(TITLE)}</h1>
<p class="source">{escape(SOURCE)}. Every number and every curve here was computed by gaussdp.</p>
{sections}
<section>
<h2>Notes</h2>
<ul>
{notes}
</ul>
</section>
</body>
</html>
"""


def _section_html(section: Section, plots: dict[str, Figure]) -> str:
    figures = "\n".join(_figure_html(plots[key]) for key in section.plots)
    return (
        f'<section id="figure-{section.number}">\n<h2>Figure {section.number}. {escape(section.title)}</h2>\n'
        f'<div class="row">\n{figures}\n{_table_html(section)}\n</div>\n</section>'
    )


def _figure_html(plot: Figure) -> str:
    kind = ' class="wide"' if plot.wide else ""
    width = 440 if plot.wide else 300
    return (
        f'<figure{kind}>\n<img src="plots/{plot.key}.svg" width="{width}" alt="{escape(plot.title)}">\n'
        f"<figcaption>{plot.key}. {escape(plot.title)}. {_links_html(_plot_links(plot))}</figcaption>\n</figure>"
    )


def _table_html(section: Section) -> str:
    document, digits = table_document(section)
    table = document.tables[0]
    first, *others = table.columns
    labels = "".join(f'<th scope="col">{escape(column.label)}</th>' for column in others)
    rows = "\n".join(
        f'<tr><th scope="row">{_level_html(level)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for level, *cells in table.text_rows(digits)
    )
    return (
        f'<figure class="wide">\n<div class="scroll"><table>\n<thead>\n'
        f'<tr><td></td><th class="over" scope="colgroup" colspan="{len(others)}">{escape(table.spanner)}</th></tr>\n'
        f'<tr><th scope="col">{escape(first.label)}</th>{labels}</tr>\n</thead>\n<tbody>\n{rows}\n</tbody>\n'
        f"</table></div>\n<figcaption>{escape(table.title)}. {_links_html(_table_links(section))}</figcaption>\n"
        "</figure>"
    )


def _level_html(level: str) -> str:
    mantissa, _, exponent = level.partition("e-")
    return f"10<sup>−{exponent}</sup>" if mantissa == "1" and exponent else escape(level)


def _links_html(links: list[tuple[str, str]]) -> str:
    return ", ".join(f'<a href="{path}">{name}</a>' for name, path in links)


def _plot_links(plot: Figure) -> list[tuple[str, str]]:
    pictures = [(ending.upper(), f"plots/{plot.key}.{ending}") for ending in FORMATS]
    return [*pictures, ("data", f"data/plots/{plot.data_name}")]


def _table_links(section: Section) -> list[tuple[str, str]]:
    return [(ending.upper(), f"tables/{section.grid.key}.{ending}") for ending in ENDINGS.values()]
