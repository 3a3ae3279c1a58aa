"""Names that people type, of budgets, releases and people: nobody takes one for another because of what is not seen."""

import unicodedata
from collections.abc import Iterable

from gaussdp.errors import DomainError
from gaussdp.words import say

_UNSEEN_KINDS = ("Cc", "Cf", "Cn", "Co", "Cs")  # controls, formats (zero width, direction), and what is no character
_UNSEEN = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
    | set(range(0xE0100, 0xE01F0))
)
"""Fillers, joiners and variation selectors, which are letters or marks and leave no mark of their own."""


def refuse_unseen(parameter: str, names: Iterable[str]) -> None:
    """Return if every character can be seen, and every name has one that is no white space.

    Raises:
        DomainError: otherwise, with the character.
    """
    for words in names:
        if words.isascii() and words.isprintable() and not words.isspace():  # most
            continue
        for character in words:
            if unicodedata.category(character) in _UNSEEN_KINDS or ord(character) in _UNSEEN:
                seen = say("the invisible character U+{code}", code=f"{ord(character):04X}")
                raise DomainError(parameter, say("visible text"), got=seen, advice=say("leave it out"))
        if not words.strip():
            raise DomainError(parameter, say("visible text"), got=say("white space"))
