"""mu-GDP, no attack does better than telling N(0, 1) from N(mu, 1); and mu-GDP that fails with a small probability."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from scipy import special

from gaussdp import conversions
from gaussdp.domains import NON_NEGATIVE, PROBABILITY, Domain, evaluate, evaluated, instance, integer, number
from gaussdp.errors import DomainError
from gaussdp.guarantees.base import (
    Guarantee,
    Numbers,
    common_adjacency,
    of_delta,
    of_epsilon,
    of_fpr,
    of_recall_and_prior,
    of_tpr,
    speaking_about,
)
from gaussdp.numerics import DEEP, NUMPY, Floats, flat
from gaussdp.words import Phrase

_TPR = evaluated(flat.tpr_from_mu, mu=NON_NEGATIVE, fpr=PROBABILITY)
_FPR = evaluated(flat.fpr_from_mu, mu=NON_NEGATIVE, tpr=PROBABILITY)


@dataclass(frozen=True)
class GDP(Guarantee):
    r"""Gaussian differential privacy with parameter mu (sensitivity over sigma of one Gaussian release).

    .. math:: f(\alpha) = \Phi(\Phi^{-1}(1 - \alpha) - \mu)

    Args:
        mu: in [0, inf]; 0 means that no attack beats guessing, inf that there is no privacy.
    Reference: Dong, Roth & Su (2022), Section 2.

    >>> release = GDP(mu=0.31)
    >>> release.tpr(1e-3)
    0.00271...
    >>> release.compose(GDP(0.2)).mu
    0.36891...
    """

    title: ClassVar[str] = Phrase("Gaussian DP")
    short = "GDP"
    kind = "gdp"

    mu: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", number("mu", self.mu, NON_NEGATIVE))

    def numbers(self) -> dict[str, float]:
        return {"μ": self.mu}

    def parameters(self) -> dict[str, object]:
        return {"mu": self.mu}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = conversions.fnr_from_mu(self.mu, fpr)
        return rate

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        rate: Numbers = _TPR(self.mu, fpr)
        return rate

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        rate: Numbers = _FPR(self.mu, tpr)
        return rate

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        delta: Numbers = conversions.delta_from_mu(self.mu, epsilon)
        return delta

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        epsilon: Numbers = conversions.epsilon_from_mu(self.mu, delta)
        return epsilon

    @of_fpr
    def multiplicative_advantage(self, fpr: Numbers) -> Numbers:
        ratio: Numbers = conversions.multiplicative_advantage_from_mu(self.mu, fpr)
        return ratio

    @of_recall_and_prior
    def precision(self, recall: Numbers, prior: float = 0.5) -> Numbers:
        precision: Numbers = conversions.precision_from_mu(self.mu, recall, prior)
        return precision

    def advantage(self) -> float:
        return conversions.advantage_from_mu(self.mu)

    def implied(self) -> "GDP":
        """Itself."""
        return self

    def compose(self, *others: "GDP") -> "GDP":
        """The guarantee of this release and the others together: the root of the sum of squares.

        Holds also when each release is chosen after seeing the earlier ones (Dong, Roth & Su 2022, Corollary 3.3).

        >>> GDP(3.0).compose(GDP(4.0))
        GDP(mu=5.0)
        """
        for other in others:
            instance("others", other, GDP, "GDP: compose mechanisms otherwise, and account for them")
        together = GDP(math.hypot(self.mu, *(other.mu for other in others)))
        return speaking_about(together, common_adjacency((self, *others)))

    def group(self, size: int) -> "GDP":
        """The guarantee for a group of this many people: size times mu (Dong, Roth & Su 2022, Section 2).

        >>> GDP(0.5).group(3)
        GDP(mu=1.5)
        """
        return GDP(integer("size", size, low=1) * self.mu)

    def _log_small_overlap(self, epsilon: float) -> float:
        if self.mu == math.inf:
            return -math.inf
        middle = epsilon / self.mu
        tails = special.log_ndtr([middle - self.mu / 2, -middle - self.mu / 2])
        return float(np.logaddexp(tails[0], epsilon + tails[1]))


def along(guarantee: GDP, fpr: Floats, sides: Sequence[Literal["fnr", "tpr"]]) -> list[Floats]:
    """The least FNR or the largest TPR at rates that rise from 0 to 1, for 0 < mu < inf: for curves that are drawn."""
    moved = special.ndtri(fpr) + guarantee.mu
    return [_rising(-moved if side == "fnr" else moved) for side in sides]


def _rising(x: Floats) -> Floats:
    """Phi of numbers that rise or fall from one infinity to the other, of which the least are therefore at an end."""
    curve: Floats = special.ndtr(x)
    if min(curve.item(1), curve.item(-2)) < DEEP:
        curve[1:-1] = NUMPY.full_ndtr(x[1:-1])
    return curve


def at_least(mu: float, error: float = 1e-15) -> GDP:
    """The GDP that follows, of a mu that was computed to this relative error: a guarantee rounds up."""
    return GDP(mu * (1 + error))


def mu_with_overlap(log_overlap: float) -> float:
    """The mu with this logarithm of 1 - delta(0), which is erfc(mu / sqrt 8)."""
    if log_overlap > -0.5:
        return math.sqrt(8) * float(special.erfinv(-math.expm1(log_overlap)))
    return -2 * float(special.ndtri_exp(log_overlap - math.log(2)))


@dataclass(frozen=True, init=False, repr=False)
class ApproxGDP(Guarantee):
    r"""(mu, delta)-GDP: no attack does better than on a mu-GDP release that reveals everything with probability delta.

    .. math:: \delta_M(\varepsilon) \le \delta + (1 - \delta)\,\delta_\mu(\varepsilon),\qquad
              f(\alpha) = (1 - \delta)\, f_\mu\bigl(\alpha / (1 - \delta)\bigr)

    Args:
        mu: in [0, inf].
        delta: in [0, 1]; kept as `delta_bound`.
    Reference: Dong, Roth & Su (2022), Section 3: composition with the curve of (0, delta)-DP.

    >>> ApproxGDP(3.0, 1e-6).compose(GDP(4.0), ApproxGDP(0.0, 1e-6))
    ApproxGDP(mu=5.0, delta=1.999999e-06)
    """

    title: ClassVar[str] = Phrase("Gaussian DP with slack")
    short: ClassVar[str] = Phrase("GDP with slack")
    kind = "approximate-gdp"

    mu: float
    delta_bound: float
    _held: GDP = field(compare=False)  # what holds unless it fails

    def __init__(self, mu: float, delta: float) -> None:
        object.__setattr__(self, "mu", number("mu", mu, NON_NEGATIVE))
        object.__setattr__(self, "delta_bound", number("delta", delta, PROBABILITY))
        object.__setattr__(self, "_held", GDP(self.mu))

    def __repr__(self) -> str:
        return f"ApproxGDP(mu={self.mu}, delta={self.delta_bound})"

    def numbers(self) -> dict[str, float]:
        return {"μ": self.mu, "δ": self.delta_bound}

    def parameters(self) -> dict[str, object]:
        return {"mu": self.mu, "delta": self.delta_bound}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        return self._read(lambda level: self._rest * self._held.fnr(self._share(level)), "fpr", fpr, PROBABILITY)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._read(
            lambda level: np.minimum(self.delta_bound + self._rest * self._held.tpr(self._share(level)), 1.0),
            "fpr",
            fpr,
            PROBABILITY,
        )

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        return self._read(lambda level: self._rest * self._held.fpr(self._beyond(level)), "tpr", tpr, PROBABILITY)

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        return self._read(
            lambda level: np.minimum(self.delta_bound + self._rest * self._held.delta(level), 1.0),
            "epsilon",
            epsilon,
            NON_NEGATIVE,
        )

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        return self._read(
            lambda level: np.where(level < self.delta_bound, np.inf, self._held.epsilon(self._beyond(level))),
            "delta",
            delta,
            PROBABILITY,
        )

    def implied(self) -> GDP:
        """The GDP that it implies: only delta = 0 implies one.

        Raises:
            DomainError: if delta > 0; with that probability everything may be revealed, which no finite mu allows.
        """
        if self.delta_bound == 0:
            return speaking_about(GDP(self.mu), self.adjacency)
        raise DomainError(
            None,
            problem=f"no finite mu follows from {self}: with probability delta it may reveal everything, which "
            "mu-GDP never does",
            advice="compose it as it is, or account for the mechanism itself",
        )

    def compose(self, *others: "GDP | ApproxGDP") -> "ApproxGDP":
        """The guarantee of this release and the others together, also if each is chosen after seeing the earlier ones.

        The root of the sum of squares, and the probability that one of them fails.
        """
        for other in others:
            instance("others", other, (GDP, ApproxGDP), "GDP or ApproxGDP")
        failing = [other.delta_bound for other in (self, *others) if isinstance(other, ApproxGDP)]
        fails = 1.0 if 1.0 in failing else -math.expm1(math.fsum(math.log1p(-delta) for delta in failing))
        together = ApproxGDP(math.hypot(self.mu, *(other.mu for other in others)), fails)
        return speaking_about(together, common_adjacency((self, *others)))

    @property
    def _rest(self) -> float:
        return 1 - self.delta_bound

    def _share(self, level: Floats) -> Floats:
        """A rate among the cases in which it holds."""
        return np.minimum(level / self._rest, 1.0) if self._rest else np.ones_like(level)

    def _beyond(self, level: Floats) -> Floats:
        """The part of a rate that failing does not explain, among the cases in which it holds."""
        return np.maximum(level - self.delta_bound, 0.0) / self._rest if self._rest else np.ones_like(level)

    def _read(self, kernel: Callable[[Floats], Floats], name: str, value: Numbers, domain: Domain) -> Numbers:
        result: Numbers = evaluate(kernel, **{name: (value, domain)})
        return result
