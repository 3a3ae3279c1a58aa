"""Budgets per person: each takes part until their own budget is full, counted by the database."""

import csv

import pytest
import sqlalchemy as sa

from gaussdp import DPSGD, GDP, BudgetExceeded, DomainError, Gaussian, Laplace, Ledger, RandomizedResponse
from gaussdp.ledger import People
from gaussdp.ledger.charges import charge_of


@pytest.fixture
def each(book):
    book.open_budget("house", GDP(10.0))
    book.open_budget("each", GDP(1.0), slack=1e-6, per_person=True, within="house")
    return book


def taking(book, key):
    return set(book.taking_part(key))


def test_a_person_takes_part_until_their_budget_is_full(each):
    for i in range(3):
        each.reserve("each", GDP(0.5), key=f"a{i}", people=["ada", "grace", "ada"])
    each.reserve("each", GDP(0.5), key="b", people=["grace", "emmy"])
    assert taking(each, "b") == {"grace", "emmy"}
    each.reserve("each", GDP(0.5), key="c", people=["ada", "grace", "emmy"])
    assert taking(each, "c") == {"ada", "emmy"}  # four halves fill a budget of 1
    assert (each.budget("each").spent, each.budget("each").left) == (GDP(1.0), GDP(0.0))
    assert each.budget("house").spent == GDP(1.25**0.5)
    each.refund("a1", reason="nothing came out")
    each.reserve("each", GDP(0.5), key="d", people=["ada", "grace"])
    assert taking(each, "d") == {"ada", "grace"}
    each.reserve("each", GDP(0.5), key="e", people=["ada", "grace"])
    assert taking(each, "e") == set()  # and nobody is told that by an error
    assert each.verify().ok


def test_the_same_people_under_the_same_key(each):
    first = each.reserve("each", GDP(0.5), key="a", people=["ada", "grace"])
    assert each.reserve("each", GDP(0.5), key="a", people=["grace", "ada"]).repeated
    with pytest.raises(DomainError, match="was used for another request"):
        each.reserve("each", GDP(0.5), key="a", people=["ada"])
    assert first.content["people"] == 2


