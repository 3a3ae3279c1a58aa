"""Files: documents in every rendering, written where the caller says."""

from collections.abc import Mapping
from pathlib import Path

from gaussdp.documents.renderings import RENDERINGS
from gaussdp.documents.tables import Document

ENDINGS = {"text": "txt", "markdown": "md", "csv": "csv", "latex": "tex"}


def document_files(stem: str, document: Document, digits: int) -> dict[str, bytes]:
    """The document as text, Markdown, CSV and LaTeX, by file name."""
    return {f"{stem}.{ending}": RENDERINGS[name](document, digits).encode() for name, ending in ENDINGS.items()}


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write each file under the directory, making the folders it needs."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
