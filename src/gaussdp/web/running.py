"""Answer requests on a socket that listens, until told to stop."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from gaussdp.web.limits import Limits
from gaussdp.web.reception import OVERFULL, House
from gaussdp.web.safety.connections import Gate, connections_through
from gaussdp.web.telling import LOG

BACKLOG = 512  # connections that the system keeps until they are taken
LAST_SECONDS = 5  # for answers to be sent after the work has ended
_AT_ONCE = 8  # connections that are taken before those before them are looked at, and perhaps closed
_GARBAGE = 20_000  # containers, some 50 answers' worth: what goes in circles is rare, and looked for as rarely


def run(app: Starlette, limits: Limits, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answer on a socket that listens."""
    house: House = app.state.house
    gate = Gate(limits, house.shared, house.metrics, house.proxies, OVERFULL)
    config = uvicorn.Config(
        app,
        http=connections_through(gate),
        loop="asyncio",
        ws="none",
        backlog=_AT_ONCE,
        h11_max_incomplete_event_size=limits.head_bytes,
        lifespan="on",
        log_config=None,  # uvicorn's own would close the handlers of other libraries in this process
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]
    )
    before = gc.get_threshold()
    try:
        Server(config, app, limits, ready).run(sockets=[listener])
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class Server(uvicorn.Server):
    """Tells when it is ready: not before an interrupt would end it cleanly. Drains when it is told to end."""

    def __init__(self, config: uvicorn.Config, app: Starlette, limits: Limits, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._limits, self._ready = app, limits, ready
        self._drain_seconds = 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # asyncio takes one number for both
        gc.collect()
        gc.freeze()  # what is loaded stays: to look through it for garbage would hold up answers for ten milliseconds
        gc.set_threshold(_GARBAGE)

    async def main_loop(self) -> None:
        """Ready from here on: told to end during startup, older versions of uvicorn leave running what was started."""
        self._ready()
        await super().main_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM lets work end, Ctrl-C does not, nor does a second signal."""
        self._drain_seconds = self._limits.drain_seconds if sig == signal.SIGTERM and not self.should_exit else 0.0
        if self.should_exit and self._app.state.lanes is not None:
            self._app.state.lanes.stop()
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new work, give what is under way its time, then end it with an error line."""
        lanes = self._app.state.lanes
        lanes.refuse()
        self.config.timeout_graceful_shutdown = int(self._drain_seconds) + LAST_SECONDS
        asyncio.get_running_loop().call_later(self._drain_seconds, lanes.stop)
        if self._drain_seconds:
            LOG.info("stopping: work under way has %g seconds to end", self._drain_seconds)
        await super().shutdown(sockets)
