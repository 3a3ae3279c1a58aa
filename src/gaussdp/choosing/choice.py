"""Choose a GDP budget: one that meets all requirements, with the range, the reason and what speaks against it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from gaussdp.choosing.match import Match
from gaussdp.choosing.requirements import Policy, Requirement, requirement
from gaussdp.choosing.rules import RuleOfThumb
from gaussdp.choosing.worded_bands import band_words
from gaussdp.documents.rounding import shown_down
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, PureDP
from gaussdp.objects import cached_property
from gaussdp.risks import Risk
from gaussdp.words import numeral, plural, say

_RULE = RuleOfThumb(5)


@dataclass(frozen=True, eq=False)
class Choice(GDP):
    r"""The GDP guarantee that was chosen, and how.

    .. math:: \mu = \min_i \mu_i

    It is a `GDP` with the smallest mu, and equals one: it can be calibrated to, explained and composed as such.

    Attributes:
        mu: the smallest of the budgets, which meets every requirement or gives an attacker no more than it at the
            levels looked at.
        requirements: all of which must hold.
    Reference: Kulynych & Honkela, Section 3.

    >>> from gaussdp import MultiplicativeAdvantage, PureDP, choose
    >>> choose(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3)).mu
    0.31027...
    """

    requirements: tuple[Requirement, ...] = field(default=(), repr=False)

    def __eq__(self, other: object) -> bool:
        return self.mu == other.mu if isinstance(other, GDP) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.mu,))

    @property
    def high(self) -> float:
        """The other end of the range: the largest mu that some criterion which is not saturated still supports."""
        return min([one.high for one in self.requirements])

    @cached_property
    def binding(self) -> Requirement:
        """The requirement that allows least."""
        return min(self.requirements, key=attrgetter("low"))

    @property
    def matches(self) -> tuple[Match, ...]:
        """All matches, of all requirements that are matched."""
        return tuple([found for one in self.requirements for found in one.matches])

    @property
    def saturated(self) -> bool:
        """Whether the requirement that binds was matched only where it hardly limits an attacker."""
        return self.binding.saturated

    @property
    def left_out(self) -> tuple[Match, ...]:
        """The matches that did not count, since they are saturated."""
        return tuple(
            [found for one in self.requirements for found in one.matches if found.saturated and not one.saturated]
        )

    @property
    def recommendation(self) -> tuple[str, ...]:
        """The range, the most cautious of it, why, where epsilon/5 lies, and what was left out: a sentence each."""
        told = (self._range(), self._least(), *self._rules(), self._saturation())
        return tuple([words for words in told if words])

    def as_object(self) -> dict[str, Any]:
        """For programs: full precision, and the words."""
        at = self.binding.binding
        return {
            "mu": self.mu if math.isfinite(self.mu) else None,
            "mu_high": self.high if math.isfinite(self.high) else None,
            "binding": self.requirements.index(self.binding),
            "binding_match": None if at is None else at.name,
            "saturated": self.saturated,
            "rule_of_thumb": self.rule_of_thumb,
            "recommendation": list(self.recommendation),
            "requirements": [one.as_object() for one in self.requirements],
        }

    @cached_property
    def _shown(self) -> str:
        return shown_down(self.mu)

    def _range(self) -> str:
        counted = sum(len(one.limiting) for one in self.requirements)
        low, high = self._shown, shown_down(self.high)
        if counted <= 1 or low == high or self.saturated:
            return ""
        return say(
            "The {counted} criteria that count give budgets from μ = {low} to {high}.",
            counted=counted,
            low=low,
            high=high,
        )

    def _least(self) -> str:
        one, at = self.binding, self.binding.binding
        if self.saturated and at is not None:
            return say(
                "No budget follows: the match gives μ = {mu}, which stands for nothing. {warning}",
                mu=self._shown,
                warning=at.warning,
            )
        if at is None:
            return plural(
                len(self.requirements),
                "The largest μ that meets what is asked is {mu} ({words}).",
                "The largest μ that meets everything asked is {mu}. This requirement allows least: {words}.",
                mu=self._shown,
                words=one.words,
            )
        return plural(
            len(one.limiting),
            "μ = {mu} matches {words} by {name}.",
            "The most cautious of them is μ = {mu}, which matches {words} by {name}. In words, {band}.",
            mu=self._shown,
            words=one.words,
            name=at.name,
            band=band_words(self.mu),
        )

    @property
    def rule_of_thumb(self) -> float | None:
        """Where epsilon/5 lies, for the smallest pure epsilon that is asked for; None where none is."""
        asked = [one.policy.epsilon_bound for one in self.requirements if isinstance(one.policy, PureDP)]
        return float(_RULE.mu(min(asked))) if asked else None

    def _rules(self) -> tuple[str, ...]:
        spent = self.rule_of_thumb
        if spent is None or self.saturated or not 0 < self.mu < math.inf:
            return ()
        counted = [match for one in self.requirements for match in one.limiting]
        rule = say("The rule of thumb ε/5 = {spent}", spent=shown_down(spent))
        if spent <= self.mu:
            below = plural(
                len(counted),
                "{rule} lies below it and is more cautious.",
                "{rule} lies below all of these and is more cautious.",
                rule=rule,
            )
            return (below,)
        if spent <= self.high:
            allowed = say(
                "{rule} lies inside the range; {within} of {counted} criteria allow as much.",
                rule=rule,
                within=sum(spent <= match.mu for match in counted),
                counted=len(counted),
            )
            return (allowed,)
        return (
            say("{rule} lies above the range: it spends more than is matched by any of these criteria.", rule=rule),
        )

    def _saturation(self) -> str:
        left_out = self.left_out
        if not left_out:
            return ""
        kinds: dict[str, list[Match]] = {}
        for found in left_out:
            kinds.setdefault(found.risk.name, []).append(found)
        names = "; ".join(_places(found) for found in kinds.values())
        return say("Left out as saturated, since the policy hardly limits the attack there: {names}.", names=names)


def choose(*asked: "Requirement | Policy | str | Risk") -> Choice:
    """A GDP budget that meets every requirement, or matches what it lets an attacker achieve.

    Args:
        asked: what must hold, in any currency: guarantees such as `PureDP(1.0)` and `ApproxDP(3.0, 1e-5)`, bounds such
            as `AtMost(Identification(1e-3), 0.01)`, texts such as "accuracy=0.55", requirements with their sources;
            and, among them, the criteria by which guarantees are matched, such as `MultiplicativeAdvantage(fpr=1e-3)`.
            Without criteria, pure DP is matched by all usual ones, and other guarantees are met as they stand.
    Returns:
        The guarantee with the smallest mu, inf where only no privacy at all has the policy's risk; with the range, the
        requirement that binds, the matches and a recommendation in words.
    Raises:
        DomainError: if nothing is asked for, or no mu has a policy's risk.
    Reference: Kulynych & Honkela, On Choosing the mu Parameter in Gaussian Differential Privacy, Section 3.

    >>> from gaussdp import MultiplicativeAdvantage, PureDP
    >>> choose(PureDP(1.0), MultiplicativeAdvantage(fpr=1e-3))
    Choice(mu=0.31027...)
    >>> both = choose(PureDP(3.0), "identification@1/1000=1%")
    >>> both.mu, both.binding.words
    (0.54986..., 'Pure DP with ε = 3')
    """
    # an abstract class takes its time to tell who is of its kind
    criteria = tuple([one for one in asked if not isinstance(one, Requirement) and isinstance(one, Risk)])
    requirements = tuple(
        [requirement(one, criteria) for one in asked if isinstance(one, Requirement) or not isinstance(one, Risk)]
    )
    if not requirements:
        raise DomainError(
            "requirement",
            problem="must be given",
            advice="such as PureDP(1.0), AtMost(Advantage(), 0.1) or 'mu=0.5'",
        )
    return Choice(min([one.low for one in requirements]), requirements)


def _places(found: Sequence[Match]) -> str:
    """The criterion with all its levels and the largest mu: "precision at recall 0.5, 0.9 (μ up to 3.2)"."""
    first, *others = found
    levels = (one.risk.level.told(one.risk.level_value) for one in others if one.risk.level and one.risk.level_value)
    names = ", ".join((first.name, *map(numeral, levels)))
    return say("{names} (μ up to {mu})", names=names, mu=shown_down(max(one.mu for one in found)))
