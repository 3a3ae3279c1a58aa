"""The renderings of a report, by name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gaussdp.report.statements.latex import latex
from gaussdp.report.statements.machine import json_text
from gaussdp.report.statements.page import page
from gaussdp.report.statements.plain import markdown, text

if TYPE_CHECKING:
    from gaussdp.report.statements.report import Report

RENDERINGS: dict[str, Callable[["Report"], str]] = {
    "text": text,
    "markdown": markdown,
    "html": page,
    "latex": latex,
    "json": json_text,
}
