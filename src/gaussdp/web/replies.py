"""Answers and refusals as JSON, in the language of who asks: infinity is "inf", and a refusal has one shape.

NaN does not occur. A refusal is a status and {"error": {"field", "message"}}.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from typing import Any, overload
from urllib.parse import parse_qs

import msgspec
from starlette.responses import Response

from gaussdp.documents.machine import plain
from gaussdp.errors import DomainError, GaussdpError
from gaussdp.words import LANGUAGES, preferred, say

_LONGEST = 500  # characters of a header or a query that are looked at
_NULL = re.compile(b"null")  # which finds it in half the time of bytes.count


def language_of(scope: MutableMapping[str, Any]) -> str:
    """The language that a request asks for: `?lang=de`, or its Accept-Language; English if it knows no other."""
    query = scope.get("query_string", b"")[:_LONGEST].decode("latin-1")
    named: str = parse_qs(query).get("lang", [""])[-1] if query else ""
    if named in LANGUAGES:
        return named
    headers = [value for name, value in scope["headers"] if name == b"accept-language"]
    return preferred(b",".join(headers)[:_LONGEST].decode("latin-1"))


def encoded(content: Any) -> bytes:
    """The content as compact JSON.

    >>> encoded({"mu": math.inf, "floor": None})
    b'{"mu":"inf","floor":null}'

    Raises:
        ValueError: if a number is NaN.
    """
    text = _ENCODER.encode(content)  # which writes null for infinity
    nothing = list(content.values()).count(None) if type(content) is dict else 0
    if len(_NULL.findall(text)) == nothing or _finite(content):  # as nearly always: null stands where None does
        return text
    return _ENCODER.encode(_spelled(content))


def _finite(content: Any) -> bool:
    """Whether every number is finite, as nearly always; a curve is seen to be so by its sum."""
    rest: list[Any] = [[content]]
    while rest:
        held = rest.pop()
        for value in held.values() if type(held) is dict else held:
            kind = type(value)
            if kind is str:
                continue
            if kind is float or isinstance(value, float):
                if not math.isfinite(value):
                    return False
            elif kind is dict or kind is tuple or (kind is list and not _finite_curve(value)):
                rest.append(value)
    return True


def _finite_curve(values: list[Any]) -> bool:
    if not values or type(values[0]) is not float:
        return False
    try:
        return math.isfinite(sum(values))
    except TypeError:  # not numbers alone
        return False


def _spelled(content: Any) -> Any:
    """The content with every infinity as a word."""
    if isinstance(content, dict):
        return {key: _spelled(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_spelled(value) for value in content]
    if isinstance(content, float) and math.isnan(content):
        raise ValueError("NaN does not occur in an answer")
    return plain(content)


class Written(Sequence[float]):  # no dataclass, which the encoder would take for an object of JSON
    """Numbers that come with their JSON, since most of them stand in every answer.

    Args:
        numbers: what they are.
        text: the list of them as JSON.
    """

    numbers: list[float]
    text: bytes

    def __init__(self, numbers: list[float], text: bytes) -> None:
        self.numbers, self.text = numbers, text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and other.numbers == self.numbers

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> list[float]: ...
    def __getitem__(self, place: int | slice) -> float | list[float]:
        return self.numbers[place]

    def __len__(self) -> int:
        return len(self.numbers)


def _as_python(value: Any) -> Any:
    """What is JSON already, a phrase as it is said, and NumPy's numbers, which know how."""
    if type(value) is Written:
        return msgspec.Raw(value.text)
    return str(value) if isinstance(value, str) else value.item()


_ENCODER = msgspec.json.Encoder(enc_hook=_as_python)
number_text: Callable[[float], bytes] = _ENCODER.encode
"""A finite number as JSON."""


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
        close: whether nothing more is read from the connection.
    """

    status: int
    field: str | None
    retry_after: int | None
    reason: str | None
    close: bool

    def __init__(
        self,
        status: int,
        message: str,
        field: str | None = None,
        retry_after: int | None = None,
        reason: str | None = None,
        *,
        close: bool = False,
    ) -> None:
        super().__init__(message)
        self.status, self.field, self.retry_after, self.reason, self.close = status, field, retry_after, reason, close

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
