"""A function and its partial derivatives, for any array library."""

from collections.abc import Callable
from dataclasses import dataclass

from gaussdp.numerics.portable._operations import Array


@dataclass(frozen=True)
class Port:
    """One flat function.

    Attributes:
        value: called with the operations and the inputs.
        partials: one function an input, called with the operations, the inputs and the value; written in operations
            that can be differentiated again.
    """

    value: Callable[..., Array]
    partials: tuple[Callable[..., Array], ...]
