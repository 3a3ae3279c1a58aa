"""What a budget allows as exact fractions, and keys that are used once."""

import sqlalchemy as sa
from alembic import op

from gaussdp.documents.written import written

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add two columns, filled for the budgets that there are, and make the index of keys unique."""
    for name in ("most", "most_slack"):
        op.add_column("ledger_budgets", sa.Column(name, sa.Text, nullable=False, server_default="0"))
    op.drop_index("ledger_entries_by_key", "ledger_entries")
    op.create_index("ledger_entries_by_key", "ledger_entries", ["key", "kind"], unique=True)
    connection = op.get_bind()
    for name, mu, slack in connection.execute(sa.text("SELECT name, mu, slack FROM ledger_budgets")).all():
        connection.execute(
            sa.text("UPDATE ledger_budgets SET most = :most, most_slack = :slack WHERE name = :name"),
            {"most": str(written(float(mu)) ** 2), "slack": str(written(float(slack))), "name": name},
        )
    if connection.dialect.name == "postgresql":
        # Old versions of a row are cleared away once they fill a tenth of a page: else each decision reads dozens.
        op.execute("ALTER TABLE ledger_budgets SET (fillfactor = 10)")
