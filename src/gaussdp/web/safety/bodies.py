"""How large and how slow a request's body may be, whether or not it says its length beforehand."""

import asyncio
import re

from starlette.types import Receive

from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError

_LENGTH = re.compile("[0-9]{1,15}")


async def whole_body(length: str, receive: Receive, limits: Limits) -> bytes | None:
    """The body, or None if the client went away.

    A view thereby gets its request at once or not at all, and what it receives afterwards is only a disconnect.

    Args:
        length: what the headers say, "0" if nothing.
        receive: of the request.
        limits: how large and how slow.
    Raises:
        RefusalError: 413 if it is too large, 408 if it takes too long.
    """
    most = limits.body_bytes
    if not _LENGTH.fullmatch(length) or int(length) > most:
        raise _too_large(most)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_seconds):
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
        raise RefusalError(408, f"the body did not arrive within {limits.body_seconds:g} seconds") from None


def _too_large(most: int) -> RefusalError:
    return RefusalError(413, f"the body must have at most {most:,} bytes")
