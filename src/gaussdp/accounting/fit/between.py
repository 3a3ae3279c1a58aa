"""What samples of a curve say about mu: at each of them, with its error, and between neighbours by their tangents.

The region above a GDP curve is convex, so on a segment mu is largest at an end; the accounted curve is convex, so
between two samples it lies above their tangents. Hence mu at the corner where the tangents meet bounds mu between the
samples.
"""

import math
from typing import NamedTuple

import numpy as np

from gaussdp.accounting.fit.span import Samples
from gaussdp.accounting.operating_points import HALF_LOG_2PI, OperatingPoints, log_complement, upper_quantile
from gaussdp.numerics import Floats

_ROUNDING = 1e-15  # of a quantile
_CORNER_ROUNDING = 4e-15  # of the difference of two profiles, relative to the larger
_MILLS_AT_ZERO = math.sqrt(0.5 * math.pi)


def mu_errors(samples: Samples) -> Floats:
    """Errors of mu: relative errors of tail probabilities times the Mills ratios of their quantiles.

    The Mills ratio at z is at most sqrt(pi / 2), and at most 1 / z.
    """
    errors: Floats = samples.errors * (_mills(samples.from_fpr) + _mills(samples.from_fnr)) + _ROUNDING
    return errors


def _mills(quantile: Floats) -> Floats:
    """A bound on the Mills ratio at the size of a quantile, and somewhat more."""
    ratio: Floats = 1.1 * np.minimum(_MILLS_AT_ZERO, 1 / np.maximum(np.abs(quantile), 0.5))
    return ratio


def mu_between(samples: OperatingPoints) -> Floats:
    """mu at the corners of neighbouring tangents, with the numerical error of the corners."""
    tau, errors = samples.tau, samples.errors
    above = np.array((tau, samples.log_fpr, samples.log_fnr, samples.log_tpr, samples.log_delta_remove, errors))
    # Below zero the same is seen from the other error rate.
    below = np.array((-tau, samples.log_fnr, samples.log_fpr, samples.log_tnr, samples.log_delta_add, errors))
    upper = tau[:-1] >= 0
    near, far = np.where(upper, above[:, :-1], below[:, 1:]), np.where(upper, above[:, 1:], below[:, :-1])
    return _corner(_Side(*near), _Side(*far))


class _Side(NamedTuple):
    """What is known at the ends of intervals that are nearer to zero, or at the farther ones."""

    tau: Floats
    log_rate: Floats
    log_other: Floats
    log_other_rest: Floats
    log_delta: Floats
    errors: Floats


def _corner(near: _Side, far: _Side) -> Floats:
    """mu at most where the tangents of slopes -e^tau at near and far meet.

    Their intercepts are 1 - delta, so they meet at the rate (delta_near - delta_far) / (e^tau_far - e^tau_near). Errors
    move that along the tangent at near, and on a segment mu is largest at an end.
    """
    drop = -np.expm1(far.log_delta - near.log_delta)
    at_near, at_far = near.errors, far.errors
    with np.errstate(divide="ignore", invalid="ignore"):
        log_corner = near.log_delta + np.log(drop) - near.tau - np.log(np.expm1(far.tau - near.tau))
        moved = (at_near + at_far + _CORNER_ROUNDING) / drop
        ends = np.array((log_corner + np.log1p(-np.minimum(moved, 1.0)), log_corner + np.log1p(moved)))
        ends = np.where(drop > 0, ends, [[-np.inf], [np.inf]])
        log_corners = np.clip(ends, far.log_rate + np.log1p(-at_far), near.log_rate + np.log1p(at_near))
        gain = -np.expm1(log_corners - near.log_rate) * np.exp(near.tau + near.log_rate)
        other = np.exp(near.log_other) + gain
        rest = np.maximum(np.exp(near.log_other_rest) - gain, np.exp(far.log_other_rest))
        quantile = upper_quantile(np.log(other), np.log(rest))
        # The tangent may lie lower by the errors of both rates at near.
        smaller = np.maximum(np.minimum(other, rest), np.exp(np.minimum(near.log_other, near.log_other_rest)))
        lower = at_near * (smaller + np.exp(near.tau + near.log_rate))
        mu = upper_quantile(log_corners, log_complement(log_corners)) + quantile
        mu += lower * np.exp(0.5 * quantile * quantile + HALF_LOG_2PI)
        # Never above what the two samples alone allow, however noisy the corner.
        from_rate = upper_quantile(far.log_rate, log_complement(far.log_rate))
        from_other = upper_quantile(near.log_other, near.log_other_rest)
    samples = from_rate + from_other + at_far * _mills(from_rate) + at_near * _mills(from_other)
    largest: Floats = np.fmin(mu.max(axis=0), samples)
    return largest
