"""What the entries of a book give, recomputed in one pass, and held against what is kept.

Entries come in blocks. Each is hashed over its text as it is kept, and amounts are whole
numbers over a common denominator (`Total`), so that ten million entries are a few minutes.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from gaussdp.documents import Displayed, Document, Facts, Items
from gaussdp.documents.written import written
from gaussdp.errors import LedgerError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import Total, exact
from gaussdp.ledger.database import BOOK, BUDGETS, ENTRIES, PEOPLE, WITHIN
from gaussdp.ledger.entries import FIRST, seal
from gaussdp.ledger.people import Units, digest_of_people, gives_back, people_charged, people_out_of_balance
from gaussdp.ledger.schema import differences

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
        given_back: of each entry that refunds people, its number, that of the reservation, and how many they are.
        problems: what is wrong, each in one line; the first few.
    """

    seq: int
    hash: str
    meaning: tuple[str, str] | None
    within: dict[str, list[str]]
    people: list[tuple[int, int, int, str]]
    given_back: list[tuple[int, int, int]]
    problems: list[str]

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.seq, self.hash = 0, FIRST
        self.problems, self.meaning, self.people, self.given_back = [], None, [], []
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
        self.seq, self.hash = seq, kept
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
        self._charge_people(seq, budget, charged)
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

    def _charge_people(self, seq: int, budget: str, charged: Charged) -> None:
        own = self._budgets[budget].opened if budget in self._budgets else None
        if own is not None and own.per_person != (charged.people is not None):
            self.note(f"entry {seq} does not charge the people of budget {budget!r} as it must")
        if charged.people is not None:
            self.people.append((seq, *charged.people))
            if own is not None and charged.people[0] != Units.of(own).charged(Fraction(*charged.square)):
                self.note(f"entry {seq} charges each person another amount than its release costs")

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
        if kind == "refund" and found[1].people is not None:
            self.given_back.append((seq, found[0], found[1].people[1]))

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


_UNSEEN = (
    "Without a hash that was noted earlier, nobody can see whether the last entries were cut off, or the whole ledger "
    "was replaced."
)


@dataclass(frozen=True)
class Verification(Displayed):
    """What a replay found.

    Attributes:
        entries: how many were replayed.
        head: the hash of the last.
        problems: what is wrong, each in one line; the first few.
        noted: whether a hash that was noted earlier was looked for. Without one, nothing shows that the last entries
            were cut off with their balances, or that the whole ledger was replaced.
    """

    entries: int
    head: str
    problems: tuple[str, ...]
    noted: bool = False

    @property
    def ok(self) -> bool:
        """Whether the book is whole."""
        return not self.problems

    def document(self) -> Document:
        """The verdict with the head of the chain."""
        title = "The book is whole" if self.ok else "The book is not whole"
        facts = Facts((("Entries", f"{self.entries:,}"), ("Head", self.head)))
        words = self.problems or ("Every hash and every balance was recomputed, and is as it was kept.",)
        words += () if self.noted else (_UNSEEN,)
        content = {
            "ok": self.ok,
            "entries": self.entries,
            "head": self.head,
            "problems": list(self.problems),
            "noted": self.noted,
        }
        return Document(title, (facts, Items(tuple(words))), content)


def verify(
    connection: Connection, head: str | None = None, progress: Callable[[int, int], None] | None = None
) -> Verification:
    """Replay the book in a transaction that sees one state of it."""
    replay = Replay(connection)
    for difference in differences(connection):
        replay.note(difference)
    try:
        found = _replayed(replay, connection, head, progress)
    except (DBAPIError, *_DAMAGED):
        if not replay.problems:  # the tables are as they should be, so that the database itself has trouble
            raise
        found = head is None
    if not found:
        replay.note(f"the hash {str(head)[:16]}… is of no entry: the book was changed, or cut off, since it was noted")
    return Verification(replay.seq, replay.hash, tuple(replay.problems), head is not None)


