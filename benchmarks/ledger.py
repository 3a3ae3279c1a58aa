"""Decisions a second of a budget book, beside a bare transaction that inserts one row; and in a book of many entries.

python -m benchmarks.ledger [ENTRIES]. Both sides wait for the disk before they answer. PostgreSQL is started in a
folder of its own where there is one. Rounds are interleaved, and the best of each counts: the machine may be busy.
"""

import hashlib
import multiprocessing
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.timing import print_table
from gaussdp import GDP, Ledger

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import postgres

CLIENTS = (1, 8, 32)
SECONDS, ROUNDS = 1.5, 2
SIZES = (1_000, 100_000, 1_000_000)
_BLOCK, _DECISIONS = 20_000, 300
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


def through_sqlalchemy(url: str) -> Callable[[str], None]:
    """The same through SQLAlchemy, which books are built on."""
    engine = sa.create_engine(url, connect_args={"timeout": 120.0} if url.startswith("sqlite") else {})
    bare = sa.Table("bare", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("key", sa.Text))

    def insert(key: str) -> None:
        with engine.begin() as connection:
            connection.execute(sa.insert(bare).values(key=key))

    return insert


def with_a_common_row(url: str) -> Callable[[str], None]:
    """A transaction of the bare driver that inserts one row and changes one that all of them change."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=120.0)
        connection.execute("PRAGMA synchronous = FULL")
        begin, mark = "BEGIN IMMEDIATE", "?"
    else:
        import psycopg

        connection = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
        begin, mark = "BEGIN", "%s"

    def act(key: str) -> None:
        connection.execute(begin)
        connection.execute(f"INSERT INTO bare (key) VALUES ({mark})", (key,))
        connection.execute("UPDATE common SET number = number + 1")
        connection.execute("COMMIT")

    return act


KINDS: dict[str, Callable[[str], Callable[[str], None]]] = {
    "rows": inserts,
    "rows through SQLAlchemy": through_sqlalchemy,
    "rows and a common one": with_a_common_row,
    "decisions": decisions,
}


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
        connection.exec_driver_sql("CREATE TABLE common (number BIGINT)")
        connection.exec_driver_sql("INSERT INTO common VALUES (0)")


def compare(name: str, url: str) -> None:
    """The table of one database."""
    rows = []
    for clients in CLIENTS:
        best = dict.fromkeys(KINDS, 0.0)
        for number in range(ROUNDS):
            for kind, make in KINDS.items():
                best[kind] = max(best[kind], rate(make, url, clients, f"{clients} {number}"))
        decided = best.pop("decisions")
        rates = tuple(f"{one:.0f} ({decided / one:.2f})" for one in best.values())
        rows.append((str(clients), f"{decided:.0f}", *rates))
    with Ledger.open(url) as book:
        whole = book.verify()
    print_table(
        f"{name}: a second ({whole.entries:,} entries, {'whole' if whole.ok else 'NOT WHOLE'})",
        ("clients", "decisions", *(f"{kind} (ratio)" for kind in KINDS if kind != "decisions")),
        rows,
    )


def filled(url: str, count: int) -> None:
    """Add so many entries, properly chained: small reservations from one budget, each committed."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    square = Fraction(1, 10**24)
    said = f'"charged":[["all",1]],"purpose":"","release":"a filler","request":"","slack":"0","square":"{square}"'
    insert = sa.text(
        "INSERT INTO ledger_entries (seq, time, kind, budget, key, content, hash) "
        "VALUES (:seq, :time, :kind, 'all', :key, :content, :hash)"
    )
    with engine.begin() as connection:
        seq, at, seal = connection.exec_driver_sql(
            "SELECT seq, time, hash FROM ledger_entries ORDER BY seq DESC LIMIT 1"
        ).one()
        first = seq
        for start in range(0, count, _BLOCK):
            rows = []
            for number in range(start, min(start + _BLOCK, count)):
                seq, key, kind = seq + 1, f"{first} {number // 2}", "commit" if number % 2 else "reserve"
                content = f'{{"of":{seq - 1}}}' if kind == "commit" else f"{{{said}}}"
                sealed = f'["{seal}",{seq},"{at}","{kind}","all","{key}",{content}]'
                seal = hashlib.sha256(sealed.encode()).hexdigest()
                rows.append({"seq": seq, "time": at, "kind": kind, "key": key, "content": content, "hash": seal})
            connection.execute(insert, rows)
        spent = Fraction(connection.exec_driver_sql("SELECT spent FROM ledger_budgets WHERE name = 'all'").scalar_one())
        connection.execute(
            sa.text("UPDATE ledger_budgets SET spent = :spent WHERE name = 'all'"),
            {"spent": str(spent + square * (count // 2))},
        )


def timed(act: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def many(name: str, url: str, sizes: Sequence[int] = SIZES) -> None:
    """The time of a decision, of what is shown, and of a replay, in books that grow."""
    rows = []
    for size in sizes:
        rows.append(_row_of(url, size))
        print(rows[-1], flush=True)
    heads = ("entries", "decision p10, ms", "median", "show, ms", "history, ms", "verify, s", "peak MB", "filled, s")
    print_table(f"{name}: long books", heads, rows)


def _row_of(url: str, size: int) -> tuple[str, ...]:
    with Ledger.open(url) as book:
        there = book.entries(last=1)[0].seq
        took = timed(lambda: filled(url, max(size - there, 0) // 2 * 2))  # what comparing wrote may be more
        size = max(size, there)
        decided = sorted(timed(partial(book.reserve, "all", _SMALL, key=f"{size} {i}")) for i in range(_DECISIONS))
        shown = timed(lambda: book.budgets())
        history = timed(lambda: book.entries("all", last=100))
        replayed = timed(lambda: _whole(book))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    quick, middle = decided[len(decided) // 10], decided[len(decided) // 2]
    milliseconds = tuple(f"{1e3 * one:.2f}" for one in (quick, middle, shown, history))
    return f"{size:,}", *milliseconds, f"{replayed:.0f}", f"{most:.0f}", f"{took:.0f}"


def _whole(book: Ledger) -> None:
    found = book.verify()
    if not found.ok:
        raise SystemExit(f"the book is not whole: {found.problems}")


def main(*sizes: int) -> None:
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
            many(name, url, sizes or SIZES)


if __name__ == "__main__":
    main(*(int(float(text)) for text in sys.argv[1:]))
