r"""The privacy profile of mu-GDP and its two inverses.

With :math:`m = \varepsilon/\mu` and :math:`h = \mu/2` the profile is

.. math:: \delta = \varphi(m-h)\,D, \qquad D = R(m-h) - R(m+h),

(Balle & Wang 2018, in Mills-ratio form). Its logarithm G has simple exact derivatives, so both inverses use
Halley's method on G, or on log(1 - delta) where delta is near 1:

.. math:: \partial G/\partial\log\mu = E, \quad \partial^2 G/\partial(\log\mu)^2 = E(1 + m^2 - h^2 - E),
          \quad E = \mu/D
.. math:: \partial G/\partial m = -Q, \quad \partial^2 G/\partial m^2 = -Q(\mu - 1/R(m+h) + Q),
          \quad Q = \mu R(m+h)/D
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from gaussdp.errors import ConvergenceError
from gaussdp.numerics import _double_double as dd
from gaussdp.numerics._erf import erf_minus
from gaussdp.numerics._mills import SQRT_HALF, mills, mills_difference, rough_mills, rough_mills_difference
from gaussdp.numerics._types import Floats

Difference = Callable[[Floats, Floats], Floats]
Ratio = Callable[[Floats], Floats]

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)

_DEEPEST = 39.0  # phi underflows beyond this many standard deviations
_CONVERGED = 4e-6  # relative step after which Halley's cubic convergence has left only rounding error
_CONVERGED_NEWTON = 1e-8  # the same for Newton's quadratic convergence
_MAX_STEPS = 60
_ROUGH_STEPS = 2
_ROUNDING = 4e-15  # closer to delta(0) than this, double precision cannot tell the side
_ILL_CONDITIONED = 0.1  # closer than this, the error of delta(0) in double precision shows in epsilon
_VAST = 1e16
_TINY = 2.0**-600
_GAUSS_NODES, _GAUSS_WEIGHTS = (
    (0.04691007703066802, 0.23076534494715845, 0.5, 0.7692346550528415, 0.9530899229693319),
    (0.11846344252809464, 0.23931433524968315, 0.28444444444444433, 0.23931433524968315, 0.11846344252809464),
)


def profile(mu: Floats, epsilon: Floats) -> Floats:
    """delta(epsilon) for 0 < mu < inf and 0 <= epsilon < inf."""
    m = epsilon / mu
    h = 0.5 * mu
    x = m - h
    delta = np.zeros_like(x)
    high = x < -1.0
    if high.any():
        delta[high] = special.ndtr(-x[high]) - _density(x[high]) * mills((m + h)[high])
    tail = ~high & (x < _DEEPEST)
    if tail.any():
        correction = _quotient_error(epsilon[tail], mu[tail], m[tail])
        density = _density(x[tail]) * (1 - x[tail] * correction)
        delta[tail] = density * mills_difference(m[tail], h[tail])
    return delta


def mu_from_profile(epsilon: Floats, delta: Floats) -> Floats:
    """The mu with delta(epsilon) = delta, for 0 < epsilon < inf and 0 < delta < 1."""
    tiny = (epsilon < _TINY) & (delta < _TINY)
    if tiny.any():
        # So small a mu is proportional to (epsilon, delta); the product keeps clear of subnormal numbers.
        scale = np.where(tiny, 1 / _TINY, 1.0)
        return mu_from_profile(epsilon * scale, delta * scale) / scale
    # Two lower bounds: delta <= erf(mu / 2 sqrt 2), and delta <= Phi(-x).
    total_variation = -2 * special.ndtri(0.5 * (1 - delta))
    x = -special.ndtri(delta)
    root = math.sqrt(2) * np.sqrt(0.5 * x * x + epsilon)
    start = np.where(x > 0, epsilon / (0.5 * x + 0.5 * root), root - x)
    mu = np.maximum(start, np.where(delta < 0.1, 2.5 * delta, total_variation))

    # For a vast epsilon the second bound is the root: what it neglects is below 1e-16 of it.
    upper = (delta > 0.5) & (epsilon < _VAST)
    lower = (delta <= 0.5) & (epsilon < _VAST)
    if lower.any():
        mu[lower] = _solve_mu_lower(mu[lower], epsilon[lower], np.log(delta[lower]))
    if upper.any():
        mu[upper] = _solve_mu_upper(mu[upper], epsilon[upper], np.log(1 - delta[upper]))
    return mu


def _solve_mu_lower(mu: Floats, epsilon: Floats, log_delta: Floats) -> Floats:
    for _ in range(_ROUGH_STEPS):
        step = _mu_step(mu, epsilon, log_delta, rough_mills_difference)
        mu = mu * np.where(np.isfinite(step), np.exp(-step), 1.0)
    for _ in range(_MAX_STEPS):
        step = _mu_step(mu, epsilon, log_delta, mills_difference)
        mu = mu * np.exp(-step)
        if np.max(np.abs(step)) < _CONVERGED:
            return mu
    raise ConvergenceError(f"mu_from_profile did not converge in {_MAX_STEPS} steps")


def _mu_step(mu: Floats, epsilon: Floats, log_delta: Floats, difference_of: Difference) -> Floats:
    """Halley's step of log mu."""
    m, h = epsilon / mu, 0.5 * mu
    x = m - h
    difference = difference_of(m, h)
    error = np.log(difference) - 0.5 * x * x - LOG_SQRT_2PI - log_delta
    slope = mu / difference
    return _halley(error, slope, 1 + (m + h) * x - slope)


