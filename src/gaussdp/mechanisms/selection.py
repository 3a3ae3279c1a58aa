"""Choosing one of several candidates by their scores, and the best of several runs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gaussdp.documents.rounding import shown
from gaussdp.domains import POSITIVE, Domain, number, settle
from gaussdp.errors import DomainError
from gaussdp.guarantees import BoundedRange
from gaussdp.guarantees.base import speaking_about
from gaussdp.mechanisms.base import Adjacency, Elementary, Mechanism, PlanKeys, checked_adjacency, from_entry, register
from gaussdp.mechanisms.composition import Composition

RANGE = Domain(1e-15, 500.0, advice="beyond, a choice gives no privacy to speak of, or says nothing", meant=POSITIVE)
MEAN_RUNS = Domain(1.0, 1e9, closed_low=False, advice="a single run needs no choice")
SHAPE = Domain(-1.0, 100.0, closed_low=False, advice="1 is geometric, 0 logarithmic; numbers above say less and less")
_HALVINGS = 200


@register
@dataclass(frozen=True)
class ExponentialMechanism(Elementary):
    r"""One of several candidates, each with probability in proportion to e^(score / scale): of bounded range eta.

    .. math:: \sup L - \inf L \le \eta

    The largest score after Gumbel noise of that scale (report noisy max) is the same mechanism. Also any other release
    whose privacy losses, for two fixed neighbours, differ by at most eta.

    Args:
        eta: largest difference of two privacy losses, in [1e-15, 500]. It is 2 / scale times the sensitivity of a
            score, and 1 / scale times it if a change of the data moves all scores in one direction.
        adjacency: the neighbours that eta speaks about.
    Reference: Durfee & Rogers (2019); Dong, Durfee & Rogers (2020).

    >>> ExponentialMechanism(eta=1.0).guarantee.implied()
    GDP(mu=0.62389...)
    """

    kind = "exponential"

    eta: float
    adjacency: Adjacency = "add-remove"

    def __post_init__(self) -> None:
        settle(self, eta=RANGE)
        checked_adjacency(self.adjacency)

    @classmethod
    def from_scores(
        cls, scale: float, sensitivity: float = 1.0, *, monotone: bool = False, adjacency: Adjacency = "add-remove"
    ) -> "ExponentialMechanism":
        """From the scale of the scores, or of the Gumbel noise that they get.

        Args:
            scale: candidates are chosen with probability in proportion to e^(score / scale); positive.
            sensitivity: the most by which one score changes between neighbours; positive.
            monotone: whether a change of the data never raises one score and lowers another.
            adjacency: the neighbours that the sensitivity speaks about.

        >>> ExponentialMechanism.from_scores(scale=2.0).eta
        1.0
        """
        moves = number("sensitivity", sensitivity, POSITIVE) / number("scale", scale, POSITIVE)
        return cls(moves if monotone else 2 * moves, adjacency)

    @property
    def guarantee(self) -> BoundedRange:
        """What one such choice guarantees."""
        return speaking_about(BoundedRange(self.eta), self.adjacency)

    @property
    def pure_epsilon(self) -> float:
        return self.eta


@register
@dataclass(frozen=True)
class BestOf(Mechanism):
    r"""The best of a random number of runs of a mechanism, by a score that each run releases with the rest.

    .. math:: P(K = k) \propto \binom{k + \eta - 1}{k} (1 - \gamma)^k, \quad k \ge 1

    The number of runs is drawn from a truncated negative binomial distribution, whatever the data are, and nothing but
    the best run becomes known. The score must be covered by the mechanism's own guarantee, or come from other data.

    Args:
        mechanism: one run.
        mean_runs: mean of the number of runs, in (1, 1e9].
        eta: shape of its distribution, in (-1, 100]: 1 for geometric, 0 for logarithmic. Smaller ones spread more and
            cost less privacy.
    Reference: Papernot & Steinke (2022); Koskela, Redberg & Wang (2024).

    >>> from gaussdp.mechanisms import Gaussian
    >>> round(BestOf(Gaussian(2.0), mean_runs=10).gamma, 12)
    0.1
    """

    kind = "best-of"

    mechanism: Mechanism
    mean_runs: float
    eta: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Mechanism):
            raise DomainError("mechanism", "a mechanism", self.mechanism)
        settle(self, mean_runs=MEAN_RUNS, eta=SHAPE)

    @property
    def adjacency(self) -> Adjacency:
        """The adjacency of one run."""
        return self.mechanism.adjacency

    def parts(self) -> Iterator[tuple[Mechanism, int]]:
        yield self, 1

    @cached_property
    def gamma(self) -> float:
        """The other parameter of the number of runs, in (0, 1), that belongs to its mean; rounded down."""
        low, high = -700.0, 0.0  # of its logarithm; the mean falls
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _mean(middle, self.eta) > self.mean_runs else (low, middle)
        return math.exp(low)

    def protecting(self, adjacency: Adjacency, records: int = 1) -> Mechanism | None:
        one = self.mechanism.protecting(adjacency, records)
        return None if one is None else BestOf(one, self.mean_runs, self.eta)

    @classmethod
    def plan_keys(cls) -> PlanKeys:
        return PlanKeys(("of", "mean_runs"), ("eta",))

    @classmethod
    def from_plan(cls, **parameters: Any) -> Mechanism:
        of = parameters.pop("of")
        entries = of if isinstance(of, list) else [of]
        if not entries or not all(isinstance(entry, dict) and "mechanism" in entry for entry in entries):
            raise DomainError(
                "of", problem="must hold one run: a release, or a list of them, each with its `mechanism`"
            )
        releases = [from_entry(entry) for entry in entries]
        return cls(releases[0] if len(releases) == 1 else Composition(releases), **parameters)

    def plan_entry(self) -> dict[str, object]:
        releases = [
            {**item.plan_entry(), **({"times": times} if times > 1 else {})}
            for item, times in self.mechanism.releases()
        ]
        return {"mechanism": self.kind, "of": releases, "mean_runs": self.mean_runs, "eta": self.eta}

    @property
    def sentence(self) -> str:
        runs = f"{shown(self.mean_runs)} runs in the mean (shape {shown(self.eta)})"
        return f"The best of {runs}, each {self.mechanism.sentence}"

    @property
    def pure_epsilon(self) -> float:
        """2 + eta times that of one run, a bound (Papernot & Steinke 2022; docs/mechanisms.md)."""
        return (2 + self.eta) * self.mechanism.pure_epsilon

    @property
    def sampled(self) -> bool:
        return self.mechanism.sampled

    @property
    def samplings(self) -> frozenset[str]:
        return self.mechanism.samplings

    @property
    def trains(self) -> bool:
        return self.mechanism.trains

    @property
    def bounded(self) -> bool:
        return True


def _mean(log_gamma: float, eta: float) -> float:
    """The mean of a truncated negative binomial number."""
    odds = math.expm1(-log_gamma)  # (1 - gamma) / gamma
    if log_gamma == 0:
        return 1.0
    share = eta / -math.expm1(eta * log_gamma) if eta else -1 / log_gamma
    return odds * share
