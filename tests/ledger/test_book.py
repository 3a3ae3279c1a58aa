"""A book keeps its budgets: exactly at the boundary, all budgets or none, once a key, and for good."""

import itertools
import pickle
import subprocess
import sys
from fractions import Fraction

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaussdp
from gaussdp import GDP, BudgetExceeded, DomainError, Gaussian, Ledger
from gaussdp.documents import render
from gaussdp.documents.written import written
from gaussdp.ledger import LedgerError, People

FRESH = itertools.count()


def fill(book, budget, release, count):
    for i in range(count):
        book.reserve(budget, release, key=f"{budget}-{i}")


class TestBoundary:
    @pytest.mark.parametrize(
        ("release", "count"),
        [
            (GDP(0.25), 16),
            (GDP(0.05), 400),
            (Gaussian(3.0), 9),
            (gaussdp.ZCDPGaussian(0.05), 10),
            (4 * Gaussian(4.0), 4),
        ],
        ids=["a quarter", "a twentieth", "a third", "rho", "repeated"],
    )
    def test_exactly_so_many_fit(self, lite, release, count):
        lite.open_budget("all", GDP(1.0))
        fill(lite, "all", release, count)
        assert lite.budget("all").spent == GDP(1.0)
        assert lite.budget("all").left == GDP(0.0)
        with pytest.raises(BudgetExceeded):
            lite.reserve("all", GDP(1e-15), key="one more")
        assert lite.verify().ok

    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(mus=st.lists(st.floats(1e-3, 0.9), min_size=1, max_size=12), total=st.floats(0.1, 2.0))
    def test_it_accepts_what_fits_and_nothing_else(self, lite, mus, total):
        name = next(FRESH)
        lite.open_budget(str(name), GDP(total))
        spent = Fraction()
        for i, mu in enumerate(mus):
            fits = spent + written(mu) ** 2 <= written(total) ** 2
            try:
                lite.reserve(str(name), GDP(mu), key=f"{name} {i}")
                accepted = True
            except BudgetExceeded:
                accepted = False
            assert accepted == fits
            spent += written(mu) ** 2 if accepted else 0
        now = lite.budget(str(name))
        assert written(now.spent.mu) ** 2 >= spent  # up
        assert written(now.left.mu) ** 2 <= written(total) ** 2 - spent  # down
        if now.left.mu > 0:
            lite.reserve(str(name), now.left, key=f"{name} rest")

    @pytest.mark.parametrize("mu", [0.3, 0.7, 1 / 3, 0.123456789])
    def test_the_noise_that_a_refusal_names_fits(self, lite, mu):
        lite.open_budget("all", GDP(1.0))
        lite.reserve("all", GDP(mu), key="first")
        with pytest.raises(BudgetExceeded) as caught:
            lite.reserve("all", 3 * Gaussian(0.5), key="next")
        assert caught.value.budget == "all"
        assert caught.value.asked_mu == pytest.approx(12**0.5)
        lite.reserve("all", 3 * Gaussian(caught.value.noise_multiplier), key="next")
        assert lite.budget("all").left.mu < 0.005

    @pytest.mark.parametrize("stated", ["add-remove", "replace-one"])
    @pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
    def test_the_noise_fits_whatever_the_neighbours(self, tmp_path, adjacency, stated):
        """As it was asked, and as `plan` says it: a multiplier of what adding or removing a record changes."""
        if (adjacency, stated) == ("add-remove", "replace-one"):
            return
        with Ledger.create(str(tmp_path / "book.db"), unit="one person", adjacency=adjacency) as made:
            made.open_budget("all", GDP(1.0))
            for i, asked in enumerate((Gaussian(0.1, stated), 3 * Gaussian(0.1, stated))):
                made.open_budget(f"b{i}", GDP(0.7))
                with pytest.raises(BudgetExceeded) as caught:
                    made.reserve(f"b{i}", asked, key=f"k{i}")
                noise = caught.value.noise_multiplier
                made.reserve(f"b{i}", (3 if i else 1) * Gaussian(noise, stated), key=f"k{i}")
                assert made.budget(f"b{i}").left.mu < 0.01
            with pytest.raises(BudgetExceeded) as caught:
                made.reserve("all", GDP(2.0), key="k")
            made.reserve("all", Gaussian(2 * caught.value.noise_multiplier), key="k")
            for i, share in enumerate(made.plan("all", releases=4).shares):
                made.reserve("all", Gaussian(share.noise_multiplier), key=f"s{i}")
            assert made.budget("all").left.mu < 0.01

    def test_training_is_told_its_noise(self, lite):
        lite.open_budget("all", GDP(0.5), slack=1e-9)
        with pytest.raises(BudgetExceeded, match="the same training fits with a noise multiplier of") as caught:
            lite.reserve("all", gaussdp.DPSGD(0.6, 0.01, 1000), key="model")
        lite.reserve("all", gaussdp.DPSGD(caught.value.noise_multiplier, 0.01, 1000), key="model")


