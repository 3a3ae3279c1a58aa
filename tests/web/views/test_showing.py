"""Texts lie on the side of less privacy; curves as they are drawn are those that guarantees read off themselves."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import GDP, ApproxDP, PureDP
from gaussdp.documents.rounding import TIE
from gaussdp.web.replies import encoded
from gaussdp.web.views.showing import budget_text, curve_rates, guarantee_text, percent_text, read_off

VALUES = st.floats(1e-300, 1e300)


@pytest.mark.parametrize("guarantee", [GDP(0.0), GDP(0.3), GDP(5.0), GDP(60.0), GDP(math.inf), PureDP(1.0)], ids=str)
def test_what_is_drawn_is_what_is_read(guarantee):
    rates = curve_rates(1e-3, 0.3).numbers
    assert read_off(guarantee, rates, "fnr") == guarantee.fnr(np.array(rates)).tolist()
    assert read_off(guarantee, rates, "tpr") == guarantee.tpr(np.array(rates)).tolist()


@pytest.mark.parametrize("point", [1e-290, 1e-12, 1e-3, 0.3, 1 - 1e-9])
def test_rates_have_the_point_between_others(point):
    rates = curve_rates(point, 0.5, 2.0).numbers
    assert point in rates
    assert rates == sorted(set(rates))
    assert (rates[0], rates[-1]) == (0.0, 1.0)
    assert rates[1] <= max(point / 99, 1e-300)


@pytest.mark.parametrize("points", [(), (1e-3, 0.3), (1e-290,), (0.1 + 0.2, 1 - 1e-9)], ids=str)
def test_rates_are_sent_as_any_list_is(points):
    rates = curve_rates(*points)
    assert encoded({"fpr": rates}) == encoded({"fpr": rates.numbers})
    assert list(rates) == rates.numbers


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.5, 2.4, 2.65, 3.0, 5.0])
def test_curves_hardly_leave_their_chords(mu):
    """By less than a thousandth of the picture, in which the first and the last rates are its sides."""
    rates = np.array(curve_rates().numbers[1:-1])
    fnr = GDP(mu).fnr(rates)
    across, down = np.diff(rates), np.diff(fnr)
    for share in np.linspace(0.1, 0.9, 9):
        apart = np.abs(fnr[:-1] + share * down - GDP(mu).fnr(rates[:-1] + share * across))
        assert float((apart * across / np.hypot(across, down)).max()) < 1e-3


def test_a_straight_line_is_drawn_straight():
    rates = curve_rates(0.25).numbers
    assert read_off(ApproxDP(0.0, 0.0), rates, "fnr") == pytest.approx([1 - rate for rate in rates], abs=1e-15)


@given(VALUES)
def test_guarantees_up_and_budgets_down(value):
    """But for ties, which are shown as the shorter number on either side."""
    assert float(guarantee_text(value)) >= value * (1 - TIE)
    assert float(budget_text(value)) <= value * (1 + TIE)
    assert float(guarantee_text(value)) <= value * 1.0011


@given(st.floats(1e-300, 1))
def test_percentages_up(value):
    shown = float(percent_text(value).removesuffix("%")) / 100
    assert value * (1 - 1e-15) <= shown <= value * 1.0101


def test_what_prints_short_stays_short():
    assert [percent_text(value) for value in (0.28, 0.07, 0.5, 1.0, 0.0)] == ["28%", "7%", "50%", "100%", "0%"]
