"""What the entries of a book give, recomputed in one pass, and held against what is kept.

Entries come in blocks, straight from the driver. Each is hashed over its text as it is kept, and amounts are whole
numbers over a common denominator (`Total`), so that ten million entries are a few minutes.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.documents import Displayed, Document, Facts, Items
from gaussdp.documents.written import written
from gaussdp.errors import LedgerError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import Total, exact
from gaussdp.ledger.database import BOOK, BUDGETS, ENTRIES, WITHIN, DriverLine
from gaussdp.ledger.entries import FIRST, seal
from gaussdp.ledger.people import digest_of_people, people_out_of_balance

Row = tuple[Any, ...]
IN_ORDER = sa.select(*ENTRIES.columns).order_by(ENTRIES.c.seq)
"""The entries as `Replay.follow` takes them."""

RECENT = 50_000  # reservations that are kept in memory until they are resolved; older ones are read again
_MOST_PROBLEMS = 20
_DAMAGED = (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, RecursionError)


class Charged(NamedTuple):
    """What a reservation takes, as its entry says.

    Attributes:
        square, slack: numerators and denominators.
        periods: the budgets that it touches, each with the period in which it does.
        people: units, number and digest of the people who are charged, if it charges people.
    """

    square: tuple[int, int]
    slack: tuple[int, int]
    periods: dict[str, int]
    people: tuple[int, int, str] | None


class _Running:
    """A budget while its entries are replayed."""

    opened: Balance
    spent: Total
    spent_slack: Total
    pending: Total
    past: Total
    past_slack: Total
    periods: int

    def __init__(self, opened: Balance) -> None:
        self.opened, self.periods = opened, 1
        self._most = (written(opened.mu) ** 2).as_integer_ratio()
        self._most_slack = written(opened.slack).as_integer_ratio()
        self.spent, self.spent_slack, self.pending = Total(), Total(), Total()
        self.past, self.past_slack = Total(), Total()

    @property
    def overspent(self) -> bool:
        """Whether more is spent than there was."""
        return self.spent.exceeds(*self._most) or self.spent_slack.exceeds(*self._most_slack)

    def reserve(self, charged: Charged) -> None:
        """After a reservation; squares of a budget per person are in the table of people."""
        if not self.opened.per_person:
            self.spent.add(*charged.square)
            self.pending.add(*charged.square)
        if charged.slack[0]:
            self.spent_slack.add(*charged.slack)

    def resolve(self, charged: Charged, *, refund: bool) -> None:
        """After a reservation was committed, or refunded to the period that it was made in."""
        over, under = (0, 1) if self.opened.per_person else charged.square
        self.pending.less(over, under)
        if refund:
            now = charged.periods[self.opened.name] == self.periods
            (self.spent if now else self.past).add(-over, under)
            (self.spent_slack if now else self.past_slack).add(-charged.slack[0], charged.slack[1])

    def renew(self) -> None:
        """At the beginning of another period."""
        self.past.add(self.spent.over, self.spent.under)
        self.past_slack.add(self.spent_slack.over, self.spent_slack.under)
        self.spent, self.spent_slack, self.periods = Total(), Total(), self.periods + 1

    def balance(self) -> Balance:
        """The same as the table of budgets has it."""
        names = ("spent", "spent_slack", "pending", "past", "past_slack")
        amounts: dict[str, Fraction] = {name: getattr(self, name).amount for name in names}
        own = self.opened
        return Balance(own.name, own.mu, own.slack, own.period, own.per_person, **amounts, periods=self.periods)


class Replay:
    """The state of a book after each entry.

    Attributes:
        seq, hash: of the last entry.
        meaning: unit and adjacency.
        within: each budget with those that it touches.
        people: of each entry that charges people, its number with units, number and digest of them.
        problems: what is wrong, each in one line; the first few.
    """

    seq: int
    hash: str
    meaning: tuple[str, str] | None
    within: dict[str, list[str]]
    people: list[tuple[int, int, int, str]]
    problems: list[str]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.seq, self.hash, self._time = 0, FIRST, ""
        self.problems, self.meaning, self.people = [], None, []
        self.within: dict[str, list[str]] = {}
        self._budgets: dict[str, _Running] = {}
        self._recent: OrderedDict[str, tuple[int, Charged]] = OrderedDict()
        self._older: dict[str, tuple[int, Charged]] | None = None

    def note(self, problem: str) -> None:
        """Keep a problem, unless there are many."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def balances(self) -> dict[str, Balance]:
        """The budgets as they are now."""
        return {name: running.balance() for name, running in self._budgets.items()}

    def follow(self, block: Sequence[Row]) -> bool:
        """Take a block of entries; whether it makes sense to go on."""
        self._older = None
        for row in block:
            try:
                if not self._follow(row, block):
                    return False
            except _DAMAGED:
                self.note(f"entry {row[0]} cannot be read: the book is damaged")
                return False
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return True

    def _follow(self, row: Row, block: Sequence[Row]) -> bool:
        seq, time, kind, budget, key, content, kept = row
        if seq != self.seq + 1:
            self.note(f"entry {self.seq + 1} is missing")
            return False
        if seal(self.hash, seq, time, kind, budget, key, content) != kept:
            json.loads(content)  # what cannot be read is named so
            self.note(f"entry {seq} ({kind}) was changed: its hash does not match")
            return False
        if time < self._time:
            self.note(f"entry {seq} is earlier than the entry before")
        self.seq, self.hash, self._time = seq, kept, time
        if kind == "reserve":
            self._reserve(seq, budget, key, _charged(content))
        elif kind in ("commit", "refund"):
            self._resolve(row, block)
        else:
            self._seldom(kind, budget, json.loads(content))
        return True

    def _seldom(self, kind: str, budget: str, said: dict[str, Any]) -> None:
        if kind == "create":
            self.meaning = said["unit"], said["adjacency"]
        elif kind == "open":
            own = Balance(budget, float(said["mu"]), float(said["slack"]), said["period"], said["per_person"])
            self._budgets[budget], self.within[budget] = _Running(own), list(said["within"])
        elif kind == "renew" and budget in self._budgets:
            self._budgets[budget].renew()

    def _reserve(self, seq: int, budget: str, key: str, charged: Charged) -> None:
        self._recent[key] = seq, charged
        if charged.people is not None:
            self.people.append((seq, *charged.people))
        touched = self.within.get(budget, ())
        if len(touched) != len(charged.periods):
            self.note(f"entry {seq} charges other budgets than {budget!r} and those that it lies within")
        for name in touched:
            running = self._budgets[name]
            if charged.periods.get(name) != running.periods:
                self.note(f"entry {seq} does not charge budget {name!r} as it is then")
                continue
            running.reserve(charged)
            if running.overspent:
                self.note(f"entry {seq} overspends budget {name!r}")

    def _resolve(self, row: Row, block: Sequence[Row]) -> None:
        seq, _, kind, _, key, content, _ = row
        found = self._recent.pop(key, None) or self._read_again(key, block)
        if found is None or found[0] >= seq:
            self.note(f"entry {seq} resolves {key!r}, which is not reserved")
            return
        if content != f'{{"of":{found[0]}}}' and json.loads(content)["of"] != found[0]:
            self.note(f"entry {seq} resolves another entry than the reservation {key!r}")
        for name in found[1].periods:
            self._budgets[name].resolve(found[1], refund=kind == "refund")

    def _read_again(self, key: str, block: Sequence[Row]) -> tuple[int, Charged] | None:
        """A reservation that is not kept in memory, read together with all those of the block."""
        if self._older is None:
            keys = [row[4] for row in block if row[2] in ("commit", "refund") and row[4] not in self._recent]
            reserved = sa.select(ENTRIES.c.key, ENTRIES.c.seq, ENTRIES.c.content).where(ENTRIES.c.kind == "reserve")
            rows = self._connection.execute(reserved.where(ENTRIES.c.key.in_(keys)))
            self._older = {name: (seq, _charged(content)) for name, seq, content in rows}
        return self._older.get(key)


