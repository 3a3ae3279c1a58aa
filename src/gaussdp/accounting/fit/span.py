"""Samples of a loss at thresholds that span the attacks above a floor, and where exactly the span ends."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from gaussdp.accounting.fit.supremum import chebyshev_points
from gaussdp.accounting.inversion import floor_quantiles, near_floor, points_at_floor
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, log_complement, upper_quantile
from gaussdp.accounting.readings import Codes, Method, methods_of
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class SpanSettings:
    """What is tuned about the first samples of a fit."""

    upper_degree: int = 32
    lower_degree: int = 16  # of the interpolants above and below zero; above, the regret is read off as well
    roughly: float = 8e-3  # relative miss of a quantile at an end that one step of Newton's method makes up for
    margin: float = 0.004
    """Share of the span on its side of zero by which the samples reach beyond an end that is not known exactly."""
    neighbours: int = 8  # samples next to an end from which it is interpolated
    ladder: int = 50
    """Thresholds next to the least loss, each exceeding it by half of what the one before does, to 2^-50 of it."""


SETTINGS = SpanSettings()

_ROUNDINGS = 2.5  # of the least loss, which is a sum of rounded multiples of logarithms, and of quantiles


@dataclass(frozen=True, slots=True)
class Samples(OperatingPoints):
    """Operating points with the normal quantiles of their FPR and FNR, whose sum is mu."""

    from_fpr: Floats
    from_fnr: Floats

    @classmethod
    def of(cls, points: OperatingPoints) -> "Samples":
        """The quantiles beside the points."""
        rates, rests = np.array((points.log_fpr, points.log_fnr)), np.array((points.log_tnr, points.log_tpr))
        return cls(*OperatingPoints.columns(points), *upper_quantile(rates, rests))

    def mu(self) -> Floats:
        """The mu of the GDP curve through each point."""
        return self.from_fpr + self.from_fnr


@dataclass
class Sampler:
    """Reads the loss for a fit, and remembers which methods answered."""

    tails: LossTails
    _codes: list[Codes] = field(default_factory=list)

    def __call__(self, tau: Floats) -> Samples:
        """Samples at thresholds.

        Raises:
            ConvergenceError: if no exact method reads one of them.
        """
        return self.kept(self.tails.read(tau))

    def kept(self, points: OperatingPoints) -> Samples:
        """Samples at points that were read otherwise."""
        self._codes.append(points.complete().methods)
        return Samples.of(points)

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods so far, the tightest first."""
        return methods_of(self._codes)


Sample = Callable[[Floats], Samples]


@dataclass(frozen=True, slots=True)
class Piece:
    """Samples at the Chebyshev points of [low, high], in falling order."""

    low: float
    high: float
    samples: Samples


@dataclass(frozen=True, slots=True)
class Ends:
    """The thresholds with FNR and with FPR equal to the floor.

    ``wobble`` is by how much mu there may differ because the ends are interpolated: what one sample less would change.
    """

    low: float
    high: float
    wobble: float


@dataclass(frozen=True, slots=True)
class Span:
    """Samples above and below zero, or in one piece if zero is no threshold of theirs.

    All attacks whose error rates are at least the floor have thresholds in the pieces, but for those nearer to the
    least loss than a double can tell.
    """

    pieces: tuple[Piece, ...]  # falling

    @property
    def known(self) -> Samples:
        """All samples, by rising thresholds."""
        first, *rest = self.pieces
        falling = Samples.joined((first.samples, *(piece.samples.take(slice(1, None)) for piece in rest)))
        return falling.take(slice(None, None, -1))

    def ends(self, floor: float) -> Ends:
        """Where the attacks above the floor end."""
        target = float(floor_quantiles(floor)[1])
        upper, lower = self.pieces[0], self.pieces[-1]
        high, at_high = _end(upper.samples, upper.samples.from_fpr, slice(SETTINGS.neighbours), target)
        low, at_low = _end(lower.samples, lower.samples.from_fnr, slice(None, -SETTINGS.neighbours - 1, -1), target)
        if lower.low <= low <= high <= upper.high:
            return Ends(low, high, max(at_low, at_high))
        return Ends(lower.low, upper.high, math.inf)


def sample_span(sample: Sampler, floor: float) -> Span:
    """Samples that span the attacks above the floor.

    Raises:
        DomainError: if there are none.
    """
    near, sure = near_floor(sample.tails, floor)
    if not sure.all():
        unsure = np.flatnonzero(~sure)
        rough = points_at_floor(sample.tails, floor, near, SETTINGS.roughly, unsure.tolist()).complete()
        near[unsure] = rough.tau
    tails = sample.tails
    low, high = near.tolist()
    below, above = (-low, high) if low < 0 < high else (high - low, high - low)  # what the ends are to be seen beside
    low = max(low - SETTINGS.margin * below, 0.5 * (low + tails.lowest))
    if above > 0 and low > tails.lowest * (1 - 2.0**-SETTINGS.ladder):
        with suppress(ConvergenceError):  # past the floor rates may vanish
            span = _sampled(sample, low, high + SETTINGS.margin * above)
            target = floor_quantiles(floor)[1]
            if span.pieces[-1].samples.from_fnr[-1] >= target and span.pieces[0].samples.from_fpr[0] >= target:
                return span
    ends, _ = exact_ends(tails, floor, near)
    low, high = float(ends.tau[0]), float(ends.tau[1])
    if low > high:
        raise DomainError(
            "floor",
            problem="must leave attacks to speak about",
            got=f"{floor!r}: an attack with this FPR has FNR {math.exp(ends.log_fnr[1]):.3g}",
            advice="lower the floor",
        )
    return _sampled(sample, low, high)


