"""How far two profiles can be apart between epsilons at which both are known."""

import numpy as np
from scipy import special

from gaussdp.numerics import Floats


def gaussian_fall(epsilon: Floats, mu: float) -> Floats:
    """e^epsilon times the FPR of the best attack on mu-GDP: its profile's slope over epsilon, without the sign."""
    fall: Floats = np.exp(epsilon + special.log_ndtr(-epsilon / mu - 0.5 * mu))
    return fall


def largest_gap(epsilon: Floats, gaps: Floats, drops: Floats, lower_fall: Floats) -> Floats:
    """Bounds on upper - lower between neighbouring samples of two profiles, which are convex functions of e^epsilon.

    The chord of the first lies above it, the tangents of the second below it. Less either tangent the chord is linear,
    so the smaller of the two differences is largest at an end or where both are equal.

    Args:
        epsilon: of the samples, rising.
        gaps: upper - lower at each.
        drops: of the upper one from each sample to the next.
        lower_fall: e^epsilon times the slope of the lower one, without its sign.
    """
    step = np.diff(epsilon)
    left, right = gaps[:-1], gaps[1:]
    # What the chord gains on the tangent of the left end, and on that of the right end backwards.
    ahead = lower_fall[:-1] * np.expm1(step) - drops
    back = drops + lower_fall[1:] * np.expm1(-step)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (right - left + back) / (ahead + back)
    share = np.where(np.isfinite(share), np.clip(share, 0.0, 1.0), 0.5)
    meeting = np.maximum(left + share * ahead, right + (1 - share) * back)
    bound: Floats = np.maximum(np.maximum(left, right), np.where((ahead > 0) & (back > 0), meeting, -np.inf))
    return bound
