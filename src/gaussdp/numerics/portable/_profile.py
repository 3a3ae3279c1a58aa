"""The privacy profile of mu-GDP and its two inverses; see `gaussdp.numerics._profile` for the mathematics."""

import math

from gaussdp.numerics import _double_double as dd
from gaussdp.numerics.portable._extended import erf_minus
from gaussdp.numerics.portable._mills import mills_difference, rough_mills, rough_mills_difference
from gaussdp.numerics.portable._operations import Array, Operations
from gaussdp.numerics.portable._special import DEEPEST, LOG_SQRT_2PI, SQRT_HALF, density, erf, erfcx, mills, ndtri

_CONVERGED = 4e-6  # relative step after which Halley's cubic convergence has left only rounding error
_CONVERGED_NEWTON = 1e-8  # the same for Newton's quadratic convergence
_MAX_STEPS = 30
_ROUGH_STEPS = 2
_ROUNDING = 4e-15
_ILL_CONDITIONED = 0.1
_VAST = 1e16
_TINY = 2.0**-600
_GAUSS_NODES, _GAUSS_WEIGHTS = (
    (0.04691007703066802, 0.23076534494715845, 0.5, 0.7692346550528415, 0.9530899229693319),
    (0.11846344252809464, 0.23931433524968315, 0.28444444444444433, 0.23931433524968315, 0.11846344252809464),
)


def profile(xp: Operations, mu: Array, epsilon: Array) -> Array:
    """delta(epsilon) for 0 < mu < inf and 0 <= epsilon < inf."""
    m = epsilon / mu
    h = 0.5 * mu
    x = m - h
    high = x < -1.0
    tail = ~high & (x < DEEPEST)
    delta = 0.0 * h
    if xp.some(high):
        delta = xp.where(high, 1 - density(xp, x) * (mills(xp, xp.where(high, -x, 1.0)) + mills(xp, m + h)), delta)
    if xp.some(tail):
        mu, epsilon = xp.where(tail, mu, 1.0), xp.where(tail, epsilon, 1.0)
        m, h = xp.where(tail, m, 1.0), 0.5 * mu
        x = m - h
        product, error = dd.two_product(m, mu)
        correction = ((epsilon - product) - error) / mu  # what rounding the quotient m took away
        value = density(xp, x) * (1 - x * correction) * mills_difference(xp, m, h)
        delta = xp.where(tail, value, delta)
    return delta


def mu_from_profile(xp: Operations, epsilon: Array, delta: Array) -> Array:
    """The mu with delta(epsilon) = delta, for 0 < epsilon < inf and 0 < delta < 1."""
    # So small a mu is proportional to (epsilon, delta); the product keeps clear of subnormal numbers.
    scale = xp.where((epsilon < _TINY) & (delta < _TINY), 1 / _TINY, 1.0)
    epsilon, delta = epsilon * scale, delta * scale
    total_variation = -2 * ndtri(xp, 0.5 * (1 - delta))
    x = -ndtri(xp, delta)
    root = math.sqrt(2) * xp.sqrt(0.5 * x * x + epsilon)
    start = xp.where(x > 0, epsilon / (0.5 * abs(x) + 0.5 * root), root - x)
    mu = xp.larger(start, xp.where(delta < 0.1, 2.5 * delta, total_variation))

    upper = (delta > 0.5) & (epsilon < _VAST)
    lower = (delta <= 0.5) & (epsilon < _VAST)
    solved = mu
    if xp.some(lower):
        safe = (xp.where(lower, values, stand_in) for values, stand_in in ((mu, 2.0), (epsilon, 1.0), (delta, 0.5)))
        solved = xp.where(lower, _solve_mu_lower(xp, *safe), solved)
    if xp.some(upper):
        safe = (xp.where(upper, values, stand_in) for values, stand_in in ((mu, 2.0), (epsilon, 1.0), (delta, 0.6)))
        solved = xp.where(upper, _solve_mu_upper(xp, *safe), solved)
    return solved / scale


