"""Where the rules of thumb μ = ε/k hold by a criterion: the same for every policy, and too slow for a drag."""

from functools import lru_cache

from gaussdp.choosing import RuleOfThumb
from gaussdp.choosing.budgets import span
from gaussdp.errors import DomainError
from gaussdp.risks import Risk
from gaussdp.web.schemas.requests import RulesRequest
from gaussdp.web.schemas.responses import RuleRange, RulesResponse
from gaussdp.web.views.choose import DIVISORS


def rules(request: RulesRequest) -> RulesResponse:
    """The policies for which each rule is conservative."""
    return RulesResponse(rules=[_range(divisor, request.risk) for divisor in DIVISORS])


@lru_cache(maxsize=1024)
def _range(divisor: float, risk: Risk) -> RuleRange:
    name = f"μ = ε/{divisor:g}"
    try:
        intervals = RuleOfThumb(divisor).conservative_epsilons(risk)
    except DomainError:  # at extreme levels the search for its end leaves the range of a double
        return RuleRange(divisor=divisor, conservative=None, sentence=f"Where {name} holds is unknown at this level.")
    return RuleRange(
        divisor=divisor,
        conservative=[list(interval) for interval in intervals],
        sentence=f"By this criterion {name} is conservative for {span(intervals)}.",
    )
