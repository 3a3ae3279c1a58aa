"""The threshold at which the loss has a given tail or profile, by safeguarded Newton on normal quantiles.

Every threshold is searched for on its own: the steps of one do not depend on the others that are asked for with it.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from gaussdp.accounting.operating_points import (
    HALF_LOG_2PI,
    LIMIT,
    LossTails,
    OperatingPoints,
    bounds_on_errors,
    log_complement,
    upper_quantile,
)
from gaussdp.accounting.readings import NO_METHOD
from gaussdp.numerics import LARGEST_EXPONENT, Booleans, Floats, epsilon_from_mu


@dataclass(frozen=True)
class InversionSettings:
    """What is tuned about searches for thresholds."""

    max_steps: int = 80
    few: int = 8  # numbers up to which a formula is quicker one by one
    longest_step: float = 4.0  # in units of the quantile, which is nearly linear in the threshold
    tolerance: float = 5e-8
    """Relative miss of a rate that the last, linear step makes up for; its square is what is left. Where the second
    derivative is known the last step is quadratic, and the miss may be larger if no more is left."""
    linear: float = 1e-2  # ... and the miss up to which a step next to the least loss is taken at all
    resolution: float = 4e-16  # relative distance of thresholds that a double can still tell apart
    small_skewness: float = 0.3  # up to which a start under P is corrected for skewness
    moderate: float = 8.0  # quantile up to which a start is corrected for skewness at all
    growth: tuple[float, float] = (-0.75, 1.0)  # of the variance under P, as a share: beyond, first order says nothing
    correction: tuple[float, float] = (-0.3, 0.5)  # of a start, as a share of its quantile: larger ones overshoot
    above_lowest: float = 0.2  # share of the way from the least loss to the mean, below which no search starts
    closer: float = 0.3  # share of the last miss up to which the threshold is a cubic of the quantile between both
    alike: tuple[float, float] = (0.5, 2.0)  # ratio of a longer series' step to Newton's: beyond, that says nothing
    aside: float = 1.25  # errors by which thresholds lie apart from a rate that are surely on either side of it
    resolved: float = 4.0  # units in the last place of a threshold by which they lie apart at the least
    search: float = 1e-14  # relative error that a search leaves in a rate, beside those of the readings
    gentle_bend: float = 0.5  # share by which a step towards an epsilon may be lengthened for the second derivative
    slow: float = 0.5  # share of the miss two steps before, from which on the two ends are halved
    back: tuple[float, float] = (0.7, 0.3)  # weights of a lower end that a step would pass, and of where it came from


SETTINGS = InversionSettings()

Quantile = Callable[[OperatingPoints], tuple[Floats, Floats, Floats]]
"""From points, an increasing quantile z of the threshold tau, log(phi(z) dz/dtau), and the derivative of that in tau or
NaN."""


def points_at_fpr(tails: LossTails, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
    """Operating points whose FPR has the given logarithm (and its complement the other), strictly inside (0, 1)."""
    target = upper_quantile(log_fpr, log_tnr)
    return _found(*_solve(tails, target, _fpr_quantile, normal_guess(tails, target, under_p=False)))


def points_at_fnr(tails: LossTails, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
    """Operating points whose FNR has the given logarithm (and its complement the other), strictly inside (0, 1)."""
    target = upper_quantile(log_tpr, log_fnr)
    return _found(*_solve(tails, target, _tpr_quantile, normal_guess(tails, target, under_p=True)))


def points_at_remove_delta(tails: LossTails, log_delta: Floats) -> OperatingPoints:
    """Operating points whose threshold is the epsilon of the remove direction at these deltas."""
    target = upper_quantile(log_delta, log_complement(log_delta))
    return _solve(tails, target, _remove_quantile, _near_epsilons(tails, log_delta, target))[0]


def points_at_add_delta(tails: LossTails, log_delta: Floats) -> OperatingPoints:
    """Operating points whose threshold is minus the epsilon of the add direction at these deltas."""
    target = upper_quantile(log_complement(log_delta), log_delta)
    return _solve(tails, target, _add_quantile, normal_guess(tails, target, under_p=False))[0]


def points_at_floor(
    tails: LossTails, floor: float, near: Floats, roughly: float | None = None, ends: Sequence[int] = (0, 1)
) -> OperatingPoints:
    """The operating points with FNR and with FPR equal to the floor, in this order, from thresholds nearby.

    If roughly is given, quantiles may be missed by this share of them; of both points, those asked for are found.
    """
    target, found = floor_quantiles(floor), []
    for end in ends:
        one, quantile = slice(end, end + 1), (_tpr_quantile, _fpr_quantile)[end]
        points, missed = _solve(tails, target[one], quantile, near[one], roughly)
        found.append(points if roughly else _found(points, missed))
    return OperatingPoints.joined(found)


def aside(tails: LossTails, points: OperatingPoints, *, under_p: bool) -> Floats:
    """How far from points to go so that their FPRs, or under P their FNRs, surely lie on either side of those there.

    By bounds on errors; infinite where none is known.
    """
    rate, rest, slope = points.log_fpr, points.log_tnr, points.log_density
    if under_p:
        rate, rest, slope = points.log_fnr, points.log_tpr, slope + points.tau
    errors = SETTINGS.aside * bounds_on_errors(tails, points) + SETTINGS.search
    distance: Floats = np.maximum(
        errors * np.exp(np.minimum(rate, rest) - slope), SETTINGS.resolved * np.spacing(np.abs(points.tau))
    )
    return distance


def near_floor(tails: LossTails, floor: float) -> tuple[Floats, Booleans]:
    """Thresholds near those with FNR and with FPR equal to the floor; whether each is some thousandths off at most."""
    target, under_p = floor_quantiles(floor), (True, False)
    known = [tails.near_quantile(quantile, float(p)) for quantile, p in zip(target.tolist(), under_p, strict=True)]
    near = [
        float(normal_guess(tails, target[end : end + 1], under_p=under_p[end])[0]) if found is None else found
        for end, found in enumerate(known)
    ]
    return np.array(near), np.array([found is not None for found in known])


def floor_quantiles(floor: float) -> Floats:
    """The quantiles that the loss has where the FNR and where the FPR is the floor, under P and under Q."""
    quantiles: Floats = special.ndtri(floor) * np.array([1.0, -1.0])
    return quantiles


def normal_guess(tails: LossTails, target: Floats, *, under_p: bool) -> Floats:
    """The thresholds of a normal loss of this mean and variance, corrected for skewness after Cornish and Fisher.

    Under P the cumulants are those at tilt 1, to first order in the skewness. The correction is made where it is one:
    for moderate quantiles, and under P for small skewness. Tails that are far from normal may know better.
    """
    mean, deviation, skewness = tails.mean, tails.deviation, tails.skewness
    if under_p:
        skewness = skewness if abs(skewness) < SETTINGS.small_skewness else 0.0
        growth = min(max(skewness * deviation, SETTINGS.growth[0]), SETTINGS.growth[1])
        mean += deviation * deviation * (1 + 0.5 * growth)
        deviation *= math.sqrt(1 + growth)
    size = np.abs(target)
    least, most = SETTINGS.correction
    correction = np.clip(skewness / 6 * (target * target - 1), least * size, most * size)
    tau = mean + deviation * (target + np.where(size < SETTINGS.moderate, correction, 0.0))
    if np.isfinite(tails.lowest):
        tau = np.maximum(tau, tails.lowest + SETTINGS.above_lowest * (tails.mean - tails.lowest))
    return _where_known((tails.rough_quantile(quantile, float(under_p)) for quantile in target.tolist()), tau)


def _near_epsilons(tails: LossTails, log_delta: Floats, target: Floats) -> Floats:
    """From where to search for the thresholds at which the profile of the remove direction has these logarithms."""
    known = [tails.rough_epsilon(value) for value in log_delta.tolist()]
    if None in known and tails.skewness == 0:
        # Such tails know their quantiles, and a heavy tail may be far from normal: the TPR there is delta, not far off.
        known = [tails.near_quantile(quantile, 1.0) for quantile in target.tolist()]
    if None not in known:
        return np.array(known)
    start = _normal_epsilons(tails, log_delta)
    unknown = ~((start > 0) & np.isfinite(start))
    if unknown.any():
        start[unknown] = normal_guess(tails, target[unknown], under_p=True)
    return _where_known(known, start)


def nearer_epsilon(points: OperatingPoints, log_delta: float) -> float:
    """A quadratic step from the only one of these points to where the profile has this logarithm."""
    tau, here, log_fpr = (float(column[0]) for column in (points.tau, points.log_delta_remove, points.log_fpr))
    z = -float(special.ndtri_exp(here)) if here < 0 else math.nan
    miss = z + float(special.ndtri_exp(log_delta))
    slope = math.exp(min(-HALF_LOG_2PI - 0.5 * z * z - log_fpr - tau, LARGEST_EXPONENT))
    longer = _lengthened(z, miss, slope, 1 - math.exp(float(points.log_density[0]) - log_fpr))
    proposed = tau - miss * slope * (1 + longer)
    gentle = abs(miss) < SETTINGS.longest_step and abs(longer) < SETTINGS.gentle_bend
    return proposed if gentle and proposed > 0 else tau


def _normal_epsilons(tails: LossTails, log_delta: Floats) -> Floats:
    """The epsilons of a normal loss of this deviation, corrected for skewness; not positive where there are none.

    The profile may lie far below the tail: by the size of a small deviation.
    """
    mu, delta = tails.deviation, np.exp(np.maximum(log_delta, -LARGEST_EXPONENT))
    if not 0 < mu < math.inf:
        return np.zeros_like(delta)
    sixth, (least, most) = tails.skewness / 6, SETTINGS.correction
    if delta.size <= SETTINGS.few:
        found = []
        for one, log in zip(delta.tolist(), log_delta.tolist(), strict=True):
            start = epsilon_from_mu.one(mu, one)
            place = start / mu - 0.5 * mu
            correction = min(max(sixth * place * place, least * abs(place)), most * abs(place))
            found.append(start + mu * correction if log > -LARGEST_EXPONENT else 0.0)
        return np.array(found)
    epsilon = epsilon_from_mu(np.full_like(delta, mu), delta)
    quantile = epsilon / mu - 0.5 * mu
    size = np.abs(quantile)
    corrections = np.minimum(np.maximum(sixth * quantile * quantile, least * size), most * size)
    return np.where(log_delta > -LARGEST_EXPONENT, epsilon + mu * corrections, 0.0)


def _where_known(known: Iterable[float | None], otherwise: Floats) -> Floats:
    """What is known, each on its own."""
    return np.array([guess if near is None else near for near, guess in zip(known, otherwise, strict=True)])


def _per_quantile(z: Floats, log_slope: Floats) -> Floats:
    """dtau/dz from log(phi(z) dz/dtau); not a number where the tails have vanished."""
    with np.errstate(invalid="ignore"):
        step: Floats = np.exp(-HALF_LOG_2PI - 0.5 * z * z - log_slope)
    return step


def _fpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats, Floats]:
    return upper_quantile(points.log_fpr, points.log_tnr), points.log_density, np.full_like(points.tau, np.nan)


def _tpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats, Floats]:
    log_slope = points.log_density + points.tau
    return upper_quantile(points.log_tpr, points.log_fnr), log_slope, np.full_like(points.tau, np.nan)


def _remove_quantile(points: OperatingPoints) -> tuple[Floats, Floats, Floats]:
    log_slope = points.log_fpr + points.tau
    log_rest = np.logaddexp(points.log_fnr, log_slope)  # 1 - delta
    with np.errstate(invalid="ignore"):
        bend = 1 - np.exp(points.log_density - points.log_fpr)
    return upper_quantile(points.log_delta_remove, log_rest), log_slope, bend


def _add_quantile(points: OperatingPoints) -> tuple[Floats, Floats, Floats]:
    log_slope = points.log_fnr - points.tau
    log_rest = np.logaddexp(points.log_fpr, log_slope)
    with np.errstate(invalid="ignore"):
        bend = np.exp(points.log_density - log_slope) - 1
    return upper_quantile(log_rest, points.log_delta_add), log_slope, bend


def _found(points: OperatingPoints, missed: Floats) -> OperatingPoints:
    """The points with what a linear step leaves of the miss of the rate; unanswered where that is too much.

    Next to the least loss neighbouring thresholds may have very different rates.
    """
    errors = points.errors + np.where(missed <= SETTINGS.linear, missed * missed, np.inf)
    return replace(points, errors=errors, methods=np.where(errors <= LIMIT, points.methods, NO_METHOD).astype(np.int8))


class _Search:
    """The search for one threshold: where it is, between which ends, and what was read before."""

    __slots__ = ("_before", "_high", "_low", "_mean", "_misses", "_size", "_target", "tau")

    def __init__(self, target: float, tau: float, tails: LossTails) -> None:
        self.tau, self._target, self._size = tau, target, 1 + abs(target)
        self._low, self._high, self._mean = tails.lowest, math.inf, tails.mean
        self._before: tuple[float, float, float] | None = None  # threshold, miss and slope
        self._misses = math.inf, math.inf  # of the last two thresholds

    def ends(self, z: float, slope: float, bend: float, roughly: float | None) -> tuple[bool, float, float]:
        """Whether the threshold is found or cannot be, the step that is left, and the miss of the rate before it.

        Args:
            z: the quantile that the threshold has.
            slope: of the threshold over the quantile.
            bend: of the logarithm of the rate's slope over the threshold, or NaN.
            roughly: the share of the quantile by which it may be missed, if not to the last digits.
        """
        miss = z - self._target
        step, longer = self._newton(miss, slope), _lengthened(z, miss, slope, bend)
        # A quantile z moves the logarithm of a small rate by about z.
        rate_miss = abs(miss) * self._size
        found = abs(miss) <= roughly * self._size if roughly else rate_miss <= SETTINGS.tolerance
        # So much is left of a quadratic step. Next to where the second derivative is zero the third one decides.
        if not found and rate_miss * (longer * longer + miss * miss) <= SETTINGS.tolerance**2:
            return True, -step * (1 + longer), rate_miss
        # Next to the least loss a double may not hold the threshold to more digits than this.
        stuck = min(abs(step), self._high - self._low) <= SETTINGS.resolution * abs(self.tau)
        linear = (found or rate_miss <= SETTINGS.linear) and math.isfinite(step)
        return found or stuck, -step if linear else 0.0, rate_miss

    def go_on(self, z: float, slope: float, bend: float) -> None:
        """To the next threshold, given what this one has."""
        tau, miss = self.tau, z - self._target
        step = self._step(z, miss, slope, bend)
        self._before = tau, miss, slope
        if miss < 0:
            self._low = tau
        elif miss > 0:
            self._high = tau
        if math.isfinite(step):
            proposed = tau - step
        else:
            # A tail that vanished has no slope; the bulk, which has, lies on the other side.
            proposed = 0.5 * (tau + (max(self._low, self._mean) if miss > 0 else min(self._high, self._mean)))
        if proposed <= self._low and math.isfinite(self._low):
            proposed = SETTINGS.back[0] * self._low + SETTINGS.back[1] * tau
        if proposed >= self._high:
            proposed = 0.5 * (tau + self._high)
        if abs(miss) > SETTINGS.slow * self._misses[0] and math.isfinite(self._high - self._low):
            proposed = 0.5 * (self._low + self._high)  # steps that go to and fro between two ends find nothing
        self._misses = self._misses[1], abs(miss)
        self.tau = proposed

    @staticmethod
    def _newton(miss: float, slope: float) -> float:
        return math.copysign(min(abs(miss), SETTINGS.longest_step), miss) * slope

    def _step(self, z: float, miss: float, slope: float, bend: float) -> float:
        """How far to go back to no miss: by the cubic through two thresholds, misses and slopes, or else Newton's step.

        The threshold as a function of the quantile is smooth, so two thresholds say more than one; and so does the
        second derivative, if it is known.
        """
        newton = self._newton(miss, slope)
        least, most = SETTINGS.alike
        if self._before is None or newton == 0 or not abs(miss) < SETTINGS.closer * abs(self._before[1]):
            longer = 1 + _lengthened(z, miss, slope, bend)
            return newton * longer if least < longer < most else newton
        tau, before, slope_before = self._before
        width = before - miss
        u = -miss / width
        cubic = u * u * (3 - 2 * u) * (self.tau - tau)
        cubic -= u * width * ((1 - u) * (1 - u) * slope + u * (u - 1) * slope_before)
        return cubic if least < cubic / newton < most else newton


def _lengthened(z: float, miss: float, slope: float, bend: float) -> float:
    """By which share of it Newton's step to no miss is to be lengthened for the second derivative; NaN if not known.

    With phi(z) z' = e^l and l' the bend, z'' = z' (l' + z z'), and the threshold has the second derivative -z'' / z'^3
    in z.
    """
    return 0.5 * (bend * slope + z) * miss


def _solve(
    tails: LossTails, target: Floats, quantile: Quantile, tau: Floats, roughly: float | None = None
) -> tuple[OperatingPoints, Floats]:
    """Newton for each target, and the relative miss of its rate that the last step was to make up for.

    Thresholds that are not found are left unanswered.
    """
    searches = [_Search(one, start, tails) for one, start in zip(target.tolist(), tau.tolist(), strict=True)]
    result: OperatingPoints | None = None
    missed = np.zeros_like(tau)
    open_ = list(range(tau.size))
    for _ in range(SETTINGS.max_steps):
        points = tails.read(np.array([searches[index].tau for index in open_]))
        z, log_slope, bend = quantile(points)
        columns = (z, _per_quantile(z, log_slope), bend, points.answered)
        read = zip(open_, *(column.tolist() for column in columns), strict=True)
        found: list[tuple[int, int, float, float]] = []  # place, index, step and miss
        going = []
        for place, (index, at, *derivatives, answered) in enumerate(read):
            done, step, miss = searches[index].ends(at, *derivatives, roughly)
            if done or not answered:
                found.append((place, index, step, miss))
            else:
                searches[index].go_on(at, *derivatives)
                going.append(index)
        if found:
            places, indices, steps, misses = (np.array(column) for column in zip(*found, strict=True))
            if len(found) == tau.size:
                return points.moved(steps), misses
            result = OperatingPoints.unanswered(tau) if result is None else result
            result.put(indices, points.take(places).moved(steps))
            missed[indices] = misses
        open_ = going
        if not open_:
            break
    return OperatingPoints.unanswered(tau) if result is None else result, missed
