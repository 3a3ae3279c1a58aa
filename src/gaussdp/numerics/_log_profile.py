"""The logarithm of the privacy profile, which goes on where delta underflows."""

import math

import numpy as np

from gaussdp.numerics._mills import mills_difference
from gaussdp.numerics._profile import profile
from gaussdp.numerics._types import Floats

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


def log_profile(mu: Floats, epsilon: Floats) -> Floats:
    """log delta(epsilon) for 0 < mu < inf and 0 <= epsilon < inf."""
    m = epsilon / mu
    h = 0.5 * mu
    x = m - h
    tail = x > -1.0
    logarithm = np.empty_like(x)
    if tail.any():
        difference = mills_difference(m[tail], h[tail])
        logarithm[tail] = np.log(difference) - 0.5 * x[tail] * x[tail] - _LOG_SQRT_2PI
    if not tail.all():
        logarithm[~tail] = np.log(profile(mu[~tail], epsilon[~tail]))
    return logarithm
