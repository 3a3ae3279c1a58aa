"""The decisions of a book: open a budget, reserve, commit, refund, renew, each inside one transaction; and refusals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.calibration import noise_multiplier
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.documents.written import number_down, number_up, root_down, root_up
from gaussdp.errors import BudgetExceeded, ConvergenceError, DomainError
from gaussdp.guarantees import GDP
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.budgets import NO_RENEWAL
from gaussdp.ledger.charges import Charge, charge_of, noise_over_exchange
from gaussdp.ledger.database import BUDGETS, WITHIN
from gaussdp.ledger.entries import Entry, Kind, digest_of
from gaussdp.ledger.people import People, Units, charge_people, refund_people
from gaussdp.ledger.transactions import Decision, as_repeated, changed
from gaussdp.mechanisms import DPSGD, Adjacency
from gaussdp.words import plural, say

_DIGITS = 6


class ShortError(Exception):
    """A budget is too small for a charge; what to say is worked out after the transaction."""

    touched: Sequence[Balance]
    short: Balance

    def __init__(self, touched: Sequence[Balance], short: Balance) -> None:
        super().__init__(short.name)
        self.touched: Sequence[Balance] = touched
        self.short: Balance = short


def exceeded(touched: Sequence[Balance], short: Balance, charge: Charge, adjacency: Adjacency) -> BudgetExceeded:
    """The refusal of a charge by the first budget that is too small for it, in a book for these neighbours."""
    asked = root_up(charge.square), number_up(charge.slack)
    left = root_down(short.left), number_down(short.left_slack)
    room = min(one.left for one in touched)
    slack = min(one.left_slack for one in touched)
    moves = charge.moves if charge.source else noise_over_exchange("add-remove", adjacency)
    advice, noise = _fitting(charge, room, slack, moves)
    return BudgetExceeded(short.name, asked, left, advice, noise)


def _about_slack(slack: Fraction) -> str:
    if slack > 0:
        return say("a smaller floor gives a smaller slack, and a larger mu")
    return say(
        "its slack is the delta with which its mu may fail, which no mu covers: open a budget with slack, or charge "
        "the mu that holds for every attack (.implied())"
    )


def _fitting(charge: Charge, room: Fraction, slack: Fraction, moves: float) -> tuple[str, float]:
    """What would fit, in words, and its noise multiplier."""
    root = root_down(room)
    if root == 0:
        return say("nothing is left"), 0.0
    run = charge.source
    if isinstance(run, DPSGD) and run.sampled:
        found = _training(run, root, slack)
        if found:
            return say("the same training fits with a noise multiplier of {noise}", noise=shown(found)), found
    if charge.slack > slack:
        return _about_slack(slack), 0.0
    times = charge.releases[0].get("times", 1) if len(charge.releases) == 1 else 1
    plain = charge.releases and charge.releases[0]["mechanism"] == "gaussian" and len(charge.releases) == 1
    noise = rounded(moves * math.sqrt(times if plain else 1) / root, Rounding.UP, _DIGITS)
    fits = plural(
        times if plain else 1,
        "a Gaussian release fits with a noise multiplier of {noise}",
        "{n:,} Gaussian releases fit with a noise multiplier of {noise}",
        noise=shown(noise),
    )
    return f"{fits}{say(', of what adding or removing a record changes') if moves > 1 else ''}", noise


def _training(run: DPSGD, mu: float, slack: Fraction) -> float | None:
    """The noise with which the same training fits, None if none is found."""
    try:
        noise = float(
            noise_multiplier(
                GDP(mu),
                sample_rate=run.sample_rate,
                steps=run.steps,
                adjacency=run.adjacency,
                records_per_unit=run.records_per_unit,
            ).value
        )
        other = DPSGD(noise, run.sample_rate, run.steps, run.adjacency, run.records_per_unit)
        charge = charge_of(other, unit="", adjacency=run.adjacency)
    except (DomainError, ConvergenceError):
        return None
    return noise if charge.slack <= slack and root_up(charge.square) <= mu else None


_MOST_WITHIN = 100  # budgets that one may lie within


def open_budget(connection: Connection, balance: Balance, within: Sequence[str], purpose: str) -> None:
    """Open a budget within others."""
    decision = Decision(connection)
    if connection.execute(sa.select(BUDGETS.c.name).where(BUDGETS.c.name == balance.name)).first():
        raise DomainError("name", problem=f"is taken: there is a budget {balance.name!r} already")
    above = sorted({balance.name} | {one.name for holder in within for one in _holders(decision, holder)})
    if len(above) > _MOST_WITHIN:
        raise DomainError("within", f"at most {_MOST_WITHIN} budgets, with those that they lie within")
    content = {
        "mu": repr(balance.mu),
        "slack": repr(balance.slack),
        "within": above,
        "period": balance.period,
        "per_person": balance.per_person,
        "purpose": purpose,
    }
    decision.append("open", balance.name, None, content)
    connection.execute(sa.insert(BUDGETS), balance.row())
    connection.execute(sa.insert(WITHIN), [{"budget": balance.name, "holder": one} for one in above])


def _holders(decision: Decision, name: str) -> list[Balance]:
    found = decision.balances(name)
    if any(one.per_person for one in found):
        raise DomainError("within", problem=f"{name!r} is per person, and holds no other budgets")
    return found


@dataclass
class Request:
    """What is asked of a budget under a key.

    Attributes:
        budget: its name.
        key: of the release.
        charge: what it costs.
        purpose: what it is for.
        people: who is in the data, for a budget per person.
    """

    budget: str
    key: str
    charge: Charge
    purpose: str
    people: People | None = None
    _listed: str = field(default="", init=False)

    def load(self, connection: Connection) -> None:
        """Hand the people to the database, before the decision."""
        self._listed = self.people.load(connection) if self.people else ""

    def decide(self, connection: Connection) -> Entry:
        """The reservation, or the first answer to the same request.

        Raises:
            ShortError: if a budget has too little left.
            DomainError: if the key was used for another request.
        """
        decision = Decision(connection, self.key)
        first = decision.reservation()
        if first is not None:
            return self._first_answer(decision, first)
        touched = decision.balances(self.budget)
        own = next(one for one in touched if one.name == self.budget)
        self._refuse_people(own)
        for balance in touched:
            if not balance.affords(self.charge):
                raise ShortError(touched, balance)
        content = self.content() | {"charged": [[one.name, one.periods] for one in touched]}
        if self.people is not None:
            units = Units.of(own)
            each = units.charged(self.charge.square)
            found, who = charge_people(connection, own, decision.next_seq, each, units.capacity)
            content |= {"people": found, "units": each, "who": who}
        entry = decision.append("reserve", self.budget, self.key, content)
        decision.save(changed(touched, entry))
        return entry

    def content(self) -> dict[str, Any]:
        """What its entry says, but for the budgets that it touches."""
        return self._content() | {"request": self._digest()}

    def _content(self) -> dict[str, Any]:
        known: dict[str, Any] = {
            "square": str(self.charge.square),
            "slack": str(self.charge.slack),
            "release": self.charge.words,
            "purpose": self.purpose,
        }
        return known | ({"plan": list(self.charge.releases)} if self.charge.releases else {})

    def _digest(self) -> str:
        return digest_of([self.budget, self._content(), self._listed])

    def _first_answer(self, decision: Decision, first: Entry) -> Entry:
        if first.content["request"] != self._digest():
            problem = say(
                "is taken: {key} was used for another request, entry {seq}", key=repr(self.key), seq=first.seq
            )
            raise DomainError("key", problem=problem, advice=say("take another"))
        last = decision.resolution()
        if last is not None and last.kind == "refund":
            raise DomainError("key", problem=_stays(self.key, "refund"), advice=say("take another"))
        return as_repeated(first)

    def _refuse_people(self, own: Balance) -> None:
        if own.per_person and self.people is None:
            raise DomainError("people", problem=say("must be given: the budget is each person's"))
        if not own.per_person and self.people is not None:
            raise DomainError("people", problem="must not be given: the budget is that of all together")


def resolve(connection: Connection, kind: Literal["commit", "refund"], key: str, content: dict[str, Any]) -> Entry:
    """Commit or refund a reservation; once more gives the first answer."""
    decision = Decision(connection, key)
    reservation, before = decision.reservation(), decision.resolution()
    if reservation is None:
        raise DomainError("key", problem=say("is unknown: there is no reservation {key}", key=repr(key)))
    if before is not None and before.kind == kind:
        return as_repeated(before)
    if before is not None:
        raise DomainError("key", problem=_stays(key, before.kind))
    budget = str(reservation.budget)
    entry = decision.append(kind, budget, key, {**content, "of": reservation.seq})
    if kind == "refund" and "people" in reservation.content:
        refund_people(connection, budget, reservation.seq, entry.seq)
    decision.save(changed(decision.balances(budget), entry, reservation))
    return entry


def _stays(key: str, kind: Kind) -> str:
    if kind == "commit":
        return say("is taken: {key} was committed and stays so", key=repr(key))
    return say("is taken: {key} was refunded and stays so", key=repr(key))


def renew(connection: Connection, budget: str, reason: str) -> Entry:
    """Begin another period of a budget that has periods."""
    decision = Decision(connection)
    own = next(one for one in decision.balances(budget) if one.name == budget)
    if not own.period:
        raise DomainError("budget", problem=f"{budget!r} has no period and is never renewed", advice="open another")
    content = {"reason": reason, "period": own.periods + 1, "spent": str(own.spent), "says": f"{NO_RENEWAL}."}
    entry = decision.append("renew", budget, None, content)
    decision.save(changed([own], entry))
    return entry
