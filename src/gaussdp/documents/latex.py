r"""A document as LaTeX.

Tables alone are floats, for \input or to copy. A document with sections compiles by itself and can be a part of
another all the same: the file asks whether a document has begun already, which LaTeX tells by `\@nodocument`, and
brings its own preamble and ends itself only if not. As a part it needs no package.
"""

import re
from collections.abc import Sequence

from gaussdp.documents.blocks import (
    HUNDRED,
    Block,
    Code,
    Document,
    Facts,
    Headline,
    IconArray,
    Items,
    Judgement,
    Links,
    Picture,
    Section,
    Table,
    Words,
)
from gaussdp.words import say

_SYMBOLS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "--": "-{}-",
    "``": "`{}`",
    "''": "'{}'",
    "α": r"$\alpha$",
    "β̄": r"$\bar\beta$",
    "μ": r"$\mu$",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "½": r"$\frac{1}{2}$",
    "∞": r"$\infty$",
    "×": r"$\times$",
    "→": r"$\to$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "„": ",,",
    "\u00a0": "~",
    "\u202f": r"\,",
}
_PATTERN = re.compile("(" + "|".join(map(re.escape, _SYMBOLS)) + ")")
# What every font encoding of LaTeX can set; Eth and Thorn it cannot.
_BEYOND_LATIN = re.compile(
    "[^\x20-\x7e\u00c0-\u00cf\u00d1-\u00d6\u00d8-\u00dd\u00df-\u00ef\u00f1-\u00f6\u00f8-\u00fd\u00ff]"
)
# Characters that only engines of Unicode can set: pdfLaTeX shows their number.
_CHARACTER = r"\providecommand{\gaussdpchar}[2]{\ifdefined\Umathchar#2\else[U+#1]\fi}"
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
{_CHARACTER}"""
_ICONS = (r"$\bullet$", r"$\star$", r"$\circ$")
_KINDS = {
    "plain": r"\noindent {}\par",
    "strong": r"\noindent\textbf{{{}}}\par",
    "warning": r"\noindent\textbf{{{}}}\par",
    "quiet": r"\noindent{{\small {}}}\par",
}


def latex(document: Document, digits: int) -> str:
    """The document for LaTeX; tables alone need the package booktabs."""
    if not document.sections:
        notes = [f"% {note}" for note in document.notes]
        return (
            "\n\n".join([f"% {document.title}", *(_float(table, digits) for table in document.tables), *notes]) + "\n"
        )
    parts = [
        f"% Made by {document.generator or 'gaussdp'}. Compiles by itself; in another document, \\input it.",
        _HEAD,
        rf"\section*{{{latex_words(document.title)}}}",
        *(_block(block, digits) for block in document.blocks),
        r"\gaussdpend",
    ]
    return "\n\n".join(parts) + "\n"


def latex_words(words: str) -> str:
    r"""Words that anyone may have written, in any script.

    >>> print(latex_words(r"100% of \foo, μ_1"))
    100\% of \textbackslash{}foo, $\mu$\_1
    >>> print(latex_words("名"))
    \gaussdpchar{540D}{名}
    """
    pieces = _PATTERN.split(words)
    return "".join(
        _SYMBOLS[piece] if place % 2 else _BEYOND_LATIN.sub(_numbered, piece) for place, piece in enumerate(pieces)
    )


def latex_cell(cell: str) -> str:
    """One cell: a number as mathematics, words as words."""
    mantissa, _, exponent = cell.replace(",", "{,}").partition("e")
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return latex_words(cell)
    if not exponent:
        return r"$\infty$" if cell == "inf" else cell
    return rf"$10^{{{exponent}}}$" if mantissa == "1" else rf"${mantissa} \cdot 10^{{{exponent}}}$"


def _numbered(found: re.Match[str]) -> str:
    return rf"\gaussdpchar{{{ord(found[0]):04X}}}{{{found[0]}}}"


def _block(block: Block, digits: int) -> str:
    match block:
        case Words(words, kind):
            return _KINDS[kind].format(latex_words(words))
        case Items(sentences):
            items = [rf"  \item {latex_words(sentence)}" for sentence in sentences]
            return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
        case Headline(number, words, struck):
            remark = latex_words(say(" (does not hold)")) if struck else ""
            return rf"\noindent{{\Large {latex_words(number)}}}{remark}\\" + "\n" + rf"{latex_words(words)}\par"
        case Facts(rows):
            return _tabular(r"@{}p{0.27\linewidth}p{0.68\linewidth}@{}", [list(map(latex_words, row)) for row in rows])
        case Judgement(title, verdict, _, words):
            return (
                rf"\noindent\hangindent=1.5em\hangafter=1 [{latex_words(verdict)}] "
                rf"\textbf{{{latex_words(title)}.}} {latex_words(words)}\par"
            )
        case Picture(name, _, caption):
            shown = rf"\noindent\includegraphics[width=\linewidth]{{{name}.pdf}}\par"
            guarded = [rf"\IfFileExists{{{name}.pdf}}{{\ifdefined\includegraphics", shown, r"\fi}{}"]
            return "\n".join([*guarded, rf"\noindent {latex_words(caption)}\par"])
        case Links(targets):
            return r"\noindent " + ", ".join(latex_words(name) for name, _ in targets) + r"\par"
        case Code(typed):
            lines = (rf"\texttt{{{latex_words(line)}}}" for line in typed.splitlines())
            return r"\noindent " + "\\\\\n".join(lines) + r"\par"
        case IconArray():
            return _icons(block)
        case Table():
            head = [" & ".join(map(latex_words, block.headings())) + r" \\"]
            table = _fitted(_ruled(_alignment(block), _rows(block, digits), head))
            return rf"\noindent {latex_words(block.title)}:\par\nopagebreak" + "\n" + table
        case Section(_, title, blocks):
            return "\n\n".join([rf"\subsection*{{{latex_words(title)}}}", *(_block(inner, digits) for inner in blocks)])


def _tabular(columns: str, rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    return "\n".join(
        [
            r"\begingroup\small\raggedright\noindent",
            *_ruled(columns, rows, head),
            r"\par\endgroup\medskip",
        ]
    )


def _fitted(tabular: Sequence[str]) -> str:
    """A table that is made smaller where it would be wider than the line."""
    box = [r"\setbox1\hbox{%", *tabular, "}%"]
    shrunk = r"\ifdim\wd1>\linewidth\ifdefined\resizebox\resizebox{\linewidth}{!}{\box1}\else\box1\fi\else\box1\fi"
    return "\n".join([r"\begingroup\small\noindent", *box, shrunk, r"\par\endgroup\medskip"])


def _float(table: Table, digits: int) -> str:
    labels = " & ".join(latex_words(label) for label in table.labels()) + r" \\"
    head = [*_spanner(table), labels]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_words(table.title)}}}",
            *_ruled(_alignment(table), _rows(table, digits), head),
            r"\end{table}",
        ]
    )


def _ruled(columns: str, rows: Sequence[Sequence[str]], head: Sequence[str]) -> list[str]:
    lines = [" & ".join(cells) + r" \\" for cells in rows]
    headed = [*head, r"\midrule"] if head else []
    return [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *headed, *lines, r"\bottomrule", r"\end{tabular}"]


def _rows(table: Table, digits: int) -> list[list[str]]:
    return [[latex_cell(cell) for cell in row] for row in table.text_rows(digits)]


def _alignment(table: Table) -> str:
    return "".join("r" if table.numeric(place) else "l" for place in range(len(table.columns)))


def _spanner(table: Table) -> list[str]:
    if not table.spanner:
        return []
    count = len(table.columns)
    head = rf" & \multicolumn{{{count - 1}}}{{c}}{{{latex_words(table.spanner)}}} \\"
    return [head, rf"\cmidrule(l){{2-{count}}}"]


def _icons(array: IconArray) -> str:
    icons, columns = [_ICONS[kind] for kind in array.kinds], array.columns
    rows = [" & ".join(icons[start : start + columns]) + r" \\" for start in range(0, len(icons), columns)]
    pairs = zip(_ICONS, array.legend(), strict=True)
    key = "; ".join(
        f"{icon} {latex_words(say('{count:,} {label}', count=count, label=label))}" for icon, (count, label) in pairs
    )
    key += f"; {array.note}" if array.note else ""
    return "\n".join(
        [
            rf"\paragraph{{{latex_words(array.title)}.}} {key}.",
            r"\begin{center}",
            r"\setlength{\tabcolsep}{2pt}" if array.of == HUNDRED else r"\setlength{\tabcolsep}{0.6pt}\tiny",
            rf"\begin{{tabular}}{{*{{{columns}}}{{c}}}}",
            *rows,
            r"\end{tabular}",
            r"\end{center}",
        ]
    )
