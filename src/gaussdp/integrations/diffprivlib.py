"""diffprivlib: what its BudgetAccountant has spent, into `gaussdp.account`.

All that is known of such a release is its (epsilon, delta), so that each counts as the worst release that meets it, and
these are composed exactly.
"""

from collections import Counter
from typing import Any

from gaussdp.domains import NON_NEGATIVE, PROBABILITY, number
from gaussdp.errors import DomainError, brief
from gaussdp.guarantees import ApproxDP, PureDP
from gaussdp.mechanisms import Adjacency, Composition, Mechanism, Stated
from gaussdp.registry import register


def mechanism_of(budget: Any, adjacency: Adjacency) -> Mechanism:
    """The releases that a budget of (epsilon, delta) pairs was spent on, as a mechanism.

    Args:
        budget: a diffprivlib BudgetAccountant, or its `spent_budget`: a list of (epsilon, delta).
        adjacency: which data sets are neighbours. diffprivlib does not say it, and means different ones: a mean has
            noise for exchanging a record, a histogram for adding or removing one.
    Raises:
        DomainError: if nothing was spent, or a pair promises nothing.

    >>> from gaussdp.accounting import account
    >>> spent = [(0.1, 0), (0.1, 0), (0.5, 1e-6)]
    >>> mechanism_of(spent, "replace-one").mechanisms[0].count
    2
    >>> curve = account(mechanism_of(spent, "replace-one"))
    >>> curve.epsilon(2e-6) <= 0.7, curve.delta(0.0) > 1e-6
    (True, True)
    """
    pairs = getattr(budget, "spent_budget", budget)
    if not isinstance(pairs, list | tuple) or not all(isinstance(one, list | tuple) and len(one) == 2 for one in pairs):
        raise DomainError("budget", "a BudgetAccountant or a list of (epsilon, delta) pairs", got=brief(budget))
    if not pairs:
        raise DomainError("budget", problem="must hold at least one pair", advice="spend some first")
    counted = Counter(_guarantee(*pair) for pair in pairs)
    releases = [
        times * Stated(one, adjacency) if times > 1 else Stated(one, adjacency) for one, times in counted.items()
    ]
    return releases[0] if len(releases) == 1 else Composition(releases)


def _guarantee(epsilon: object, delta: object) -> PureDP | ApproxDP:
    loss, chance = number("epsilon", epsilon, NON_NEGATIVE), number("delta", delta, PROBABILITY)
    if loss == float("inf") or chance == 1:
        raise DomainError(
            "budget",
            problem=f"has no curve: ({loss:g}, {chance:g}) promises nothing",
            advice="give the releases themselves, such as gaussdp.Gaussian, if more is known of them",
        )
    return ApproxDP(loss, chance) if chance else PureDP(loss)


def adapted(thing: object, adjacency: Adjacency | None) -> Mechanism:
    """What `gaussdp.account` makes of a BudgetAccountant."""
    if adjacency is None:
        raise DomainError(
            "adjacency",
            problem="is missing: diffprivlib does not say which data sets are neighbours",
            advice='give adjacency="replace-one" for means and models, "add-remove" for counts and histograms',
        )
    return mechanism_of(thing, adjacency)


register("diffprivlib", adapted)
