"""Budget books over HTTP: read by everyone, spent from with the token alone, and never in the way of others."""

import asyncio
import json
import logging
import sqlite3
import subprocess
import sys
import threading
import urllib.request

import httpx
import pytest

from gaussdp import GDP, DomainError, Ledger
from gaussdp.cli import main
from gaussdp.web.books import TOKEN_VARIABLE, Books, token_from
from gaussdp.web.views.ledger import book_shown
from web_client import Client

TOKEN = "open sesame, and quickly"
OPENED = {"Authorization": f"Bearer {TOKEN}"}
RESERVE = {"book": "clinic", "do": "reserve", "budget": "all", "key": "a", "release": "mu=0.6", "purpose": "a table"}


@pytest.fixture
def book(tmp_path):
    with Ledger.create(str(tmp_path / "clinic.db"), unit="one person", adjacency="add-remove") as made:
        made.open_budget("top", GDP(2.0), slack=1e-6)
        made.open_budget("all", GDP(1.0), within="top", period="year")
        made.open_budget("each", GDP(1.0), per_person=True)
        yield made


@pytest.fixture
def served(book, tmp_path):
    """A client of a server that spends from two books."""
    Ledger.create(str(tmp_path / "lab.db"), unit="one image", adjacency="replace-one").close()
    books = Books([str(tmp_path / "clinic.db"), f"sqlite:///{tmp_path / 'lab.db'}"], TOKEN)
    yield Client(books=books)
    books.close()


@pytest.fixture
def shown(book, tmp_path):
    """A client of a server that only shows."""
    books = Books([str(tmp_path / "clinic.db")])
    yield Client(books=books)
    books.close()


def balance(client, budget, book="clinic"):
    books = {one["name"]: one for one in client.get("/api/v1/ledger").json()["books"]}
    return next(one for one in books[book]["budgets"] if one["name"] == budget)


def test_everyone_may_read(served, book):
    book.reserve("all", GDP(0.8), key="k", purpose="<b>a table</b>")
    book.reserve("each", GDP(0.5), key="p", people=["ada lovelace", "grace hopper"])
    answer = served.get("/api/v1/ledger")
    told = answer.json()
    assert (answer.status_code, told["spends"]) == (200, True)
    assert [(one["name"], one["unit"]) for one in told["books"]] == [("clinic", "one person"), ("lab", "one image")]
    assert balance(served, "all")["left_text"] == "0.6"
    assert balance(served, "top")["spent_text"] == "0.8"
    assert balance(served, "each")["spent_text"] is None
    assert "lovelace" not in answer.text
    assert "hopper" not in answer.text
    assert str(book.place) not in answer.text
    one = served.post("ledger/budget", {"book": "clinic", "budget": "top"}).json()
    assert [entry["kind"] for entry in one["entries"]] == ["reserve", "open", "open"]
    assert one["entries"][0]["words"] == "<b>a table</b>"
    assert [point["mu"] for point in one["over_time"]] == [0.0, 0.8]


