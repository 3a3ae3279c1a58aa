"""Connections and bodies: so many in all, so many of one address, none too large and none that waits without end.

uvicorn's own replies are as ours. Built on uvicorn's `h11_impl`, which it does not promise to keep; pyproject.toml says
which versions fit.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Sequence
from typing import Any, cast

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError, encoded, refusal_body
from gaussdp.web.safety.hosts import (
    ADDED,
    SAFE_LINES,
    UNKNOWN,
    Proxies,
    Raw,
    framing,
    lines_of,
    site_of,
    with_safe_headers,
)
from gaussdp.web.sharing import EVERYBODY, Shared
from gaussdp.web.telling import OTHER, Metrics, log_request

_LENGTH = re.compile("[0-9]{1,15}")


async def whole_body(length: str, receive: Receive, limits: Limits, *, arrived: bool = False) -> bytes | None:
    """The body, or None if the client went away.

    A view thereby gets its request at once or not at all, and what it receives afterwards is only a disconnect.

    Args:
        length: what the headers say, "0" if nothing.
        receive: of the request.
        limits: how large and how slow.
        arrived: whether it is here already, so that no time need be measured.
    Raises:
        RefusalError: 413 if it is too large, 408 if it takes too long.
    """
    most = limits.body_bytes
    if not _LENGTH.fullmatch(length) or int(length) > most:
        raise _too_large(most)
    if arrived:
        return await _received(receive, most)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _received(receive, most)
    except TimeoutError:
        raise RefusalError(408, f"the body did not arrive within {limits.body_seconds:g} seconds") from None


async def _received(receive: Receive, most: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
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


def has_arrived(receive: Receive) -> bool:
    """Whether uvicorn has the whole body of a request already, as of most."""
    return getattr(getattr(receive, "__self__", None), "more_body", True) is False


def _too_large(most: int) -> RefusalError:
    return RefusalError(413, f"the body must have at most {most:,} bytes")


MOST_REFUSED = 32
"""Connections beyond the limit that may say what they want, of which health is answered; more are refused at once."""
TOO_MANY = "there are too many connections; try again in a moment"
RETRY_SECONDS = 2

_FRESH_SECONDS = 0.5  # for which a new connection is not idle: what it asks is on its way
_REFUSED_SECONDS = 2.0  # for such a one to say what it wants
_PIECE = 4_096  # bytes


class Gate:
    """Who may come in: counts the connections of all processes, and makes room by closing idle ones of its own.

    Args:
        limits: how many.
        shared: the counts.
        metrics: what is counted for monitors.
        proxies: of whom there may be as many connections as there may be in all, since they stand for many.
        overfull: says, in a request's state, that its connection is one too many.
    """

    limits: Limits
    shared: Shared
    metrics: Metrics
    proxies: Proxies
    overfull: str

    def __init__(self, limits: Limits, shared: Shared, metrics: Metrics, proxies: Proxies, overfull: str) -> None:
        self.limits, self.shared, self.metrics, self.proxies, self.overfull = limits, shared, metrics, proxies, overfull
        self.idle: dict[Connection, float] = {}  # the longest idle first, and when each may be closed for another
        self.refused: set[Connection] = set()

    def enter(self, connection: "Connection") -> bool:
        """Whether there is room for one more."""
        most = self.limits.connections if self.proxies.trust(connection.peer) else self.limits.address_connections
        if not self._counted(connection.site, most, connection.site):
            return False
        if not self._counted(EVERYBODY, self.limits.connections, None):
            self.shared.disconnect(connection.site)
            return False
        self.metrics.add("connections")
        return True

    def leave(self, connection: "Connection") -> None:
        """One less."""
        self.shared.disconnect(connection.site)
        self.shared.disconnect(EVERYBODY)
        self.metrics.add("connections", -1)

    def _counted(self, counter: str, most: int, of: str | None) -> bool:
        """Count it, if need be after closing the longest idle one (of an address)."""
        if self.shared.connect(counter, most):
            return True
        now = time.monotonic()
        idlest = next((other for other, when in self.idle.items() if when <= now and of in (None, other.site)), None)
        if idlest is None:
            return False
        idlest.give_up_place()
        return self.shared.connect(counter, most)


class Connection(H11Protocol):
    """One connection."""

    app: Any
    app_state: dict[str, Any]
    gate: Gate
    transport: asyncio.Transport
    peer: str = UNKNOWN
    site: str = UNKNOWN
    _deadline: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _admitted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))  # a server's connections are streams
        joined = _Joined(self.transport)
        self.transport = cast(asyncio.Transport, joined)
        self.app_state = {**self.app_state, ADDED: joined.add}  # which all connections would have in common
        self.peer = self.client[0] if self.client else UNKNOWN
        self.site = site_of(self.peer)
        self.transport.set_write_buffer_limits(0)  # so that we hear of every byte that is not taken
        gate = self.gate
        self._admitted = gate.enter(self)
        if self._admitted:
            gate.idle[self] = time.monotonic() + _FRESH_SECONDS
        elif len(gate.refused) < MOST_REFUSED:
            gate.refused.add(self)
            self.app = _Overfull(self.app, gate.overfull)
        else:
            gate.metrics.add("refused connections")
            self._refuse(503, b"Service Unavailable", TOO_MANY, [(b"retry-after", b"%d" % RETRY_SECONDS)])
            return
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Piece by piece: h11 asks how large a head is only while its end has not come."""
        self.gate.idle.pop(self, None)
        for start in range(0, len(data), _PIECE):
            super().data_received(data[start : start + _PIECE])
            if self.transport.is_closing():
                return
        if self._between_requests():
            self._wait_for_headers()
        else:
            self._stop_waiting()

    def handle_events(self) -> None:
        """Read what has come; after most answers that is nothing, which h11 need not look through."""
        if self._between_requests() and not self.conn.trailing_data[0]:
            return
        super().handle_events()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._admitted and self._between_requests() and not self.transport.is_closing():
            self.gate.idle[self] = time.monotonic()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._taken()
        self.gate.idle.pop(self, None)
        self.gate.refused.discard(self)
        self._leave()
        super().connection_lost(exc)

    def give_up_place(self) -> None:
        """Close an idle connection for the sake of another."""
        self.gate.idle.pop(self, None)
        self._leave()
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait_for_reader()

    def resume_writing(self) -> None:
        self._taken()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP is refused like all else."""
        self._refuse(400, b"Bad Request", "this is not a request that this server can read")

    def _refuse(self, status: int, reason: bytes, words: str, more: Sequence[tuple[bytes, bytes]] = ()) -> None:
        """Say so and close, where there is no request that the application could refuse."""
        request_id = secrets.token_hex(8)
        body = encoded(refusal_body(words))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *more,
        ]
        try:
            events = (
                h11.Response(
                    status_code=status, headers=with_safe_headers(headers, request_id, added=True), reason=reason
                ),
                h11.Data(data=body),
                h11.EndOfMessage(),
            )
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # in the middle of another answer, after which nothing more can be said
        self.transport.close()
        self.gate.metrics.answered(OTHER, status, 0.0)
        log_request(
            request_id=request_id,
            address=self.peer,
            method="-",
            path="-",
            status=status,
            bytes=len(body),
            milliseconds=0.0,
        )

    def _leave(self) -> None:
        if self._admitted:
            self._admitted = False
            self.gate.leave(self)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_headers(self) -> None:
        if self._deadline is None:
            seconds = self.gate.limits.body_seconds if self._admitted else _REFUSED_SECONDS
            self._deadline = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self._between_requests():
            self.transport.close()

    def _wait_for_reader(self, left: int | None = None) -> None:
        """Cut the connection if by then the client took nothing of what is left to send."""
        now = self.transport.get_write_buffer_size()
        if left is not None and now >= left:
            self.transport.abort()
            return
        self._stuck = self.loop.call_later(self.gate.limits.write_seconds, self._wait_for_reader, now)

    def _taken(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None


class _Joined:
    """Sends the head of an answer with what follows it: one packet for most answers, and one system call.

    It adds the headers that every answer has, uvicorn's own too, and those of this one; h11 would look at each of them
    every time.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.is_closing = transport.is_closing  # which is asked several times a request
        self._head = self._lines = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._head:
            data, self._head = self._head + data, b""
        elif not data:  # as after every answer whose length was told
            return
        elif data.startswith(b"HTTP/") and not data.startswith(b"HTTP/1.1 1"):  # 100 Continue is no answer yet
            status, end, rest = data.partition(b"\r\n")
            self._head = b"".join((status, end, SAFE_LINES, self._lines, rest))
            self._lines = b""
            return  # uvicorn writes something after every head, or closes
        self._transport.write(data)

    def add(self, headers: Raw) -> Raw:
        """Add these to the next head; gives back those that h11 must know of."""
        known, others = framing(headers)
        self._lines = lines_of(others)
        return known

    def close(self) -> None:
        if self._head:
            self.write(b"")
        self._transport.close()


class _Overfull:
    """The application for a connection that is one too many: it says so."""

    def __init__(self, app: Any, word: str) -> None:
        self.app: ASGIApp = app
        self.word = word

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"][self.word] = True
        await self.app(scope, receive, send)


def connections_through(gate: Gate) -> type[Connection]:
    """Connections that pass this gate."""
    return type("Connection", (Connection,), {"gate": gate})
