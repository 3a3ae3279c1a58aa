"""Answers as JSON, in which infinity is the string "inf" and NaN does not occur."""

import json
import math
from typing import Any

from starlette.responses import Response


def encoded(content: Any) -> bytes:
    """The content as compact JSON."""
    try:
        return _dumped(content)
    except ValueError:  # rare, so that only the few answers with an infinity pay for the walk
        return _dumped(_with_words(content))


def json_response(content: Any) -> Response:
    """The content as a response."""
    return Response(encoded(content), media_type="application/json")


def _dumped(content: Any) -> bytes:
    return json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()


def _with_words(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _with_words(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_with_words(value) for value in content]
    if isinstance(content, float) and math.isinf(content):
        return "inf" if content > 0 else "-inf"
    return content
