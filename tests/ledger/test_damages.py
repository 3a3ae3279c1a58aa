"""Whatever plain SQL changes in a ledger, `verify` objects: to rows, tables, indexes and triggers."""

import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from gaussdp import GDP, Ledger
from gaussdp.documents import render
from gaussdp.errors import LedgerError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.database import BUDGETS

HALF = 25_000_000_000_000_000  # units of mu = 0.5 in a budget of 1


@pytest.fixture
def used(book):
    """A ledger in which everything happened once: ada and grace have spent half, emmy got hers back."""
    book.open_budget("top", GDP(2.0), slack=1e-6)
    book.open_budget("all", GDP(1.0), within="top", period="year")
    book.open_budget("each", GDP(1.0), per_person=True)
    book.reserve("all", GDP(0.5), key="a", purpose="a table")  # entry 5
    book.commit("a")
    book.reserve("all", GDP(0.25), key="b")
    book.refund("b", reason="nothing came out")
    book.reserve("each", GDP(0.5), key="p", people=["ada", "grace"])  # entry 9
    book.reserve("each", GDP(0.5), key="q", people=["emmy"])
    book.refund("q", reason="nothing came out")  # entry 11
    book.renew("all", reason="another year")
    assert book.verify(head=book.head).problems == ()
    return book


@contextmanager
def database(book):
    engine = sa.create_engine(book.place, poolclass=sa.NullPool)
    with engine.begin() as connection:
        yield connection


def damage(book, *statements):
    """Run statements while no trigger guards the rows, and put the triggers back as they were."""
    with database(book) as connection:
        if book.place.startswith("sqlite"):
            listed = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            guards = connection.exec_driver_sql(listed).all()
            for name, _ in guards:
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.exec_driver_sql(statement)
            for _, sql in guards:
                connection.exec_driver_sql(sql)
            return
        connection.exec_driver_sql("SET session_replication_role = replica")
        for statement in statements:
            connection.exec_driver_sql(statement)


def objections(book, head):
    """What is wrong, as whoever noted the head learns it."""
    try:
        with Ledger.open(book.place) as opened:
            return opened.verify(head=head).problems
    except LedgerError as error:
        return (str(error),)


