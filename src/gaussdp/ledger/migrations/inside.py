"""What runs inside the database: triggers that keep the rows of a ledger."""

from alembic import op

KEPT = ("ledger_entries", "ledger_within", "ledger_taking_part")
"""The tables whose rows are kept."""
KEEP = "BEGIN RAISE EXCEPTION 'entries of a budget book are never changed'; END"
"""What PostgreSQL does instead of a change."""


def keep_rows(table: str) -> None:
    """Let the rows of a table be added and read, and nothing else."""
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END"
            )
        return
    op.execute(f"CREATE OR REPLACE FUNCTION ledger_keep() RETURNS trigger LANGUAGE plpgsql AS $${KEEP}$$")
    op.execute(
        f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_keep()"
    )
