"""What a policy asks for, in any currency and as a short text, and the largest mu that grants it."""

import math
import re
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from gaussdp.choosing.match import Match, matches, usual_matches
from gaussdp.documents.written import root_down, written
from gaussdp.domains import instance, several, written_share
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import GDP, ZCDP, ApproxDP, Guarantee, ProfilePoints, PureDP
from gaussdp.guarantees.claim import Claim
from gaussdp.objects import cached_property
from gaussdp.risks import AtMost, Profile, Risk, by_value_key, registered
from gaussdp.words import say

_TEXT = re.compile(r"(?P<name>[a-z0-9-]+)(?:@(?P<level>[^@=]+))?=(?P<value>[^@=]+)")
_CLAIM = re.compile(r"\s*(\(|(epsilon|eps|ε|ϵ|mu|μ|µ|rho|ρ)\s*=)", re.IGNORECASE)
CLAIMS = ("epsilon=VALUE", "epsilon=VALUE delta=VALUE", "mu=VALUE", "rho=VALUE")


def notations() -> tuple[str, ...]:
    """How bounds on risks are written, one a risk: "advantage=VALUE", "tpr@FPR=VALUE"."""
    return tuple(f"{risk.notation()}=VALUE" for risk in registered())


def parse_target(text: str, prior: float = 0.5) -> GDP | AtMost:
    """The target that a text such as "tpr@1e-3=0.01" states.

    Args:
        text: mu or the name of a risk (`notations` lists them), with "@" and its level if it has one, "=" and the value
            allowed; numbers also as fractions and in percent.
        prior: probability of membership before the attack, in (0, 1), for precision and accuracy.

    >>> parse_target("tpr@1e-3=0.01")
    AtMost(risk=TruePositiveRate(fpr=0.001), value=0.01)
    >>> parse_target("identification@1/1000=1%")
    AtMost(risk=Identification(chance=0.001, aim='identification'), value=0.01)
    >>> parse_target("mu=0.5")
    GDP(mu=0.5)
    """
    match = _TEXT.fullmatch(instance("target", text, str, "a text such as 'mu=0.5'").strip())
    name, level = (match["name"], match["level"]) if match else ("", None)
    risk = by_value_key(name.replace("-", "_"))
    known = (name == "mu" and level is None) or (risk is not None and (risk.level is None) == (level is None))
    if match is None or not known:
        raise DomainError("target", f"one of mu=VALUE, {', '.join(notations())}", text)
    value = _number(text, match["value"])
    if risk is None:
        return GDP(value)
    return AtMost(risk.at(None if level is None else _number(text, level), prior), value)


def parse_policy(text: str, prior: float = 0.5) -> Guarantee | AtMost:
    """The policy that a text states, in any currency: a claim as papers write it, or a bound on a risk.

    Args:
        text: "epsilon=3", "epsilon=3 delta=1e-5", "(3, 1e-5)", "rho=0.5", "mu=0.5", or what `parse_target` reads.
        prior: probability of membership before the attack, for the risks that take one.

    >>> parse_policy("epsilon=3 delta=1e-5")
    ApproxDP(epsilon=3.0, delta=1e-05)
    >>> parse_policy("accuracy=0.55")
    AtMost(risk=Accuracy(prior=0.5), value=0.55)
    """
    if _CLAIM.match(instance("requirement", text, str, "a text such as 'epsilon=3'")):
        return Claim.parse(text).guarantee
    try:
        return parse_target(text, prior)
    except DomainError as error:
        if error.parameter != "target" or error.domain is None:  # the form is right, the numbers are not
            raise
        known = ", ".join((*CLAIMS, *notations()))
        raise DomainError("requirement", f"one of {known}", text) from None


def _number(text: str, part: str) -> float:
    try:
        return written_share(part)
    except ValueError:
        raise DomainError("target", problem="must hold numbers", got=f"{brief(part)} in {brief(text)}") from None


Policy = Guarantee | AtMost
"""What can be asked for: that a guarantee hold, or that a risk be bounded."""

_KINDS = "a guarantee such as PureDP(1.0), a bound such as AtMost(Advantage(), 0.1), or a text such as 'epsilon=3'"


