"""The profiles of a mechanism and of a GDP curve at the same epsilons, and how far apart they can be in between."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp import numerics
from gaussdp.accounting.columns import Columns
from gaussdp.numerics import Floats


@dataclass(frozen=True, slots=True)
class Profiles(Columns):
    """delta of the mechanism (own) and of mu-GDP (gaussian) with their slopes, at epsilons."""

    epsilon: Floats
    own: Floats
    own_slope: Floats
    gaussian: Floats
    gaussian_slope: Floats

    @classmethod
    def of(
        cls, epsilon: Floats, log_delta: Floats, log_rate: Floats, mu: float, *, relative: bool = False
    ) -> "Profiles":
        """From a mechanism's log delta and the rate of its best attack at each epsilon.

        A profile's slope is -e^epsilon times that rate. The Gaussian profile has absolute accuracy unless relative
        accuracy is asked for, which takes longer.
        """
        m, h = epsilon / mu, 0.5 * mu
        slope = -np.exp(epsilon + special.log_ndtr(-m - h))
        gaussian = numerics.profile(np.full_like(epsilon, mu), epsilon) if relative else special.ndtr(h - m) + slope
        return cls(epsilon, np.exp(log_delta), -np.exp(epsilon + log_rate), gaussian, slope)


def largest_gap(epsilon: Floats, upper: Floats, lower: Floats, lower_slope: Floats) -> Floats:
    """Bounds on upper - lower between neighbouring samples of two convex functions.

    The chord of the first lies above it, the tangents of the second below it; their difference is concave and
    piecewise linear, so it is largest at an end or where the tangents meet.
    """
    width = np.diff(epsilon)
    bend = np.diff(lower_slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (lower[:-1] - lower[1:] + lower_slope[1:] * width) / (bend * width)
    share = np.clip(np.where(np.isfinite(share), share, 0.5), 0.0, 1.0)
    chord = upper[:-1] + share * np.diff(upper)
    tangent = np.maximum(
        lower[:-1] + share * width * lower_slope[:-1], lower[1:] - (1 - share) * width * lower_slope[1:]
    )
    ends = upper - lower
    bound: Floats = np.maximum(np.maximum(ends[:-1], ends[1:]), chord - tangent)
    return bound
