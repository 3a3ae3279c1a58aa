"""The renderings of a report, by name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gaussdp.statements.latex import latex
from gaussdp.statements.machine import json_text
from gaussdp.statements.page import page
from gaussdp.statements.plain import markdown, text

if TYPE_CHECKING:
    from gaussdp.statements.report import Report

RENDERINGS: dict[str, Callable[["Report"], str]] = {
    "text": text,
    "markdown": markdown,
    "html": page,
    "latex": latex,
    "json": json_text,
}