def test_spending(served, book):
    first = served.post("ledger/spend", RESERVE, headers=OPENED)
    assert (first.status_code, first.json()["entry"]["mu_text"], first.json()["repeated"]) == (200, "0.6", False)
    again = served.post("ledger/spend", RESERVE, headers=OPENED).json()
    assert (again["repeated"], again["entry"]) == (True, first.json()["entry"])
    other = served.post("ledger/spend", RESERVE | {"release": "mu=0.5"}, headers=OPENED)
    assert (other.status_code, other.json()["error"]["field"]) == (422, "key")
    large = served.post("ledger/spend", RESERVE | {"key": "b", "release": "noise=1"}, headers=OPENED)
    assert (large.status_code, large.json()["error"]["field"]) == (409, "release")
    assert "noise multiplier of 1.25" in large.json()["error"]["message"]
    done = served.post("ledger/spend", {"book": "clinic", "do": "commit", "key": "a"}, headers=OPENED)
    assert done.json()["entry"]["kind"] == "commit"
    served.post("ledger/spend", RESERVE | {"key": "c", "release": "noise=4"}, headers=OPENED)
    undone = {"book": "clinic", "do": "refund", "key": "c", "reason": "nothing came out"}
    assert served.post("ledger/spend", undone, headers=OPENED).json()["entry"]["words"] == "nothing came out"
    assert book.budget("all").spent == GDP(0.6)
    assert book.verify().ok


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"book": "other"}, 404, "book"),
        ({"do": "open"}, 422, "do"),
        ({"budget": "other"}, 422, "budget"),
        ({"budget": 7}, 422, "budget"),
        ({"key": ""}, 422, "key"),
        ({"key": "x" * 201}, 422, "key"),
        ({"key": "a\nb"}, 422, "key"),
        ({"release": "mu=-1"}, 422, "release"),
        ({"release": "mu=nan"}, 422, "release"),
        ({"release": "noise=0"}, 422, "release"),
        ({"release": "/etc/passwd"}, 422, None),
        ({"release": "epsilon=1 delta=1e-6"}, 409, "release"),
        ({"reason": "because"}, 422, "reason"),
        ({"shoe": "42"}, 422, None),
        ({"budget": "each"}, 422, None),
    ],
)
def test_bad_requests_write_nothing(served, book, change, status, field):
    before = book.head
    answer = served.post("ledger/spend", RESERVE | change, headers=OPENED)
    assert (answer.status_code, answer.json()["error"]["field"]) == (status, field), answer.text
    assert book.head == before


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer wrong", 403),
        (f"Bearer {TOKEN}x", 403),
        (f"Bearer {TOKEN[:-1]}", 403),
        ("Bearer \xe9\xff", 403),
    ],
)
def test_the_token(served, book, header, status, caplog):
    """Refused before the body is read; nothing of it is said or logged."""
    before = book.head
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    with caplog.at_level(logging.DEBUG):
        answer = served.request("POST", "/api/v1/ledger/spend", content=b"no JSON", headers=headers)
    assert (answer.status_code, answer.json()["error"]["field"]) == (status, "token")
    assert (answer.headers.get("www-authenticate") == "Bearer") == (status == 401)
    assert TOKEN[:-1] not in answer.text + caplog.text
    assert book.head == before


def test_a_server_that_only_shows(shown, book):
    before = book.head
    assert shown.get("/api/v1/ledger").json()["spends"] is False
    for headers in ({}, OPENED, {"Authorization": "Bearer "}):
        answer = shown.post("ledger/spend", RESERVE, headers=headers)
        assert answer.status_code == 403
    assert book.head == before


def test_another_site_may_not_spend(served, book):
    before = book.head
    answer = served.post("ledger/spend", RESERVE, headers=OPENED | {"Origin": "https://elsewhere.example"})
    assert (answer.status_code, book.head) == (403, before)


def test_the_page_says_what_there_is(served, shown):
    assert '<html data-ledger="spends" ' in served.get("/").text
    assert '<html data-ledger="shown" ' in shown.get("/").text
    assert "data-ledger" not in Client().get("/").text
    assert Client().get("/api/v1/ledger").status_code == 404
    assert "/api/v1/ledger" not in Client().get("/openapi.json").json()["paths"]
    paths = served.get("/openapi.json").json()["paths"]
    assert {"401", "403", "404", "409", "422", "503"} <= set(paths["/api/v1/ledger/spend"]["post"]["responses"])


