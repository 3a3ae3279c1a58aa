"""The replay of a book: every hash, every balance and every person recomputed and compared."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.documents import Displayed, Document, Facts, Items
from gaussdp.errors import LedgerError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.entries import FIRST, Entry
from gaussdp.ledger.people import digest_of_people, people_out_of_balance
from gaussdp.ledger.tables import BOOK, BUDGETS, ENTRIES, WITHIN
from gaussdp.ledger.transactions import changed

_BLOCK = 5000
_RECENT = 50_000  # reservations that are kept in memory until they are resolved; older ones are read again
_MOST_PROBLEMS = 20


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
    replay = _Replay(connection)
    total = connection.execute(sa.select(sa.func.count()).select_from(ENTRIES)).scalar_one()
    rows = connection.execute(sa.select(ENTRIES).order_by(ENTRIES.c.seq), execution_options={"yield_per": _BLOCK})
    with closing(rows):
        for number, row in enumerate(rows, start=1):
            if not replay.follow(row):
                break
            if row.hash == head:
                head = None
            if progress is not None and number % _BLOCK == 0:
                progress(number, total)
    replay.compare()
    if head is not None:
        replay.note(f"the hash {head[:16]}… is of no entry: the book was changed, or cut off, since it was noted")
    return Verification(replay.seq, replay.hash, tuple(replay.problems))


class _Replay:
    """The state of a book after each entry."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.seq, self.hash, self.time = 0, FIRST, ""
        self.problems: list[str] = []
        self._balances: dict[str, Balance] = {}
        self._within: dict[str, list[str]] = {}
        self._recent: OrderedDict[str, Entry] = OrderedDict()
        self._people: list[tuple[int, int, int, str]] = []
        self._meaning: tuple[str, str] | None = None
        if connection.dialect.name == "sqlite":
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
            if found != "ok":
                self.note(f"the file is damaged: {found}")

    def note(self, problem: str) -> None:
        """Keep a problem, unless there are many."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def follow(self, row: sa.Row[tuple[object, ...]]) -> bool:
        """Take one entry; whether it makes sense to go on."""
        try:
            entry = Entry.of_row(row)
        except LedgerError as error:
            self.note(str(error))
            return False
        if entry.seq != self.seq + 1:
            self.note(f"entry {self.seq + 1} is missing")
            return False
        if entry.digest(self.hash) != entry.hash:
            self.note(f"entry {entry.seq} ({entry.kind}) was changed: its hash does not match")
            return False
        if entry.time < self.time:
            self.note(f"entry {entry.seq} is earlier than the entry before")
        self.seq, self.hash, self.time = entry.seq, entry.hash, entry.time
        self._apply(entry)
        return True

    def _apply(self, entry: Entry) -> None:
        if entry.kind == "create":
            self._meaning = entry.content["unit"], entry.content["adjacency"]
        elif entry.kind == "open":
            said = entry.content
            self._balances[str(entry.budget)] = Balance(
                str(entry.budget), float(said["mu"]), float(said["slack"]), said["period"], said["per_person"]
            )
            self._within[str(entry.budget)] = list(said["within"])
        elif entry.kind in ("reserve", "commit", "refund", "renew"):
            self._change(entry)

    def _change(self, entry: Entry) -> None:
        reservation = None if entry.kind in ("reserve", "renew") else self._resolved(entry)
        if entry.kind == "reserve":
            self._recent[str(entry.key)] = entry
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
            if "people" in entry.content:
                said = entry.content
                self._people.append((entry.seq, said["units"], said["people"], said["who"]))
        elif entry.kind != "renew" and reservation is None:
            self.note(f"entry {entry.seq} resolves {entry.key!r}, which is not reserved")
            return
        names = self._within.get(str(entry.budget), [])
        touched = [self._balances[name] for name in names if name in self._balances]
        for balance in changed(touched, entry, reservation):
            self._balances[balance.name] = balance
            if balance.left < 0 or balance.left_slack < 0:
                self.note(f"entry {entry.seq} overspends budget {balance.name!r}")

    def _resolved(self, entry: Entry) -> Entry | None:
        """The reservation that an entry resolves."""
        if str(entry.key) in self._recent:
            return self._recent.pop(str(entry.key))
        before = sa.select(ENTRIES).where(
            ENTRIES.c.key == entry.key, ENTRIES.c.kind == "reserve", ENTRIES.c.seq < entry.seq
        )
        row = self._connection.execute(before).first()
        return None if row is None else Entry.of_row(row)

    def _keys(self) -> None:
        """Every key is reserved once, and resolved once at most: asked of the database, which has an index of them."""
        for words, kinds in (("reserves", ("reserve",)), ("resolves", ("commit", "refund"))):
            again = (
                sa.select(ENTRIES.c.key, sa.func.max(ENTRIES.c.seq).label("seq"))
                .where(ENTRIES.c.kind.in_(kinds))
                .group_by(ENTRIES.c.key)
                .having(sa.func.count() > 1)
            )
            for row in self._connection.execute(again.limit(_MOST_PROBLEMS)):
                self.note(f"entry {row.seq} {words} {row.key!r} again")

    def compare(self) -> None:
        """Hold what the entries give against what the tables say."""
        connection = self._connection
        if self.seq == 0:
            self.note("there are no entries")
        self._keys()
        row = connection.execute(sa.select(BOOK)).first()
        if row is None or (row.unit, row.adjacency) != self._meaning:
            self.note("the unit or the adjacency of the book was changed")
        try:
            rows = connection.execute(sa.select(BUDGETS)).all()
            kept = {row.name: Balance.of_row(row) for row in rows}
        except LedgerError as error:
            self.note(str(error))
            return
        for row in rows:
            said = kept[row.name].row()
            if (row.most, row.most_slack) != (said["most"], said["most_slack"]):
                self.note(f"what budget {row.name!r} allows was changed")
        for name in sorted(kept.keys() | self._balances.keys()):
            if kept.get(name) != self._balances.get(name):
                self.note(f"budget {name!r} has another balance than its entries give")
        lies: dict[str, list[str]] = {}
        for budget, holder in connection.execute(sa.select(WITHIN.c.budget, WITHIN.c.holder)):
            lies.setdefault(budget, []).append(holder)
        for name in sorted(lies.keys() | self._within.keys()):
            if sorted(lies.get(name, [])) != sorted(self._within.get(name, [])):
                self.note(f"budget {name!r} lies within others than its entry says")
        for seq, units, count, who in self._people:
            if digest_of_people(connection, seq, units) != (count, who):
                self.note(f"the people of entry {seq} were changed")
        if wrong := people_out_of_balance(connection):
            self.note(f"{wrong:,} people have another balance than their entries give")
