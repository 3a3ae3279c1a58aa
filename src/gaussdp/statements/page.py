"""A report as HTML: one page that needs nothing else, and the same as a part of a notebook."""

import re
from typing import TYPE_CHECKING

from gaussdp.documents.escaping import html_text
from gaussdp.documents.html_page import head_and_body
from gaussdp.documents.tables import Table
from gaussdp.errors import MissingExtraError
from gaussdp.statements.content import Block, Facts, Judged, Picture, Words, sections, title

if TYPE_CHECKING:
    from gaussdp.statements.report import Report

_STYLE = """
.gaussdp-report { color-scheme: light; box-sizing: border-box; max-width: 54rem; margin: 0 auto; padding: 1.5rem;
  font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; overflow-wrap: anywhere; }
.gaussdp-report h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
.gaussdp-report h2 { font-size: 1.15rem; margin: 0 0 .5rem; }
.gaussdp-report .number { font-size: 2.2rem; font-weight: 600; line-height: 1.2; margin: .25rem 0; }
.gaussdp-report .number small { display: block; font-size: .95rem; font-weight: 400; color: #444; }
.gaussdp-report .struck { text-decoration: line-through; text-decoration-thickness: 2px; }
.gaussdp-report section { border-top: 1px solid #ddd; padding: 1rem 0; }
.gaussdp-report p { margin: .5rem 0; }
.gaussdp-report .warning { border-left: 4px solid #b00020; background: #fdf0f1;
  padding: .6rem .8rem; font-weight: 600; }
.gaussdp-report .scroll { overflow-x: auto; max-width: 100%; margin: 0 0 .75rem; }
.gaussdp-report table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: 0;
  background: none; color: inherit; }
.gaussdp-report .label { font-size: .9rem; font-weight: 600; margin: .9rem 0 .3rem; }
.gaussdp-report th, .gaussdp-report td { padding: .3rem .7rem; text-align: right; vertical-align: top;
  overflow-wrap: normal; }
.gaussdp-report td { white-space: nowrap; }
.gaussdp-report thead th { border-bottom: 1px solid #888; vertical-align: bottom; }
.gaussdp-report table.words { width: 100%; }
.gaussdp-report table.words th, .gaussdp-report table.words td { text-align: left; overflow-wrap: anywhere;
  white-space: normal; border-bottom: 1px solid #eee; }
.gaussdp-report table.words th { font-weight: 600; width: 14rem; padding-left: 0; }
.gaussdp-report .verdict { display: inline-block; white-space: nowrap; padding: .05rem .5rem; border-radius: 1rem;
  font-size: .8rem; font-weight: 600; border: 1px solid; }
.gaussdp-report .met { color: #0a5c2b; background: #eaf6ee; }
.gaussdp-report .not-met { color: #b00020; background: #fdf0f1; }
.gaussdp-report .not-stated { color: #6b4c00; background: #fdf6e3; }
.gaussdp-report .assumption { padding: .5rem 0; border-bottom: 1px solid #eee; }
.gaussdp-report .assumption p { margin: .15rem 0 0; }
.gaussdp-report figure { margin: .5rem 0; }
.gaussdp-report figure svg { display: block; width: 100%; max-width: 100%; height: auto; }
.gaussdp-report figcaption, .gaussdp-report .quiet { font-size: .9rem; color: #444; }
@media (max-width: 40rem) {
  .gaussdp-report { padding: 1rem; }
  .gaussdp-report table.words, .gaussdp-report table.words tbody, .gaussdp-report table.words tr,
  .gaussdp-report table.words th, .gaussdp-report table.words td { display: block; width: auto; }
  .gaussdp-report table.words th { border-bottom: 0; padding: .4rem 0 0; }
  .gaussdp-report table.words td { padding: 0 0 .4rem; }
}
@media print {
  @page { margin: 18mm 16mm; }
  .gaussdp-report { max-width: none; padding: 0; font-size: 10pt; line-height: 1.35; }
  .gaussdp-report section { padding: .5rem 0; }
  .gaussdp-report th, .gaussdp-report td { padding-top: .12rem; padding-bottom: .12rem; }
  .gaussdp-report .assumption { padding: .25rem 0; }
  .gaussdp-report .label { margin-top: .4rem; }
  .gaussdp-report .scroll { break-inside: avoid; }
  .gaussdp-report h2, .gaussdp-report .label { break-after: avoid; }
  .gaussdp-report tr, .gaussdp-report figure, .gaussdp-report .assumption { break-inside: avoid; }
  .gaussdp-report .scroll { overflow: visible; }
  .gaussdp-report .warning, .gaussdp-report .verdict { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""".strip()

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(report: "Report") -> str:
    """The report as one page: style and picture inside it, no script, nothing fetched."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="generator" content="gaussdp {html_text(report.version)}">
<title>{html_text(title(report))}</title>
<style>
body {{ margin: 0; }}
{_STYLE}
</style>
</head>
<body>
<main class="gaussdp-report">
{_body(report)}
</main>
</body>
</html>
"""


