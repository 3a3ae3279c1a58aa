"""Books to try: one in SQLite, and one in PostgreSQL where there is one."""

import pytest
import sqlalchemy as sa

import postgres
from gaussdp import Ledger


@pytest.fixture(scope="session")
def postgres_server():
    """A server; tests are skipped where there is none, and the end of the run says so."""
    if postgres.binaries() is None:
        pytest.skip(postgres.NO_POSTGRES)
    with postgres.server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server):
    """The same, empty."""
    engine = sa.create_engine(postgres_server.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return postgres_server.url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Where a book can be made."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'budget.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def book(url):
    """An empty book."""
    with Ledger.create(url, unit="one person", adjacency="add-remove") as made:
        yield made


@pytest.fixture
def lite(tmp_path):
    """An empty book in SQLite."""
    with Ledger.create(f"sqlite:///{tmp_path / 'lite.db'}", unit="one person", adjacency="add-remove") as made:
        yield made
