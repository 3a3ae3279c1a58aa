"""The types of readings: a number gives a number, numbers in a row give an array, a column gives a column.

Each reading is written once, for floats and arrays; the decorators tell type checkers what callers may hand over, and
change nothing when the program runs.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from gaussdp.numerics import Floats

Vector: TypeAlias = npt.NDArray[Any] | Sequence[float] | Sequence[Sequence[float]]


class Columnar(Protocol):
    """A column of another library, which gives one of its own kind."""

    def __array__(self) -> Any:
        """The column as NumPy reads it."""


class OfFPR(Protocol):
    """A reading at a false-positive rate."""

    @overload
    def __call__(self, fpr: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, fpr: Vector) -> Floats: ...
    @overload
    def __call__(self, fpr: Columnar) -> Any: ...


class OfTPR(Protocol):
    """A reading at a true-positive rate."""

    @overload
    def __call__(self, tpr: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, tpr: Vector) -> Floats: ...
    @overload
    def __call__(self, tpr: Columnar) -> Any: ...


class OfRecall(Protocol):
    """A reading at a recall."""

    @overload
    def __call__(self, recall: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, recall: Vector) -> Floats: ...
    @overload
    def __call__(self, recall: Columnar) -> Any: ...


class OfRecallAndPrior(Protocol):
    """A reading at a recall, for members who are as frequent as the prior says."""

    @overload
    def __call__(self, recall: float | np.floating[Any], prior: float = 0.5) -> float: ...
    @overload
    def __call__(self, recall: Vector, prior: float = 0.5) -> Floats: ...
    @overload
    def __call__(self, recall: Columnar, prior: float = 0.5) -> Any: ...


class OfEpsilon(Protocol):
    """A reading at an epsilon."""

    @overload
    def __call__(self, epsilon: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, epsilon: Vector) -> Floats: ...
    @overload
    def __call__(self, epsilon: Columnar) -> Any: ...


class OfDelta(Protocol):
    """A reading at a delta."""

    @overload
    def __call__(self, delta: float | np.floating[Any]) -> float: ...
    @overload
    def __call__(self, delta: Vector) -> Floats: ...
    @overload
    def __call__(self, delta: Columnar) -> Any: ...


def of_fpr(method: Callable[..., Any]) -> OfFPR:
    """A method that reads at an FPR."""
    return method


def of_tpr(method: Callable[..., Any]) -> OfTPR:
    """A method that reads at a TPR."""
    return method


def of_recall(method: Callable[..., Any]) -> OfRecall:
    """A method that reads at a recall."""
    return method


def of_recall_and_prior(method: Callable[..., Any]) -> OfRecallAndPrior:
    """A method that reads at a recall, with a prior."""
    return method


def of_epsilon(method: Callable[..., Any]) -> OfEpsilon:
    """A method that reads at an epsilon."""
    return method


def of_delta(method: Callable[..., Any]) -> OfDelta:
    """A method that reads at a delta."""
    return method
