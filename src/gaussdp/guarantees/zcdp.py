r"""What a zero-concentrated DP statement implies, for a mechanism of which nothing else is known.

Bounds on all Renyi divergences allow an attack an exact region of error rates, found as tangent lines. An attack with
FPR x and TPR y turns the release into one bit, whose divergences are no larger, and every such pair of bits is itself a
release. So x and y are possible exactly if, for every order a > 1,

.. math:: \log\bigl(y^a x^{1-a} + (1-y)^a (1-x)^{1-a}\bigr) \le (a - 1)(\xi + \rho a),

the same holds with x and y exchanged, and in the limit :math:`a \to 1` the Kullback-Leibler divergence is at most
:math:`\xi + \rho`. Divergences are jointly quasi-convex, so each order allows a convex region, and the tangent to one
of their level sets at any point outside is an (epsilon, delta) statement that holds. The searches below choose orders
and points; where they miss the best ones, statements are looser and still hold. Rates are carried as log odds, which
keep the digits of rates near 0 and near 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from gaussdp.domains import FINITE_NON_NEGATIVE, Domain, number
from gaussdp.guarantees.gaussian import GDP, at_least
from gaussdp.guarantees.numeric import CORNERS, LARGEST_EPSILON, ProfilePoints
from gaussdp.numerics import Booleans, Floats


@dataclass(frozen=True)
class RegionSettings:
    """What is tuned about the region."""

    points: int = 1024
    deepest: float = 400.0  # minus log of the TPR at the last point
    orders: int = 100  # tried for the corner
    least_order: float = 1.01  # below, divergences are quotients of small numbers, and the limit serves
    most_at_corner: float = 1e3
    largest_order: float = 1e6
    halvings: int = 58
    turns: int = 12  # of Newton's method for the best order and its TPR
    rounding: float = 1e-15
    """Of a term of the logarithm of a moment, relative to its size; a point must be outside by this much."""
    slack: float = 1e-12  # added to delta, as a share of the TPR and of delta


REGION = RegionSettings()


def tangent_statements(rho: float, xi: float) -> tuple[Floats, Floats]:
    """Epsilons and deltas of statements that hold, and that together describe the region; for rho > 0."""
    with np.errstate(all="ignore"):
        corner = _corner(rho, xi)
        first = math.sqrt(2 * np.logaddexp(0.0, -corner))
        last = max(math.sqrt(2 * REGION.deepest) + math.sqrt(2 * rho), first + 1.0)
        fpr = _Rates.of_log(-0.5 * np.linspace(first, last, REGION.points) ** 2)
        start = np.clip(np.sqrt(-fpr.log / rho), REGION.least_order, REGION.largest_order)
        found = [_Order(order, rho, xi).tangents(fpr, -corner) for order in (start, _best_order(start, fpr, rho, xi))]
        found.append(_Limit(rho + xi).tangents(fpr, -corner))
        which = np.argmin([tpr for tpr, _ in found], axis=0)
        tpr, log_rise = (np.choose(which, column) for column in zip(*found, strict=True))
        epsilons, deltas = _lines(fpr, _Rates(tpr), log_rise)
    good = (epsilons >= 0) & (deltas > 0) & (deltas < 1)
    widest = math.tanh(-0.5 * corner) * (1 + REGION.slack)  # TPR - FPR where both errors are equal
    return np.append(0.0, epsilons[good]), np.append(min(widest, 1.0), deltas[good])


class _Rates:
    """Rates as log odds, with their logarithms and those of their complements."""

    def __init__(self, odds: Floats) -> None:
        self.odds = odds
        self.log, self.log_rest = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)

    @classmethod
    def of_log(cls, log: Floats) -> "_Rates":
        return cls(log - np.log(-np.expm1(log)))

    @property
    def rate(self) -> Floats:
        return np.exp(self.log)

    @property
    def rest(self) -> Floats:
        return np.exp(self.log_rest)


@dataclass(frozen=True)
class _Order:
    """What the divergences of these orders allow."""

    order: Floats
    rho: float
    xi: float

    def terms(self, fpr: _Rates, tpr: _Rates) -> tuple[Floats, Floats]:
        """Logarithms of the two terms of a moment."""
        a = self.order
        return a * tpr.log + (1 - a) * fpr.log, a * tpr.log_rest + (1 - a) * fpr.log_rest

    def excess(self, fpr: _Rates, tpr: _Rates) -> Floats:
        """By how much the logarithm of a moment exceeds its bound."""
        return np.logaddexp(*self.terms(fpr, tpr)) - (self.order - 1) * (self.xi + self.rho * self.order)

    def outside(self, fpr: _Rates, tpr: _Rates) -> Booleans:
        """Whether it does in spite of rounding."""
        size = self.order * (np.abs(fpr.log) + np.abs(tpr.log) + np.abs(tpr.log_rest) + 1)
        beyond: Booleans = self.excess(fpr, tpr) > REGION.rounding * size
        return beyond

    def shares(self, fpr: _Rates, tpr: _Rates) -> _Rates:
        """The shares of the two terms."""
        first, second = self.terms(fpr, tpr)
        return _Rates(first - second)

    def tangents(self, fpr: _Rates, most: float) -> tuple[Floats, Floats]:
        """Log odds of the largest TPR allowed, from outside, and log of how they rise with those of the FPR."""
        tpr = _bisected(lambda tpr: self.outside(fpr, tpr), fpr.odds, most)
        at, share = _Rates(tpr), self.shares(fpr, _Rates(tpr))
        rise = (self.order - 1) * (share.rate * fpr.rest - share.rest * fpr.rate)
        return tpr, np.log(rise / (self.order * (share.rate * at.rest - share.rest * at.rate)))


@dataclass(frozen=True)
class _Limit:
    """What the Kullback-Leibler divergence allows."""

    bound: float

    def outside(self, fpr: _Rates, tpr: _Rates) -> Booleans:
        """Whether it exceeds the bound in spite of rounding."""
        divergence = tpr.rate * (tpr.log - fpr.log) + tpr.rest * (tpr.log_rest - fpr.log_rest)
        size = np.abs(fpr.log) + np.abs(tpr.log_rest) + 1
        beyond: Booleans = divergence - self.bound > REGION.rounding * size
        return beyond

    def tangents(self, fpr: _Rates, most: float) -> tuple[Floats, Floats]:
        """As for an order."""
        tpr = _bisected(lambda tpr: self.outside(fpr, tpr), fpr.odds, most)
        at = _Rates(tpr)
        return tpr, np.log((at.rate - fpr.rate) / (at.rate * at.rest * (tpr - fpr.odds)))


def _bisected(outside: Callable[[_Rates], Booleans], low: Floats, most: float) -> Floats:
    """The least log odds that are outside, up to the most; infinite where none is."""
    high = np.full_like(low, most + 1.0)
    for _ in range(REGION.halvings):
        middle = 0.5 * (low + high)
        beyond = outside(_Rates(middle))
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return np.where(outside(_Rates(high)), high, np.inf)


def _corner(rho: float, xi: float) -> float:
    """Log odds, from outside, of the least error rate when both are equal."""
    orders = _Order(np.geomspace(REGION.least_order, REGION.most_at_corner, REGION.orders), rho, xi)
    limit, most = _Limit(rho + xi), 2 * (rho + xi) + 50.0
    by_order = _bisected(lambda odds: orders.outside(_Rates(-odds.odds), odds), np.zeros(REGION.orders), most)
    by_limit = _bisected(lambda odds: limit.outside(_Rates(-odds.odds), odds), np.zeros(1), most)
    return -float(min(by_order.min(), by_limit[0]))


def _best_order(order: Floats, fpr: _Rates, rho: float, xi: float) -> Floats:
    """Orders at which the TPR that they allow is least: there the excess is 0, and so is its slope in the order."""
    log_tpr = np.minimum((1 - 1 / order) * (xi + rho * order + fpr.log), -1e-3)
    odds = np.maximum(_Rates.of_log(log_tpr).odds, fpr.odds)
    for _ in range(REGION.turns):
        at, tpr = _Order(order, rho, xi), _Rates(odds)
        share = at.shares(fpr, tpr)
        odds = odds - np.clip(at.excess(fpr, tpr) / (order * (share.rate * tpr.rest - share.rest * tpr.rate)), -1, 1)
        odds = np.maximum(odds, fpr.odds)
        tpr = _Rates(odds)
        share = at.shares(fpr, tpr)
        slope = share.rate * (tpr.log - fpr.log) + share.rest * (tpr.log_rest - fpr.log_rest)
        slope -= xi + rho * (2 * order - 1)
        bend = share.rate * share.rest * (odds - fpr.odds) ** 2 - 2 * rho
        step = np.where(bend < 0, -slope / bend, np.sign(slope) * (order - 1))
        moved = order + np.clip(step, -0.5 * (order - 1), order - 1)
        order = np.where(np.isfinite(moved), np.clip(moved, REGION.least_order, REGION.largest_order), order)
    return order


def _lines(fpr: _Rates, tpr: _Rates, log_rise: Floats) -> tuple[Floats, Floats]:
    """The tangents at points, as the logarithms of their slopes and their intercepts."""
    epsilon = log_rise + tpr.log + tpr.log_rest - fpr.log - fpr.log_rest
    share = np.exp(epsilon + fpr.log - tpr.log)
    delta = tpr.rate * (np.maximum(1 - share, 0.0) * (1 + REGION.slack) + REGION.slack)
    return epsilon, delta


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
        object.__setattr__(self, "rho", number("rho", rho, _LARGEST))
        object.__setattr__(self, "xi", number("xi", xi, _LARGEST))

    def __getattr__(self, name: str) -> Any:
        """The points, which take a while, when they are first asked for: what states a rho may never need its curve."""
        if name not in ProfilePoints.__annotations__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        super().__init__(*_points(self.rho, self.xi))
        return getattr(self, name)

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
        return at_least(max(float(np.max(self.mu_at_fpr(kinks))), self._mu_below(float(kinks.min()))), CORNERS)

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


def _points(rho: float, xi: float) -> tuple[Floats, Floats]:
    """Epsilons and deltas of statements that hold."""
    if rho == 0 and xi <= LARGEST_EPSILON:
        return np.array([xi]), np.zeros(1)  # a bound on every order bounds the loss itself
    last = min(xi + rho + 2 * math.sqrt(SETTINGS.deepest * rho), LARGEST_EPSILON)
    epsilons = np.linspace(0.0, last, SETTINGS.points)
    with np.errstate(over="ignore"):
        deltas = np.minimum(np.exp(_log_delta(rho, xi, epsilons)) * (1 + SETTINGS.rounding), 1.0)
    pinsker = math.sqrt((rho + xi) / 2) * (1 + SETTINGS.rounding)
    deltas[0] = min(deltas[0], pinsker)  # which is smaller for the tiniest
    exact, intercepts = tangent_statements(rho, xi)
    near = exact <= LARGEST_EPSILON
    return np.append(epsilons, exact[near]), np.append(deltas, intercepts[near])


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
