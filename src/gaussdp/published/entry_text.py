"""The text of an entry of the registry, read as mappings, lists and scalars: JSON, or a bounded subset of YAML.

Whoever wrote the text may be hostile: everything is bounded before it is built. The subset has no anchors, aliases and
merge keys, no tags but those of the core schema, no key twice, and one document. Its scalars are those of the core
schema of YAML 1.2; a date stays a text.
"""

import json
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.words import say

LONGEST = 50_000
"""Characters of an entry; the longest of the registry has 12,178."""

# The most that an entry of the registry has had is 4, 6, 165, 1,792, 60 and 6.
_MOST_BRACKETS = 200  # PyYAML takes time that grows as their square
_DEEPEST = 12
_MOST_VALUES = 2_000
_LONGEST_TEXT = 10_000
_LONGEST_KEY = 100
_LONGEST_NUMBER = 40
_SHOWN = 120  # characters of a place in a message

_NULL = ("", "~", "null", "Null", "NULL")
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = (".inf", "+.inf", "-.inf", ".nan")
_NUMERAL = re.compile(r"[-+.]?[0-9][0-9a-fA-FoxOX_:.,+-]*")  # of any base, and what may have been meant as one
_KINDS = {"str": str, "int": int, "float": float, "bool": bool, "null": type(None), "map": dict, "seq": list}
_CORE = {f"tag:yaml.org,2002:{name}": kind for name, kind in _KINDS.items()}


def entry_content(text: str, name: str) -> Any:
    """What the text of a file of this name holds.

    Raises:
        DomainError: if it is too long, no YAML or JSON, or YAML beyond the subset; it names the place.
        MissingExtraError: for YAML, if PyYAML is not installed.
    """
    if len(text) > LONGEST:
        raise _refusal((), say("is longer than an entry of {most:,} characters", most=LONGEST))
    return _json(text) if name.endswith(".json") else _YAML(text).content()


def number_in(text: str) -> int | float | None:
    """The number that a text states, or None where it states none.

    Raises:
        DomainError: if it is a number in a notation that programs read differently, such as 010, 1_000, 1:30 or 0,5.
    """
    if _INTEGER.fullmatch(text) and len(text) <= _LONGEST_NUMBER:
        return int(text)
    if _DECIMAL.fullmatch(text) and len(text) <= _LONGEST_NUMBER:
        return float(text)
    if text.lower() in _NOT_FINITE:
        return float(text.replace(".", ""))
    if _NUMERAL.fullmatch(text):
        raise DomainError(None, say("a number such as 0.5 or 1e-5"), text)
    return None


def _refusal(place: Sequence[str], problem: str) -> DomainError:
    words = ".".join(place)
    return DomainError(None, place=words if len(words) <= _SHOWN else f"…{words[-_SHOWN:]}", problem=problem)


def _too_long_a_number(place: Sequence[str], text: str) -> DomainError:
    problem = say(
        "is a number of {count:,} characters; at most {most} are allowed", count=len(text), most=_LONGEST_NUMBER
    )
    return _refusal(place, problem)


def _twice(place: Sequence[str]) -> DomainError:
    return _refusal(place, say("stands twice; keep one of them"))


def _json(text: str) -> Any:
    def number(kind: type[int] | type[float]) -> Any:
        def read(digits: str) -> int | float:
            if len(digits) > _LONGEST_NUMBER:
                raise _too_long_a_number((), digits)
            return kind(digits)

        return read

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise _twice((next(key for key in keys if keys.count(key) > 1),))
        return found

    try:
        return json.loads(text, object_pairs_hook=mapping, parse_int=number(int), parse_float=number(float))
    except DomainError:
        raise
    except (ValueError, RecursionError) as error:
        raise _refusal((), say("is no JSON: {error}", error=str(error))) from None


