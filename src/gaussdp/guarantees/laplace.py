"""The guarantee of one Laplace release, in closed form."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from gaussdp.domains import FINITE_NON_NEGATIVE, NON_NEGATIVE, PROBABILITY, Domain, evaluate, number
from gaussdp.guarantees.base import Guarantee, Numbers
from gaussdp.guarantees.gaussian import GDP, mu_with_overlap
from gaussdp.guarantees.vectorised import of_delta, of_epsilon, of_fpr, of_tpr
from gaussdp.numerics import Floats
from gaussdp.words import Phrase


@dataclass(frozen=True, init=False, repr=False)
class LaplaceDP(Guarantee):
    r"""No attack does better than telling Laplace(0, 1) from Laplace(epsilon, 1).

    .. math::
        f(\alpha) = 1 - e^{\varepsilon}\alpha,\; \frac{e^{-\varepsilon}}{4\alpha},\; e^{-\varepsilon}(1 - \alpha)
        \quad\text{up to}\quad \alpha = \tfrac12 e^{-\varepsilon},\; \tfrac12,\; 1

    Args:
        epsilon: sensitivity over the scale of the noise, in [0, inf); kept as `epsilon_bound`.
    Reference: Dong, Roth & Su (2022), Section 2.

    >>> LaplaceDP(1.0).advantage()
    0.39346...
    >>> LaplaceDP(1.0).implied()
    GDP(mu=1.03006...)
    """

    title: ClassVar[str] = Phrase("One Laplace release")
    short: ClassVar[str] = Phrase("Laplace noise")

    epsilon_bound: float

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon_bound", number("epsilon", epsilon, FINITE_NON_NEGATIVE))

    def __repr__(self) -> str:
        return f"LaplaceDP(epsilon={self.epsilon_bound})"

    def numbers(self) -> dict[str, float]:
        return {"ε": self.epsilon_bound}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        return self._read(lambda epsilon, level: _fnr(epsilon, level, 1 - level), "fpr", fpr, PROBABILITY)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._read(_tpr, "fpr", fpr, PROBABILITY)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        return self._read(lambda epsilon, level: _fnr(epsilon, 1 - level, level), "tpr", tpr, PROBABILITY)

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        def kernel(bound: float, e: Floats) -> Floats:
            return np.where(e < bound, -np.expm1(0.5 * (e - bound)), 0.0)

        return self._read(kernel, "epsilon", epsilon, NON_NEGATIVE)

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        def kernel(bound: float, d: Floats) -> Floats:
            return np.maximum(bound + 2 * np.log1p(-d), 0.0)

        return self._read(kernel, "delta", delta, PROBABILITY)

    def implied(self) -> GDP:
        r"""The GDP curve that touches where both error rates are equal.

        .. math:: \mu = -2\Phi^{-1}(\tfrac12 e^{-\varepsilon/2})

        On the middle piece the logarithms of the two rates have a constant sum, and the normal quantile is concave in
        the logarithm of its level, so mu is largest where they are equal; on a straight piece it is largest at an end.
        """
        return GDP(mu_with_overlap(-0.5 * self.epsilon_bound))

    @classmethod
    def from_mu(cls, mu: float) -> "LaplaceDP":
        """The largest epsilon whose Laplace release is mu-GDP: minus two times log erfc(mu / sqrt 8).

        >>> LaplaceDP.from_mu(1.0).epsilon_bound
        0.9655...
        """
        level = number("mu", mu, FINITE_NON_NEGATIVE)
        if level < 1:
            return cls(-2 * math.log1p(-math.erf(level / math.sqrt(8))))
        return cls(-2 * (math.log(2) + float(special.log_ndtr(-0.5 * level))))

    def _log_small_overlap(self, epsilon: float) -> float:
        return 0.5 * (epsilon - self.epsilon_bound)

    def _read(self, kernel: Callable[[float, Floats], Floats], name: str, value: Numbers, domain: Domain) -> Numbers:
        result: Numbers = evaluate(lambda v: kernel(self.epsilon_bound, v), **{name: (value, domain)})
        return result


def _fnr(epsilon: float, fpr: Floats, tnr: Floats) -> Floats:
    """FNR from the FPR and its complement, so that either may be small."""
    first, shrink = math.exp(min(epsilon, 709.0)), math.exp(-epsilon)
    low = 0.5 * shrink
    middle = 0.5 * low / np.maximum(fpr, low)
    steep = (fpr < low) | (fpr == 0)  # where low is below the doubles, 0 is still below it
    return np.where(steep, 1 - np.minimum(first * fpr, 0.5), np.where(fpr <= 0.5, middle, shrink * tnr))


def _tpr(epsilon: float, fpr: Floats) -> Floats:
    low = 0.5 * math.exp(-epsilon)
    small = np.minimum(math.exp(min(epsilon, 709.0)) * fpr, 0.5)
    return np.where((fpr < low) | (fpr == 0), small, 1 - _fnr(epsilon, fpr, 1 - fpr))