@lru_cache(maxsize=4096)
def _charged(content: str) -> Charged:
    """What a reservation says, which many say in the same words."""
    said = json.loads(content)
    people = (said["units"], said["people"], said["who"]) if "people" in said else None
    return Charged(_ratio(said["square"]), _ratio(said["slack"]), dict(said["charged"]), people)


@lru_cache(maxsize=4096)
def _ratio(amount: str) -> tuple[int, int]:
    return exact(amount).as_integer_ratio()


BLOCK = 5000
_MOST_AGAIN = 20  # keys that are named


@dataclass(frozen=True)
class Verification(Displayed):
    """What a replay found.

    Attributes:
        entries: how many were replayed.
        head: the hash of the last.
        problems: what is wrong, each in one line; the first few.
    """

    entries: int
    head: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the book is whole."""
        return not self.problems

    def document(self) -> Document:
        """The verdict with the head of the chain."""
        title = "The book is whole" if self.ok else "The book is not whole"
        facts = Facts((("Entries", f"{self.entries:,}"), ("Head", self.head)))
        words = self.problems or ("Every hash and every balance was recomputed, and is as it was kept.",)
        content = {"ok": self.ok, "entries": self.entries, "head": self.head, "problems": list(self.problems)}
        return Document(title, (facts, Items(tuple(words))), content)


def verify(
    connection: Connection, head: str | None = None, progress: Callable[[int, int], None] | None = None
) -> Verification:
    """Replay the book in a transaction that sees one state of it."""
    replay, line = Replay(connection), DriverLine.of(connection)
    if line.sqlite and (found := connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()) != "ok":
        replay.note(f"the file is damaged: {found}")
    total = connection.execute(sa.select(sa.func.count()).select_from(ENTRIES)).scalar_one()
    with closing(line.streamed(IN_ORDER, BLOCK)) as blocks:
        for block in blocks:
            before = replay.seq
            whole = replay.follow(block)
            if any(row[-1] == head for row in block[: replay.seq - before]):
                head = None
            if progress is not None:
                progress(replay.seq, total)
            if not whole:
                break
    _compare(replay, connection)
    if head is not None:
        replay.note(f"the hash {head[:16]}… is of no entry: the book was changed, or cut off, since it was noted")
    return Verification(replay.seq, replay.hash, tuple(replay.problems))


def _keys(replay: Replay, connection: Connection) -> None:
    """Every key is reserved once, and resolved once at most: asked of the database, which has an index of them."""
    for words, kinds in (("reserves", ("reserve",)), ("resolves", ("commit", "refund"))):
        again = (
            sa.select(ENTRIES.c.key, sa.func.max(ENTRIES.c.seq).label("seq"))
            .where(ENTRIES.c.kind.in_(kinds))
            .group_by(ENTRIES.c.key)
            .having(sa.func.count() > 1)
        )
        for row in connection.execute(again.limit(_MOST_AGAIN)):
            replay.note(f"entry {row.seq} {words} {row.key!r} again")


def _compare(replay: Replay, connection: Connection) -> None:
    """Hold what the entries give against what the tables say."""
    if replay.seq == 0:
        replay.note("there are no entries")
    _keys(replay, connection)
    row = connection.execute(sa.select(BOOK)).first()
    if row is None or (row.unit, row.adjacency) != replay.meaning:
        replay.note("the unit or the adjacency of the book was changed")
    try:
        rows = connection.execute(sa.select(BUDGETS)).all()
        kept = {row.name: Balance.of_row(row) for row in rows}
    except LedgerError as error:
        replay.note(str(error))
        return
    given = replay.balances()
    for row in rows:
        said = kept[row.name].row()
        if (row.most, row.most_slack) != (said["most"], said["most_slack"]):
            replay.note(f"what budget {row.name!r} allows was changed")
    for name in sorted(kept.keys() | given.keys()):
        if kept.get(name) != given.get(name):
            replay.note(f"budget {name!r} has another balance than its entries give")
    lies: dict[str, list[str]] = {}
    for budget, holder in connection.execute(sa.select(WITHIN.c.budget, WITHIN.c.holder)):
        lies.setdefault(budget, []).append(holder)
    for name in sorted(lies.keys() | replay.within.keys()):
        if sorted(lies.get(name, [])) != sorted(replay.within.get(name, [])):
            replay.note(f"budget {name!r} lies within others than its entry says")
    for seq, units, count, who in replay.people:
        if digest_of_people(connection, seq, units) != (count, who):
            replay.note(f"the people of entry {seq} were changed")
    if wrong := people_out_of_balance(connection):
        replay.note(f"{wrong:,} people have another balance than their entries give")
