"""Who may be meant: a page elsewhere must not reach this server under a name of its own (DNS rebinding)."""

import ipaddress
import re
import socket
from collections.abc import Collection

from gaussdp.errors import DomainError
from gaussdp.web.replies import RefusalError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?")
_ORIGIN = re.compile(r"https?://(?P<host>[^/]+)")
_ROOT = re.compile(r"/|(/(?!\.\.?(/|$))[A-Za-z0-9._-]+)+/?")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to this host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_names(host: str, more: Collection[str] = ()) -> frozenset[str]:
    """The names under which a server bound to this host answers.

    Raises:
        DomainError: if one of the others is no plain name or address.
    """
    names = {*LOOPBACK_NAMES, *map(checked_name, more), host.lower()}
    if not is_loopback(host):
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def checked_name(name: str) -> str:
    """A host's name or address, without anything else.

    >>> checked_name("Calculator.example")
    'calculator.example'
    >>> checked_name("calculator.example:8000")
    Traceback (most recent call last):
    ...
    gaussdp.errors.DomainError: allow_host must be ... got 'calculator.example:8000'; leave out the port, ...
    """
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    if _is_address(bare) or _NAME.fullmatch(name):
        return bare.lower()
    advice = "write it as a browser shows it between // and the next / or :"
    if "*" in name:
        advice = "a wildcard would let any page elsewhere in; give each name"
    elif "/" in name:
        advice = "leave out http:// and the path"
    elif ":" in name:
        advice = "leave out the port, any will do"
    raise DomainError("allow_host", "a host name or an IP address", name, advice)


def checked_root(path: str) -> str:
    """The path under which a proxy shows the server, as /gaussdp, without a slash at its end.

    >>> checked_root("/gaussdp/"), checked_root("/")
    ('/gaussdp', '')
    """
    if path and not _ROOT.fullmatch(path):
        raise DomainError("root_path", "a path such as /gaussdp, of letters, digits, -, _, . and /", path)
    return path.rstrip("/")


class KnownHosts:
    """Refuses requests for other hosts with 421, and posts from other sites with 403.

    Args:
        names: the hosts to answer for, any port.
        more: those of them that were given by whoever runs the server: a page under one of them is our own, also where
            a proxy says another name than the browser did.
        addresses: whether any IP address will do as well: rebinding needs a name, so they are safe where the server is
            meant to be reached from elsewhere.
    """

    more: frozenset[str]
    names: frozenset[str]
    addresses: bool

    def __init__(self, names: Collection[str], more: Collection[str] = (), *, addresses: bool = False) -> None:
        self.more = frozenset(map(checked_name, more))
        self.names, self.addresses = frozenset(names) | self.more, addresses

    def check_host(self, hosts: Collection[str]) -> None:
        """Refuse requests for others: there must be one host, and a known one."""
        if len(hosts) != 1 or not self._known(next(iter(hosts))):
            raise RefusalError(421, "this server does not answer for that host", reason="host")

    def check_site(self, host: str, origins: Collection[str], fetch_site: str | None) -> None:
        """Refuse what a browser sends for a page of another site; programs that say nothing are not browsers."""
        own = fetch_site in (None, "same-origin", "none")
        for origin in origins:
            own = own and self._own(origin.lower(), host.lower())
        if not own:
            raise RefusalError(
                403, "requests from other sites are refused; --allow-host tells a server its own name", reason="site"
            )

    def _own(self, origin: str, host: str) -> bool:
        match = _ORIGIN.fullmatch(origin)
        return match is not None and (match["host"] == host or _name_in(match["host"]) in self.more)

    def _known(self, host: str) -> bool:
        name = _name_in(host)
        return name is not None and (name in self.names or (self.addresses and _is_address(name)))


def _name_in(host: str) -> str | None:
    """The name in a host that may have a port."""
    match = _HOST.fullmatch(host)
    return match["name"].lower().strip("[]") if match else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
