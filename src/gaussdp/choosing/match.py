"""The GDP budget with the risk of a policy, and what it is worth: where it is saturated, what it costs elsewhere."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gaussdp.documents.rounding import (
    Rounding,
    rounded,
    shown,
    shown_down,
    shown_level,
    shown_nearest,
    shown_percent,
    shown_up,
)
from gaussdp.domains import instance, readings
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, Guarantee, PureDP
from gaussdp.objects import cached_property, unguarded
from gaussdp.risks import FPR, Profile, Risk, criteria, criteria_at
from gaussdp.words import say

_LEAST_RATE = 1e-300
_ROUNDING = 1e-9
_AT_THE_MIDDLE = 1e-15  # of epsilon, or of 1: what rounding of a level and of log odds may move the middle
_LARGEST_EPSILON = 500.0  # its smallest rates are doubles still
_BISECTIONS = 60
EVERYBODY = 1e-10
"""One in as many people as there are: an attack with a lower false-positive rate accuses nobody by mistake."""
_DECADES = tuple(float(f"1e-{power}") for power in range(1, 13))  # levels to use instead of a saturated one


@dataclass(frozen=True)
class Threshold:
    """When a match is saturated: it says too little about other attacks for its mu to stand for the policy.

    Attributes:
        careful: an attacker is looked at who is so many times more careful than the matched one: two decades, half of
            the range over which levels are usually chosen.
        most: so many times as many members may that attacker find as under the policy: beyond, mu and policy are of
            different orders of magnitude there.
        worse: past the middle of the curve, where an attack accuses more nonmembers than it misses members, a match is
            saturated as soon as it costs anything, which is told from rounding by this.
    """

    careful: float = 100.0
    most: float = 10.0
    worse: float = 1 + 1e-6


SATURATED = Threshold()


@dataclass(frozen=True)
class Elsewhere:
    """What the matched budget allows at another false-positive rate, and what the policy does.

    Attributes:
        fpr: the rate.
        policy: the largest TPR under the policy.
        budget: the largest TPR under the budget.
    """

    fpr: float
    policy: float
    budget: float

    @cached_property
    def policy_text(self) -> str:
        """The TPR under the policy in percent, to the nearest."""
        return f"{_near(100 * self.policy)}%"

    @cached_property
    def budget_text(self) -> str:
        """The TPR under the budget in percent, rounded up."""
        return shown_percent(self.budget)

    @property
    def times(self) -> float:
        """How many times as many members are found under the budget as under the policy."""
        return self.budget / self.policy

    def as_object(self) -> dict[str, float]:
        """For programs."""
        return {
            "fpr": self.fpr,
            "policy_tpr": self.policy,
            "budget_tpr": self.budget,
            "policy_advantage": self.policy / self.fpr,
            "budget_advantage": self.budget / self.fpr,
            "times": self.times,
        }


@dataclass(frozen=True)
class Match:
    """The budget mu that gives an attacker the same risk as a policy, at one level of one criterion.

    Attributes:
        policy: the guarantee that was matched.
        risk: the criterion at its level.
        mu: the matched budget; inf where the policy does not limit this risk at all.

    >>> from gaussdp import MultiplicativeAdvantage, PureDP, match
    >>> match(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3)).saturated
    False
    """

    policy: Guarantee
    risk: Risk
    mu: float

    @cached_property
    def budget(self) -> GDP:
        """The guarantee with this mu."""
        return GDP(self.mu)

    @cached_property
    def point(self) -> tuple[float, float, float]:
        """FPR, FNR and TPR of the attack at which policy and budget meet."""
        found: tuple[float, float, float] = unguarded(type(self.risk).matched_point)(self.risk, self.policy, self.mu)
        return found

    @cached_property
    def _errors(self) -> tuple[float, float]:
        """FPR and FNR of the same attack."""
        if "point" in vars(self):
            return self.point[:2]
        found: tuple[float, float] = unguarded(type(self.risk).matched_errors)(self.risk, self.policy, self.mu)
        return found

    @property
    def _careful(self) -> float:
        """The rate of the attacker who tells whether it is saturated."""
        return min(self._errors) / SATURATED.careful

    @cached_property
    def excess(self) -> float:
        """How many times as many members a careful attacker finds as under the policy; 1 where nothing can be read."""
        if self.mu == 0:
            return 1.0
        if self.mu == math.inf or self._careful < _LEAST_RATE:
            return math.inf
        found = self._at(self._careful)
        return 1.0 if found is None else found.times

    @cached_property
    def saturated(self) -> bool:
        """Whether the policy hardly limits the matched attack, so that mu does not stand for it elsewhere."""
        level = self.risk.level
        if isinstance(self.policy, PureDP) and level is not None and self.risk.level_value in level.usual:
            return _saturated(self.policy.epsilon_bound, self.mu, *telling(self.risk))  # which is found once
        return self.too_far

    @property
    def too_far(self) -> bool:
        """Whether a careful attacker finds so many more members under the budget that the match is saturated."""
        if self._past_the_middle and self._ends is not None:  # of pure DP a match there costs something elsewhere
            return self.mu > 0
        return self.excess > (SATURATED.worse if self._past_the_middle else SATURATED.most)

    @property
    def _past_the_middle(self) -> bool:
        """Whether the matched attack accuses no fewer of the nonmembers than it misses of the members."""
        if isinstance(self.policy, PureDP) and self._ends is not None:
            return not self._ends[0] < self.policy.epsilon_bound < self._ends[1]
        return self.mu == math.inf or self._errors[0] >= self._errors[1] * (1 - _ROUNDING)

    @cached_property
    def _ends(self) -> tuple[float, float] | None:
        """Of pure DP, between which epsilons it lies before the middle of the curve; None where that is not known."""
        return _before_the_middle(self.risk) if isinstance(self.policy, PureDP) else None

    @cached_property
    def elsewhere(self) -> tuple[Elsewhere, ...]:
        """At the usual lower false-positive rates, or the next decades below the match, what the budget costs."""
        if self.mu == math.inf:
            return ()
        middle = min(self._errors)
        usual = [fpr for fpr in FPR.usual if fpr < 0.5 * middle]
        if not usual and middle > EVERYBODY:
            decade = math.floor(math.log10(middle) + _ROUNDING)
            usual = [level for level in (float(f"1e{decade - 1}"), float(f"1e{decade - 2}")) if level >= EVERYBODY]
        return tuple([found for found in map(self._at, usual) if found is not None])

    @cached_property
    def instead(self) -> "Match | None":
        """A match of the same policy that is not saturated, at the next lower level or by another criterion."""
        if not self.saturated:
            return None
        return next((found for found in self._others() if not found.saturated), None)

    @property
    def cost(self) -> str:
        """What the match costs elsewhere, in a sentence; empty where it costs nothing."""
        at = next((found for found in reversed(self.elsewhere) if found.times > SATURATED.worse), None)
        if at is None:
            return ""
        return say(
            "At FPR {fpr} this μ lets an attacker find {budget} of the members (TPR/FPR {ratio}),"
            " where the policy allows {policy} ({policy_ratio}).",
            fpr=shown_level(at.fpr),
            budget=at.budget_text,
            ratio=_up(at.budget / at.fpr),
            policy=at.policy_text,
            policy_ratio=_near(at.policy / at.fpr),
        )

    @property
    def warning(self) -> str:
        """That the match is saturated, why, and what to use instead; empty where it is not."""
        if not self.saturated:
            return ""
        place = say(" at {place}", place=self.risk.place) if self.risk.place else ""
        found = f"{shown(rounded(100 * self.point[2], Rounding.DOWN, 3))}%"
        if self.mu == math.inf:
            reason = say(
                "Saturated: the policy does not limit {quantity}{place} at all.",
                quantity=self.risk.quantity,
                place=place,
            )
        elif self._ends is not None and isinstance(self.risk, Profile) and self._past_the_middle:
            reason = say(
                "Saturated: the policy is (0, δ)-DP{place}, so that its ε says nothing there.",
                place=place,
            )
        elif self._past_the_middle:
            reason = say(
                "Saturated: the policy hardly limits the attack{place}, which finds {found} of the members.",
                place=place,
                found=found,
            )
        else:
            reason = say(
                "Nearly saturated{place}: an attacker {careful} times more careful than that finds more"
                " than {most} times as many members as under the policy.",
                place=place,
                careful=shown(SATURATED.careful),
                most=shown(SATURATED.most),
            )
        other = self.instead
        use = "" if other is None else say("Use {name} instead: μ = {mu}.", name=other.name, mu=_down(other.mu))
        return " ".join(words for words in (reason, self.cost, use) if words)

    @property
    def name(self) -> str:
        """The criterion and its level: "multiplicative advantage at FPR 1e-3"."""
        return self.risk.named

    def as_object(self) -> dict[str, Any]:
        """For programs: full precision, and the words."""
        fpr, fnr, tpr = self.point
        return {
            "criterion": self.risk.key,
            "level_of": self.risk.level.key if self.risk.level else None,
            "level": self.risk.level_value,
            "mu": self.mu if math.isfinite(self.mu) else None,
            "saturated": self.saturated,
            "excess": self.excess if math.isfinite(self.excess) else None,
            "point": {"fpr": fpr, "fnr": fnr, "tpr": tpr},
            "elsewhere": [found.as_object() for found in self.elsewhere],
            "instead": None
            if self.instead is None
            else {
                "criterion": self.instead.risk.key,
                "level": self.instead.risk.level_value,
                "name": self.instead.name,
                "mu": self.instead.mu,
            },
            "cost": self.cost,
            "warning": self.warning,
        }

    def _at(self, fpr: float) -> Elsewhere | None:
        """Both at this rate; nothing where the policy cannot be read as low."""
        try:
            return Elsewhere(fpr, float(self.policy.tpr(fpr)), self.budget.tpr(fpr))
        except DomainError:
            return None

    def _others(self) -> Iterator["Match"]:
        """Matches to use instead, in the order in which they are offered."""
        kind, level = type(self.risk), self.risk.level_value
        prior = self.risk.prior if self.risk.takes_prior else 0.5
        lower = [] if level is None else [decade for decade in _DECADES if decade < level]
        yield from (match(self.policy, kind.at(decade, prior)) for decade in lower)
        yield from (match(self.policy, risk) for risk in criteria_at() if type(risk) is not kind)


def match(policy: Guarantee, risk: Risk) -> Match:
    """The GDP budget with the same risk as the policy: the paper's general approach.

    The match is on the policy's own curve. For the three criteria of the paper and pure DP it agrees with the closed
    forms wherever pure DP attains the bound that they match. Matching is not implication: a mechanism that meets the
    policy does not thereby meet the matched mu (`Guarantee.implied` gives the mu that it does meet).

    Args:
        policy: the guarantee that is matched, such as `PureDP(1.0)`.
        risk: the criterion, such as `MultiplicativeAdvantage(fpr=1e-3)`.
    Returns:
        The match, which knows whether it is saturated and what it costs at other levels.
    Raises:
        DomainError: if no mu has that risk.
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Section 3.

    >>> from gaussdp import MultiplicativeAdvantage, PureDP
    >>> found = match(PureDP(8.0), MultiplicativeAdvantage(fpr=1e-3))
    >>> found.saturated, found.instead.name
    (True, 'multiplicative advantage at FPR 1e-5')
    """
    instance("policy", policy, Guarantee, "a guarantee such as PureDP(1.0)")
    instance("risk", risk, Risk, "a risk such as Advantage()")
    return Match(policy, risk, float(risk.match(policy)))


def matches(policy: Guarantee, risks: Iterable[Risk]) -> tuple[Match, ...]:
    """The match by each of these criteria."""
    instance("policy", policy, Guarantee, "a guarantee such as PureDP(1.0)")
    with readings():
        return tuple([Match(policy, risk, float(unguarded(type(risk).match)(risk, policy))) for risk in risks])


def usual_matches(policy: Guarantee) -> tuple[Match, ...]:
    """The match by every criterion at its usual levels."""
    if type(policy) is not PureDP:
        return matches(policy, criteria_at())
    usual, epsilon = _usual(criteria()), policy.epsilon_bound
    with readings():
        return tuple([_known(policy, risk, matched(epsilon), ends) for risk, matched, ends in usual])


def _known(policy: PureDP, risk: Risk, mu: float, ends: tuple[float, float]) -> Match:
    """The match that would find out itself whether it is saturated; without what a frozen class does for each field."""
    found = object.__new__(Match)
    known = vars(found)
    known["policy"], known["risk"], known["mu"] = policy, risk, mu
    known["saturated"] = _saturated(policy.epsilon_bound, mu, *ends)
    return found


def _saturated(epsilon: float, mu: float, low: float, high: float) -> bool:
    """Of pure DP, at the ends between which matches are telling; a mu of 0 costs nothing anywhere."""
    return mu > 0 and (epsilon <= low or epsilon >= high)


@lru_cache(maxsize=16)
def _usual(kinds: tuple[type[Risk], ...]) -> tuple[tuple[Risk, Callable[[float], float], tuple[float, float]], ...]:
    """Of the usual criteria, how each matches pure DP, and between which epsilons that is not saturated."""
    return tuple([(risk, risk.matcher(), telling(risk)) for risk in criteria_at()])


def _before_the_middle(risk: Risk) -> tuple[float, float] | None:
    """As the risk knows it, rounded inwards: at the middle a match is saturated."""
    ends = risk.before_the_middle()
    if ends is None:
        return None
    low, high = ends
    return low * (1 + _AT_THE_MIDDLE), max(high * (1 - _AT_THE_MIDDLE) - _AT_THE_MIDDLE, 0.0)


@lru_cache(maxsize=1024)
def telling(risk: Risk) -> tuple[float, float]:
    """Between which epsilons of pure DP a match by this criterion is not saturated; at both ends it is.

    The lower end, and where the middle of the curve is the upper one too, are closed forms (`Risk.before_the_middle`).
    Between them the cost for a careful attacker grows with epsilon, and where it is too much is found by bisection.

    >>> from gaussdp import MultiplicativeAdvantage, Profile
    >>> telling(MultiplicativeAdvantage(fpr=1e-3)), telling(Profile(delta=0.3))
    ((0.0, 5.168...), (0.619..., 1.192...))
    """
    start, end = _before_the_middle(risk) or (0.0, math.inf)
    low, high = start, min(end, _LARGEST_EPSILON)
    if low >= high:
        return low, low
    if high < end and not match(PureDP(high), risk).too_far:
        return low, math.inf
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high) if low else high / 16
        low, high = (low, middle) if match(PureDP(middle), risk).too_far else (middle, high)
    return start, high if high > start * (1 + _ROUNDING) else start  # just above the middle it may be too much already


def saturated_from(risk: Risk) -> float:
    """The epsilon of pure DP from which on every match by this criterion is saturated; inf if there is none.

    >>> from gaussdp import MultiplicativeAdvantage
    >>> saturated_from(MultiplicativeAdvantage(fpr=1e-3))
    5.168...
    """
    return telling(risk)[1]


def _up(value: float) -> str:
    return shown_up(value, 3)


def _down(value: float) -> str:
    return shown_down(value)


def _near(value: float) -> str:
    return shown_nearest(value, 3)
