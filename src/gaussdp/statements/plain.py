"""A report as text for a terminal, and as Markdown."""

import textwrap
from typing import TYPE_CHECKING

from gaussdp.documents.escaping import markdown_text
from gaussdp.documents.renderings import text_table
from gaussdp.documents.tables import Table
from gaussdp.statements.content import FIGURE_TITLE, Block, Facts, Judged, Picture, Words, sections, title

if TYPE_CHECKING:
    from gaussdp.statements.report import Report

WIDTH = 100


def text(report: "Report") -> str:
    """For a terminal or a plain file."""
    head = title(report)
    parts = [f"{_wrapped(head)}\n{'=' * min(WIDTH, len(head))}"]
    for section in sections(report):
        blocks = [block for block in section.blocks if not isinstance(block, Picture)]
        if blocks:
            parts.append(f"{section.title}\n{'-' * len(section.title)}")
            parts.extend(_text_block(block, report.digits) for block in blocks)
    return "\n\n".join(parts) + "\n"


def markdown(report: "Report") -> str:
    """Headings, pipe tables and lists; the picture is the file that `Report.write` puts beside it."""
    parts = [f"# {markdown_text(title(report))}"]
    for section in sections(report):
        parts.append(f"## {markdown_text(section.title)}")
        parts.extend(_markdown_block(block, report.digits) for block in section.blocks)
    return "\n\n".join(parts) + "\n"


def _text_block(block: Block, digits: int) -> str:
    if isinstance(block, Words):
        return _wrapped(f"WARNING: {block.text}" if block.warning else block.text)
    if isinstance(block, Facts):
        width = max(len(name) for name, _ in block.rows) + 2
        return "\n".join(_wrapped(words, f"  {name:<{width}}", " " * (width + 2)) for name, words in block.rows)
    if isinstance(block, Judged):
        return "\n".join(
            f"{_wrapped(f'[{item.verdict}] {item.title}', '  ', '    ')}\n{_wrapped(item.words, '    ', '    ')}"
            for item in block.assumptions
        )
    if isinstance(block, Table):
        return f"{block.title}\n{text_table(block, digits, WIDTH)}".rstrip("\n")
    return block.caption


def _wrapped(words: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(words, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _markdown_block(block: Block, digits: int) -> str:
    if isinstance(block, Words):
        words = markdown_text(block.text)
        return f"> **Warning:** {words}" if block.warning else words
    if isinstance(block, Facts):
        return _pipes(["", ""], [[f"**{markdown_text(name)}**", markdown_text(words)] for name, words in block.rows])
    if isinstance(block, Judged):
        rows = [
            [markdown_text(item.title), f"**{item.verdict}**", markdown_text(item.words)] for item in block.assumptions
        ]
        return _pipes(["assumption", "verdict", "why"], rows)
    if isinstance(block, Table):
        cells = [[markdown_text(cell) for cell in row] for row in block.text_rows(digits)]
        return f"**{markdown_text(block.title)}**\n\n" + _pipes([markdown_text(h) for h in block.headings()], cells)
    return f"![{FIGURE_TITLE}](tradeoff.png)\n\n{markdown_text(block.caption)}"


def _pipes(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
