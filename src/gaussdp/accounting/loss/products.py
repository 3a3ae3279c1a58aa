"""Matrix products in pieces that BLAS does in one thread.

For tables this small, waking its threads costs more; and the bits of a sum do not depend on how many there are.
"""

import numpy as np

from gaussdp.numerics import Floats

_ONE_THREAD = 200_000  # multiplications; OpenBLAS starts threads at 262144
_ONE_THREAD_ROWS = 8_000  # the same for a matrix and a vector; there it starts them at 9216


def product(left: Floats, right: Floats) -> Floats:
    """left @ right for matrices."""
    outer = left.shape[0] * right.shape[1]
    inner = max(64, _ONE_THREAD // outer)
    total = left[:, :inner] @ right[:inner]
    for first in range(inner, left.shape[1], inner):
        total += left[:, first : first + inner] @ right[first : first + inner]
    return total


def rows_times(left: Floats, right: Floats) -> Floats:
    """left @ right for many rows and a small matrix."""
    rows = max(1, _ONE_THREAD // right.size)
    if left.shape[0] <= rows:
        return left @ right
    return np.concatenate([left[first : first + rows] @ right for first in range(0, left.shape[0], rows)])


def weighted_rows(table: Floats, weights: Floats) -> Floats:
    """table @ weights for a matrix and a vector."""
    sums: Floats = table @ weights if table.size <= _ONE_THREAD_ROWS else np.einsum("jk,k->j", table, weights)
    return sums
