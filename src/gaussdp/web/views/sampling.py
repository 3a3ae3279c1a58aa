"""False-positive rates at which curves are drawn: dense enough for linear and logarithmic axes on both sides."""

import numpy as np

from gaussdp.numerics import Floats

_LOWEST = 1e-8
_EVEN_FROM = 0.02
_TAIL = np.geomspace(_LOWEST, _EVEN_FROM, 52)
_READ = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5)  # in the picture's table
_BASE = np.concatenate([[0.0], _READ, _TAIL, np.linspace(_EVEN_FROM, 1 - _EVEN_FROM, 90)[1:-1], 1 - _TAIL[::-1], [1.0]])
_MORE = 24
_BELOW = 100  # the smallest point stands this factor inside the picture


def curve_rates(*points: float) -> Floats:
    """About 200 rates from 0 to 1, with these points among them and a tail that reaches well below them."""
    inside = np.array([point for point in points if 0 < point < 1])
    parts = [_BASE, inside]
    lowest = inside.min(initial=1.0) / _BELOW
    if lowest < _LOWEST:
        parts.append(np.geomspace(max(lowest, 1e-300), _LOWEST, _MORE, endpoint=False))
    return np.unique(np.concatenate(parts))