GIVEN_BACK = f"UPDATE ledger_people SET spent = spent - {HALF} WHERE person = 'ada'"
ROWS = {
    "a negative row at an entry that is no reservation": (
        f"INSERT INTO ledger_taking_part VALUES (4, 'ada', -{HALF})",
        GIVEN_BACK,
    ),
    "the same at a reservation of a budget of all": (
        f"INSERT INTO ledger_taking_part VALUES (5, 'ada', -{HALF})",
        GIVEN_BACK,
    ),
    "the same at the refund of somebody else": (
        f"INSERT INTO ledger_taking_part VALUES (11, 'ada', -{HALF})",
        GIVEN_BACK,
    ),
    "the same at an entry that there is not": (f"INSERT INTO ledger_taking_part VALUES (99, 'ada', -{HALF})",),
    "a refund moved to somebody else": (
        "UPDATE ledger_taking_part SET person = 'ada' WHERE seq = 11",
        GIVEN_BACK,
        f"UPDATE ledger_people SET spent = spent + {HALF} WHERE person = 'emmy'",
    ),
    "a refund of more": (
        f"UPDATE ledger_taking_part SET units = units - {HALF} WHERE seq = 11",
        f"UPDATE ledger_people SET spent = spent - {HALF} WHERE person = 'emmy'",
    ),
    "a refund left out": (
        "DELETE FROM ledger_taking_part WHERE seq = 11",
        f"UPDATE ledger_people SET spent = {HALF} WHERE person = 'emmy'",
    ),
    "one who did not take part": ("DELETE FROM ledger_taking_part WHERE person = 'ada'", GIVEN_BACK),
    "one more who took part": (
        f"INSERT INTO ledger_taking_part VALUES (9, 'eve', {HALF})",
        f"INSERT INTO ledger_people VALUES ('each', 'eve', {HALF})",
    ),
    "somebody else who took part": (
        "UPDATE ledger_taking_part SET person = 'eve' WHERE person = 'ada'",
        "UPDATE ledger_people SET person = 'eve' WHERE person = 'ada'",
    ),
    "who was charged less": (
        "UPDATE ledger_taking_part SET units = 1 WHERE seq = 9",
        "UPDATE ledger_people SET spent = 1 WHERE spent > 0",
    ),
    "a name of no text": ("UPDATE ledger_taking_part SET person = CAST('ada' AS BLOB) WHERE person = 'ada'",),
    "a person who has spent nothing": ("UPDATE ledger_people SET spent = 0 WHERE person = 'ada'",),
    "a person removed": ("DELETE FROM ledger_people WHERE person = 'ada'",),
    "a person of no entry": ("INSERT INTO ledger_people VALUES ('each', 'eve', 0)",),
    "a person of no budget": ("INSERT INTO ledger_people VALUES ('nowhere', 'eve', 0)",),
    **{
        f"the {name} of a budget": (f"UPDATE ledger_budgets SET {name} = '1/3' WHERE name = 'all'",)
        for name in ("spent", "spent_slack", "pending", "past", "past_slack", "most", "most_slack")
    },
    "the mu of a budget": ("UPDATE ledger_budgets SET mu = '3.0', most = '9' WHERE name = 'all'",),
    "the slack of a budget": ("UPDATE ledger_budgets SET slack = '0.5', most_slack = '1/2' WHERE name = 'all'",),
    "the period of a budget": ("UPDATE ledger_budgets SET period = NULL WHERE name = 'all'",),
    "the periods of a budget": ("UPDATE ledger_budgets SET periods = 7 WHERE name = 'all'",),
    "whose a budget is": ("UPDATE ledger_budgets SET per_person = (1 = 0) WHERE name = 'each'",),
    "a balance of no number": ("UPDATE ledger_budgets SET spent = 'x' WHERE name = 'all'",),
    "a budget removed": ("DELETE FROM ledger_budgets WHERE name = 'top'",),
    "a budget renamed": ("UPDATE ledger_budgets SET name = 'other' WHERE name = 'top'",),
    "a budget of no entry": (
        "INSERT INTO ledger_budgets SELECT 'new', mu, slack, period, spent, spent_slack, pending, past, past_slack, "
        "periods, per_person, most, most_slack FROM ledger_budgets WHERE name = 'all'",
    ),
    "a budget within no other": ("DELETE FROM ledger_within WHERE budget = 'all' AND holder = 'top'",),
    "a budget within another": ("INSERT INTO ledger_within VALUES ('each', 'top')",),
    "the holder of a budget": ("UPDATE ledger_within SET holder = 'each' WHERE holder = 'top' AND budget = 'all'",),
    "the unit": ("UPDATE ledger_book SET unit = 'one image'",),
    "the neighbours": ("UPDATE ledger_book SET adjacency = 'replace-one'",),
    "what the ledger means": ("DELETE FROM ledger_book",),
    "the version": ("UPDATE ledger_version SET version_num = '0001'",),
    **{
        f"the {name} of an entry": (f"UPDATE ledger_entries SET {name} = {value} WHERE seq = 5",)
        for name, value in {
            "seq": "50",
            "time": "'2000-01-01'",
            "kind": "'refund'",
            "budget": "'top'",
            "key": "'z'",
            "content": "replace(content, '1/4', '1/9')",
            "hash": "replace(hash, 'a', 'b')",
        }.items()
    },
    "an entry removed": ("DELETE FROM ledger_entries WHERE seq = 8",),
    "the last entry removed": ("DELETE FROM ledger_entries WHERE seq = 12",),
    "all entries removed": ("DELETE FROM ledger_entries",),
    "an entry added": (
        "INSERT INTO ledger_entries SELECT 13, time, 'refund', budget, key, content, hash FROM ledger_entries "
        "WHERE seq = 5",
    ),
    "an entry before the first": (
        "INSERT INTO ledger_entries SELECT 0, time, kind, budget, 'z', content, hash FROM ledger_entries WHERE seq = 5",
    ),
}
SCHEMA = {
    "an index dropped": "DROP INDEX ledger_entries_by_budget",
    "the unique index dropped": "DROP INDEX ledger_entries_by_key",
    "the unique index no longer unique": (
        "DROP INDEX ledger_entries_by_key; CREATE INDEX ledger_entries_by_key ON ledger_entries (key, kind)"
    ),
    "the unique index of some entries": (
        "DROP INDEX ledger_entries_by_key; "
        "CREATE UNIQUE INDEX ledger_entries_by_key ON ledger_entries (key, kind) WHERE seq < 9"
    ),
    "an index added": "CREATE UNIQUE INDEX foreign_one ON ledger_people (person)",
    "a table replaced by a view": (
        "ALTER TABLE ledger_people RENAME TO hidden; CREATE VIEW ledger_people AS SELECT * FROM hidden"
    ),
    "entries replaced by a view": (
        "ALTER TABLE ledger_entries RENAME TO hidden; CREATE VIEW ledger_entries AS SELECT * FROM hidden"
    ),
    "a table renamed": "ALTER TABLE ledger_taking_part RENAME TO hidden",
    "the table of entries renamed": "ALTER TABLE ledger_entries RENAME TO hidden",
    "a table without its key": (
        "ALTER TABLE ledger_people RENAME TO hidden; CREATE TABLE ledger_people AS SELECT * FROM hidden; "
        "DROP TABLE hidden"
    ),
    "a column added": "ALTER TABLE ledger_people ADD COLUMN more TEXT",
    "a column renamed": "ALTER TABLE ledger_people RENAME COLUMN spent TO paid",
    "a table dropped": "DROP TABLE ledger_people",
}
OF_SQLITE = {
    **{
        f"the trigger of {table} dropped": f"DROP TRIGGER ledger_{table}_no_delete"
        for table in ("entries", "within", "taking_part")
    },
    "a trigger that does nothing": (
        "DROP TRIGGER ledger_entries_no_update; CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE "
        "ON ledger_entries BEGIN SELECT 1;END"
    ),
    "a foreign trigger": (
        "CREATE TRIGGER foreign_one AFTER INSERT ON ledger_people BEGIN UPDATE ledger_people SET spent = 0;END"
    ),
    "a foreign trigger of another table": (
        "CREATE TABLE visits (who TEXT); CREATE TRIGGER foreign_one AFTER INSERT ON visits "
        "BEGIN UPDATE ledger_people SET spent = 0;END"
    ),
}
NOTHING = "LANGUAGE plpgsql AS $$BEGIN RETURN NULL;END$$"
OF_POSTGRES = {
    **{
        f"the trigger of {table} dropped": f"DROP TRIGGER ledger_{table}_keep ON ledger_{table}"
        for table in ("entries", "within", "taking_part")
    },
    "a trigger switched off": "ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_keep",
    "a trigger that does nothing": f"CREATE OR REPLACE FUNCTION ledger_keep() RETURNS trigger {NOTHING}",
    "a foreign trigger": (
        f"CREATE FUNCTION foreign_one() RETURNS trigger {NOTHING}; CREATE TRIGGER foreign_one BEFORE INSERT "
        "ON ledger_people FOR EACH ROW EXECUTE FUNCTION foreign_one()"
    ),
    "a rule": "CREATE RULE foreign_one AS ON UPDATE TO ledger_people DO INSTEAD NOTHING",
    "rows that hide": "ALTER TABLE ledger_people ENABLE ROW LEVEL SECURITY",
    "a table with a child": "CREATE TABLE child () INHERITS (ledger_people)",
    "a table that is lost in a crash": "ALTER TABLE ledger_people SET UNLOGGED",
}


