"""What a field of a request may hold, and from the bytes of a request to its dataclass, strictly."""

import dataclasses
import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar, get_args, get_type_hints

from gaussdp.domains import Domain, number
from gaussdp.errors import DomainError
from gaussdp.web.replies import RefusalError
from gaussdp.words import say

_EXACT = 2**53  # up to here a double holds every whole number
_LONGEST = 60


class FieldKind(Protocol):
    """What a field may hold."""

    def read(self, name: str, value: object) -> Any:
        """The value, or a DomainError that begins with the name."""

    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema."""


@dataclass(frozen=True)
class Number:
    """A finite number in a domain."""

    domain: Domain
    meaning: str
    example: float

    def read(self, name: str, value: object) -> float:
        if type(value) is float and self.domain.low < value < self.domain.high:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise DomainError(name, say("a number in {domain}", domain=str(self._finite())), value)
        if abs(value) > sys.float_info.max:
            raise DomainError(
                name, say("in {domain}", domain=str(self._finite())), got=say("a number too large for a double")
            )
        return number(name, value, self._finite())

    def schema(self) -> dict[str, Any]:
        bounds = self._finite()
        low = {"minimum" if bounds.closed_low else "exclusiveMinimum": bounds.low}
        closed = bounds.closed_high or bounds.high == math.inf
        high = {"maximum" if closed else "exclusiveMaximum": min(bounds.high, sys.float_info.max)}
        return {"type": "number", **low, **high, "description": self.meaning, "examples": [self.example]}

    def _finite(self) -> Domain:
        if self.domain.high < math.inf:
            return self.domain
        return Domain(self.domain.low, math.inf, self.domain.closed_low, closed_high=False, advice=self.domain.advice)


@dataclass(frozen=True)
class Whole:
    """A whole number; 3.0 is one, as in JSON Schema."""

    low: int
    high: int
    meaning: str
    example: int

    def read(self, name: str, value: object) -> int:
        if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            domain = say("a whole number from {low:,} to {high:,}", low=self.low, high=self.high)
            raise DomainError(name, domain, value)
        return value

    def schema(self) -> dict[str, Any]:
        return {
            "type": "integer",
            "minimum": self.low,
            "maximum": self.high,
            "description": self.meaning,
            "examples": [self.example],
        }


@dataclass(frozen=True)
class OneOf:
    """One of a few words, which may be those that something registers meanwhile."""

    words: Sequence[str] | Callable[[], Sequence[str]]
    meaning: str

    def read(self, name: str, value: object) -> str:
        known = self._known()
        if not isinstance(value, str) or value not in known:
            raise DomainError(name, say("one of {words}", words=", ".join(known)), value)
        return value

    def schema(self) -> dict[str, Any]:
        known = self._known()
        return {"type": "string", "enum": list(known), "description": self.meaning, "examples": [known[0]]}

    def _known(self) -> Sequence[str]:
        return self.words() if callable(self.words) else self.words


@dataclass(frozen=True)
class SomeOf:
    """Some of a few words, each at most once; it may be none."""

    words: Sequence[str]
    meaning: str

    def read(self, name: str, value: object) -> frozenset[str]:
        if not isinstance(value, list) or not all(isinstance(word, str) and word in self.words for word in value):
            raise DomainError(name, say("a list of some of {words}", words=", ".join(self.words)), value)
        named = frozenset(value)
        if len(named) < len(value):
            raise DomainError(name, say("a list in which nothing stands twice"), value)
        return named

    def schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": {"type": "string", "enum": list(self.words)},
            "uniqueItems": True,
            "description": self.meaning,
            "examples": [[self.words[0]]],
        }


@dataclass(frozen=True)
class Text:
    """A line of words, shown to people as it is and never as markup."""

    longest: int
    meaning: str
    example: str

    def read(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest or not value.isprintable():
            raise DomainError(name, say("a line of 1 to {longest} printable characters", longest=self.longest), value)
        return value

    def schema(self) -> dict[str, Any]:
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.longest,
            "description": self.meaning,
            "examples": [self.example],
        }


@dataclass(frozen=True)
class FileText:
    """The text of a file, of several lines."""

    longest: int
    meaning: str
    example: str

    def read(self, name: str, value: object) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= self.longest:
            domain = say("the text of a file, of 1 to {longest:,} characters", longest=self.longest)
            raise DomainError(name, domain, got=brief(value) if isinstance(value, str) else "")
        return value

    def schema(self) -> dict[str, Any]:
        bounds = {"minLength": 1, "maxLength": self.longest}
        return {"type": "string", **bounds, "description": self.meaning, "examples": [self.example]}


@dataclass(frozen=True)
class Anything:
    """An object that is read by what another field says it is."""

    meaning: str
    schemas: Sequence[dict[str, Any]] = field(default=())

    def read(self, name: str, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise DomainError(name, "an object", value)
        return value

    def schema(self) -> dict[str, Any]:
        return {**({"anyOf": list(self.schemas)} if self.schemas else {"type": "object"}), "description": self.meaning}


@dataclass(frozen=True)
class Several:
    """A list of requests of one kind."""

    of: type
    most: int
    meaning: str

    def items(self, name: str, value: object) -> list[Any]:
        """The values in the list, each of which is yet to be read."""
        if not isinstance(value, list) or not 1 <= len(value) <= self.most:
            raise DomainError(name, say("a list of 1 to {most} entries", most=self.most), value)
        return value


def brief(value: object) -> str:
    """The JSON value in a few words, safe to send back."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = ascii(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


