r"""The curve of mu-GDP: single points, the privacy profile and its two inverses.

Always 0 < mu < inf, and levels lie strictly between 0 and 1. How many times larger a normal tail gets when its end
moves by mu is the pure-DP epsilon behind a GDP point:

.. math:: \log\Phi(x + \mu) - \log\Phi(x) = \mu \int_0^1 h(x + t\mu)\,dt, \qquad h = \varphi/\Phi

Subtracting loses all digits when mu is small; the integrand is positive and smooth, so there Gauss-Legendre nodes
give them back.

For the profile, with :math:`m = \varepsilon/\mu` and :math:`h = \mu/2` the profile is

.. math:: \delta = \varphi(m-h)\,D, \qquad D = R(m-h) - R(m+h),

(Balle & Wang 2018, in Mills-ratio form). Its logarithm G has simple exact derivatives, so both inverses use
Halley's method on G, or on log(1 - delta) where delta is near 1:

.. math:: \partial G/\partial\log\mu = E, \quad \partial^2 G/\partial(\log\mu)^2 = E(1 + m^2 - h^2 - E),
          \quad E = \mu/D
.. math:: \partial G/\partial m = -Q, \quad \partial^2 G/\partial m^2 = -Q(\mu - 1/R(m+h) + Q),
          \quad Q = \mu R(m+h)/D
"""

import math

import numpy as np

from gaussdp.numerics._extended import erf_minus, two_product
from gaussdp.numerics._operations import Array, Operations
from gaussdp.numerics._quantiles import (
    DEEPEST,
    LOG_SQRT_2PI,
    SQRT_HALF,
    SQRT_HALF_PI,
    density,
    mills,
    mills_difference,
    rough_mills,
    rough_mills_difference,
)

_DEEP = 1e-290  # below, a probability loses digits to the smallest doubles
_SMALL = 0.5  # mu up to which the nodes below leave no error that a double could show
_GAUSS = np.polynomial.legendre.leggauss(16)  # a power of two, so that halving adds them up
_PLACES, _SHARES = (_GAUSS[0] + 1) / 2, _GAUSS[1] / 2


