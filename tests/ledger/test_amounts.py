"""Amounts are exact at the boundary, and what is rounded is rounded to the safe side."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.documents.written import number_down, number_up, root_down, root_up, written
from gaussdp.ledger.charges import FINEST, Total, settled

MUS = st.floats(1e-12, 1e12)
SQUARES = st.fractions(0, 10**6, max_denominator=10**30)


@given(MUS)
def test_a_number_is_what_it_is_written_as(mu):
    exact = written(mu)
    assert float(exact) == mu
    assert exact in (Fraction(mu), Fraction(Decimal(repr(mu))))


@pytest.mark.parametrize(("mu", "meant"), [(0.05, "1/20"), (0.1, "1/10"), (0.25, "1/4"), (1e-9, "1/1000000000")])
def test_what_a_person_writes_is_decimal(mu, meant):
    assert written(mu) == Fraction(meant)


def test_what_was_computed_is_binary():
    assert written(0.1 + 0.2) == Fraction(0.1 + 0.2) != Fraction(3, 10)


@given(st.fractions(0, 10))
def test_settling_never_loses(amount):
    assert 0 <= settled(amount) - amount < Fraction(1, FINEST)


def test_settling_rounds_up_what_is_too_long():
    long = Fraction(1, 3**100)
    assert settled(long) == Fraction(1, FINEST) > long
    assert settled(Fraction(1, 3**80)) == Fraction(1, 3**80)


@given(SQUARES)
def test_roots_enclose(square):
    up, down = root_up(square), root_down(square)
    assert written(up) ** 2 >= square >= written(down) ** 2
    assert up - down <= 2 * math.ulp(up)


@pytest.mark.parametrize("exponent", [-640, -500, -330, -323, -310, 200, 308, 400, 600])
def test_roots_of_what_no_double_holds(exponent):
    """The square leaves the range of a double, or of its digits, and the root does not."""
    square = 3 * Fraction(10) ** exponent
    up, down = root_up(square), root_down(square)
    assert written(up) ** 2 >= square >= written(down) ** 2
    assert up - down <= 2 * math.ulp(up)


@given(MUS)
def test_roots_of_squares_come_back(mu):
    assert root_up(written(mu) ** 2) == root_down(written(mu) ** 2) == mu


@given(st.fractions(0, 1, max_denominator=10**40))
def test_numbers_enclose(amount):
    assert written(number_up(amount)) >= amount >= written(number_down(amount))


AMOUNTS = st.one_of(st.fractions(0, 10, max_denominator=40), st.fractions(0, 1, max_denominator=10**30).map(settled))
STEPS = st.lists(st.tuples(st.sampled_from(["add", "take", "less"]), AMOUNTS), max_size=12)


@given(STEPS)
def test_totals_are_settled_sums(steps):
    """Whatever denominators meet: the running total is what fractions give, rounded where those are."""
    total, sum_of = Total(), Fraction()
    for kind, amount in steps:
        if kind == "less":
            total.less(amount.numerator, amount.denominator)
            sum_of = max(sum_of - amount, Fraction())
        else:
            sign = 1 if kind == "add" else -1
            total.add(sign * amount.numerator, amount.denominator)
            sum_of = settled(sum_of + sign * amount)
        assert total.amount == sum_of
        assert total.exceeds(1, 3) == (sum_of > Fraction(1, 3))
