"""What can go wrong with a file or a server: named in one line, with nothing written and nothing lost."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
import sqlalchemy as sa

from gaussdp import GDP, Gaussian, Ledger
from gaussdp.errors import LedgerError
from gaussdp.ledger.database import VERSION, Database, migrate
from gaussdp.ledger.entries import FIRST, Entry


@pytest.fixture
def used(book):
    """A book in which something happened."""
    book.open_budget("top", GDP(2.0), slack=1e-6)
    book.open_budget("all", GDP(1.0), within="top")
    book.open_budget("each", GDP(1.0), per_person=True)
    for i in range(6):
        book.reserve("all", Gaussian(10.0), key=f"key-{i}", purpose="a table")
    book.commit("key-0")
    book.refund("key-1", reason="nothing came out")
    book.reserve("each", GDP(0.5), key="people", people=["ada", "grace"])
    return book


def changed(book, *statements):
    """Change tables behind the back of the book."""
    engine = sa.create_engine(book.place, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def without_guards(book, *statements):
    """The same, with the triggers out of the way."""
    names = ("entries", "within", "taking_part")
    if book.place.startswith("sqlite"):
        guards = [f"DROP TRIGGER ledger_{name}_no_{action}" for name in names for action in ("update", "delete")]
    else:
        guards = [f"DROP TRIGGER ledger_{name}_keep ON ledger_{name}" for name in names]
    changed(book, *guards, *statements)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_entries SET time = '2000-01-01' WHERE seq = 2",
        "DELETE FROM ledger_entries WHERE seq = 9",
        "DELETE FROM ledger_within",
        "UPDATE ledger_taking_part SET person = 'eve'",
    ],
)
def test_what_was_entered_is_never_changed(used, statement):
    with pytest.raises(sa.exc.DBAPIError, match="never changed"):
        changed(used, statement)
    assert used.verify().ok


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE ledger_entries SET content = replace(content, 'table', 'cable') WHERE seq = 7", "entry 7 (reserve)"),
        ("UPDATE ledger_entries SET time = '2999' WHERE seq = 7", "entry 7 (reserve) was changed"),
        ("UPDATE ledger_entries SET content = 'x' WHERE seq = 7", "entry 7 cannot be read"),
        ("DELETE FROM ledger_entries WHERE seq = 8", "entry 8 is missing"),
        ("DELETE FROM ledger_entries WHERE seq >= 11", "another balance"),
        ("UPDATE ledger_budgets SET spent = '0' WHERE name = 'all'", "budget 'all' has another balance"),
        ("UPDATE ledger_budgets SET spent = 'x' WHERE name = 'all'", "'all' cannot be read"),
        ("UPDATE ledger_budgets SET mu = '3.0' WHERE name = 'top'", "budget 'top' has another balance"),
        ("UPDATE ledger_budgets SET most = '9' WHERE name = 'all'", "what budget 'all' allows was changed"),
        ("UPDATE ledger_book SET unit = 'one image'", "the unit or the adjacency"),
        ("DELETE FROM ledger_within WHERE budget = 'all' AND holder = 'top'", "budget 'all' lies within others"),
        ("UPDATE ledger_people SET spent = 0 WHERE person = 'ada'", "1 people have another balance"),
        ("DELETE FROM ledger_taking_part WHERE person = 'ada'", "the people of entry 13 were changed"),
        ("UPDATE ledger_taking_part SET person = 'eve' WHERE person = 'ada'", "the people of entry 13"),
    ],
)
def test_what_is_changed_anyway_is_named(used, statement, said):
    without_guards(used, statement)
    found = used.verify()
    assert not found.ok
    assert any(said in problem for problem in found.problems), found.problems


def test_a_book_that_was_cut_off_is_known_by_its_head(used):
    """Whoever rewrites the whole end of a book, balances too, is caught by a hash that was noted elsewhere."""
    noted = used.head
    used.refund("key-5", reason="nothing came out")
    assert used.verify(head=noted).ok
    before = Entry.of_row(_rows(used)[-3])
    forged = Entry(before.seq + 1, before.time, "commit", "all", "key-2", {"of": 7}).sealed(before.hash)
    values = ", ".join(f"'{forged.row()[name]}'" for name in ("time", "kind", "budget", "key", "content", "hash"))
    without_guards(
        used,
        f"DELETE FROM ledger_entries WHERE seq > {before.seq}",
        f"INSERT INTO ledger_entries (seq, time, kind, budget, key, content, hash) VALUES ({forged.seq}, {values})",
    )
    assert any("is of no entry" in problem for problem in used.verify(head=noted).problems)
    assert before.hash != FIRST


def forged(book, **others):
    """Seal the last entry anew with other columns, as whoever can write the file can."""
    before, own = _rows(book)[-2:]
    entry = Entry.of_row(own)
    entry = replace(entry, **others).sealed(before.hash)
    row = entry.row()
    values = ", ".join(f"{name} = '{row[name]}'" for name in ("key", "content", "hash"))
    without_guards(book, f"UPDATE ledger_entries SET {values} WHERE seq = {entry.seq}")
    return book.verify().problems


def test_an_entry_that_charges_less_than_it_should_is_named(book):
    """Also where all its hashes are right."""
    book.open_budget("top", GDP(2.0))
    book.open_budget("all", GDP(1.0), within="top")
    content = dict(book.reserve("all", GDP(0.5), key="a").content)
    problems = forged(book, content=content | {"charged": [["all", 1]]})
    assert any("charges other budgets than 'all'" in problem for problem in problems), problems


def test_an_entry_of_another_period_is_named(book):
    book.open_budget("all", GDP(1.0), period="year")
    content = dict(book.reserve("all", GDP(0.5), key="a").content)
    problems = forged(book, content=content | {"charged": [["all", 0]]})
    assert any("does not charge budget 'all' as it is then" in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("others", "said"),
    [({"content": {"of": 1}}, "resolves another entry"), ({"key": "b"}, "resolves 'b', which is not reserved")],
)
def test_what_resolves_something_else_is_named(book, others, said):
    book.open_budget("all", GDP(1.0))
    book.reserve("all", GDP(0.5), key="a")
    book.commit("a")
    problems = forged(book, **others)
    assert any(said in problem for problem in problems), problems


def test_reservations_of_long_ago_are_read_again(book, monkeypatch):
    """A replay keeps only so many of them in memory, and reads the book in blocks."""
    monkeypatch.setattr("gaussdp.ledger.replaying.RECENT", 2)
    monkeypatch.setattr("gaussdp.ledger.replaying.BLOCK", 4)
    book.open_budget("top", GDP(3.0), slack=1e-6)
    book.open_budget("all", GDP(2.0), slack=1e-6, within="top", period="year")
    for i in range(12):
        book.reserve("all", Gaussian(2.0 + i), key=f"key-{i}")
    book.renew("all", reason="a new year")
    for i in range(12):
        book.refund(f"key-{i}", reason="nothing came out") if i % 3 else book.commit(f"key-{i}")
    seen = []
    assert book.verify(head=book.head, progress=lambda done, total: seen.append((done, total))).ok
    assert seen[-1] == (28, 28)
    assert [done for done, _ in seen] == [4, 8, 12, 16, 20, 24, 28]


def _rows(book):
    engine = sa.create_engine(book.place)
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT * FROM ledger_entries ORDER BY seq").all()
    engine.dispose()
    return found


# Files may not grow past a size; what is said then must be true: a disk that fails may have kept what it was given.
FULL = """
import resource, signal, sys
from gaussdp import Gaussian, Ledger
from gaussdp.errors import LedgerError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Ledger.open(sys.argv[1]) as book, open(sys.argv[2], "w") as out:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
    try:
        for i in range(1000):
            book.reserve("all", Gaussian(1000.0), key=f"new-{i}", purpose="p" * 500)
            out.write(f"new-{i}\\n")
            out.flush()
    except LedgerError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert "no room" in str(error) and "It is unknown whether" in str(error), error
        assert book.verify().ok
    else:
        sys.exit("the disk was never full")
