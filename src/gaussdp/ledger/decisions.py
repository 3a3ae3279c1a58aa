"""The decisions of a book: open a budget, reserve, commit, refund, renew; each inside one transaction.

On PostgreSQL most take one round trip: a procedure of the book decides, or leaves it to an ordinary decision.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from gaussdp.errors import DomainError
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.budgets import NO_RENEWAL
from gaussdp.ledger.charges import Charge
from gaussdp.ledger.entries import Entry, Kind, canonical, digest_of, now
from gaussdp.ledger.people import People, Units, charge_people, refund_people
from gaussdp.ledger.refusals import ShortError
from gaussdp.ledger.roundtrips import DriverLine
from gaussdp.ledger.schema import BUDGETS, WITHIN
from gaussdp.ledger.transactions import Decision, as_repeated, changed
from gaussdp.words import say

_MOST_WITHIN = 100  # budgets that one may lie within
_RESERVE = "CALL ledger_reserve(%s, %s, %s, %s, %s, %s, NULL, NULL, NULL)"
_COMMIT = "CALL ledger_commit(%s, %s, NULL, NULL, NULL, NULL)"


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
    decision.finish()


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

    def decide(self, connection: Connection | DriverLine) -> Entry:
        """The reservation, or the first answer to the same request.

        Raises:
            ShortError: if a budget has too little left.
            DomainError: if the key was used for another request.
        """
        decision = Decision(connection, self.key, self.budget)
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
            found, who = charge_people(_whole(connection), own, decision.next_seq, each, units.capacity)
            content |= {"people": found, "units": each, "who": who}
        entry = decision.append("reserve", self.budget, self.key, content)
        decision.finish(changed(touched, entry))
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


def _whole(connection: Connection | DriverLine) -> Connection:
    if isinstance(connection, DriverLine):
        raise TypeError("people are charged on a connection of SQLAlchemy")
    return connection


def resolve(
    connection: Connection | DriverLine, kind: Literal["commit", "refund"], key: str, content: dict[str, Any]
) -> Entry:
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
        refund_people(_whole(connection), budget, reservation.seq, entry.seq)
    decision.finish(changed(decision.balances(budget), entry, reservation))
    return entry


def _stays(key: str, kind: Kind) -> str:
    if kind == "commit":
        return say("is taken: {key} was committed and stays so", key=repr(key))
    return say("is taken: {key} was refunded and stays so", key=repr(key))


def renew(connection: Connection, budget: str, reason: str) -> Entry:
    """Begin another period of a budget that has periods."""
    decision = Decision(connection, budget=budget)
    own = next(one for one in decision.balances(budget) if one.name == budget)
    if not own.period:
        raise DomainError("budget", problem=f"{budget!r} has no period and is never renewed", advice="open another")
    content = {"reason": reason, "period": own.periods + 1, "spent": str(own.spent), "says": f"{NO_RENEWAL}."}
    entry = decision.append("renew", budget, None, content)
    decision.finish(changed([own], entry))
    return entry


def reserved_at_once(driver: Any, request: Request) -> Entry | None:
    """The reservation, on the disk; None where nothing was written, and an ordinary decision says why, or does it.

    Args:
        driver: a connection of psycopg outside of any transaction.
        request: what is asked, without people.
    """
    others, charge = request.content(), request.charge
    amounts = f"{charge.square.numerator}/{charge.square.denominator}", str(charge.slack)
    # The procedure puts "charged" before the others: it is the first in the order of names.
    found = _called(driver, _RESERVE, (request.budget, request.key, canonical(others)[1:], *amounts, now()))
    if found is None or found[2] is None:
        return None
    time, charged, seq, seal = found
    content = {"charged": json.loads(charged), **others}
    return Entry(seq, time, "reserve", request.budget, request.key, content, seal)


def committed_at_once(driver: Any, key: str) -> Entry | None:
    """The same for a reservation that is committed for the first time."""
    found = _called(driver, _COMMIT, (key, now()))
    if found is None or found[3] is None:
        return None
    time, budget, of, seq, seal = found
    return Entry(seq, time, "commit", budget, key, {"of": of}, seal)


def _called(driver: Any, call: str, values: tuple[Any, ...]) -> Any:
    try:
        return driver.execute(call, values, prepare=True).fetchone()
    except import_module("psycopg").DataError:
        return None  # a balance that cannot be read, which the ordinary decision names