def _solve_mu_lower(xp: Operations, mu: Array, epsilon: Array, delta: Array) -> Array:
    log_delta = xp.log(delta)
    for _ in range(_ROUGH_STEPS):
        step = _mu_step(xp, mu, epsilon, log_delta, rough_mills_difference(xp, epsilon / mu, 0.5 * mu))
        mu = mu * xp.where(abs(step) < math.inf, xp.exp(-step), 1.0)

    def refine(mu: Array) -> tuple[Array, Array]:
        step = _mu_step(xp, mu, epsilon, log_delta, mills_difference(xp, epsilon / mu, 0.5 * mu))
        return mu * xp.exp(-step), abs(step) < _CONVERGED

    return xp.iterate(refine, mu, _MAX_STEPS)


def _mu_step(xp: Operations, mu: Array, epsilon: Array, log_delta: Array, difference: Array) -> Array:
    """Halley's step of log mu."""
    m, h = epsilon / mu, 0.5 * mu
    x = m - h
    error = xp.log(difference) - 0.5 * x * x - LOG_SQRT_2PI - log_delta
    slope = mu / difference
    return _halley(error, slope, 1 + (m + h) * x - slope)


def _solve_mu_upper(xp: Operations, mu: Array, epsilon: Array, delta: Array) -> Array:
    """Newton on log(1 - delta), which is concave in mu."""
    log_rest = xp.log(1 - delta)

    def refine(mu: Array) -> tuple[Array, Array]:
        m, h = epsilon / mu, 0.5 * mu
        x = xp.smaller(m - h, 0.0)
        rest_over_density = mills(xp, -x) + mills(xp, m + h)
        error = xp.log(rest_over_density) - 0.5 * x * x - LOG_SQRT_2PI - log_rest
        step = error * rest_over_density / mu
        return mu * (1 + step), abs(step) < _CONVERGED_NEWTON

    return xp.iterate(refine, mu, _MAX_STEPS)


def epsilon_from_mu(xp: Operations, mu: Array, delta: Array) -> Array:
    """The epsilon >= 0 with delta(epsilon) = delta, 0 where delta(0) <= delta; 0 < mu < inf, 0 < delta < 1."""
    h = 0.5 * mu
    upper = delta > 0.5
    # How far delta lies below delta(0), in units of the smaller of delta and 1 - delta.
    beyond = density(xp, h) * 2 * mills(xp, h)
    gap = xp.where(upper, 1 - beyond / (1 - delta), erf(xp, SQRT_HALF * h) / delta - 1)

    # delta <= Phi(-x), and delta <= sqrt(2/pi) mu Phi(-x) for x >= 0, bound the root from above.
    scaled = delta / (0.79 * mu)
    x = -ndtri(xp, xp.where((mu < 1.0) & (scaled < 0.5), scaled, delta))
    m = xp.larger(x + h, 0.0)

    inside = gap > -_ROUNDING
    near_zero = inside & (gap < _ILL_CONDITIONED)
    well_posed = inside & ~near_zero & (mu * mu < _VAST)
    lower = well_posed & ~upper
    upper = well_posed & upper
    solved = m
    if xp.some(lower):
        safe = (xp.where(lower, values, stand_in) for values, stand_in in ((m, 1.5), (h, 0.5), (delta, 0.1)))
        solved = xp.where(lower, _solve_m_lower(xp, *safe), solved)
    if xp.some(upper):
        safe = (xp.where(upper, values, stand_in) for values, stand_in in ((m, 1.5), (h, 2.0), (delta, 0.6)))
        solved = xp.where(upper, _solve_m_upper(xp, *safe), solved)
    if xp.some(near_zero):
        safe = (xp.where(near_zero, values, stand_in) for values, stand_in in ((mu, 1.0), (delta, 0.38)))
        solved = xp.where(near_zero, _solve_m_near_zero(xp, *safe), solved)
    return xp.where(inside, mu * solved, 0.0)


