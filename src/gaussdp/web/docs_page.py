"""The page about the API: plain HTML made from its OpenAPI document, without scripts."""

import json
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>gaussdp calculator: HTTP API</title>
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/css/tokens.css">
<link rel="stylesheet" href="static/docs/docs.css">
</head>
<body>
<main>
"""
_TAIL = "</main>\n</body>\n</html>\n"


def docs_page(document: dict[str, Any]) -> str:
    """The page as HTML; every word from the document is escaped."""
    schemas = document["components"]["schemas"]
    parts = [
        _HEAD,
        f"<h1>{escape(document['info']['title'])}: HTTP API</h1>\n",
        f"<p>{escape(document['info']['description'])}</p>\n",
        '<p><a href=".">To the calculator</a> · <a href="openapi.json">OpenAPI document</a></p>\n',
        "<nav><ul>\n",
    ]
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    for path, method, operation in operations:
        words = f"<code>{escape(method.upper())} {escape(path)}</code>"
        parts.append(f'<li><a href="#{escape(operation["operationId"])}">{words}</a></li>\n')
    parts.append("</ul></nav>\n")
    parts += [_operation(path, method, operation, schemas) for path, method, operation in operations]
    parts.append("<h2>Types</h2>\n")
    parts += [_type(name, schema) for name, schema in schemas.items()]
    return "".join([*parts, _TAIL])


def _operation(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    parts = [
        f'<section id="{escape(operation["operationId"])}">\n',
        f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>\n<p>{escape(operation['summary'])}</p>\n",
    ]
    if "requestBody" in operation:
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        parts.append(_fields(schemas[name]))
        example = json.dumps(_example(schemas[name], schemas), ensure_ascii=False)
        parts.append(f"<p>For example:</p>\n<pre tabindex='0'><code>{escape(example)}</code></pre>\n")
    parts.append("<table>\n<thead><tr><th>Status</th><th>Meaning</th><th>Content</th></tr></thead>\n<tbody>\n")
    for status, response in operation["responses"].items():
        content = ", ".join(f"{media}: {_kind(body['schema'])}" for media, body in response["content"].items())
        cells = (escape(status), escape(response["description"]), content)
        parts.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n")
    parts.append("</tbody>\n</table>\n</section>\n")
    return "".join(parts)


def _type(name: str, schema: dict[str, Any]) -> str:
    head = f"<h3>{escape(name)}</h3>\n<p>{escape(schema['description'])}</p>\n"
    return f'<section id="type-{escape(name)}">\n{head}{_fields(schema)}</section>\n'


def _fields(schema: dict[str, Any]) -> str:
    rows = []
    for name, field in schema["properties"].items():
        words = field.get("description", "")
        if "default" in field:
            words = f"{words} Default: {json.dumps(field['default'])}.".strip()
        elif name not in schema["required"]:
            words = f"{words} May be left out.".strip()
        rows.append(f"<tr><td><code>{escape(name)}</code></td><td>{_kind(field)}</td><td>{escape(words)}</td></tr>\n")
    head = "<thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>"
    return f"<table>\n{head}\n<tbody>\n{''.join(rows)}</tbody>\n</table>\n"


def _kind(schema: dict[str, Any]) -> str:
    """The type in a few words."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#type-{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f"<code>{escape(json.dumps(word))}</code>" for word in schema["enum"])
    if "const" in schema:
        return f"<code>{escape(json.dumps(schema['const']))}</code>"
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    return escape(schema["type"]) + escape(_interval(schema))


def _interval(schema: dict[str, Any]) -> str:
    low, high = (next((schema[key] for key in keys if key in schema), None) for keys in (_LOW, _HIGH))
    if low is None or high is None:
        return ""
    left = "[" if "minimum" in schema else "("
    right = "]" if "maximum" in schema and high < _HUGE else ")"
    end = "∞" if high > _HUGE else f"{high:,}" if isinstance(high, int) else f"{high:g}"
    return f" in {left}{low:g}, {end}{right}"


_LOW, _HIGH = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
_HUGE = 1e300


def _example(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _example(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], schemas)
    if "properties" in schema:
        return {name: _example(schema["properties"][name], schemas) for name in schema["required"]}
    if schema.get("type") == "array":
        return [_example(schema["items"], schemas)]
    return schema["examples"][0]
