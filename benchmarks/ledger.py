"""Decisions a second of a budget book, beside a bare transaction that inserts one row; and in a book of many entries.

python -m benchmarks.ledger [ENTRIES]. Both sides wait for the disk before they answer. PostgreSQL is started in a
folder of its own where there is one. Rounds are interleaved, and the best of each counts: the machine may be busy.
"""

import multiprocessing
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.timing import print_table
from gaussdp import GDP, Ledger
from gaussdp.ledger.entries import Entry, canonical

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import postgres

CLIENTS = (1, 8, 32)
SECONDS, ROUNDS = 1.5, 2
MANY = 1_000_000
_SMALL = GDP(1e-6)


def decisions(url: str) -> Callable[[str], None]:
    """A decision of the book under a new key."""
    book = Ledger.open(url, timeout=120.0)
    return lambda key: book.reserve("all", _SMALL, key=key) and None


def inserts(url: str) -> Callable[[str], None]:
    """A transaction of the bare driver that inserts one row."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=120.0)
        connection.execute("PRAGMA synchronous = FULL")

        def insert(key: str) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO bare (key) VALUES (?)", (key,))
            connection.execute("COMMIT")

        return insert
    import psycopg

    bare = psycopg.connect(url.replace("+psycopg", ""))

    def insert_there(key: str) -> None:
        bare.execute("INSERT INTO bare (key) VALUES (%s)", (key,))
        bare.commit()

    return insert_there


def _client(make: Callable[[str], Callable[[str], None]], url: str, name: str, start: Any, counts: Any) -> None:
    act, done = make(url), 0
    act(f"{name} warm")
    start.wait()
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        act(f"{name} {done}")
        done += 1
    counts.put(done)


def rate(make: Callable[[str], Callable[[str], None]], url: str, clients: int, name: str) -> float:
    """How many a second so many processes do together."""
    context = multiprocessing.get_context("fork")
    start, counts = context.Barrier(clients), context.Queue()
    group = [
        context.Process(target=_client, args=(make, url, f"{name} {i}", start, counts), daemon=True)
        for i in range(clients)
    ]
    for process in group:
        process.start()
    total = sum(counts.get() for _ in group)
    for process in group:
        process.join()
    return total / SECONDS


def prepared(url: str) -> None:
    """A book with one budget, and a bare table beside it."""
    with Ledger.create(url, unit="one person", adjacency="add-remove") as book:
        book.open_budget("all", GDP(1.0))
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    number = "INTEGER PRIMARY KEY" if url.startswith("sqlite") else "bigserial PRIMARY KEY"
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE bare (id {number}, key TEXT)")


def compare(name: str, url: str) -> None:
    """The table of one database."""
    rows = []
    for clients in CLIENTS:
        best = {"bare": 0.0, "book": 0.0}
        for number in range(ROUNDS):
            for kind, make in (("bare", inserts), ("book", decisions)):
                best[kind] = max(best[kind], rate(make, url, clients, f"{clients} {number}"))
        rows.append((str(clients), f"{best['bare']:.0f}", f"{best['book']:.0f}", f"{best['book'] / best['bare']:.2f}"))
    with Ledger.open(url) as book:
        whole = book.verify()
    print_table(
        f"{name}: a second ({whole.entries:,} entries, {'whole' if whole.ok else 'NOT WHOLE'})",
        ("clients", "rows inserted", "decisions", "ratio"),
        rows,
    )


def filled(url: str, count: int) -> None:
    """Add so many entries, properly chained, as many small reservations that were committed would."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    insert = sa.text(
        "INSERT INTO ledger_entries (seq, time, kind, budget, key, content, hash) "
        "VALUES (:seq, :time, :kind, :budget, :key, :content, :hash)"
    )
    with engine.begin() as connection:
        last = Entry.of_row(connection.exec_driver_sql("SELECT * FROM ledger_entries ORDER BY seq DESC LIMIT 1").one())
        content = {
            "square": "0",
            "slack": "0",
            "release": "none",
            "charged": [["all", 1]],
            "purpose": "",
            "request": "",
        }
        assert canonical(content)
        rows = []
        for number in range(count):
            last = Entry(last.seq + 1, last.time, "reserve", "all", f"filler {number}", content).sealed(last.hash)
            rows.append(last.row())
            if len(rows) == 20_000 or number + 1 == count:
                connection.execute(insert, rows)
                rows = []


def many(name: str, url: str, count: int) -> None:
    """The time of a decision before and after the book has many entries."""
    before = max(rate(decisions, url, 1, f"before {i}") for i in range(ROUNDS))
    began = time.perf_counter()
    filled(url, count)
    took = time.perf_counter() - began
    after = max(rate(decisions, url, 1, f"after {i}") for i in range(ROUNDS))
    row = (f"{count:,}", f"{before:.0f}", f"{after:.0f}", f"{after / before:.2f}", f"{took:.0f} s")
    print_table(
        f"{name}: one client in a long book", ("entries", "decisions before", "after", "ratio", "filled in"), [row]
    )


def main(count: int = MANY) -> None:
    """Both databases, then the long books."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        places = {"SQLite": f"sqlite:///{folder}/budget.db"}
        if postgres.binaries():
            places["PostgreSQL"] = stack.enter_context(postgres.server(durable=True)).url
        else:
            print(postgres.NO_POSTGRES)
        for name, url in places.items():
            prepared(url)
            compare(name, url)
        for name, url in places.items():
            many(name, url, count)


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:]))
