"""What a calibration must meet: a GDP budget, or an upper bound on one risk."""

import math

from gaussdp.domains import kind_of
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.risks import AtMost

Target = GDP | AtMost
"""A GDP budget means the mechanism's fitted mu at the stated floor; AtMost means the risk itself."""


def measure(target: Target) -> str:
    """What the target bounds, in words."""
    return target.risk.words if isinstance(target, AtMost) else "μ"


def limit(target: Target) -> float:
    """The largest value that it allows."""
    return target.value if isinstance(target, AtMost) else target.mu


def budget(target: Target) -> float:
    """The mu that the target allows a Gaussian release, positive and finite; for pure DP what it implies.

    Raises:
        DomainError: if the target is none, or asks for everything or for nothing.
    """
    if isinstance(target, GDP):
        mu = target.mu
    elif isinstance(target, AtMost):
        mu = target.risk.steering_mu(target.value)
    else:
        raise DomainError("target", "a GDP or AtMost(risk, value)", got=kind_of(target))
    if mu == 0:
        raise DomainError(
            None,
            problem=f"target {target} is out of reach: only a release that says nothing meets it",
            advice="allow more",
        )
    if mu == math.inf:
        raise DomainError(
            None, problem=f"target {target} asks for nothing: every release meets it", advice="allow less"
        )
    return mu
