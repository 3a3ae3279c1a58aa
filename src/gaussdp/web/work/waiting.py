"""Whose turn it is: so many at work, so many waiting, and no address before the others."""

import asyncio
from collections import Counter, deque

from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError
from gaussdp.web.telling import Metrics

RETRY_SECONDS = 2
_FULL = "too many computations are waiting; try again in a moment"
_FULL_FOR_YOU = "too many computations of yours are waiting; try again when one has ended"
_STOPPING = "the server is stopping; try again in a moment"


class Ticket:
    """A place at work or in the line, held from the moment it is given until it is given back."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def at_work(self) -> bool:
        """Whether its turn has come."""
        return self.turn.done() and not self.turn.cancelled()


class WaitingLine:
    """Gives out tickets at once, or refuses at once: nothing happens between the question and the answer.

    Those who wait are served in turn by address: the address with the fewest at work, and of these the one that has
    waited longest since its last ended. So the second of one address never goes before another's first that waits.

    Args:
        limits: how many at work and waiting, in all and of one address.
        metrics: what is counted.
    """

    limits: Limits
    metrics: Metrics

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self.limits, self.metrics = limits, metrics
        self.stopping = False
        self._at_work: Counter[str] = Counter()
        self._waiting: dict[str, deque[Ticket]] = {}

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._waiting.values()))

    @property
    def at_work(self) -> int:
        """How many are at work."""
        return self._at_work.total()

    def enter(self, address: str) -> Ticket:
        """A ticket.

        Raises:
            RefusalError: 503 if there is no room.
        """
        if self.stopping:
            raise self._refusal("stopping", _STOPPING)
        ticket = Ticket(address)
        if self._may_begin(address):
            self._begin(ticket)
            return ticket
        if len(self._waiting.get(address, ())) >= self.limits.address_waiting:
            raise self._refusal("queue", _FULL_FOR_YOU)
        if self.waiting >= self.limits.waiting:
            raise self._refusal("queue", _FULL)
        self._waiting.setdefault(address, deque()).append(ticket)
        self.metrics.add("waiting")
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """Give a ticket back, whether its turn had come or not."""
        if ticket.at_work:
            self._at_work[ticket.address] -= 1
            self._at_work += Counter()  # drops who has none
            self.metrics.add("computing", -1)
            if ticket.address in self._waiting:
                self._waiting[ticket.address] = self._waiting.pop(ticket.address)  # to the end of the line
        elif ticket in self._waiting.get(ticket.address, ()):
            self._waiting[ticket.address].remove(ticket)
            self._left(ticket.address)
        self._call()

    def _may_begin(self, address: str) -> bool:
        return self.at_work < self.limits.computations and self._at_work[address] < self.limits.address_computations

    def _begin(self, ticket: Ticket) -> None:
        self._at_work[ticket.address] += 1
        self.metrics.add("computing")
        ticket.turn.set_result(None)

    def _call(self) -> None:
        """Whoever's turn it is now."""
        while address := min(filter(self._may_begin, self._waiting), key=self._at_work.__getitem__, default=None):
            ticket = self._waiting[address].popleft()
            self._left(address)
            self._begin(ticket)

    def _left(self, address: str) -> None:
        self.metrics.add("waiting", -1)
        if not self._waiting[address]:
            del self._waiting[address]

    def _refusal(self, reason: str, words: str) -> RefusalError:
        self.metrics.add(f"refused {reason}")
        return RefusalError(503, words, retry_after=RETRY_SECONDS)
