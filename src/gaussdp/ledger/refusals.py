"""What to say when a budget is too small: what was asked, what is left, and the noise that would fit."""

import math
from collections.abc import Sequence
from fractions import Fraction

from gaussdp.calibration import noise_multiplier
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.errors import BudgetExceeded, ConvergenceError, DomainError
from gaussdp.guarantees import GDP
from gaussdp.ledger.amounts import number_down, number_up, root_down, root_up
from gaussdp.ledger.balances import Balance
from gaussdp.ledger.charges import Charge, charge_of, noise_over_exchange
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