@pytest.mark.parametrize("what", ROWS)
def test_changed_rows(used, what):
    head, statements = used.head, ROWS[what]
    if "no text" in what and not used.place.startswith("sqlite"):
        pytest.skip("columns of PostgreSQL hold nothing else")
    damage(used, *statements)
    assert objections(used, head)


def altered(book, statements):
    with database(book) as connection:
        for statement in statements.split("; "):
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize("what", SCHEMA)
def test_changed_tables_and_indexes(used, what):
    head = used.head
    altered(used, SCHEMA[what])
    assert objections(used, head)


@pytest.mark.parametrize("what", OF_SQLITE)
def test_changed_triggers_in_sqlite(used, what):
    if not used.place.startswith("sqlite"):
        pytest.skip("for SQLite")
    head = used.head
    altered(used, OF_SQLITE[what])
    assert objections(used, head)


@pytest.mark.parametrize("what", OF_POSTGRES)
def test_changed_triggers_and_rules_in_postgres(used, what):
    if used.place.startswith("sqlite"):
        pytest.skip("for PostgreSQL")
    head = used.head
    altered(used, OF_POSTGRES[what])
    assert objections(used, head)


def test_a_tail_cut_off_with_its_balances_needs_a_noted_head(used):
    """Whoever removes the last entries and what they did leaves a ledger that is whole; the head alone tells."""
    used.open_budget("late", GDP(1.0))
    before, head = used.budgets(), used.head
    used.reserve("late", GDP(0.5), key="late")
    used.reserve("each", GDP(0.5), key="r", people=["ada"])
    noted = used.head
    entries = used.entries()
    with database(used) as connection:
        late = connection.execute(sa.select(BUDGETS).where(BUDGETS.c.name == "late")).one()
    assert Balance.of_row(late).spent > 0
    damage(
        used,
        f"DELETE FROM ledger_entries WHERE seq > {entries[-3].seq}",
        f"DELETE FROM ledger_taking_part WHERE seq > {entries[-3].seq}",
        "UPDATE ledger_budgets SET spent = '0', pending = '0' WHERE name = 'late'",
        GIVEN_BACK,
    )
    assert used.budgets() == before
    found = used.verify()
    assert (found.ok, found.noted, found.head) == (True, False, head)
    assert "nobody can see whether the last entries were cut off" in " ".join(render(found.document(), "text").split())
    told = used.verify(head=noted)
    assert (told.ok, told.noted) == (False, True)
    assert "is of no entry" in told.problems[0]


