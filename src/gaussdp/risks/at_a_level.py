"""Risks at one level of an attack: the three criteria of the paper, and the true-positive rate."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from scipy import special

from gaussdp import conversions, numerics
from gaussdp.documents.rounding import shown, shown_level
from gaussdp.domains import LEVEL, NON_NEGATIVE, PROBABILITY, REAL, Domain, evaluate, evaluated, number, settle
from gaussdp.guarantees import GDP, Guarantee
from gaussdp.guarantees.approximate import implied_mu, pure_mu_at_delta, pure_mu_at_recall
from gaussdp.numerics import flat
from gaussdp.objects import cached_property
from gaussdp.risks.base import EVEN, Risk, Start, below
from gaussdp.risks.levels import DELTA, FPR, RECALL, Level, Unit
from gaussdp.risks.registry import register
from gaussdp.words import Phrase, say


@dataclass(frozen=True)
class AtRate(Risk):
    """A risk read off the curve at one rate of false alarms: whichever it is, it matches the curve there."""

    level: ClassVar[Level] = FPR

    def __post_init__(self) -> None:
        object.__setattr__(self, self.level.key, number(self.level.key, self.rate, LEVEL))

    @cached_property
    def rate(self) -> float:
        """The false-positive rate at which the curve is read: its level."""
        rate: float = getattr(self, self.level.key)
        return rate

    def match(self, reference: Guarantee) -> float:
        return reference.mu_at_fpr(self.rate)

    def matcher(self) -> Callable[[float], float]:
        return flat.mu_from_multiplicative_advantage.at(self.rate)

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        return conversions.mu_from_multiplicative_advantage(epsilon, self.rate)

    def epsilon_from_mu(self, mu: float) -> float:
        return _epsilon_through(mu, self.rate)

    def before_the_middle(self) -> tuple[float, float] | None:
        return 0.0, max(-_logit(self.rate), 0.0)

    def matched_point(self, policy: Guarantee, mu: float) -> tuple[float, float, float]:
        budget = GDP(mu)
        return self.rate, budget.fnr(self.rate), budget.tpr(self.rate)

    def matched_errors(self, policy: Guarantee, mu: float) -> tuple[float, float]:
        return self.rate, GDP(mu).fnr(self.rate)

    def _mu_with_tpr(self, tpr: float) -> float:
        return _mu_through(self.rate, 1 - tpr, tpr)


@dataclass(frozen=True)
class _AtFPR(AtRate):
    """One that is read at the false-positive rate of a membership attack."""

    fpr: float


@register
@dataclass(frozen=True)
class TruePositiveRate(_AtFPR):
    r"""The largest TPR of an attack with this false-positive rate; matches the same mu as multiplicative advantage.

    .. math:: 1 - f(\alpha)

    Args:
        fpr: in (0, 1).
    Reference: Carlini, Chien, Nasr, Song, Terzis & Tramer (2022).

    >>> from gaussdp import GDP
    >>> TruePositiveRate(fpr=1e-3).of(GDP(0.31))
    0.00271...
    >>> TruePositiveRate(fpr=1e-3).mu_for(0.01)
    0.76388...
    """

    name: ClassVar[str] = Phrase("true-positive rate")
    key = "tpr"
    label = "TPR"
    hint: ClassVar[str] = Phrase("how many members are found")
    quantity = "TPR"
    gain: ClassVar[str] = Phrase("members found")
    unit = Unit.SHARE
    start: ClassVar[Start] = (0.05, 1e-2)

    def limited(self, value: float) -> str:
        return say(
            "an attack finds at most {text} of the members {attacks}",
            text=self.unit.text(value),
            attacks=self.level.among_people(self.fpr),
        )

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.tpr(self.fpr)

    def mu_for(self, value: float) -> float:
        return self._mu_with_tpr(number("tpr", value, Domain(self.fpr, 1.0)))


@register
@dataclass(frozen=True)
class MultiplicativeAdvantage(_AtFPR):
    r"""The largest TPR/FPR of an attack with this false-positive rate.

    .. math:: (1 - f(\alpha)) / \alpha

    Args:
        fpr: in (0, 1).
    Reference: Kulynych & Honkela, Proposition 3.1.

    >>> from gaussdp import PureDP
    >>> MultiplicativeAdvantage(fpr=1e-3).of(PureDP(1.0))
    2.71828...
    >>> MultiplicativeAdvantage(fpr=1e-3).match(PureDP(1.0))
    0.31027...
    """

    name: ClassVar[str] = Phrase("multiplicative advantage")
    label: ClassVar[str] = Phrase("TPR over FPR")
    hint: ClassVar[str] = Phrase("how many more members than non-members are accused")
    quantity = "TPR/FPR"
    gain: ClassVar[str] = Phrase("members found")
    criterion = True
    decimals: ClassVar[int | None] = 2
    start: ClassVar[Start] = (10.0, 1e-3)

    def sentence(self, guarantee: Guarantee) -> str:
        return say(
            "An attack that accuses a share {fpr} of the non-members then accuses at most {text}"
            " times as large a share of the members, as under the policy.",
            fpr=shown_level(self.fpr),
            text=self.text(guarantee),
        )

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.multiplicative_advantage(self.fpr)

    def mu_for(self, value: float) -> float:
        ratio = number("multiplicative advantage", value, Domain(1.0, 1 / self.fpr))
        return self._mu_with_tpr(min(ratio * self.fpr, 1.0))


@register
@dataclass(frozen=True)
class Precision(Risk):
    r"""The largest share of right "member" guesses of an attack with this recall.

    .. math:: \frac{\pi r}{\pi r + (1 - \pi)\,f^{-1}(1 - r)}

    Args:
        recall: true-positive rate of the attack, in (0, 1).
        prior: probability of membership before the attack, in (0, 1). It moves the value, not the matched mu.
    Reference: Kulynych & Honkela, Proposition 3.2.

    >>> from gaussdp import PureDP
    >>> Precision(recall=1e-3).of(PureDP(1.0))
    0.73105...
    >>> Precision(recall=1e-3).match(PureDP(1.0))
    0.28566...
    """

    name: ClassVar[str] = Phrase("precision")
    label: ClassVar[str] = Phrase("Precision")
    hint: ClassVar[str] = Phrase("how often an accusation is right")
    gain: ClassVar[str] = Phrase("right accusations")
    level: ClassVar[Level] = RECALL
    unit = Unit.SHARE
    takes_prior = True
    criterion = True
    decimals: ClassVar[int | None] = 3
    start: ClassVar[Start] = (0.9, 1e-2)

    recall: float
    prior: float = EVEN

    def __post_init__(self) -> None:
        settle(self, recall=LEVEL, prior=LEVEL)

    def sentence(self, guarantee: Guarantee) -> str:
        odds = say("at even odds") if self.prior == EVEN else say("with prior {prior}", prior=shown(self.prior))
        return say(
            "An attack that finds a share {recall} of the members is then right in at most {text} of"
            " its accusations ({odds}), as under the policy.",
            recall=shown_level(self.recall),
            text=self.text(guarantee),
            odds=odds,
        )

    def before_the_middle(self) -> tuple[float, float] | None:
        return max(_logit(self.recall), 0.0), math.inf

    def matched_point(self, policy: Guarantee, mu: float) -> tuple[float, float, float]:
        return GDP(mu).fpr(self.recall), 1 - self.recall, self.recall

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.precision(self.recall, self.prior)

    def mu_for(self, value: float) -> float:
        precision = number("precision", value, Domain(self.prior, 1.0))
        fpr = self.recall * (self.prior / (1 - self.prior)) * ((1 - precision) / precision)
        return _mu_through(min(fpr, self.recall), 1 - self.recall, self.recall)

    def match(self, reference: Guarantee) -> float:
        return reference.mu_at_recall(self.recall)

    def matcher(self) -> Callable[[float], float]:
        return pure_mu_at_recall.at(self.recall)

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        return conversions.mu_from_precision(epsilon, self.recall)

    def epsilon_from_mu(self, mu: float) -> float:
        return log_growth(mu, float(special.ndtri(self.recall)) - mu)


@register
@dataclass(frozen=True)
class Profile(Risk):
    r"""The least epsilon with which (epsilon, delta)-DP holds.

    .. math:: \inf\{\varepsilon \ge 0 : \delta(\varepsilon) \le \delta\}

    Matching a pure-DP reference reads its own profile, log(e^eps - delta (1 + e^eps)), a hair below eps; the paper's
    conversion takes (eps, delta) itself: `mu_from_epsilon`, or `mu_from_profile`.

    Args:
        delta: in [0, 1). At 0 it is the epsilon of pure DP, which Gaussian noise does not have: a bound on it is for
            mechanisms that have one, and matches no budget but 0.
    Reference: Dong, Roth & Su (2022), Proposition 2.12; Balle, Barthe & Gaboardi (2018).

    >>> from gaussdp import GDP
    >>> Profile(delta=1e-5).of(GDP(1.0))
    4.37717...
    """

    name: ClassVar[str] = Phrase("privacy profile")
    label: ClassVar[str] = Phrase("Privacy profile")
    key = "profile"
    value_key = "epsilon"
    hint: ClassVar[str] = Phrase("the δ at this ε")
    quantity = "ε"
    column = "ε"
    phrase: ClassVar[str] = Phrase("the privacy profile")
    level: ClassVar[Level] = DELTA
    criterion = True
    start: ClassVar[Start] = (3.0, 1e-6)

    delta: float

    def __post_init__(self) -> None:
        settle(self, delta=Domain(0.0, 1.0, closed_high=False))

    @classmethod
    def budget_title(cls) -> str:
        return say("Budget μ whose privacy profile passes through (ε, δ)")

    @classmethod
    def value_title(cls) -> str:
        return say("Least ε with which μ-GDP is (ε, δ)-DP")

    def sentence(self, guarantee: Guarantee) -> str:
        return say(
            "The release is then (ε, δ)-DP with ε = {text} at {place}, where the policy asks for δ = 0.",
            text=self.text(guarantee),
            place=self.place,
        )

    def before_the_middle(self) -> tuple[float, float] | None:
        # As far as the total variation of pure DP, tanh(epsilon / 2), is at most delta, its epsilon at delta is 0.
        return 2 * math.atanh(self.delta), math.inf

    def matched_point(self, policy: Guarantee, mu: float) -> tuple[float, float, float]:
        fpr, fnr = self.matched_errors(policy, mu)
        return fpr, fnr, GDP(mu).tpr(fpr)

    def matched_errors(self, policy: Guarantee, mu: float) -> tuple[float, float]:
        """Where the GDP curve has slope -e^epsilon, with the epsilon that both have at this delta."""
        inside = 0 < mu < math.inf
        fpr = float(special.ndtr(-self.of(policy) / mu - mu / 2)) if inside else (0.0 if mu else 0.5)
        return fpr, GDP(mu).fnr(fpr)

    def of(self, guarantee: Guarantee) -> float:
        return guarantee.epsilon(self.delta)

    def match(self, reference: Guarantee) -> float:
        return reference.mu_at_delta(self.delta) if self.delta else self.mu_for(reference.epsilon(0.0))

    def matcher(self) -> Callable[[float], float]:
        return pure_mu_at_delta.at(self.delta) if self.delta else super().matcher()

    def holds(self, mu: float, value: float) -> bool:
        # By delta, which tells also where epsilon is 0.
        most = number("value", value, NON_NEGATIVE)
        return below(GDP(mu).delta(most), self.delta) if self.delta else super().holds(mu, most)

    def mu_for(self, value: float) -> float:
        epsilon = number("epsilon", value, NON_NEGATIVE)
        if self.delta == 0:
            return math.inf if epsilon == math.inf else 0.0
        return conversions.mu_from_profile(epsilon, self.delta)

    def steering_mu(self, value: float) -> float:
        return self.mu_for(value) if self.delta else float(implied_mu(value))

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        return conversions.mu_from_profile(epsilon, self.delta)

    def epsilon_from_mu(self, mu: float) -> float:
        return conversions.epsilon_from_mu(number("mu", mu, NON_NEGATIVE), self.delta)


def _logit(share: float) -> float:
    """log(share / (1 - share)), without cancellation near one half."""
    return 2 * math.atanh(2 * share - 1) if 0.25 < share < 0.75 else math.log(share) - math.log1p(-share)


def _mu_through(fpr: float, fnr: float, tpr: float) -> float:
    """The mu of the GDP curve through a point, inf at its corners."""
    if fpr == 0 or fnr == 0:
        return math.inf if tpr > fpr else 0.0
    mu: float = evaluate(numerics.mu_through_point, fpr=(fpr, LEVEL), fnr=(fnr, PROBABILITY), tpr=(tpr, PROBABILITY))
    return mu


def _epsilon_through(mu: float, fpr: float) -> float:
    """The epsilon of the pure-DP curve through the GDP curve's point: the steeper of its two pieces decides."""
    end = float(special.ndtri(fpr))
    return log_growth(mu, min(end, -end - mu))  # the deeper a tail ends, the more it grows: phi/Phi falls


_LOG_GROWTH = evaluated(numerics.log_tail_growth, start=REAL, mu=NON_NEGATIVE)


def log_growth(mu: float, start: float) -> float:
    """The logarithm of how much a normal tail grows that ends at start and moves by mu, a number in [0, inf]."""
    if mu == math.inf:
        return mu
    growth: float = _LOG_GROWTH(start, mu)
    return growth
