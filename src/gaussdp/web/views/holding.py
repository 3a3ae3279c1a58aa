"""The guarantee that holds for a run as it is described: exact where an exact account is known, else an enclosure."""

from dataclasses import dataclass

from gaussdp.accounting import AccountedCurve, DistributionCurve, Fit, account
from gaussdp.documents.rounding import Rounding, rounded, shown
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.guarantees.claim import Claim
from gaussdp.statements.assumptions import assumptions, unmet
from gaussdp.statements.run import Run
from gaussdp.statements.smallest import Found, smallest_for
from gaussdp.web.views.showing import DIGITS, budget_text, guarantee_text
from gaussdp.words import say

_EXCHANGEABLE = ("shuffle", "fixed batches")  # batches whose bound needs no floor


@dataclass(frozen=True)
class Holding:
    """What holds for a run.

    Attributes:
        curve: to read the guarantee off: the exact one, or that of the μ that is known to hold.
        fit: of the exact curve; None where there is none.
        mu, epsilon: what holds.
        mu_lower, epsilon_lower: what no smaller number can be.
        sentences: what is taken for granted, and what else must be known to read the number.
    """

    curve: AccountedCurve | DistributionCurve | GDP
    fit: Fit | None
    mu: float
    mu_lower: float
    epsilon: float
    epsilon_lower: float
    sentences: tuple[str, ...]


def holding(run: Run, floor: float, delta: float) -> Holding:
    """What holds for the run.

    Args:
        run: as described.
        floor: smallest error rate of the attacks that μ speaks about.
        delta: where to read ε.
    """
    curve = account(run.protected)
    fit, raised = _fit(curve, floor)
    judged = assumptions(run, curve, fit)
    if unmet(judged):
        return _enclosed(run, floor, delta)
    unstated = tuple(one.words for one in judged if one.verdict == "not stated" or one.remark)
    epsilon = curve.epsilon(delta)
    return Holding(curve, fit, fit.mu, fit.mu_lower, epsilon, epsilon, (*raised, *fit.notes(), *unstated))


def _enclosed(run: Run, floor: float, delta: float) -> Holding:
    found, at_delta = bound(run, floor), smallest_for(run, Claim(epsilon=1.0, delta=delta))
    mu, epsilon = found.enclosure, at_delta.enclosure
    sentences = (found.nothing_finite(DIGITS) or _between(mu.lower, mu.upper), *found.caveats)
    return Holding(GDP(mu.upper), None, mu.upper, mu.lower, epsilon.upper, epsilon.lower, sentences)


def bound(run: Run, floor: float, *, quickly: bool = False) -> Found:
    """The smallest μ that holds for the run, enclosed.

    Args:
        run: as described.
        floor: smallest error rate of the attacks that μ speaks about.
        quickly: whether only the upper end is asked for; the lower one may then be of attacks without a floor.
    """
    at = None if quickly and run.sampled and run.sampling in _EXCHANGEABLE else floor
    return smallest_for(run, Claim(mu=1.0, floor=at))


def _between(lower: float, upper: float) -> str:
    return say(
        "No exact account of this run is known. The smallest μ that holds lies between {lower}"
        " and {upper}; what is shown is the upper end, which holds.",
        lower=budget_text(lower),
        upper=guarantee_text(upper),
    )


def _fit(curve: AccountedCurve | DistributionCurve, floor: float) -> tuple[Fit, tuple[str, ...]]:
    """The fit at the floor, or at the noise floor where the accounting does not reach below."""
    try:
        return curve.fit(floor), ()
    except DomainError:
        if not isinstance(curve, DistributionCurve) or floor >= curve.noise_floor:
            raise
    level = rounded(curve.noise_floor, Rounding.UP, 2)
    return curve.fit(level), (
        say("The floor is raised to {level}: the accounting does not reach below.", level=shown(level)),
    )
