"""Samples that span the attacks above a floor."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting import account
from gaussdp.accounting.fit.span import as_points, as_table, exact_ends, in_order, sample_span
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD

LAWS = [
    GaussianTails(1.3),
    OneStepTails(1.0, 0.1),
    account(DPSGD(9.4, 0.328, 2000))._tails,
    account(DPSGD(0.6, 0.01, 1000))._tails,
    account(DPSGD(0.7, 1e-4, 100_000))._tails,
]


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("floor", [1e-3, 1e-10])
def test_the_samples_reach_from_floor_to_floor(tails, floor):
    span = sample_span(tails, floor)
    known = span.known
    assert (np.diff(known[0]) > 0).all()
    for fnr, fpr in ((known[3, 0], known[1, -1]),):
        assert 1e-3 * floor <= np.exp(fnr) <= floor * (1 + 1e-6)
        assert 1e-3 * floor <= np.exp(fpr) <= floor * (1 + 1e-6)


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("floor", [1e-3, 1e-10])
def test_interpolated_ends(tails, floor):
    ends = sample_span(tails, floor).ends(floor)
    if ends.wobble > 1e-6:
        return  # and says so
    found = tails.read(np.array([ends.low, ends.high]))
    exact = tails.read(exact_ends(tails, floor, as_table(found))[0])
    assert exact.log_fnr[0] == pytest.approx(math.log(floor), rel=1e-12)
    assert exact.log_fpr[1] == pytest.approx(math.log(floor), rel=1e-12)
    np.testing.assert_allclose(found.mu(), exact.mu(), rtol=1e-11, atol=2 * ends.wobble)


def test_pieces_meet_at_zero():
    upper, lower = sample_span(LAWS[2], 1e-10).pieces
    assert lower.high == upper.low == 0.0
    np.testing.assert_array_equal(upper.table[:, -1], lower.table[:, 0])
    assert upper.table[0, -1] == 0.0


def test_one_piece_if_zero_is_outside():
    (piece,) = sample_span(OneStepTails(0.5, 0.01), 0.3).pieces
    assert piece.low * piece.high > 0


def test_ends_are_exact_however_far_off_they_start():
    tails = LAWS[3]
    near = as_table(tails.read(np.array([-3.0, 7.0])))
    ends = exact_ends(tails, 1e-10, near)
    again = as_table(tails.read(ends[0]))
    assert again[3, 0] == pytest.approx(math.log(1e-10), rel=1e-12)
    assert again[1, 1] == pytest.approx(math.log(1e-10), rel=1e-12)
    # The last step is made without a reading: all fields follow it.
    np.testing.assert_allclose(ends[:5], again[:5], rtol=1e-9, atol=1e-18)
    np.testing.assert_allclose(ends[6:8], again[6:8], rtol=1e-9, atol=1e-18)


def test_the_last_rows_are_quantiles_whose_sum_is_mu():
    table = sample_span(GaussianTails(0.7), 1e-10).known
    np.testing.assert_allclose(table[-2] + table[-1], 0.7, rtol=1e-12)
    np.testing.assert_allclose(special.ndtr(-table[-2]), np.exp(table[1]), rtol=1e-11)


def test_no_attack_above_the_floor():
    with pytest.raises(DomainError, match=r"FNR 2.*lower the floor"):
        sample_span(GaussianTails(12.0), 1e-3)


def test_order_without_repetition():
    table = np.array([[3.0, 1.0, 2.0, 1.0], [30.0, 10.0, 20.0, 10.0]])
    np.testing.assert_array_equal(in_order(table), [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])


def test_points_and_tables_are_the_same_thing():
    points = GaussianTails(0.7).read(np.array([-0.5, 0.2, 1.0]))
    back = as_points(as_table(points))
    for field in type(points).__slots__:
        np.testing.assert_array_equal(getattr(back, field), getattr(points, field))
