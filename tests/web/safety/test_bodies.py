"""Bodies: not too large, not too slow, and only then the view."""

import asyncio
from dataclasses import replace

import pytest

from gaussdp.web import Limits
from gaussdp.web.safety.bodies import BodyLimit

LIMITS = replace(Limits(), body_bytes=10, body_seconds=0.05)


def run(messages, headers=(), hang=False):
    """What the middleware sends, and the body that the view got."""
    seen, sent = [], []

    async def view(scope, receive, send):
        seen.append(await receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        if messages:
            return messages.pop(0)
        if hang:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    asyncio.run(BodyLimit(view, LIMITS)(scope, receive, send))
    return seen, sent


def part(content, more):
    return {"type": "http.request", "body": content, "more_body": more}


def test_a_body_in_parts_arrives_whole():
    seen, _ = run([part(b"12345", True), part(b"67890", False)])
    assert seen == [part(b"1234567890", False)]


@pytest.mark.parametrize("length", [b"11", b"1" * 30, b"-1", b"x", "²".encode("latin-1")])
def test_a_length_that_is_too_large_or_none(length):
    seen, sent = run([part(b"", False)], [(b"content-length", length)])
    assert seen == []
    assert sent[0]["status"] == 413


def test_a_body_without_length_that_grows_too_large():
    seen, sent = run([part(b"12345", True)] * 3)
    assert seen == []
    assert sent[0]["status"] == 413
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_body_that_does_not_end():
    seen, sent = run([part(b"1", True)], hang=True)
    assert seen == []
    assert sent[0]["status"] == 408


def test_a_client_that_goes_away():
    assert run([part(b"1", True), {"type": "http.disconnect"}]) == ([], [])
