"""What a budget has spent, and how entries change it: the arithmetic that decisions and replays share."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from gaussdp.documents.written import written
from gaussdp.errors import LedgerError
from gaussdp.ledger.charges import Charge, exact, settled

ZERO = Fraction()


@dataclass(frozen=True)
class Balance:
    """A budget with its balance; all amounts are exact.

    Attributes:
        name: of the budget.
        mu: the budget, as a number.
        slack: the slack that it allows.
        period: what it is for, if it may be renewed, such as "year"; empty otherwise.
        per_person: whether it is each person's, so that only slack is counted here.
        spent, spent_slack: squares of mu, and slacks, of this period, those reserved included.
        pending: the part of `spent` that is reserved and neither committed nor refunded, of any period.
        past, past_slack: of the periods before.
        periods: how many there were, with this one.
    """

    name: str
    mu: float
    slack: float
    period: str = ""
    per_person: bool = False
    spent: Fraction = ZERO
    spent_slack: Fraction = ZERO
    pending: Fraction = ZERO
    past: Fraction = ZERO
    past_slack: Fraction = ZERO
    periods: int = 1

    @property
    def left(self) -> Fraction:
        """The square of mu that is left in this period."""
        return written(self.mu) ** 2 - self.spent

    @property
    def left_slack(self) -> Fraction:
        """The slack that is left in this period."""
        return written(self.slack) - self.spent_slack

    def affords(self, charge: Charge) -> bool:
        """Whether a charge fits, exactly."""
        return charge.square <= self.left and charge.slack <= self.left_slack

    def reserved(self, square: Fraction, slack: Fraction) -> "Balance":
        """After a reservation."""
        return replace(
            self,
            spent=settled(self.spent + square),
            spent_slack=settled(self.spent_slack + slack),
            pending=settled(self.pending + square),
        )

    def committed(self, square: Fraction) -> "Balance":
        """After a reservation was committed: it stays spent."""
        return replace(self, pending=max(self.pending - square, ZERO))

    def refunded(self, square: Fraction, slack: Fraction, period: int) -> "Balance":
        """After a reservation of a period was refunded. What was rounded up when it was added stays spent."""
        less = replace(self, pending=max(self.pending - square, ZERO))
        if period == self.periods:
            return replace(less, spent=settled(self.spent - square), spent_slack=settled(self.spent_slack - slack))
        return replace(less, past=settled(self.past - square), past_slack=settled(self.past_slack - slack))

    def renewed(self) -> "Balance":
        """At the beginning of another period."""
        return replace(
            self,
            spent=ZERO,
            spent_slack=ZERO,
            past=settled(self.past + self.spent),
            past_slack=settled(self.past_slack + self.spent_slack),
            periods=self.periods + 1,
        )

    @classmethod
    def of_row(cls, row: Any) -> "Balance":
        """From a row of the table.

        Raises:
            LedgerError: if it cannot be read.
        """
        try:
            amounts = {name: exact(getattr(row, name)) for name in _AMOUNTS}
            mu, slack = float(row.mu), float(row.slack)
        except (ValueError, TypeError, AttributeError, ZeroDivisionError):
            raise LedgerError(f"the balance of budget {row.name!r} cannot be read: the book is damaged") from None
        return cls(row.name, mu, slack, row.period or "", bool(row.per_person), **amounts, periods=row.periods)

    def row(self) -> dict[str, Any]:
        """As the table holds it."""
        return {
            "name": self.name,
            "mu": repr(self.mu),
            "slack": repr(self.slack),
            "period": self.period or None,
            "per_person": self.per_person,
            "most": str(written(self.mu) ** 2),
            "most_slack": str(written(self.slack)),
            **self.changing(),
        }

    def changing(self) -> dict[str, Any]:
        """The columns that entries change."""
        return {**{name: str(getattr(self, name)) for name in _AMOUNTS}, "periods": self.periods}


_AMOUNTS = ("spent", "spent_slack", "pending", "past", "past_slack")
