"""Who asks, also through a proxy: only one that is trusted may say for whom it speaks."""

import ipaddress
from collections.abc import Collection
from functools import lru_cache

from gaussdp.errors import DomainError

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
