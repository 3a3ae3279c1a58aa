"""The guarantee of one release of bounded range, such as the exponential mechanism, in closed form."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gaussdp.domains import FINITE_NON_NEGATIVE, NON_NEGATIVE, PROBABILITY, Domain, evaluate, number
from gaussdp.guarantees.approximate import implied_mu
from gaussdp.guarantees.base import Guarantee, Numbers
from gaussdp.guarantees.gaussian import GDP
from gaussdp.guarantees.vectorised import of_delta, of_epsilon, of_fpr, of_tpr
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
        return GDP(implied_mu(0.5 * self.eta))

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