def test_files_and_tables(each, tmp_path):
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["visit", "patient"], *([i, f"p{i % 40}"] for i in range(100))])
    each.reserve("each", GDP(0.5), key="csv", people=People(tmp_path / "people.csv", "patient"))
    assert taking(each, "csv") == {f"p{i}" for i in range(40)}
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table({"person": list(range(50))}), tmp_path / "people.parquet")
    each.reserve("each", GDP(0.5), key="parquet", people=tmp_path / "people.parquet")
    assert taking(each, "parquet") == {str(i) for i in range(50)}
    engine = sa.create_engine(each.place, poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql('CREATE TABLE "all visits" (who INTEGER)')
        connection.exec_driver_sql('INSERT INTO "all visits" VALUES (7), (7), (8), (NULL)')
    each.reserve("each", GDP(0.5), key="table", people=People("all visits", "who", table=True))
    assert taking(each, "table") == {"7", "8"}
    assert each.verify().ok


@pytest.mark.parametrize(
    ("people", "said"),
    [
        (None, "must be given"),
        ("nobody.csv", "no file"),
        ("people.txt", "ends in"),
        ([1.5], "whole numbers"),
        ([""], "names"),
        (People("wrong.csv", "person"), "no column 'person'"),
    ],
)
def test_bad_lists(each, people, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n")
    before = each.head
    with pytest.raises(DomainError, match=said):
        each.reserve("each", GDP(0.5), key="a", people=people)
    assert each.head == before


def test_what_fits_nobody_is_refused(each):
    with pytest.raises(BudgetExceeded):
        each.reserve("each", GDP(1.1), key="a", people=["ada"])


@pytest.mark.parametrize("total", [0.001, 0.5, 3.0, 1e6])
def test_units_round_to_the_safe_side(lite, total):
    lite.open_budget("each", GDP(total), per_person=True)
    noise, taken = 3.0 / total, 0
    for i in range(10):
        lite.reserve("each", Gaussian(noise), key=str(i), people=["ada"])
        taken += len(taking(lite, str(i)))
    assert taken in (8, 9)  # nine fill it exactly; units are a billionth of a billionth
    assert lite.budget("each").spent.mu <= total


class TestExchangedRecords:
    """A budget per person in a book of exchanged records: a mu for exchanging that also covers taking part or not."""

    @pytest.fixture
    def each(self, tmp_path):
        with Ledger.create(str(tmp_path / "b.db"), unit="one person", adjacency="replace-one") as book:
            book.open_budget("each", GDP(1.0), slack=1e-4, per_person=True)
            yield book

    def test_a_person_takes_part_until_their_budget_is_full(self, each):
        for i in range(5):  # noise 4 for adding a record is mu = 1/2 for exchanging one
            each.reserve("each", Gaussian(4.0), key=str(i), people=["ada", "grace"])
        assert [len(taking(each, str(i))) for i in range(5)] == [2, 2, 2, 2, 0]
        assert each.verify().ok

    @pytest.mark.parametrize(
        ("release", "stated_for"), [(Gaussian(4.0), None), (GDP(0.25), "add-remove"), (Laplace(9.0), None)]
    )
    def test_what_is_charged_covers_an_exchange_and_one_who_comes(self, each, release, stated_for):
        entry = each.reserve("each", release, key="a", stated_for=stated_for, people=["ada"])
        alone = charge_of(release, unit="one person", adjacency="add-remove", stated_for=stated_for)
        assert entry.square == 4 * alone.square
        assert each.preview("each", release, stated_for=stated_for).charge.mu == entry.guarantee.mu

    def test_a_training_whose_exchange_costs_little(self, each):
        """With sampling it costs less than twice the mu of coming, and is charged at least sqrt 2 times that."""
        run = DPSGD(4.0, 0.5, 3)
        entry = each.reserve("each", run, key="a", floor=1e-3, people=["ada"])
        alone = charge_of(run, unit="one person", adjacency="add-remove", floor=1e-3)
        assert entry.square >= 2 * alone.square
        assert entry.slack >= alone.slack

    @pytest.mark.parametrize("release", [GDP(0.25), Gaussian(4.0, "replace-one"), RandomizedResponse(1.0)])
    def test_what_is_stated_for_exchange_alone_is_refused(self, each, release):
        before = each.head
        with pytest.raises(DomainError, match=r"adding or removing a person.*stated_for"):
            each.reserve("each", release, key="a", people=["ada"])
        with pytest.raises(DomainError, match=r"adding or removing a person.*stated_for"):
            each.preview("each", release)
        assert each.head == before


def test_a_budget_per_person_holds_no_other(each):
    with pytest.raises(DomainError, match="holds no other"):
        each.open_budget("inner", GDP(1.0), within="each")
    with pytest.raises(DomainError, match="is no reservation"):
        list(each.taking_part("nothing"))


def test_a_statement_tells_nothing_about_people(lite):
    """What is published about a budget per person is the same whoever took part."""
    for budget, people in (("few", ["ada"]), ("many", [f"person {i}" for i in range(50)]), ("none", [])):
        lite.open_budget(budget, GDP(1.0), per_person=True)
        lite.reserve(budget, GDP(0.9), key=budget, people=people)
        lite.reserve(budget, GDP(0.4), key=f"{budget} more", people=people[:1])  # ada can pay no more
    told = [
        {
            "budget": {**said["budget"], "name": ""},
            "releases": [
                {**one["content"], "request": "", "charged": ""} | {"mu": one["mu"]} for one in said["releases"]
            ],
        }
        for said in (lite.report(budget).content for budget in ("few", "many", "none"))
    ]
    assert told[0] == told[1] == told[2]
    assert "0.9 is spent" not in str(lite.report("few"))
