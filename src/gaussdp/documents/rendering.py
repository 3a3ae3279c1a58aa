"""The formats of a document by name, the files of each, and in which language they speak."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from gaussdp.documents.blocks import Document
from gaussdp.documents.rounding import MOST_DIGITS
from gaussdp.domains import integer, one_of
from gaussdp.words import LANGUAGES, Phrase, speaking

Format = Literal["text", "markdown", "csv", "json", "latex", "html"]

DEFAULT_DIGITS = 4


@dataclass(frozen=True)
class Style:
    """What there is to know of a format beside its renderer.

    Attributes:
        label: to choose it by.
        ending: of its files.
        media: the media type of these.
        prose: whether it has sections: tables alone would leave out the words without which they mislead.
        pictures: the format of the picture files that it points to; "" if it holds them itself, or has none.
    """

    label: str
    ending: str
    media: str
    prose: bool = True
    pictures: str = ""


STYLES: dict[Format, Style] = {
    "text": Style(Phrase("Text"), "txt", "text/plain"),
    "markdown": Style("Markdown", "md", "text/markdown", pictures="png"),
    "csv": Style("CSV", "csv", "text/csv", prose=False),
    "json": Style("JSON", "json", "application/json"),
    "latex": Style("LaTeX", "tex", "application/x-tex", pictures="pdf"),
    "html": Style("HTML", "html", "text/html"),
}
FORMATS: tuple[Format, ...] = tuple(STYLES)
PROSE_FORMATS: tuple[Format, ...] = tuple(name for name, style in STYLES.items() if style.prose)
ENDINGS: dict[str, str] = {name: style.ending for name, style in STYLES.items()}


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


@contextmanager
def language(tag: str) -> Iterator[None]:
    """Speak this language for a while, in this thread or task: explanations, choices, advice, records, refusals.

    Args:
        tag: "en" or "de".
    Raises:
        DomainError: if there is no such language.

    >>> import gaussdp
    >>> with gaussdp.language("de"):
    ...     gaussdp.explain(1.0).title
    'Was μ = 1 bedeutet'
    """
    with speaking(one_of("language", tag, tuple(LANGUAGES))):
        yield
