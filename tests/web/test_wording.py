"""Texts lie on the side of less privacy."""

from hypothesis import given
from hypothesis import strategies as st

from gaussdp.web.views.wording import budget_text, guarantee_text, percent_text

VALUES = st.floats(1e-300, 1e300)


@given(VALUES)
def test_guarantees_up_and_budgets_down(value):
    assert float(guarantee_text(value)) >= value >= float(budget_text(value))
    assert float(guarantee_text(value)) <= value * 1.0011


@given(st.floats(1e-300, 1))
def test_percentages_up(value):
    shown = float(percent_text(value).removesuffix("%")) / 100
    assert value * (1 - 1e-15) <= shown <= value * 1.0101


def test_what_prints_short_stays_short():
    assert [percent_text(value) for value in (0.28, 0.07, 0.5, 1.0, 0.0)] == ["28%", "7%", "50%", "100%", "0%"]
