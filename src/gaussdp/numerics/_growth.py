r"""How many times larger a normal tail gets when its end moves by mu: the pure-DP epsilon behind a GDP point.

.. math:: \log\Phi(x + \mu) - \log\Phi(x) = \mu \int_0^1 h(x + t\mu)\,dt, \qquad h = \varphi/\Phi

Subtracting loses all digits when mu is small; the integrand is positive and smooth, so there Gauss-Legendre nodes
give them back.
"""

import numpy as np
from scipy import special

from gaussdp.numerics._types import Floats

_SMALL = 0.5  # up to this mu the nodes below leave no error that a double could show
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PLACES, _SHARES = (_NODES + 1) / 2, _WEIGHTS / 2
_SQRT_HALF, _SQRT_TWO_OVER_PI = np.sqrt(0.5), np.sqrt(2 / np.pi)


def log_tail_growth(x: Floats, mu: Floats) -> Floats:
    """log(Phi(x + mu) / Phi(x)) for mu in [0, inf), to relative accuracy."""
    growth: Floats = special.log_ndtr(x + mu) - special.log_ndtr(x)
    small = mu < _SMALL
    if small.any():
        points = x[small, None] + mu[small, None] * _PLACES
        hazard = _SQRT_TWO_OVER_PI / special.erfcx(-points * _SQRT_HALF)
        growth[small] = mu[small] * (hazard @ _SHARES)
    return growth
