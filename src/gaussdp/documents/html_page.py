"""A document as one HTML page that needs nothing else."""

from gaussdp.documents.escaping import html_text
from gaussdp.documents.renderings import DEFAULT_DIGITS
from gaussdp.documents.tables import Document, Table

_STYLE = (
    "body{max-width:54rem;margin:0 auto;padding:1.5rem;font:16px/1.5 system-ui,sans-serif}"
    "body{color:#1c1c1c;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem}div{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}"
    "th,td{padding:.3rem .7rem;text-align:left;vertical-align:top}thead th{border-bottom:1px solid #888}"
)


def html_page(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """Headings, tables and notes, with the numbers of the other renderings."""
    title = html_text(document.title)
    notes = "".join(f"<li>{html_text(note)}</li>\n" for note in document.notes)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        + "".join(_table(table, digits) for table in document.tables)
        + (f"<ul>\n{notes}</ul>\n" if notes else "")
        + "</body>\n</html>\n"
    )


def _table(table: Table, digits: int) -> str:
    return f"<h2>{html_text(table.title)}</h2>\n<div><table>\n{head_and_body(table, digits)}</table></div>\n"


def head_and_body(table: Table, digits: int) -> str:
    """The inside of a table element, its caption left to the page."""
    head = "".join(f'<th scope="col">{html_text(heading)}</th>' for heading in table.headings())
    rows = "".join(
        "<tr>" + "".join(f"<td>{html_text(cell)}</td>" for cell in row) + "</tr>\n" for row in table.text_rows(digits)
    )
    return f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n"
