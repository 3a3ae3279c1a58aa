import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
from gaussdp.documents import Column, Document, Table
from gaussdp.documents.rounding import (
    TIE,
    WRITTEN_DIGITS,
    Rounding,
    about,
    all_shown_down,
    no_more_than,
    rounded,
    rounded_to_decimals,
    shown,
    shown_down,
    shown_percent,
    shown_rounded,
    shown_up,
)

numbers = st.floats(1e-300, 1e300)


@given(numbers, st.integers(1, 17))
def test_never_on_the_wrong_side(value, digits):
    """A tie, to within the error of computing a number, is no side."""
    typed = Fraction(repr(value))
    up, down = (Fraction(repr(rounded(value, side, digits))) for side in (Rounding.UP, Rounding.DOWN))
    assert up >= typed or up == down >= typed * (1 - Fraction(TIE))
    assert down <= typed or up == down <= typed * (1 + Fraction(TIE))


class TestTies:
    def test_what_was_computed_next_to_a_short_number_is_shown_as_that_number(self):
        """0.1 + 0.2 is 0.30000000000000004, and on another platform or in another order 0.3."""
        for value in (0.1 + 0.2, 0.3, math.nextafter(0.3, 0.0), math.nextafter(0.3, 1.0)):
            assert (shown_up(value), shown_down(value), shown_percent(value)) == ("0.3", "0.3", "30%")
            assert rounded_to_decimals(value, Rounding.UP, 2) == rounded_to_decimals(value, Rounding.DOWN, 2) == 0.3
            assert no_more_than(100, value) == 30

    def test_any_other_number_is_rounded_outward(self):
        for value in (0.300000000000001, 0.30000000000002):
            assert (shown_up(value), shown_down(value), shown_percent(value)) == ("0.3001", "0.3", "30.1%")
            assert no_more_than(100, value) == 31

    def test_digits_that_are_asked_for_are_given(self):
        assert rounded(0.1 + 0.2, Rounding.UP, 17) == 0.1 + 0.2
        assert shown(0.1 + 0.2) == "0.30000000000000004"

    def test_nothing_but_0_is_shown_as_0(self):
        for rounding in (Rounding.UP, Rounding.DOWN, Rounding.NEAREST):
            assert rounded_to_decimals(1e-9, rounding, 2) > 0
            assert rounded_to_decimals(0.0, rounding, 2) == 0
            assert shown_rounded(1e-300, rounding, 1) == "1e-300"

    def test_the_least_share_counts(self):
        assert no_more_than(1000, 0.5, 1e-30) == 501
        assert no_more_than(1000, 0.5, 5e-324) == 501
        assert no_more_than(1000, 0.5) == 500


printed = st.builds(lambda units, places: float(f"{units}e-{places}"), st.integers(0, 10**7), st.integers(0, 9))


@given(st.lists(numbers | st.floats(1e-6, 1e7) | printed))
def test_a_table_is_cut_as_its_numbers_are(values):
    values = [*values, 0.0, math.inf]
    assert all_shown_down(values) == [shown_down(value) for value in values]


@given(numbers, st.integers(1, 17), st.sampled_from(list(Rounding)))
def test_off_by_less_than_one_unit(value, digits, rounding):
    assert rounded(value, rounding, digits) == pytest.approx(value, rel=10.0 ** (1 - digits))


@given(numbers, st.integers(1, 17), st.sampled_from(list(Rounding)))
def test_rounding_twice_changes_nothing(value, digits, rounding):
    once = rounded(value, rounding, digits)
    assert rounded(once, rounding, digits) == once


def test_what_was_typed_comes_back():
    for value in (0.1, 0.3, 0.31, 1e-5, 2.675, 1175.97):
        for rounding in Rounding:
            assert rounded(value, rounding, 6) == value


def test_sides():
    assert rounded(0.310272, Rounding.UP) == 0.3103
    assert rounded(0.310272, Rounding.DOWN) == 0.3102
    assert rounded(0.310272, Rounding.NEAREST, 3) == 0.31
    assert rounded(0.310272, Rounding.EXACT) == 0.310272
    assert rounded(math.inf, Rounding.UP) == math.inf
    assert rounded(0.0, Rounding.UP) == 0


@given(st.floats(allow_nan=False))
def test_shown_reads_back(value):
    assert float(shown(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "1e-5"),
        (0.001, "0.001"),
        (9.99e-4, "9.99e-4"),
        (12.0, "12"),
        (1e7, "1e7"),
        (2.5e22, "2.5e22"),
        (0.0, "0"),
    ],
)
def test_shown(value, text):
    assert shown(value) == text


