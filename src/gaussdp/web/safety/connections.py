"""How long a client may take to say what it wants: uvicorn waits for the rest of a request's headers without end."""

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol


class PromptConnection(H11Protocol):
    """Closes a connection whose next request's headers do not arrive in time."""

    seconds: float = 10.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))  # a server's connections are streams
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._between_requests():
            self._wait_for_headers()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_headers(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self._between_requests():
            self.transport.close()


def connections_within(seconds: float) -> type[PromptConnection]:
    """The same with another limit."""
    return type("PromptConnection", (PromptConnection,), {"seconds": seconds})
