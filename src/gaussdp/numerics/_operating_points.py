"""Single points of the GDP curve, for 0 < mu < inf and levels strictly between 0 and 1."""

from scipy import special

from gaussdp.numerics._mills import SQRT_HALF
from gaussdp.numerics._types import Floats


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
    least_fpr = special.ndtr(special.ndtri(recall) - mu)
    odds_against = least_fpr / recall / prior * (1 - prior)
    return 1 / (1 + odds_against)
