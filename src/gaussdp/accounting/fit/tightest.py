r"""The tightest GDP guarantee of an accounted curve, with everything one must know about it.

Along the curve :math:`\mu(\tau) = -\Phi^{-1}(\mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr})`, and the tightest mu is its
supremum. As a rule mu is a smooth function of tau, and its Chebyshev interpolant tells how well it is resolved.

Where it is not, branch and bound needs no smoothness. The region above a GDP curve is convex, so on a segment mu is
largest at an end; the accounted curve is convex, so between two samples it lies above their tangents. Hence mu at the
corner where the tangents meet bounds mu between the samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from gaussdp.accounting.fit.slack import RegretSearch, SlackSearch, farthest, interpolated_regret
from gaussdp.accounting.fit.span import Ends, Piece, Sampler, Samples, Span, exact_ends, sample_span
from gaussdp.accounting.fit.supremum import Interpolant, resolve, supremum
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, upper_quantile
from gaussdp.accounting.readings import Fit
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats, Indices


@dataclass(frozen=True)
class FitSettings:
    """What is tuned about fits."""

    samples: int = 40
    """Further thresholds where the floor leaves only a part of the curve and the regret is that of the whole."""
    few_active: int = 4
    """Intervals that may hold the supremum up to which branch and bound is quicker than more Chebyshev points."""
    relative_gap: float = 1e-9
    absolute_gap: float = 1e-12  # between the bounds of mu, at which a search ends
    rounding: float = 1e-15  # of a quantile


SETTINGS = FitSettings()
_MILLS_AT_ZERO = math.sqrt(0.5 * math.pi)


def fit_tails(tails: LossTails, floor: float) -> Fit:
    """The fit of an accounted loss.

    Raises:
        ConvergenceError: if an exact reading that it needs cannot be had.
    """
    sample = Sampler(tails)
    span = sample_span(sample, floor)
    ends = span.ends(floor)
    curves = [_Curve.through(piece) for piece in span.pieces]
    known: Samples | None = None
    if all(curve.resolved for curve in curves) and ends.wobble <= max(curve.gap for curve in curves):
        enclosure = _smooth_enclosure(curves, ends)
        regret = interpolated_regret(span.pieces[0], enclosure.upper)
        if regret is None:
            search, known = _search(sample, span.known, enclosure.upper)
            regret = search.regret(enclosure.upper, sample(search.thresholds), sample)
    else:
        search, known = _search(sample, span.known, max(curve.mu.largest(ends.low, ends.high)[0] for curve in curves))
        near = np.array([ends.low, ends.high])
        exact, rest = exact_ends(tails, floor, near)
        enclosure = _rough_enclosure(sample, span, sample.kept(exact))
        enclosure = replace(enclosure, upper=max(enclosure.upper, rest))
        regret = search.regret(enclosure.upper, sample(search.thresholds), sample)
    return Fit(
        mu=enclosure.upper,
        mu_lower=max(enclosure.lower, 0.0),
        mu_upper=enclosure.upper,
        floor=floor,
        fpr=enclosure.fpr,
        fnr=enclosure.fnr,
        regret=regret,
        methods=sample.methods,
        _distances=SlackSearch(tails, enclosure.upper, floor, known or span),
    )


def _search(sample: Sampler, known: Samples, mu: float) -> tuple[RegretSearch, Samples]:
    """The search for the regret, and what has to be known for it."""
    if known.tau[0] <= 0 <= known.tau[-1]:
        search = RegretSearch(known, mu)
        if not search.open:
            return search, known
    # The floor leaves only a part of the curve; the regret is that of the whole.
    whole = np.linspace(0.0, max(float(known.tau[-1]), farthest(mu)), SETTINGS.samples)
    known = Samples.joined((known, sample(whole))).in_order().without_repeats()
    return RegretSearch(known, mu), known


@dataclass(frozen=True, slots=True)
class _Enclosure:
    lower: float
    upper: float
    fpr: float
    fnr: float


@dataclass(frozen=True, slots=True)
class _Curve:
    """mu along a piece: its interpolant, the error of its samples, and the gap that is negligible beside it."""

    piece: Piece
    mu: Interpolant
    error: float
    gap: float

    @classmethod
    def through(cls, piece: Piece) -> "_Curve":
        mu = piece.samples.mu()
        error = float(_mu_errors(piece.samples).max())
        return cls(piece, Interpolant(piece.low, piece.high, mu), error, SETTINGS.relative_gap * float(mu.max()))

    @property
    def resolved(self) -> bool:
        """Whether the interpolant is as good as its samples."""
        return self.mu.error <= self.gap + self.error


def _smooth_enclosure(curves: Sequence[_Curve], ends: Ends) -> _Enclosure:
    """The supremum of an interpolated mu between the ends."""
    (mu, at), piece = max(
        ((curve.mu.largest(ends.low, ends.high), curve.piece) for curve in curves), key=lambda found: found[0][0]
    )
    from_fpr = Interpolant(piece.low, piece.high, piece.samples.from_fpr)(at)
    error = ends.wobble + max(curve.mu.error + curve.error for curve in curves)
    return _Enclosure(mu - error, mu + error, float(special.ndtr(-from_fpr)), float(special.ndtr(from_fpr - mu)))


def _rough_enclosure(sample: Sampler, span: Span, ends: Samples) -> _Enclosure:
    """The supremum between the ends of a mu that the span does not resolve: with more samples, where they help most."""
    low, high = ends.tau.tolist()
    known = span.known
    inner = known.take((known.tau > low) & (known.tau < high))
    samples = Samples.joined((ends, inner)).in_order().without_repeats()
    best = float(samples.mu().max())
    active = np.count_nonzero(_mu_between(samples) > best + SETTINGS.absolute_gap + SETTINGS.relative_gap * best)
    if active > SETTINGS.few_active:
        try:
            resolved = [
                resolve(piece.low, piece.high, piece.samples, sample, Samples.mu, _tolerance) for piece in span.pieces
            ]
        except ConvergenceError:
            pass
        else:
            pieces = [Piece(curve.low, curve.high, found) for curve, found in resolved]
            return _smooth_enclosure([_Curve.through(piece) for piece in pieces], Ends(low, high, 0.0))
    return _safe_enclosure(sample, samples)


def _safe_enclosure(sample: Sampler, samples: Samples) -> _Enclosure:
    """The supremum by branch and bound, whose bounds between samples hold for any convex curve."""
    found = supremum(samples, sample, Samples.mu, _mu_between, SETTINGS.absolute_gap, SETTINGS.relative_gap)
    best = found.best
    error = float(_mu_errors(best)[0])
    return _Enclosure(found.lower - error, found.upper + error, math.exp(best.log_fpr[0]), math.exp(best.log_fnr[0]))


def _tolerance(samples: Samples) -> float:
    return SETTINGS.relative_gap * float(samples.mu().max()) + float(_mu_errors(samples).max())


def _mu_errors(samples: Samples) -> Floats:
    """Errors of mu: relative errors of tail probabilities times the Mills ratios of their quantiles.

    The Mills ratio at z is at most sqrt(pi / 2), and at most 1 / z.
    """
    quantiles = np.abs(np.array((samples.from_fpr, samples.from_fnr)))
    mills = np.minimum(_MILLS_AT_ZERO, 1 / np.maximum(quantiles, 0.5)).sum(axis=0)
    errors: Floats = 1.1 * samples.errors * mills + SETTINGS.rounding
    return errors


def _mu_between(samples: OperatingPoints) -> Floats:
    """mu at the corners of neighbouring tangents, with the numerical error of the corners."""
    tau, errors = samples.tau, samples.errors
    bounds = np.empty(tau.size - 1)
    upper = np.flatnonzero(tau[:-1] >= 0)
    lower = np.flatnonzero(tau[:-1] < 0)
    rates = samples.log_fpr, samples.log_fnr, samples.log_tpr, samples.log_delta_remove
    bounds[upper] = _corner(tau, *rates, errors, upper, upper + 1)
    # The other half is the same seen from the other error rate.
    rates = samples.log_fnr, samples.log_fpr, samples.log_tnr, samples.log_delta_add
    bounds[lower] = _corner(-tau, *rates, errors, lower + 1, lower)
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
