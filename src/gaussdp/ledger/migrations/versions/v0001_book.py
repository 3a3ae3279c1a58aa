"""The book, its entries, its budgets and how they lie within each other."""

import sqlalchemy as sa
from alembic import op

from gaussdp.ledger.migrations.inside import keep_rows

revision = "0001"
down_revision = None

_WHOLE = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables of the first version."""
    op.create_table(
        "ledger_book",
        sa.Column("id", sa.Integer, sa.CheckConstraint("id = 1"), primary_key=True),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("adjacency", sa.String(16), nullable=False),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("seq", _WHOLE, primary_key=True, autoincrement=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("budget", sa.Text),
        sa.Column("key", sa.Text),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ledger_entries_by_key", "ledger_entries", ["key", "seq"])
    op.create_index("ledger_entries_by_budget", "ledger_entries", ["budget", "seq"])
    op.create_table(
        "ledger_budgets",
        sa.Column("name", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("mu", "slack")),
        sa.Column("period", sa.Text),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("spent", "spent_slack", "pending", "past", "past_slack")
        ),
        sa.Column("periods", sa.Integer, nullable=False),
    )
    op.create_table(
        "ledger_within",
        sa.Column("budget", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
    )
    keep_rows("ledger_entries")
    keep_rows("ledger_within")
