"""Matrix products in pieces that BLAS does in one thread: for tables this small, waking its threads costs more."""

import numpy as np

from gaussdp.numerics import Complexes, Floats

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


def complex_product(left: Complexes, right: Complexes) -> Complexes:
    """left @ right for complex matrices."""
    columns = max(1, _ONE_THREAD // (4 * left.size))
    total = np.empty((left.shape[0], right.shape[1]), np.complex128)
    for first in range(0, right.shape[1], columns):
        part = slice(first, first + columns)
        if total[:, part].shape[1] > 1:
            np.matmul(left, right[:, part], out=total[:, part])
        else:
            # For a single column BLAS starts threads early.
            np.einsum("jk,kl->jl", left, right[:, part], out=total[:, part])
    return total


def weighted_rows(table: Floats, weights: Floats) -> Floats:
    """table @ weights for a matrix and a vector."""
    sums: Floats = table @ weights if table.size <= _ONE_THREAD_ROWS else np.einsum("jk,k->j", table, weights)
    return sums
