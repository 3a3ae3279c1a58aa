"""A book in plain values, for a server: what is read by anyone, and what is spent by who has the token."""

import hmac
from typing import Any

from gaussdp.errors import DomainError
from gaussdp.guarantees.claim import Claim
from gaussdp.ledger.book import Ledger
from gaussdp.ledger.entries import Entry

_MOST_ENTRIES = 200  # of a history that is shown


def book_as_dict(book: Ledger) -> dict[str, Any]:
    """What a book means and what its budgets have left."""
    return {
        "unit": book.unit,
        "adjacency": book.adjacency,
        "head": book.head,
        "budgets": [budget.as_dict() for budget in book.budgets()],
    }


def budget_as_dict(book: Ledger, budget: str, last: int = _MOST_ENTRIES) -> dict[str, Any]:
    """A budget with its latest entries."""
    found = book.budget(budget).as_dict()
    return {**found, "entries": [entry_as_dict(entry) for entry in book.entries(budget, last=last)]}


def entry_as_dict(entry: Entry) -> dict[str, Any]:
    """An entry, with its charge as numbers where it has one; nothing about people, which depends on the data."""
    hidden = ("people", "units", "who")
    plain = entry.as_dict()
    plain["content"] = {name: value for name, value in entry.content.items() if name not in hidden}
    if entry.kind == "reserve":
        plain |= {"mu": entry.guarantee.mu, "slack": entry.guarantee.delta_bound, "repeated": entry.repeated}
    return plain


def spend(book: Ledger, token: str, given: str, request: dict[str, Any]) -> dict[str, Any]:
    """Reserve, commit or refund, for whoever gives the token of the server.

    Args:
        book: the book.
        token: what must be given; empty where nobody may spend.
        given: what was given.
        request: {"do": "reserve", "budget", "key", "release": "mu=0.25", "purpose"}, {"do": "commit", "key"} or
            {"do": "refund", "key", "reason"}.
    Raises:
        DomainError: for another token, or another request.
    """
    if not token or not hmac.compare_digest(token.encode(), str(given).encode()):
        raise DomainError("token", problem="does not open this book for spending")
    keys = {"reserve": {"budget", "key", "release", "purpose"}, "commit": {"key"}, "refund": {"key", "reason"}}
    what, values = request.get("do"), {name: value for name, value in request.items() if name != "do"}
    if what not in keys:
        raise DomainError("do", f"one of {', '.join(keys)}", what)
    if not {"key"} <= set(values) <= keys[what]:
        raise DomainError("request", f"made of {', '.join(sorted(keys[what]))}", got=", ".join(sorted(values)))
    for name, value in values.items():
        if not isinstance(value, str):
            raise DomainError(name, "text", value)
    if what == "reserve":
        release = Claim.parse(values.pop("release", "")).guarantee
        return entry_as_dict(book.reserve(values.pop("budget", ""), release, **values))
    entry = (
        book.commit(values["key"]) if what == "commit" else book.refund(values["key"], reason=values.get("reason", ""))
    )
    return entry_as_dict(entry)
