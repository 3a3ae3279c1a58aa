r"""The tightest GDP guarantee of an accounted curve, with everything one must know about it.

Along the curve :math:`\mu(\tau) = -\Phi^{-1}(\mathrm{fpr}) - \Phi^{-1}(\mathrm{fnr})`, and the tightest mu is its
supremum. As a rule mu is a smooth function of tau, and its Chebyshev interpolant tells how well it is resolved.

Where it is not, branch and bound needs no smoothness: tangents bound mu between samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from gaussdp.accounting.fit.between import mu_between, mu_errors
from gaussdp.accounting.fit.bounded import BoundedSearch
from gaussdp.accounting.fit.slack import CurveDistances
from gaussdp.accounting.fit.span import Ends, Piece, Sampler, Samples, Span, exact_ends, sample_span
from gaussdp.accounting.fit.supremum import Interpolant, resolve, supremum
from gaussdp.accounting.fitted import Fit
from gaussdp.accounting.inversion import floor_quantiles, points_at_floor
from gaussdp.accounting.operating_points import LossTails
from gaussdp.accounting.readings import roomy
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class FitSettings:
    """What is tuned about fits."""

    few_active: int = 4
    """Intervals that may hold the supremum up to which branch and bound is quicker than more Chebyshev points."""
    relative_gap: float = 1e-9
    absolute_gap: float = 1e-12  # between the bounds of mu, at which a search ends


SETTINGS = FitSettings()


def fit_tails(tails: LossTails, floor: float) -> Fit:
    """The fit of an accounted loss.

    Raises:
        ConvergenceError: if an exact reading that it needs cannot be had.
    """
    sample = Sampler(tails)
    span = sample_span(sample, floor)
    tails, ends = sample.tails, span.ends(floor)
    curves = [_Curve.through(piece) for piece in span.pieces]
    if all(curve.resolved for curve in curves) and ends.wobble <= max(curve.gap for curve in curves):
        enclosure = _smooth_enclosure(curves, ends)
    else:
        outermost, rest = _outermost(sample, span, floor)
        enclosure = _rough_enclosure(sample, span, outermost)
        enclosure = replace(enclosure, upper=max(enclosure.upper, rest))
    return Fit(
        mu=enclosure.upper,
        mu_lower=max(enclosure.lower, 0.0),
        mu_upper=enclosure.upper,
        floor=floor,
        fpr=enclosure.fpr,
        fnr=enclosure.fnr,
        methods=sample.methods,
        _distances=CurveDistances(tails, enclosure.upper, floor, span),
        _bounds=BoundedSearch(tails, floor, span, enclosure.tau),
    )


@dataclass(frozen=True, slots=True)
class _Enclosure:
    """Of mu, and the test at which it is largest."""

    lower: float
    upper: float
    tau: float
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
        error = float(mu_errors(piece.samples).max())
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
    estimated = np.array([ends.wobble + max(curve.mu.error + curve.error for curve in curves)])
    error = float(roomy(estimated, mu)[0])
    return _Enclosure(mu - error, mu + error, at, float(special.ndtr(-from_fpr)), float(special.ndtr(from_fpr - mu)))


def _outermost(sample: Sampler, span: Span, floor: float) -> tuple[Samples, float]:
    """Samples at both ends, and a bound on mu before the first: where mu is surely small, one from beyond the end."""
    known, ends = span.known, span.ends(floor)
    near = np.array([ends.low, ends.high])
    if small_at_low_end(known, floor):
        high = points_at_floor(sample.tails, floor, near, ends=(1,))
        return Samples.joined((known.take(slice(1)), sample.kept(high))), 0.0
    exact, rest = exact_ends(sample.tails, floor, near)
    return sample.kept(exact), rest


def small_at_low_end(known: Samples, floor: float) -> bool:
    """Whether samples reach beyond the low end, and no test near it has as large a mu as one of the others.

    Of all tests between two neighbours the first one has the smallest FNR and the second one the smallest FPR.
    """
    quantile = float(floor_quantiles(floor)[1])
    beyond = np.count_nonzero(known.from_fnr >= quantile)
    mu, errors = known.mu(), mu_errors(known)
    highest = known.from_fnr[:-1] + known.from_fpr[1:] + errors[:-1] + errors[1:]
    best = (mu - errors)[(known.from_fnr < quantile) & (known.from_fpr < quantile)].max(initial=0.0)
    return bool(beyond and highest[:beyond].max() < best)


def _rough_enclosure(sample: Sampler, span: Span, ends: Samples) -> _Enclosure:
    """The supremum between the ends of a mu that the span does not resolve: with more samples, where they help most."""
    low, high = ends.tau.tolist()
    known = span.known
    inner = known.take((known.tau > low) & (known.tau < high))
    samples = Samples.joined((ends, inner)).in_order().without_repeats()
    best = float(samples.mu().max())
    between = mu_between(samples)
    active = np.count_nonzero(between > best + SETTINGS.absolute_gap + SETTINGS.relative_gap * best)
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
    return _safe_enclosure(sample, samples, between)


def _safe_enclosure(sample: Sampler, samples: Samples, between: Floats) -> _Enclosure:
    """The supremum by branch and bound, whose bounds between samples hold for any convex curve."""
    gaps = SETTINGS.absolute_gap, SETTINGS.relative_gap
    found = supremum(samples, sample, Samples.mu, mu_between, *gaps, bounds=between)
    best = found.best
    error = float(roomy(mu_errors(best), found.upper)[0])
    rates = math.exp(best.log_fpr[0]), math.exp(best.log_fnr[0])
    return _Enclosure(found.lower - error, found.upper + error, float(best.tau[0]), *rates)


def _tolerance(samples: Samples) -> float:
    return SETTINGS.relative_gap * float(samples.mu().max()) + float(mu_errors(samples).max())
