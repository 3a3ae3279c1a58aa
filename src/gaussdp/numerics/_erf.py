r"""The total variation of mu-GDP, erf(mu / (2 sqrt 2)), to about 30 digits.

Needed for one thing: epsilon(delta) just below delta(0), where the root is a tiny difference of the two.
"""

import numpy as np

from gaussdp.numerics import _double_double as dd
from gaussdp.numerics._types import Floats

_SERIES_BELOW = 9.0  # mu; above, the continued fraction of the complement is shorter
_SERIES_TERMS = 90
_FRACTION_DEPTH = 80
_FULL = 50.0  # beyond, 1 - erf is far below any 1 - delta that a double can hold


def erf_minus(mu: Floats, delta: Floats) -> Floats:
    """erf(mu / (2 sqrt 2)) - delta for mu > 0, keeping relative accuracy under cancellation."""
    result = np.empty_like(mu)
    low = mu < _SERIES_BELOW
    if low.any():
        zero = np.zeros_like(mu[low])
        high_part, low_part = dd.add(erf_pair(mu[low]), (-delta[low], zero))
        result[low] = high_part + low_part
    if not low.all():
        high = ~low
        rest = 1 - delta[high]
        complement = dd.negate(erfc_pair(np.minimum(mu[high], _FULL)))
        high_part, low_part = dd.add((rest, np.zeros_like(rest)), complement)
        result[high] = high_part + low_part
    return result


def erf_pair(mu: Floats) -> dd.Pair:
    """mu phi(mu/2) sum_n (mu^2/4)^n / (2n+1)!!, all terms positive."""
    quarter_square = _quarter_square(mu)
    total = dd.constant(1.0, mu)
    for n in range(_SERIES_TERMS, 0, -1):
        factor = dd.divide(quarter_square, dd.constant(2.0 * n + 1.0, mu))
        total = dd.add(dd.constant(1.0, mu), dd.multiply(total, factor))
    total = dd.multiply(total, (mu, np.zeros_like(mu)))
    return dd.multiply(total, density_pair(mu))


def erfc_pair(mu: Floats) -> dd.Pair:
    """2 phi(h) R(h) at h = mu/2, by the continued fraction h + 1/(h + 2/(h + ...)) of 1/R."""
    h = (0.5 * mu, np.zeros_like(mu))
    tail = h
    for k in range(_FRACTION_DEPTH, 0, -1):
        tail = dd.add(h, dd.divide(dd.constant(float(k), mu), tail))
    return dd.divide(dd.multiply(dd.constant(2.0, mu), density_pair(mu)), tail)


def _quarter_square(mu: Floats) -> dd.Pair:
    square, error = dd.two_product(0.5 * mu, 0.5 * mu)
    return square, error


def density_pair(mu: Floats) -> dd.Pair:
    """phi(mu/2)."""
    quarter_square = _quarter_square(mu)
    power = dd.exp((-0.5 * quarter_square[0], -0.5 * quarter_square[1]))
    return dd.multiply(power, dd.constant(dd.INV_SQRT_2PI, power[0]))
