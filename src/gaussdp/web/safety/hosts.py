"""Who may be meant: a page elsewhere must not reach this server under a name of its own (DNS rebinding)."""

import ipaddress
import re
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from gaussdp.web.answers import refusal_response

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to this host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_names(host: str, more: Collection[str] = ()) -> frozenset[str]:
    """The names under which a server bound to this host answers."""
    names = {*LOOPBACK_NAMES, *(name.lower() for name in more), host.lower()}
    if not is_loopback(host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


class KnownHosts:
    """Refuses requests for other hosts with 421, and cross-site POSTs with 403.

    Args:
        app: what to protect.
        names: the hosts to answer for, any port.
        addresses: whether any IP address will do as well: rebinding needs a name, so they are safe where the server is
            meant to be reached from elsewhere.
    """

    app: ASGIApp
    names: frozenset[str]
    addresses: bool

    def __init__(self, app: ASGIApp, names: Collection[str], *, addresses: bool = False) -> None:
        self.app, self.names, self.addresses = app, frozenset(names), addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._known(hosts[0]):
            await refusal_response(421, "this server does not answer for that host")(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD") and not _same_site(headers, hosts[0]):
            await refusal_response(403, "requests from other sites are refused")(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _known(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match["name"].lower().strip("[]")
        return name in self.names or (self.addresses and _is_address(name))


def _same_site(headers: Headers, host: str) -> bool:
    """Whether a browser says the request comes from our own page; programs that say nothing are not browsers."""
    origins = headers.getlist("origin")
    if any(origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}") for origin in origins):
        return False
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
