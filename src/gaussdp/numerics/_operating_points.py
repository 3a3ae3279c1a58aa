r"""Single points of the GDP curve, for 0 < mu < inf and levels strictly between 0 and 1.

How many times larger a normal tail gets when its end moves by mu is the pure-DP epsilon behind a GDP point:

.. math:: \log\Phi(x + \mu) - \log\Phi(x) = \mu \int_0^1 h(x + t\mu)\,dt, \qquad h = \varphi/\Phi

Subtracting loses all digits when mu is small; the integrand is positive and smooth, so there Gauss-Legendre nodes
give them back.
"""

import numpy as np

from gaussdp.numerics._mills import SQRT_HALF, SQRT_HALF_PI, mills
from gaussdp.numerics._operations import Array, Operations

_DEEP = 1e-290  # below, a probability loses digits to the smallest doubles
_SMALL = 0.5  # mu up to which the nodes below leave no error that a double could show
_GAUSS = np.polynomial.legendre.leggauss(16)  # a power of two, so that halving adds them up
_NODES, _WEIGHTS = (_GAUSS[0] + 1) / 2, _GAUSS[1] / 2


def fnr(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(-Phi^-1(fpr) - mu)."""
    return xp.full_ndtr(-xp.ndtri(fpr) - mu)


def tpr(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(Phi^-1(fpr) + mu); with -mu, the least FPR at a TPR."""
    return xp.full_ndtr(xp.ndtri(fpr) + mu)


def multiplicative_advantage(xp: Operations, mu: Array, fpr: Array) -> Array:
    """tpr / fpr, also for mu = inf; stays exact where both are among the smallest doubles."""
    return _growth(xp, fpr, mu)


def advantage(xp: Operations, mu: Array) -> Array:
    """The largest tpr - fpr."""
    return xp.erf(0.5 * SQRT_HALF * mu)


def precision(xp: Operations, mu: Array, recall: Array, prior: Array) -> Array:
    """The posterior of membership at this recall; stays exact where the least FPR underflows."""
    ratio = _growth(xp, recall, -mu)
    return 1 / (1 + ratio / prior * (1 - prior))  # in an order in which nothing times infinity cannot occur


def log_tail_growth(xp: Operations, x: Array, mu: Array) -> Array:
    """log(Phi(x + mu) / Phi(x)) for mu in [0, inf), to relative accuracy."""
    return xp.either(mu < _SMALL, _integrated_growth, _subtracted_growth, (x, 0.0), (mu, 0.0))


def _subtracted_growth(xp: Operations, x: Array, mu: Array) -> Array:
    return xp.log_ndtr(x + mu) - xp.log_ndtr(x)


def _integrated_growth(xp: Operations, x: Array, mu: Array) -> Array:
    # h(x) = sqrt(2/pi) / erfcx(-x / sqrt 2), its factors drawn out of the nodes' many elements
    hazards = xp.column(_WEIGHTS, mu) / xp.erfcx(-SQRT_HALF * x - xp.column(_NODES, mu) * (SQRT_HALF * mu))
    while hazards.shape[0] > 1:  # in one order whatever the number of elements, as a product of matrices would not
        half = hazards.shape[0] // 2
        hazards = hazards[:half, ...] + hazards[half:, ...]
    return mu / SQRT_HALF_PI * hazards[0, ...]


def _growth(xp: Operations, p: Array, shift: Array) -> Array:
    """Phi(Phi^-1(p) + shift) / p."""
    z = xp.ndtri(p)
    shifted = xp.ndtr(z + shift)
    return xp.part(shifted < _DEEP, shifted / p, _deep_growth, (z, 0.0), (shift, 0.0))


def _deep_growth(xp: Operations, z: Array, shift: Array) -> Array:
    return xp.exp(-shift * (z + 0.5 * shift)) * (mills(xp, -z - shift) / mills(xp, -z))
