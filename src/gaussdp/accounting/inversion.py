"""The threshold at which the loss has a given tail or profile, by safeguarded Newton on normal quantiles.

Every threshold is searched for on its own: the steps of one do not depend on the others that are asked for with it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from scipy import special

from gaussdp.accounting.operating_points import (
    HALF_LOG_2PI,
    LIMIT,
    LossTails,
    OperatingPoints,
    log_complement,
    upper_quantile,
)
from gaussdp.accounting.readings import NO_METHOD
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class InversionSettings:
    """What is tuned about searches for thresholds."""

    max_steps: int = 80
    longest_step: float = 4.0  # in units of the quantile, which is nearly linear in the threshold
    tolerance: float = 5e-8
    """Relative miss of a rate that the last, linear step makes up for; its square is what is left."""
    linear: float = 1e-2  # ... and the miss up to which a step next to the least loss is taken at all
    resolution: float = 4e-16  # relative distance of thresholds that a double can still tell apart
    small_skewness: float = 0.3  # up to which a start under P is corrected for skewness
    moderate: float = 8.0  # quantile up to which a start is corrected for skewness at all
    growth: tuple[float, float] = (-0.75, 1.0)  # of the variance under P, as a share: beyond, first order says nothing
    correction: tuple[float, float] = (-0.3, 0.5)  # of a start, as a share of its quantile: larger ones overshoot
    above_lowest: float = 0.2  # share of the way from the least loss to the mean, below which no search starts
    closer: float = 0.3  # share of the last miss up to which the threshold is a cubic of the quantile between both
    alike: tuple[float, float] = (0.5, 2.0)  # ratio of the cubic's step to Newton's: beyond, the cubic says nothing
    back: tuple[float, float] = (0.7, 0.3)  # weights of a lower end that a step would pass, and of where it came from


SETTINGS = InversionSettings()

Quantile = Callable[[OperatingPoints], tuple[Floats, Floats]]
"""From points, an increasing quantile z of the threshold tau and log(phi(z) dz/dtau)."""


@runtime_checkable
class FarFromNormal(Protocol):
    """Tails that may know quantiles better than a normal law does."""

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the threshold that the loss exceeds with the probability of a normal quantile, if known."""

    def rough_epsilon(self, log_delta: float) -> float | None:
        """About the threshold at which the profile of the remove direction has this logarithm, if known."""


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
    start = normal_guess(tails, target, under_p=True)
    if isinstance(tails, FarFromNormal):
        start = _where_known((tails.rough_epsilon(value) for value in log_delta.tolist()), start)
    elif tails.skewness == 0:
        # Such tails know their quantiles, and a heavy tail may be far from normal: the TPR there is delta, not far off.
        start = _where_known((tails.near_quantile(quantile, 1.0) for quantile in target.tolist()), start)
    return _solve(tails, target, _remove_quantile, start)[0]


def points_at_add_delta(tails: LossTails, log_delta: Floats) -> OperatingPoints:
    """Operating points whose threshold is minus the epsilon of the add direction at these deltas."""
    target = upper_quantile(log_complement(log_delta), log_delta)
    return _solve(tails, target, _add_quantile, normal_guess(tails, target, under_p=False))[0]


def points_at_floor(tails: LossTails, floor: float, near: Floats, roughly: float | None = None) -> OperatingPoints:
    """The two operating points with FNR and with FPR equal to the floor, in this order, from thresholds nearby.

    If roughly is given, quantiles may be missed by this share of them.
    """
    target = floor_quantiles(floor)
    at_fnr = _solve(tails, target[:1], _tpr_quantile, near[:1], roughly)
    at_fpr = _solve(tails, target[1:], _fpr_quantile, near[1:], roughly)
    return OperatingPoints.joined([found[0] if roughly else _found(*found) for found in (at_fnr, at_fpr)])


def near_floor(tails: LossTails, floor: float) -> tuple[Floats, bool]:
    """Thresholds near those with FNR and with FPR equal to the floor; whether they are some thousandths off at most."""
    target = floor_quantiles(floor)
    under_p, under_q = tails.near_quantile(float(target[0]), 1.0), tails.near_quantile(float(target[1]), 0.0)
    sure = under_p is not None and under_q is not None
    if under_p is None:
        under_p = float(normal_guess(tails, target[:1], under_p=True)[0])
    if under_q is None:
        under_q = float(normal_guess(tails, target[1:], under_p=False)[0])
    return np.array([under_p, under_q]), sure


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
    if isinstance(tails, FarFromNormal):
        tau = _where_known((tails.rough_quantile(quantile, float(under_p)) for quantile in target.tolist()), tau)
    return tau