def _solve_mu_upper(mu: Floats, epsilon: Floats, log_rest: Floats) -> Floats:
    """Newton on log(1 - delta), which is concave in mu."""
    for _ in range(_MAX_STEPS):
        m, h = epsilon / mu, 0.5 * mu
        x = np.minimum(m - h, 0.0)
        rest_over_density = mills(-x) + mills(m + h)
        error = np.log(rest_over_density) - 0.5 * x * x - LOG_SQRT_2PI - log_rest
        step = error * rest_over_density / mu
        mu = mu * (1 + step)
        if np.max(np.abs(step)) < _CONVERGED_NEWTON:
            return mu
    raise ConvergenceError(f"mu_from_profile did not converge in {_MAX_STEPS} steps")


def epsilon_from_mu(mu: Floats, delta: Floats) -> Floats:
    """The epsilon >= 0 with delta(epsilon) = delta, 0 where delta(0) <= delta; 0 < mu < inf, 0 < delta < 1."""
    h = 0.5 * mu
    upper = delta > 0.5
    # How far delta lies below delta(0), in units of the smaller of delta and 1 - delta.
    gap = special.erf(SQRT_HALF * h) / delta - 1
    if upper.any():
        gap[upper] = 1 - special.erfc(SQRT_HALF * h[upper]) / (1 - delta[upper])

    # delta <= Phi(-x), and delta <= sqrt(2/pi) mu Phi(-x) for x >= 0, bound the root from above.
    scaled = delta / (0.79 * mu)
    x = -special.ndtri(np.where((mu < 1.0) & (scaled < 0.5), scaled, delta))
    m = np.maximum(x + h, 0.0)

    inside = gap > -_ROUNDING
    near_zero = inside & (gap < _ILL_CONDITIONED)
    well_posed = inside & ~near_zero & (mu * mu < _VAST)
    lower = well_posed & ~upper
    if lower.any():
        m[lower] = _solve_m_lower(m[lower], h[lower], np.log(delta[lower]))
    upper &= well_posed
    if upper.any():
        m[upper] = _solve_m_upper(m[upper], h[upper], np.log(1 - delta[upper]))
    if near_zero.any():
        m[near_zero] = _solve_m_near_zero(mu[near_zero], delta[near_zero])
    return np.where(inside, mu * m, 0.0)


def _solve_m_lower(m: Floats, h: Floats, log_delta: Floats) -> Floats:
    lowest = np.maximum(h - 1.0, 0.0)  # delta <= 1/2 implies m - h > -0.68
    step = _m_step(m, h, log_delta, rough_mills_difference, rough_mills)
    m = np.maximum(m - np.where(np.isfinite(step), step, 0.0), lowest)
    for _ in range(_MAX_STEPS):
        step = _m_step(m, h, log_delta, mills_difference, mills)
        m, previous = np.maximum(m - step, lowest), m
        if np.all(np.abs(m - previous) <= _CONVERGED * m):
            return m
    raise ConvergenceError(f"epsilon_from_mu did not converge in {_MAX_STEPS} steps")


def _m_step(m: Floats, h: Floats, log_delta: Floats, difference_of: Difference, ratio_of: Ratio) -> Floats:
    """Halley's step of m."""
    x = m - h
    difference = difference_of(m, h)
    beyond = ratio_of(m + h)
    error = np.log(difference) - 0.5 * x * x - LOG_SQRT_2PI - log_delta
    slope = -2 * h * beyond / difference
    return _halley(error, slope, 2 * h - 1 / beyond - slope)


def _solve_m_upper(m: Floats, h: Floats, log_rest: Floats) -> Floats:
    """Newton on log(1 - delta), which is concave in m."""
    for _ in range(_MAX_STEPS):
        x = np.minimum(m - h, 0.0)
        beyond = mills(m + h)
        rest_over_density = mills(-x) + beyond
        error = np.log(rest_over_density) - 0.5 * x * x - LOG_SQRT_2PI - log_rest
        step = error * rest_over_density / (2 * h * beyond)
        m, previous = np.maximum(m - step, 0.0), m
        if np.all(np.abs(m - previous) <= _CONVERGED_NEWTON * m):
            return m
    raise ConvergenceError(f"epsilon_from_mu did not converge in {_MAX_STEPS} steps")


def _solve_m_near_zero(mu: Floats, delta: Floats) -> Floats:
    """The root where delta nearly equals delta(0), from their difference in extended precision.

    delta(0) - delta(m) = mu * integral over [0, m] of phi(s - h) R(s + h), a positive integrand; over such short
    intervals five Gauss-Legendre nodes are exact to rounding.
    """
    h = 0.5 * mu
    target = np.maximum(erf_minus(mu, delta), 0.0) / mu
    m = target / (_density(h) * mills(h))
    for _ in range(4):
        area = sum(
            weight * _density(node * m - h) * mills(node * m + h)
            for node, weight in zip(_GAUSS_NODES, _GAUSS_WEIGHTS, strict=True)
        )
        m = m - (area * m - target) / (_density(m - h) * mills(m + h))
    return m


def _halley(error: Floats, slope: Floats, bend: Floats) -> Floats:
    """Halley's step for a function with first derivative slope and second derivative slope * bend."""
    newton = error / slope
    return newton / (1 - 0.5 * newton * bend)


def _density(x: Floats) -> Floats:
    """phi(x) with the square taken in two parts, so that the tail keeps its digits."""
    x = np.clip(x, -_DEEPEST, _DEEPEST)
    coarse = np.rint(x * 1024) / 1024
    fine = x - coarse
    return INV_SQRT_2PI * np.exp(-0.5 * coarse * coarse) * np.exp(-0.5 * fine * (x + coarse))


def _quotient_error(numerator: Floats, denominator: Floats, quotient: Floats) -> Floats:
    """numerator / denominator minus its rounded value."""
    product, error = dd.two_product(quotient, denominator)
    return ((numerator - product) - error) / denominator
