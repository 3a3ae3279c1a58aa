"""Answers and refusals as JSON: infinity is the string "inf", NaN does not occur, and a refusal has one shape.

A refusal is a status and {"error": {"field", "message"}}.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from gaussdp.documents.machine import plain
from gaussdp.errors import DomainError, GaussdpError
from gaussdp.words import say

_NULL = b"null"


def encoded(content: Any) -> bytes:
    """The content as compact JSON.

    >>> encoded({"mu": math.inf, "floor": None})
    b'{"mu":"inf","floor":null}'

    Raises:
        ValueError: if a number is NaN.
    """
    text = _ENCODER.encode(content)
    nulls = text.count(_NULL)  # the encoder writes it for what is no JSON number too; rare, and then spelled out
    return text if not nulls or nulls == _absent(content) else _ENCODER.encode(_spelled(content))


def _absent(content: Any) -> int:
    """How many values are None, at least: curves and what follows a number in a list are passed over."""
    count = 0
    rest: list[Any] = [[content]]
    while rest:
        held = rest.pop()
        for value in held.values() if type(held) is dict else held:
            kind = type(value)
            if kind is dict or (kind is list and value and type(value[0]) is not float):
                rest.append(value)
            elif value is None:
                count += 1
    return count


def _spelled(content: Any) -> Any:
    """The content with every infinity as a word; a curve is seen to be finite by its sum."""
    if isinstance(content, dict):
        return {key: _spelled(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        if set(map(type, content)) == {float} and math.isfinite(sum(content)):
            return content
        return [_spelled(value) for value in content]
    if isinstance(content, float) and math.isnan(content):
        raise ValueError("NaN does not occur in an answer")
    return plain(content)


def _as_python(value: Any) -> Any:
    """A phrase as it is said, and NumPy's numbers, which know how."""
    return str(value) if isinstance(value, str) else value.item()


_ENCODER = msgspec.json.Encoder(enc_hook=_as_python)


def json_response(content: Any) -> Response:
    """The content as a response."""
    return Response(encoded(content), media_type="application/json")


class RefusalError(GaussdpError):
    """A request that gets no answer.

    Args:
        status: of the HTTP response.
        message: what to do instead, in words.
        field: the field of the request it is about, if it is about one.
        retry_after: seconds after which to try again.
        reason: under which a monitor counts it, where it protects the server.
    """

    status: int
    field: str | None
    retry_after: int | None
    reason: str | None

    def __init__(
        self,
        status: int,
        message: str,
        field: str | None = None,
        retry_after: int | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.field, self.retry_after, self.reason = status, field, retry_after, reason

    def response(self) -> Response:
        """The refusal as an HTTP response."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return refusal_response(self.status, str(self), self.field, headers)


def refusal_body(message: str, field: str | None = None) -> dict[str, dict[str, str | None]]:
    """What a refusal says, wherever it stands."""
    return {"error": {"field": field, "message": say(message)}}


def refusal_response(
    status: int, message: str, field: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A refusal with this status."""
    return Response(encoded(refusal_body(message, field)), status, headers=headers, media_type="application/json")


def field_of(error: DomainError, fields: Collection[str]) -> str | None:
    """The field that a refusal of the library is about, if it is one of these."""
    return error.parameter if error.parameter and error.parameter.partition(".")[0] in fields else None
