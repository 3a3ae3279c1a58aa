"""The database of a book: SQLite or PostgreSQL, its tables, its transactions, its version, and what its errors mean."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from gaussdp.errors import DomainError, LedgerError, MissingExtraError, one_line
from gaussdp.words import Phrase, say

logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())  # it would print what is told in one line here

VERSION = "0004"
"""Of the schema: the last of the migrations."""
VERSION_TABLE = "ledger_version"

_Whole = BigInteger().with_variant(Integer, "sqlite")
metadata: MetaData = MetaData()

BOOK = Table(
    "ledger_book",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("unit", Text, nullable=False),
    Column("adjacency", String(16), nullable=False),
)
"""One row: what the book means."""

ENTRIES = Table(
    "ledger_entries",
    metadata,
    Column("seq", _Whole, primary_key=True, autoincrement=False),
    Column("time", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("budget", Text),
    Column("key", Text),
    Column("content", Text, nullable=False),
    Column("hash", String(64), nullable=False),
)
"""Everything that happened, in order; never changed. Each hash covers the row and the hash before."""

BY_KEY = Index("ledger_entries_by_key", ENTRIES.c.key, ENTRIES.c.kind, unique=True)
BY_BUDGET = Index("ledger_entries_by_budget", ENTRIES.c.budget, ENTRIES.c.seq)

BUDGETS = Table(
    "ledger_budgets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("mu", Text, nullable=False),
    Column("slack", Text, nullable=False),
    Column("period", Text),
    Column("per_person", Boolean, nullable=False),
    Column("spent", Text, nullable=False),
    Column("spent_slack", Text, nullable=False),
    Column("pending", Text, nullable=False),
    Column("past", Text, nullable=False),
    Column("past_slack", Text, nullable=False),
    Column("periods", Integer, nullable=False),
    Column("most", Text, nullable=False),
    Column("most_slack", Text, nullable=False),
)
"""The budgets with their balances, so that a decision reads no history: squares of mu and slacks, as fractions.
`most` and `most_slack` are what `mu` and `slack` allow, for arithmetic inside the database."""

WITHIN = Table(
    "ledger_within",
    metadata,
    Column("budget", Text, primary_key=True),
    Column("holder", Text, primary_key=True),
)
"""For each budget, itself and all those that it lies within."""

PEOPLE = Table(
    "ledger_people",
    metadata,
    Column("budget", Text, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("spent", BigInteger, nullable=False),
)
"""What each person has spent of a budget per person, in whole units of it."""

TAKING_PART = Table(
    "ledger_taking_part",
    metadata,
    Column("seq", _Whole, primary_key=True, autoincrement=False),
    Column("person", Text, primary_key=True),
    Column("units", BigInteger, nullable=False),
)
"""Who was charged by which entry, and how much; a refund is the same with less than 0."""


DEFAULT_TIMEOUT = 30.0
"""Seconds that a decision waits for others."""
_OWNER_ALONE = 0o600
_LOCK = f"SELECT pg_advisory_xact_lock({int.from_bytes(b'gaussdp', 'big')})"
"""From here on nobody else decides on this PostgreSQL database, until the transaction ends."""

_ASK_AGAIN = Phrase("It is unknown whether the release was written. Ask again with the same key.")
_LOOK_FIRST = Phrase("It is unknown whether the change was written. Look at the ledger before you ask again.")

_MEANINGS = (
    ("is locked", Phrase("is locked by another program; nothing was written, so try again")),
    ("lock timeout", Phrase("is locked by another program; nothing was written, so try again")),
    ("readonly database", Phrase("is read-only; nothing was written")),
    ("read-only transaction", Phrase("is read-only; nothing was written")),
    ("permission denied", Phrase("may not be used by this user; nothing was written")),
    ("is full", Phrase("has no room left on its disk; nothing was written")),
    ("no space left", Phrase("has no room left on its disk; nothing was written")),
    ("disk i/o error", Phrase("cannot be read: the disk has no room, or fails")),
    ("malformed", Phrase("is damaged; restore it from a copy, and verify that")),
    ("not a database", Phrase("is damaged, or no book at all")),
    ("unable to open", Phrase("cannot be opened: there is no such folder, or no right to it")),
    ("never changed", Phrase("refuses to change what was entered")),
    ("connection", Phrase("cannot be reached")),
)


class Database:
    """Where a book is kept.

    Args:
        url: "sqlite:///budget.db", "postgresql+psycopg://user@host/database", or the path of a SQLite file.
        timeout: seconds that a transaction waits for others.
    """

    url: URL

    def __init__(self, url: str, timeout: float = DEFAULT_TIMEOUT) -> None:
        self.url: URL = _parsed(url)
        self.timeout = timeout
        self._process = os.getpid()
        self._engine = self._made()

    @property
    def place(self) -> str:
        """The URL without its password."""
        return one_line(self.url.render_as_string(hide_password=True))

    @property
    def sqlite(self) -> bool:
        """Whether it is a file of SQLite."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def file(self) -> Path | None:
        """The file, for SQLite."""
        return Path(self.url.database.removeprefix("file:")) if self.sqlite and self.url.database else None

    @property
    def engine(self) -> sa.Engine:
        """What connects; a forked process gets its own, since connections must not be shared."""
        if self._process != os.getpid():
            self._engine.dispose(close=False)
            self._process, self._engine = os.getpid(), self._made()
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the book and changes nothing."""
        with self._named(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def deciding(
        self, before: Callable[[Connection], object] | None = None, *, keyed: bool = False
    ) -> Iterator[Connection]:
        """A transaction in which nobody else decides; undone by any exception.

        Args:
            before: what to do on the same connection while others still decide.
            keyed: whether the decision has a key, so that asking again does no harm.
        """
        with self._named(_ASK_AGAIN if keyed else _LOOK_FIRST), self.engine.connect() as connection:
            if before is not None:
                with connection.execution_options(prepares=True).begin():
                    before(connection)
            with connection.execution_options(decides=True).begin():
                yield connection

    @contextmanager
    def making(self) -> Iterator[Connection]:
        """The same where a book is made: a file of SQLite is its owner's alone, and writes ahead."""
        if self.file is not None:
            with suppress(OSError):  # it is there already, or cannot be made, which SQLite says
                os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ALONE))
                self.file.chmod(_OWNER_ALONE)  # whatever the umask; SQLite makes the files beside it alike
            with self._named(), self.engine.connect() as connection:
                connection.connection.cursor().execute("PRAGMA journal_mode = WAL")
        with self.deciding() as connection:
            yield connection

    def close(self) -> None:
        """Let all connections go."""
        self._engine.dispose()

    def _made(self) -> sa.Engine:
        if self.sqlite:
            engine = sa.create_engine(self.url, connect_args={"timeout": self.timeout})
            sa.event.listen(engine, "connect", _prepare_sqlite)
            sa.event.listen(engine, "begin", _begin_sqlite)
            return engine
        milliseconds = int(1000 * self.timeout)
        try:
            engine = sa.create_engine(
                self.url,
                pool_pre_ping=True,  # a connection that broke while nobody used it is no trouble
                connect_args={
                    "options": f"-c lock_timeout={milliseconds} -c synchronous_commit=on",
                    "connect_timeout": max(int(self.timeout), 2),
                },
            )
        except ModuleNotFoundError:
            raise MissingExtraError('PostgreSQL needs psycopg: pip install "gaussdp[postgres]"') from None
        sa.event.listen(engine, "connect", _prepare_postgres)
        sa.event.listen(engine, "begin", _begin_postgres)
        return engine

    @contextmanager
    def _named(self, unknown: Phrase | None = None) -> Iterator[None]:
        """Turn what the database complains about into one line that says what it means for the book.

        Args:
            unknown: what to say where a connection breaks, so that a decision may have been written.
        """
        try:
            yield
        except (SQLAlchemyError, UnicodeDecodeError) as error:
            broke = _broken(error)
            if unknown is not None and broke is not None:
                raise LedgerError(
                    say("{broke} ({place}). {unknown}", broke=broke, place=self.place, unknown=unknown)
                ) from None
            raise LedgerError(say("the book {place} {meaning}", place=self.place, meaning=_meaning(error))) from None


