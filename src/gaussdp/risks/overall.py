"""Risks over all attacks at once: additive advantage and Bayes accuracy."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from scipy import special

from gaussdp import conversions
from gaussdp.documents.rounding import frequency
from gaussdp.domains import LEVEL, PROBABILITY, Domain, number, settle
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.approximate import implied_mu
from gaussdp.guarantees.base import log_odds
from gaussdp.guarantees.gaussian import mu_with_overlap
from gaussdp.risks.at_a_level import log_growth
from gaussdp.risks.base import EVEN, Risk, Start
from gaussdp.risks.levels import Unit
from gaussdp.risks.registry import register
from gaussdp.words import Phrase, say


@register
@dataclass(frozen=True)
class Advantage(Risk):
    r"""The largest TPR minus FPR of any attack.

    .. math:: \sup_\alpha\, 1 - \alpha - f(\alpha) = \delta(0)

    Reference: Yeom, Giacomelli, Fredrikson & Jha (2018).

    >>> from gaussdp import GDP
    >>> Advantage().of(GDP(1.0))
    0.38292...
    >>> Advantage().mu_for(0.1)
    0.25132...
    """

    name: ClassVar[str] = Phrase("advantage")
    label: ClassVar[str] = Phrase("Advantage TPR − FPR")
    hint: ClassVar[str] = Phrase("how much better than guessing")
    quantity: ClassVar[str] = Phrase("TPR − FPR")
    gain: ClassVar[str] = Phrase("right guesses at even odds")
    unit = Unit.SHARE
    start: ClassVar[Start] = (0.3, None)

    def before_the_middle(self) -> tuple[float, float] | None:
        return 0.0, 0.0

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.advantage()

    def mu_for(self, value: float) -> float:
        return math.sqrt(8) * float(special.erfinv(number("advantage", value, PROBABILITY)))

    def match(self, reference: Guarantee) -> float:
        return mu_with_overlap(reference.log_overlap(0.0))

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        # Pure DP has its largest advantage at the kink, where the curve it implies touches: the two mu are one.
        return implied_mu(epsilon)

    def epsilon_from_mu(self, mu: float) -> float:
        return log_growth(mu, -mu / 2)


@register
@dataclass(frozen=True)
class Accuracy(Risk):
    r"""The largest share of right guesses of any attack.

    .. math:: \max(\pi, 1-\pi) + \min(\pi, 1-\pi)\,\delta(|\log(\pi/(1-\pi))|)

    Args:
        prior: probability of membership before the attack, in (0, 1).
    Reference: Kulynych & Honkela.

    >>> from gaussdp import GDP
    >>> Accuracy().of(GDP(1.0))
    0.69146...
    >>> Accuracy(prior=0.01).of(GDP(1.0))
    0.99000...
    """

    name: ClassVar[str] = Phrase("accuracy")
    label: ClassVar[str] = Phrase("Share of right guesses")
    hint: ClassVar[str] = Phrase("how often a guess is right")
    quantity: ClassVar[str] = Phrase("share of right guesses")
    gain: ClassVar[str] = Phrase("right guesses")
    unit = Unit.SHARE
    takes_prior = True
    start: ClassVar[Start] = (0.6, None)

    prior: float = EVEN

    def __post_init__(self) -> None:
        settle(self, prior=LEVEL)

    def limited(self, value: float) -> str:
        anyway = frequency(max(self.prior, 1 - self.prior))
        return say(
            "of 100 guesses at most {value} are right ({anyway} without the release)",
            value=self.unit.text(value)[:-1],
            anyway=anyway,
        )

    def before_the_middle(self) -> tuple[float, float] | None:
        return (0.0, 0.0) if self.prior == EVEN else None

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.accuracy(self.prior)

    def mu_for(self, value: float) -> float:
        base, share = max(self.prior, 1 - self.prior), min(self.prior, 1 - self.prior)
        accuracy = number("accuracy", value, Domain(base, 1.0))
        return self._mu_at(min((accuracy - base) / share, 1.0))

    def match(self, reference: Guarantee) -> float:
        epsilon = log_odds(self.prior)
        overlap = reference.log_overlap(epsilon)
        if overlap > -1 or overlap == -math.inf:
            return self._mu_at(reference.delta(epsilon))
        high = 1.0  # a delta near 1 has no digits to say how near
        while GDP(high).log_overlap(epsilon) >= overlap:
            high *= 2
        return self._around(lambda mu: overlap - GDP(mu).log_overlap(epsilon), 0.0, high)[0]

    def _mu_at(self, delta: float) -> float:
        if delta in (0.0, 1.0):
            return math.inf if delta else 0.0
        return conversions.mu_from_profile(log_odds(self.prior), delta)
