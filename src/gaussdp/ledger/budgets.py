"""A budget as people see it: what it allows, what is spent and left, and what could be spent of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gaussdp.documents import Column, Displayed, Document, Rounding, Table, rounded
from gaussdp.documents.written import number_down, number_up, root_down, root_up, written
from gaussdp.domains import POSITIVE, integer, number, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxGDP
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import Charge, noise_over_exchange
from gaussdp.mechanisms import Adjacency

NO_RENEWAL = "Privacy loss does not renew: what was released in earlier periods stays released"


_BY_DATA = ("spent", "left", "available", "reserved", "lifetime")  # of a budget per person


@dataclass(frozen=True)
class Budget(Displayed):
    """A budget at one moment.

    Attributes:
        name: of the budget.
        total: all that may be spent (by each person, if it is per person), in a period if it has periods.
        spent: by all releases of the period together, those reserved included; rounded up. Of a budget per person, by
            whoever has spent most.
        left: the largest mu of one release that still fits; rounded down.
        available: the same, where a budget that it lies within may have less left.
        reserved: what was reserved and neither committed nor refunded, all together; part of what is spent.
        lifetime: spent in all periods together.
        slack, slack_spent, slack_left: the same for slack.
        lifetime_slack: spent in all periods together.
        period: what a period is, empty if it has none.
        periods: how many there were.
        within: the budgets that it lies within.
        per_person: whether each person has it.
    """

    name: str
    total: GDP
    spent: GDP
    left: GDP
    available: GDP
    reserved: GDP
    lifetime: GDP
    slack: float
    slack_spent: float
    slack_left: float
    lifetime_slack: float
    period: str
    periods: int
    within: tuple[str, ...]
    per_person: bool

    @classmethod
    def of(cls, balance: Balance, touched: list[Balance], most: Fraction) -> "Budget":
        """From its balance, those that a charge would touch, and what whoever has spent most has spent."""
        spent = most if balance.per_person else balance.spent
        left = balance.left - most if balance.per_person else balance.left
        return cls(
            name=balance.name,
            total=GDP(balance.mu),
            spent=GDP(root_up(spent)),
            left=GDP(root_down(left)),
            available=GDP(root_down(min(left, *(one.left for one in touched if not one.per_person), left))),
            reserved=GDP(root_up(balance.pending)),
            lifetime=GDP(root_up(balance.past + spent)),
            slack=balance.slack,
            slack_spent=number_up(balance.spent_slack),
            slack_left=number_down(balance.left_slack),
            lifetime_slack=number_up(balance.past_slack + balance.spent_slack),
            period=balance.period,
            periods=balance.periods,
            within=tuple(one.name for one in touched if one.name != balance.name),
            per_person=balance.per_person,
        )

    @property
    def guarantee(self) -> ApproxGDP:
        """What holds for all releases under it, however they were chosen: the budget, of each of its periods.

        What is spent is no guarantee by itself: whoever chooses each mu by what came out before could stop where it
        suits them.
        """
        slack = min(number_up(self.periods * written(self.slack)), 1.0)
        return ApproxGDP(root_up(self.periods * written(self.total.mu) ** 2), slack)

    def as_dict(self) -> dict[str, Any]:
        """As programs get it."""
        mus = ("total", "spent", "left", "available", "reserved", "lifetime")
        others = ("slack", "slack_spent", "slack_left", "lifetime_slack", "periods", "per_person")
        return {
            "name": self.name,
            **{name: getattr(self, name).mu for name in mus},
            **{name: getattr(self, name) for name in others},
            "period": self.period or None,
            "within": list(self.within),
        }

    def public(self) -> dict[str, Any]:
        """As anyone may see it; of a budget per person nothing that depends on who took part, which no release told."""
        return self.as_dict() | (dict.fromkeys(_BY_DATA) if self.per_person else {})

    def document(self) -> Document:
        """The balance as a table."""
        return budgets_document([self])


def budgets_document(budgets: list[Budget], title: str = "") -> Document:
    """Balances, one a row."""
    columns = (
        Column("budget", "budget"),
        Column("total", "μ"),
        Column("spent", "spent", Rounding.UP),
        Column("left", "left", Rounding.DOWN),
        Column("reserved", "of it reserved", Rounding.UP),
        Column("slack", "slack"),
        Column("slack_spent", "slack spent", Rounding.UP),
        Column("within", "within"),
        Column("lifetime", "all periods", Rounding.UP),
    )
    rows = tuple(
        (
            one.name,
            one.total.mu,
            one.spent.mu,
            one.left.mu,
            one.reserved.mu,
            one.slack,
            one.slack_spent,
            ", ".join(one.within),
            one.lifetime.mu,
        )
        for one in budgets
    )
    notes = ["Squares of μ add up: what is left is the largest μ of one more release, not a difference."]
    notes += [f"{one.name} is in its {one.period} number {one.periods}. {NO_RENEWAL}." for one in budgets if one.period]
    notes += [
        f"{one.name} is each person's; spent is that of whoever has spent most." for one in budgets if one.per_person
    ]
    name = title or (f"Budget {budgets[0].name}" if len(budgets) == 1 else "Budgets")
    return Document.tabular(name, (Table("budgets", "Budgets", columns, rows),), notes)


MOST_RELEASES = 100_000
_DIGITS = 6  # of a noise multiplier, rounded up


@dataclass(frozen=True)
class Share:
    """One release of a plan: the mu that it may have, rounded down, and the Gaussian noise for it, rounded up."""

    guarantee: GDP
    noise_multiplier: float


@dataclass(frozen=True)
class Plan(Displayed):
    """A split of what a budget has left; all its releases together fit.

    Attributes:
        budget: its name.
        left: what is split.
        shares: one a release.
    """

    budget: str
    left: GDP
    shares: tuple[Share, ...]

    def document(self) -> Document:
        """The shares, alike ones in one row."""
        counts: dict[Share, int] = {}
        for share in self.shares:
            counts[share] = counts.get(share, 0) + 1
        columns = (
            Column("releases", "releases"),
            Column("mu", "μ of each", Rounding.DOWN),
            Column("noise_multiplier", "noise multiplier", Rounding.UP),
        )
        rows = tuple((count, share.guarantee.mu, share.noise_multiplier) for share, count in counts.items())
        note = "Noise multipliers are of Gaussian releases, over what adding or removing a record changes."
        return Document.tabular(f"What {self.budget} has left, split", (Table("plan", "Plan", columns, rows),), (note,))


def plan_of(
    budget: str, left: GDP, releases: int | None, weights: Sequence[float] | None, adjacency: Adjacency = "add-remove"
) -> Plan:
    """The plan for so many releases, or for one a weight."""
    if (releases is None) == (weights is None):
        raise DomainError(None, problem="give either a number of releases or weights")
    if weights is None:
        parts = [Fraction(1)] * integer("releases", releases, low=1, high=MOST_RELEASES)
    else:
        parts = [written(number("weights", one, POSITIVE)) for one in several("weights", weights, "a list of numbers")]
        if not parts or len(parts) > MOST_RELEASES:
            raise DomainError("weights", f"from 1 to {MOST_RELEASES:,} numbers", got=str(len(parts)))
    if left.mu == 0:
        raise DomainError("budget", problem=f"{budget!r} has nothing left to plan with")
    whole, square = sum(parts), written(left.mu) ** 2
    known: dict[Fraction, Share] = {}
    for part in parts:
        if part not in known:
            mu = root_down(square * part / whole)
            known[part] = Share(GDP(mu), _noise(mu, noise_over_exchange("add-remove", adjacency)))
    return Plan(budget, left, tuple(known[part] for part in parts))


def _noise(mu: float, moves: float) -> float:
    """A noise multiplier with few digits that gives no more."""
    return rounded(moves / mu, Rounding.UP, _DIGITS) if mu else math.inf


@dataclass(frozen=True)
class Preview(Displayed):
    """What a reservation would do.

    Attributes:
        charge: what it would take, rounded up.
        fits: whether every budget that it touches can pay.
        left: what each would have left, rounded down; nothing where it cannot pay.
    """

    charge: ApproxGDP
    fits: bool
    left: dict[str, GDP]

    def document(self) -> Document:
        """What would be left."""
        columns = (Column("budget", "budget"), Column("left", "would have left", Rounding.DOWN))
        rows = tuple((name, guarantee.mu) for name, guarantee in self.left.items())
        words = "It fits." if self.fits else "It does not fit; nothing would be written."
        title = f"A release with {self.charge.stated()}"
        return Document.tabular(title, (Table("preview", "What if", columns, rows),), (words,))


def preview_of(touched: Sequence[Balance], charge: Charge) -> Preview:
    """What a charge would do to the budgets that it touches."""
    left = {
        one.name: GDP(root_down(one.left - charge.square) if one.affords(charge) else root_down(one.left))
        for one in touched
    }
    return Preview(charge.guarantee, all(one.affords(charge) for one in touched), left)