def _where_known(known: Iterable[float | None], otherwise: Floats) -> Floats:
    """What is known, each on its own."""
    return np.array([guess if near is None else near for near, guess in zip(known, otherwise, strict=True)])


def _per_quantile(z: Floats, log_slope: Floats) -> Floats:
    """dtau/dz from log(phi(z) dz/dtau)."""
    step: Floats = np.exp(-HALF_LOG_2PI - 0.5 * z * z - log_slope)
    return step


def _fpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    return upper_quantile(points.log_fpr, points.log_tnr), points.log_density


def _tpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    return upper_quantile(points.log_tpr, points.log_fnr), points.log_density + points.tau


def _remove_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    log_rest = np.logaddexp(points.log_fnr, points.log_fpr + points.tau)  # 1 - delta
    return upper_quantile(points.log_delta_remove, log_rest), points.log_fpr + points.tau


def _add_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    log_rest = np.logaddexp(points.log_fpr, points.log_fnr - points.tau)
    return upper_quantile(log_rest, points.log_delta_add), points.log_fnr - points.tau


def _cubic_step(newton: Floats, here: Floats, last: Floats) -> Floats:
    """How far to go back to no miss by the cubic through two thresholds, misses and slopes; Newton's step if far off.

    The threshold as a function of the quantile is smooth, so two thresholds say more than one.
    """
    (tau, miss, slope), (tau_before, miss_before, slope_before) = here, last
    width = miss_before - miss
    u = -miss / width
    cubic = u * u * (3 - 2 * u) * (tau - tau_before) - u * width * ((1 - u) ** 2 * slope + u * (u - 1) * slope_before)
    least, most = SETTINGS.alike
    share = cubic / newton
    good = (np.abs(miss) < SETTINGS.closer * np.abs(miss_before)) & (share > least) & (share < most)
    return np.where(good, cubic, newton)


def _found(points: OperatingPoints, missed: Floats) -> OperatingPoints:
    """The points with what a linear step leaves of the miss of the rate; unanswered where that is too much.

    Next to the least loss neighbouring thresholds may have very different rates.
    """
    errors = points.errors + np.where(missed <= SETTINGS.linear, missed * missed, np.inf)
    return replace(points, errors=errors, methods=np.where(errors <= LIMIT, points.methods, NO_METHOD).astype(np.int8))


def _solve(
    tails: LossTails, target: Floats, quantile: Quantile, tau: Floats, roughly: float | None = None
) -> tuple[OperatingPoints, Floats]:
    """Newton for each target, and the relative miss of its rate that the last step was to make up for.

    Thresholds that are not found are left unanswered.
    """
    result, missed = OperatingPoints.unanswered(tau), np.zeros_like(tau)
    open_ = np.arange(tau.size)
    low, high = np.full_like(tau, tails.lowest), np.full_like(tau, np.inf)
    last = np.full((3, tau.size), np.nan)
    for _ in range(SETTINGS.max_steps):
        points = tails.read(tau)
        z, log_slope = quantile(points)
        miss = z - target
        here = np.stack((tau, miss, _per_quantile(z, log_slope)))
        step = np.clip(miss, -SETTINGS.longest_step, SETTINGS.longest_step) * here[2]
        size = 1 + np.abs(target)
        # A quantile z moves the logarithm of a small rate by about z.
        rate_miss = np.abs(miss) * size
        found = np.abs(miss) <= roughly * size if roughly else rate_miss <= SETTINGS.tolerance
        # Next to the least loss a double may not hold the threshold to more digits than this.
        stuck = np.minimum(np.abs(step), high - low) <= SETTINGS.resolution * np.abs(tau)
        done = found | stuck | ~points.answered
        if done.any():
            some, linear = points.take(done), found | (rate_miss <= SETTINGS.linear)
            result.put(open_[done], some.moved(np.where(linear & np.isfinite(step), -step, 0.0)[done]))
            missed[open_[done]] = rate_miss[done]
            if done.all():
                break
            going = ~done
            open_, tau, target, miss, step = open_[going], tau[going], target[going], miss[going], step[going]
            low, high, here, last = low[going], high[going], here[:, going], last[:, going]
        step, last = _cubic_step(step, here, last), here
        low = np.where(miss < 0, tau, low)
        high = np.where(miss > 0, tau, high)
        # A tail that vanished has no slope; the bulk, which has, lies on the other side.
        inward = 0.5 * (tau + np.where(miss > 0, np.maximum(low, tails.mean), np.minimum(high, tails.mean)))
        proposed = np.where(np.isfinite(step), tau - step, inward)
        inside = SETTINGS.back[0] * low + SETTINGS.back[1] * tau
        proposed = np.where((proposed <= low) & np.isfinite(low), inside, proposed)
        tau = np.where(proposed >= high, 0.5 * (tau + high), proposed)
    return result, missed
