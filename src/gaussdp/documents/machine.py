"""A document for programs: JSON, in which infinity is the string "inf", and CSV."""

import csv
import io
import json
import math
from typing import Any

from gaussdp.documents.blocks import Document, Table
from gaussdp.documents.rounding import shown
from gaussdp.words import ENGLISH, speaking


def json_text(document: Document, digits: int) -> str:
    """Its own content if it has one; else the tables as lists of objects, with the rounding of each column."""
    if document.content is not None:
        return dumped(document.content)
    return dumped(
        {
            "title": document.title,
            "digits": digits,
            "tables": {table.key: _table(table, digits) for table in document.tables},
            "notes": list(document.notes),
        }
    )


def comma_separated(document: Document, digits: int) -> str:
    """Each table with its machine names as header, a blank line between tables; words outside them stay out."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for i, table in enumerate(document.tables):
        if i:
            buffer.write("\n")
        writer.writerow(column.key for column in table.columns)
        with speaking(ENGLISH):  # numbers as programs read them
            writer.writerows(map(csv_cell, row) for row in table.text_rows(digits))
    return buffer.getvalue()


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet runs as a formula: such a text gets an apostrophe in front, and a number stays one.

    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell("mu=1")
    ("'=1+1", '-0.5', 'mu=1')
    """
    line = text.replace("\r", " ")  # which would begin a row of its own
    if not (line.lstrip().startswith(_RUN) or line.startswith(("\t", "\n"))):
        return line
    try:
        float(line)
    except ValueError:
        return f"'{line}"
    return line


_RUN = ("=", "+", "-", "@")  # what begins a formula


def dumped(content: Any, *, compact: bool = False) -> str:
    """The content as JSON, one line if compact; NaN does not occur.

    >>> dumped({"mu": math.inf}, compact=True)
    '{"mu":"inf"}'
    """
    encode = _COMPACT.encode if compact else _indented
    try:
        text = encode(content)
    except ValueError:  # rare, so that only what holds an infinity pays for the walk
        text = encode(plain(content))
    return text if compact else text + "\n"


def _indented(content: Any) -> str:
    """With lines of their own; where nothing is nested, by the encoder in C, which knows no lines but separators."""
    if type(content) is dict and content and _FLAT_KINDS.issuperset(map(type, content.values())):
        return f"{{\n  {_FLAT.encode(content)[1:-1]}\n}}"
    return _INDENTED.encode(content)


_FLAT_KINDS = frozenset({str, float, int, bool, type(None)})
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INDENTED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_FLAT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",\n  ", ": "))


def plain(content: Any) -> Any:
    """The content with every infinity as a word."""
    if isinstance(content, dict):
        return {key: plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [plain(value) for value in content]
    return shown(content) if isinstance(content, float) and math.isinf(content) else content


def records(table: Table, digits: int) -> list[dict[str, object]]:
    """The rows of a table as objects, rounded as in every other format."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rounded_rows(digits)]


def _table(table: Table, digits: int) -> dict[str, object]:
    return {
        "title": table.title,
        "rounding": {column.key: column.rounding.value for column in table.columns},
        "rows": records(table, digits),
    }
