"""Statements straight to the driver, and several in one round trip: while a decision waits, all others wait for it."""

from collections import namedtuple
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

Statement = tuple[sa.Executable, Mapping[str, Any]]

_LOCK = sa.text(
    "SELECT set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock('ledger_book'::regclass::oid::bigint)"
)
"""Nobody else decides from here on; the wait for the disk comes after the lock is gone (`bring_to_disk`)."""
_WAIT = sa.text("SELECT pg_logical_emit_message(true, 'gaussdp', '')")


@dataclass(frozen=True)
class DriverLine:
    """A connection of the driver, inside a transaction: most of the time of a decision would go into more.

    Attributes:
        driver: the connection itself.
        sqlite: whether it is one of SQLite.
        decides: whether nobody may decide beside.
    """

    driver: Any
    sqlite: bool
    decides: bool

    @classmethod
    def of(cls, connection: "Connection | DriverLine") -> "DriverLine":
        """The line of a connection."""
        if isinstance(connection, DriverLine):
            return connection
        decides = bool(connection.get_execution_options().get("decides"))
        return cls(connection.connection.driver_connection, connection.dialect.name == "sqlite", decides)

    def asked(self, statements: Sequence[Statement]) -> list[Sequence[Any]]:
        """The rows of each statement; where it decides on PostgreSQL, after the book was locked, in one round trip."""
        if self.sqlite:
            return [self._rows(statement, values) for statement, values in statements]
        first: list[Statement] = [(_LOCK, {})] if self.decides else []
        return self._together([*first, *statements])[len(first) :]

    def streamed(self, statement: sa.Select[Any], block: int) -> Generator[Sequence[tuple[Any, ...]], None, None]:
        """The rows of a statement, so many at a time, as the driver has them."""
        if self.sqlite:
            cursor = self.driver.execute(_for_sqlite(statement)[0])
        else:
            cursor = self.driver.cursor(name="ledger_streamed").execute(_for_postgres(statement))
        with closing(cursor):
            while rows := cursor.fetchmany(block):
                yield rows

    def written(self, statements: Sequence[Statement]) -> None:
        """Run the statements and, on PostgreSQL, end the transaction in the same round trip: the next may begin."""
        if self.sqlite:
            for statement, values in statements:
                self.driver.execute(_for_sqlite(statement)[0], values)
        else:
            self._together(statements, commit=True)

    def bring_to_disk(self) -> None:
        """Wait until PostgreSQL has on its disk what was committed on this connection, and everything before.

        Decisions commit without that wait, so that the next one can begin, and many wait for the disk at once. The log
        is written in order: none survives a crash of the server without those before, and nobody is answered before
        theirs is on the disk.
        """
        if not self.sqlite:
            self._together([(_WAIT, {})], commit=True)

    def _rows(self, statement: sa.Executable, values: Mapping[str, Any]) -> list[Any]:
        text, row = _for_sqlite(statement)
        return [row(found) for found in self.driver.execute(text, values)]

    def _together(self, statements: Sequence[Statement], *, commit: bool = False) -> list[Sequence[Any]]:
        rows = import_module("psycopg.rows").namedtuple_row
        with self.driver.pipeline():
            cursors = [
                self.driver.cursor(row_factory=rows).execute(_for_postgres(statement), dict(values) or None)
                for statement, values in statements
            ]
            if commit:
                self.driver.commit()
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


@cache
def _for_postgres(statement: sa.Executable) -> str:
    dialect: Any = import_module("sqlalchemy.dialects.postgresql.psycopg").dialect
    return str(_compilable(statement).compile(dialect=dialect()))


@cache
def _for_sqlite(statement: sa.Executable) -> tuple[str, Any]:
    """The text of a statement, and what makes its rows."""
    dialect: Any = import_module("sqlalchemy.dialects.sqlite").dialect
    columns = _compilable(statement).selected_columns.keys() if isinstance(statement, sa.Select) else []
    named: Any = namedtuple
    return str(_compilable(statement).compile(dialect=dialect(paramstyle="named"))), named("Row", columns)._make


def _compilable(statement: sa.Executable) -> Any:
    return statement
