"""What a calibration must meet: a GDP budget, or an upper bound on one risk."""

import math
from dataclasses import dataclass

from gaussdp.domains import FINITE, kind_of, number
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.risks import Risk


@dataclass(frozen=True)
class AtMost:
    """A bound on one risk, read off the exact curve of the mechanism.

    Args:
        risk: such as `Advantage()`, `TruePositiveRate(fpr=1e-3)` or `Profile(delta=1e-6)`.
        value: the largest value allowed, one that some mu has.

    >>> from gaussdp import Advantage
    >>> AtMost(Advantage(), 0.1)
    AtMost(risk=Advantage(), value=0.1)
    """

    risk: Risk
    value: float

    def __post_init__(self) -> None:
        if not isinstance(self.risk, Risk):
            raise DomainError("risk", "a risk such as Advantage()", self.risk)
        object.__setattr__(self, "value", number("value", self.value, FINITE))
        self.risk.mu_for(self.value)

    def by_mu(self) -> GDP:
        """The same bound asked of the fitted mu instead of the curve: the GDP budget with this risk.

        >>> from gaussdp import Advantage
        >>> AtMost(Advantage(), 0.1).by_mu()
        GDP(mu=0.25132...)
        """
        mu, step = self.risk.mu_for(self.value), 1e-15
        while 0 < mu < math.inf and self.risk.of(GDP(mu)) > self.value:  # by rounding error
            mu, step = mu * max(1 - step, 0.0), 2 * step
        return GDP(mu)


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
