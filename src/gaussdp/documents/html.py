"""A document as HTML: one page that needs nothing else, or a part of another page or a notebook."""

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby

from gaussdp.documents.blocks import (
    ADDED,
    BEFORE,
    REST,
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
    flat,
)
from gaussdp.errors import MissingExtraError
from gaussdp.words import numeral, say, spoken

# Text takes the colours around it, so that a part can be read on a light and on a dark page.
STYLE = """
.gaussdp { color: inherit; background: none; font: 1em/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  --line: rgba(128, 128, 128, .35); --rule: rgba(128, 128, 128, .9); box-sizing: border-box; max-width: 60rem; }
.gaussdp h1 { font-size: 1.5em; line-height: 1.25; margin: 0 0 .4em; }
.gaussdp h2 { font-size: 1.15em; margin: 0 0 .4em; }
.gaussdp section { border-top: 1px solid var(--line); padding: 1em 0; }
.gaussdp p, .gaussdp ul { margin: .5em 0; }
.gaussdp ul { padding-left: 1.3em; max-width: 50rem; }
.gaussdp li { margin: .25em 0; }
.gaussdp .number { font-size: 2.1em; font-weight: 600; line-height: 1.2; margin: .2em 0; }
.gaussdp .number small { display: block; font-size: .45em; font-weight: 400; opacity: .8; }
.gaussdp .title { font-weight: 600; font-size: 1.1em; }
.gaussdp .strong { font-weight: 600; font-size: 1.1em; }
.gaussdp .quiet, .gaussdp figcaption { font-size: .9em; opacity: .8; }
.gaussdp .warning { color: #1c1c1c; background: #fdf0f1; border-left: 4px solid #b00020; padding: .6em .8em;
  font-weight: 600; }
.gaussdp .tables { display: flex; flex-wrap: wrap; gap: .3em 2.5em; align-items: flex-start; }
.gaussdp .tables > div { min-width: 0; max-width: 100%; }
.gaussdp .scroll { overflow-x: auto; max-width: 100%; margin: 0 0 .6em; }
.gaussdp.gaussdp table { border-collapse: collapse; margin: 0; width: auto; color: inherit; background: none; border: 0;
  font-size: .92em; font-variant-numeric: tabular-nums; }
.gaussdp .label { font-size: .92em; font-weight: 600; margin: .6em 0 .2em; }
.gaussdp.gaussdp tr { background: none; }
.gaussdp.gaussdp th, .gaussdp.gaussdp td { color: inherit; background: none; text-align: left; vertical-align: top;
  font-weight: 400; padding: .2em 1.4em .2em 0; border: 0; border-bottom: 1px solid var(--line);
  overflow-wrap: normal; }
.gaussdp.gaussdp thead th { border-bottom-color: var(--rule); vertical-align: bottom; }
.gaussdp.gaussdp .numeric { text-align: right; white-space: nowrap; }
.gaussdp.gaussdp .over { text-align: center; }
.gaussdp.gaussdp table.facts th { font-weight: 600; width: 14em; }
.gaussdp.gaussdp table.facts td { overflow-wrap: anywhere; }
.gaussdp .judgement { padding: .5em 0; border-bottom: 1px solid var(--line); }
.gaussdp .judgement p { margin: .15em 0 0; }
.gaussdp .verdict { display: inline-block; white-space: nowrap; padding: .05em .5em; border-radius: 1em;
  font-size: .8em; font-weight: 600; border: 1px solid; }
.gaussdp .good { color: #0a5c2b; background: #eaf6ee; }
.gaussdp .bad { color: #b00020; background: #fdf0f1; }
.gaussdp .open { color: #6b4c00; background: #fdf6e3; }
.gaussdp pre { overflow-x: auto; font-size: .92em; }
.gaussdp .pictures { display: flex; flex-wrap: wrap; gap: 1em 2em; align-items: flex-start; }
.gaussdp figure { margin: .5em 0; min-width: 0; }
.gaussdp figure > svg, .gaussdp figure > img { display: block; max-width: 100%; height: auto; background: #fff; }
.gaussdp figure > img { width: 100%; }
.gaussdp figure.icons { flex: 1 1 18em; max-width: 26em; }
.gaussdp figure.drawn { width: 100%; }
.gaussdp figure.drawn > svg { width: 100%; }
.gaussdp .key { list-style: none; padding: 0; font-size: .9em; }
.gaussdp .key b { display: inline-block; min-width: 1.8em; text-align: right; }
.gaussdp .key svg { display: inline-block; vertical-align: -2px; }
@media (max-width: 40rem) {
  .gaussdp.gaussdp table.facts, .gaussdp.gaussdp table.facts :is(tbody, tr, th, td) { display: block; width: auto; }
  .gaussdp.gaussdp table.facts th { border-bottom: 0; padding: .4em 0 0; }
  .gaussdp.gaussdp table.facts td { padding: 0 0 .4em; }
}
@media print {
  @page { margin: 18mm 16mm; }
  .gaussdp { max-width: none; font-size: 10pt; line-height: 1.35; }
  .gaussdp section { padding: .5em 0; }
  .gaussdp .scroll { overflow: visible; }
  .gaussdp :is(h2, .label) { break-after: avoid; }
  .gaussdp :is(tr, li, figure, .judgement, .scroll) { break-inside: avoid; }
  .gaussdp :is(.warning, .verdict) { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""".strip()