"""


class TestFiles:
    @pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
    def test_a_file_is_its_owners_alone(self, tmp_path, umask):
        """Whatever the umask; the files that SQLite makes beside it are like it."""
        before = os.umask(umask)
        try:
            with Ledger.create(str(tmp_path / "budget.db"), unit="one person", adjacency="add-remove") as book:
                book.open_budget("all", GDP(1.0))
                modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        finally:
            os.umask(before)
        assert modes == dict.fromkeys(["budget.db", "budget.db-wal", "budget.db-shm"], 0o600)

    def test_a_file_that_is_there_keeps_its_mode(self, tmp_path):
        """A database of others, into which a ledger is put."""
        file = tmp_path / "other.db"
        file.touch()
        file.chmod(0o640)
        Ledger.create(str(file), unit="one person", adjacency="add-remove").close()
        assert file.stat().st_mode & 0o777 == 0o640

    @pytest.fixture
    def file(self, tmp_path):
        """A book in one file, closed."""
        path = tmp_path / "budget.db"
        with Ledger.create(str(path), unit="one person", adjacency="add-remove") as book:
            book.open_budget("all", GDP(1.0))
            for i in range(30):
                book.reserve("all", Gaussian(10.0), key=f"key-{i}", purpose="a table")
            book.open_budget("each", GDP(1.0), per_person=True)
            book.reserve("each", GDP(0.5), key="people", people=[f"person {i}" for i in range(50)])
        return path

    def test_a_flipped_bit_is_found(self, file, tmp_path):
        """Where a bit is flipped in what the book says, it is never called whole."""
        with Ledger.open(str(file)) as book:
            entries, budgets = book.entries(), book.budgets()
        content, chance, found = file.read_bytes(), random.Random(3), 0
        for number in range(100):
            place = chance.randrange(len(content))
            copy = tmp_path / f"flipped{number}.db"
            copy.write_bytes(
                content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]
            )
            try:
                with Ledger.open(str(copy), timeout=0.1) as book:
                    checked = book.verify()
                    if checked.ok:
                        assert (book.entries(), book.budgets()) == (entries, budgets), place
                    else:
                        found += 1
                        assert all(len(problem) < 400 for problem in checked.problems)
            except LedgerError:
                found += 1
        assert found > 20

    def test_no_book_at_all(self, tmp_path):
        for name, content in (("empty", b""), ("text", b"once upon a time " * 100), ("short", b"SQLite format 3\0")):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(LedgerError):
                Ledger.open(str(tmp_path / name))
        with pytest.raises(LedgerError, match="cannot be opened"):
            Ledger.create(str(tmp_path / "no" / "such" / "folder.db"), unit="one person", adjacency="add-remove")

    def test_a_torn_file(self, file):
        content = file.read_bytes()
        file.write_bytes(content[: len(content) // 2])
        with pytest.raises(LedgerError, match="is damaged"):
            Ledger.open(str(file)).verify()

    def test_read_only(self, file):
        with Ledger.open(f"sqlite:///file:{file}?mode=ro&uri=true") as book:
            assert book.verify().ok
            assert book.budget("all").spent.mu == pytest.approx(0.3**0.5)
            with pytest.raises(LedgerError, match="is read-only; nothing was written"):
                book.reserve("all", GDP(0.1), key="new")

    def test_locked(self, file):
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with Ledger.open(str(file), timeout=0.2) as book:
            assert book.budget("all").spent.mu > 0  # readers do not wait
            with pytest.raises(LedgerError, match="locked by another program; nothing was written"):
                book.reserve("all", GDP(0.1), key="new")
            other.execute("ROLLBACK")
            book.reserve("all", GDP(0.1), key="new")
        other.close()

    def test_a_full_disk(self, file, tmp_path):
        """In a child whose files may not grow: what was answered is there, what was refused is not."""
        log = tmp_path / "answered"
        subprocess.run([sys.executable, "-c", FULL, str(file), str(log)], check=True, timeout=120)
        answered = log.read_text().split()
        with Ledger.open(str(file)) as book:
            assert book.verify().ok
            kept = [entry.key for entry in book.entries("all") if entry.key and entry.key.startswith("new-")]
            assert kept == answered
            assert len(kept) > 10
            assert book.state(f"new-{len(answered)}") == "unknown"

    def test_a_copy_is_a_book(self, file, tmp_path):
        shutil.copy(file, tmp_path / "copy.db")
        with Ledger.open(str(tmp_path / "copy.db")) as book:
            assert book.verify().ok


def test_a_locked_server(book, postgres_url):
    if book.place.startswith("sqlite"):
        pytest.skip("a file, which is locked as a whole")
    book.open_budget("all", GDP(1.0))
    other = Database(book.place)
    with other.deciding():
        late = Ledger.open(book.place, timeout=0.3)
        with late, pytest.raises(LedgerError, match="locked by another"):
            late.reserve("all", GDP(0.1), key="a")
    other.close()
    book.reserve("all", GDP(0.1), key="a")


def test_a_server_that_crashes_keeps_what_it_answered(postgres_server, postgres_url):
    """Decisions commit before the disk has them, and are answered after: a crash in between loses no answer."""
    book = Ledger.create(postgres_url, unit="one person", adjacency="add-remove")
    book.open_budget("all", GDP(1.0))
    answered, begun = [], threading.Event()

    def decide():
        number = 0
        while True:
            try:
                book.reserve("all", Gaussian(100.0), key=f"key-{number}")
            except LedgerError:  # the server is gone
                return
            answered.append(f"key-{number}")
            number += 1
            if number >= 20:
                begun.set()

    client = threading.Thread(target=decide)
    client.start()
    assert begun.wait(60)
    postgres_server.crash()
    client.join(60)
    postgres_server.start()
    book.close()
    with Ledger.open(postgres_url) as again:
        assert again.verify().ok
        kept = {entry.key for entry in again.entries("all")}
        assert set(answered) <= kept
        assert len(kept - {None}) - len(answered) <= 1  # the one that nobody heard of


class TestVersions:
    def older(self, url):
        """A book of the first schema, in which something happened."""
        database = Database(url)
        with database.making() as connection:
            migrate(connection, "0001")
            connection.exec_driver_sql("INSERT INTO ledger_book VALUES (1, 'one person', 'add-remove')")
            first = Entry(1, "2026-01-01T00:00:00+00:00", "create", None, None, {"unit": "one person"} | _NEIGHBOURS)
            opened = {"mu": "1.0", "slack": "0.0", "within": ["all"], "period": "", "per_person": False, "purpose": ""}
            first = first.sealed(FIRST)
            second = Entry(2, first.time, "open", "all", None, opened).sealed(first.hash)
            for entry in (first, second):
                connection.execute(sa.text(_INSERT), entry.row())
            connection.exec_driver_sql(
                "INSERT INTO ledger_budgets (name, mu, slack, spent, spent_slack, pending, past, past_slack, periods) "
                "VALUES ('all', '1.0', '0.0', '0', '0', '0', '0', '0', 1)"
            )
            connection.exec_driver_sql("INSERT INTO ledger_within VALUES ('all', 'all')")
        database.close()

    def test_an_older_book_is_upgraded(self, url):
        self.older(url)
        with pytest.raises(LedgerError, match=r"older than .* `gaussdp ledger upgrade`"):
            Ledger.open(url)
        with Ledger.upgrade(url) as book:
            assert book.entries()[-1].content == {"from": "0001", "to": VERSION}
            book.reserve("all", GDP(0.5), key="a")
            book.open_budget("each", GDP(1.0), per_person=True)
            book.reserve("each", GDP(0.5), key="b", people=["ada"])
            assert book.verify().ok
        Ledger.upgrade(url).close()  # once more is nothing

    def test_a_newer_book_is_left_alone(self, book, url):
        changed(book, "UPDATE ledger_version SET version_num = '9999'")
        with pytest.raises(LedgerError, match=r"newer than .* update gaussdp"):
            Ledger.open(url)
        with pytest.raises(LedgerError, match="newer than"):
            Ledger.upgrade(url)

    def test_the_version_is_the_last_migration(self, lite):
        from pathlib import Path

        import gaussdp.ledger

        files = sorted(Path(gaussdp.ledger.__file__).parent.glob("migrations/versions/v*.py"))
        assert files[-1].name.startswith(f"v{VERSION}_")

    def test_the_tables_are_those_of_the_migrations(self, book):
        from gaussdp.ledger.database import metadata

        engine = sa.create_engine(book.place)
        seen = sa.inspect(engine)
        for table in metadata.sorted_tables:
            made = {column["name"]: column["nullable"] for column in seen.get_columns(table.name)}
            assert made == {column.name: column.nullable for column in table.columns}
        engine.dispose()


_NEIGHBOURS = {"adjacency": "add-remove", "schema": "0001"}
_INSERT = (
    "INSERT INTO ledger_entries (seq, time, kind, budget, key, content, hash) "
    "VALUES (:seq, :time, :kind, :budget, :key, :content, :hash)"
)
