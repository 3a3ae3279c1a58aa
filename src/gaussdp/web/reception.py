"""What every request meets first and last: who asks, whether it may, a log line, a count, and always an answer."""

import math
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gaussdp.web.endpoints import Endpoint
from gaussdp.web.limits import Limits
from gaussdp.web.replies import RefusalError, language_of, refusal_response
from gaussdp.web.safety.connections import RETRY_SECONDS, TOO_MANY, has_arrived, whole_body
from gaussdp.web.safety.hosts import ADDED, UNKNOWN, KnownHosts, Proxies, site_of, with_safe_headers
from gaussdp.web.sharing import Shared
from gaussdp.web.telling import LOG, Metrics, log_request, logs_requests
from gaussdp.web.work.desk import Asker
from gaussdp.words import speaking

UNMETERED = ("/healthz", "/readyz")
"""For a monitor, which asks by address, often, and above all when the server is full."""

OVERFULL = "overfull"
"""Says, in a request's state, that there are too many connections for it."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_REFUSED_SECONDS = 2.0  # for the rest of a request that is refused
_WEBSOCKET_REFUSED = 1008
_FILES = "/static/"
_TOO_LATE = 408
_CLIENT_GONE = 499  # what other servers log for a client that did not wait


def _random_ids() -> Iterator[str]:
    """Of 16 digits each; the system is asked for many at once, which takes it no longer than one."""
    while True:
        digits = secrets.token_hex(_IDS_AT_ONCE * _ID_DIGITS // 2)
        for start in range(0, len(digits), _ID_DIGITS):
            yield digits[start : start + _ID_DIGITS]


_ID_DIGITS, _IDS_AT_ONCE = 16, 32
_IDS = _random_ids()


@dataclass
class House:
    """What the reception knows of the server.

    Attributes:
        limits: what a request may take.
        shared: who asked how much.
        metrics: what is counted.
        hosts: under which names it answers.
        proxies: who may speak for others.
        root_path: under which a proxy shows it, if that stands in the paths it sends.
    """

    limits: Limits
    shared: Shared
    metrics: Metrics
    hosts: KnownHosts
    proxies: Proxies
    root_path: str = ""


class Reception:
    """Stands before the application.

    Args:
        app: the application.
        house: what it knows.
        costs: requests for which one of these paths counts.
        endpoints: those of the application that need nothing else of it, by method and path: they are asked outright.
    """

    app: ASGIApp
    house: House
    costs: Mapping[str, int]
    endpoints: Mapping[tuple[str, str], Endpoint]

    def __init__(
        self, app: ASGIApp, house: House, costs: Mapping[str, int], endpoints: Mapping[tuple[str, str], Endpoint]
    ) -> None:
        self.app, self.house, self.costs, self.endpoints = app, house, costs, endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _Visit(self, scope, receive, send).serve()
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _WEBSOCKET_REFUSED})
        else:
            await self.app(scope, receive, send)


class _Read(Request):
    """A request whose body is here."""

    def __init__(self, scope: Scope, receive: Receive, body: bytes) -> None:
        super().__init__(scope, receive)
        self._content = body

    async def body(self) -> bytes:
        return self._content


class _Visit:
    """One request."""

    def __init__(self, reception: Reception, scope: Scope, receive: Receive, send: Send) -> None:
        self.reception, self.house = reception, reception.house
        self.scope, self.receive, self.send = scope, receive, send
        self.start = time.perf_counter()
        self.headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            self.headers.setdefault(name, []).append(value.decode("latin-1"))
        peer = scope["client"][0] if scope.get("client") else UNKNOWN
        self.address = self.house.proxies.client(peer, ",".join(self.headers.get(b"x-forwarded-for", ())))
        self.proxied = self.house.proxies.trust(peer)
        self.request_id = self._request_id()
        self.root = ""
        self.path = self._inner_path()
        self.status, self.bytes, self.more = 0, 0, True
        self.language = ""

    async def serve(self) -> None:
        """Everything is said in the language of who asks; files say nothing."""
        if _FILES in self.scope["path"]:
            await self._serve()
            return
        self.language = language_of(self.scope)
        with speaking(self.language):
            await self._serve()

    async def _serve(self) -> None:
        state = self.scope.setdefault("state", {})
        state["asker"] = Asker(site_of(self.address), self.request_id)
        try:
            await self._answer()
        except RefusalError as refusal:
            await self._refuse(refusal)
        except Exception:
            LOG.exception("request %s: %s %s failed", self.request_id, self.scope["method"], ascii(self.path))
            self.house.metrics.add("failures")
            if not self.status:
                words = f"the server failed; its log says how (request {self.request_id})"
                await refusal_response(500, words)(self.scope, self.receive, self._tell)
        finally:
            self._note()

    async def _answer(self) -> None:
        if b"transfer-encoding" in self.headers and b"content-length" in self.headers:
            # a proxy may have read it by the other one, and taken its end for the next request of somebody else
            raise RefusalError(400, "a request has either a length or a transfer encoding", close=True)
        if self.path not in UNMETERED:
            self._check()
        if self.path is None:
            location = f"{self.root}/"
            await refusal_response(308, f"the page is at {location}", headers={"Location": location})(
                self.scope, self.receive, self._tell
            )
            return
        arrived = has_arrived(self.receive)
        body = await whole_body(self._length(), self._received, self.house.limits, arrived=arrived)
        if body is None:
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return messages.pop() if messages else await self.receive()

        if self.path != self.scope["path"]:
            self.scope = {**self.scope, "path": self.path, "raw_path": self.path.encode(), "root_path": ""}
        endpoint = self.reception.endpoints.get((self.scope["method"], self.path))
        if endpoint is None:
            await self.reception.app(self.scope, receive_again, self._tell)
        else:
            response = await endpoint(_Read(self.scope, receive_again, body))
            await response(self.scope, receive_again, self._tell)

    def _check(self) -> None:
        """Whether it may be answered at all, from its headers."""
        house, headers = self.house, self.headers
        hosts = headers.get(b"host", [])
        forwarded = headers.get(b"x-forwarded-host") if self.proxied else None
        if forwarded:
            hosts = [forwarded[-1].rpartition(",")[2].strip()]
        house.hosts.check_host(hosts)
        if self.scope["method"] not in ("GET", "HEAD"):
            site = headers.get(b"sec-fetch-site")
            house.hosts.check_site(hosts[0], headers.get(b"origin", ()), site[0] if site else None)
        if "websocket" in "".join(headers.get(b"upgrade", ())).lower():
            raise RefusalError(400, "this server has no websockets")
        if self.scope["state"].get(OVERFULL):
            raise RefusalError(503, TOO_MANY, retry_after=RETRY_SECONDS, reason="connections")
        cost = self.reception.costs.get(self.path or "", 1)
        wait = house.shared.seconds_to_wait(self.scope["state"]["asker"].address, cost)
        if wait > 0:
            raise RefusalError(
                429, "too many requests; try again in a moment", retry_after=math.ceil(wait), reason="rate"
            )

    async def _refuse(self, refusal: RefusalError) -> None:
        if refusal.reason:
            self.house.metrics.add(f"refused {refusal.reason}")
        response = refusal.response()
        late = refusal.status == _TOO_LATE  # then the rest has had its time
        taken = not self.more or (not late and await self._taken())
        if self.scope["state"].get(OVERFULL) or not taken or refusal.close:
            response.headers["Connection"] = "close"
        await response(self.scope, self.receive, self._tell)

    async def _taken(self) -> bool:
        """Whether a body that is not wanted could be taken all the same; left behind, it would cut off the refusal."""
        limits = replace(self.house.limits, body_seconds=min(_REFUSED_SECONDS, self.house.limits.body_seconds))
        try:
            return await whole_body(self._length(), self._received, limits) is not None
        except RefusalError:
            return False

    async def _received(self) -> Message:
        message = await self.receive()
        self.more = message.get("more_body", False)
        return message

    def _length(self) -> str:
        return self.headers.get(b"content-length", ["0"])[0]

    async def _tell(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            add = self.scope["state"].get(ADDED)
            headers = with_safe_headers(message["headers"], self.request_id, added=add is not None)
            if self.language:
                headers += [(b"vary", b"Accept-Language"), (b"content-language", self.language.encode())]
            message = {**message, "headers": headers if add is None else add(headers)}
        else:
            self.bytes += len(message.get("body", b""))
        await self.send(message)

    def _note(self) -> None:
        seconds = time.perf_counter() - self.start
        path = self.path or "/"
        kind = "/static" if path.startswith("/static/") else path
        self.house.metrics.answered(kind, self.status or _CLIENT_GONE, seconds)
        if logs_requests():
            log_request(
                request_id=self.request_id,
                address=self.address,
                method=self.scope["method"],
                path=self.root + path,
                status=self.status or _CLIENT_GONE,
                bytes=self.bytes,
                milliseconds=round(1e3 * seconds, 2),
            )

    def _request_id(self) -> str:
        """The proxy's own, so that both logs speak of the same, else a new one."""
        given = self.headers.get(b"x-request-id", [""])[0] if self.proxied else ""
        return given if _REQUEST_ID.fullmatch(given) else next(_IDS)

    def _inner_path(self) -> str | None:
        """The path without the root; None for the root without its slash, from which relative addresses lead astray."""
        path: str = self.scope["path"]
        for root in (self.house.root_path, self.scope.get("root_path", "")):
            if root and path == root:
                self.root = root
                return None
            if root and path.startswith(f"{root}/"):
                self.root, path = root, path[len(root) :]
        return path
