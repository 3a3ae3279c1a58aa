"""The budget books of a server: shown to everyone, and spent from by whoever has the token it was started with.

Databases are asked in threads of their own, so that nothing else waits for them.
"""

import asyncio
import contextlib
import contextvars
import hashlib
import hmac
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from gaussdp.errors import BudgetExceeded, DomainError, LedgerError
from gaussdp.web.endpoints import parse_body
from gaussdp.web.openapi import API, Operation
from gaussdp.web.replies import RefusalError, field_of, json_response, refusal_response
from gaussdp.web.schemas.kinds import read
from gaussdp.web.schemas.ledger import (
    BookShown,
    BooksResponse,
    BudgetRequest,
    BudgetResponse,
    SpendRequest,
    SpendResponse,
)
from gaussdp.words import say

if TYPE_CHECKING:
    from gaussdp.ledger import Ledger

Answer = TypeVar("Answer")

TOKEN_VARIABLE = "GAUSSDP_SERVE_LEDGER_TOKEN"
SHORTEST_TOKEN = 16
"""Characters: what is shorter could be guessed."""
_THREADS, _WAITING, _ADDRESS_WAITING = 4, 64, 16  # requests, in all and of one address
_SECONDS = 5.0  # that a question waits for a database that is busy
_FIELDS = ("book", "do", "key", "budget", "release", "purpose", "reason")


def token_from(file: str) -> str:
    """The token of a file, or of the environment; empty if there is neither.

    Raises:
        DomainError: if the file cannot be read, or the token is too short.
    """
    try:
        token = Path(file).read_text(encoding="utf-8").strip() if file else os.environ.get(TOKEN_VARIABLE, "")
    except (OSError, UnicodeDecodeError):
        raise DomainError("ledger_token_file", problem=f"cannot be read: {file!r}") from None
    if (file or token) and not (len(token) >= SHORTEST_TOKEN and token.isascii() and token.isprintable()):
        raise DomainError(
            "ledger_token_file",
            problem=f"must hold one line of at least {SHORTEST_TOKEN} characters",
            advice='python -c "import secrets; print(secrets.token_urlsafe())" makes one',
        )
    return token


class Books:
    """Books that are open.

    Args:
        urls: of the books.
        token: that lets spend from them; nobody may if it is empty.
    Raises:
        LedgerError: if one of them is not there.
    """

    def __init__(self, urls: Collection[str], token: str = "") -> None:
        from gaussdp.ledger import Ledger  # only a server with books needs their database

        self._token = hashlib.sha256(token.encode()).digest() if token else None
        self._books: dict[str, Ledger] = {}
        for url in urls:
            book = Ledger.open(url, timeout=_SECONDS)
            self._books[self._name(book)] = book
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="ledger")
        self._waiting: Counter[str] = Counter()

    @property
    def spends(self) -> bool:
        """Whether somebody may spend."""
        return self._token is not None

    def close(self) -> None:
        """Let the databases go."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for book in self._books.values():
            book.close()

    def operations(self) -> list[Operation]:
        """What can be asked of them."""
        return [
            Operation(
                f"{API}/ledger", "GET", "The budget books, with what is left.", self._show, answered=BooksResponse
            ),
            Operation(
                f"{API}/ledger/budget",
                "POST",
                "A budget with its latest entries.",
                self._budget,
                BudgetRequest,
                BudgetResponse,
                may_wait=True,
                also=(404,),
            ),
            Operation(
                f"{API}/ledger/spend",
                "POST",
                "Reserve, commit or refund, with the token of the server.",
                self._spend,
                SpendRequest,
                SpendResponse,
                may_wait=True,
                also=(401, 404, 409),
            ),
        ]

    def _name(self, book: "Ledger") -> str:
        """The name of the file or of the database, with a number where it is taken."""
        stem = Path(book.place.partition("?")[0]).stem or "book"
        names = (stem, *(f"{stem} {number}" for number in range(2, len(self._books) + 2)))
        return next(name for name in names if name not in self._books)

    async def _show(self, request: Request) -> Response:
        with self._place(request):
            shown = await asyncio.gather(*(self._asked(self._shown, name) for name in self._books))
        return json_response(BooksResponse(spends=self.spends, books=shown))

    def _shown(self, name: str) -> BookShown:
        from gaussdp.web.views.ledger import book_shown, unreadable

        try:
            return book_shown(name, self._books[name])
        except LedgerError as error:
            return unreadable(name, self._words(error, name))

    async def _budget(self, request: Request) -> Response:
        from gaussdp.web.views.ledger import budget_shown

        asked = read(BudgetRequest, await parse_body(request))
        book = self._book(asked.book)
        with self._place(request):
            shown = await self._told(asked.book, lambda: budget_shown(book, asked.budget))
        return json_response(shown)

    async def _spend(self, request: Request) -> Response:
        from gaussdp.ledger.plain import asked as done
        from gaussdp.web.views.ledger import entry_shown

        refused = self._refused(request.headers.get("authorization", ""))
        if refused is not None:
            return refused
        asked = read(SpendRequest, await parse_body(request))
        book = self._book(asked.book)
        values = {name: getattr(asked, name) for name in _FIELDS[2:] if getattr(asked, name)}
        with self._place(request):
            entry = await self._told(asked.book, lambda: done(book, asked.do, values))
        return json_response(SpendResponse(entry=entry_shown(entry), repeated=entry.repeated))

    def _refused(self, header: str) -> Response | None:
        """The refusal of whoever has not the token, which is compared in constant time and never told."""
        if self._token is None:
            return refusal_response(403, say("this server shows its books and does not spend from them"), "token")
        scheme, _, given = header.partition(" ")
        if scheme.lower() != "bearer" or not given.strip():
            words = say("the token of this server must be given, as Authorization: Bearer TOKEN")
            return refusal_response(401, words, "token", {"WWW-Authenticate": "Bearer"})
        if not hmac.compare_digest(hashlib.sha256(given.strip().encode()).digest(), self._token):
            return refusal_response(403, say("this token does not open the books of this server"), "token")
        return None

    def _book(self, name: str) -> "Ledger":
        if name not in self._books:
            raise RefusalError(404, say("there is no book {name} here", name=repr(name)), "book")
        return self._books[name]

    async def _told(self, name: str, act: Callable[[], Answer]) -> Answer:
        """The answer of a book; what it refuses has the status and the field that say why."""
        try:
            return await self._asked(act)
        except BudgetExceeded as error:
            raise RefusalError(409, str(error), "release") from None
        except DomainError as error:
            field = "release" if error.parameter in ("noise", "mu", "epsilon", "delta", "rho") else None
            raise RefusalError(422, str(error), field or field_of(error, _FIELDS)) from None
        except LedgerError as error:
            raise RefusalError(503, self._words(error, name), retry_after=1) from None

    @contextlib.contextmanager
    def _place(self, request: Request) -> Iterator[None]:
        """One of the places for requests, of which one address has a share."""
        address = request.state.asker.address
        if self._waiting.total() >= _WAITING or self._waiting[address] >= _ADDRESS_WAITING:
            raise RefusalError(503, "too many questions about books wait; try again in a moment", retry_after=1)
        self._waiting[address] += 1
        try:
            yield
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # drops who has none

    async def _asked(self, act: Callable[..., Answer], *values: str) -> Answer:
        said = contextvars.copy_context()  # the language
        return await asyncio.get_running_loop().run_in_executor(self._threads, said.run, partial(act, *values))

    def _words(self, error: LedgerError, name: str) -> str:
        """What is wrong, without where the book is kept, which is nobody's business."""
        return str(error).replace(self._books[name].place, repr(name))