def test_bad_digits():
    for digits in (0, 18, 2.5):
        with pytest.raises(gaussdp.DomainError, match="digits must be"):
            rounded(1.0, Rounding.UP, digits)


@given(st.one_of(numbers, st.floats(1e-4, 1e8)), st.integers(1, 17), st.sampled_from(list(Rounding)))
def test_the_text_of_the_rounded_number(value, digits, rounding):
    assert shown_rounded(value, rounding, digits) == shown(rounded(value, rounding, digits))


@pytest.mark.parametrize(
    "value", [0.0, math.inf, 9.9996, 0.99996, 0.0099996, 1234.5, 12345.6, 100.0, 0.1, 9999999.5, 9999999.96, -0.3]
)
@pytest.mark.parametrize("rounding", list(Rounding), ids=lambda rounding: rounding.value)
def test_the_text_of_a_rounded_number_at_the_edges(value, rounding):
    for digits in (1, 3, 4, 8, 17):
        assert shown_rounded(value, rounding, digits) == shown(rounded(value, rounding, digits))


@given(st.decimals(0, 100, places=6).map(float), st.integers(1, 12), st.sampled_from([0.0, math.inf]))
def test_beside_a_short_number_the_side_is_that_of_the_number_as_it_prints(short, digits, towards):
    value = math.nextafter(max(short, 1e-3), towards)
    typed = Decimal(repr(value))
    for rounding, mode in (
        (Rounding.UP, ROUND_CEILING),
        (Rounding.DOWN, ROUND_FLOOR),
        (Rounding.NEAREST, ROUND_HALF_EVEN),
    ):
        near = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(typed)
        exact = Context(prec=digits, rounding=mode).create_decimal(typed)
        computed = len(typed.as_tuple().digits) > WRITTEN_DIGITS
        tie = computed and abs(near - typed) <= Decimal(repr(TIE)) * typed
        assert Decimal(shown_rounded(value, rounding, digits)) == (near if tie else exact)


TABLE = Table(
    "t",
    "A title",
    (Column("name", "name"), Column("up", "up", Rounding.UP), Column("down", "down", Rounding.DOWN)),
    (("a", 0.12345, 0.12345), ("b", 1e-9, float("inf"))),
)


def test_columns_round_to_their_side():
    assert TABLE.rounded_rows(3) == [["a", 0.124, 0.123], ["b", 1e-9, float("inf")]]
    assert TABLE.text_rows(3) == [["a", "0.124", "0.123"], ["b", "1e-9", "inf"]]


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="zip"):
        Table("t", "A title", (Column("name", "name"),), (("a", "b"),)).rounded_rows(3)


def test_only():
    other = Table("u", "Another", (Column("x", "x"),), ((1.0,),))
    document = Document.tabular("d", (TABLE, other), ("note",))
    assert document.only(["u"]).tables == (other,)
    assert document.only([]) == document
    assert document.only(["u"]).notes == ("note",)


@given(st.floats(1e-6, 1.0), st.integers(1, 6))
def test_a_share_in_percent_is_its_digits_moved(value, digits):
    told = Fraction(shown_percent(value, digits).removesuffix("%")) / 100
    assert told == Fraction(repr(rounded(value, Rounding.UP, digits)))


@pytest.mark.parametrize(
    ("value", "told"),
    [(9.999e-4, "0.1%"), (1e-5, "0.001%"), (1.0001e-5, "0.00101%"), (9.996e-5, "0.01%"), (3e-4, "0.03%")],
)
def test_small_shares_in_percent(value, told):
    assert shown_percent(value) == told


@given(st.one_of(st.floats(1e-9, 1), st.decimals(0, 1, places=4).map(float)), st.integers(2, 12).map(lambda n: 10**n))
def test_counts_are_those_of_the_share_as_it_prints(share, of):
    exact = Fraction(repr(share)) * of
    assert no_more_than(of, share) == math.ceil(exact)
    assert about(share, of) == round(exact)
    assert no_more_than(of, share, 0.07) == math.ceil(exact + Fraction(7, 100) * of)


@given(st.floats(1e-3, 1e7), st.integers(1, 17))
def test_the_nearest_is_that_of_the_number_as_it_prints(value, digits):
    found, exact = rounded(value, Rounding.NEAREST, digits), Fraction(repr(value))
    unit = Fraction(10) ** (math.floor(math.log10(value)) - digits + 2)
    assert abs(Fraction(repr(found)) - exact) <= unit / 2
