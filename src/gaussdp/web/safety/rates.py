"""How often one client may ask: a bucket of tokens for each address, refilled steadily."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.types import ASGIApp, Receive, Scope, Send

from gaussdp.web.answers import refusal_response
from gaussdp.web.limits import Limits


class Buckets:
    """Tokens by client; the longest unseen client is forgotten when there are too many.

    Args:
        rate: tokens a second.
        burst: tokens that a bucket holds.
        clients: buckets that are remembered.
        clock: seconds, for tests.
    """

    rate: float
    burst: int
    clients: int
    clock: Callable[[], float]

    def __init__(self, rate: float, burst: int, clients: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clients, self.clock = rate, burst, clients, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, client: str, cost: float = 1.0) -> float:
        """Take so many tokens and return 0, or take none and return when there will be enough."""
        now = self.clock()
        tokens, since = self._buckets.pop(client, (float(self.burst), now))
        tokens = min(self.burst, tokens + (now - since) * self.rate)
        wait = max(0.0, (cost - tokens) / self.rate)
        self._buckets[client] = (tokens - cost if wait == 0 else tokens, now)
        if len(self._buckets) > self.clients:
            self._buckets.popitem(last=False)
        return wait


class RateLimit:
    """Answers 429 with Retry-After to a client that asks too often.

    Args:
        app: what to protect.
        limits: the rate, the burst and the number of clients.
        costs: tokens of the paths that cost more than one.
    """

    app: ASGIApp
    costs: Mapping[str, int]
    buckets: Buckets

    def __init__(self, app: ASGIApp, limits: Limits, costs: Mapping[str, int]) -> None:
        self.app, self.costs = app, costs
        self.buckets = Buckets(limits.requests_per_second, limits.burst, limits.clients)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client = scope["client"][0] if scope.get("client") else "unknown"
            wait = self.buckets.seconds_to_wait(client, self.costs.get(scope["path"], 1))
            if wait > 0:
                after = {"Retry-After": str(math.ceil(wait))}
                refusal = refusal_response(429, "too many requests; try again in a moment", headers=after)
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)
