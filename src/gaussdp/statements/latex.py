r"""A report as LaTeX: a document of its own, or a part of another that reads it with \input.

The file asks whether a document has begun already, which LaTeX tells by `\@nodocument`, and brings its own preamble and
ends itself only if not. As a part it needs no package.
"""

from typing import TYPE_CHECKING

from gaussdp.documents.escaping import LATEX_CHARACTER, latex_text
from gaussdp.documents.renderings import latex_cell
from gaussdp.documents.tables import Table
from gaussdp.statements.content import Block, Facts, Judged, Picture, Words, sections, title

if TYPE_CHECKING:
    from gaussdp.statements.report import Report

_HEAD = rf"""\expandafter\ifx\csname @nodocument\endcsname\relax
  \def\gaussdpend{{}}% part of another document
\else
  \documentclass[11pt]{{article}}
  \IfFileExists{{lmodern.sty}}{{\usepackage[T1]{{fontenc}}\usepackage{{lmodern}}}}{{}}
  \usepackage[a4paper,margin=25mm]{{geometry}}
  \usepackage{{amsmath,booktabs,graphicx}}
  \setlength{{\parindent}}{{0pt}}
  \setlength{{\parskip}}{{0.6ex}}
  \begin{{document}}
  \def\gaussdpend{{\end{{document}}}}
\fi
\providecommand{{\toprule}}{{\hline}}
\providecommand{{\midrule}}{{\hline}}
\providecommand{{\bottomrule}}{{\hline}}
{LATEX_CHARACTER}"""


def latex(report: "Report") -> str:
    """The report for LaTeX."""
    parts = [
        f"% Made by gaussdp {report.version}. Compiles by itself; in another document, \\input it.",
        _HEAD,
        rf"\section*{{{latex_text(title(report))}}}",
    ]
    for section in sections(report):
        parts.append(rf"\subsection*{{{latex_text(section.title)}}}")
        parts.extend(_block(block, report.digits) for block in section.blocks)
    parts.append(r"\gaussdpend")
    return "\n\n".join(parts) + "\n"


def _block(block: Block, digits: int) -> str:
    if isinstance(block, Words):
        words = latex_text(block.text)
        return rf"\noindent\textbf{{{words}}}\par" if block.warning else rf"\noindent {words}\par"
    if isinstance(block, Facts):
        rows = [[latex_text(name), latex_text(words)] for name, words in block.rows]
        return _tabular(r"@{}p{0.27\linewidth}p{0.68\linewidth}@{}", rows)
    if isinstance(block, Judged):
        items = [
            rf"\item[\textnormal{{[{item.verdict}]}}] \textbf{{{latex_text(item.title)}.}} {latex_text(item.words)}"
            for item in block.assumptions
        ]
        return "\n".join([r"\begin{description}", *items, r"\end{description}"])
    if isinstance(block, Table):
        head = [latex_text(heading) for heading in block.headings()]
        rows = [[latex_cell(cell) for cell in row] for row in block.text_rows(digits)]
        table = _tabular("@{}" + "r" * len(block.columns) + "@{}", rows, head)
        return rf"\noindent {latex_text(block.title)}:\par\nopagebreak" + "\n" + table
    return _picture(block)


def _tabular(columns: str, rows: list[list[str]], head: list[str] | None = None) -> str:
    lines = [" & ".join(cells) + r" \\" for cells in rows]
    header = [" & ".join(head) + r" \\", r"\midrule"] if head else []
    return "\n".join(
        [
            r"\begingroup\small\raggedright\noindent",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *header,
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\endgroup\medskip",
        ]
    )


def _picture(picture: Picture) -> str:
    """The figure's file, where it lies beside the document and the document can show it."""
    caption = latex_text(picture.caption)
    return "\n".join(
        [
            r"\IfFileExists{tradeoff.pdf}{\ifdefined\includegraphics",
            r"\noindent\includegraphics[width=\linewidth]{tradeoff.pdf}\par",
            r"\fi}{}",
            rf"\noindent {caption}\par",
        ]
    )
