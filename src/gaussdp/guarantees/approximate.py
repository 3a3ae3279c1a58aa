"""(epsilon, delta)-DP, and pure epsilon-DP as its case delta = 0: piecewise linear curves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from gaussdp.domains import (
    LEVEL,
    NON_NEGATIVE,
    PROBABILITY,
    Domain,
    evaluate,
    evaluated,
    number,
    reading_several,
    readings,
)
from gaussdp.errors import DomainError
from gaussdp.guarantees.base import Guarantee, Numbers, of_delta, of_epsilon, of_fpr, of_recall, of_tpr
from gaussdp.guarantees.gaussian import GDP, at_least
from gaussdp.numerics import LARGEST_EXPONENT, NUMPY, SINGLE, Array, Floats, Formula, Kernel, Operations, flat
from gaussdp.words import Phrase

_SQRT_8 = math.sqrt(8)


@dataclass(frozen=True, init=False, repr=False)
class ApproxDP(Guarantee):
    r"""Approximate differential privacy: no test's TPR exceeds e^epsilon FPR + delta, nor FPR e^epsilon TPR + delta.

    .. math:: f(\alpha) = \max\{0,\; 1 - \delta - e^{\varepsilon}\alpha,\; e^{-\varepsilon}(1 - \delta - \alpha)\}

    The parameters are kept as `epsilon_bound` and `delta_bound`; `epsilon(delta)` and `delta(epsilon)` read the whole
    profile that they imply.

    Args:
        epsilon: in [0, inf].
        delta: in [0, 1].
    Reference: Wasserman & Zhou (2010); Dong, Roth & Su (2022), Section 2.

    >>> ApproxDP(epsilon=1.0, delta=1e-5).tpr(1e-3)
    0.00272...
    """

    title: ClassVar[str] = Phrase("Approximate DP")
    short = "DP"
    kind = "approximate-dp"

    epsilon_bound: float
    delta_bound: float

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon_bound", number("epsilon", epsilon, NON_NEGATIVE))
        object.__setattr__(self, "delta_bound", number("delta", delta, PROBABILITY))

    def __repr__(self) -> str:
        return f"ApproxDP(epsilon={self.epsilon_bound}, delta={self.delta_bound})"

    def numbers(self) -> dict[str, float]:
        return {"ε": self.epsilon_bound, "δ": self.delta_bound}

    def parameters(self) -> dict[str, object]:
        return {"epsilon": self.epsilon_bound, "delta": self.delta_bound}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        return self._read(_fnr, "fpr", fpr, PROBABILITY)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._read(_tpr, "fpr", fpr, PROBABILITY)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        return self._read(_fpr, "tpr", tpr, PROBABILITY)

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        return self._read(_delta, "epsilon", epsilon, NON_NEGATIVE)

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        return self._read(_epsilon, "delta", delta, PROBABILITY)

    def implied(self) -> GDP:
        """The GDP that this guarantee implies: only delta = 0 implies one.

        Raises:
            DomainError: if delta > 0; with probability delta such a mechanism may reveal everything, which no finite
                mu allows.
        """
        if self.delta_bound == 0:
            return PureDP(self.epsilon_bound).implied()
        raise DomainError(
            None,
            problem=f"no finite mu follows from {self}: with probability delta it may reveal everything, which "
            "mu-GDP never does",
            advice="account for the mechanism itself, or match a risk with choose()",
        )

    def _log_small_overlap(self, epsilon: float) -> float:
        if self.epsilon_bound == math.inf or self.delta_bound == 1:
            return -math.inf
        grown = np.logaddexp(0.0, [min(epsilon, self.epsilon_bound), self.epsilon_bound])
        return math.log1p(-self.delta_bound) + float(grown[0] - grown[1])

    def _read(self, kernel: Kernel, name: str, value: Numbers, domain: Domain) -> Numbers:
        if type(value) is float and domain.low < value < domain.high and reading_several():  # the shortest way
            try:
                return float(kernel(SINGLE, self.epsilon_bound, self.delta_bound, value))
            except ArithmeticError:  # where Python's numbers raise and NumPy's go on
                pass
        result: Numbers = evaluate(
            Formula(lambda xp, v: kernel(xp, self.epsilon_bound, self.delta_bound, v)), **{name: (value, domain)}
        )
        return result


@dataclass(frozen=True, init=False, repr=False)
class PureDP(ApproxDP):
    r"""Pure differential privacy: no test's TPR/FPR leaves [e^-epsilon, e^epsilon].

    .. math:: f(\alpha) = \max\{0,\; 1 - e^{\varepsilon}\alpha,\; e^{-\varepsilon}(1 - \alpha)\}

    Args:
        epsilon: in [0, inf]; kept as `epsilon_bound`.
    Reference: Dwork, McSherry, Nissim & Smith (2006); Dong, Roth & Su (2022), Section 2.

    >>> PureDP(1.0).multiplicative_advantage(1e-3)
    2.71828...
    >>> PureDP(1.0).implied()
    GDP(mu=1.23203...)
    """

    title: ClassVar[str] = Phrase("Pure DP")
    short: ClassVar[str] = Phrase("pure DP")
    kind = "pure-dp"

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon_bound", number("epsilon", epsilon, NON_NEGATIVE))
        object.__setattr__(self, "delta_bound", 0.0)

    def __repr__(self) -> str:
        return f"PureDP(epsilon={self.epsilon_bound})"

    def numbers(self) -> dict[str, float]:
        return {"ε": self.epsilon_bound}

    def parameters(self) -> dict[str, object]:
        return {"epsilon": self.epsilon_bound}

    def implied(self) -> GDP:
        r"""The GDP that every epsilon-DP mechanism satisfies, touching its curve at the kink.

        .. math:: \mu = 2\Phi^{-1}(e^\varepsilon / (1 + e^\varepsilon))

        The mu is not below the exact one, and above it by less than 2e-15 of it (tested).

        This is implication. A budget *matched* to epsilon at a level (`choose`) is another thing, and smaller.
        """
        return at_least(implied_mu(self.epsilon_bound))

    @of_fpr
    def mu_at_fpr(self, fpr: Numbers) -> Numbers:
        mu: Numbers = _MU_AT_FPR(self.epsilon_bound, fpr)
        return mu

    @of_recall
    def mu_at_recall(self, recall: Numbers) -> Numbers:
        # Symmetry turns the point at this recall into the point at FPR 1 - recall, on the steep piece beyond the kink.
        mu: Numbers = _MU_AT_RECALL(self.epsilon_bound, recall)
        return mu

    @of_delta
    def mu_at_delta(self, delta: Numbers) -> Numbers:
        mu: Numbers = _MU_AT_DELTA(self.epsilon_bound, delta)
        return mu


def along(guarantee: ApproxDP, fpr: Floats, sides: Sequence[Literal["fnr", "tpr"]]) -> list[Floats]:
    """The least FNR or the largest TPR at rates that are known to lie in [0, 1]: for curves that are drawn."""
    epsilon, delta = guarantee.epsilon_bound, guarantee.delta_bound
    with readings():
        grown = _grown(NUMPY, epsilon, fpr)
        return [(_fnr if side == "fnr" else _tpr)(NUMPY, epsilon, delta, fpr, grown) for side in sides]


def implied_mu(epsilon: Any) -> Any:
    """The least mu that epsilon-DP implies, 2 Phi^-1(e^eps / (1 + e^eps)); takes floats or arrays in [0, inf]."""
    return evaluate(_implied_mu, epsilon=(epsilon, NON_NEGATIVE))


_MU_AT_FPR = evaluated(flat.mu_from_multiplicative_advantage, epsilon=NON_NEGATIVE, fpr=LEVEL)


@Formula
def pure_mu_at_recall(xp: Operations, epsilon: Array, recall: Array) -> Array:
    """The mu of the GDP curve through the point of pure DP at a recall."""
    beyond = recall > 1 / (1 + xp.exp(-epsilon))
    return xp.either(beyond, _mu_beyond_the_kink, flat.mu_from_precision.value, (epsilon, 1.0), (recall, 0.5))


_MU_AT_RECALL = evaluated(pure_mu_at_recall, epsilon=NON_NEGATIVE, recall=LEVEL)


def _mu_beyond_the_kink(xp: Operations, epsilon: Array, recall: Array) -> Array:
    return flat.mu_from_multiplicative_advantage.value(xp, epsilon, 1 - recall)


@Formula
def pure_mu_at_delta(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The mu whose profile has the epsilon of pure DP at a delta."""
    least = xp.either(delta < 0.5, _epsilon_near, _epsilon_far, (epsilon, 1.0), (delta, 0.5))
    return flat.mu_from_profile.value(xp, xp.larger(least, 0.0), delta)


