"""One document, five renderings: text, Markdown, CSV, JSON, LaTeX."""

import csv
import io
import json
import math
from collections.abc import Callable

from gaussdp.documents.escaping import latex_words
from gaussdp.documents.rounding import shown
from gaussdp.documents.tables import Document, Table, Value

DEFAULT_DIGITS = 4


def text(document: Document, digits: int = DEFAULT_DIGITS, width: int = 120) -> str:
    """For a terminal of this width; the only rendering that needs rich."""
    parts = [_printed(document.title, width)]
    parts += [f"\n{table.title}\n{text_table(table, digits, width)}" for table in document.tables]
    parts += [_printed(f"- {note}", width) for note in document.notes]
    return "".join(parts)


def text_table(table: Table, digits: int = DEFAULT_DIGITS, width: int = 120) -> str:
    """The rows of one table for a terminal of this width."""
    from rich import box
    from rich.table import Table as RichTable

    rich_table = RichTable(box=box.SIMPLE_HEAD)
    for i, heading in enumerate(table.headings()):
        numeric = all(not isinstance(row[i], str) for row in table.rows)
        rich_table.add_column(heading, justify="right" if numeric else "left")
    for row in table.text_rows(digits):
        rich_table.add_row(*row)
    return _printed(rich_table, width)


def _printed(thing: object, width: int) -> str:
    from rich.console import Console

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        color_system=None,
        emoji=False,
        markup=False,
        highlight=False,
        force_jupyter=False,  # else rich, in a notebook, shows the tables at once instead of giving them to the buffer
    )
    console.print(thing)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def markdown(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """Headings, pipe tables and a list of notes."""
    parts = [f"# {document.title}"]
    for table in document.tables:
        header = "| " + " | ".join(heading.replace("|", r"\|") for heading in table.headings()) + " |"
        rule = "|" + "|".join("---" for _ in table.columns) + "|"
        body = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in table.text_rows(digits)]
        parts.append("\n".join([f"## {table.title}", "", header, rule, *body]))
    if document.notes:
        parts.append("\n".join(f"- {note}" for note in document.notes))
    return "\n\n".join(parts) + "\n"


def comma_separated(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """Each table with its machine names as header, a blank line between tables; the notes stay out."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for i, table in enumerate(document.tables):
        if i:
            buffer.write("\n")
        writer.writerow(column.key for column in table.columns)
        writer.writerows(table.text_rows(digits))
    return buffer.getvalue()


def json_text(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """Tables as lists of objects under their keys, with the rounding of each column; infinity is the string "inf"."""

    def plain(value: Value) -> Value:
        return shown(value) if isinstance(value, float) and math.isinf(value) else value

    def as_object(table: Table) -> dict[str, object]:
        keys = [column.key for column in table.columns]
        return {
            "title": table.title,
            "rounding": {column.key: column.rounding.value for column in table.columns},
            "rows": [dict(zip(keys, map(plain, row), strict=True)) for row in table.rounded_rows(digits)],
        }

    content = {
        "title": document.title,
        "digits": digits,
        "tables": {table.key: as_object(table) for table in document.tables},
        "notes": list(document.notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def latex(document: Document, digits: int = DEFAULT_DIGITS) -> str:
    """One booktabs table per table; needs the packages booktabs and amsmath."""
    parts = [f"% {document.title}"]
    for table in document.tables:
        alignment = "".join("l" if any(isinstance(row[i], str) for row in table.rows) else "r" for i in _places(table))
        rows = [" & ".join(latex_cell(cell) for cell in row) + r" \\" for row in table.text_rows(digits)]
        header = " & ".join(latex_words(column.label) for column in table.columns) + r" \\"
        parts.append(
            "\n".join(
                [
                    r"\begin{table}",
                    r"\centering",
                    rf"\caption{{{latex_words(table.title)}}}",
                    rf"\begin{{tabular}}{{{alignment}}}",
                    r"\toprule",
                    *_latex_spanner(table),
                    header,
                    r"\midrule",
                    *rows,
                    r"\bottomrule",
                    r"\end{tabular}",
                    r"\end{table}",
                ]
            )
        )
    parts.extend(f"% {note}" for note in document.notes)
    return "\n\n".join(parts) + "\n"


RENDERINGS: dict[str, Callable[..., str]] = {
    "text": text,
    "markdown": markdown,
    "csv": comma_separated,
    "json": json_text,
    "latex": latex,
}


def _latex_spanner(table: Table) -> list[str]:
    if not table.spanner:
        return []
    count = len(table.columns)
    head = rf" & \multicolumn{{{count - 1}}}{{c}}{{{latex_words(table.spanner)}}} \\"
    return [head, rf"\cmidrule(l){{2-{count}}}"]


def latex_cell(cell: str) -> str:
    """One cell: a number as mathematics, words as words."""
    mantissa, _, exponent = cell.partition("e")
    try:
        float(cell)
    except ValueError:
        return latex_words(cell)
    if not exponent:
        return r"$\infty$" if cell == "inf" else cell
    return rf"$10^{{{exponent}}}$" if mantissa == "1" else rf"${mantissa} \cdot 10^{{{exponent}}}$"


def _places(table: Table) -> range:
    return range(len(table.columns))
