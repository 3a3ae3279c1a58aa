"""Rules of thumb, mu = epsilon / k: where they are conservative, and which k is.

A rule is *conservative* at a policy epsilon, by a criterion at a level, if it spends no more than the matched budget:
epsilon / k <= mu(epsilon).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from gaussdp.choosing.match import Match, telling
from gaussdp.domains import NON_NEGATIVE, POSITIVE, evaluated, instance, number, settle, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import PureDP
from gaussdp.numerics import Array, Floats, Formula, Operations
from gaussdp.risks import Risk

_LEAST_EPSILON = 1e-300  # the profile at a tiny delta bends as low as epsilon near delta
_LARGEST_EPSILON = 1e300
_REFINEMENTS, _REFINED_POINTS = 8, 33  # each round narrows the hump sixteen-fold
_SCAN = 600  # points a search looks at before it refines; mu/epsilon has at most one hump


@Formula
def _spent(xp: Operations, epsilon: Array, divisor: Array) -> Array:
    return epsilon / divisor


_SPENT = evaluated(_spent, epsilon=NON_NEGATIVE, divisor=POSITIVE)


@dataclass(frozen=True)
class RuleOfThumb:
    """The rule mu = epsilon / divisor.

    Args:
        divisor: k, positive; the paper recommends 5, and 3 where low-probability events can be ignored.

    >>> from gaussdp import Profile
    >>> rule = RuleOfThumb(5)
    >>> rule.is_conservative(1.0, Profile(delta=1e-8))
    False
    >>> rule.conservative_epsilons(Profile(delta=1e-5))
    [(0.0, 10.01...)]
    """

    divisor: float = 5.0

    def __post_init__(self) -> None:
        settle(self, divisor=POSITIVE)

    def mu(self, epsilon: ArrayLike) -> Any:
        """The budget that the rule gives a policy epsilon; broadcasts."""
        given: Any = epsilon
        if type(given) is float and 0 < given < math.inf:  # as mostly
            return given / self.divisor
        return _SPENT(given, self.divisor)

    def is_conservative(self, epsilon: ArrayLike, risk: Risk) -> Any:
        """Whether the rule spends at most what the criterion allows at this policy epsilon; broadcasts.

        Where the match is saturated that says nothing: `verdict` knows.
        """
        criterion = instance("risk", risk, Risk, "a risk")
        within = self.mu(epsilon) <= criterion.mu_from_epsilon(epsilon)
        return within if np.ndim(epsilon) else bool(within)

    def verdict(self, found: Match) -> Literal["conservative", "too much", "saturated"]:
        """What the rule is at a match to pure DP; one that is saturated is no measure of it.

        >>> from gaussdp import MultiplicativeAdvantage, PureDP, match
        >>> RuleOfThumb(5).verdict(match(PureDP(8.0), MultiplicativeAdvantage(fpr=1e-3)))
        'saturated'
        """
        instance("found", found, Match, "a match, as `match` gives it")
        policy = instance("policy", found.policy, PureDP, "pure DP")
        if self.mu(policy.epsilon_bound) > found.mu:
            return "too much"
        return "saturated" if found.saturated else "conservative"

    def telling_epsilons(self, risk: Risk) -> list[tuple[float, float]]:
        """The intervals of policy epsilon on which the rule is conservative and the criterion is not saturated."""
        start, end = telling(instance("risk", risk, Risk, "a risk"))
        inside = (math.nextafter(start, math.inf) if start else 0.0), math.nextafter(end, 0.0)
        found = [(max(low, inside[0]), min(high, inside[1])) for low, high in self.conservative_epsilons(risk)]
        return [(low, high) for low, high in found if low < high]

    def conservative_epsilons(self, risk: Risk) -> list[tuple[float, float]]:
        """The intervals of policy epsilon on which the rule is conservative, in order; empty if it nowhere is.

        An interval that starts at 0 holds down to the smallest epsilon. Every interval ends, since a matched mu grows
        like the root of epsilon; its end is rounded to the conservative side.
        """
        largest = min(40 * (self.divisor + 40) * (self.divisor + 40), _LARGEST_EPSILON)
        grid = np.concatenate(
            [np.geomspace(_LEAST_EPSILON, 1e-8, _SCAN // 2, endpoint=False), np.geomspace(1e-8, largest, _SCAN)]
        )
        grid, ratio = _with_hump(grid, instance("risk", risk, Risk, "a risk"))
        holds = ratio >= 1 / self.divisor
        intervals = []
        start = 0.0 if holds[0] else None
        for i in np.flatnonzero(np.diff(holds)):
            edge = _boundary(lambda e: self.is_conservative(e, risk), float(grid[i]), float(grid[i + 1]))
            if start is None:
                start = edge
            else:
                intervals.append((start, edge))
                start = None
        if start is not None:
            raise DomainError(
                None, problem=f"mu = epsilon/{self.divisor:g} stays conservative beyond epsilon = {largest:g}"
            )
        return intervals


def conservative_divisor(risks: Iterable[Risk], epsilon_low: float, epsilon_high: float) -> float:
    """The smallest k for which mu = epsilon / k is conservative by every criterion over a range of policies.

    To cover a range of levels, give the criterion at both ends of it: between two levels the matched mu is never below
    the smaller of its values at the two.

    Args:
        risks: the criteria, each at its level.
        epsilon_low, epsilon_high: the ends of the range, 0 < low <= high < inf.
    Returns:
        k, rounded up by one part in 10^12 so that the rule itself passes.

    >>> from gaussdp import Profile
    >>> conservative_divisor([Profile(delta=1e-8)], 0.1, 2.0)
    5.305...
    """
    low = number("epsilon_low", epsilon_low, POSITIVE)
    high = number("epsilon_high", epsilon_high, POSITIVE)
    if low > high:
        raise DomainError("epsilon_low", "at most epsilon_high", got=f"{low!r} and {high!r}")
    criteria = [instance("risks", one, Risk, "risks") for one in several("risks", risks, "a list of risks")]
    if not criteria:
        raise DomainError(
            "risks", problem="must not be empty", advice="give at least one criterion such as Profile(delta=1e-6)"
        )
    grid = np.geomspace(low, high, _SCAN)
    grid[0], grid[-1] = low, high
    return float(max(np.max(grid / risk.mu_from_epsilon(grid)) for risk in criteria) * (1 + 1e-12))


def _with_hump(grid: Floats, risk: Risk) -> tuple[Floats, Floats]:
    """The grid with the largest mu/epsilon among its points, and mu/epsilon at each.

    An interval about the largest may be narrower than the grid.
    """
    ratio = risk.mu_from_epsilon(grid) / grid
    for _ in range(_REFINEMENTS):
        top = int(np.argmax(ratio))
        low, high = grid[max(top - 1, 0)], grid[min(top + 1, grid.size - 1)]
        finer = np.setdiff1d(np.linspace(low, high, _REFINED_POINTS), grid)
        if not finer.size:
            break
        grid, ratio = np.append(grid, finer), np.append(ratio, risk.mu_from_epsilon(finer) / finer)
        order = np.argsort(grid)
        grid, ratio = grid[order], ratio[order]
    return grid, ratio


def _boundary(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where holds changes between low and high, to one part in 10^14, on the side where it holds."""
    at_low = holds(low)
    while high - low > 1e-14 * high:
        middle = 0.5 * (low + high)
        if holds(middle) == at_low:
            low = middle
        else:
            high = middle
    return low if at_low else high
