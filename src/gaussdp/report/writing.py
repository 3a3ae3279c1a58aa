"""Files: documents in every rendering and figures in every format, written where the caller says."""

from collections.abc import Mapping
from pathlib import Path

from gaussdp.report.figures.drawing import FORMATS
from gaussdp.report.figures.rule_map import RuleMap, render_rule_map
from gaussdp.report.renderings import RENDERINGS
from gaussdp.report.tables import Document

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


def write_rules(directory: Path, document: Document, chart: RuleMap, digits: int = 4) -> Path:
    """The tables of rules of thumb in every format, and their map as SVG, PDF and PNG; returns the directory."""
    pictures = render_rule_map(chart, *FORMATS)
    write_files(directory, document_files("rules", document, digits))
    write_files(directory, {f"rules.{ending}": content for ending, content in pictures.items()})
    return directory
