"""What a replay finds: balances, budgets and people as they are kept, held against what the entries give."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.documents import Displayed, Document, Facts, Items
from gaussdp.errors import LedgerError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.people import digest_of_people, people_out_of_balance
from gaussdp.ledger.replaying import IN_ORDER, Replay
from gaussdp.ledger.roundtrips import DriverLine
from gaussdp.ledger.schema import BOOK, BUDGETS, ENTRIES, WITHIN

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