_PAGE_STYLE = ":root { color-scheme: light; } body { margin: 0; color: #1c1c1c; background: #fff; font-size: 16px; }"
_MAIN_STYLE = "main.gaussdp { margin: 0 auto; padding: 1.5rem; } @media print { main.gaussdp { padding: 0; } }"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_STEP, _RADIUS = 20, 7.5  # of an icon, in pixels
_WIDEST = 400  # of all icons together


def html(document: Document, digits: int) -> str:
    """One page: style and pictures inside it, no script, and nothing fetched but picture files that it points to."""
    fetches = any(isinstance(block, Picture) and block.draw is None for block in flat(document.blocks))
    policy = "" if fetches else f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    generator = f'<meta name="generator" content="{html_words(document.generator)}">\n' if document.generator else ""
    style = f"<style>\n{_PAGE_STYLE}\n{_MAIN_STYLE}\n{STYLE}\n</style>\n"
    return page(document, digits, f"{policy}{generator}", style)


def page(document: Document, digits: int, before: str, after: str) -> str:
    """A page of a site whose head holds these elements before and after the title."""
    return (
        f'<!DOCTYPE html>\n<html lang="{spoken()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{before}<title>{html_words(document.title)}</title>\n{after}</head>\n<body>\n"
        f'<main class="gaussdp">\n<h1>{html_words(document.title)}</h1>\n{_blocks(document.blocks, digits)}\n</main>\n'
        "</body>\n</html>\n"
    )


def fragment(document: Document, digits: int) -> str:
    """A part of a notebook or another page, with its own style."""
    title = f'<p class="title">{html_words(document.title)}</p>'  # no heading, which would be one of the page around it
    return f'<div class="gaussdp">\n<style>\n{STYLE}\n</style>\n{title}\n{_blocks(document.blocks, digits)}\n</div>\n'