class IsRequest(Protocol):
    """A dataclass whose fields are annotated with the kind of value they hold, or are requests themselves."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


Request = TypeVar("Request", bound=IsRequest)


@cache
def kinds_of(request: type[IsRequest]) -> dict[str, FieldKind | Several | type[IsRequest]]:
    """What each field of a request may hold."""
    hints = get_type_hints(request, include_extras=True)
    return {
        name: hint.__metadata__[0] if hasattr(hint, "__metadata__") else _stated(hint) for name, hint in hints.items()
    }


def _stated(hint: Any) -> type[IsRequest]:
    """The request that a field holds, which may be left out."""
    return next(kind for kind in (*get_args(hint), hint) if isinstance(kind, type) and kind is not type(None))


@cache
def _needed_by(request: type[IsRequest]) -> tuple[str, ...]:
    """The names of its fields that must be given."""
    return tuple(field.name for field in dataclasses.fields(request) if field.default is dataclasses.MISSING)


def parse(body: bytes) -> object:
    """The JSON value of a body, without what JSON does not have: NaN, infinities, a name twice."""
    try:
        return _decoder().decode(body.decode())
    except (json.JSONDecodeError, _NotJSONError) as error:
        reason = str(error)
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError:
        reason = "a number has too many digits"
    raise RefusalError(400, f"the body must be one JSON object: {reason}")


def read(request: type[Request], value: object, path: str = "") -> Request:
    """The request that a JSON value states.

    Args:
        request: what is asked for.
        value: what was parsed.
        path: of the value inside the body, as "state.", for the names of its fields.
    Raises:
        RefusalError: 422, with the field and what it must be.
    """
    if not isinstance(value, dict):
        where = f"{path[:-1]} must be" if path else "the body must be"
        raise RefusalError(422, f"{where} a JSON object, got {brief(value)}", path[:-1] or None)
    kinds = kinds_of(request)
    for name in value:
        if name not in kinds:
            raise RefusalError(422, f"unknown field {brief(path + name)}; known are {', '.join(kinds)}", None)
    given = {name: _field(path + name, kinds[name], stated) for name, stated in value.items()}
    for name in _needed_by(request):
        if name not in given:
            raise RefusalError(422, say("{name} is missing", name=path + name), path + name)
    return request(**given)


def _field(name: str, kind: FieldKind | Several | type[IsRequest], value: object) -> Any:
    if isinstance(kind, type):
        return read(kind, value, f"{name}.")
    try:
        if isinstance(kind, Several):
            return tuple(read(kind.of, item, f"{name}.{i}.") for i, item in enumerate(kind.items(name, value)))
        return kind.read(name, value)
    except DomainError as error:
        raise RefusalError(422, str(error), name) from None


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_each_name_once)


class _NotJSONError(ValueError):
    """Python's reader would take it, JSON does not have it."""


def _no_constant(word: str) -> NoReturn:
    raise _NotJSONError(f"{word} is not a JSON number")


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotJSONError("a name stands twice in one object")
    return made
