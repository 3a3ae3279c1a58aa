"""What Alembic runs: the migrations, on the connection that it was given, in its transaction."""

from alembic import context

from gaussdp.ledger.database import VERSION_TABLE

if hasattr(context, "config"):  # Alembic runs it; whoever imports it otherwise reads it only
    context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
    context.run_migrations()
