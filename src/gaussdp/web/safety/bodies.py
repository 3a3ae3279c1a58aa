"""How large and how slow a request's body may be, whether or not it says its length beforehand."""

import asyncio
import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gaussdp.web.answers import RefusalError
from gaussdp.web.limits import Limits

_LENGTH = re.compile("[0-9]{1,15}")


class BodyLimit:
    """Reads the whole body before the view starts: 413 if it is too large, 408 if it takes too long.

    A view thereby gets its request at once or not at all, and what it receives afterwards is only a disconnect.
    """

    app: ASGIApp
    limits: Limits

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(Headers(scope=scope), receive)
        except RefusalError as refusal:
            response = refusal.response()
            response.headers["Connection"] = "close"  # the rest of the body is not wanted
            await response(scope, receive, send)
            return
        if body is None:
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return messages.pop() if messages else await receive()

        await self.app(scope, receive_again, send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """The body, or None if the client went away."""
        most = self.limits.body_bytes
        length = headers.get("content-length", "0")
        if not _LENGTH.fullmatch(length) or int(length) > most:
            raise _too_large(most)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise _too_large(most)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise RefusalError(408, f"the body did not arrive within {self.limits.body_seconds:g} seconds") from None


def _too_large(most: int) -> RefusalError:
    return RefusalError(413, f"the body must have at most {most:,} bytes")
