import pytest

from gaussdp.documents import Column, Document, Table
from gaussdp.documents.rounding import Rounding

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
