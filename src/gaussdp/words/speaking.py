"""The language that is spoken, and what it makes of an English template and its numbers."""

import re
from collections.abc import Callable, Hashable, Mapping
from contextlib import ContextDecorator
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from pathlib import Path
from string import Formatter
from typing import Any, Self, TypeVar, overload

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch"}
"""The languages there are, by their tag, each under its own name."""

_NUMERAL = re.compile(r"([-−+]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(e[+-]?\d+)?(%)?")
_THIN = "\u202f"  # a narrow space that no line is broken at: no thousand can be taken for a fraction
_WEIGHT = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q\s*=\s*([01](?:\.\d*)?)\s*)?")

Thing = TypeVar("Thing", bound=Hashable)


class Numeral(str):
    """A number that is written in the language already."""

    __slots__ = ()


class Catalogue(dict[str, str]):
    """The sentences of a language by their English templates.

    Args:
        key: the language's tag.
        rooms: by room, its sentences by their English; placeholders keep their names.
    """

    key: str
    rooms: Mapping[str, Mapping[str, str]]

    def __init__(self, key: str, rooms: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__({english: words for room in rooms.values() for english, words in room.items()})
        self.key, self.rooms = key, rooms

    def say(self, template: str, values: Mapping[str, Any]) -> str:
        """The template in this language; in English, where it does not know it."""
        words = self.get(template)
        if words is None:
            return filled(template, values) if values else str.__str__(template)
        return filled(words, {name: self.told(value) for name, value in values.items()}) if values else words

    def told(self, value: Any) -> Any:
        """A value as the language writes it: whole numbers with their thousands apart, fractions after a comma."""
        if type(value) is str:
            return self.numeral(value)
        return self.numeral(f"{value:,}") if isinstance(value, int) and not isinstance(value, bool) else value

    def numeral(self, text: str) -> str:
        """A number in English notation, in this language's; any other text as it is."""
        found = _NUMERAL.fullmatch(text)
        if found is None:
            return text
        sign, whole, fraction, exponent, percent = found.groups()
        grouped = whole.replace(",", _THIN)
        return Numeral(
            f"{sign}{grouped}{f',{fraction}' if fraction else ''}{exponent or ''}{f'{_THIN}%' if percent else ''}"
        )


_SPOKEN: ContextVar[Catalogue | None] = ContextVar("gaussdp_language", default=None)  # None: English


class Phrase(str):
    """A word or sentence that is defined once, in English, and said in the language of the moment.

    It is a text like any other to code, which compares and looks up by it; put into a sentence, or made `str`, it is
    said.

    >>> name = Phrase("advantage")
    >>> with speaking("de"):
    ...     f"{name}", name == "advantage"
    ('Vorteil', True)
    """

    __slots__ = ()

    def __str__(self) -> str:
        catalogue = _SPOKEN.get()
        own = str.__str__(self)
        return own if catalogue is None else catalogue.get(own, own)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def say(template: str, /, **values: Any) -> str:
    """A sentence in the language that is spoken.

    Args:
        template: in English, with the names of the values in braces; the catalogues know it by this text.
        values: texts and whole numbers; those that are numbers are written as the language does, other numbers must be
            made texts before, rounded to their side.

    >>> say("about {found:,} of {of:,}", found=33, of=10_000)
    'about 33 of 10,000'
    >>> with speaking("de"):
    ...     say("about {found:,} of {of:,}", found=33, of=10_000), say("From {method}.", method="0.5%")
    ('etwa 33 von 10\\u202f000', 'Aus: 0,5\\u202f%.')
    """
    catalogue = _SPOKEN.get()
    if catalogue is not None:
        return catalogue.say(template, values)
    if not values:
        return str.__str__(template)
    form = _FORMS[template]  # as in `filled`; a call takes as long as the rest
    return template.format(**values) if form is None else form % values


class _Forms(dict[str, str | None]):
    """Templates as the operator % takes them, which fills them in half the time; None for what it cannot write."""

    def __missing__(self, template: str) -> str | None:
        form = ""
        for words, name, layout, conversion in _FIELDS(template):
            if layout or conversion or (name is not None and not name.isidentifier()):
                self[template] = None
                return None
            form += words.replace("%", "%%") + ("" if name is None else f"%({name})s")
        self[template] = form
        return form


_FIELDS = Formatter().parse
_FORMS = _Forms()


def filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with these values in its braces."""
    form = _FORMS[template]
    return template.format(**values) if form is None else form % values


def plural(count: float, one: str, many: str, /, **values: Any) -> str:
    """The template for one, or that for several, with the number as `n`; a fraction is several, and a text before."""
    return say(one if count == 1 else many, **{"n": count, **values})


def numeral(text: str) -> str:
    """A number in English notation as the language writes it, for a place outside sentences; other text as it is.

    >>> with speaking("de"):
    ...     numeral("0.31"), numeral("1,000"), numeral("1e-5"), numeral("no number")
    ('0,31', '1\\u202f000', '1e-5', 'no number')
    """
    catalogue = _SPOKEN.get()
    return text if catalogue is None or type(text) is not str else catalogue.numeral(text)


def spoken() -> str:
    """The tag of the language that is spoken."""
    catalogue = _SPOKEN.get()
    return ENGLISH if catalogue is None else catalogue.key


def remembered(tell: Callable[[Thing], str]) -> Callable[[Thing], str]:
    """The function, which remembers what it says about a thing in a language."""

    @lru_cache(maxsize=1024)
    def told(thing: Thing, language: str) -> str:
        return tell(thing)

    def again(thing: Thing) -> str:
        catalogue = _SPOKEN.get()
        return told(thing, ENGLISH if catalogue is None else catalogue.key)

    return wraps(tell)(again)


class told_once:  # noqa: N801
    """A property in words of a thing that never changes: told once in each language, then known to the thing itself.

    As for what is computed once, the words lie in the thing's own dictionary, and comparisons do not see them.
    """

    def __init__(self, tell: Callable[[Any], str]) -> None:
        self._tell, self.__doc__ = tell, tell.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._in_english = f"{name} in {ENGLISH}"
        self._name = name

    @overload
    def __get__(self, thing: None, owner: type) -> Self: ...
    @overload
    def __get__(self, thing: object, owner: type | None = None) -> str: ...
    def __get__(self, thing: Any, owner: type | None = None) -> Self | str:
        if thing is None:
            return self
        catalogue = _SPOKEN.get()
        key = self._in_english if catalogue is None else f"{self._name} in {catalogue.key}"
        known: str | None = thing.__dict__.get(key)
        if known is None:
            known = thing.__dict__[key] = self._tell(thing)
        return known


def words_of(room: str) -> Mapping[str, str]:
    """All that the language has for one room of its catalogue, by the English; nothing in English."""
    catalogue = _SPOKEN.get()
    return {} if catalogue is None else catalogue.rooms.get(room, {})


class _Speaking(ContextDecorator):
    """A while in which a language is spoken."""

    def __init__(self, tag: str) -> None:
        self._tag = tag

    def _recreate_cm(self) -> Self:
        return type(self)(self._tag)  # of its own for each call of a function

    def __enter__(self) -> None:
        self._before = _SPOKEN.set(catalogue_of(self._tag))

    def __exit__(self, *error: object) -> None:
        _SPOKEN.reset(self._before)


def speaking(tag: str) -> _Speaking:
    """Speak the language with this tag, which must be one of `LANGUAGES`; `gaussdp.language` refuses others."""
    return _Speaking(tag)


@cache
def catalogue_of(tag: str) -> Catalogue | None:
    """The catalogue of a language; none for English, which is in the code."""
    if tag == ENGLISH:
        return None
    import tomllib  # when another language is asked for: importing gaussdp stays light

    return Catalogue(tag, tomllib.loads((Path(__file__).parent / f"{tag}.toml").read_text(encoding="utf-8")))


def preferred(accepted: str) -> str:
    """The language that a browser likes best of those that there are, by its Accept-Language; English if none.

    >>> preferred("fr;q=0.9, de-AT, en;q=0.5"), preferred("fr"), preferred("")
    ('de', 'en', 'en')
    """
    best, weight = ENGLISH, 0.0
    for part in accepted.split(","):
        found = _WEIGHT.fullmatch(part)
        if found is None:
            continue
        tag, asked = found[1].lower(), float(found[2] or 1.0)
        if tag in LANGUAGES and asked > weight:
            best, weight = tag, asked
    return best
