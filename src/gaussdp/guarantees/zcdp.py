"""What a zero-concentrated DP statement implies, for a mechanism of which nothing else is known."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.domains import FINITE_NON_NEGATIVE, Domain, number
from gaussdp.guarantees.gaussian import GDP
from gaussdp.guarantees.numeric import LARGEST_EPSILON, ProfilePoints
from gaussdp.guarantees.renyi_region import tangent_statements
from gaussdp.numerics import Floats

_LARGEST = Domain(0.0, 1e200, meant=FINITE_NON_NEGATIVE)


@dataclass(frozen=True)
class ZCDPSettings:
    """What is tuned about the points of a profile."""

    points: int = 4096  # of the profile
    deepest: float = 400.0  # minus log delta at the last point
    halvings: int = 70  # of an interval, down to the last digits of a double
    tail: float = 3.0  # standard deviations beyond which the gap between a quantile and its bound is convex and falls
    rounding: float = 1e-12  # added to each delta, relative to it


SETTINGS = ZCDPSettings()


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ZCDP(ProfilePoints):
    r"""Zero-concentrated DP: Renyi divergences of every order alpha > 1 are at most xi + rho alpha.

    The curve is the boundary of all error rates that those divergences allow a yes-or-no attack, the least that holds
    for every such mechanism (docs/mechanisms.md); far below any delta of interest

    .. math:: \delta(\varepsilon) = \min_{\alpha > 1} \frac{e^{(\alpha-1)(\xi + \rho\alpha - \varepsilon)}}{\alpha}
              \Bigl(1 - \frac1\alpha\Bigr)^{\alpha-1}

    is as tight. A Gaussian release is rho-zCDP with rho = mu^2 / 2, but rho-zCDP alone implies a larger mu than
    sqrt(2 rho): this guarantee holds for every mechanism that meets the statement. For a release that *is* Gaussian use
    `ZCDPGaussian`.

    Args:
        rho: in [0, 1e200].
        xi: in [0, 1e200]; 0 for plain rho-zCDP.
    Reference: Canonne, Kamath & Steinke (2020), Proposition 12; Bun & Steinke (2016), Section 8.

    >>> ZCDP(rho=0.5).epsilon(1e-5)
    4.7284...
    >>> GDP(1.0).epsilon(1e-5)    # the Gaussian release with this rho
    4.3771...
    """

    title = short = "zCDP"
    kind = "zcdp"

    rho: float
    xi: float

    def __init__(self, rho: float, xi: float = 0.0) -> None:
        rate, shift = number("rho", rho, _LARGEST), number("xi", xi, _LARGEST)
        if rate == 0 and shift <= LARGEST_EPSILON:
            super().__init__([shift], [0.0])  # a bound on every order bounds the loss itself
        else:
            last = min(shift + rate + 2 * math.sqrt(SETTINGS.deepest * rate), LARGEST_EPSILON)
            epsilons = np.linspace(0.0, last, SETTINGS.points)
            with np.errstate(over="ignore"):
                deltas = np.minimum(np.exp(_log_delta(rate, shift, epsilons)) * (1 + SETTINGS.rounding), 1.0)
            pinsker = math.sqrt((rate + shift) / 2) * (1 + SETTINGS.rounding)
            deltas[0] = min(deltas[0], pinsker)  # which is smaller for the tiniest
            exact, intercepts = tangent_statements(rate, shift)
            near = exact <= LARGEST_EPSILON
            super().__init__(np.append(epsilons, exact[near]), np.append(deltas, intercepts[near]))
        object.__setattr__(self, "rho", rate)
        object.__setattr__(self, "xi", shift)

    def __repr__(self) -> str:
        return f"ZCDP(rho={self.rho}, xi={self.xi})" if self.xi else f"ZCDP(rho={self.rho})"

    def numbers(self) -> dict[str, float]:
        return {"ρ": self.rho, "ξ": self.xi} if self.xi else {"ρ": self.rho}

    def parameters(self) -> dict[str, object]:
        return {"rho": self.rho, "xi": self.xi}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZCDP) and (self.rho, self.xi) == (other.rho, other.xi)

    def __hash__(self) -> int:
        return hash((ZCDP, self.rho, self.xi))

    def implied(self) -> GDP:
        r"""A GDP guarantee that this statement implies, with mu above the sqrt(2 rho) of a Gaussian release.

        The largest mu of the curve down to its smallest kink; for the smaller FPRs, with z = sqrt(-2 log fpr), the
        bound tpr <= (1 + e^xi) exp(-(z - sqrt(2 rho))^2 / 2) holds, and the mu that it allows falls with z.
        """
        corner = (1 - self.deltas[0]) / (1 + np.exp(self.epsilons[0]))
        if corner == 0:
            return GDP(math.inf)  # nothing is promised
        if self.rho == 0:
            return super().implied()
        kinks = np.append(self._kinks[(self._kinks > 0) & (self._kinks < corner)], corner)
        return GDP(max(float(np.max(self.mu_at_fpr(kinks))), self._mu_below(float(kinks.min()))))

    def _mu_below(self, fpr: float) -> float:
        """A bound on mu at all smaller FPRs; inf where the tail bound does not reach."""
        root = math.sqrt(2 * self.rho)
        near = math.sqrt(-2 * math.log(fpr)) - root
        square = near * near - 2 * math.log1p(math.exp(min(self.xi, LARGEST_EPSILON)))
        if near <= 0 or square < SETTINGS.tail**2:
            return math.inf
        # With tail = sqrt(square) it is z - tail + gap(tail) - gap(z), where gap(s) = s + quantile(e^(-s^2 / 2)) is
        # convex and falls beyond SETTINGS.tail: both differences fall with z.
        return float(special.ndtri_exp(-0.5 * square) - special.ndtri(fpr))


def _log_delta(rho: float, xi: float, epsilon: Floats) -> Floats:
    """The bound at the best order; at any other order it would hold too, so the search cannot make it unsound."""
    low, high = np.full_like(epsilon, -30.0), np.full_like(epsilon, 60.0)  # of log(alpha - 1)
    for _ in range(SETTINGS.halvings):
        middle = 0.5 * (low + high)
        beyond = np.exp(middle)
        slope = (2 * beyond + 1) * rho + xi - epsilon - np.log1p(1 / beyond)
        low, high = np.where(slope < 0, middle, low), np.where(slope < 0, high, middle)
    order = 1 + np.exp(0.5 * (low + high))
    return log_delta_at_order(order, xi + rho * order, epsilon)


def log_delta_at_order(order: Floats, divergence: Floats, epsilon: Floats) -> Floats:
    """log delta at epsilon from a bound on the Renyi divergence of one order, above 1."""
    beyond = order - 1
    return beyond * (divergence - epsilon) - special.xlog1py(beyond, 1 / beyond) - np.log1p(beyond)
