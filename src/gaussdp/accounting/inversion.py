"""The threshold at which the loss has a given tail or profile, by safeguarded Newton on normal quantiles."""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from gaussdp.accounting.operating_points import HALF_LOG_2PI, LossTails, OperatingPoints, log_complement, upper_quantile
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

_MAX_STEPS = 80
_LONGEST_STEP = 4.0  # in units of the quantile, which is nearly linear in the threshold
_TOLERANCE = 1e-13
_NEARLY = 1e-8
_RESOLUTION = 4e-16
_SMALL_SKEWNESS = 0.3
_MODERATE = 8.0  # standard deviations


def points_at_fpr(tails: LossTails, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
    """Operating points whose FPR has the given logarithm (and its complement the other), strictly inside (0, 1)."""
    target = upper_quantile(log_fpr, log_tnr)
    return _solve(tails, target, _fpr_quantile, normal_guess(tails, target, under_p=False))


def points_at_fnr(tails: LossTails, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
    """Operating points whose FNR has the given logarithm (and its complement the other), strictly inside (0, 1)."""
    target = upper_quantile(log_tpr, log_fnr)
    return _solve(tails, target, _tpr_quantile, normal_guess(tails, target, under_p=True))


def points_at_remove_delta(tails: LossTails, log_delta: Floats) -> OperatingPoints:
    """Operating points whose threshold is the epsilon of the remove direction at these deltas."""
    target = upper_quantile(log_delta, log_complement(log_delta))
    return _solve(tails, target, _remove_quantile, normal_guess(tails, target, under_p=True))


def points_at_add_delta(tails: LossTails, log_delta: Floats) -> OperatingPoints:
    """Operating points whose threshold is minus the epsilon of the add direction at these deltas."""
    target = upper_quantile(log_complement(log_delta), log_delta)
    return _solve(tails, target, _add_quantile, normal_guess(tails, target, under_p=False))


def points_at_floor(
    tails: LossTails, floor: float, guess: Floats, tolerance: float = _NEARLY, first: OperatingPoints | None = None
) -> OperatingPoints:
    """The two operating points with FNR and with FPR equal to the floor, in this order, solved together.

    Args:
        tails: the loss.
        floor: the error rate.
        guess: thresholds to start from.
        tolerance: relative to the quantiles; what is left of the error is of the order of its square.
        first: the operating points at the guess, if they are known.
    """
    target = floor_quantiles(floor)
    points = _solve(tails, target, _floor_quantile, guess, tolerance, first)
    z, log_slope = _floor_quantile(points)
    return points.moved(points.tau - (z - target) * _per_quantile(z, log_slope))


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


def _floor_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    z = upper_quantile(
        np.array([points.log_tpr[0], points.log_fpr[1]]), np.array([points.log_fnr[0], points.log_tnr[1]])
    )
    return z, points.log_density + np.array([points.tau[0], 0.0])


def normal_guess(tails: LossTails, target: Floats, *, under_p: bool) -> Floats:
    """The thresholds of a normal loss of this mean and variance, corrected for skewness after Cornish and Fisher.

    Under P the cumulants are those at tilt 1, to first order in the skewness. The correction is made where it is one:
    for moderate quantiles, and under P for small skewness.
    """
    mean, deviation, skewness = tails.mean, tails.deviation, tails.skewness
    if under_p:
        skewness = skewness if abs(skewness) < _SMALL_SKEWNESS else 0.0
        growth = min(skewness * deviation, 1.0)  # of the variance, as a share
        mean += deviation * deviation * (1 + 0.5 * growth)
        deviation *= math.sqrt(1 + growth)
    size = np.abs(target)
    correction = np.clip(skewness / 6 * (target * target - 1), -0.3 * size, 0.5 * size)
    tau = mean + deviation * (target + np.where(size < _MODERATE, correction, 0.0))
    if np.isfinite(tails.lowest):
        tau = np.maximum(tau, tails.lowest + 0.2 * (tails.mean - tails.lowest))
    return tau


def _per_quantile(z: Floats, log_slope: Floats) -> Floats:
    """dtau/dz from log(phi(z) dz/dtau)."""
    step: Floats = np.exp(-HALF_LOG_2PI - 0.5 * z * z - log_slope)
    return step


def _fpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    z = upper_quantile(points.log_fpr, points.log_tnr)
    return z, points.log_density


def _tpr_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    z = upper_quantile(points.log_tpr, points.log_fnr)
    return z, points.log_density + points.tau


def _remove_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    log_rest = np.logaddexp(points.log_fnr, points.log_fpr + points.tau)  # 1 - delta
    return upper_quantile(points.log_delta_remove, log_rest), points.log_fpr + points.tau


def _add_quantile(points: OperatingPoints) -> tuple[Floats, Floats]:
    log_rest = np.logaddexp(points.log_fpr, points.log_fnr - points.tau)
    return upper_quantile(log_rest, points.log_delta_add), points.log_fnr - points.tau


def _solve(
    tails: LossTails,
    target: Floats,
    quantile: Callable[[OperatingPoints], tuple[Floats, Floats]],
    tau: Floats,
    tolerance: float = _TOLERANCE,
    first: OperatingPoints | None = None,
) -> OperatingPoints:
    """Newton on an increasing quantile z(tau); the callable returns z and log(phi(z) dz/dtau)."""
    low, high = np.full_like(tau, tails.lowest), np.full_like(tau, np.inf)
    points = tails.read(tau) if first is None else first
    for _ in range(_MAX_STEPS):
        z, log_slope = quantile(points)
        miss = z - target
        found = np.abs(miss) <= tolerance * (1 + np.abs(target)) + 2 * points.errors
        step = np.clip(miss, -_LONGEST_STEP, _LONGEST_STEP) * _per_quantile(z, log_slope)
        # Next to the least loss a double may not hold the threshold to more digits than this.
        found |= np.minimum(np.abs(step), high - low) <= _RESOLUTION * np.abs(tau)
        if np.all(found):
            return points
        low = np.where(miss < 0, tau, low)
        high = np.where(miss > 0, tau, high)
        proposed = tau - step
        proposed = np.where(proposed <= low, np.where(np.isfinite(low), 0.7 * low + 0.3 * tau, proposed), proposed)
        tau = np.where(proposed >= high, 0.5 * (tau + high), proposed)
        points = tails.read(tau)
    raise ConvergenceError(f"no threshold found in {_MAX_STEPS} steps")
