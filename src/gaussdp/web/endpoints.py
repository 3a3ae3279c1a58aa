"""From a view's function to an HTTP endpoint: read the request strictly, answer or refuse.

Answers come at once, as lines of progress while a worker computes, or whole from a worker.
"""

import asyncio
import base64
import dataclasses
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.risks.registry import RISKS
from gaussdp.web.replies import RefusalError, encoded, field_of, refusal_body
from gaussdp.web.schemas.kinds import Request as Asked
from gaussdp.web.schemas.kinds import parse, read
from gaussdp.web.telling import LOG
from gaussdp.web.work.desk import Asker, Desk, Work
from gaussdp.web.work.worker import spoken_to
from gaussdp.words import say, spoken

Result = TypeVar("Result")
Question = TypeVar("Question")
Endpoint = Callable[[Request], Awaitable[Response]]

MEDIA_TYPE = "application/x-ndjson"

_REMEMBERED = 1024  # answers, of a few hundred bytes each
_CLOSED_FORMS = 256  # of some 25 kB each with what was asked
_LATELY = 1024  # questions of which it is known that they were asked


class _Remembered(Generic[Question]):
    """The answers to the last questions."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[Question, bytes] = OrderedDict()

    def get(self, question: Question) -> bytes | None:
        """The answer, if it is remembered."""
        known = self._answers.get(question)
        if known is not None:
            self._answers.move_to_end(question)
        return known

    def __setitem__(self, question: Question, answer: bytes) -> None:
        self._answers[question] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)


class _Lately:
    """Which questions were asked lately, by their hashes: two that have the same are taken for one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: OrderedDict[int, None] = OrderedDict()

    def again(self, question: object) -> bool:
        """Whether it was asked before; it is from now on."""
        known = hash(question)
        if known in self._asked:
            return True
        self._asked[known] = None
        if len(self._asked) > self._most:
            self._asked.popitem(last=False)
        return False


@dataclasses.dataclass(frozen=True)
class Slow(Generic[Question]):
    """Questions whose answer takes more than a frame after all, so that a worker gives it.

    Attributes:
        which: whether a question is one.
        job: by which a worker gives the same answer.
        desk: where it is asked for.
    """

    which: Callable[[Question], bool]
    job: str
    desk: Desk


def closed_form(asked: type[Asked], answer: Callable[[Asked], Any], slow: "Slow[Asked] | None" = None) -> Endpoint:
    """An endpoint whose answer takes less than a frame, so that it may run on the event loop.

    The last answers are remembered, by the body as it came: a page that is opened asks what others asked before. The
    answer to what is asked for the first time is not, unless a worker gave it: a hand that moves asks hundreds of
    questions that nobody asks again, which would push out all others, and the next question finds its memory warm.

    Args:
        asked: what its body states.
        answer: to it.
        slow: the questions that are for a worker, if there are any.
    """
    answers, lately = _Remembered[tuple[Any, ...]](_CLOSED_FORMS), _Lately(_LATELY)

    async def endpoint(request: Request) -> Response:
        body = await json_body(request)
        key = (spoken(), body, *RISKS.extensions())
        known = answers.get(key)
        if known is None:
            parsed: Any = parse(body)
            question = read(asked, parsed)
            if slow is not None and within_domain(slow.which, question):
                found = await _result(request, slow.desk, slow.job, parsed)
                if found is None:
                    return _Nothing()
                answers[key] = known = encoded(found)
            else:
                known = encoded(within_domain(answer, question))
                if lately.again(key):
                    answers[key] = known
        return Response(known, media_type="application/json")

    return endpoint


def in_a_worker(asked: type[Asked], job: str, desk: Desk, check: Callable[[Asked], object]) -> Endpoint:
    """An endpoint that streams the progress and the answer of a job.

    Args:
        asked: what its body states.
        job: its name.
        desk: where it is asked for.
        check: refuses, before anything starts, what can be seen to be wrong.
    """

    async def endpoint(request: Request) -> Response:
        body = await parse_body(request)
        within_domain(check, read(asked, body))
        return WorkResponse(await desk.admit(request.state.asker, job, spoken_to(body)), request.state.asker)

    return endpoint