def _parsed(url: str) -> URL:
    if not isinstance(url, str) or not url.strip():
        raise DomainError("url", 'such as "sqlite:///budget.db" or "postgresql+psycopg://user@host/database"', url)
    if "://" not in url:
        return URL.create("sqlite", database=url)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise DomainError(
            "url", 'such as "sqlite:///budget.db"', problem="cannot be read as the URL of a book"
        ) from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise DomainError("url", "of sqlite or postgresql+psycopg", parsed.drivername)
    if parsed.get_backend_name() == "sqlite" and (not parsed.database or parsed.database == ":memory:"):
        raise DomainError("url", "of a file: a book in memory would be lost", url)
    return parsed


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says, also for changes of the schema
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    decides = connection.get_execution_options().get("decides", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if decides else "BEGIN")


def _prepare_postgres(connection: Any, _: object) -> None:
    connection.autocommit = True  # transactions begin where `_begin_postgres` says


def _begin_postgres(connection: Connection) -> None:
    options = connection.get_execution_options()
    decides = options.get("decides", False)
    writes = decides or options.get("prepares", False)
    connection.exec_driver_sql("BEGIN" if writes else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    if decides:
        connection.exec_driver_sql(_LOCK)


def _broken(error: Exception) -> Phrase | None:
    """What broke in the middle, so that nobody knows whether the last transaction was committed; None if nothing."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return Phrase("The connection to the ledger broke")
    if "disk i/o error" in str(error).lower():
        return Phrase("The disk of the ledger has no room, or fails")
    return None


def _meaning(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return say("is damaged; restore it from a copy, and verify that")
    said = str(error.orig if isinstance(error, DBAPIError) and error.orig is not None else error)
    return next((str(words) for sign, words in _MEANINGS if sign in said.lower()), f"failed: {one_line(said)[:200]}")


def version_of(connection: Connection) -> str | None:
    """The version of the schema in this database, None if it holds no book."""
    sqlite = connection.dialect.name == "sqlite"
    there = "SELECT name FROM sqlite_master WHERE name = '{}'" if sqlite else "SELECT to_regclass('{}')"
    if connection.exec_driver_sql(there.format(VERSION_TABLE)).scalar() is None:
        return None
    found = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()
    return None if found is None else str(found)


def no_book(place: str) -> LedgerError:
    """What to raise where there is none."""
    return LedgerError(f"there is no budget book in {place}; make one with `gaussdp ledger create`")


def refuse_other_versions(connection: Connection, place: str) -> None:
    """Return if the book is of this version.

    Raises:
        LedgerError: if there is none, or it is of another version, with what to do.
    """
    found = version_of(connection)
    if found is None:
        raise no_book(place)
    if found > VERSION:
        raise LedgerError(f"the book {place} has schema {found}, newer than {VERSION} of this gaussdp: update gaussdp")
    if found < VERSION:
        raise LedgerError(
            f"the book {place} has schema {found}, older than {VERSION}: copy it, then run `gaussdp ledger upgrade`"
        )


def migrate(connection: Connection, version: str = VERSION) -> None:
    """Bring the schema to a version, in the transaction of the connection."""
    try:
        from alembic import command
        from alembic.config import Config
    except ModuleNotFoundError:
        raise MissingExtraError('making a book needs Alembic: pip install "gaussdp[ledger]"') from None
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, version)