class TestNesting:
    def test_a_charge_touches_all_or_none(self, book):
        book.open_budget("house", GDP(1.0))
        book.open_budget("health", GDP(2.0), within="house")
        book.open_budget("health/2027", GDP(2.0), within=["health"])
        book.reserve("health/2027", GDP(0.8), key="a")
        assert {one.name: one.spent.mu for one in book.budgets()} == dict.fromkeys(
            ["house", "health", "health/2027"], 0.8
        )
        with pytest.raises(BudgetExceeded, match="'house'"):
            book.reserve("health/2027", GDP(0.7), key="b")
        assert book.budget("health/2027").spent == GDP(0.8)
        assert book.budget("health/2027").left.mu > book.budget("health/2027").available.mu == 0.6
        book.reserve("house", GDP(0.6), key="c")
        assert book.budget("health").spent == GDP(0.8)
        assert [entry.kind for entry in book.entries("health")] == ["open", "open", "reserve"]
        assert book.verify().ok

    def test_the_same_budget_through_two_ways_is_charged_once(self, lite):
        lite.open_budget("top", GDP(1.0))
        lite.open_budget("left", GDP(1.0), within="top")
        lite.open_budget("right", GDP(1.0), within="top")
        lite.open_budget("both", GDP(1.0), within=("left", "right"))
        lite.reserve("both", GDP(0.5), key="a")
        assert lite.budget("top").spent == GDP(0.5)


class TestLifeOfAReservation:
    def test_the_same_request_gives_the_first_answer(self, book):
        book.open_budget("all", GDP(1.0))
        first = book.reserve("all", GDP(0.5), key="a", purpose="a table")
        again = book.reserve("all", GDP(0.5), key="a", purpose="a table")
        assert (again, again.repeated, first.repeated) == (first, True, False)
        assert book.budget("all").spent == GDP(0.5)
        for other in ({"purpose": "another"}, {"release": GDP(0.4)}, {"budget": "other"}):
            request = {"budget": "all", "release": GDP(0.5), "purpose": "a table"} | other
            with pytest.raises(DomainError, match="was used for another request"):
                book.reserve(**request, key="a")
        assert book.commit("a").kind == "commit"
        assert book.commit("a").repeated
        assert book.reserve("all", GDP(0.5), key="a", purpose="a table").repeated
        with pytest.raises(DomainError, match="was committed and stays so"):
            book.refund("a", reason="nothing was released")

    def test_a_refund_gives_back_once(self, book):
        book.open_budget("all", GDP(1.0), slack=1e-6)
        book.reserve("all", gaussdp.ApproxGDP(0.6, 1e-7), key="a")
        assert book.budget("all").reserved == GDP(0.6)
        book.refund("a", reason="the job was cancelled before it began")
        assert book.refund("a", reason="again").repeated
        now = book.budget("all")
        assert (now.spent, now.slack_spent, now.reserved, book.state("a")) == (GDP(0.0), 0.0, GDP(0.0), "refunded")
        for use in (lambda: book.commit("a"), lambda: book.reserve("all", gaussdp.ApproxGDP(0.6, 1e-7), key="a")):
            with pytest.raises(DomainError, match="was refunded and stays so"):
                use()
        assert book.verify().ok

    def test_what_is_never_resolved_is_spent(self, lite):
        lite.open_budget("all", GDP(1.0))
        lite.reserve("all", GDP(1.0), key="a")
        assert (lite.budget("all").spent, lite.state("a"), lite.state("b")) == (GDP(1.0), "reserved", "unknown")
        with pytest.raises(DomainError, match="no reservation 'b'"):
            lite.commit("b")

    def test_spending(self, lite):
        lite.open_budget("all", GDP(1.0))
        with lite.spending("all", GDP(0.6), key="a", purpose="a table") as entry:
            assert lite.state("a") == "reserved"
        assert (lite.state("a"), entry.purpose) == ("committed", "a table")
        with pytest.raises(ZeroDivisionError), lite.spending("all", GDP(0.6), key="b"):
            _ = 1 / 0
        assert lite.state("b") == "reserved"
        ran = []
        again = lite.spending("all", GDP(0.6), key="b")
        with pytest.raises(DomainError, match="whether its release came out is not known"), again:
            ran.append(True)
        assert not ran


