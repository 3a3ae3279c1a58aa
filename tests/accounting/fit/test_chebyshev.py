from dataclasses import dataclass

import numpy as np
import pytest

from gaussdp.accounting.fit.supremum import chebyshev_points, resolve
from gaussdp.accounting.readings import Columns
from gaussdp.errors import ConvergenceError


@dataclass(frozen=True)
class Graph(Columns):
    x: np.ndarray
    y: np.ndarray


def resolved(function, low=-1.0, high=3.0, tolerance=1e-10):
    def sample(x):
        return Graph(x, function(x))

    first = sample(chebyshev_points(low, high, 32))
    return resolve(low, high, first, sample, lambda graph: graph.y, lambda _: tolerance)


@pytest.mark.parametrize(
    "function",
    [lambda x: np.exp(-((x - 1.234) ** 2)), lambda x: x**3, lambda x: -x, lambda x: np.sin(5 * x) + 0.1 * x],
)
@pytest.mark.parametrize(("low", "high"), [(-1.0, 3.0), (-0.3, 0.7), (1.2, 1.3), (0.5, 0.5 + 1e-9)])
def test_largest_value_inside_and_at_the_ends(function, low, high):
    interpolant, graph = resolved(function)
    value, at = interpolant.largest(low, high)
    scan = np.linspace(low, high, 400_001)
    assert value == pytest.approx(function(scan).max(), abs=1e-8)
    assert at == pytest.approx(scan[np.argmax(function(scan))], abs=2e-3)
    assert low <= at <= high
    assert interpolant.error <= 1e-10
    assert graph.x[0] == 3.0
    assert graph.x[-1] == -1.0


def test_bounds_beyond_the_interval_are_those_of_the_interval():
    interpolant, _ = resolved(lambda x: -x)
    assert interpolant.largest(-9.0, 9.0) == (pytest.approx(1.0), -1.0)


def test_a_kink_is_not_resolved():
    with pytest.raises(ConvergenceError, match="not smooth enough"):
        resolved(lambda x: np.abs(x - 0.3))


def test_points_of_the_double_degree_hold_those_of_the_single():
    single = chebyshev_points(0.0, 1.0, 8)
    double = chebyshev_points(0.0, 1.0, 16)
    np.testing.assert_allclose(double[::2], single, atol=1e-16)
