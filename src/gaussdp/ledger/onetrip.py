"""Decisions of PostgreSQL in one round trip: a procedure of the book decides, or leaves it to an ordinary decision."""

import json
from importlib import import_module
from typing import Any

from gaussdp.ledger.decisions import Request
from gaussdp.ledger.entries import Entry, canonical, now

_RESERVE = "CALL ledger_reserve(%s, %s, %s, %s, %s, %s, NULL, NULL, NULL)"
_COMMIT = "CALL ledger_commit(%s, %s, NULL, NULL, NULL, NULL)"


def reserved(driver: Any, request: Request) -> Entry | None:
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


def committed(driver: Any, key: str) -> Entry | None:
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
