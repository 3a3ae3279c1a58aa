"""Kernels hold on the open domain; at its ends the limit is known outright."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from gaussdp.numerics._types import Floats


def inside_or(
    limit: Floats | float, inside: npt.NDArray[np.bool_], kernel: Callable[..., Floats], *arguments: Floats
) -> Floats:
    """kernel(*arguments) where inside holds, the limit elsewhere."""
    if inside.all():
        return kernel(*arguments)
    result = np.array(np.broadcast_to(limit, inside.shape), dtype=np.float64)
    if inside.any():
        result[inside] = kernel(*(argument[inside] for argument in arguments))
    return result
