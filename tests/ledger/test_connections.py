"""Where a connection breaks in the middle, nobody claims to know what was written, and asking again does no harm."""

import socket
import threading
from contextlib import contextmanager, suppress

import pytest
import sqlalchemy as sa

from gaussdp import GDP, DomainError, Ledger
from gaussdp.cli import main
from gaussdp.errors import LedgerError
from gaussdp.web.books import Books
from web_client import Client

UNKNOWN = "It is unknown whether the release was written. Ask again with the same key."
ENTERED = b"INSERT INTO ledger_entries"
TOKEN = "a token of the test alone"


class Line:
    """A way to a server that breaks at a word of the client: before the server has it, or before it is answered."""

    def __init__(self, url):
        self._to = url.host, url.port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = url.set(port=self._door.getsockname()[1]).render_as_string()
        self.words, self.after, self._ends = [], False, []
        threading.Thread(target=self._serve, daemon=True).start()

    def breaks(self, *words, after):
        """Break at the last of these words, once the others were said."""
        self.words, self.after = list(words), after

    def close(self):
        self._door.close()
        for end in self._ends:
            end.close()

    def _serve(self):
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            self._ends.append(client)
            server, closing = socket.create_connection(self._to), threading.Event()
            self._ends.append(server)
            threading.Thread(target=self._forth, args=(client, server, closing), daemon=True).start()
            threading.Thread(target=self._back, args=(client, server, closing), daemon=True).start()

    def _forth(self, client, server, closing):
        while data := _received(client):
            if self.words and self.words[0] in data:
                self.words = self.words[1:]
                if not self.words:
                    closing.set()
                    if not self.after:
                        break
            with suppress(OSError):
                server.sendall(data)
        _ended(client, server)

    def _back(self, client, server, closing):
        while (data := _received(server)) and not closing.is_set():
            with suppress(OSError):
                client.sendall(data)
        _ended(client, server)


def _ended(*ends):
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _received(end):
    try:
        return end.recv(65536)
    except OSError:
        return b""


@pytest.fixture
def line(postgres_url):
    made = Line(sa.make_url(postgres_url))
    with Ledger.create(postgres_url, unit="one person", adjacency="add-remove") as book:
        book.open_budget("all", GDP(1.0), period="year")
        book.open_budget("each", GDP(1.0), per_person=True)
    yield made
    made.close()


@contextmanager
def whole(url):
    """The ledger past the line, which is whole in the end."""
    with Ledger.open(url) as book:
        yield book
        assert book.verify(head=book.head).problems == ()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("words", [[b"pg_advisory_xact_lock"], [ENTERED], [ENTERED, b"COMMIT"]])
@pytest.mark.parametrize("people", [None, ["ada", "grace"]], ids=["all", "each"])
def test_a_reservation_is_asked_for_again(line, postgres_url, words, after, people):
    request = {"budget": "each" if people else "all", "release": GDP(0.5), "key": "a", "people": people}
    with Ledger.open(line.url, timeout=5.0) as book:
        line.breaks(*words, after=after)
        with pytest.raises(LedgerError) as caught:
            book.reserve(**request)
        assert str(caught.value).endswith(UNKNOWN)
        again = book.reserve(**request)
        assert again.repeated == (len(words) == 2 and after)
        line.breaks(*words, after=after)
        with pytest.raises(LedgerError, match="unknown"):
            book.commit("a")
        assert book.commit("a").repeated == (len(words) == 2 and after)
    with whole(postgres_url) as book:
        assert [entry.kind for entry in book.entries()[-2:]] == ["reserve", "commit"]
        assert book.budget(request["budget"]).spent == GDP(0.5)


def test_what_has_no_key_is_looked_at_first(line):
    """Asking again could begin yet another period."""
    with Ledger.open(line.url, timeout=5.0) as book:
        line.breaks(b"COMMIT", after=True)
        with pytest.raises(LedgerError, match=r"unknown whether the change was written\. Look at the ledger"):
            book.renew("all", reason="another year")
        assert book.budget("all").periods == 2
        line.breaks(b"COMMIT", after=True)
        with pytest.raises(LedgerError, match="unknown"):
            book.open_budget("new", GDP(1.0))
        with pytest.raises(DomainError, match="is taken"):
            book.open_budget("new", GDP(1.0))


def test_a_reader_is_told_that_the_ledger_cannot_be_reached(line):
    with Ledger.open(line.url, timeout=5.0) as book:
        line.breaks(b"ledger_budgets", after=True)
        with pytest.raises(LedgerError, match="cannot be reached"):
            book.budgets()
        assert len(book.budgets()) == 2


def test_the_command_line_says_it_in_one_line(line, postgres_url, capfd):
    asked = ["ledger", "reserve", "all", "mu=0.5", "--key", "a", "--book", line.url]
    line.breaks(ENTERED, b"COMMIT", after=True)
    assert main(asked) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.strip().endswith(UNKNOWN)
    assert main(asked) == 0
    with whole(postgres_url) as book:
        assert book.budget("all").spent == GDP(0.5)


def test_the_server_says_it(line, postgres_url):
    books = Books([line.url], TOKEN)
    client = Client(books=books)
    [name] = [one["name"] for one in client.get("/api/v1/ledger").json()["books"]]
    body = {"book": name, "do": "reserve", "budget": "all", "key": "a", "release": "mu=0.5"}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    line.breaks(ENTERED, b"COMMIT", after=True)
    answer = client.post("ledger/spend", body, headers=headers)
    assert answer.status_code == 503
    assert answer.json()["error"]["message"].endswith(UNKNOWN)
    assert "127.0.0.1" not in answer.text
    again = client.post("ledger/spend", body, headers=headers)
    assert (again.status_code, again.json()["repeated"]) == (200, True)
    books.close()
    with whole(postgres_url) as book:
        assert book.budget("all").spent == GDP(0.5)
