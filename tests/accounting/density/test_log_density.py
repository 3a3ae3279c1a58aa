"""Panels hold logarithms of densities, smooth and kinked ones, and say how well."""

import numpy as np
import pytest

from gaussdp.accounting.density.log_density import resolved
from gaussdp.errors import ConvergenceError


def normal(z):
    return -0.5 * z * z


def with_a_far_tail(z):
    """A normal bulk and a tail that takes over from it: the logarithm has a kink."""
    return np.logaddexp(-0.5 * z * z, -60 - 0.1 * z)


def everything_matters(points, values):
    return np.full_like(values, -1.0)


@pytest.mark.parametrize("function", [normal, with_a_far_tail], ids=lambda function: function.__name__)
def test_values_and_the_stated_error(function):
    density = resolved(function, np.array([-25.0, 1.0, 40.0]), everything_matters)
    points = np.linspace(-25, 40, 3001)
    assert np.abs(density.at(points) - function(points)).max() < 3e-12
    assert density.error < 1e-11
    assert density.edges[0] == -25
    assert density.edges[-1] == 40
    assert np.all(np.diff(density.edges) > 0)


def test_the_density_itself_can_be_integrated():
    density = resolved(normal, np.array([-12.0, 12.0]), everything_matters)
    shares, weights = np.polynomial.legendre.leggauss(16)
    points = density.centres[:, np.newaxis] + np.multiply.outer(density.halves, shares)
    values = density.values(np.arange(density.centres.size), points)
    assert np.sum(density.halves * (np.exp(values) @ weights)) == pytest.approx(np.sqrt(2 * np.pi), rel=1e-14)


def test_rows_of_points_in_their_panels():
    density = resolved(normal, np.linspace(-4, 4, 9), everything_matters)
    panels = np.array([0, 5])
    rows = np.array([[-3.9, -3.2], [1.1, 1.9]])
    assert density.values(panels, rows) == pytest.approx(normal(rows), abs=1e-13)
    assert np.array_equal(density.panels(np.array([-9.0, -3.9, 1.1, 4.0, 9.0])), [0, 0, 5, 7, 7])


def test_what_does_not_matter_is_resolved_less():
    full = resolved(with_a_far_tail, np.array([-25.0, 40.0]), everything_matters)
    bulk = resolved(with_a_far_tail, np.array([-25.0, 40.0]), lambda points, values: -30 - values)
    assert bulk.edges.size < full.edges.size
    points = np.linspace(-7, 7, 101)
    assert bulk.at(points) == pytest.approx(with_a_far_tail(points), abs=1e-12)


def test_a_jump_shows_in_the_error():
    assert resolved(lambda z: np.where(z > 0.3, 1.0, 0.0), np.array([0.0, 1.0]), everything_matters).error > 0.01


def test_noise_is_refused():
    draw = np.random.default_rng(1)
    with pytest.raises(ConvergenceError, match="not resolved by 4000 panels"):
        resolved(lambda z: draw.normal(size=z.size), np.array([0.0, 1.0]), everything_matters)


def test_a_factor():
    density = resolved(normal, np.array([-2.0, 2.0]), everything_matters)
    assert density.scaled(3.0).at(np.array([0.5])) == pytest.approx(density.at(np.array([0.5])) + 3, rel=1e-15)
