"""An explanation as text, Markdown, HTML, LaTeX or JSON: the same words and numbers in each."""

import json
import re
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from gaussdp.documents import renderings
from gaussdp.documents.escaping import latex_words
from gaussdp.documents.icons import COUNT, SIDE
from gaussdp.errors import DomainError
from gaussdp.explaining.numbers import as_object, document
from gaussdp.explaining.page import page

if TYPE_CHECKING:
    from gaussdp.explaining.explanation import Explanation

_INDENT = "  "


def text(explanation: "Explanation", width: int = 100, plain: bool = False) -> str:
    """For a terminal of this width: words and icons; plain keeps the icons within ASCII."""
    parts = [explanation.title, _wrapped(explanation.headline, width)]
    parts.extend(f"{_wrapped(array.title, width)}\n{array.text(plain)}" for array in explanation.icons)
    for passage in explanation.passages:
        lines = [passage.title]
        if passage.lead:
            lines.append(_wrapped(passage.lead, width, _INDENT))
        lines.extend(_wrapped(sentence, width, f"{_INDENT}- ", f"{_INDENT}  ") for sentence in passage.sentences)
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def markdown(explanation: "Explanation", digits: int = renderings.DEFAULT_DIGITS) -> str:
    """Headings, lists, the icons as preformatted text, and the tables."""
    parts = [f"# {explanation.title}", f"**{explanation.headline}**"]
    parts.extend(f"{array.title}:\n\n```text\n{array.text()}\n```" for array in explanation.icons)
    for passage in explanation.passages:
        parts.append(f"## {passage.title}")
        if passage.lead:
            parts.append(passage.lead)
        parts.append("\n".join(f"- {sentence}" for sentence in passage.sentences))
    tables = renderings.markdown(document(explanation), digits)
    parts.append(re.sub("^#", "##", tables, flags=re.MULTILINE).rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def latex(explanation: "Explanation", digits: int = renderings.DEFAULT_DIGITS) -> str:
    r"""A part of a document, for \input: subsections, lists, the icons as dots, and tables.

    Needs the packages booktabs and amsmath.
    """
    parts = [rf"\subsection*{{{_latex_words(explanation.title)}}}", rf"\textbf{{{_latex_words(explanation.headline)}}}"]
    parts.extend(_latex_icons(array.title, array.kinds, array.legend()) for array in explanation.icons)
    for passage in explanation.passages:
        parts.append(rf"\subsubsection*{{{_latex_words(passage.title)}}}")
        if passage.lead:
            parts.append(_latex_words(passage.lead))
        items = [rf"  \item {_latex_words(sentence)}" for sentence in passage.sentences]
        parts.append("\n".join([r"\begin{itemize}", *items, r"\end{itemize}"]))
    parts.append(renderings.latex(document(explanation), digits).rstrip("\n"))
    return "\n\n".join(parts) + "\n"


def json_text(explanation: "Explanation") -> str:
    """All facts at full precision and all words; the schema is on the page about explanations."""
    return json.dumps(as_object(explanation), ensure_ascii=False, indent=2) + "\n"


def rendered(explanation: "Explanation", style: str, digits: int, width: int) -> str:
    """The explanation in the style of this name."""
    styles: dict[str, Callable[[], str]] = {
        "text": lambda: text(explanation, width),
        "markdown": lambda: markdown(explanation, digits),
        "html": lambda: page(explanation, digits),
        "latex": lambda: latex(explanation, digits),
        "json": lambda: json_text(explanation),
    }
    if style not in styles:
        raise DomainError("style", f"one of {', '.join(styles)}", style)
    return styles[style]()


STYLES = ("text", "markdown", "html", "latex", "json")

_LATEX_ICONS = (r"$\bullet$", r"$\star$", r"$\circ$")


def _latex_words(words: str) -> str:
    return latex_words(words).replace("∞", r"$\infty$")


def _latex_icons(title: str, kinds: list[int], legend: list[tuple[int, str]]) -> str:
    icons = [_LATEX_ICONS[kind] for kind in kinds]
    rows = [" & ".join(icons[start : start + SIDE]) + r" \\" for start in range(0, COUNT, SIDE)]
    key = "; ".join(
        f"{symbol} {count} {_latex_words(label)}" for symbol, (count, label) in zip(_LATEX_ICONS, legend, strict=True)
    )
    return "\n".join(
        [
            rf"\paragraph{{{_latex_words(title)}.}} {key}.",
            r"\begin{center}",
            r"\setlength{\tabcolsep}{2pt}",
            rf"\begin{{tabular}}{{*{{{SIDE}}}{{c}}}}",
            *rows,
            r"\end{tabular}",
            r"\end{center}",
        ]
    )


def _wrapped(words: str, width: int, first: str = "", later: str | None = None) -> str:
    indent = first if later is None else later
    return textwrap.fill(words, max(width, 20), initial_indent=first, subsequent_indent=indent, break_long_words=False)
