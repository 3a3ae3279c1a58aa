"""Claims to hold an audit against: a mu, or any guarantee with its curve."""

from dataclasses import dataclass

import numpy as np

from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.claim import Claim
from gaussdp.numerics import Floats

Claimed = float | Guarantee | Claim
"""A mu, a guarantee with its curve, or a published claim."""

_CLAIM_DIGITS = 15  # as somebody wrote it
_ROUNDING = 1e-12  # of the sum that is an area


@dataclass(frozen=True)
class Outcome:
    """Whether the scores contradict a claim, and the sentence that says so.

    Attributes:
        contradicted: True only with the audit's confidence; False is no proof of the claim.
        sentence: one line to print.
    """

    contradicted: bool
    sentence: str


def as_guarantee(claim: Claimed) -> Guarantee:
    """The claim's curve; a number is the mu of GDP."""
    if isinstance(claim, Claim):
        return claim.guarantee
    return claim if isinstance(claim, Guarantee) else GDP(claim)


def below_curve(guarantee: Guarantee, fpr: Floats, fnr: Floats) -> bool:
    """Whether some point of error rates is one that no attack on the guarantee reaches."""
    useful = fpr + fnr < 1
    return bool(useful.any()) and bool((fnr[useful] < guarantee.fnr(fpr[useful])).any())


def largest_area(guarantee: Guarantee) -> float:
    """An upper bound on the area under the guarantee's ROC curve, within 1e-4 of it.

    The curve is concave, so the midpoint rule errs upwards only.
    """
    tail = np.geomspace(1e-8, 1e-2, 200, endpoint=False)
    edges = np.concatenate(([0.0], tail, np.linspace(1e-2, 1 - 1e-2, 400), 1 - tail[::-1], [1.0]))
    area = float(np.dot(np.diff(edges), guarantee.tpr((edges[1:] + edges[:-1]) / 2)))
    return area + _ROUNDING


def described(claim: Claimed) -> str:
    """The claim as a reader knows it, to follow the word claim."""
    return as_guarantee(claim).stated(digits=_CLAIM_DIGITS) or "of the given curve"
