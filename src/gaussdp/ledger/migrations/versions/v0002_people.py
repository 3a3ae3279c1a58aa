"""Budgets per person: what each has spent, and who was charged by which entry."""

import sqlalchemy as sa
from alembic import op

from gaussdp.ledger.migrations.inside import keep_rows

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the tables of people; the budgets that there are have none."""
    op.add_column("ledger_budgets", sa.Column("per_person", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "ledger_people",
        sa.Column("budget", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("spent", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,  # the key is the table: half the writes
    )
    op.create_table(
        "ledger_taking_part",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("units", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    keep_rows("ledger_taking_part")
