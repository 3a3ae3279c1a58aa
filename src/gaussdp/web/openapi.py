"""What the API offers: each operation once, for the routes, the OpenAPI document and the page about it."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

from starlette.routing import Route

from gaussdp.documents import Block, Code, Column, Document, Links, Section, Table, Words
from gaussdp.documents.html import page
from gaussdp.documents.rendering import DEFAULT_DIGITS
from gaussdp.documents.rounding import MOST_DIGITS, shown, shown_nearest
from gaussdp.web.endpoints import Endpoint
from gaussdp.web.schemas.describing import components, reference
from gaussdp.web.schemas.kinds import IsRequest
from gaussdp.web.schemas.responses import ErrorResponse

API = "/api/v1"
JSON = "application/json"


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked.

    Attributes:
        path: where.
        method: how.
        summary: what it does, in one sentence.
        endpoint: who answers.
        asked: what the body of a POST states.
        answered: the type of the JSON answer, or of one line of it; None for files.
        media: the media types of the answer.
        works: whether it is done by a worker, and so counts as work.
        may_wait: whether it may be refused with 503 though it does not count as work.
        also: further statuses with which it may be refused.
    """

    path: str
    method: Literal["GET", "POST"]
    summary: str
    endpoint: Endpoint
    asked: type[IsRequest] | None = None
    answered: type | None = None
    media: tuple[str, ...] = (JSON,)
    works: bool = False
    may_wait: bool = False
    also: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Its last part, as mu-through."""
        return self.path.rpartition("/")[2]

    def route(self) -> Route:
        """Its route."""
        return Route(self.path, self.endpoint, methods=[self.method])


_REFUSALS = {
    400: "The body is not JSON.",
    401: "The token of the server is missing.",
    403: "The request comes from another site, or with a token that does not open what it asks for.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "A budget has too little left; nothing was written.",
    413: "The body is too large.",
    415: "The body is not sent as application/json.",
    421: "The server does not answer for that host.",
    422: "A field is missing, unknown or outside its domain.",
    429: "Too many requests; Retry-After says when to try again.",
    503: (
        "Too many computations or connections, one that took too long, a server that stops, or a ledger that cannot be "
        "reached; see Retry-After."
    ),
}
_WITHOUT_BODY = (421, 429)
_WITH_BODY = (400, 403, 408, 413, 415, 421, 422, 429)
NDJSON = "application/x-ndjson"


def openapi(operations: Sequence[Operation]) -> dict[str, Any]:
    """The document."""
    declared = [kind for operation in operations for kind in (operation.asked, operation.answered) if kind is not None]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gaussdp calculator",
            "version": version("gaussdp"),
            "description": (
                "Choose, understand and account for the μ of Gaussian differential privacy. Numbers are finite; an"
                ' infinity is the string "inf". A text beside a number is that number rounded to the side of less'
                " privacy."
            ),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": ".", "description": "Beside this document, under whatever path a proxy shows it."}],
        "paths": {operation.path: {operation.method.lower(): _operation(operation)} for operation in operations},
        "components": {"schemas": components([*declared, ErrorResponse])},
    }


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name.replace("-", "_").replace(".", "_"),
        "summary": operation.summary,
        "responses": {"200": _answer(operation), **_refusals(operation)},
    }
    if operation.asked is not None:
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": reference(operation.asked)}}}
    return described


def _answer(operation: Operation) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for media in operation.media:
        if media == NDJSON and operation.answered is not None:
            words = f"One JSON object a line, each a {operation.answered.__name__}."
            content[media] = {"schema": {"type": "string", "description": words}}
        elif media == JSON and operation.answered is not None:
            content[media] = {"schema": reference(operation.answered)}
        else:
            content[media] = {"schema": {"type": "string"}}
    return {"description": "The answer.", "content": content}


def _refusals(operation: Operation) -> dict[str, Any]:
    statuses = [
        *(_WITHOUT_BODY if operation.asked is None else _WITH_BODY),
        *([503] if operation.works or operation.may_wait else []),
        *operation.also,
    ]
    schema = {JSON: {"schema": reference(ErrorResponse)}}
    return {str(status): {"description": _REFUSALS[status], "content": schema} for status in statuses}


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
        _operation_section(path, method, operation, schemas)
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


def _operation_section(path: str, method: str, operation: Schema, schemas: Schema) -> Section:
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
