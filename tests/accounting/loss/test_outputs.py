"""Losses at evenly spaced outputs."""

import mpmath as mp
import numpy as np
import pytest

from gaussdp.accounting.loss.outputs import SERIES_TO, exponential_excess, sampled_outputs


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
