"""Documents: blocks and tables that know how they round, and one renderer a format. No domain knowledge."""

from gaussdp.documents.blocks import (
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
    Words,
)
from gaussdp.documents.rendering import (
    DEFAULT_DIGITS,
    ENDINGS,
    FORMATS,
    PROSE_FORMATS,
    Displayed,
    Format,
    document_files,
    render,
)
from gaussdp.documents.rounding import MOST_DIGITS, Rounding, rounded, shown, shown_level
from gaussdp.documents.tables import Column, Table, Value

__all__ = [
    "DEFAULT_DIGITS",
    "ENDINGS",
    "FORMATS",
    "MOST_DIGITS",
    "PROSE_FORMATS",
    "Block",
    "Code",
    "Column",
    "Displayed",
    "Document",
    "Facts",
    "Format",
    "Headline",
    "IconArray",
    "Items",
    "Judgement",
    "Links",
    "Picture",
    "Rounding",
    "Section",
    "Table",
    "Value",
    "Words",
    "document_files",
    "render",
    "rounded",
    "shown",
    "shown_level",
]
