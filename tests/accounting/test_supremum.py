import numpy as np
import pytest

from gaussdp.accounting.fit.supremum import supremum


def test_encloses_a_kinked_maximum():
    """A concave function with a kink: between samples it lies below the line through the slopes' bound."""

    def function(x):
        return -np.abs(x - 0.123456)

    def sample(x):
        return np.stack((x, function(x)))

    def between(table):
        # Slope at most 1 either way: no point exceeds the mean of the ends plus half the width.
        return 0.5 * (table[1, 1:] + table[1, :-1]) + 0.5 * np.diff(table[0])

    found = supremum(sample(np.linspace(-1, 1, 9)), sample, lambda table: table[1], between, 1e-9, 0.0)
    assert found.lower <= 0 <= found.upper
    assert found.upper - found.lower <= 1e-9
    assert found.column[0] == pytest.approx(0.123456, abs=1e-8)
