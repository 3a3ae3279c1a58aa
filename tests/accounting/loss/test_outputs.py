"""Losses at evenly spaced outputs, and matrix products in pieces."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting.loss.outputs import (
    SERIES_TO,
    exponential_excess,
    product,
    rows_times,
    sampled_outputs,
    weighted_rows,
)


def test_excess_of_the_exponential_keeps_its_digits():
    x = np.concatenate((-np.geomspace(1e-12, SERIES_TO, 40), np.geomspace(1e-12, SERIES_TO, 40)))
    with mp.workdps(50):
        exact = [float(mp.expm1(mp.mpf(value)) - mp.mpf(value)) for value in x]
    np.testing.assert_allclose(exponential_excess(x), exact, rtol=4e-16)


def test_a_fineness_of_four_halves_the_spacing():
    grids = sampled_outputs(0.8, 0.01)
    assert grids.spacing(4) == pytest.approx(0.5 * grids.spacing(0), rel=1e-15)
    assert grids.spacing(grids.fineness(0.1)) <= 0.3 * 0.1 < grids.spacing(grids.fineness(0.1) - 1)


def test_a_grid_that_grew_holds_what_it_held():
    grids = sampled_outputs(0.8, 0.01)
    first = grids.between(-3.0, 4.0, 2, moved=False)
    wider = grids.between(-9.0, 12.0, 2, moved=False)
    again = grids.between(-3.0, 4.0, 2, moved=False)
    assert wider.losses.size > first.losses.size
    for field in ("losses", "log_density", "density", "excess"):
        np.testing.assert_array_equal(getattr(again, field), getattr(first, field))


def test_moved_outputs_lie_halfway():
    grids = sampled_outputs(2.0, 0.1)
    here, moved = grids.between(-5.0, 5.0, 0, moved=False), grids.between(-5.0, 5.0, 0, moved=True)
    assert (moved.losses > here.losses).all()
    assert (moved.losses[:-1] < here.losses[1:]).all()
    # Both are trapezoid rules for the same integrals: of the density, and of the density times e^L.
    for grid in (grids.between(-25.0, 25.0, 0, moved=shift) for shift in (False, True)):
        assert grid.density.sum() == pytest.approx(1, rel=1e-14)
        assert (grid.density * np.exp(grid.losses)).sum() == pytest.approx(1, rel=1e-14)


RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("rows", "inner", "columns"), [(1, 1, 1), (3, 5, 2), (60, 64, 60), (60, 65, 60), (40, 700, 90), (300, 130, 300)]
)
def test_product(rows, inner, columns):
    left, right = RANDOM.normal(size=(rows, inner)), RANDOM.normal(size=(inner, columns))
    found = product(left, right)
    assert found.shape == (rows, columns)
    bound = 1e-15 * inner * (np.abs(left) @ np.abs(right))
    assert (np.abs(found - left @ right) <= bound).all()
    for row, column in ((0, 0), (rows - 1, columns - 1)):
        pairs = zip(left[row].tolist(), right[:, column].tolist(), strict=True)
        exact = sum(Fraction(x) * Fraction(y) for x, y in pairs)
        assert abs(Fraction(float(found[row, column])) - exact) <= Fraction(float(bound[row, column]))


@pytest.mark.parametrize("rows", [1, 499, 500, 501, 3000])
def test_many_rows_times_a_small_matrix(rows):
    left, right = RANDOM.normal(size=(rows, 20)), RANDOM.normal(size=(20, 20))
    assert (np.abs(rows_times(left, right) - left @ right) <= 2e-14 * (np.abs(left) @ np.abs(right))).all()


def test_the_factors_stay_as_they_are():
    left, right = np.ones((300, 200)), np.ones((200, 300))
    product(left, right)
    assert left.sum() == right.sum() == 60_000


@pytest.mark.parametrize(("rows", "inner"), [(1, 1), (5, 3), (200, 100)])
def test_weighted_rows(rows, inner):
    table, weights = RANDOM.normal(size=(rows, inner)), RANDOM.random(inner)
    found = weighted_rows(table, weights)
    assert found.shape == (rows,)
    exact = sum(Fraction(x) * Fraction(w) for x, w in zip(table[-1].tolist(), weights.tolist(), strict=True))
    assert float(found[-1]) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(found, (table * weights).sum(axis=1), rtol=1e-10, atol=1e-14)
