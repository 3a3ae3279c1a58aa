"""Where computations are asked for, by whom, and what is told of them on the way."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Tell = Callable[[float, str], Awaitable[None]]
"""Awaited every moment with the seconds since the start and what is being done."""


@dataclass(frozen=True)
class Asker:
    """Who asks for a computation.

    Attributes:
        address: whose turn it takes.
        request_id: by which the log and the client speak of it.
    """

    address: str = "unknown"
    request_id: str = "-"


class Work(Protocol):
    """A computation that has a place."""

    async def result(self, tell: Tell) -> bytes:
        """The last line of the answer. To cancel the call is to stop the work."""


class Desk(Protocol):
    """Where computations are asked for."""

    async def admit(self, asker: Asker, job: str, body: Mapping[str, Any]) -> Work:
        """A place for a computation.

        Raises:
            RefusalError: 503 if there is none.
        """

    async def ready(self) -> bool:
        """Whether a worker answers."""
