"""Answers as JSON, in which infinity is the string "inf" and NaN does not occur."""

from typing import Any

from starlette.responses import Response

from gaussdp.documents.machine import dumped


def encoded(content: Any) -> bytes:
    """The content as compact JSON."""
    return dumped(content, compact=True).encode()


def json_response(content: Any) -> Response:
    """The content as a response."""
    return Response(encoded(content), media_type="application/json")
