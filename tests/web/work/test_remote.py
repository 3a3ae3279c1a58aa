"""The processes that answer requests, and the one that has the workers: what they say when it says nothing."""

import asyncio
import sys

import pytest

from gaussdp.web.replies import RefusalError
from gaussdp.web.work import remote
from gaussdp.web.work.desk import Asker
from gaussdp.web.work.remote import RemoteDesk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs sockets that are files")


def asked(path, question, answer=None):
    """What a desk says to a question while the other process answers so, or nothing at all."""

    async def scenario():
        closed = asyncio.Event()

        async def accept(reader, writer):
            await reader.readline()
            if answer is not None:
                writer.write(answer)
            await reader.read()
            writer.close()
            await writer.wait_closed()
            closed.set()

        server = await asyncio.start_unix_server(accept, path)
        async with server, asyncio.timeout(10):
            try:
                return await question(RemoteDesk(path))
            finally:
                await closed.wait()

    return asyncio.run(scenario())


def ready(desk):
    return desk.ready()


def admit(desk):
    return desk.admit(Asker(), "account", {})


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "ANSWER_SECONDS", 0.1)
    return str(tmp_path / "work")


@pytest.mark.parametrize(("answer", "expected"), [(b"true\n", True), (b"false\n", False), (None, False)])
def test_ready(path, answer, expected):
    assert asked(path, ready, answer) is expected


def test_a_computation_that_is_not_admitted_in_time(path):
    with pytest.raises(RefusalError, match="cannot compute now"):
        asked(path, admit)


def test_nobody_there(path):
    assert asyncio.run(ready(RemoteDesk(path))) is False
    with pytest.raises(RefusalError, match="cannot compute now"):
        asyncio.run(admit(RemoteDesk(path)))