def exact_ends(tails: LossTails, floor: float, near: Floats) -> tuple[OperatingPoints, float]:
    """The two operating points with FNR and with FPR equal to the floor, and a bound on mu before the first.

    If no double is the threshold of the first, it is replaced by one somewhat farther from the least loss.
    """
    ends = points_at_floor(tails, floor, near)
    if ends.answered.all() or not (ends.answered[1] and math.isfinite(tails.lowest)):
        return ends.complete(), 0.0
    log_floor, ladder = math.log(floor), tails.read(_next_to_least(tails))
    above = np.flatnonzero(ladder.answered & (ladder.log_fnr > log_floor))
    if above.size == 0:
        raise ConvergenceError("the floor lies nearer to the least loss than a double can tell")
    first = ladder.take(above[:1])
    at_floor = tails.at_fnr(np.array([log_floor]), np.array([math.log1p(-floor)]))
    rest = _mu_before(first, log_floor)
    if at_floor.answered[0]:
        rest = min(rest, _mu_between(at_floor, first, tails.lowest))
    return OperatingPoints.joined((first, ends.take(slice(1, 2)))), rest


def _mu_before(first: OperatingPoints, log_floor: float) -> float:
    """A bound on mu for tests with an FNR from the floor up to that of the first sample.

    The curve lies above its tangent there, down to where the tangent meets the floor, and on a segment mu is largest at
    an end.
    """
    return _mu_of(log_floor, float(np.logaddexp(log_floor - first.tau, first.log_delta_add + first.errors)[0]))


def _mu_between(at_floor: OperatingPoints, first: OperatingPoints, lowest: float) -> float:
    """The same if the test at the floor is known: a line of the least slope through it meets the tangent sooner.

    Both are lines of the FNR over the TNR. With s the least slope, one goes through (t, f), the tangent is s e^x (TNR -
    d), and as f is at most s e^x t they meet at a TNR of at most t + d / (1 - e^-x).
    """
    log_fnr, log_tnr = at_floor.log_fnr - at_floor.errors, at_floor.log_tnr + at_floor.errors
    excess = first.tau - lowest - _ROUNDINGS * np.spacing(abs(lowest))
    if not excess[0] > 0:
        return math.inf
    gain = first.log_delta_add + first.errors - np.log(-np.expm1(-excess))
    at_corner = float(np.logaddexp(log_fnr, lowest + gain)[0]), float(np.logaddexp(log_tnr, gain)[0])
    return max(_mu_of(float(log_fnr[0]), float(log_tnr[0])), _mu_of(*at_corner))


def _mu_of(log_fnr: float, log_tnr: float) -> float:
    """At least mu at these rates."""
    logs = np.array([log_fnr, log_tnr])
    from_fnr, from_tnr = upper_quantile(logs, log_complement(logs))
    return float(from_fnr - from_tnr + _ROUNDINGS * np.spacing(abs(from_tnr)))


def _next_to_least(tails: LossTails) -> Floats:
    """Rising thresholds between the least loss and zero."""
    return tails.lowest - tails.lowest * 2.0 ** -np.arange(SETTINGS.ladder, -1.0, -1.0)


def _sampled(sample: Sample, low: float, high: float) -> Span:
    inside = low < 0 < high
    above = chebyshev_points(0.0 if inside else low, high, SETTINGS.upper_degree)
    below = chebyshev_points(low, 0.0, SETTINGS.lower_degree)[1:] if inside else np.empty(0)
    samples = sample(np.concatenate((above, below)))
    if not np.isfinite(samples.mu()).all():
        raise ConvergenceError("the floor lies nearer to the least loss than a double can tell")
    upper = Piece(float(above[-1]), high, samples.take(slice(above.size)))
    # Zero belongs to both pieces.
    return Span((upper, Piece(low, 0.0, samples.take(slice(above.size - 1, None)))) if inside else (upper,))


def _end(samples: Samples, quantiles: Floats, outermost: slice, target: float) -> tuple[float, float]:
    """Where the quantiles of the outermost samples have the target value, and what the error of this does to mu."""
    tau, mu = samples.tau[outermost].tolist(), samples.mu()[outermost].tolist()
    if tau[0] == tau[1]:
        raise ConvergenceError("the floor lies nearer to the least loss than a double can tell")
    end, error = _interpolated(quantiles[outermost].tolist(), tau, target)
    return end, error * abs((mu[1] - mu[0]) / (tau[1] - tau[0]))


def _interpolated(x: Sequence[float], y: Sequence[float], at: float) -> tuple[float, float]:
    """The polynomial through the points (x, y) at an abscissa, and what the last point changes, by Neville's scheme.

    Infinite if two abscissas coincide.
    """
    row, before = list(y), math.inf
    for span in range(1, len(row)):
        before = row[0]
        for i in range(len(row) - span):
            width = x[i + span] - x[i]
            if width == 0:
                return math.inf, math.inf
            row[i] = ((at - x[i]) * row[i + 1] - (at - x[i + span]) * row[i]) / width
    return row[0], abs(row[0] - before)