def test_a_ledger_may_share_its_database(used):
    """Tables, views and indexes of others are no damage."""
    altered(
        used,
        "CREATE TABLE visits (person TEXT); CREATE INDEX visits_by_person ON visits (person); "
        "CREATE VIEW spent AS SELECT * FROM ledger_budgets",
    )
    assert objections(used, used.head) == ()


def test_the_damage_is_named(used):
    altered(used, SCHEMA["the unique index dropped"])
    assert used.verify().problems == ("the database lacks the index ledger_entries_by_key on ledger_entries",)
    altered(used, SCHEMA["a table replaced by a view"])
    problems = used.verify().problems
    assert "the database lacks the table ledger_people" in problems
    assert "the view ledger_people is no part of a ledger" in problems


def test_a_ledger_of_before_keeps_its_head(tmp_path):
    """Entries are hashed as they always were, and what they say covers all that is replayed now."""
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.executescript(Path(__file__).with_name("book-0003.sql").read_text())
    connection.close()
    with Ledger.upgrade(str(tmp_path / "old.db")) as book:
        old, new = book.entries()[-2:]
        assert old.hash == "0680a589241291b2c62d11a14b09efc1f6591e27f6e3777c7dc268b50df4908f"
        assert (new.kind, new.content["from"]) == ("upgrade", "0003")
        assert book.verify(head=old.hash).problems == ()
        damage(
            book, f"INSERT INTO ledger_taking_part VALUES (5, 'grace', -{HALF})", "UPDATE ledger_people SET spent = 0"
        )
        problems = book.verify(head=old.hash).problems
        assert "people are charged 7 times, and the entries say 6" in problems
