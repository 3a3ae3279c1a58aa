"""Single points of the GDP curve, for 0 < mu < inf and levels strictly between 0 and 1."""

import numpy as np
from scipy import special

from gaussdp.numerics._mills import SQRT_HALF, mills
from gaussdp.numerics._types import Floats

_DEEP = 1e-290  # below, a probability loses digits to the smallest doubles


def fnr(mu: Floats, fpr: Floats) -> Floats:
    """Phi(-Phi^-1(fpr) - mu)."""
    rate: Floats = special.ndtr(-special.ndtri(fpr) - mu)
    return rate


def tpr(mu: Floats, fpr: Floats) -> Floats:
    """Phi(Phi^-1(fpr) + mu)."""
    rate: Floats = special.ndtr(special.ndtri(fpr) + mu)
    return rate


def advantage(mu: Floats) -> Floats:
    """The largest tpr - fpr."""
    rate: Floats = special.erf(0.5 * SQRT_HALF * mu)
    return rate


def precision(mu: Floats, recall: Floats, prior: Floats) -> Floats:
    """The posterior of membership at this recall; stays exact where the least FPR underflows."""
    z = special.ndtri(recall)
    least_fpr = special.ndtr(z - mu)
    ratio = least_fpr / recall
    deep = least_fpr < _DEEP
    if deep.any():
        z, mu = z[deep], mu[deep]
        ratio[deep] = np.exp(mu * (z - 0.5 * mu)) * mills(mu - z) / mills(-z)
    return 1 / (1 + ratio / prior * (1 - prior))  # in an order in which nothing times infinity cannot occur
