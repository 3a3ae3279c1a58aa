"""The library alone decides: PostgreSQL no longer has procedures of a ledger."""

from alembic import op

revision = "0004"
down_revision = "0003"

_GONE = (
    "PROCEDURE IF EXISTS ledger_reserve",
    "PROCEDURE IF EXISTS ledger_commit",
    "FUNCTION IF EXISTS ledger_fits",
    "FUNCTION IF EXISTS ledger_minus",
    "FUNCTION IF EXISTS ledger_plus",
)


def upgrade() -> None:
    """Remove what earlier versions made on PostgreSQL. No table changes."""
    if op.get_bind().dialect.name == "postgresql":
        for routine in _GONE:
            op.execute(f"DROP {routine}")
