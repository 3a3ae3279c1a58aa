"""On either database: names of any kind, and amounts at the boundary, which all budgets pay or none."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa

from gaussdp import GDP, ApproxGDP, BudgetExceeded
from gaussdp.ledger.database import ENTRIES


@contextmanager
def engine_of(book):
    """A way into the database of a book, past the book."""
    engine = sa.create_engine(book.place, poolclass=sa.NullPool)
    yield engine
    engine.dispose()


@pytest.mark.parametrize("name", ["plain", 'a "quoted" \\ name', "naïve/μ/日本", "x" * 200, "a/b'c;--"])
def test_whatever_a_name_looks_like(book, name):
    """It is kept letter by letter, and its hash with it."""
    book.open_budget("top", GDP(2.0), slack=1e-6)
    book.open_budget(name, GDP(1.0), slack=1e-6, within="top")
    entry = book.reserve(name, ApproxGDP(1 / 3, 1e-7), key=name, purpose=name)
    assert entry == book.entries()[-1]
    assert book.commit(name) == book.entries()[-1]
    assert book.budget(name).reserved == GDP(0.0)
    assert book.verify().problems == ()


def test_what_one_budget_refuses_none_pays(book):
    book.open_budget("top", GDP(0.5), slack=1e-7)
    book.open_budget("all", GDP(1.0), slack=1e-6, within="top")
    book.reserve("all", ApproxGDP(0.3, 1e-7), key="a")
    before = book.budgets()
    for release in (GDP(0.41), ApproxGDP(0.1, 1e-9)):  # of mu, of slack
        with pytest.raises(BudgetExceeded, match="'top'"):
            book.reserve("all", release, key="b")
    assert book.budgets() == before
    book.reserve("all", GDP(0.4), key="b")
    assert book.budget("top").left == GDP(0.0)
    assert book.verify().problems == ()


def test_whole_numbers(book):
    """Squares that are integers, beside fractions."""
    book.open_budget("all", GDP(5.0))
    for i, mu in enumerate((2.0, 1.0, 0.5, 4.0, 1.5, 1.0, 0.5)):
        book.reserve("all", GDP(mu), key=f"k{i}")
        assert book.verify().problems == ()
    assert book.budget("all").left.mu == pytest.approx((25 - 4 - 1 - 0.25 - 16 - 2.25 - 1 - 0.25) ** 0.5)
    with pytest.raises(BudgetExceeded):
        book.reserve("all", GDP(0.6), key="more")


@pytest.mark.parametrize(("mu", "count", "total"), [(0.25, 16, 1.0), (0.5, 9, 1.5)])
def test_exactly_so_many_fit(book, mu, count, total):
    """At the boundary, with the same denominators throughout; the second budget is no whole number."""
    book.open_budget("all", GDP(total))
    for i in range(count):
        book.reserve("all", GDP(mu), key=f"k{i}")
    assert book.budget("all").left == GDP(0.0)
    for release in (GDP(mu), GDP(1e-9)):
        with pytest.raises(BudgetExceeded):
            book.reserve("all", release, key="one more")
    assert book.verify().problems == ()


def test_a_key_that_is_used_twice_is_named(lite):
    """Where the index was taken away, and entries were forged with their hashes and balances."""
    lite.open_budget("all", GDP(1.0))
    first = lite.reserve("all", GDP(0.0), key="k")
    again = replace(first, seq=first.seq + 1).sealed(first.hash)
    with engine_of(lite) as engine, engine.begin() as connection:
        connection.exec_driver_sql("DROP INDEX ledger_entries_by_key")
        connection.execute(sa.insert(ENTRIES), again.row())
    assert f"entry {again.seq} reserves 'k' again" in lite.verify().problems
