"""Answers that take their time: lines of progress while a worker computes, then its result or an error."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gaussdp.web.encoding import encoded
from gaussdp.web.endpoints import Endpoint, parse_body, within_domain
from gaussdp.web.refusals import RefusalError, refusal_body
from gaussdp.web.schemas.reading import Request as Asked
from gaussdp.web.schemas.reading import read
from gaussdp.web.work.pool import Pool

Result = TypeVar("Result")

MEDIA_TYPE = "application/x-ndjson"


def in_a_worker(asked: type[Asked], job: str, pool: Pool, check: Callable[[Asked], object]) -> Endpoint:
    """An endpoint that streams the progress and the answer of a job.

    Args:
        asked: what its body states.
        job: its name.
        pool: who does it.
        check: refuses, before anything starts, what can be seen to be wrong.
    """

    async def endpoint(request: Request) -> Response:
        body = await parse_body(request)
        within_domain(check, read(asked, body))
        if pool.full:
            raise RefusalError(503, "too many computations are waiting; try again in a moment", retry_after=2)
        return WorkResponse(pool, job, body)

    return endpoint


class WorkResponse(Response):
    """Lines of JSON; the work stops when the client goes away."""

    media_type = MEDIA_TYPE

    def __init__(self, pool: Pool, job: str, body: Mapping[str, Any]) -> None:
        self.status_code, self.background = 200, None
        self.init_headers({"X-Accel-Buffering": "no"})
        self._pool, self._job, self._asked = pool, job, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

        async def write(line: bytes, *, last: bool = False) -> None:
            await send({"type": "http.response.body", "body": line, "more_body": not last})

        async def tell(seconds: float, message: str) -> None:
            await write(encoded({"progress": {"seconds": round(seconds, 2), "message": message}}) + b"\n")

        async def work() -> None:
            try:
                line = await self._pool.run(self._job, self._asked, tell)
            except RefusalError as error:
                line = encoded(refusal_body(str(error), error.field)) + b"\n"
            await write(line, last=True)

        await while_connected(receive, work())


async def while_connected(receive: Receive, work: Coroutine[Any, Any, Result]) -> Result | None:
    """The result of the work, or None if the client goes away before, upon which the work is cancelled."""
    task, listener = asyncio.create_task(work), asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait([task, listener], return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        task.cancel()
        listener.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
