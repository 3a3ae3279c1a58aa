"""JSON Schema of requests and responses, made from their declarations."""

import dataclasses
import inspect
import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from gaussdp.web.schemas.kinds import Anything, FieldKind, IsRequest, OneOf, Several, kinds_of
from gaussdp.web.schemas.responses import Real

_PLAIN = {float: "number", int: "integer", str: "string", bool: "boolean"}
_INFINITY = {"const": "inf"}


def components(declarations: Iterable[type]) -> dict[str, Any]:
    """The schemas of these declarations, and of all that they mention, by name."""
    made: dict[str, Any] = {}
    for declaration in declarations:
        _component(declaration, made)
    return dict(sorted(made.items()))


def reference(declaration: type) -> dict[str, str]:
    """Where the schema of a declaration stands."""
    return {"$ref": f"#/components/schemas/{declaration.__name__}"}


def _component(declaration: type, made: dict[str, Any]) -> dict[str, str]:
    if declaration.__name__ not in made:
        made[declaration.__name__] = {}  # so that a declaration may mention itself
        properties = (
            _request(declaration, made) if dataclasses.is_dataclass(declaration) else _response(declaration, made)
        )
        made[declaration.__name__] = {
            "type": "object",
            "description": inspect.getdoc(declaration),
            "properties": properties,
            "required": _required(declaration),
            "additionalProperties": False,
        }
    return reference(declaration)


def _request(declaration: Any, made: dict[str, Any]) -> dict[str, Any]:
    properties = {}
    for field in dataclasses.fields(declaration):
        kind = kinds_of(declaration)[field.name]
        schema = _asked(kind, made)
        if field.default is not dataclasses.MISSING and field.default is not None:
            schema["default"] = field.default
        properties[field.name] = schema
    return properties


def _asked(kind: FieldKind | Several | type[IsRequest], made: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kind, Several):
        items = _component(kind.of, made)
        return {"type": "array", "items": items, "minItems": 1, "maxItems": kind.most, "description": kind.meaning}
    return dict(_component(kind, made)) if isinstance(kind, type) else kind.schema()


def _response(declaration: Any, made: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(declaration, include_extras=True)
    return {name: _schema(hint, made) for name, hint in hints.items()}


def _required(declaration: Any) -> list[str]:
    if dataclasses.is_dataclass(declaration):
        return [field.name for field in dataclasses.fields(declaration) if field.default is dataclasses.MISSING]
    return sorted(declaration.__required_keys__)


def _schema(hint: Any, made: dict[str, Any]) -> dict[str, Any]:
    if hint == Real:
        return {"anyOf": [{"type": "number"}, _INFINITY]}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint is type(None):
        return {"type": "null"}
    if is_typeddict(hint):
        return dict(_component(hint, made))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        if isinstance(arguments[1], OneOf | Anything):
            return arguments[1].schema()
        return {**_schema(arguments[0], made), "description": arguments[1]}
    if origin is NotRequired:
        return _schema(arguments[0], made)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (list, Sequence):
        return {"type": "array", "items": _schema(arguments[0], made)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(argument, made) for argument in arguments]}
    raise TypeError(f"no JSON Schema for {hint!r}")
