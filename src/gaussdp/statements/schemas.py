"""JSON Schemas of the files that people write: plan files and run files, made from what reads them.

A schema knows the keys and the kinds of values; their ranges, and which may stand together, are for who reads the file.
"""

import types
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from gaussdp.mechanisms.registry import KINDS
from gaussdp.statements.run import Run
from gaussdp.statements.training import Training

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: dict[object, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
}


def plan_schema() -> dict[str, Any]:
    """The schema of a plan file, with every mechanism that is registered.

    >>> plan_schema()["required"]
    ['releases']
    """
    return {
        "$schema": _DIALECT,
        "title": "A plan file of gaussdp: releases on the same data",
        "type": "object",
        "required": ["releases"],
        "additionalProperties": False,
        "properties": {"releases": _releases()},
        "$defs": _definitions(),
    }


def run_schema() -> dict[str, Any]:
    """The schema of a run file: what was run, by [training] or by [[releases]], and what it protects.

    >>> run_schema()["oneOf"]
    [{'required': ['training']}, {'required': ['releases']}]
    """
    keys = {key: kind for key, kind in _typed(Run).items() if key != "mechanism"}
    return {
        "$schema": _DIALECT,
        "title": "A run file of gaussdp: what was run and what it protects",
        "type": "object",
        "required": ["unit", "adjacency"],
        "oneOf": [{"required": ["training"]}, {"required": ["releases"]}],
        "additionalProperties": False,
        "properties": {
            **keys,
            "claim": {"type": "string", "description": "such as epsilon=3.0 delta=1e-5"},
            "training": {
                "type": "object",
                "required": ["noise_multiplier"],
                "additionalProperties": False,
                "properties": _typed(Training),
            },
            "releases": _releases(),
        },
        "$defs": _definitions(),
    }


def _releases() -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/release"}}


def _definitions() -> dict[str, Any]:
    return {"release": {"oneOf": [_entry(key) for key in KINDS.keys]}}


def _entry(key: str) -> dict[str, Any]:
    """An entry of `releases` for one kind of mechanism."""
    kind = KINDS.get(key)
    if kind is None:
        return {}
    keys, known = kind.plan_keys(), _typed(kind)
    parameters = {name: known.get(name, {}) for name in (*keys.required, *keys.optional)}
    return {
        "type": "object",
        "required": ["mechanism", *keys.required],
        "additionalProperties": False,
        "properties": {"mechanism": {"const": key}, "times": {"type": "integer", "minimum": 1}, **parameters},
    }


def _typed(thing: Any) -> dict[str, dict[str, Any]]:
    """The schema of each field of a dataclass, as far as its annotation says one; nothing for other things."""
    if not is_dataclass(thing):
        return {}
    hints = get_type_hints(thing if isinstance(thing, type) else type(thing))
    return {field.name: _schema(hints[field.name]) for field in fields(thing)}


def _schema(hint: Any) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        found = [_schema(part) for part in get_args(hint) if part is not type(None)]
        return found[0] if len(found) == 1 else {}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": _schema(get_args(hint)[0])}
    return dict(_KINDS.get(hint, {}))
