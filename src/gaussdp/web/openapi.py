"""What the API offers: each operation once, for the routes, the OpenAPI document and the page about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal

from starlette.routing import Route

from gaussdp.web.endpoints import Endpoint
from gaussdp.web.schemas.describing import components, reference
from gaussdp.web.schemas.parsing import IsRequest
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
    503: "Too many computations or connections, one that took too long, or a server that stops; see Retry-After.",
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