def fragment(report: "Report") -> str:
    """The report as a part of a notebook or another page."""
    return f'<div class="gaussdp-report">\n<style>\n{_STYLE}\n</style>\n{_body(report)}\n</div>\n'


def _body(report: "Report") -> str:
    parts = [f"<h1>{html_text(title(report))}</h1>", _number(report)]
    for section in sections(report):
        blocks = "\n".join(_block(block, report) for block in section.blocks)
        parts.append(
            f'<section aria-labelledby="{section.key}">\n<h2 id="{section.key}">{html_text(section.title)}</h2>\n'
            f"{blocks}\n</section>"
        )
    return "\n".join(parts)


def _number(report: "Report") -> str:
    """The number first; struck through where it does not hold."""
    row = report.guarantee.text_rows(report.digits)[0]
    number = f"μ = {html_text(row[0])}"
    if report.standing == "does not hold":
        number = f'<span class="struck">{number}</span>'
    words = "for every attack" if report.fit.unconditional else f"for attacks with error rates of at least {row[2]}"
    return (
        f'<p class="number">{number}<small>Gaussian differential privacy, {html_text(words)};'
        f" protects {html_text(report.run.unit)}</small></p>"
    )


def _block(block: Block, report: "Report") -> str:
    if isinstance(block, Words):
        return (
            f'<p class="warning" role="alert">{html_text(block.text)}</p>' if block.warning else _paragraph(block.text)
        )
    if isinstance(block, Facts):
        rows = "\n".join(
            f'<tr><th scope="row">{html_text(name)}</th><td>{html_text(words)}</td></tr>' for name, words in block.rows
        )
        return f'<table class="words">\n<tbody>\n{rows}\n</tbody>\n</table>'
    if isinstance(block, Judged):
        return "\n".join(
            f'<div class="assumption"><span class="verdict {item.verdict.replace(" ", "-")}">{item.verdict}</span>'
            f" <strong>{html_text(item.title)}</strong>\n{_paragraph(item.words)}</div>"
            for item in block.assumptions
        )
    if isinstance(block, Table):
        return _table(block, report.digits)
    return _picture(block, report)


def _paragraph(words: str) -> str:
    return f"<p>{html_text(words)}</p>"


def _table(table: Table, digits: int) -> str:
    return (
        f'<p class="label" id="table-{table.key}">{html_text(table.title)}</p>\n<div class="scroll">'
        f'<table aria-labelledby="table-{table.key}">\n{head_and_body(table, digits)}</table></div>'
    )


def _picture(picture: Picture, report: "Report") -> str:
    try:
        drawing = _inline(report.figure("svg").decode(), picture.caption)
    except MissingExtraError as error:
        return f'<p class="quiet">The picture is left out: {html_text(str(error))}</p>'
    return f"<figure>\n{drawing}\n<figcaption>{html_text(picture.caption)}</figcaption>\n</figure>"


def _inline(svg: str, caption: str) -> str:
    """An SVG file as an element of a page: no prolog, no metadata, no namespaces, which HTML knows by itself."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    head, rest = element.split(">", 1)
    head = re.sub(r'\s(?:xmlns(?::\w+)?|version|width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{html_text(caption)}">{rest}'.strip()
