"""The normal distribution: the library's special functions where it has them, else our own from elementary ones."""

import math

from gaussdp.numerics.portable._operations import Array, Operations

SQRT_HALF = math.sqrt(0.5)
SQRT_HALF_PI = math.sqrt(math.pi / 2)
INV_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
DEEPEST = 39.0  # phi underflows beyond this many standard deviations

# (1 + 2x) erfcx(x) for x >= 0 in Chebyshev polynomials of t = (x - 3.75)/(x + 3.75), fitted with 50 digits
_TURNING = 3.75
_ERFCX = (
    1.1775789345674017,
    -0.004590054580646478,
    -0.08424913336651792,
    0.05920993999819189,
    -0.026658668435305753,
    0.009074997670705265,
    -0.002413163540417608,
    0.0004907758365258086,
    -6.916973302501207e-05,
    4.13902798607301e-06,
    7.74038306619849e-07,
    -2.1886401049234397e-07,
    1.076499946567091e-08,
    4.521959811218287e-09,
    -7.754400208831351e-10,
    -6.318088340886684e-11,
    2.86879501093067e-11,
    1.9455868545777347e-13,
    -9.65469674843344e-13,
    3.25254814814874e-14,
    3.3478119482868056e-14,
    -1.864562880419313e-15,
    -1.2507950530688648e-15,
    7.418235256624044e-17,
    5.068148904796111e-17,
)
_SERIES_BELOW = 0.5
_ERF_SERIES = tuple(2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(13))
_QUANTILE_STEPS = 3
_FAR = 10.0


def erfcx(xp: Operations, x: Array) -> Array:
    """exp(x^2) erfc(x)."""
    return xp.erfcx(x) if xp.erfcx is not None else own_erfcx(xp, x)


def own_erfcx(xp: Operations, x: Array) -> Array:
    """The same from a Chebyshev series."""
    size = abs(x)
    t = 1 - 2 * _TURNING / (size + _TURNING)
    older = newer = 0.0 * t
    for coefficient in reversed(_ERFCX[1:]):
        newer, older = 2 * t * newer - older + coefficient, newer
    right = (t * newer - older + _ERFCX[0]) / (1 + 2 * size)
    left = xp.where(x < 0, size, 0.0)
    return xp.where(x < 0, 2 * xp.exp(left * left) - right, right)


def erf(xp: Operations, x: Array) -> Array:
    """The error function for x >= 0."""
    return xp.erf(x) if xp.erf is not None else own_erf(xp, x)


def own_erf(xp: Operations, x: Array) -> Array:
    """The same from its power series and from erfcx."""
    low = xp.where(x < _SERIES_BELOW, x, 0.0)
    square = low * low
    series = 0.0 * low
    for coefficient in reversed(_ERF_SERIES):
        series = series * square + coefficient
    high = xp.where(x < _SERIES_BELOW, _SERIES_BELOW, x)
    return xp.where(x < _SERIES_BELOW, low * series, 1 - xp.exp(-high * high) * erfcx(xp, high))


def mills(xp: Operations, x: Array) -> Array:
    """R(x) = (1 - Phi(x)) / phi(x); overflows below about -37."""
    return SQRT_HALF_PI * erfcx(xp, SQRT_HALF * x)


def density(xp: Operations, x: Array) -> Array:
    """phi(x) with the square taken in two parts, so that the tail keeps its digits."""
    x = xp.larger(xp.smaller(x, DEEPEST), -DEEPEST)
    coarse = xp.round(x * 1024) / 1024
    fine = x - coarse
    return INV_SQRT_2PI * xp.exp(-0.5 * coarse * coarse) * xp.exp(-0.5 * fine * (x + coarse))


def ndtr(xp: Operations, x: Array) -> Array:
    """Phi(x)."""
    tail = xp.where(abs(x) < DEEPEST, density(xp, x), 0.0) * mills(xp, abs(x))
    return xp.where(x < 0, tail, 1 - tail)


def ndtri(xp: Operations, p: Array) -> Array:
    """The normal quantile for 0 < p < 1."""
    if xp.ndtri is not None:
        return xp.ndtri(p)
    upper = p > 0.5
    lower_p = xp.where(upper, 1 - p, p)
    x = -quantile_of_log(xp, xp.log(lower_p))
    # Near 1/2 the logarithm knows x only to 16 decimals; the distance from 1/2 knows it to 16 digits.
    central = lower_p > 0.25
    near = xp.larger(xp.where(central, x, 0.0), 0.0)
    error = 0.5 * erf(xp, SQRT_HALF * near) - (0.5 - lower_p)
    x = xp.where(central, near - error / density(xp, near), x)
    return xp.where(upper, x, -x)


def quantile_of_log(xp: Operations, log_p: Array) -> Array:
    """The normal quantile of exp(log_p) <= 1/2, by Halley's method on log Phi from a rational start.

    The start is formula 26.2.23 of Abramowitz and Stegun, wrong by less than 5e-4, and far out the leading term of
    the asymptotic series.
    """
    t = xp.sqrt(-2 * log_p)
    far = xp.larger(t, _FAR)
    distant = xp.sqrt(far * far - 2 * LOG_SQRT_2PI - 2 * xp.log(far))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    x = xp.where(t > _FAR, distant, t - top / bottom)
    for _ in range(_QUANTILE_STEPS):
        ratio = mills(xp, x)
        error = xp.log(ratio) - 0.5 * x * x - LOG_SQRT_2PI - log_p
        newton = -error * ratio
        x = x - newton / (1 - 0.5 * newton * (1 / ratio - x))
    return -x
