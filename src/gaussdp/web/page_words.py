"""The words that stand in the page itself, in the language that is spoken: its texts, and what its attributes say."""

import re
from collections.abc import Callable
from html import escape, unescape

_TEXT = re.compile(r"(?<=>)([^<>]+)(?=<)")
_SAID = re.compile(r'(?<= )(aria-label|alt|placeholder|title|name="description" content)="([^"]+)"')
_LANGUAGE = re.compile(r'(<html lang=")[a-z]+(")')


def page_in(text: str, tag: str, say: Callable[[str], str]) -> str:
    """The page with every text and label said in a language.

    Args:
        text: the page, in English.
        tag: the language's.
        say: gives the words for an English text.
    """

    def words(english: str) -> str:
        """White space around a text stays, inside it is one space."""
        inner = english.strip()
        return english if not inner else english.replace(inner, escape(say(normal(inner)), quote=False))

    said = _TEXT.sub(lambda found: words(found[1]), text)
    said = _SAID.sub(lambda found: f'{found[1]}="{escape(say(normal(found[2])))}"', said)
    return _LANGUAGE.sub(rf"\g<1>{tag}\g<2>", said)


def normal(text: str) -> str:
    """A text of the page as the catalogues know it: in one line, without entities."""
    return " ".join(unescape(text).split())
