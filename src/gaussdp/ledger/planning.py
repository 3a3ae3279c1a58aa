"""What could be spent: a split of what is left, and a release tried without writing it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from gaussdp.documents import Column, Displayed, Document, Rounding, Table, rounded
from gaussdp.domains import POSITIVE, integer, number, several
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP, ApproxGDP
from gaussdp.ledger.amounts import root_down, written
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import Charge, noise_over_exchange
from gaussdp.mechanisms import Adjacency

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


def plan(
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


def preview(touched: Sequence[Balance], charge: Charge) -> Preview:
    """What a charge would do to the budgets that it touches."""
    left = {
        one.name: GDP(root_down(one.left - charge.square) if one.affords(charge) else root_down(one.left))
        for one in touched
    }
    return Preview(charge.guarantee, all(one.affords(charge) for one in touched), left)
