"""Budget books as the page shows them, rounded to the safe side."""

from typing import Any, cast

from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.ledger.book import Ledger
from gaussdp.ledger.plain import book_as_dict, budget_as_dict, entry_as_dict
from gaussdp.mechanisms.base import ADJACENCIES
from gaussdp.web.schemas.ledger import BookShown, BudgetBalance, BudgetResponse, EntryShown
from gaussdp.words import numeral

_UP = ("spent", "reserved", "lifetime")
_DOWN = ("left", "available")


def book_shown(name: str, book: Ledger) -> BookShown:
    """A book with its budgets."""
    plain = book_as_dict(book)
    return {
        "name": name,
        "problem": None,
        "unit": plain["unit"],
        "neighbours": f"{ADJACENCIES[book.adjacency].meaning}",
        "head": plain["head"],
        "budgets": [_balance(budget) for budget in plain["budgets"]],
    }


def unreadable(name: str, problem: str) -> BookShown:
    """A book that cannot be read now."""
    return {"name": name, "problem": problem, "unit": "", "neighbours": "", "head": "", "budgets": []}


def budget_shown(book: Ledger, budget: str) -> BudgetResponse:
    """A budget with its latest entries."""
    plain = budget_as_dict(book, budget)
    return {
        "balance": _balance(plain),
        "total": plain["total"],
        "entries": [_entry(entry) for entry in plain["entries"]],
        "over_time": plain["over_time"],
    }


def entry_shown(entry: Any) -> EntryShown:
    """An entry."""
    return _entry(entry_as_dict(entry))


def _balance(plain: dict[str, Any]) -> BudgetBalance:
    texts = {f"{name}_text": _text(plain[name], Rounding.UP) for name in _UP}
    texts |= {f"{name}_text": _text(plain[name], Rounding.DOWN) for name in _DOWN}
    known = {name: plain[name] for name in ("name", "within", "per_person", "period", "periods")}
    whole = {
        **known,
        **texts,
        "total_text": numeral(shown(plain["total"])),
        "slack_text": numeral(shown(plain["slack"])),
        "slack_spent_text": _text(plain["slack_spent"], Rounding.UP),
        "share": None if plain["spent"] is None else min((plain["spent"] / plain["total"]) ** 2, 1.0),
    }
    return cast(BudgetBalance, whole)


def _text(value: float | None, side: Rounding) -> str | None:
    return None if value is None else numeral(shown(rounded(value, side)))


def _entry(plain: dict[str, Any]) -> EntryShown:
    said = plain["content"]
    words = said.get("reason") or said.get("purpose") or said.get("release", "")
    if plain["kind"] == "open":
        words = said.get("purpose") or f"μ = {numeral(shown(float(said['mu'])))}"
    return {
        "seq": plain["seq"],
        "time": plain["time"][:19].replace("T", " "),
        "kind": plain["kind"],
        "budget": plain["budget"],
        "key": plain["key"],
        "mu_text": _text(plain.get("mu"), Rounding.UP) or "",
        "slack_text": _text(plain.get("slack"), Rounding.UP) or "",
        "words": words,
        "hash": plain["hash"],
    }
