"""The tables of a book, as the latest version of the schema has them; the migrations beside make them."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table, Text

VERSION = "0003"
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
