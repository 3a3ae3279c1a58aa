"""Where the rules of thumb μ = ε/k hold by a criterion: the same for every policy, and too slow for a drag."""

from functools import lru_cache

from gaussdp.choosing import RuleOfThumb
from gaussdp.choosing.budgets import span
from gaussdp.errors import DomainError
from gaussdp.web.schemas.requests import CriterionName, RulesRequest
from gaussdp.web.schemas.responses import RuleRange, RulesResponse
from gaussdp.web.views.choose import DIVISORS
from gaussdp.web.views.criteria import criterion_of


def rules(request: RulesRequest) -> RulesResponse:
    """The policies for which each rule is conservative."""
    return RulesResponse(rules=[_range(divisor, request.criterion, request.level) for divisor in DIVISORS])


@lru_cache(maxsize=1024)
def _range(divisor: float, criterion: CriterionName, level: float) -> RuleRange:
    name = f"μ = ε/{divisor:g}"
    try:
        intervals = RuleOfThumb(divisor).conservative_epsilons(criterion_of(criterion, level))
    except DomainError:  # at extreme levels the search for its end leaves the range of a double
        return RuleRange(divisor=divisor, conservative=None, sentence=f"Where {name} holds is unknown at this level.")
    return RuleRange(
        divisor=divisor,
        conservative=[list(interval) for interval in intervals],
        sentence=f"By this criterion {name} is conservative for {span(intervals)}.",
    )
