"""Triggers that refuse to change or remove rows, for the tables that only grow."""

from alembic import op


def keep_rows(table: str) -> None:
    """Let the rows of a table be added and read, and nothing else."""
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'entries of a budget book are never changed'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION ledger_keep() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RAISE EXCEPTION 'entries of a budget book are never changed'; END$$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_keep()"
    )