class TestPeriods:
    def test_a_renewal_is_written_and_the_loss_stays(self, book):
        book.open_budget("house", GDP(5.0))
        book.open_budget("yearly", GDP(1.0), period="year", within="house")
        book.reserve("yearly", GDP(0.8), key="a")
        book.reserve("yearly", GDP(0.6), key="b")
        entry = book.renew("yearly", reason="the data of another year")
        assert "Privacy loss does not renew" in entry.content["says"]
        book.reserve("yearly", GDP(0.5), key="c")
        now = book.budget("yearly")
        assert (now.spent, now.periods, now.lifetime) == (GDP(0.5), 2, GDP(1.25**0.5))
        assert book.budget("house").spent == GDP(1.25**0.5)
        book.refund("b", reason="nothing came out")  # of the period before
        assert book.budget("yearly").lifetime.mu == pytest.approx(0.89**0.5)
        assert book.budget("yearly").spent == GDP(0.5)
        assert "Privacy loss does not renew" in render(book.budget("yearly").document(), "text")
        assert book.verify().ok

    def test_only_what_has_periods_is_renewed(self, lite):
        lite.open_budget("once", GDP(1.0))
        with pytest.raises(DomainError, match="is never renewed"):
            lite.renew("once", reason="we would like more")


UNSEEN = [
    "\u200b",
    "a\u200b",
    "\ufeffk",
    "a\u2060b",
    "a\u00adb",
    "a\u202eb",
    "a\u200e",
    "a\U000e0041",
    "\u3164",
    "a\u2800",
]


