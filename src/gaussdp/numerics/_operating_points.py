"""Single points of the GDP curve, for 0 < mu < inf and levels strictly between 0 and 1."""

import numpy as np
from scipy import special

from gaussdp.numerics._mills import SQRT_HALF, mills
from gaussdp.numerics._types import Floats

_DEEP = 1e-290  # below, a probability loses digits to the smallest doubles, and before they end ndtr gives 0


def fnr(mu: Floats, fpr: Floats) -> Floats:
    """Phi(-Phi^-1(fpr) - mu)."""
    return _cdf(-special.ndtri(fpr) - mu)


def tpr(mu: Floats, fpr: Floats) -> Floats:
    """Phi(Phi^-1(fpr) + mu); with -mu, the least FPR at a TPR."""
    return _cdf(special.ndtri(fpr) + mu)


def multiplicative_advantage(mu: Floats, fpr: Floats) -> Floats:
    """tpr / fpr, also for mu = inf; stays exact where both are among the smallest doubles."""
    return _growth(special.ndtri(fpr), fpr, mu)


def advantage(mu: Floats) -> Floats:
    """The largest tpr - fpr."""
    rate: Floats = special.erf(0.5 * SQRT_HALF * mu)
    return rate


def precision(mu: Floats, recall: Floats, prior: Floats) -> Floats:
    """The posterior of membership at this recall; stays exact where the least FPR underflows."""
    ratio = _growth(special.ndtri(recall), recall, -mu)
    return 1 / (1 + ratio / prior * (1 - prior))  # in an order in which nothing times infinity cannot occur


def _cdf(x: Floats) -> Floats:
    """Phi(x), down to the smallest double."""
    p: Floats = special.ndtr(x)
    deep = p < _DEEP
    if deep.any():
        p[deep] = np.exp(special.log_ndtr(x[deep]))
    return p


def _growth(z: Floats, p: Floats, shift: Floats) -> Floats:
    """Phi(z + shift) / p, where p = Phi(z)."""
    shifted = special.ndtr(z + shift)
    ratio: Floats = shifted / p
    deep = shifted < _DEEP
    if deep.any():
        z, shift = z[deep], shift[deep]
        ratio[deep] = np.exp(-shift * (z + 0.5 * shift)) * mills(-z - shift) / mills(-z)
    return ratio
