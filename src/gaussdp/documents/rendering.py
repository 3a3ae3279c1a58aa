"""The formats of a document by name, and the files of each."""

from collections.abc import Callable
from typing import Literal, get_args

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import MOST_DIGITS
from gaussdp.domains import integer, one_of

Format = Literal["text", "markdown", "csv", "json", "latex", "html"]

DEFAULT_DIGITS = 4
FORMATS: tuple[Format, ...] = get_args(Format)
PROSE_FORMATS: tuple[Format, ...] = ("text", "markdown", "json", "latex", "html")
"""The formats of documents with sections: tables alone would leave out the words without which they mislead."""

ENDINGS: dict[str, str] = {
    "text": "txt",
    "markdown": "md",
    "csv": "csv",
    "json": "json",
    "latex": "tex",
    "html": "html",
}


def render(document: Document, format: str = "text", digits: int = DEFAULT_DIGITS) -> str:
    """The document in the format of this name, with numbers of so many significant digits.

    Raises:
        DomainError: if there is no such format, or so many digits are none.
    """
    count = integer("digits", digits, low=1, high=MOST_DIGITS)
    known = PROSE_FORMATS if document.sections else FORMATS
    return _renderer(one_of("format", format, known))(document, count)


def _renderer(format: Format) -> Callable[[Document, int], str]:
    """The renderer of a format, loaded when used: results know documents, and importing them must stay light."""
    from gaussdp.documents import html, latex, machine, markdown, text

    return {
        "text": text.text,
        "markdown": markdown.markdown,
        "csv": machine.comma_separated,
        "json": machine.json_text,
        "latex": latex.latex,
        "html": html.html,
    }[format]


class Displayed:
    """A result that says what to show of it, and that a notebook shows so."""

    __slots__ = ()

    def document(self) -> Document:
        """What to show."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from gaussdp.documents.html import fragment  # when a notebook asks

        return fragment(self.document(), DEFAULT_DIGITS)


def document_files(stem: str, document: Document, digits: int, *formats: Format) -> dict[str, bytes]:
    """The document in these formats, by file name."""
    return {f"{stem}.{ENDINGS[name]}": render(document, name, digits).encode() for name in formats}