@dataclass(frozen=True)
class Requirement:
    """One thing that a policy asks for.

    It is *met* by every mu up to a largest one where Gaussian DP can grant it: a bound on a risk, a mu, (epsilon,
    delta) with delta > 0, a rho. Pure epsilon, which no Gaussian release has, is *matched*: by criterion and level, the
    mu that gives an attacker what the policy would.

    Args:
        policy: a guarantee, a bound `AtMost(risk, value)`, or either as a text ("epsilon=3 delta=1e-5",
            "identification@1/1000=1%").
        criteria: by which to match; with some, any guarantee is matched; without, pure DP is by all usual ones.
        source: who asks for it.

    >>> Requirement("epsilon=3 delta=1e-5").low
    0.71911...
    >>> Requirement("accuracy=0.55").words
    'of 100 guesses at most 55 are right (50 of 100 without the release)'
    """

    policy: Policy
    criteria: tuple[Risk, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        policy = parse_policy(self.policy) if isinstance(self.policy, str) else self.policy
        object.__setattr__(
            self, "policy", policy if isinstance(policy, AtMost) else instance("requirement", policy, Guarantee, _KINDS)
        )
        criteria = self.criteria
        if type(criteria) is not tuple:
            criteria = tuple(several("criteria", criteria, "a list of risks"))
            object.__setattr__(self, "criteria", criteria)
        for one in criteria:
            instance("criteria", one, Risk, "risks")
        instance("source", self.source, str, "a text")

    @property
    def words(self) -> str:
        """What is asked for."""
        return self.policy.words if isinstance(self.policy, AtMost) else self.policy.label

    @cached_property
    def met(self) -> bool:
        """Whether mu-GDP grants it, rather than matching a risk of it."""
        return isinstance(self.policy, AtMost) or not (self.criteria or self._granted is None)

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """Where it is matched, the match by each criterion."""
        if self.met or isinstance(self.policy, AtMost):
            return ()
        return matches(self.policy, self.criteria) if self.criteria else usual_matches(self.policy)

    @cached_property
    def limiting(self) -> tuple[Match, ...]:
        """The matches that are not saturated, which alone count; all where all are."""
        return tuple([found for found in self.matches if not found.saturated]) or self.matches

    @cached_property
    def saturated(self) -> bool:
        """Whether it is matched where it hardly limits anything."""
        return bool(self.limiting) and self.limiting[0].saturated  # all of them, or none

    @cached_property
    def low(self) -> float:
        """The smallest mu: the largest that meets it, or the smallest of the matched."""
        return self._largest if self.binding is None else self.binding.mu

    @cached_property
    def high(self) -> float:
        """The largest of the matched mu; the same as `low` where it is met."""
        return max([found.mu for found in self.limiting]) if self.matches else self._largest

    @cached_property
    def binding(self) -> Match | None:
        """The match with the smallest mu, if it is matched."""
        return min(self.limiting, key=attrgetter("mu"), default=None)

    def as_object(self) -> dict[str, Any]:
        """For programs: full precision, and the words."""
        return {
            "words": self.words,
            "source": self.source,
            "how": "met" if self.met else "matched",
            "mu_low": _finite(self.low),
            "mu_high": _finite(self.high),
            "saturated": self.saturated,
            "matches": [found.as_object() for found in self.matches],
        }

    @property
    def _largest(self) -> float:
        granted = self._granted
        if granted is None:
            raise DomainError("requirement", problem=say("{words} is granted by no Gaussian release", words=self.words))
        return granted

    @cached_property
    def _granted(self) -> float | None:
        """The largest mu whose curve lies on or above the policy's everywhere, where one is known; None for none."""
        policy = self.policy
        if isinstance(policy, AtMost):
            return policy.by_mu().mu
        if isinstance(policy, PureDP):
            return None
        if isinstance(policy, GDP):
            return policy.mu
        if isinstance(policy, ZCDP):  # the Renyi divergence of order a is mu^2 a / 2
            return root_down(2 * written(policy.rho)) if math.isfinite(policy.rho) else math.inf
        if isinstance(policy, ApproxDP):
            return _through([(policy.epsilon_bound, policy.delta_bound)]) if policy.delta_bound else None
        if isinstance(policy, ProfilePoints) and policy.deltas.min() > 0:
            return _through(zip(policy.epsilons.tolist(), policy.deltas.tolist(), strict=True))
        return None


def requirement(asked: "Requirement | Policy | str", criteria: tuple[Risk, ...] = ()) -> Requirement:
    """What is asked for as a requirement; criteria are for those guarantees that come without."""
    if isinstance(asked, Requirement):
        return asked
    if not isinstance(asked, (Guarantee, AtMost, str)):
        raise DomainError("requirement", _KINDS, got=brief(asked))
    policy = parse_policy(asked) if isinstance(asked, str) else asked
    return Requirement(policy, () if isinstance(policy, AtMost) else criteria)


def _through(pairs: Any) -> float:
    """The largest mu that is (epsilon, delta)-DP for all these pairs."""
    return min(AtMost(Profile(delta), epsilon).by_mu().mu for epsilon, delta in pairs)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