def fnr(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(-Phi^-1(fpr) - mu)."""
    return xp.full_ndtr(-xp.ndtri(fpr) - mu)


def tpr(xp: Operations, mu: Array, fpr: Array) -> Array:
    """Phi(Phi^-1(fpr) + mu); with -mu, the least FPR at a TPR."""
    return xp.full_ndtr(xp.ndtri(fpr) + mu)


def multiplicative_advantage(xp: Operations, mu: Array, fpr: Array) -> Array:
    """tpr / fpr, also for mu = inf; stays exact where both are among the smallest doubles."""
    return _growth(xp, fpr, mu)


def advantage(xp: Operations, mu: Array) -> Array:
    """The largest tpr - fpr."""
    return xp.erf(0.5 * SQRT_HALF * mu)


def precision(xp: Operations, mu: Array, recall: Array, prior: Array) -> Array:
    """The posterior of membership at this recall; stays exact where the least FPR underflows."""
    ratio = _growth(xp, recall, -mu)
    return 1 / (1 + ratio / prior * (1 - prior))  # in an order in which nothing times infinity cannot occur


def log_tail_growth(xp: Operations, x: Array, mu: Array) -> Array:
    """log(Phi(x + mu) / Phi(x)) for mu in [0, inf), to relative accuracy."""
    return xp.either(mu < _SMALL, _integrated_growth, _subtracted_growth, (x, 0.0), (mu, 0.0))


def _subtracted_growth(xp: Operations, x: Array, mu: Array) -> Array:
    return xp.log_ndtr(x + mu) - xp.log_ndtr(x)


def _integrated_growth(xp: Operations, x: Array, mu: Array) -> Array:
    # h(x) = sqrt(2/pi) / erfcx(-x / sqrt 2), its factors drawn out of the nodes' many elements
    hazards = xp.column(_SHARES, mu) / xp.erfcx(-SQRT_HALF * x - xp.column(_PLACES, mu) * (SQRT_HALF * mu))
    while hazards.shape[0] > 1:  # in one order whatever the number of elements, as a product of matrices would not
        half = hazards.shape[0] // 2
        hazards = hazards[:half, ...] + hazards[half:, ...]
    return mu / SQRT_HALF_PI * hazards[0, ...]


def _growth(xp: Operations, p: Array, shift: Array) -> Array:
    """Phi(Phi^-1(p) + shift) / p."""
    z = xp.ndtri(p)
    shifted = xp.ndtr(z + shift)
    return xp.part(shifted < _DEEP, shifted / p, _deep_growth, (z, 0.0), (shift, 0.0))


def _deep_growth(xp: Operations, z: Array, shift: Array) -> Array:
    return xp.exp(-shift * (z + 0.5 * shift)) * (mills(xp, -z - shift) / mills(xp, -z))


_CONVERGED = 4e-6  # relative step after which Halley's cubic convergence has left only rounding error
_CONVERGED_NEWTON = 1e-8  # the same for Newton's quadratic convergence
_MAX_STEPS = 15  # no input is known to need more than 5; where nothing can be read, all are taken
_ROUGH_STEPS = 2  # with the rational approximation of R, which cost a third of an exact one
_HIGH = -1.0  # m - h below which delta is computed from 1 - delta, without cancellation
_ROUNDING = 4e-15  # distance from delta(0), as a share of delta, at which double precision cannot tell the side
_ILL_CONDITIONED = 0.1  # the same at which the error of delta(0) in double precision shows in epsilon
_VAST = 1e16  # epsilon or mu**2 from which the bound that starts the iteration is the root to every digit
_TINY = 2.0**-600  # epsilon and delta below which mu is proportional to them
# Gauss-Legendre nodes on [0, 1] with its end, and their weights
_NODES = np.array([0.04691007703066802, 0.23076534494715845, 0.5, 0.7692346550528415, 0.9530899229693319, 1.0])
_WEIGHTS = (0.11846344252809464, 0.23931433524968315, 0.28444444444444433, 0.23931433524968315, 0.11846344252809464)


def profile(xp: Operations, mu: Array, epsilon: Array) -> Array:
    """delta(epsilon) for 0 < mu < inf and 0 <= epsilon < inf."""
    m = epsilon / mu
    x = m - 0.5 * mu
    high = x < _HIGH
    delta = xp.part(high, 0.0, _high_profile, (m, 0.0), (mu, 4.0))
    return xp.part((x >= _HIGH) & (x < DEEPEST), delta, _tail_profile, (m, 1.0), (mu, 1.0), (epsilon, 1.0))


def log_profile(xp: Operations, mu: Array, epsilon: Array) -> Array:
    """log delta(epsilon) for 0 < mu < inf and 0 <= epsilon < inf, which goes on where delta underflows."""
    m = epsilon / mu
    return xp.either(m - 0.5 * mu < _HIGH, _log_high_profile, _log_tail_profile, (m, 0.0), (mu, 4.0))


def _high_profile(xp: Operations, m: Array, mu: Array) -> Array:
    h = 0.5 * mu
    return 1 - density(xp, m - h) * (mills(xp, h - m) + mills(xp, m + h))


def _tail_profile(xp: Operations, m: Array, mu: Array, epsilon: Array) -> Array:
    h = 0.5 * mu
    x = m - h
    product, error = two_product(m, mu)
    correction = ((epsilon - product) - error) / mu  # what rounding the quotient m took away
    return density(xp, x) * (1 - x * correction) * mills_difference(xp, m, h)


def _log_high_profile(xp: Operations, m: Array, mu: Array) -> Array:
    return xp.log(_high_profile(xp, m, mu))


def _log_tail_profile(xp: Operations, m: Array, mu: Array) -> Array:
    h = 0.5 * mu
    return _log_of_tail(xp, m - h, mills_difference(xp, m, h))


def _log_of_tail(xp: Operations, x: Array, over_density: Array) -> Array:
    """The logarithm of phi(x) times the second."""
    return xp.log(over_density) - 0.5 * x * x - LOG_SQRT_2PI


def mu_from_profile(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The mu with delta(epsilon) = delta, for 0 < epsilon < inf and 0 < delta < 1."""
    tiny = (epsilon < _TINY) & (delta < _TINY)
    if not xp.some(tiny):
        return _mu_from_profile(xp, epsilon, delta)
    # So small a mu is proportional to (epsilon, delta); the product keeps clear of subnormal numbers.
    scale = xp.where(tiny, 1 / _TINY, 1.0)
    return _mu_from_profile(xp, epsilon * scale, delta * scale) / scale


def _mu_from_profile(xp: Operations, epsilon: Array, delta: Array) -> Array:
    # Two lower bounds: delta <= erf(mu / 2 sqrt 2), and delta <= Phi(-x).
    total_variation = xp.part(delta >= 0.1, 2.5 * delta, _mu_of_total_variation, (delta, 0.5))
    x = -xp.ndtri(delta)
    root = math.sqrt(2) * xp.sqrt(0.5 * x * x + epsilon)
    start = xp.where(x > 0, epsilon / (0.5 * abs(x) + 0.5 * root), root - x)
    mu = xp.larger(start, total_variation)

    # For a vast epsilon the second bound is the root: what it neglects is below 1e-16 of it.
    solvable = epsilon < _VAST
    upper = delta > 0.5
    solved = xp.part(solvable & (delta <= 0.5), mu, _solve_mu_lower, (mu, 2.0), (epsilon, 1.0), (delta, 0.5))
    return xp.part(solvable & upper, solved, _solve_mu_upper, (mu, 2.0), (epsilon, 1.0), (delta, 0.6))


def _mu_of_total_variation(xp: Operations, delta: Array) -> Array:
    return -2 * xp.ndtri(0.5 * (1 - delta))


def _solve_mu_lower(xp: Operations, mu: Array, epsilon: Array, delta: Array) -> Array:
    log_delta = xp.log(delta)
    for _ in range(_ROUGH_STEPS):
        m, h = epsilon / mu, 0.5 * mu
        step = _mu_step(xp, mu, m, h, log_delta, rough_mills_difference(xp, m, h))
        mu = mu * xp.where(xp.isfinite(step), xp.exp(-step), 1.0)
    return xp.iterate(_refine_mu_lower, mu, _MAX_STEPS, epsilon, log_delta)


def _refine_mu_lower(xp: Operations, mu: Array, epsilon: Array, log_delta: Array) -> tuple[Array, Array]:
    m, h = epsilon / mu, 0.5 * mu
    step = _mu_step(xp, mu, m, h, log_delta, mills_difference(xp, m, h))
    return mu * xp.exp(-step), abs(step) < _CONVERGED


def _mu_step(xp: Operations, mu: Array, m: Array, h: Array, log_delta: Array, difference: Array) -> Array:
    """Halley's step of log mu."""
    x = m - h
    slope = mu / difference
    return _halley(_log_of_tail(xp, x, difference) - log_delta, slope, 1 + (m + h) * x - slope)


def _solve_mu_upper(xp: Operations, mu: Array, epsilon: Array, delta: Array) -> Array:
    return xp.iterate(_refine_mu_upper, mu, _MAX_STEPS, epsilon, xp.log(1 - delta))


def _refine_mu_upper(xp: Operations, mu: Array, epsilon: Array, log_rest: Array) -> tuple[Array, Array]:
    """Newton on log(1 - delta), which is concave in mu."""
    m, h = epsilon / mu, 0.5 * mu
    x = xp.smaller(m - h, 0.0)
    rest_over_density = mills(xp, -x) + mills(xp, m + h)
    step = (_log_of_tail(xp, x, rest_over_density) - log_rest) * rest_over_density / mu
    return mu * (1 + step), abs(step) < _CONVERGED_NEWTON


def epsilon_from_mu(xp: Operations, mu: Array, delta: Array) -> Array:
    """The epsilon >= 0 with delta(epsilon) = delta, 0 where delta(0) <= delta; 0 < mu < inf, 0 < delta < 1."""
    h = 0.5 * mu
    upper = delta > 0.5
    # How far delta lies below delta(0), in units of the smaller of delta and 1 - delta.
    gap = xp.part(upper, xp.erf(SQRT_HALF * h) / delta - 1, _gap_of_complements, (h, 1.0), (delta, 0.6))

    # delta <= Phi(-x), and delta <= sqrt(2/pi) mu Phi(-x) for x >= 0, bound the root from above.
    scaled = delta / (0.79 * mu)
    x = -xp.ndtri(xp.where((mu < 1.0) & (scaled < 0.5), scaled, delta))
    m = xp.larger(x + h, 0.0)

    inside = gap > -_ROUNDING
    near_zero = inside & (gap < _ILL_CONDITIONED)
    well_posed = (gap >= _ILL_CONDITIONED) & (mu * mu < _VAST)
    solved = xp.part(well_posed & (delta <= 0.5), m, _solve_m_lower, (m, 1.5), (h, 0.5), (delta, 0.1))
    solved = xp.part(well_posed & upper, solved, _solve_m_upper, (m, 1.5), (h, 2.0), (delta, 0.6))
    solved = xp.part(near_zero, solved, _solve_m_near_zero, (mu, 1.0), (delta, 0.38))
    return xp.where(inside, mu * solved, 0.0)


def _gap_of_complements(xp: Operations, h: Array, delta: Array) -> Array:
    return 1 - 2 * density(xp, h) * mills(xp, h) / (1 - delta)


def _solve_m_lower(xp: Operations, m: Array, h: Array, delta: Array) -> Array:
    log_delta = xp.log(delta)
    lowest = xp.larger(h - 1.0, 0.0)  # delta <= 1/2 implies m - h > -0.68
    step = _m_step(xp, m, h, log_delta, rough_mills_difference(xp, m, h), rough_mills(xp, m + h))
    m = xp.larger(m - xp.where(xp.isfinite(step), step, 0.0), lowest)
    return xp.iterate(_refine_m_lower, m, _MAX_STEPS, h, log_delta, lowest)


def _refine_m_lower(xp: Operations, m: Array, h: Array, log_delta: Array, lowest: Array) -> tuple[Array, Array]:
    moved = xp.larger(m - _m_step(xp, m, h, log_delta, mills_difference(xp, m, h), mills(xp, m + h)), lowest)
    return moved, abs(moved - m) <= _CONVERGED * moved


def _m_step(xp: Operations, m: Array, h: Array, log_delta: Array, difference: Array, beyond: Array) -> Array:
    """Halley's step of m."""
    slope = -2 * h * beyond / difference
    return _halley(_log_of_tail(xp, m - h, difference) - log_delta, slope, 2 * h - 1 / beyond - slope)


def _solve_m_upper(xp: Operations, m: Array, h: Array, delta: Array) -> Array:
    return xp.iterate(_refine_m_upper, m, _MAX_STEPS, h, xp.log(1 - delta))


def _refine_m_upper(xp: Operations, m: Array, h: Array, log_rest: Array) -> tuple[Array, Array]:
    """Newton on log(1 - delta), which is concave in m."""
    x = xp.smaller(m - h, 0.0)
    beyond = mills(xp, m + h)
    rest_over_density = mills(xp, -x) + beyond
    error = _log_of_tail(xp, x, rest_over_density) - log_rest
    moved = xp.larger(m - error * rest_over_density / (2 * h * beyond), 0.0)
    return moved, abs(moved - m) <= _CONVERGED_NEWTON * moved


def _solve_m_near_zero(xp: Operations, mu: Array, delta: Array) -> Array:
    """The root where delta nearly equals delta(0), from their difference in extended precision.

    delta(0) - delta(m) = mu * integral over [0, m] of phi(s - h) R(s + h), a positive integrand; over such short
    intervals five Gauss-Legendre nodes are exact to rounding.
    """
    h = 0.5 * mu
    target = xp.larger(erf_minus(xp, mu, delta), 0.0) / mu
    start = target / (density(xp, h) * mills(xp, h))
    return xp.iterate(_refine_m_near_zero, start, _MAX_STEPS, h, target)


def _refine_m_near_zero(xp: Operations, m: Array, h: Array, target: Array) -> tuple[Array, Array]:
    ends = xp.column(_NODES, m) * m
    integrand = density(xp, ends - h) * mills(xp, ends + h)
    area = sum(weight * integrand[i, ...] for i, weight in enumerate(_WEIGHTS))
    moved = m - (area * m - target) / integrand[len(_WEIGHTS), ...]
    return moved, abs(moved - m) <= _CONVERGED_NEWTON * abs(moved)


def _halley(error: Array, slope: Array, bend: Array) -> Array:
    """Halley's step for a function with first derivative slope and second derivative slope * bend."""
    newton = error / slope
    return newton / (1 - 0.5 * newton * bend)
