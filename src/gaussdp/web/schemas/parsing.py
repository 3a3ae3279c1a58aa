"""From the bytes of a request to its dataclass, strictly: what is not declared is refused."""

import dataclasses
import json
from functools import cache
from typing import Any, ClassVar, NoReturn, Protocol, TypeVar, get_type_hints

from gaussdp.errors import DomainError
from gaussdp.web.replies import RefusalError
from gaussdp.web.schemas.kinds import FieldKind, Several, brief
from gaussdp.words import say


class IsRequest(Protocol):
    """A dataclass whose fields are annotated with the kind of value they hold, or are requests themselves."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


Request = TypeVar("Request", bound=IsRequest)


@cache
def kinds_of(request: type[IsRequest]) -> dict[str, FieldKind | Several | type[IsRequest]]:
    """What each field of a request may hold."""
    hints = get_type_hints(request, include_extras=True)
    return {name: hint.__metadata__[0] if hasattr(hint, "__metadata__") else hint for name, hint in hints.items()}


@cache
def _fields_of(request: type[IsRequest]) -> tuple["dataclasses.Field[Any]", ...]:
    return dataclasses.fields(request)


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
    return request(**{field.name: _field(field, kinds[field.name], value, path) for field in _fields_of(request)})


def _field(
    field: "dataclasses.Field[Any]", kind: FieldKind | Several | type[IsRequest], given: dict[str, object], path: str
) -> Any:
    name = path + field.name
    if field.name not in given:
        if field.default is dataclasses.MISSING:
            raise RefusalError(422, say("{name} is missing", name=name), name)
        return field.default
    if isinstance(kind, type):
        return read(kind, given[field.name], f"{name}.")
    try:
        if isinstance(kind, Several):
            items = kind.items(name, given[field.name])
            return tuple(read(kind.of, item, f"{name}.{i}.") for i, item in enumerate(items))
        return kind.read(name, given[field.name])
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
