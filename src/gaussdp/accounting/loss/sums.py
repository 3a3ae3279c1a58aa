"""Sums over outputs, and the waves in them.

Matrix products come in pieces that BLAS does in one thread: for tables this small, waking its threads costs more, and
the bits of a sum do not depend on how many there are.

Sines and cosines come from tangents of half the angle, cos x - 1 = -2 t^2 / (1 + t^2) and sin x = 2 t / (1 + t^2): one
function instead of two, and one of which NumPy takes many at once on processors with wide registers, where it takes
sines one by one. Both keep the digits of small angles.
"""

import threading
from typing import TypeVar

import numpy as np

from gaussdp.numerics import Complexes, Floats

Numbers = TypeVar("Numbers", Floats, Complexes)


class _Scratch(threading.local):
    """Memory of a thread that tables are made in again and again: new memory costs as much as what is put there."""

    def __init__(self) -> None:
        self.memory: Floats = np.empty(0)


_SCRATCH = _Scratch()
_MOST_SCRATCH = 1 << 19  # numbers: four megabytes
_ONE_THREAD = 200_000  # multiplications; OpenBLAS starts threads at 262144, ...
_ONE_THREAD_COMPLEX = 40_000  # ... and of complex numbers from somewhere above 50,000 on
_ONE_THREAD_ROWS = 8_000  # the same for a matrix and a vector; there it starts them at 9216


def scratch(rows: int, columns: int) -> Floats:
    """A table whose contents nobody needs once the next one is asked for."""
    size = rows * columns
    if size > _MOST_SCRATCH:
        return np.empty((rows, columns))
    if _SCRATCH.memory.size < size:
        _SCRATCH.memory = np.empty(size)
    return _SCRATCH.memory[:size].reshape(rows, columns)


def product(left: Numbers, right: Numbers) -> Numbers:
    """left @ right for matrices."""
    (rows, inner), columns = left.shape, right.shape[1]
    piece = max(16, (_ONE_THREAD_COMPLEX if np.iscomplexobj(left) else _ONE_THREAD) // (rows * columns))
    count = inner // piece
    if count <= 1:
        total: Numbers = left[:, :piece] @ right[:piece]
        return total + left[:, piece:] @ right[piece:] if inner > piece else total
    whole = count * piece
    total = np.matmul(
        left[:, :whole].reshape(rows, count, piece).transpose(1, 0, 2), right[:whole].reshape(count, piece, columns)
    ).sum(axis=0)
    if whole < inner:
        total += left[:, whole:] @ right[whole:]
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


def turned(angle: Floats) -> tuple[Floats, Floats]:
    """cos - 1 and sin of angles."""
    tangent = np.tan(0.5 * angle)
    squared = tangent * tangent
    scale = 2 / (1 + squared)
    squared *= scale
    tangent *= scale
    return np.negative(squared, out=squared), tangent


def of_size(size: Floats, angle: Floats) -> tuple[Floats, Floats]:
    """Real and imaginary parts of numbers of these sizes and angles."""
    tangent = np.tan(0.5 * angle)
    squared = tangent * tangent
    scale = size / (1 + squared)
    return (1 - squared) * scale, 2 * tangent * scale


def exponential(exponent: Complexes) -> Complexes:
    """e^z."""
    result = np.empty(exponent.shape, np.complex128)
    result.real, result.imag = of_size(np.exp(exponent.real), exponent.imag)
    return result


def size_of_change(exponent: Complexes) -> Floats:
    """|e^z - 1|, with the digits of small z: the square root of (e^x - 1)^2 + 2 e^x (1 - cos y) for z = x + iy."""
    growth = np.expm1(exponent.real)
    from_one, _ = turned(exponent.imag)
    size: Floats = np.sqrt(growth * growth - 2 * (1 + growth) * from_one)
    return size