def html_words(words: str) -> str:
    """Words for the text or an attribute of HTML.

    >>> html_words('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return escape(words)


def _blocks(blocks: Sequence[Block], digits: int) -> str:
    """The blocks; neighbouring tables and pictures stand side by side where there is room."""
    parts = []
    for kind, group in groupby(blocks, _beside):
        inside = "\n".join(_block(block, digits) for block in group)
        parts.append(f'<div class="{kind}">\n{inside}\n</div>' if kind else inside)
    return "\n".join(parts)


def _beside(block: Block) -> str:
    if isinstance(block, Table):
        return "tables"
    return "pictures" if isinstance(block, IconArray) or (isinstance(block, Picture) and block.draw is None) else ""


def _block(block: Block, digits: int) -> str:
    match block:
        case Words(words, kind):
            mark = {"plain": "", "warning": ' class="warning" role="alert"'}.get(kind, f' class="{kind}"')
            return f"<p{mark}>{html_words(words)}</p>"
        case Items(sentences):
            return "<ul>\n" + "\n".join(f"<li>{html_words(words)}</li>" for words in sentences) + "\n</ul>"
        case Headline(number, words, struck):
            shown = f"<s>{html_words(number)}</s>" if struck else html_words(number)
            return f'<p class="number">{shown}<small>{html_words(words)}</small></p>'
        case Facts(rows):
            lines = (f'<tr><th scope="row">{html_words(a)}</th><td>{html_words(b)}</td></tr>' for a, b in rows)
            return '<table class="facts">\n<tbody>\n' + "\n".join(lines) + "\n</tbody>\n</table>"
        case Judgement(title, verdict, tone, words):
            return (
                f'<div class="judgement"><span class="verdict {tone}">{html_words(verdict)}</span>'
                f" <strong>{html_words(title)}</strong>\n<p>{html_words(words)}</p></div>"
            )
        case Picture():
            return _picture(block)
        case Links(targets):
            links = ", ".join(f'<a href="{html_words(address)}">{html_words(name)}</a>' for name, address in targets)
            return f'<p class="quiet">{links}</p>'
        case Code(typed):
            return f'<pre tabindex="0"><code>{html_words(typed)}</code></pre>'
        case IconArray():
            return _icons(block)
        case Table():
            return _table(block, digits)
        case Section(key, title, blocks):
            return (
                f'<section aria-labelledby="{key}">\n<h2 id="{key}">{html_words(title)}</h2>\n'
                f"{_blocks(blocks, digits)}\n</section>"
            )


def _table(table: Table, digits: int) -> str:
    rows = table.text_rows(digits)
    if len(rows) == 1 and not table.spanner:  # set upright
        pairs = zip(table.headings(), rows[0], strict=True)
        lines = [f'<tr><th scope="row">{html_words(name)}</th><td>{html_words(cell)}</td></tr>' for name, cell in pairs]
        head = ""
    else:
        kinds = [' class="numeric"' if table.numeric(place) else "" for place in range(len(table.columns))]
        labels = zip(table.labels(), kinds, strict=True)
        heads = "".join(f'<th scope="col"{kind}>{html_words(label)}</th>' for label, kind in labels)
        head = f"<thead>\n{_spanner(table)}<tr>{heads}</tr>\n</thead>\n"
        cells = ([f"<td{kind}>{html_words(cell)}</td>" for cell, kind in zip(row, kinds, strict=True)] for row in rows)
        lines = [f"<tr>{''.join(row)}</tr>" for row in cells]
    body, name = "\n".join(lines), html_words(table.title)
    return (
        f'<div>\n<p class="label">{name}</p>\n<div class="scroll" tabindex="0" role="region" aria-label="{name}">'
        f'<table aria-label="{name}">\n{head}<tbody>\n{body}\n</tbody>\n</table></div>\n</div>'
    )


def _spanner(table: Table) -> str:
    if not table.spanner:
        return ""
    width = len(table.columns) - 1
    return f'<tr><td></td><th class="over" scope="colgroup" colspan="{width}">{html_words(table.spanner)}</th></tr>\n'


def _picture(picture: Picture) -> str:
    caption = f"<figcaption>{html_words(picture.caption)}</figcaption>"
    if picture.draw is None:
        width = f' style="max-width: {picture.width}px"' if picture.width else ""
        image = f'<img src="{html_words(picture.name)}.svg" alt="{html_words(picture.title)}">'
        return f"<figure{width}>\n{image}\n{caption}\n</figure>"
    try:
        drawing = _inline(picture.draw("svg").decode(), picture.caption)
    except MissingExtraError as error:
        return f'<p class="quiet">The picture is left out: {html_words(str(error))}</p>'
    return f'<figure class="drawn">\n{drawing}\n{caption}\n</figure>'


def _inline(svg: str, caption: str) -> str:
    """An SVG file as an element of a page: no prolog, no metadata, no namespaces, which HTML knows by itself."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    head, rest = element.split(">", 1)
    head = re.sub(r'\s(?:xmlns(?::\w+)?|version|width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{html_words(caption)}">{rest}'.strip()


def _icons(array: IconArray) -> str:
    kinds, columns = array.kinds, array.columns
    wide, high = columns * _STEP, len(kinds) // columns * _STEP
    shapes = "".join(_shape(*divmod(place, columns), kind) for place, kind in enumerate(kinds))
    words = "; ".join(
        say("{count:,} of {of:,}: {label}", count=count, of=array.of, label=label) for count, label in array.legend()
    )
    title = f"{array.title} ({array.note})" if array.note else array.title
    shown = min(wide, _WIDEST)
    key = "\n".join(
        f'<li><svg viewBox="0 0 {_STEP} {_STEP}" width="14" height="14" aria-hidden="true">{_shape(0, 0, kind)}</svg>'
        f"<b>{numeral(f'{count:,}')}</b> {html_words(label)}</li>"
        for kind, (count, label) in enumerate(array.legend())
    )
    return (
        f'<figure class="icons">\n<figcaption>{html_words(title)}</figcaption>\n'
        f'<svg viewBox="0 0 {wide} {high}" width="{shown}" height="{high * shown // wide}" role="img" '
        f'aria-label="{html_words(title)}. {html_words(words)}">{shapes}</svg>\n'
        f'<ul class="key">\n{key}\n</ul>\n</figure>'
    )


def _shape(row: int, column: int, kind: int) -> str:
    x, y = (column + 0.5) * _STEP, (row + 0.5) * _STEP
    if kind == 1:  # a shape of its own, for those who do not see colours
        points = f"{x:g},{y - 9:g} {x + 9:g},{y:g} {x:g},{y + 9:g} {x - 9:g},{y:g}"
        return f'<polygon points="{points}" fill="{ADDED}"/>'
    if kind == 0:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" fill="{BEFORE}"/>'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS - 0.75}" fill="none" stroke="{REST}" stroke-width="1.5"/>'