def file_from_worker(asked: type[Asked], job: str, desk: Desk, check: Callable[[Asked], object]) -> Endpoint:
    """An endpoint that answers with a file; the arguments are those of `in_a_worker`."""

    async def endpoint(request: Request) -> Response:
        body = await parse_body(request)
        within_domain(check, read(asked, body))
        file = await _result(request, desk, job, body)
        if file is None:
            return _Nothing()
        return Response(
            base64.b64decode(file["content"]),
            media_type=file["type"],
            headers={"Content-Disposition": f'attachment; filename="{file["name"]}"'},
        )

    return endpoint


def remembered_from_worker(asked: type[Asked], job: str, desk: Desk) -> Endpoint:
    """An endpoint whose answer takes a few frames, so that a worker gives it; the last ones are remembered."""
    answers = _Remembered[tuple[str, Asked]](_REMEMBERED)

    async def endpoint(request: Request) -> Response:
        body = await parse_body(request)
        question = (spoken(), read(asked, body))
        known = answers.get(question)
        if known is None:
            answer = await _result(request, desk, job, body)
            if answer is None:
                return _Nothing()
            answers[question] = known = encoded(answer)
        return Response(known, media_type="application/json")

    return endpoint


async def _result(request: Request, desk: Desk, job: str, body: Mapping[str, Any]) -> Any:
    """What a worker answers, or None if the client goes away before."""

    async def say_nothing(seconds: float, message: str) -> None:
        return

    work = await desk.admit(request.state.asker, job, spoken_to(body))
    line = await while_connected(request.receive, work.result(say_nothing))
    if line is None:
        return None
    answer = json.loads(line)
    if "error" in answer:
        raise RefusalError(422, answer["error"]["message"], answer["error"]["field"])
    return answer["result"]


async def parse_body(request: Request) -> Any:
    """The JSON value of the body."""
    return parse(await json_body(request))


async def json_body(request: Request) -> bytes:
    """The body, which must be sent as JSON."""
    headers = dict(reversed(request.scope["headers"]))  # the first of a name
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind != b"application/json":
        raise RefusalError(415, "the body must be sent as Content-Type: application/json")
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise RefusalError(415, "the body must be sent without a Content-Encoding")
    return await request.body()


def within_domain(answer: Callable[[Asked], Any], asked: Asked) -> Any:
    """The answer; what the library refuses becomes 422 with the field it is about."""
    try:
        return answer(asked)
    except DomainError as error:
        names = [field.name for field in dataclasses.fields(asked)]
        raise RefusalError(422, str(error), field_of(error, names)) from None
    except ConvergenceError as error:
        raise RefusalError(422, str(error)) from None


class WorkResponse(Response):
    """Lines of JSON; the work stops when the client goes away.

    The headers wait for the first line, so that what is refused before has a status that says so.
    """

    status_code: int
    background: None

    media_type = MEDIA_TYPE

    def __init__(self, work: Work, asker: Asker) -> None:
        self.status_code, self.background = 200, None
        self.init_headers({"X-Accel-Buffering": "no"})
        self._work, self._asker = work, asker

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def write(line: bytes, *, last: bool = False) -> None:
            nonlocal started
            if not started:
                started = True
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": line, "more_body": not last})

        async def tell(seconds: float, message: str) -> None:
            await write(encoded({"progress": {"seconds": round(seconds, 2), "message": say(message)}}) + b"\n")

        async def work() -> None:
            try:
                line = await self._work.result(tell)
            except RefusalError as error:
                if not started:
                    await error.response()(scope, receive, send)
                    return
                line = encoded(refusal_body(str(error), error.field)) + b"\n"
            except Exception:
                if not started:
                    raise
                LOG.exception("request %s failed in the middle of its answer", self._asker.request_id)
                words = f"the server failed; its log says how (request {self._asker.request_id})"
                line = encoded(refusal_body(words)) + b"\n"
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


class _Nothing(Response):
    """For a client that went away."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        return
