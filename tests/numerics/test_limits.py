"""A kernel sees only the inside of its domain."""

import numpy as np

from gaussdp.numerics import inside_or


def reciprocal(x):
    assert (x != 0).all()
    return 1 / x


def test_inside_outside_and_mixed():
    x = np.array([1.0, 0.0, 4.0])
    assert inside_or(7.0, x != 0, reciprocal, x).tolist() == [1.0, 7.0, 0.25]
    assert inside_or(x + 5, x != 0, reciprocal, x).tolist() == [1.0, 5.0, 0.25]
    assert inside_or(7.0, x[:1] != 0, reciprocal, x[:1]).tolist() == [1.0]
    assert inside_or(7.0, x[1:2] != 0, reciprocal, x[1:2]).tolist() == [7.0]
