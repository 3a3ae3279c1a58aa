"""The one shape in which the server refuses: a status and {"error": {"field", "message"}}."""

import json
from collections.abc import Collection, Mapping

from starlette.responses import Response

from gaussdp.errors import DomainError, GaussdpError


class RefusalError(GaussdpError):
    """A request that gets no answer.

    Args:
        status: of the HTTP response.
        message: what to do instead, in words.
        field: the field of the request it is about, if it is about one.
        retry_after: seconds after which to try again.
    """

    def __init__(self, status: int, message: str, field: str | None = None, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.field, self.retry_after = status, field, retry_after

    def response(self) -> Response:
        """The refusal as an HTTP response."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return refusal_response(self.status, str(self), self.field, headers)


def refusal_body(message: str, field: str | None = None) -> dict[str, dict[str, str | None]]:
    """What a refusal says, wherever it stands."""
    return {"error": {"field": field, "message": message}}


def refusal_response(
    status: int, message: str, field: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A refusal with this status."""
    body = json.dumps(refusal_body(message, field)).encode()
    return Response(body, status, headers=headers, media_type="application/json")


def field_of(error: DomainError, fields: Collection[str]) -> str | None:
    """The field that a refusal of the library is about, if it is one of these."""
    return error.parameter if error.parameter and error.parameter.partition(".")[0] in fields else None