class _YAML:
    """One document, from the events of PyYAML, which builds nothing."""

    def __init__(self, text: str) -> None:
        if text.count("[") + text.count("{") > _MOST_BRACKETS:
            raise _refusal((), say("has more than {most} brackets", most=_MOST_BRACKETS))
        try:
            self._yaml: Any = import_module("yaml")
        except ImportError:
            raise MissingExtraError('files of the registry need PyYAML: pip install "gaussdp[registry]"') from None
        self._events: Iterator[Any] = self._yaml.parse(text, Loader=self._yaml.SafeLoader)
        self._values = 0

    def content(self) -> Any:
        """What the document holds; None where there is none."""
        try:
            next(self._events)  # the start of the stream
            if isinstance(next(self._events), self._yaml.StreamEndEvent):
                return None
            found = self._value(next(self._events), ())
            next(self._events)  # the end of the document
            if not isinstance(next(self._events), self._yaml.StreamEndEvent):
                raise _refusal((), say("holds more than one document"))
        except DomainError:
            raise
        except (self._yaml.YAMLError, ValueError, RecursionError) as error:
            raise _refusal((), say("is no YAML: {error}", error=_told(error))) from None
        return found

    def _value(self, event: Any, place: tuple[str, ...]) -> Any:
        self._values += 1
        if self._values > _MOST_VALUES:
            raise _refusal((), say("holds more than {most:,} values", most=_MOST_VALUES))
        if len(place) > _DEEPEST:
            raise _refusal(place, say("is nested deeper than {most} levels", most=_DEEPEST))
        if isinstance(event, self._yaml.AliasEvent) or event.anchor is not None:
            raise _refusal(place, say("has an anchor or an alias; write the value out"))
        if isinstance(event, self._yaml.SequenceStartEvent):
            found: Any = self._list(place)
        elif isinstance(event, self._yaml.MappingStartEvent):
            found = self._mapping(place)
        else:
            found = self._scalar(event, place)
        return self._tagged(event.tag, found, event, place)

    def _tagged(self, tag: str | None, found: Any, event: Any, place: tuple[str, ...]) -> Any:
        """The value, if it is what its tag says."""
        if tag is None:
            return found
        kind = _CORE.get(tag)
        if kind is str and isinstance(event, self._yaml.ScalarEvent):
            return event.value
        if kind is float and type(found) is int:
            return float(found)
        if kind is None or type(found) is not kind:
            raise _refusal(place, say("has the tag {tag}; leave it out", tag=tag[:_LONGEST_KEY]))
        return found

    def _list(self, place: tuple[str, ...]) -> list[Any]:
        found: list[Any] = []
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            found.append(self._value(event, (*place, str(len(found) + 1))))
        return found

    def _mapping(self, place: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            key = self._key(event, place)
            if key in found:
                raise _twice((*place, key))
            found[key] = self._value(next(self._events), (*place, key))
        return found

    def _key(self, event: Any, place: tuple[str, ...]) -> str:
        """A key, as it is written."""
        if not isinstance(event, self._yaml.ScalarEvent) or event.anchor is not None or event.tag is not None:
            raise _refusal(place, say("has a key that is no plain text"))
        key: str = event.value
        if len(key) > _LONGEST_KEY:
            raise _refusal(place, say("has a key of more than {most} characters", most=_LONGEST_KEY))
        if key == "<<" and event.implicit[0]:
            raise _refusal(place, say("has a merge key <<; write the keys out"))
        return key

    def _scalar(self, event: Any, place: tuple[str, ...]) -> Any:
        text: str = event.value
        if len(text) > _LONGEST_NUMBER and _NUMERAL.fullmatch(text):
            raise _too_long_a_number(place, text)
        if len(text) > _LONGEST_TEXT:
            count, most = len(text), _LONGEST_TEXT
            problem = say("is a text of {count:,} characters; at most {most:,} are allowed", count=count, most=most)
            raise _refusal(place, problem)
        if event.style is not None:
            return text
        if text in _NULL:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        try:
            number = number_in(text)
        except DomainError:
            return text  # whoever needs a number asks again
        return text if number is None else number


def _told(error: Exception) -> str:
    """What PyYAML says, and the line."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    words = " ".join(str(problem or error).split())[:200]
    return say("line {line}: {error}", line=mark.line + 1, error=words) if mark else words
