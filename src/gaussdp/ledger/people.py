"""Budgets per person: each takes part until the squares of their own mus fill the budget.

Amounts are whole units, so that the database adds and compares them exactly, a million people at once. A budget is cut
into between 10^17 and 10^18 units, rounded down; a charge is rounded up to units. No sum leaves 64 bits: what a person
has spent and what is charged are each at most the budget.
"""

import csv
import hashlib
import math
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.documents.files import table_rows
from gaussdp.documents.written import written
from gaussdp.domains import several
from gaussdp.errors import DomainError, MissingExtraError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.database import PEOPLE, TAKING_PART
from gaussdp.ledger.entries import digest_of
from gaussdp.ledger.names import refuse_unseen

_CAPACITY_DIGITS = 17
_BATCH = 20_000  # people that are handed to the database at once
_LONGEST = 500  # characters of a person's name
_NAMES = f"names of 1 to {_LONGEST} characters, or whole numbers"

INCOMING = sa.Table("ledger_incoming", sa.MetaData(), sa.Column("person", sa.Text), prefixes=["TEMPORARY"])


@dataclass(frozen=True)
class People:
    """Where the people of a release are listed.

    Args:
        source: a .csv, .tsv or .parquet file, the name of a table in the database of the book (with `table=True`), or
            the people themselves.
        column: that holds them.
        table: whether source is the name of a table.
    """

    source: str | Path | Iterable[str]
    column: str = "person"
    table: bool = False

    def load(self, connection: Connection) -> str:
        """Put them into a table of this connection, each once; a digest of who they are."""
        INCOMING.drop(connection, checkfirst=True)
        INCOMING.create(connection)
        if self.table:
            name, column = (connection.dialect.identifier_preparer.quote(str(x)) for x in (self.source, self.column))
            connection.exec_driver_sql(
                f"INSERT INTO ledger_incoming SELECT DISTINCT CAST({column} AS TEXT) FROM {name} "
                f"WHERE {column} IS NOT NULL"
            )
            _checked(set(connection.execute(sa.select(INCOMING.c.person)).scalars()))
            return digest_of([str(name), str(column)])
        everyone = _checked(self._listed())
        if connection.dialect.name == "postgresql":
            _copy(connection, everyone)
        elif everyone:
            connection.exec_driver_sql("INSERT INTO ledger_incoming VALUES (?)", [(person,) for person in everyone])
        return hashlib.sha256("\0".join(everyone).encode()).hexdigest()

    def _listed(self) -> set[Any]:
        if not isinstance(self.source, str | Path):
            return set(several("people", self.source, "a file, or the people themselves"))
        path = Path(self.source)
        read = {".csv": _of_csv, ".tsv": _of_csv, ".parquet": _of_parquet}.get(path.suffix.lower())
        if read is None:
            raise DomainError("people", "a file that ends in .csv, .tsv or .parquet", path.name)
        if not path.is_file():
            raise DomainError("people", problem=f"there is no file {str(path)!r}")
        return read(path, self.column)


def _of_csv(path: Path, column: str) -> set[Any]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = table_rows(lines, path)
            place = _place(path, column, next(rows, []))
            try:
                return {row[place] for row in rows if row}
            except IndexError:
                problem = "has too few columns"
                raise DomainError(None, place=f"{path.name}, line {rows.line_num}", problem=problem) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DomainError(None, problem=f"cannot read {path.name}: {error}") from None


def _of_parquet(path: Path, column: str) -> set[Any]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")  # they have no types
    except ImportError:
        raise MissingExtraError('Parquet files need pyarrow: pip install "gaussdp[parquet]"') from None
    try:
        with parquet.ParquetFile(path) as file:
            _place(path, column, file.schema_arrow.names)
            return {one for batch in file.iter_batches(_BATCH, columns=[column]) for one in batch.column(0).to_pylist()}
    except (arrow.ArrowException, OSError) as error:
        raise DomainError(None, problem=f"cannot read {path.name}: {error}") from None


def _place(path: Path, column: str, names: list[str]) -> int:
    if column not in names:
        raise DomainError(path.name, problem=f"has no column {column!r}", advice=f"it has {', '.join(names) or 'none'}")
    return names.index(column)


def _checked(people: set[Any]) -> list[str]:
    """The people in order, so that the database appends to its indexes."""
    for person in people:
        long = isinstance(person, int) and abs(person) >= 10**_LONGEST
        if isinstance(person, bool) or not isinstance(person, str | int) or person == "" or long:
            raise DomainError("people", _NAMES, person)
    everyone = sorted(map(str, people))
    longest = max(everyone, key=len, default="x")
    if len(longest) > _LONGEST:
        raise DomainError("people", _NAMES, longest[:_LONGEST])
    refuse_unseen("people", everyone)
    return everyone


def _copy(connection: Connection, people: Iterable[str]) -> None:
    driver: Any = connection.connection.driver_connection
    with driver.cursor() as cursor, cursor.copy("COPY ledger_incoming (person) FROM STDIN") as copy:
        for person in people:
            copy.write_row((person,))
    connection.exec_driver_sql("ANALYZE ledger_incoming")


