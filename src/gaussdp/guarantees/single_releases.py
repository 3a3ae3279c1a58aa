"""Guarantees of single releases in closed form: Laplace noise, and choices of bounded range."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from gaussdp.domains import FINITE_NON_NEGATIVE, NON_NEGATIVE, PROBABILITY, Domain, evaluate, number
from gaussdp.guarantees.approximate import implied_mu
from gaussdp.guarantees.base import Guarantee, Numbers, of_delta, of_epsilon, of_fpr, of_tpr
from gaussdp.guarantees.gaussian import GDP, at_least, mu_with_overlap
from gaussdp.numerics import Floats
from gaussdp.words import Phrase


@dataclass(frozen=True)
class BoundedRange(Guarantee):
    r"""No attack adds more than eta to the log odds of its false-positive rate.

    .. math:: f(\alpha) = \frac{e^{-\eta}(1 - \alpha)}{\alpha + e^{-\eta}(1 - \alpha)},\qquad
              \delta(\varepsilon) = \frac{(1 - e^{(\varepsilon - \eta)/2})^2}{1 - e^{-\eta}}

    The curve of telling Logistic(0, 1) from Logistic(eta, 1), and the lower envelope of all pairs whose privacy losses
    differ by at most eta (docs/mechanisms.md has the proof).

    Args:
        eta: largest difference of two privacy losses, in [0, inf).
    Reference: Dong, Durfee & Rogers (2020), Optimal differential privacy composition for exponential mechanisms.

    >>> BoundedRange(1.0).implied()    # pure DP with epsilon = 1 implies 1.232
    GDP(mu=0.62389...)
    """

    title: ClassVar[str] = Phrase("Bounded range")
    short: ClassVar[str] = Phrase("bounded range")

    eta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", number("eta", self.eta, FINITE_NON_NEGATIVE))

    def numbers(self) -> dict[str, float]:
        return {"η": self.eta}

    def parameters(self) -> dict[str, object]:
        return {"eta": self.eta}

    @of_fpr
    def fnr(self, fpr: Numbers) -> Numbers:
        return self._read(lambda eta, level: _fnr(eta, level, 1 - level), "fpr", fpr, PROBABILITY)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._read(_tpr, "fpr", fpr, PROBABILITY)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        return self._read(lambda eta, level: _fnr(eta, 1 - level, level), "tpr", tpr, PROBABILITY)

    @of_epsilon
    def delta(self, epsilon: Numbers) -> Numbers:
        return self._read(_delta, "epsilon", epsilon, NON_NEGATIVE)

    @of_delta
    def epsilon(self, delta: Numbers) -> Numbers:
        def kernel(eta: float, level: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                inner: Floats = eta + 2 * np.log1p(-np.sqrt(level * -math.expm1(-eta)))
            return np.maximum(inner, 0.0)

        return self._read(kernel, "delta", delta, PROBABILITY)

    def implied(self) -> GDP:
        r"""The GDP curve that touches where both error rates are equal.

        .. math:: \mu = 2\Phi^{-1}\Bigl(\frac{e^{\eta/2}}{1 + e^{\eta/2}}\Bigr)
        """
        return at_least(implied_mu(0.5 * self.eta))

    def _read(self, kernel: Callable[[float, Floats], Floats], name: str, value: Numbers, domain: Domain) -> Numbers:
        result: Numbers = evaluate(lambda v: kernel(self.eta, v), **{name: (value, domain)})
        return result


def _fnr(eta: float, fpr: Floats, tnr: Floats) -> Floats:
    """FNR from the FPR and its complement, so that either may be small."""
    left = np.exp(-eta) * tnr
    return np.where(fpr > 0, left / np.where(fpr > 0, fpr + left, 1.0), 1.0)


def _tpr(eta: float, fpr: Floats) -> Floats:
    return np.where(fpr > 0, fpr / np.where(fpr > 0, fpr + np.exp(-eta) * (1 - fpr), 1.0), 0.0)


def _delta(eta: float, epsilon: Floats) -> Floats:
    if eta == 0:
        return np.zeros_like(epsilon)
    delta: Floats = np.expm1(0.5 * np.minimum(epsilon - eta, 0.0)) ** 2 / -math.expm1(-eta)
    return delta


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
        return self._read(lambda epsilon, level: _laplace_fnr(epsilon, level, 1 - level), "fpr", fpr, PROBABILITY)

    @of_fpr
    def tpr(self, fpr: Numbers) -> Numbers:
        return self._read(_laplace_tpr, "fpr", fpr, PROBABILITY)

    @of_tpr
    def fpr(self, tpr: Numbers) -> Numbers:
        return self._read(lambda epsilon, level: _laplace_fnr(epsilon, 1 - level, level), "tpr", tpr, PROBABILITY)

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
        return at_least(mu_with_overlap(-0.5 * self.epsilon_bound))

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


def _laplace_fnr(epsilon: float, fpr: Floats, tnr: Floats) -> Floats:
    """FNR from the FPR and its complement, so that either may be small."""
    first, shrink = math.exp(min(epsilon, 709.0)), math.exp(-epsilon)
    low = 0.5 * shrink
    middle = 0.5 * low / np.maximum(fpr, low)
    steep = (fpr < low) | (fpr == 0)  # where low is below the doubles, 0 is still below it
    return np.where(steep, 1 - np.minimum(first * fpr, 0.5), np.where(fpr <= 0.5, middle, shrink * tnr))


def _laplace_tpr(epsilon: float, fpr: Floats) -> Floats:
    low = 0.5 * math.exp(-epsilon)
    small = np.minimum(math.exp(min(epsilon, 709.0)) * fpr, 0.5)
    return np.where((fpr < low) | (fpr == 0), small, 1 - _laplace_fnr(epsilon, fpr, 1 - fpr))