_MU_AT_DELTA = evaluated(pure_mu_at_delta, epsilon=NON_NEGATIVE, delta=LEVEL)


def _epsilon_near(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The epsilon of pure DP at this delta, where it is near the one at 0."""
    return epsilon + xp.log1p(-xp.smaller(delta * (1 + xp.exp(-epsilon)), 1.0))


def _epsilon_far(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The same from 1 + e^epsilon = (1 + e^bound) (1 - delta)."""
    grown = xp.larger(xp.log(1 - delta) + (epsilon + xp.log1p(xp.exp(-epsilon))), 0.0)
    return grown + xp.log(-xp.expm1(-grown))


@Formula
def _implied_mu(xp: Operations, epsilon: Array) -> Array:
    return xp.either(epsilon < 1, _implied_near, _implied_far, (epsilon, 1.0))


def _implied_near(xp: Operations, epsilon: Array) -> Array:
    return _SQRT_8 * xp.erfinv(np.tanh(epsilon / 2))


def _implied_far(xp: Operations, epsilon: Array) -> Array:
    return -2 * xp.ndtri_exp(-np.logaddexp(0.0, epsilon))


def _fnr(xp: Operations, epsilon: float, delta: float, fpr: Array, grown: Array | None = None) -> Array:
    steep = 1 - delta - (_grown(xp, epsilon, fpr) if grown is None else grown)
    flat = math.exp(-epsilon) * (1 - delta - fpr)
    return xp.larger(xp.larger(steep, flat), 0.0)


def _tpr(xp: Operations, epsilon: float, delta: float, fpr: Array, grown: Array | None = None) -> Array:
    steep = _beside(delta, _grown(xp, epsilon, fpr) if grown is None else grown)
    flat = -math.expm1(-epsilon) + math.exp(-epsilon) * _beside(delta, fpr)
    return xp.smaller(xp.smaller(steep, flat), 1.0)


def _beside(delta: float, rate: Array) -> Array:
    """delta + rate; pure DP, which is asked most, has nothing to add."""
    return delta + rate if delta else rate


def _fpr(xp: Operations, epsilon: float, delta: float, tpr: Array) -> Array:
    flat = math.exp(-epsilon) * (tpr - delta)
    steep = 1 - delta - _grown(xp, epsilon, 1 - tpr)
    return xp.larger(xp.larger(flat, steep), 0.0)


def _delta(xp: Operations, bound: float, delta: float, epsilon: Array) -> Array:
    """delta + (1 - delta) (e^bound - e^epsilon) / (1 + e^bound), and delta from the bound on."""
    if bound == math.inf:
        return 1.0 + 0.0 * np.minimum(epsilon, 0.0)
    inner = -np.expm1(np.minimum(epsilon - bound, 0.0)) / (1 + math.exp(-bound))
    return np.maximum(delta + (1 - delta) * inner, 0.0)


def _epsilon(xp: Operations, bound: float, delta: float, level: Array) -> Array:
    """The epsilon with 1 + e^epsilon = (1 + e^bound) (1 - level) / (1 - delta); inf below delta.

    Where the level is near delta, that is bound + log1p(-t (1 + e^-bound)) with t the part of the level beyond delta.
    """
    if bound == math.inf or delta == 1:
        return xp.where(level < 1, math.inf, 0.0)
    beyond = xp.larger((level - delta) / (1 - delta), 0.0)

    def near(xp: Operations, beyond: Array, level: Array) -> Array:
        return bound + xp.log1p(-xp.smaller(beyond * (1 + math.exp(-bound)), 1.0))

    def far(xp: Operations, beyond: Array, level: Array) -> Array:
        grown = xp.larger(xp.log((1 - level) / (1 - delta)) + np.logaddexp(0.0, bound), 0.0)
        return grown + xp.log(-xp.expm1(-grown))

    inner = xp.larger(xp.either(beyond < 0.5, near, far, (beyond, 0.0), (level, 1.0)), 0.0)
    return xp.where(level < delta, math.inf, inner)


def _grown(xp: Operations, epsilon: float, rate: Array) -> Array:
    """e^epsilon rate, with 0 staying 0 when the factor overflows; no privacy at all lets even it grow."""
    if epsilon == math.inf:
        return rate + math.inf
    if epsilon < LARGEST_EXPONENT:
        return xp.exp(epsilon) * rate
    return xp.where(rate > 0, xp.exp(epsilon) * rate, 0.0)
