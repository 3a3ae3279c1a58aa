"""A book in plain values, for a server: what anyone may read, and what is asked of it in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from gaussdp.documents.written import root_up, written
from gaussdp.domains import POSITIVE, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import Guarantee
from gaussdp.guarantees.claim import Claim
from gaussdp.ledger.book import Ledger
from gaussdp.ledger.budgets import Budget
from gaussdp.ledger.entries import Entry
from gaussdp.mechanisms import Gaussian
from gaussdp.words import say

MOST_ENTRIES = 200
"""Of a history that is shown."""

_REQUESTS = {"reserve": ("budget", "release", "purpose"), "commit": (), "refund": ("reason",)}


def release_of(words: str) -> Guarantee | Gaussian:
    """What a line of words says is released: "noise=20", "mu=0.25", "epsilon=1 delta=1e-6", "rho=0.1".

    >>> release_of("noise=20"), release_of("mu=0.25")
    (Gaussian(noise_multiplier=20.0, adjacency='add-remove'), GDP(mu=0.25))
    """
    name, equals, value = words.partition("=")
    if equals and name.strip() in ("noise", "noise_multiplier"):
        try:
            noise = float(value)
        except ValueError:
            raise DomainError("release", say("such as {example}", example='"noise=20"'), words) from None
        return Gaussian(number("noise", noise, POSITIVE))
    return Claim.parse(words).guarantee


def book_as_dict(book: Ledger) -> dict[str, Any]:
    """What a book means and what its budgets have left."""
    return {
        "unit": book.unit,
        "adjacency": book.adjacency,
        "head": book.head,
        "budgets": [budget.public() for budget in book.budgets()],
    }


def budget_as_dict(book: Ledger, name: str, last: int = MOST_ENTRIES) -> dict[str, Any]:
    """A budget with its latest entries, the newest first, and what they spent over time."""
    budget, entries = book.budget(name), book.entries(name, last=last)
    return {
        **budget.public(),
        "entries": [entry_as_dict(entry) for entry in reversed(entries)],
        "over_time": [] if budget.per_person else _over_time(book, budget, entries),
    }


def entry_as_dict(entry: Entry) -> dict[str, Any]:
    """An entry, with its charge as numbers where it has one; nothing about people, which depends on the data."""
    plain = entry.public()
    if entry.kind == "reserve":
        plain |= {"mu": entry.guarantee.mu, "slack": entry.guarantee.delta_bound}
    return plain | {"repeated": entry.repeated}


def _over_time(book: Ledger, budget: Budget, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """When the spent mu changed, and to what, backwards from what it is now: a long book is not read to its start."""
    square, period, points = written(budget.spent.mu) ** 2, budget.periods, list[dict[str, Any]]()
    known = {entry.key: entry for entry in entries if entry.kind == "reserve"}
    for entry in reversed(entries):
        own = entry.budget == budget.name
        if entry.kind == "commit" or (entry.kind in ("open", "renew") and not own):
            continue
        mu = 0.0 if entry.kind in ("open", "renew") else root_up(max(square, Fraction()))
        points.append({"time": entry.time, "mu": mu, "renewed": entry.kind == "renew"})
        if entry.kind == "renew":
            square, period = Fraction(entry.content["spent"]), period - 1
        elif entry.kind == "reserve":
            square -= entry.square
        elif entry.kind == "refund":
            about = known.get(entry.key) or book.reservation(str(entry.key))
            square += about.square if dict(about.charged).get(budget.name) == period else 0
    return points[::-1]


def asked(book: Ledger, what: str, values: Mapping[str, str]) -> Entry:
    """Reserve, commit or refund.

    Args:
        book: the book.
        what: which of them.
        values: "key", and what else it needs ("budget", "release", "purpose", or "reason"), as words.
    Raises:
        DomainError: for another request.
        BudgetExceeded: if a budget has too little left.
    """
    if what not in _REQUESTS:
        raise DomainError("do", f"one of {', '.join(_REQUESTS)}", what)
    for name in values:
        if name not in ("key", *_REQUESTS[what]):
            raise DomainError(name, problem=f"does not belong to {what}")
    key = values.get("key", "")
    if what == "commit":
        return book.commit(key)
    if what == "refund":
        return book.refund(key, reason=values.get("reason", ""))
    release = release_of(values.get("release", ""))
    return book.reserve(values.get("budget", ""), release, key=key, purpose=values.get("purpose", ""))
