"""How much one client, one request and one computation may take."""

from dataclasses import dataclass, field, fields
from typing import Any

from gaussdp.domains import Domain, integer, number

_SECONDS = Domain(0.0, 86_400.0)
_BETWEEN_LINES = Domain(0.01, 86_400.0)
_RATE = Domain(0.0, 1e12, closed_low=False)
_MOST = 10**12


def _limit(default: float, meaning: str, low: int = 1, high: int = _MOST) -> Any:
    return field(default=default, metadata={"meaning": meaning, "low": low, "high": high})


@dataclass(frozen=True)
class Limits:
    """What the server allows; the defaults fit a small team.

    Whole numbers count, others are seconds or a rate. What each one means is said once, in `meanings`.
    """

    head_bytes: int = _limit(16_384, "largest first line and headers of a request; 4 kB more may pass", low=1_024)
    body_bytes: int = _limit(16_384, "largest body of a request")
    body_seconds: float = _limit(10.0, "seconds for a body, and for the headers before it, to arrive")
    write_seconds: float = _limit(30.0, "seconds without progress before a client that does not read is cut off")
    idle_seconds: float = _limit(15.0, "seconds that a connection is kept between requests")
    connections: int = _limit(400, "connections at once")
    address_connections: int = _limit(64, "connections at once of one address")
    requests_per_second: float = _limit(120.0, "requests a second of one address, in the long run")
    burst: int = _limit(240, "requests of one address at once")
    work_cost: int = _limit(8, "requests for which one computation counts")
    clients: int = _limit(4_096, "addresses whose rate is remembered", high=10**6)
    computations: int = _limit(3, "computations at once, each in a process of its own")
    address_computations: int = _limit(2, "computations at once of one address")
    waiting: int = _limit(12, "computations that may wait for their turn", low=0)
    address_waiting: int = _limit(4, "computations of one address that may wait", low=0)
    work_seconds: float = _limit(60.0, "seconds after which a computation is stopped")
    work_bytes: int = _limit(3 << 30, "memory of one computation")
    quick_seconds: float = _limit(20.0, "seconds after which a quick computation is stopped: a figure, a rule of thumb")
    progress_seconds: float = _limit(0.25, "seconds between two lines of progress")
    grace_seconds: float = _limit(0.2, "seconds that an abandoned computation may still take, to save its process")
    drain_seconds: float = _limit(20.0, "seconds for work to end after SIGTERM")

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if limit.type is int:
                integer(limit.name, value, limit.metadata["low"], limit.metadata["high"])
            else:
                domain = {"requests_per_second": _RATE, "progress_seconds": _BETWEEN_LINES}.get(limit.name, _SECONDS)
                object.__setattr__(self, limit.name, number(limit.name, value, domain))

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """What each limit means, in words."""
        return {limit.name: limit.metadata["meaning"] for limit in fields(cls)}
