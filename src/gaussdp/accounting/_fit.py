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

from gaussdp.accounting._chebyshev import Interpolant, resolve
from gaussdp.accounting._regret import RegretSearch, farthest
from gaussdp.accounting._slack import SlackSearch
from gaussdp.accounting._span import Span, as_points, as_table, exact_ends, in_order, is_end, sample_span
from gaussdp.accounting._supremum import supremum
from gaussdp.accounting._tails import LossTails, OperatingPoints, upper_quantile
from gaussdp.displays import Displayed
from gaussdp.errors import ConvergenceError
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats

DEFAULT_FLOOR = 1e-10

Sample = Callable[[Floats], Floats]

_SAMPLES = 40
_ERRORS = OperatingPoints.__slots__.index("errors")  # row of a table of samples
_MILLS_AT_ZERO = math.sqrt(0.5 * math.pi)
_FEW_ACTIVE = 4  # intervals that may hold the supremum
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

    def sample(tau: Floats) -> Floats:
        return as_table(tails.read(tau))

    span = sample_span(tails, floor)
    curve = Interpolant(span.low, span.high, _mu(span.table))
    smooth = curve.error <= _tolerance(span.table)
    near = span.near_ends(floor)
    best, at = curve.largest(*near)
    known = span.known
    search = RegretSearch(as_points(known), best) if span.zero.size else None
    if search is None or search.open:
        # The floor leaves only a part of the curve; the regret is that of the whole.
        known = in_order(np.hstack((known, sample(np.linspace(0.0, max(span.high, farthest(best)), _SAMPLES)))))
        search = RegretSearch(as_points(known), best)
    # All that is still missing is read at once: the maximum, or both ends, and what the regret asks for.
    wanted = (at,) if smooth else near
    fresh = sample(np.concatenate((wanted, search.thresholds)))
    fresh, regretted = fresh[:, : len(wanted)], fresh[:, len(wanted) :]
    if smooth and at in near and not is_end(fresh[:, 0], floor):
        fresh = exact_ends(tails, floor, sample(np.array(near)))
        best = curve.largest(*fresh[0].tolist())[0]
    if smooth:
        enclosure = _smooth_enclosure(curve, best, span.table, fresh)
    else:
        enclosure = _rough_enclosure(sample, span, known, exact_ends(tails, floor, fresh))
    return Fit(
        mu=enclosure.upper,
        mu_lower=enclosure.lower,
        mu_upper=enclosure.upper,
        floor=floor,
        fpr=math.exp(enclosure.log_fpr),
        fnr=math.exp(enclosure.log_fnr),
        regret=search.regret(enclosure.upper, as_points(regretted), tails),
        _distances=SlackSearch(tails, enclosure.upper, floor, as_points(known)),
    )


@dataclass(frozen=True, slots=True)
class _Enclosure:
    lower: float
    upper: float
    log_fpr: float
    log_fnr: float


def _smooth_enclosure(curve: Interpolant, peak: float, samples: Floats, table: Floats) -> _Enclosure:
    """The supremum of an interpolated mu.

    Args:
        curve: the interpolant.
        peak: its largest value.
        samples: what it interpolates.
        table: samples where it is largest, or may be.
    """
    mu = _mu(table)
    top = int(mu.argmax())
    attained, error = float(mu[top]), float(_mu_errors(samples).max())
    return _Enclosure(
        attained - error, max(peak, attained) + curve.error + error, float(table[1, top]), float(table[3, top])
    )


def _rough_enclosure(sample: Sample, span: Span, known: Floats, ends: Floats) -> _Enclosure:
    """The supremum between the ends of a mu that the span does not resolve: with more samples, where they help most."""
    low, high = ends[0].tolist()
    table = in_order(np.hstack((ends, known[:, (known[0] > low) & (known[0] < high)])))
    best = float(_mu(table).max())
    active = np.count_nonzero(_mu_between(table) > best + _ABSOLUTE_GAP + _RELATIVE_GAP * best)
    if active > _FEW_ACTIVE:
        try:
            curve, samples = resolve(span.low, span.high, span.table, sample, _mu, _tolerance)
        except ConvergenceError:
            pass
        else:
            peak, at = curve.largest(low, high)
            return _smooth_enclosure(curve, peak, samples, np.hstack((ends, sample(np.array([at])))))
    return _safe_enclosure(sample, table)


def _safe_enclosure(sample: Sample, table: Floats) -> _Enclosure:
    """The supremum by branch and bound, whose bounds between samples hold for any convex curve."""
    best = supremum(table, sample, _mu, _mu_between, _ABSOLUTE_GAP, _RELATIVE_GAP)
    error = float(_mu_errors(best.column))
    return _Enclosure(best.lower - error, best.upper + error, float(best.column[1]), float(best.column[3]))


def _tolerance(table: Floats) -> float:
    return _RELATIVE_GAP * float(_mu(table).max()) + float(_mu_errors(table).max())


def _mu(table: Floats) -> Floats:
    mu: Floats = table[-2] + table[-1]
    return mu


def _mu_errors(table: Floats) -> Floats:
    """Errors of mu: relative errors of tail probabilities times the Mills ratios of their quantiles.

    The Mills ratio at z is at most sqrt(pi / 2), and at most 1 / z.
    """
    mills = np.minimum(_MILLS_AT_ZERO, 1 / np.maximum(np.abs(table[-2:]), 0.5)).sum(axis=0)
    errors: Floats = 1.1 * table[_ERRORS] * mills + 1e-15
    return errors


def _mu_between(table: Floats) -> Floats:
    """mu at the corners of neighbouring tangents, with the numerical error of the corners."""
    tau, log_fpr, log_tnr, log_fnr, log_tpr, _, log_remove, log_add, errors, _, _ = table
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
