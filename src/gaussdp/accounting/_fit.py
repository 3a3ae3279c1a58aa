r"""The tightest GDP guarantee of an accounted curve, with everything one must know about it.

Along the curve :math:`\mu(\tau) = -\Phi^{-1}(\mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr})`, and the tightest mu is its
supremum. As a rule mu is a smooth function of tau, and its Chebyshev interpolant tells how well it is resolved.

Where it is not, branch and bound needs no smoothness. The region above a GDP curve is convex, so on a segment mu is
largest at an end; the accounted curve is convex, so between two samples it lies above their tangents. Hence mu at the
corner where the tangents meet bounds mu between the samples.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from gaussdp.accounting._chebyshev import resolve
from gaussdp.accounting._distances import ProfileDistances
from gaussdp.accounting._inversion import points_at_floor
from gaussdp.accounting._supremum import supremum
from gaussdp.accounting._tails import LossTails, OperatingPoints, upper_quantile
from gaussdp.displays import Displayed
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats

DEFAULT_FLOOR = 1e-10

_SAMPLES = 25  # on each side of tau = 0, to start with
_RELATIVE_GAP = 1e-9
_ABSOLUTE_GAP = 1e-12


class HasSlack(Protocol):
    """What a fit asks for its slack."""

    def slack(self) -> float:
        """The delta that makes the fit unconditional."""


@dataclass(frozen=True)
class Fit(Displayed):
    """The least mu with which the mechanism is mu-GDP, for all attacks whose error rates are at least the floor.

    Attributes:
        mu: the guarantee; equals mu_upper.
        mu_lower: no smaller mu holds.
        mu_upper: this mu holds, numerical error included.
        floor: the guarantee speaks about attacks with FPR and FNR of at least this; 0 if it holds for all.
        fpr: false-positive rate of the attack at which it binds.
        fnr: false-negative rate of the same attack.
        regret: least kappa with f(alpha + kappa) - kappa <= f_mu(alpha): how far the GDP curve is from the truth.
    """

    mu: float
    mu_lower: float
    mu_upper: float
    floor: float
    fpr: float
    fnr: float
    regret: float
    _distances: HasSlack | None = field(default=None, repr=False, compare=False)

    @cached_property
    def slack(self) -> float:
        """The delta with which mu holds for all attacks: delta_M(eps) <= slack + (1 - slack) delta_mu(eps).

        Computed when first asked for, since it looks far below the floor.
        """
        return self._distances.slack() if self._distances else 0.0

    @property
    def guarantee(self) -> GDP:
        """The fitted guarantee, for attacks above the floor."""
        return GDP(self.mu)

    @property
    def unconditional(self) -> bool:
        """Whether mu holds for every attack, so that neither floor nor slack is needed."""
        return self.floor == 0


def exact_fit(mu: float) -> Fit:
    """The fit of a mechanism that is mu-GDP and nothing else: no floor, no slack, no regret."""
    rate = 0.5 * math.erfc(mu / math.sqrt(8))
    return Fit(mu=mu, mu_lower=mu, mu_upper=mu, floor=0.0, fpr=rate, fnr=rate, regret=0.0)


def fit_tails(tails: LossTails, floor: float) -> Fit:
    """The fit of an accounted loss."""
    ends = points_at_floor(tails, floor)
    low, high = float(ends.tau[0]), float(ends.tau[1])
    if low > high:
        raise DomainError(
            f"floor must leave attacks to speak about, got {floor!r}: an attack with this FPR has FNR"
            f" {math.exp(ends.log_fnr[1]):.3g}; lower the floor"
        )

    def sample(tau: Floats) -> Floats:
        return _table(tails.read(tau))

    try:
        enclosure, known = _smooth_enclosure(sample, low, high)
        smooth = True
    except ConvergenceError:
        enclosure, known = _safe_enclosure(sample, low, high)
        smooth = False
    distances = ProfileDistances(tails, enclosure.upper, floor, OperatingPoints(*known))
    return Fit(
        mu=enclosure.upper,
        mu_lower=enclosure.lower,
        mu_upper=enclosure.upper,
        floor=floor,
        fpr=math.exp(enclosure.log_fpr),
        fnr=math.exp(enclosure.log_fnr),
        regret=(distances.smooth_regret() if smooth else None) or distances.regret(),
        _distances=distances,
    )


@dataclass(frozen=True, slots=True)
class _Enclosure:
    lower: float
    upper: float
    log_fpr: float
    log_fnr: float


def _smooth_enclosure(sample: Callable[[Floats], Floats], low: float, high: float) -> tuple[_Enclosure, Floats]:
    """The supremum of the interpolated mu, with the error of the interpolation and of the samples."""

    def tolerance(table: Floats) -> float:
        return _RELATIVE_GAP * float(_mu(table).max()) + 4 * float(table[-1].max())

    curve, table = resolve(low, high, sample, _mu, tolerance)
    best, tau = curve.largest(low)
    column = sample(np.array([tau]))[:, 0] if low < tau < high else table[:, 0 if tau == high else -1]
    attained = float(_mu(column[:, np.newaxis])[0])
    error = 4 * float(table[-1].max()) + 1e-15
    upper = max(best, attained) + curve.error + error
    return _Enclosure(attained - error, upper, float(column[1]), float(column[3])), table[:, ::-1]


def _safe_enclosure(sample: Callable[[Floats], Floats], low: float, high: float) -> tuple[_Enclosure, Floats]:
    """The supremum by branch and bound, whose bounds between samples hold for any convex curve."""
    best = supremum(sample(_start(low, high)), sample, _mu, _mu_between, _ABSOLUTE_GAP, _RELATIVE_GAP)
    error = 4 * float(best.column[-1]) + 1e-15
    column = best.column
    return _Enclosure(best.lower - error, best.upper + error, float(column[1]), float(column[3])), best.table


def _start(low: float, high: float) -> Floats:
    """First samples between the ends; zero is one of them, where the two halves of the bounds meet."""
    if low >= 0 or high <= 0:
        return np.linspace(low, high, 2 * _SAMPLES)
    return np.concatenate((np.linspace(low, 0.0, _SAMPLES)[:-1], np.linspace(0.0, high, _SAMPLES)))


def _table(points: OperatingPoints) -> Floats:
    """The fields of the points, in their order, as rows."""
    return np.stack([getattr(points, field) for field in OperatingPoints.__slots__])


def _mu(table: Floats) -> Floats:
    return upper_quantile(table[1], table[2]) + upper_quantile(table[3], table[4])


def _mu_between(table: Floats) -> Floats:
    """mu at the corners of neighbouring tangents, with the numerical error of the corners."""
    tau, log_fpr, log_tnr, log_fnr, log_tpr, _, log_remove, log_add, errors = table
    bounds = np.empty(tau.size - 1)
    upper = np.flatnonzero(tau[:-1] >= 0)
    lower = np.flatnonzero(tau[:-1] < 0)
    near, far = upper, upper + 1
    bounds[upper] = _corner(tau, log_fpr, log_fnr, log_tpr, log_remove, errors, near, far)
    # The other half is the same seen from the other error rate.
    near, far = lower + 1, lower
    bounds[lower] = _corner(-tau, log_fnr, log_fpr, log_tnr, log_add, errors, near, far)
    return bounds


def _corner(
    tau: Floats,
    log_rate: Floats,
    log_other: Floats,
    log_other_rest: Floats,
    log_delta: Floats,
    errors: Floats,
    near: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    far: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
) -> Floats:
    """mu where the tangents of slopes -e^tau at near and far meet.

    Their intercepts are 1 - delta, so they meet at the rate (delta_near - delta_far) / (e^tau_far - e^tau_near).
    """
    drop = -np.expm1(log_delta[far] - log_delta[near])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_corner = log_delta[near] + np.log(drop) - tau[near] - np.log(np.expm1(tau[far] - tau[near]))
        noise = 4 * (errors[near] + errors[far]) / drop
        log_corner = np.clip(np.where(drop > 0, log_corner, -np.inf), log_rate[far], log_rate[near])
        gain = -np.expm1(log_corner - log_rate[near]) * np.exp(tau[near] + log_rate[near])
        other = np.exp(log_other[near]) + gain
        rest = np.maximum(np.exp(log_other_rest[near]) - gain, np.exp(log_other_rest[far]))
        mu = upper_quantile(log_corner, np.log1p(-np.exp(log_corner))) + upper_quantile(np.log(other), np.log(rest))
        # Never above what the two samples alone allow, however noisy the corner.
        samples = upper_quantile(log_rate[far], np.log1p(-np.exp(log_rate[far]))) + upper_quantile(
            log_other[near], log_other_rest[near]
        )
    return np.fmin(mu + noise, samples)
