"""Files made by a worker: figures and statements."""

import base64
import json
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gaussdp.web.endpoints import Endpoint, parse_body, within_domain
from gaussdp.web.refusals import RefusalError
from gaussdp.web.schemas.reading import Request as Asked
from gaussdp.web.schemas.reading import read
from gaussdp.web.streaming import while_connected
from gaussdp.web.work.pool import Pool


def file_from_worker(asked: type[Asked], job: str, pool: Pool, check: Callable[[Asked], object]) -> Endpoint:
    """An endpoint that answers with a file; the arguments are those of `in_a_worker`."""

    async def endpoint(request: Request) -> Response:
        body = await parse_body(request)
        within_domain(check, read(asked, body))

        async def say_nothing(seconds: float, message: str) -> None:
            return

        line = await while_connected(request.receive, pool.run(job, body, say_nothing))
        if line is None:
            return _Nothing()
        answer = json.loads(line)
        if "error" in answer:
            raise RefusalError(422, answer["error"]["message"], answer["error"]["field"])
        file = answer["result"]
        return Response(
            base64.b64decode(file["content"]),
            media_type=file["type"],
            headers={"Content-Disposition": f'attachment; filename="{file["name"]}"'},
        )

    return endpoint


class _Nothing(Response):
    """For a client that went away."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        return
