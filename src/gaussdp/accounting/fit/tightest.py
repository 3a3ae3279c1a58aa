r"""The tightest GDP guarantee of an accounted curve, with everything one must know about it.

Along the curve :math:`\mu(\tau) = -\Phi^{-1}(\mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr})`, and the tightest mu is its
supremum. As a rule mu is a smooth function of tau, and its Chebyshev interpolant tells how well it is resolved.

Where it is not, branch and bound needs no smoothness. The region above a GDP curve is convex, so on a segment mu is
largest at an end; the accounted curve is convex, so between two samples it lies above their tangents. Hence mu at the
corner where the tangents meet bounds mu between the samples.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import special

from gaussdp.accounting.fit.chebyshev import Interpolant, resolve
from gaussdp.accounting.fit.regret import RegretSearch, farthest, interpolated_regret
from gaussdp.accounting.fit.slack import SlackSearch
from gaussdp.accounting.fit.span import Ends, Piece, Span, as_points, as_table, exact_ends, in_order, sample_span
from gaussdp.accounting.fit.supremum import supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, upper_quantile
from gaussdp.displays import Displayed
from gaussdp.errors import ConvergenceError
from gaussdp.guarantees import GDP
from gaussdp.numerics import Floats, Indices

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
    ends, known = span.ends(floor), span.known
    curves = [Interpolant(piece.low, piece.high, _mu(piece.table)) for piece in span.pieces]
    if all(map(_resolved, curves, span.pieces)) and ends.wobble <= _RELATIVE_GAP * float(_mu(known).max()):
        enclosure = _smooth_enclosure(curves, span.pieces, ends)
        regret = interpolated_regret(span.pieces[0], enclosure.upper)
        if regret is None:
            search, known = _search(sample, known, enclosure.upper)
            regret = search.regret(enclosure.upper, tails.read(search.thresholds), tails)
    else:
        search, known = _search(sample, known, max(curve.largest(ends.low, ends.high)[0] for curve in curves))
        fresh = sample(np.concatenate(((ends.low, ends.high), search.thresholds)))
        enclosure = _rough_enclosure(sample, span, exact_ends(tails, floor, fresh[:, :2]))
        regret = search.regret(enclosure.upper, as_points(fresh[:, 2:]), tails)
    return Fit(
        mu=enclosure.upper,
        mu_lower=enclosure.lower,
        mu_upper=enclosure.upper,
        floor=floor,
        fpr=enclosure.fpr,
        fnr=enclosure.fnr,
        regret=regret,
        _distances=SlackSearch(tails, enclosure.upper, floor, as_points(known)),
    )


def _search(sample: Sample, known: Floats, mu: float) -> tuple[RegretSearch, Floats]:
    """The search for the regret, and what has to be known for it."""
    if known[0, 0] <= 0 <= known[0, -1]:
        search = RegretSearch(as_points(known), mu)
        if not search.open:
            return search, known
    # The floor leaves only a part of the curve; the regret is that of the whole.
    whole = np.linspace(0.0, max(float(known[0, -1]), farthest(mu)), _SAMPLES)
    known = in_order(np.hstack((known, sample(whole))))
    return RegretSearch(as_points(known), mu), known


@dataclass(frozen=True, slots=True)
class _Enclosure:
    lower: float
    upper: float
    fpr: float
    fnr: float


def _resolved(curve: Interpolant, piece: Piece) -> bool:
    return curve.error <= _tolerance(piece.table)


def _smooth_enclosure(curves: Sequence[Interpolant], pieces: Sequence[Piece], ends: Ends) -> _Enclosure:
    """The supremum of an interpolated mu between the ends."""
    peaks = [curve.largest(ends.low, ends.high) for curve in curves]
    which = max(range(len(peaks)), key=lambda index: peaks[index][0])
    (mu, at), piece = peaks[which], pieces[which]
    from_q = Interpolant(piece.low, piece.high, piece.table[-2])(at)
    error = ends.wobble + max(
        curve.error + float(_mu_errors(piece.table).max()) for curve, piece in zip(curves, pieces, strict=True)
    )
    return _Enclosure(mu - error, mu + error, float(special.ndtr(-from_q)), float(special.ndtr(from_q - mu)))


def _rough_enclosure(sample: Sample, span: Span, ends: Floats) -> _Enclosure:
    """The supremum between the ends of a mu that the span does not resolve: with more samples, where they help most."""
    low, high = ends[0].tolist()
    known = span.known
    table = in_order(np.hstack((ends, known[:, (known[0] > low) & (known[0] < high)])))
    best = float(_mu(table).max())
    active = np.count_nonzero(_mu_between(table) > best + _ABSOLUTE_GAP + _RELATIVE_GAP * best)
    if active > _FEW_ACTIVE:
        try:
            resolved = [resolve(piece.low, piece.high, piece.table, sample, _mu, _tolerance) for piece in span.pieces]
        except ConvergenceError:
            pass
        else:
            pieces = [Piece(curve.low, curve.high, samples) for curve, samples in resolved]
            return _smooth_enclosure([curve for curve, _ in resolved], pieces, Ends(low, high, 0.0))
    return _safe_enclosure(sample, table)


def _safe_enclosure(sample: Sample, table: Floats) -> _Enclosure:
    """The supremum by branch and bound, whose bounds between samples hold for any convex curve."""
    best = supremum(table, sample, _mu, _mu_between, _ABSOLUTE_GAP, _RELATIVE_GAP)
    error = float(_mu_errors(best.column))
    fpr, fnr = math.exp(best.column[1]), math.exp(best.column[3])
    return _Enclosure(best.lower - error, best.upper + error, fpr, fnr)


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
    near: Indices,
    far: Indices,
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
