"""What can be asked of the budget books that a server shows, and what is answered."""

from dataclasses import dataclass
from typing import Annotated, TypedDict

from gaussdp.web.schemas.kinds import OneOf, Text

_NAME = 200
_WORDS = 300


@dataclass(frozen=True, kw_only=True)
class BudgetRequest:
    """A budget of a book."""

    book: Annotated[str, Text(_NAME, "The book, by the name under which it is shown.", "budget")]
    budget: Annotated[str, Text(_NAME, "The budget.", "health/2027")]


@dataclass(frozen=True, kw_only=True)
class SpendRequest:
    """What to do in a book, for whoever has the token: it goes into the header Authorization, as Bearer TOKEN."""

    book: Annotated[str, Text(_NAME, "The book, by the name under which it is shown.", "budget")]
    do: Annotated[str, OneOf(("reserve", "commit", "refund"), "What to do.")]
    key: Annotated[
        str, Text(_NAME, "Of the release, which no other has; the same request gives the same answer.", "table-7")
    ]
    budget: Annotated[str, Text(_NAME, "The budget, to reserve from it.", "health/2027")] = ""
    release: Annotated[str, Text(_WORDS, "What is released, to reserve for it.", "noise=20")] = ""
    purpose: Annotated[str, Text(_WORDS, "What a reservation is for.", "monthly table")] = ""
    reason: Annotated[str, Text(_WORDS, "Why nothing came out, nor will, to refund.", "the job was cancelled")] = ""


class BudgetBalance(TypedDict):
    """A budget with its balance; null where that is each person's, and depends on the data."""

    name: str
    within: list[str]
    per_person: bool
    period: str | None
    periods: int
    total_text: str
    spent_text: str | None
    left_text: str | None
    available_text: str | None
    reserved_text: str | None
    lifetime_text: str | None
    slack_text: str
    slack_spent_text: str
    share: Annotated[float | None, "how much of the square of μ is spent, from 0 to 1"]


class BookShown(TypedDict):
    """A book."""

    name: str
    problem: Annotated[str | None, "why it cannot be read, if so; all else is then empty"]
    unit: str
    neighbours: str
    head: str
    budgets: list[BudgetBalance]


class BooksResponse(TypedDict):
    """The books that the server shows."""

    spends: Annotated[bool, "whether it was started to spend from them too"]
    books: list[BookShown]


class EntryShown(TypedDict):
    """One line of a book."""

    seq: int
    time: str
    kind: str
    budget: str | None
    key: str | None
    mu_text: str
    slack_text: str
    words: str
    hash: str


class Moment(TypedDict):
    """When the spent μ changed, and to what."""

    time: str
    mu: float
    renewed: bool


class BudgetResponse(TypedDict):
    """A budget with its latest entries, the newest first."""

    balance: BudgetBalance
    total: float
    entries: list[EntryShown]
    over_time: list[Moment]


class SpendResponse(TypedDict):
    """The entry that was written, or that was written when the same was asked before."""

    entry: EntryShown
    repeated: Annotated[bool, "whether it was asked before: do not release a second time"]