def _solve_m_lower(xp: Operations, m: Array, h: Array, delta: Array) -> Array:
    log_delta = xp.log(delta)
    lowest = xp.larger(h - 1.0, 0.0)  # delta <= 1/2 implies m - h > -0.68
    step = _m_step(xp, m, h, log_delta, rough_mills_difference(xp, m, h), rough_mills(xp, m + h))
    m = xp.larger(m - xp.where(abs(step) < math.inf, step, 0.0), lowest)

    def refine(m: Array) -> tuple[Array, Array]:
        step = _m_step(xp, m, h, log_delta, mills_difference(xp, m, h), mills(xp, m + h))
        moved = xp.larger(m - step, lowest)
        return moved, abs(moved - m) <= _CONVERGED * moved

    return xp.iterate(refine, m, _MAX_STEPS)


def _m_step(xp: Operations, m: Array, h: Array, log_delta: Array, difference: Array, beyond: Array) -> Array:
    """Halley's step of m."""
    x = m - h
    error = xp.log(difference) - 0.5 * x * x - LOG_SQRT_2PI - log_delta
    slope = -2 * h * beyond / difference
    return _halley(error, slope, 2 * h - 1 / beyond - slope)


def _solve_m_upper(xp: Operations, m: Array, h: Array, delta: Array) -> Array:
    """Newton on log(1 - delta), which is concave in m."""
    log_rest = xp.log(1 - delta)

    def refine(m: Array) -> tuple[Array, Array]:
        x = xp.smaller(m - h, 0.0)
        beyond = mills(xp, m + h)
        rest_over_density = mills(xp, -x) + beyond
        error = xp.log(rest_over_density) - 0.5 * x * x - LOG_SQRT_2PI - log_rest
        moved = xp.larger(m - error * rest_over_density / (2 * h * beyond), 0.0)
        return moved, abs(moved - m) <= _CONVERGED_NEWTON * moved

    return xp.iterate(refine, m, _MAX_STEPS)


def _solve_m_near_zero(xp: Operations, mu: Array, delta: Array) -> Array:
    """The root where delta nearly equals delta(0), from their difference in extended precision."""
    h = 0.5 * mu
    target = xp.larger(erf_minus(xp, mu, delta), 0.0) / mu
    start = target / (density(xp, h) * mills(xp, h))
    nodes = [xp.table([node], h) for node in _GAUSS_NODES]

    def refine(m: Array) -> tuple[Array, Array]:
        ends = xp.concat([*(node * m for node in nodes), m])  # one evaluation for all nodes and the end
        middle = xp.concat([h] * (len(nodes) + 1))
        integrand = density(xp, ends - middle) * mills(xp, ends + middle)
        count = m.shape[0]
        values = [integrand[i * count : (i + 1) * count] for i in range(len(nodes) + 1)]
        area = sum(weight * value for weight, value in zip(_GAUSS_WEIGHTS, values[:-1], strict=True))
        moved = m - (area * m - target) / values[-1]
        return moved, abs(moved - m) <= _CONVERGED_NEWTON * abs(moved)

    return xp.iterate(refine, start, _MAX_STEPS)


def mu_of_total_variation(xp: Operations, delta: Array) -> Array:
    """The mu with erf(mu / (2 sqrt 2)) = delta, for 0 < delta < 1: where the profile begins."""
    rest = 1 - delta
    rough = xp.where(delta < 0.1, 2.5 * delta, -2 * ndtri(xp, 0.5 * rest))

    def refine(mu: Array) -> tuple[Array, Array]:
        h = 0.5 * mu
        error = xp.where(delta < 0.5, erf(xp, SQRT_HALF * h) - delta, rest - _complement(xp, h))
        step = error / density(xp, h)
        return mu - step, abs(step) <= _CONVERGED_NEWTON * mu

    return xp.iterate(refine, rough, _MAX_STEPS)


def _complement(xp: Operations, h: Array) -> Array:
    """erfc(h / sqrt 2)."""
    return density(xp, h) * erfcx(xp, SQRT_HALF * h) * math.sqrt(2 * math.pi)


def _halley(error: Array, slope: Array, bend: Array) -> Array:
    newton = error / slope
    return newton / (1 - 0.5 * newton * bend)
