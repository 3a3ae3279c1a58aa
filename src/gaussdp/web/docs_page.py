"""The page about the API: its OpenAPI document as one of ours, without scripts."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from gaussdp.documents import Block, Code, Column, Document, Links, Section, Table, Words
from gaussdp.documents.html import page
from gaussdp.documents.rendering import DEFAULT_DIGITS
from gaussdp.documents.rounding import MOST_DIGITS, shown, shown_nearest

Schema = Mapping[str, Any]

_HEAD = """<meta name="color-scheme" content="light dark">
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/css/tokens.css">
<link rel="stylesheet" href="static/docs/docs.css">
"""
_FIELDS = tuple(Column(label.lower(), label) for label in ("Field", "Type", "Meaning"))
_ANSWERS = tuple(Column(label.lower(), label) for label in ("Status", "Meaning", "Content"))
_LOW, _HIGH = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
_HUGE = 1e300


def docs_page(document: Schema) -> str:
    """The page as HTML."""
    return page(api_document(document), DEFAULT_DIGITS, _HEAD, "")


def api_document(document: Schema) -> Document:
    """What an OpenAPI document says."""
    schemas = document["components"]["schemas"]
    operations = [
        _operation(path, method, operation, schemas)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    types = [_type(name, schema) for name, schema in schemas.items()]
    blocks: list[Block] = [
        Words(document["info"]["description"]),
        Links((("To the calculator", "."), ("OpenAPI document", "openapi.json"))),
        Links(tuple((part.title, f"#{part.key}") for part in operations)),
    ]
    return Document(f"{document['info']['title']}: HTTP API", (*blocks, *operations, *types))


def _operation(path: str, method: str, operation: Schema, schemas: Schema) -> Section:
    key, blocks = operation["operationId"], [Words(operation["summary"])]
    asked: list[Block] = []
    if "requestBody" in operation:
        schema = schemas[_name(operation["requestBody"]["content"]["application/json"]["schema"])]
        asked = [*_fields(key, schema), Words("For example:"), Code(_typed(_example(schema, schemas)))]
    rows = []
    for status, response in operation["responses"].items():
        content = ", ".join(f"{media}: {_kind(body['schema'])}" for media, body in response["content"].items())
        rows.append((status, response["description"], content))
    answers = Table(f"{key}-answers", "Answers", _ANSWERS, tuple(rows))
    return Section(key, f"{method.upper()} {path}", (*blocks, *asked, answers, *_links(operation["responses"])))


def _type(name: str, schema: Schema) -> Section:
    key = f"type-{name}"
    return Section(key, name, (Words(schema["description"]), *_fields(key, schema)))


def _fields(key: str, schema: Schema) -> tuple[Block, ...]:
    rows = []
    for name, field in schema["properties"].items():
        words = field.get("description", "")
        if "default" in field:
            words = f"{words} Default: {_typed(field['default'])}.".strip()
        elif name not in schema["required"]:
            words = f"{words} May be left out.".strip()
        rows.append((name, _kind(field), words))
    return (Table(f"{key}-fields", "Fields", _FIELDS, tuple(rows)), *_links(schema["properties"])) if rows else ()


def _links(content: object) -> tuple[Block, ...]:
    """Where the types that something is made of are described."""
    names = dict.fromkeys(_names(content))
    return (Links(tuple((name, f"#type-{name}") for name in names)),) if names else ()


def _names(content: object) -> Iterator[str]:
    if isinstance(content, Mapping):
        if "$ref" in content:
            yield _name(content)
        content = list(content.values())
    if isinstance(content, list):
        for inner in content:
            yield from _names(inner)


def _name(schema: Schema) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    return name


def _kind(schema: Schema) -> str:
    """The type in a few words."""
    if "$ref" in schema:
        return _name(schema)
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(map(_typed, schema["enum"]))
    if "const" in schema:
        return _typed(schema["const"])
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    return f"{schema['type']}{_interval(schema)}"


def _interval(schema: Schema) -> str:
    low, high = (next((schema[key] for key in keys if key in schema), None) for keys in (_LOW, _HIGH))
    if low is None or high is None:
        return ""
    left = "[" if "minimum" in schema else "("
    right = "]" if "maximum" in schema and high < _HUGE else ")"
    end = f"{high:,}" if isinstance(high, int) else shown_nearest(math.inf if high > _HUGE else high, MOST_DIGITS)
    return f" in {left}{shown(low)}, {end}{right}"


def _typed(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _example(schema: Schema, schemas: Schema) -> Any:
    if "$ref" in schema:
        return _example(schemas[_name(schema)], schemas)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], schemas)
    if "properties" in schema:
        return {name: _example(schema["properties"][name], schemas) for name in schema["required"]}
    if schema.get("type") == "array":
        return [_example(schema["items"], schemas)]
    return schema["examples"][0]
