"""Run the calculator on a socket, in one process or several, until it is told to stop."""

import contextlib
import errno
import socket
from collections.abc import Callable
from dataclasses import replace

from gaussdp.errors import DomainError
from gaussdp.web.app import create_app
from gaussdp.web.limits import Limits
from gaussdp.web.processes import keep_processes
from gaussdp.web.running import BACKLOG, run
from gaussdp.web.safety.connections import MOST_REFUSED
from gaussdp.web.settings import Settings
from gaussdp.web.telling.logs import LOG, logging_to

_OTHER_DESCRIPTORS = 64  # files, pipes and sockets beside the connections
_OF_A_BROWSER = 6  # connections that it makes to one server


def serve(settings: Settings | None = None, *, ready: Callable[[str], None] | None = None) -> None:
    """Serve the calculator until interrupted.

    Args:
        settings: how; on this machine alone if None.
        ready: called with the address of the page once connections are accepted.
    Raises:
        DomainError: if the host is not of this machine, the port is not free, or a setting is none.
    """
    asked = settings or Settings()
    say = ready or (lambda address: None)
    with _listening(asked.host, asked.port) as listener, logging_to(asked.access_log):
        asked = replace(asked, limits=within_descriptors(asked.limits))
        if asked.workers > 1:
            if books := asked.books():  # what is wrong with them is said here and now
                books.close()
            keep_processes(asked, listener, lambda: say(address_of(listener)))
        else:
            app = create_app(asked.limits, asked.site, books=asked.books())
            run(app, asked.limits, listener, lambda: say(address_of(listener)))


def within_descriptors(limits: Limits) -> Limits:
    """The limits, with no more connections than there are file descriptors for, after asking the system for more.

    So that what is one too many is refused in words: where descriptors run out, nothing can be said any more.

    Raises:
        DomainError: if there are hardly any.
    """
    try:
        import resource
    except ImportError:
        return limits
    others = MOST_REFUSED + 3 * limits.computations + _OTHER_DESCRIPTORS
    need = limits.connections + others
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= need or soft == resource.RLIM_INFINITY:
        return limits
    most = need if hard == resource.RLIM_INFINITY else min(need, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    if soft >= need:
        return limits
    if soft <= others:
        raise DomainError(
            None, problem=f"{soft} file descriptors are too few", advice=f"allow at least {need} (ulimit -n)"
        )
    LOG.warning("%d file descriptors are allowed: there will be %d connections at most", soft, soft - others)
    share = limits.address_connections * (soft - others) // limits.connections  # still no address can take them all
    least = min(_OF_A_BROWSER, limits.address_connections)
    return replace(limits, connections=soft - others, address_connections=max(share, least))


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError):
        raise DomainError("host", "a name or an address of this machine", host) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
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


def address_of(listener: socket.socket) -> str:
    """Of the page."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
