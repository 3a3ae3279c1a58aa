"""Several statements in one round trip to PostgreSQL: while a decision waits for answers, all others wait for it."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

Statement = tuple[sa.Executable, Mapping[str, Any]]

_LOCK = sa.text("SELECT id FROM ledger_book FOR UPDATE")
_WAIT = (
    sa.text("SET LOCAL synchronous_commit = on"),
    sa.text("SELECT pg_logical_emit_message(true, 'gaussdp', '')"),
)


def decides(connection: Connection) -> bool:
    """Whether its transaction is one that nobody decides beside."""
    return bool(connection.get_execution_options().get("decides"))


def asked(connection: Connection, statements: Sequence[Statement]) -> list[Sequence[Any]]:
    """The rows of each statement; where it decides on PostgreSQL, after the book was locked, in the same round trip."""
    if connection.dialect.name == "sqlite":
        return [connection.execute(statement, dict(values)).all() for statement, values in statements]
    first: list[Statement] = [(_LOCK, {})] if decides(connection) else []
    return _together(connection, [*first, *statements])[len(first) :]


def written(connection: Connection, statements: Sequence[Statement]) -> None:
    """Run the statements and, on PostgreSQL, end the transaction in the same round trip: the next may begin."""
    if connection.dialect.name == "sqlite":
        for statement, values in statements:
            connection.execute(statement, dict(values))
    else:
        _together(connection, statements, commit=True)


def bring_to_disk(connection: Connection) -> None:
    """Wait until PostgreSQL has on its disk what was committed on this connection, and everything before.

    Decisions commit without that wait, so that the next one can begin, and many wait for the disk at once. The log is
    written in order: none survives a crash of the server without those before, and nobody is answered before theirs is
    on the disk.
    """
    _together(connection, [(statement, {}) for statement in _WAIT], commit=True)


def _together(connection: Connection, statements: Sequence[Statement], *, commit: bool = False) -> list[Sequence[Any]]:
    driver: Any = connection.connection.driver_connection
    rows = import_module("psycopg.rows").namedtuple_row
    with driver.pipeline():
        cursors = [
            driver.cursor(row_factory=rows).execute(_compiled(statement), dict(values) or None)
            for statement, values in statements
        ]
        if commit:
            driver.commit()
    return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


@cache
def _compiled(statement: sa.Executable) -> str:
    dialect: Any = import_module("sqlalchemy.dialects.postgresql.psycopg").dialect
    compiled: Any = statement
    return str(compiled.compile(dialect=dialect()))
