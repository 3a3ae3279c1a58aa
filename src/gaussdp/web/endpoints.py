"""From a view's function to an HTTP endpoint: read the request strictly, answer or refuse."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.web.encoding import json_response
from gaussdp.web.refusals import RefusalError, field_of
from gaussdp.web.schemas.reading import Request as Asked
from gaussdp.web.schemas.reading import parse, read

Endpoint = Callable[[Request], Awaitable[Response]]


def closed_form(asked: type[Asked], answer: Callable[[Asked], Any]) -> Endpoint:
    """An endpoint whose answer takes less than a frame, so that it may run on the event loop."""

    async def endpoint(request: Request) -> Response:
        return json_response(within_domain(answer, await read_body(asked, request)))

    return endpoint


def in_a_thread(asked: type[Asked], answer: Callable[[Asked], Any]) -> Endpoint:
    """An endpoint whose answer takes a few frames, so that others are served meanwhile."""

    async def endpoint(request: Request) -> Response:
        return json_response(await asyncio.to_thread(within_domain, answer, await read_body(asked, request)))

    return endpoint


async def read_body(asked: type[Asked], request: Request) -> Asked:
    """The request that the body states.

    Raises:
        RefusalError: 415, 400 or 422.
    """
    return read(asked, await parse_body(request))


async def parse_body(request: Request) -> Any:
    """The JSON value of the body."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusalError(415, "the body must be sent as Content-Type: application/json")
    return parse(await request.body())


def within_domain(answer: Callable[[Asked], Any], asked: Asked) -> Any:
    """The answer; what the library refuses becomes 422 with the field it is about."""
    try:
        return answer(asked)
    except DomainError as error:
        names = [field.name for field in dataclasses.fields(asked)]
        raise RefusalError(422, str(error), field_of(error, names)) from None
    except ConvergenceError as error:
        raise RefusalError(422, str(error)) from None
