"""Entries of a book: what happened, in order, each sealed with a hash that covers all before it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any, Literal

from gaussdp.documents.written import number_up, root_up
from gaussdp.errors import LedgerError
from gaussdp.guarantees import ApproxGDP

Kind = Literal["create", "open", "reserve", "commit", "refund", "renew", "upgrade"]

_OF_PEOPLE = ("people", "units", "who")

FIRST = "0" * 64
"""The hash before the first entry."""


@dataclass(frozen=True)
class Entry:
    """One line of a book.

    Attributes:
        seq: its number; the first is 1, and none is missing.
        time: when it was written, in UTC; never before the entry before it, whatever the clock says.
        kind: what happened.
        budget: the budget that it is about.
        key: of the release that it is about.
        content: the rest, by kind.
        hash: of the entry and the hash before.
        repeated: whether the same was asked before, so that this is the answer that was given then.
    """

    seq: int
    time: str
    kind: Kind
    budget: str | None
    key: str | None
    content: Mapping[str, Any]
    hash: str = ""
    repeated: bool = field(default=False, compare=False)

    @property
    def square(self) -> Fraction:
        """The square of mu that a reservation takes."""
        return Fraction(self.content["square"])

    @property
    def slack(self) -> Fraction:
        """The slack that a reservation takes."""
        return Fraction(self.content["slack"])

    @property
    def charged(self) -> list[tuple[str, int]]:
        """The budgets that a reservation touches, each with the period in which it does."""
        return [(str(name), int(period)) for name, period in self.content["charged"]]

    @property
    def guarantee(self) -> ApproxGDP:
        """What a reservation takes, rounded up."""
        return ApproxGDP(root_up(self.square), number_up(self.slack))

    @property
    def purpose(self) -> str:
        """What it is for, in the words of whoever asked."""
        return str(self.content.get("purpose", ""))

    def sealed(self, before: str) -> "Entry":
        """The entry with its hash."""
        return Entry(self.seq, self.time, self.kind, self.budget, self.key, self.content, self.digest(before))

    def digest(self, before: str) -> str:
        """The hash that it must have after this one."""
        return seal(before, self.seq, self.time, self.kind, self.budget, self.key, canonical(self.content))

    def row(self) -> dict[str, Any]:
        """As the table holds it."""
        named = {name: getattr(self, name) for name in ("seq", "time", "kind", "budget", "key", "hash")}
        return {**named, "content": canonical(self.content)}

    @classmethod
    def of_row(cls, row: Any) -> "Entry":
        """From a row of the table.

        Raises:
            LedgerError: if it cannot be read.
        """
        try:
            content = json.loads(row.content)
        except (ValueError, TypeError, RecursionError):
            content = None
        if not isinstance(content, dict) or not all(isinstance(x, str) for x in (row.time, row.kind, row.hash)):
            raise LedgerError(f"entry {row.seq} cannot be read: the book is damaged")
        return cls(row.seq, row.time, row.kind, row.budget, row.key, content, row.hash)

    def as_dict(self) -> dict[str, Any]:
        """As programs get it."""
        return {
            "seq": self.seq,
            "time": self.time,
            "kind": self.kind,
            "budget": self.budget,
            "key": self.key,
            "content": dict(self.content),
            "hash": self.hash,
        }

    def public(self) -> dict[str, Any]:
        """The same as anyone may see it: nothing about people, which depends on the data."""
        return {**self.as_dict(), "content": {k: v for k, v in self.content.items() if k not in _OF_PEOPLE}}


def canonical(content: object) -> str:
    """The one way in which a content is written."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def seal(before: str, seq: int, time: str, kind: str, budget: str | None, key: str | None, content: str) -> str:
    """The hash of an entry whose content is written so, after the hash before: that of their list, made `canonical`.

    Raises:
        TypeError: for what is no text, as in a table that was changed.
    """
    about = f"{_quoted(time)},{_quoted(kind)},{_quoted(budget)},{_quoted(key)}"
    return hashlib.sha256(f'["{before}",{seq},{about},{content}]'.encode()).hexdigest()


def _quoted(text: str | None) -> str:
    return "null" if text is None else encode_basestring(text)


def digest_of(content: object) -> str:
    """The hash of a content."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def now() -> str:
    """The time in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