@dataclass(frozen=True)
class Units:
    """Whole units of a budget per person.

    Attributes:
        digits: how many decimal digits after the point of a square of mu are units.
        capacity: how many a person has.
    """

    digits: int
    capacity: int

    @classmethod
    def of(cls, balance: Balance) -> "Units":
        """Those of a budget."""
        square = written(balance.mu) ** 2
        digits = _CAPACITY_DIGITS - math.floor(math.log10(square))
        while square * Fraction(10) ** digits >= 10 ** (_CAPACITY_DIGITS + 1):
            digits -= 1
        return cls(digits, math.floor(square * Fraction(10) ** digits))

    def charged(self, square: Fraction) -> int:
        """So many for a square of mu, rounded up; at least one, unless it is 0."""
        return math.ceil(square * Fraction(10) ** self.digits)


def charge_people(connection: Connection, budget: Balance, seq: int, units: int, capacity: int) -> tuple[int, str]:
    """Charge all incoming people who can pay, as the entry of this number.

    Returns:
        How many there are, and the digest of who they are.
    """
    connection.execute(
        sa.text(
            "INSERT INTO ledger_taking_part (seq, person, units) SELECT :seq, i.person, :units FROM ledger_incoming i "
            "LEFT JOIN ledger_people p ON p.budget = :budget AND p.person = i.person "
            "WHERE coalesce(p.spent, 0) <= :room"
        ),
        {"seq": seq, "units": units, "budget": budget.name, "room": capacity - units},
    )
    _post(connection, budget.name, seq)
    return digest_of_people(connection, seq, units)


def refund_people(connection: Connection, budget: str, of: int, seq: int) -> None:
    """Give back to everybody what the entry `of` charged, as the entry of this number."""
    connection.execute(
        sa.text(
            "INSERT INTO ledger_taking_part (seq, person, units) "
            "SELECT :seq, person, -units FROM ledger_taking_part WHERE seq = :of"
        ),
        {"seq": seq, "of": of},
    )
    _post(connection, budget, seq)


def _post(connection: Connection, budget: str, seq: int) -> None:
    connection.execute(
        sa.text(
            "INSERT INTO ledger_people (budget, person, spent) "
            "SELECT :budget, person, units FROM ledger_taking_part WHERE seq = :seq "
            "ON CONFLICT (budget, person) DO UPDATE SET spent = ledger_people.spent + excluded.spent"
        ),
        {"budget": budget, "seq": seq},
    )


def digest_of_people(connection: Connection, seq: int, units: int) -> tuple[int, str]:
    """How many people an entry charges, and a hash of who they are, if each is charged so many units."""
    found, digest = 0, hashlib.sha256(str(units).encode())
    for block in taking_part(connection, seq):
        found += len(block)
        digest.update("\0".join([*block, ""]).encode())
    other = sa.select(sa.func.count()).where(TAKING_PART.c.seq == seq, TAKING_PART.c.units != units)
    return found, "" if connection.execute(other).scalar() else digest.hexdigest()


def taking_part(connection: Connection, seq: int) -> Iterator[list[str]]:
    """The people of an entry, in blocks, in the order of their bytes."""
    person = TAKING_PART.c.person
    ordered = person.collate("C") if connection.dialect.name == "postgresql" else person
    listed = sa.select(person).where(TAKING_PART.c.seq == seq).order_by(ordered)
    with closing(connection.execute(listed, execution_options={"yield_per": _BATCH})) as rows:
        for block in rows.partitions():
            yield [name for (name,) in block]


def most_spent(connection: Connection, budget: Balance) -> Fraction:
    """The square of mu of whoever has spent most."""
    most = connection.execute(sa.select(sa.func.max(PEOPLE.c.spent)).where(PEOPLE.c.budget == budget.name)).scalar()
    return Fraction(int(most or 0)) / Fraction(10) ** Units.of(budget).digits


def gives_back(connection: Connection, seq: int, of: int) -> int:
    """How many people a refund gives back to just what its reservation charged; -1 if it does anything else."""
    counted = sa.text(
        "SELECT (SELECT count(*) FROM ledger_taking_part WHERE seq = :seq) AS rows, (SELECT count(*) "
        "FROM ledger_taking_part r JOIN ledger_taking_part c ON c.seq = :of AND c.person = r.person "
        "WHERE r.seq = :seq AND r.units = -c.units) AS alike"
    )
    found = connection.execute(counted, {"seq": seq, "of": of}).one()
    return int(found.rows) if found.rows == found.alike else -1


def people_charged(connection: Connection) -> int:
    """How many charges and refunds of people there are."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(TAKING_PART)).scalar_one())


def people_out_of_balance(connection: Connection) -> int:
    """How many people have another balance than the entries give."""
    sums = (
        "SELECT e.budget AS budget, t.person AS person, sum(t.units) AS spent FROM ledger_taking_part t "
        "JOIN ledger_entries e ON e.seq = t.seq GROUP BY e.budget, t.person"
    )
    wrong = connection.exec_driver_sql(
        f"SELECT count(*) FROM ({sums}) s LEFT JOIN ledger_people p ON p.budget = s.budget AND p.person = s.person "
        "WHERE p.spent IS NULL OR p.spent <> s.spent"
    ).scalar_one()
    extra = connection.exec_driver_sql(
        "SELECT (SELECT count(*) FROM ledger_people) - "
        "(SELECT count(*) FROM (SELECT DISTINCT e.budget, t.person FROM ledger_taking_part t "
        "JOIN ledger_entries e ON e.seq = t.seq) d)"
    ).scalar_one()
    return int(wrong) + abs(int(extra))
