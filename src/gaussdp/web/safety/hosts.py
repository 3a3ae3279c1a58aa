"""Who asks, also through a proxy, who may be meant, and headers of every response."""

import ipaddress
import re
import socket
from collections.abc import Collection, Mapping
from functools import lru_cache

from gaussdp.errors import DomainError
from gaussdp.web.replies import RefusalError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNKNOWN = "unknown"
_V6_SITE = 64  # bits of an address that a site of IPv6 is given; it chooses the others as it likes


class Proxies:
    """Those whose forwarded addresses are believed.

    Args:
        trusted: addresses or networks, as 127.0.0.1 or 10.0.0.0/8.
    Raises:
        DomainError: for what is neither.
    """

    def __init__(self, trusted: Collection[str] = ()) -> None:
        self._networks = tuple(map(_network, trusted))
        self._cached = lru_cache(maxsize=1024)(self._trusted)

    def trust(self, address: str) -> bool:
        """Whether an address is one of theirs."""
        return bool(self._networks) and self._cached(address)

    def client(self, peer: str, forwarded: str) -> str:
        """The address that asks: the last one in X-Forwarded-For that is no trusted proxy.

        What stands before it was written by the client, and may be anything.
        """
        if not self.trust(peer):
            return peer
        for entry in reversed(forwarded.split(",")):
            address = _parsed(entry.strip())
            if address is None:
                break
            if not self.trust(str(address)):
                return str(address)
        return peer

    def _trusted(self, address: str) -> bool:
        parsed = _parsed(address)
        return parsed is not None and any(parsed in network for network in self._networks)


@lru_cache(maxsize=4096)
def site_of(address: str) -> str:
    """What one client can have of addresses: all of one IPv4 address, or the /64 of an IPv6 address."""
    parsed = _parsed(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, _V6_SITE), strict=False))
    return str(parsed) if parsed else UNKNOWN


def header(headers: Collection[tuple[bytes, bytes]], name: bytes) -> str:
    """All values of a header, as one."""
    return ",".join(value.decode("latin-1") for key, value in headers if key == name)


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise DomainError(
            "trusted_proxy", "an IP address or a network such as 10.0.0.0/8", text, "names can be taken by others"
        ) from None


def _parsed(text: str) -> Address | None:
    """An address, with or without a port; one of IPv4 also where it is written as one of IPv6."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


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
    if (_is_address(bare) and "%" not in bare) or _NAME.fullmatch(name):
        return _one_way(bare)
    advice = "write it as a browser shows it between // and the next / or :"
    if "*" in name:
        advice = "a wildcard would let any page elsewhere in; give each name"
    elif "/" in name:
        advice = "leave out http:// and the path"
    elif "%" in name:
        advice = "leave out % and what follows, which no browser sends"
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
    return _one_way(match["name"].strip("[]")) if match else None


def _one_way(name: str) -> str:
    """In small letters; an address of IPv6, which can be written in several ways, in the usual one."""
    return str(ipaddress.ip_address(name)) if ":" in name and _is_address(name) else name.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Raw = list[tuple[bytes, bytes]]

ADDED = "headers added"
"""Has, in a request's state, what adds headers to the answer; a connection adds those above to whatever is answered."""

_RAW: Raw = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"connection"})
_NOT_STORED = (b"cache-control", b"no-store")


def with_safe_headers(headers: Raw, request_id: str, *, added: bool = False) -> Raw:
    """The headers of a response and these, if they are not added later; one without a word on caching is not stored."""
    stored = () if b"cache-control" in dict(headers) else (_NOT_STORED,)
    return [*headers, *(() if added else _RAW), *stored, (b"x-request-id", request_id.encode())]


def lines_of(headers: Raw) -> bytes:
    """Headers as they are sent.

    Raises:
        ValueError: if one is more than a line.
    """
    lines = b"".join([b"%s: %s\r\n" % header for header in headers])
    if not lines.count(b"\r") == lines.count(b"\n") == len(headers) or b"\0" in lines:
        raise ValueError("a header is one line")
    return lines


def framing(headers: Raw) -> tuple[Raw, Raw]:
    """Those that say where an answer ends, and all others."""
    return [one for one in headers if one[0] in _FRAMING], [one for one in headers if one[0] not in _FRAMING]


SAFE_LINES = lines_of(_RAW)
