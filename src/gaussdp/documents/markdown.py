"""A document as Markdown: headings, pipe tables and lists; pictures are the files beside it."""

import re
from collections.abc import Sequence

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
    Table,
    Words,
)
from gaussdp.documents.text import ICONS, READABLE, Page
from gaussdp.words import Phrase, say

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_KINDS = {"plain": "{}", "strong": "**{}**", "warning": Phrase("> **Warning:** {}"), "quiet": "*{}*"}


def markdown(document: Document, digits: int) -> str:
    """The document for readers and tools of Markdown, with nothing in its words that these would read as markup."""
    parts = [f"# {markdown_words(document.title)}", *_blocks(document.blocks, digits)]
    return "\n\n".join(parts) + "\n"


def markdown_words(words: str) -> str:
    r"""Words for the inside of a line of Markdown, with nothing left that Markdown or HTML would read.

    >>> print(markdown_words("a_b <i>|"))
    a\_b \<i\>\|
    """
    return _SPECIAL.sub(r"\\\1", words)


def _blocks(blocks: Sequence[Block], digits: int) -> list[str]:
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, Judgement) and parts and parts[-1].startswith(_judged_head()):  # another row of that table
            parts[-1] += "\n" + _judged(block)
        else:
            parts.append(_block(block, digits))
    return parts


def _block(block: Block, digits: int) -> str:
    match block:
        case Words(words, kind):
            return str(_KINDS[kind]).format(markdown_words(words))
        case Items(sentences):
            return "\n".join(f"- {markdown_words(sentence)}" for sentence in sentences)
        case Headline(number, words, struck):
            shown = f"~~{markdown_words(number)}~~" if struck else markdown_words(number)
            return f"**{shown}** {markdown_words(words)}"
        case Facts(rows):
            return _pipes(["", ""], [[f"**{markdown_words(name)}**", markdown_words(words)] for name, words in rows])
        case Judgement():
            return f"{_judged_head()}\n{_judged(block)}"
        case Picture(name, title, caption):
            return f"![{markdown_words(title)}]({name}.png)\n\n{markdown_words(caption)}"
        case Links(targets):
            return ", ".join(f"[{markdown_words(name)}]({address})" for name, address in targets)
        case Code(typed):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", typed)), default=0))
            return f"{fence}text\n{typed}\n{fence}"
        case IconArray():
            icons = Page(digits, READABLE, ICONS).icon_rows(block)
            return f"{markdown_words(block.title)}:\n\n```text\n{icons}\n```"
        case Table():
            cells = [[markdown_words(cell) for cell in row] for row in block.text_rows(digits)]
            return f"**{markdown_words(block.title)}**\n\n" + _pipes(list(map(markdown_words, block.headings())), cells)
        case Section(_, title, blocks):
            return "\n\n".join([f"## {markdown_words(title)}", *_blocks(blocks, digits)])


def _judged(block: Judgement) -> str:
    return _row([markdown_words(block.title), f"**{block.verdict}**", markdown_words(block.words)])


def _pipes(headings: list[str], rows: list[list[str]]) -> str:
    return "\n".join(map(_row, [headings, ["---"] * len(headings), *rows]))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _judged_head() -> str:
    return _pipes([say("assumption"), say("verdict"), say("why")], [])
