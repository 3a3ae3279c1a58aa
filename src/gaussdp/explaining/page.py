"""An explanation as HTML: a fragment for a notebook or another page, and a page of its own that needs nothing else."""

from typing import TYPE_CHECKING

from gaussdp.documents.escaping import html_text
from gaussdp.documents.html_page import head_and_body
from gaussdp.documents.icons import IconArray, symbol
from gaussdp.documents.renderings import DEFAULT_DIGITS
from gaussdp.documents.tables import Table
from gaussdp.explaining.numbers import document

if TYPE_CHECKING:
    from gaussdp.explaining.explanation import Explanation

_STYLE = """
.gaussdp-explanation { box-sizing: border-box; max-width: 50rem; margin: 0 auto; padding: 1rem;
  font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; color-scheme: light; }
.gaussdp-explanation h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
.gaussdp-explanation h2 { font-size: 1.15rem; margin: 1.5rem 0 .4rem; }
.gaussdp-explanation .headline { font-size: 1.15rem; font-weight: 600; }
.gaussdp-explanation ul { margin: .4rem 0; padding-left: 1.3rem; }
.gaussdp-explanation li { margin: .3rem 0; }
.gaussdp-explanation .icons { display: flex; flex-wrap: wrap; gap: 1.5rem 2.5rem; margin: 1rem 0; }
.gaussdp-explanation figure { margin: 0; flex: 1 1 20rem; }
.gaussdp-explanation figure svg { display: block; max-width: 100%; height: auto; }
.gaussdp-explanation figcaption { font-size: .95rem; margin-bottom: .5rem; }
.gaussdp-explanation .key { list-style: none; padding: 0; font-size: .9rem; }
.gaussdp-explanation .key b { display: inline-block; min-width: 1.8rem; text-align: right; }
.gaussdp-explanation figure .key svg { display: inline-block; vertical-align: -2px; }
.gaussdp-explanation .scroll { overflow-x: auto; margin: .75rem 0; }
.gaussdp-explanation table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
.gaussdp-explanation caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
.gaussdp-explanation th, .gaussdp-explanation td { padding: .25rem .7rem; text-align: right; }
.gaussdp-explanation th:first-child, .gaussdp-explanation td:first-child { text-align: left; padding-left: 0; }
.gaussdp-explanation thead th { border-bottom: 1px solid #888; vertical-align: bottom; }
.gaussdp-explanation .quiet { font-size: .85rem; color: #444; }
@media print {
  .gaussdp-explanation { max-width: none; padding: 0; font-size: 10.5pt; }
  .gaussdp-explanation figure, .gaussdp-explanation li, .gaussdp-explanation tr { break-inside: avoid; }
  .gaussdp-explanation h2, .gaussdp-explanation caption { break-after: avoid; }
}
"""


def fragment(explanation: "Explanation", digits: int = DEFAULT_DIGITS) -> str:
    """A part of a page with its own style; nothing is loaded from elsewhere."""
    passages = "\n".join(
        f"<section>\n<h2>{html_text(passage.title)}</h2>\n"
        + (f"<p>{html_text(passage.lead)}</p>\n" if passage.lead else "")
        + "<ul>\n"
        + "\n".join(f"<li>{html_text(sentence)}</li>" for sentence in passage.sentences)
        + "\n</ul>\n</section>"
        for passage in explanation.passages
    )
    numbers = document(explanation)
    tables = "\n".join(_table(table, digits) for table in numbers.tables)
    icons = "\n".join(_figure(array, f"gaussdp-icons-{i}") for i, array in enumerate(explanation.icons))
    notes = " ".join(html_text(note) for note in numbers.notes)
    return (
        f'<div class="gaussdp-explanation">\n<style>{_STYLE}</style>\n<h1>{html_text(explanation.title)}</h1>\n'
        f'<p class="headline">{html_text(explanation.headline)}</p>\n<div class="icons">\n{icons}\n</div>\n{passages}\n'
        f"<section>\n<h2>{html_text(numbers.title)}</h2>\n{tables}\n"
        f'<p class="quiet">{notes}</p>\n</section>\n</div>\n'
    )


def page(explanation: "Explanation", digits: int = DEFAULT_DIGITS) -> str:
    """A page of its own."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html_text(explanation.title)}</title>\n"
        "<style>body { margin: 0; background: #fff; }</style>\n</head>\n"
        f"<body>\n<main>\n{fragment(explanation, digits)}</main>\n</body>\n</html>\n"
    )


def _figure(array: IconArray, name: str) -> str:
    key = "\n".join(
        f"<li>{symbol(kind)}<b>{count}</b> {html_text(label)}</li>"
        for kind, (count, label) in enumerate(array.legend())
    )
    return (
        f"<figure>\n<figcaption>{html_text(array.title)}</figcaption>\n{array.svg(name)}\n"
        f'<ul class="key">\n{key}\n</ul>\n</figure>'
    )


def _table(table: Table, digits: int) -> str:
    return (
        f'<div class="scroll" tabindex="0"><table>\n<caption>{html_text(table.title)}</caption>\n'
        f"{head_and_body(table, digits)}</table></div>"
    )
