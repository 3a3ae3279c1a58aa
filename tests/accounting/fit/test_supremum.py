from dataclasses import dataclass

import numpy as np
import pytest

from gaussdp.accounting.fit.supremum import supremum
from gaussdp.accounting.readings import Columns


@dataclass(frozen=True)
class Graph(Columns):
    x: np.ndarray
    y: np.ndarray


def test_encloses_a_kinked_maximum():
    """A concave function with a kink: between samples it lies below the line through the slopes' bound."""

    def function(x):
        return -np.abs(x - 0.123456)

    def sample(x):
        return Graph(x, function(x))

    def between(graph):
        # Slope at most 1 either way: no point exceeds the mean of the ends plus half the width.
        return 0.5 * (graph.y[1:] + graph.y[:-1]) + 0.5 * np.diff(graph.x)

    found = supremum(sample(np.linspace(-1, 1, 9)), sample, lambda graph: graph.y, between, 1e-9, 0.0)
    assert found.lower <= 0 <= found.upper
    assert found.upper - found.lower <= 1e-9
    assert found.best.x[0] == pytest.approx(0.123456, abs=1e-8)