class TestNames:
    """What cannot be seen makes no difference between two names, and so is in none."""

    @pytest.mark.parametrize("name", UNSEEN, ids=ascii)
    def test_unseen_characters_are_refused(self, lite, name):
        lite.open_budget("each", GDP(1.0), per_person=True)
        before = lite.head
        for use in (
            lambda: lite.open_budget(name, GDP(1.0)),
            lambda: lite.reserve("each", GDP(0.1), key=name, people=["ada"]),
            lambda: lite.reserve("each", GDP(0.1), key="a", people=["ada", name]),
            lambda: Ledger.create("never.db", unit=name, adjacency="add-remove"),
        ):
            with pytest.raises(DomainError, match=r"U\+"):
                use()
        assert lite.head == before

    @pytest.mark.parametrize("name", [" ", "\u2003", "\t", "\n"], ids=ascii)
    def test_white_space_is_no_name(self, lite, name):
        lite.open_budget("each", GDP(1.0), per_person=True)
        for use in (
            lambda: lite.open_budget(name, GDP(1.0)),
            lambda: lite.reserve("each", GDP(0.1), key=name, people=["ada"]),
            lambda: lite.reserve("each", GDP(0.1), key="a", people=["ada", name]),
        ):
            with pytest.raises(DomainError):
                use()

    @pytest.mark.parametrize("name", ["naïve/μ", "日本", "é", "a b", "Ωmega 2027", "محمد"])
    def test_letters_of_any_script_are_names(self, lite, name):
        lite.open_budget(name, GDP(1.0), per_person=True)
        assert lite.reserve(name, GDP(0.1), key=name, people=[name]).content["people"] == 1

    def test_a_table_of_people_is_read_as_closely(self, book):
        book.open_budget("each", GDP(1.0), per_person=True)
        engine = sa.create_engine(book.place, poolclass=sa.NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE visits (who TEXT)")
            connection.execute(sa.text("INSERT INTO visits VALUES ('ada'), (:other)"), {"other": "ada\u200b"})
        with pytest.raises(DomainError, match=r"people must be visible text, got the invisible character U\+200B"):
            book.reserve("each", GDP(0.1), key="a", people=People("visits", "who", table=True))

    def test_numbers_of_thousands_of_digits(self, lite):
        lite.open_budget("each", GDP(1.0), per_person=True)
        with pytest.raises(DomainError, match="whole number of more than 30 digits"):
            lite.reserve("each", GDP(0.1), key="a", people=[10**5000])


class TestBadInput:
    def test_nothing_is_written(self, lite):
        lite.open_budget("all", GDP(1.0))
        before = lite.head
        for wrong in (
            lambda: lite.open_budget("all", GDP(2.0)),
            lambda: lite.open_budget("", GDP(2.0)),
            lambda: lite.open_budget("b", 1.0),
            lambda: lite.open_budget("b", GDP(0.0)),
            lambda: lite.open_budget("b", GDP(float("inf"))),
            lambda: lite.open_budget("b", GDP(1.0), slack=1.0),
            lambda: lite.open_budget("b", GDP(1.0), within="nowhere"),
            lambda: lite.open_budget("b", GDP(1.0), per_person=True, period="year"),
            lambda: lite.reserve("nowhere", GDP(0.1), key="a"),
            lambda: lite.reserve("all", 0.1, key="a"),
            lambda: lite.reserve("all", GDP(float("inf")), key="a"),
            lambda: lite.reserve("all", GDP(0.1), key=""),
            lambda: lite.reserve("all", GDP(0.1), key="k" * 300),
            lambda: lite.reserve("all", GDP(0.1), key="a", people=["x"]),
            lambda: lite.reserve("all", "no such file.toml", key="a"),
            lambda: lite.refund("a", reason=""),
            lambda: lite.plan("all"),
            lambda: lite.plan("all", 0),
            lambda: lite.plan("all", weights=[1.0, -1.0]),
            lambda: lite.entries("nowhere"),
        ):
            with pytest.raises(DomainError):
                wrong()
        assert lite.head == before

    @pytest.mark.parametrize("place", ["sqlite://", "mysql://x/y", "sqlite:///:memory:", "", "nonsense://"])
    def test_urls(self, place):
        with pytest.raises(DomainError):
            Ledger.create(place, unit="one person", adjacency="add-remove")

    def test_books(self, url):
        if url.startswith("sqlite"):
            with pytest.raises(LedgerError, match="there is no budget book"):
                Ledger.open(url)
        with pytest.raises(DomainError, match="adjacency"):
            Ledger.create(url, unit="one person", adjacency="neighbours")
        Ledger.create(url, unit="one person", adjacency="add-remove").close()
        with pytest.raises(LedgerError, match="already"):
            Ledger.create(url, unit="one person", adjacency="add-remove")

    def test_no_password_is_told(self):
        with pytest.raises(LedgerError) as caught:
            Ledger.open("postgresql+psycopg://me:secret@127.0.0.1:9/x", timeout=2.0)
        assert "secret" not in str(caught.value)


def test_plans_fit_exactly(lite):
    lite.open_budget("all", GDP(1.0))
    lite.reserve("all", GDP(0.3), key="first")
    shares = lite.plan("all", weights=[1.0, 2.0, 3.5, 0.1]).shares
    for i, share in enumerate(shares):
        assert gaussdp.Gaussian(share.noise_multiplier).mu <= share.guarantee.mu
        lite.reserve("all", share.guarantee, key=str(i))
    assert lite.budget("all").left.mu < 1e-7
    lite.open_budget("other", GDP(2.0))
    assert [share.guarantee for share in lite.plan("other", 16).shares] == [GDP(0.5)] * 16


def test_what_if_writes_nothing(lite):
    lite.open_budget("house", GDP(1.0))
    lite.open_budget("all", GDP(3.0), within="house")
    before = lite.head
    seen = lite.preview("all", Gaussian(1.25))
    assert (seen.fits, seen.left["house"]) == (True, GDP(0.6))
    assert not lite.preview("all", Gaussian(0.5)).fits
    assert lite.head == before


def test_the_clock_may_jump(book, monkeypatch):
    """A time is what the clock said: one jump ahead fixes none of the later ones, and the numbers give the order."""
    book.open_budget("all", GDP(1.0), period="year")
    clock = ["2999-12-31T23:59:59.000000+00:00", "1999-01-01T00:00:00.000000+00:00", "2027-01-01T00:00:00.000000+00:00"]
    monkeypatch.setattr("gaussdp.ledger.transactions.now", iter(clock).__next__)
    made = [book.reserve("all", GDP(0.1), key=key) for key in "abc"]
    assert [entry.time for entry in made] == clock
    assert [entry.seq for entry in book.entries()[-3:]] == [3, 4, 5]
    assert book.verify(head=book.head).problems == ()


def test_no_clock_gives_a_spent_budget_back(lite, monkeypatch):
    """A period ends where somebody renews it in writing, and nowhere else."""
    lite.open_budget("yearly", GDP(1.0), period="year")
    lite.reserve("yearly", GDP(1.0), key="a")
    for year in (2999, 1970):
        monkeypatch.setattr("gaussdp.ledger.transactions.now", lambda year=year: f"{year}-01-01T00:00:00.000000+00:00")
        with pytest.raises(BudgetExceeded):
            lite.reserve("yearly", GDP(0.1), key="b")
    assert (lite.budget("yearly").periods, lite.budget("yearly").left) == (1, GDP(0.0))


# In a process of its own, since what other tests have loaded here may have threads.
FORKED = """
import os, sys
from gaussdp import GDP, Ledger
with Ledger.open(sys.argv[1]) as book:
    child = os.fork()
    if child == 0:
        book.reserve("all", GDP(0.2), key="b")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_book_travels_to_other_processes(lite):
    lite.open_budget("all", GDP(1.0))
    with pickle.loads(pickle.dumps(lite)) as other:
        other.reserve("all", GDP(0.1), key="a")
    subprocess.run([sys.executable, "-c", FORKED, lite.place], check=True, timeout=60)
    assert lite.budget("all").spent.mu == pytest.approx(0.05**0.5)
    assert "one person" in repr(lite)


def test_refusals_travel_too():
    error = BudgetExceeded("all", (1.0, 0.0), (0.5, 1e-9), "take less", 2.0)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))
    assert isinstance(error, gaussdp.GaussdpError)


def test_a_book_speaks_one_language(lite):
    """What is kept does not depend on the language of who asks, and a refusal does."""
    lite.open_budget("all", GDP(1.0))
    with gaussdp.language("de"):
        first = lite.reserve("all", Gaussian(2.0), key="a")
        with pytest.raises(BudgetExceeded, match=r"Budget 'all' reicht nicht: verlangt μ = 1, übrig μ = 0,86"):
            lite.reserve("all", GDP(1.0), key="b")
        with pytest.raises(DomainError, match="key ist unbekannt: Es gibt keine Reservierung 'c'"):
            lite.commit("c")
    again = lite.reserve("all", Gaussian(2.0), key="a")
    assert again.repeated
    assert again.content == first.content
