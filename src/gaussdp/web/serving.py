"""Run the calculator on a socket, until it is told to stop."""

import errno
import socket
from collections.abc import Callable, Collection

import uvicorn

from gaussdp.errors import DomainError
from gaussdp.web.app import create_app
from gaussdp.web.limits import Limits
from gaussdp.web.safety.connections import connections_within
from gaussdp.web.safety.hosts import allowed_names, is_loopback

_BACKLOG = 128
_KEEP_ALIVE_SECONDS = 15
_SHUTDOWN_SECONDS = 2


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    allow_hosts: Collection[str] = (),
    limits: Limits | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the calculator until interrupted.

    Args:
        host: name or address of this machine to listen on; loopback unless others are meant to reach it.
        port: to listen on; 0 takes any that is free.
        allow_hosts: further names under which it answers.
        limits: what clients, requests and computations may take; `Limits()` if None.
        ready: called with the address of the page once connections are accepted.
    Raises:
        DomainError: if the host is not of this machine, or the port is not free.
    """
    allowed = limits or Limits()
    app = create_app(allowed, allowed_names(host, allow_hosts), any_address=not is_loopback(host))
    config = uvicorn.Config(
        app,
        http=connections_within(allowed.body_seconds),
        ws="none",
        lifespan="on",
        log_config=None,  # uvicorn's own would close the handlers of other libraries in this process
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=allowed.connections,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    with _listening(host, port) as listener:
        try:
            _Server(config, lambda: ready(_address(listener)) if ready else None).run(sockets=[listener])
        except KeyboardInterrupt:  # raised again by uvicorn after it has shut down: how a server is meant to end
            return


class _Server(uvicorn.Server):
    """Tells when it is ready: not before an interrupt would end it cleanly."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise DomainError("host", "a name or an address of this machine", host) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise DomainError(
                None, problem=f"port {port} is in use", advice="take another, or 0 for any that is free"
            ) from None
        if error.errno == errno.EACCES:
            raise DomainError(
                None, problem=f"port {port} may not be used by this user", advice="take one above 1023"
            ) from None
        raise DomainError("host", "a name or an address of this machine", host) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
