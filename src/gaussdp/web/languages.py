"""In which language a request is answered: the one it names, else the one its browser likes best."""

from collections.abc import MutableMapping
from typing import Any
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gaussdp.words import LANGUAGES, preferred, speaking

_FILES = "/static/"  # which say nothing
_LONGEST = 500  # characters of a header or a query that are looked at


class Speaking:
    """Stands before the application, so that everything it says is said in the language of who asks.

    Args:
        app: the application.
    """

    app: ASGIApp

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _FILES in scope["path"]:
            await self.app(scope, receive, send)
            return
        tag = language_of(scope)

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = [(b"vary", b"Accept-Language"), (b"content-language", tag.encode())]
                message["headers"] = [*message.get("headers", ()), *said]
            await send(message)

        with speaking(tag):
            await self.app(scope, receive, tell)


def language_of(scope: MutableMapping[str, Any]) -> str:
    """The language that a request asks for: `?lang=de`, or its Accept-Language; English if it knows no other."""
    query = scope.get("query_string", b"")[:_LONGEST].decode("latin-1")
    named: str = parse_qs(query).get("lang", [""])[-1] if query else ""
    if named in LANGUAGES:
        return named
    headers = [value for name, value in scope["headers"] if name == b"accept-language"]
    return preferred(b",".join(headers)[:_LONGEST].decode("latin-1"))
