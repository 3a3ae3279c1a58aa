"""mu-GDP: no attack does better than telling N(0, 1) from N(mu, 1)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from gaussdp import conversions
from gaussdp.domains import NON_NEGATIVE, PROBABILITY, evaluate, instance, integer, number
from gaussdp.guarantees.base import Guarantee, Numbers
from gaussdp.guarantees.vectorised import of_delta, of_epsilon, of_fpr, of_recall_and_prior, of_tpr
from gaussdp.numerics import flat
from gaussdp.words import Phrase


@dataclass(frozen=True)
class GDP(Guarantee):
    r"""Gaussian differential privacy with parameter mu (sensitivity over sigma of one Gaussian release).

    .. math:: f(\alpha) = \Phi(\Phi^{-1}(1 - \alpha) - \mu)

    Args:
        mu: in [0, inf]; 0 means that no attack beats guessing, inf that there is no privacy.
    Reference: Dong, Roth & Su (2022), Section 2.

    >>> release = GDP(mu=0.31)
    >>> release.tpr(1e-3)
    0.00271...
    >>> release.compose(GDP(0.2)).mu
    0.36891...
    """

    title: ClassVar[str] = Phrase("Gaussian DP")
    short = "GDP"
    kind = "gdp"

    mu: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", number("mu", self.mu, NON_NEGATIVE))

    def numbers(self) -> dict[str, float]:
        return {"μ": self.mu}

    def parameters(self) -> dict[str, object]:
        return {"mu": self.mu}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = conversions.fnr_from_mu(self.mu, fpr)
        return rate

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = evaluate(flat.tpr_from_mu, mu=(self.mu, NON_NEGATIVE), fpr=(fpr, PROBABILITY))
        return rate

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        rate: Numbers = evaluate(flat.fpr_from_mu, mu=(self.mu, NON_NEGATIVE), tpr=(tpr, PROBABILITY))
        return rate

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        delta: Numbers = conversions.delta_from_mu(self.mu, epsilon)
        return delta

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        epsilon: Numbers = conversions.epsilon_from_mu(self.mu, delta)
        return epsilon

    @of_fpr
    def multiplicative_advantage(self, fpr: Numbers) -> Numbers:
        ratio: Numbers = conversions.multiplicative_advantage_from_mu(self.mu, fpr)
        return ratio

    @of_recall_and_prior
    def precision(self, recall: Numbers, prior: float = 0.5) -> Numbers:
        precision: Numbers = conversions.precision_from_mu(self.mu, recall, prior)
        return precision

    def advantage(self) -> float:
        return conversions.advantage_from_mu(self.mu)

    def implied(self) -> "GDP":
        """Itself."""
        return self

    def compose(self, *others: "GDP") -> "GDP":
        """The guarantee of this release and the others together: the root of the sum of squares.

        Holds also when each release is chosen after seeing the earlier ones (Dong, Roth & Su 2022, Corollary 3.3).

        >>> GDP(3.0).compose(GDP(4.0))
        GDP(mu=5.0)
        """
        for other in others:
            instance("others", other, GDP, "GDP: compose mechanisms otherwise, and account for them")
        return GDP(math.hypot(self.mu, *(other.mu for other in others)))

    def group(self, size: int) -> "GDP":
        """The guarantee for a group of this many people: size times mu (Dong, Roth & Su 2022, Section 2).

        >>> GDP(0.5).group(3)
        GDP(mu=1.5)
        """
        return GDP(integer("size", size, low=1) * self.mu)

    def _log_small_overlap(self, epsilon: float) -> float:
        if self.mu == math.inf:
            return -math.inf
        middle = epsilon / self.mu
        tails = special.log_ndtr([middle - self.mu / 2, -middle - self.mu / 2])
        return float(np.logaddexp(tails[0], epsilon + tails[1]))


def mu_with_overlap(log_overlap: float) -> float:
    """The mu with this logarithm of 1 - delta(0), which is erfc(mu / sqrt 8)."""
    if log_overlap > -0.5:
        return math.sqrt(8) * float(special.erfinv(-math.expm1(log_overlap)))
    return -2 * float(special.ndtri_exp(log_overlap - math.log(2)))
