"""One decision: what is read, appended and saved in one transaction, all of it or nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.errors import DomainError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.database import BUDGETS, ENTRIES, WITHIN
from gaussdp.ledger.entries import FIRST, Entry, Kind, now
from gaussdp.words import say

_LAST = sa.select(sa.func.max(ENTRIES.c.seq)).scalar_subquery()
_KNOWN = sa.select(ENTRIES).where(sa.or_(ENTRIES.c.key == sa.bindparam("key", type_=sa.Text), ENTRIES.c.seq == _LAST))
_TOUCHED = (
    sa.select(BUDGETS)
    .join(WITHIN, WITHIN.c.holder == BUDGETS.c.name)
    .where(WITHIN.c.budget == sa.bindparam("budget", type_=sa.Text))
    .order_by(BUDGETS.c.name)
)
_NAMES = sa.select(BUDGETS.c.name).order_by(BUDGETS.c.name)
_APPEND = sa.insert(ENTRIES).values({column.name: sa.bindparam(column.name) for column in ENTRIES.columns})
_SAVE = (
    sa.update(BUDGETS)
    .where(BUDGETS.c.name == sa.bindparam("of"))
    .values({name: sa.bindparam(name) for name in Balance("", 0.0, 0.0).changing()})
)


class Decision:
    """What a transaction knows of a book, and what it adds at its end (`finish`).

    Args:
        connection: inside a transaction; in one that decides, nobody else decides from here on.
        key: of the release that it is about, if it is about one.
    """

    of_key: list[Entry]

    def __init__(self, connection: Connection, key: str | None = None) -> None:
        self._connection = connection
        known = connection.execute(_KNOWN, {"key": key}).all()
        found = sorted((Entry.of_row(row) for row in known), key=lambda entry: entry.seq)
        self._last = found[-1] if found else None
        self.of_key: list[Entry] = [entry for entry in found if entry.key == key and key is not None]

    def reservation(self) -> Entry | None:
        """The reservation under the key, if there is one."""
        return next((entry for entry in self.of_key if entry.kind == "reserve"), None)

    def resolution(self) -> Entry | None:
        """How it was resolved, if it was."""
        return next((entry for entry in self.of_key if entry.kind in ("commit", "refund")), None)

    def balances(self, budget: str) -> list[Balance]:
        """The budget and all that it lies within.

        Raises:
            DomainError: if there is no such budget.
        """
        rows = self._connection.execute(_TOUCHED, {"budget": budget}).all()
        if not rows:
            raise unknown_budget(self._connection, budget)
        return [Balance.of_row(row) for row in rows]

    @property
    def next_seq(self) -> int:
        """The number of the next entry."""
        return self._last.seq + 1 if self._last else 1

    def append(self, kind: Kind, budget: str | None, key: str | None, content: dict[str, Any]) -> Entry:
        """Add an entry at the end of the chain; its number gives the order, and its time is what the clock says."""
        before = self._last.hash if self._last else FIRST
        entry = Entry(self.next_seq, now(), kind, budget, key, content).sealed(before)
        self._connection.execute(_APPEND, entry.row())
        self._last = entry
        return entry

    def save(self, balances: Sequence[Balance]) -> None:
        """Write these balances."""
        for balance in balances:
            self._connection.execute(_SAVE, {"of": balance.name, **balance.changing()})


def unknown_budget(connection: Connection, name: str) -> DomainError:
    """What to raise for a budget that the book does not have."""
    known = connection.execute(_NAMES.limit(20)).scalars().all()
    problem = say("is unknown: there is no budget {name}", name=repr(name))
    return DomainError("budget", problem=problem, advice=say("there are {names}", names=", ".join(known) or "–"))


def changed(balances: Sequence[Balance], entry: Entry, reservation: Entry | None = None) -> list[Balance]:
    """The balances after an entry, which may resolve a reservation; those that it does not touch stay."""
    if entry.kind == "renew":
        return [one.renewed() if one.name == entry.budget else one for one in balances]
    about = entry if entry.kind == "reserve" else reservation
    if about is None:
        return list(balances)
    periods = dict(about.charged)
    return [_after(one, entry.kind, about, periods[one.name]) if one.name in periods else one for one in balances]


def _after(balance: Balance, kind: Kind, about: Entry, period: int) -> Balance:
    square, slack = about.square, about.slack
    if balance.per_person:
        square = type(square)()  # each person's own, which the table of people holds
    if kind == "reserve":
        return balance.reserved(square, slack)
    return balance.committed(square) if kind == "commit" else balance.refunded(square, slack, period)


def as_repeated(entry: Entry) -> Entry:
    """The entry as the answer to a request that was made before."""
    return replace(entry, repeated=True)