def test_a_locked_book_keeps_nobody_else_waiting(served, book, tmp_path):
    """While a decision waits for the database, the server answers others; then it says what is wrong."""
    other = sqlite3.connect(tmp_path / "clinic.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def ask():
        transport = httpx.ASGITransport(served.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            spent = asyncio.create_task(client.post("/api/v1/ledger/spend", json=RESERVE, headers=OPENED))
            await asyncio.sleep(0.2)
            read = await client.get("/api/v1/ledger")
            assert not spent.done()
            other.execute("ROLLBACK")
            return read, await spent

    read, spent = asyncio.run(ask())
    other.close()
    assert (read.status_code, spent.status_code) == (200, 200)
    assert book.state("a") == "reserved"


def test_one_address_leaves_places_to_others(book, tmp_path, monkeypatch):
    """While no question is answered, one address takes its share of the places and no more."""
    answering = threading.Event()

    def held_up(name, book):
        answering.wait(10)
        return book_shown(name, book)

    monkeypatch.setattr("gaussdp.web.views.ledger.book_shown", held_up)
    books = Books([str(tmp_path / "clinic.db")])
    app = Client(books=books).app

    async def ask(address):
        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            return (await client.get("/api/v1/ledger")).status_code

    async def scenario():
        greedy = [asyncio.create_task(ask("10.0.0.1")) for _ in range(20)]
        refused, _ = await asyncio.wait(greedy, return_when=asyncio.FIRST_COMPLETED)
        assert {task.result() for task in refused} == {503}
        modest = asyncio.create_task(ask("10.0.0.2"))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not modest.done()
        assert await ask("10.0.0.1") == 503
        answering.set()
        assert await modest == 200
        assert sorted(await asyncio.gather(*greedy)) == [200] * 16 + [503] * 4
        assert await ask("10.0.0.1") == 200  # their places are free again

    asyncio.run(scenario())
    books.close()


def test_a_damaged_book_is_named_without_its_place(served, tmp_path):
    (tmp_path / "lab.db").write_bytes(b"once upon a time" * 100)
    (tmp_path / "lab.db-wal").unlink(missing_ok=True)
    answer = served.get("/api/v1/ledger")
    [lab] = [one for one in answer.json()["books"] if one["name"] == "lab"]
    assert (answer.status_code, str(tmp_path) in answer.text) == (200, False)
    assert lab["problem"]
    assert balance(served, "all")["left_text"] == "1"


class TestStarting:
    def test_tokens(self, tmp_path, monkeypatch):
        file = tmp_path / "token"
        file.write_text(f"{TOKEN}\n")
        assert token_from(str(file)) == TOKEN
        monkeypatch.setenv(TOKEN_VARIABLE, f"{TOKEN}!")
        assert (token_from(str(file)), token_from("")) == (TOKEN, f"{TOKEN}!")
        for wrong in ("", "short", "ä" * 20, "two\nlines of a long token"):
            file.write_text(wrong)
            with pytest.raises(DomainError, match="at least 16 characters"):
                token_from(str(file))
        with pytest.raises(DomainError, match="cannot be read"):
            token_from(str(tmp_path / "none"))

    def test_what_is_wrong_is_said_at_once(self, tmp_path, capsys):
        for arguments in (
            ["--ledger", str(tmp_path / "none.db")],
            ["--ledger-token-file", str(tmp_path / "token")],
            ["--ledger", "mysql://x"],
        ):
            assert main(["serve", "--port", "0", "--no-open", *arguments]) == 2
            assert len(capsys.readouterr().err.strip().splitlines()) == 1

    def test_a_password_is_not_shown(self, capsys):
        main(["serve", "--show-settings", "--ledger", "postgresql+psycopg://me:hidden@host/db"])
        said = capsys.readouterr().out
        assert "postgresql+psycopg://me:***@host/db" in said
        assert "hidden" not in said

    def test_by_two_processes(self, book, tmp_path):
        """The whole way, from the shell; the arguments of no process tell the URL."""
        (tmp_path / "token").write_text(TOKEN)
        url = f"sqlite:///{tmp_path / 'clinic.db'}"
        command = [sys.executable, "-m", "gaussdp", "serve", "--port", "0", "--no-open", "--workers", "2"]
        command += ["--ledger", url, "--ledger-token-file", str(tmp_path / "token")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                address = server.stdout.readline().split(" at ")[1].split()[0]
                for number in range(4):
                    body = json.dumps(RESERVE | {"key": f"k{number}", "release": "mu=0.5"}).encode()
                    headers = OPENED | {"Content-Type": "application/json"}
                    request = urllib.request.Request(f"{address}api/v1/ledger/spend", body, headers)
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        assert json.load(answer)["entry"]["seq"] == 5 + number
            finally:
                server.terminate()
        assert book.budget("all").left == GDP(0.0)
