"""The lines of work, for the other processes of the same server: over a socket in a folder of its own."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from typing import Any

from gaussdp.web.replies import RefusalError
from gaussdp.web.work.desk import Asker, Desk, Tell, Work
from gaussdp.web.work.waiting import RETRY_SECONDS

_LONGEST_LINE = 64 << 20
ANSWER_SECONDS = 10.0
_ADMITTED = b'{"admitted":true}\n'
_PROGRESS = b'{"progress":'
_REFUSED = b'{"refused":'


class RemoteDesk:
    """Asks the process that has the workers.

    Args:
        path: of its socket.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    async def admit(self, asker: Asker, job: str, body: Mapping[str, Any]) -> "RemoteWork":
        """A place there, or its refusal."""
        reader, writer = await self._asked({"asker": asdict(asker), "job": job, "body": body})
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                line = await reader.readline()
        except TimeoutError:
            line = b""
        except BaseException:
            writer.close()
            raise
        if line == _ADMITTED:
            return RemoteWork(reader, writer)
        writer.close()
        raise _refusal_of(line)

    async def ready(self) -> bool:
        """Whether its workers answer."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                reader, writer = await self._asked({"ready": True})
                with contextlib.closing(writer):
                    return await reader.readline() == b"true\n"
        except (RefusalError, OSError):  # TimeoutError is one
            return False

    async def _asked(self, question: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            reader, writer = await asyncio.open_unix_connection(self.path, limit=_LONGEST_LINE)
        except OSError:
            raise _unreachable() from None
        writer.write(_line(question))
        return reader, writer


class RemoteWork:
    """A computation that has a place there; to close the connection is to stop it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def abandon(self) -> None:
        """Give the place back."""
        self._writer.close()

    async def result(self, tell: Tell) -> bytes:
        """The last line of the answer."""
        with contextlib.closing(self._writer):
            while (line := await self._reader.readline()).startswith(_PROGRESS):
                await tell(*json.loads(line)["progress"])
            if not line or line.startswith(_REFUSED):
                raise _refusal_of(line)
            return line


@contextlib.asynccontextmanager
async def serving_desk(desk: Desk, path: str) -> AsyncIterator[None]:
    """Answer the other processes at this path."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        with contextlib.closing(writer), contextlib.suppress(ConnectionError):
            await _serve(desk, reader, writer)

    server = await asyncio.start_unix_server(accept, path, limit=_LONGEST_LINE)
    try:
        yield
    finally:
        server.close()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)


async def _serve(desk: Desk, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    asked = json.loads(await reader.readline() or b"{}")
    if "ready" in asked:
        writer.write(b"true\n" if await desk.ready() else b"false\n")
    elif "job" in asked:
        await _answer(desk, asked, reader, writer)
    await writer.drain()


async def _answer(
    desk: Desk, asked: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    async def tell(seconds: float, message: str) -> None:
        writer.write(_line({"progress": [seconds, message]}))

    async def work() -> bytes:
        try:
            found: Work = await desk.admit(Asker(**asked["asker"]), asked["job"], asked["body"])
            writer.write(_ADMITTED)
            return await found.result(tell)
        except RefusalError as error:
            said = {"status": error.status, "message": str(error), "field": error.field, "after": error.retry_after}
            return _line({"refused": said})

    task, gone = asyncio.ensure_future(work()), asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait([task, gone], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            writer.write(task.result())
    finally:
        task.cancel()
        gone.cancel()


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


def _refusal_of(line: bytes) -> RefusalError:
    if not line.startswith(_REFUSED):
        return _unreachable()
    said = json.loads(line)["refused"]
    return RefusalError(said["status"], said["message"], said["field"], said["after"])


def _unreachable() -> RefusalError:
    return RefusalError(503, "the server cannot compute now; try again in a moment", retry_after=RETRY_SECONDS)
