"""Bodies: not too large, not too slow, and only then the view."""

import asyncio
from dataclasses import replace

import pytest

from gaussdp.web import Limits
from gaussdp.web.replies import RefusalError
from gaussdp.web.safety.connections import whole_body

LIMITS = replace(Limits(), body_bytes=10, body_seconds=0.05)


def run(messages, length="0", hang=False):
    """The body, or None if the client went away."""

    async def receive():
        if messages:
            return messages.pop(0)
        if hang:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return asyncio.run(whole_body(length, receive, LIMITS))


def refused(status, *arguments, **options):
    with pytest.raises(RefusalError) as caught:
        run(*arguments, **options)
    return caught.value.status == status


def part(content, more):
    return {"type": "http.request", "body": content, "more_body": more}


def test_a_body_in_parts_arrives_whole():
    assert run([part(b"12345", True), part(b"67890", False)]) == b"1234567890"


@pytest.mark.parametrize("length", ["11", "1" * 30, "-1", "x", "²"])
def test_a_length_that_is_too_large_or_none(length):
    assert refused(413, [part(b"", False)], length)


def test_a_body_without_length_that_grows_too_large():
    assert refused(413, [part(b"12345", True)] * 3)


def test_a_body_that_does_not_end():
    assert refused(408, [part(b"1", True)], hang=True)


def test_a_client_that_goes_away():
    assert run([part(b"1", True), {"type": "http.disconnect"}]) is None
