"""Upper bounds on one risk: what a policy may ask for, and a calibration meet."""

import math
from dataclasses import dataclass

from gaussdp.domains import FINITE, settle
from gaussdp.errors import DomainError
from gaussdp.guarantees import GDP
from gaussdp.risks.base import Risk


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
        settle(self, value=FINITE)
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

    @property
    def words(self) -> str:
        """What is asked for: "an attack finds at most 1% of the members with 1 false alarm in 1,000 nonmembers"."""
        return self.risk.limited(self.value)