def _replayed(
    replay: Replay, connection: Connection, head: str | None, progress: Callable[[int, int], None] | None
) -> bool:
    """Follow the entries and compare with the tables; whether the head is that of an entry, if one is looked for."""
    if connection.dialect.name == "sqlite":
        for (said,) in connection.exec_driver_sql("PRAGMA integrity_check(1)"):
            if said != "ok":
                replay.note(f"the file is damaged: {said}")
    total = connection.execute(sa.select(sa.func.count()).select_from(ENTRIES)).scalar_one()
    found = head is None
    with connection.execute(IN_ORDER, execution_options={"yield_per": BLOCK}) as rows:
        for block in rows.partitions():
            before = replay.seq
            whole = replay.follow([tuple(row) for row in block])
            found = found or any(row[-1] == head for row in block[: replay.seq - before])
            if progress is not None:
                progress(replay.seq, total)
            if not whole:
                break
    _compare(replay, connection)
    return found


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
    for compare in (_keys, _meaning, _balances, _nesting, _people):
        try:
            compare(replay, connection)
        except (LedgerError, *_DAMAGED) as error:
            replay.note(str(error) if isinstance(error, LedgerError) else "a table holds what no ledger writes")


def _meaning(replay: Replay, connection: Connection) -> None:
    if [(row.unit, row.adjacency) for row in connection.execute(sa.select(BOOK))] != [replay.meaning]:
        replay.note("the unit or the adjacency of the book was changed")


def _balances(replay: Replay, connection: Connection) -> None:
    rows = connection.execute(sa.select(BUDGETS)).all()
    kept, given = {row.name: Balance.of_row(row) for row in rows}, replay.balances()
    for row in rows:
        said = kept[row.name].row()
        if (row.most, row.most_slack) != (said["most"], said["most_slack"]):
            replay.note(f"what budget {row.name!r} allows was changed")
    for name in sorted(kept.keys() | given.keys()):
        if kept.get(name) != given.get(name):
            replay.note(f"budget {name!r} has another balance than its entries give")


def _nesting(replay: Replay, connection: Connection) -> None:
    lies: dict[str, list[str]] = {}
    for budget, holder in connection.execute(sa.select(WITHIN.c.budget, WITHIN.c.holder)):
        lies.setdefault(budget, []).append(holder)
    for name in sorted(lies.keys() | replay.within.keys()):
        if sorted(lies.get(name, [])) != sorted(replay.within.get(name, [])):
            replay.note(f"budget {name!r} lies within others than its entry says")


def _people(replay: Replay, connection: Connection) -> None:
    """Who is charged, and how much, is what reservations say and refunds give back; nobody else is, and all adds up.

    A reservation says how many people it charges, how much each, and the hash of who they are. A refund gives the same
    people the same back. So the chain covers every row, and the balances of people are the sums of these.
    """
    for seq, units, count, who in replay.people:
        if digest_of_people(connection, seq, units) != (count, who):
            replay.note(f"the people of entry {seq} were changed")
    for seq, of, count in replay.given_back:
        if gives_back(connection, seq, of) != count:
            replay.note(f"the people of entry {seq} were changed: it refunds entry {of}")
    told = sum(one[2] for one in replay.people) + sum(one[2] for one in replay.given_back)
    if (found := people_charged(connection)) != told:
        replay.note(f"people are charged {found:,} times, and the entries say {told:,}")
    if wrong := people_out_of_balance(connection):
        replay.note(f"{wrong:,} people have another balance than their entries give")
    for name, most, least in connection.execute(_ENDS):
        own = replay.balances().get(name)
        if own is None or least < 0 or most > Units.of(own).capacity:
            replay.note(f"somebody has spent more of budget {name!r} than it allows, or less than nothing")


_ENDS = sa.select(PEOPLE.c.budget, sa.func.max(PEOPLE.c.spent), sa.func.min(PEOPLE.c.spent)).group_by(PEOPLE.c.budget)
