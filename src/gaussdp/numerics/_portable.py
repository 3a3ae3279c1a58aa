"""The operations from those that array libraries have in common, with special functions of our own.

Nothing is assigned in place and the work does not depend on values, so that it can be traced, compiled and batched:
a kernel computes everywhere, on stand-ins where it does not belong, and its values are selected afterwards.
"""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from gaussdp.numerics._operations import Array, Floats, Kernel, Operations, Step
from gaussdp.numerics._quantiles import LOG_SQRT_2PI, SQRT_HALF, density, mills

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
_SERIES_BELOW = 0.5  # x up to which 13 terms give erf to the last digit
_ERF_SERIES = tuple(2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(13))
_QUANTILE_STEPS = 3  # of Halley's method, from a start with three digits: one more than it needs
_FAR = 10.0  # sqrt(-2 log p) from which the asymptotic series is the better start
_ERFINV_STEPS = 3  # of Newton's method, from a start with two digits


class Portable(Operations):
    """Operations over the namespace of a library, as the array API standard names them.

    Args:
        namespace: its module.
        functions: what has another name there, and those of its special functions that have full precision, by the name
            of the operation; they replace our own.
    """

    exp: Any
    expm1: Any
    sqrt: Any
    log: Any
    log1p: Any
    isfinite: Any
    round: Any

    def __init__(self, namespace: Any, **functions: Any) -> None:
        self.namespace = namespace
        self.exp, self.expm1, self.sqrt = namespace.exp, namespace.expm1, namespace.sqrt
        self.log, self.log1p, self.isfinite = namespace.log, namespace.log1p, namespace.isfinite
        self.round = functions.pop("round", None) or namespace.round
        vars(self).update(functions)

    @abstractmethod
    def from_numpy(self, array: Floats, like: Array) -> Array:
        """Float64 numbers on the device of another array."""

    @abstractmethod
    def as_dtype(self, array: Array, dtype: Any) -> Array:
        """The array in that dtype."""

    @abstractmethod
    def read(self, mask: Array) -> bool | None:
        """The truth of a mask of no dimensions; None if it is not known yet."""

    def where(self, condition: Array, a: Array | float, b: Array | float) -> Array:
        if isinstance(a, float) and isinstance(b, float):
            a = self.from_numpy(np.asarray(a), condition)
        return self.namespace.where(condition, a, b)

    def larger(self, a: Array, b: Array | float) -> Array:
        return self.where(a > b, a, b)

    def smaller(self, a: Array, b: Array | float) -> Array:
        return self.where(a < b, a, b)

    def some(self, mask: Array) -> bool:
        return self.read(self.namespace.any(mask)) is not False

    def part(self, mask: Array, otherwise: Array | float, kernel: Kernel, *arguments: Any) -> Array:
        if not self.some(mask):
            return self.where(mask, otherwise, otherwise) if isinstance(otherwise, float) else otherwise
        safe = (self.where(mask, *argument) if isinstance(argument, tuple) else argument for argument in arguments)
        return self.where(mask, kernel(self, *safe), otherwise)

    def either(self, mask: Array, kernel: Kernel, other: Kernel, *arguments: Any) -> Array:
        return self.part(mask, self.part(~mask, 0.0, other, *arguments), kernel, *arguments)

    def iterate(self, step: Step, start: Array, limit: int, *fixed: Array) -> Array:
        """NaN where it has not settled at the limit: what cannot be read cannot be refused."""
        array, settled = step(self, start, *fixed)
        for _ in range(limit - 1):
            if self.read(self.namespace.all(settled)):
                break
            array, settled = self.advance(step, array, settled, *fixed)
        return self.where(settled, array, math.nan)

    def advance(self, step: Step, array: Array, settled: Array, *fixed: Array) -> tuple[Array, Array]:
        """One more step for those that have not settled."""
        moved, now = step(self, array, *fixed)
        return self.where(settled, array, moved), settled | now

    def column(self, numbers: Floats, like: Array) -> Array:
        return self.from_numpy(numbers[:, None], like)

    def look_up(self, table: Floats, places: Array) -> Array:
        return self.namespace.take(self.from_numpy(table, places), self.as_dtype(places, self.namespace.int64))

    def erfcx(self, x: Array) -> Array:
        """From a Chebyshev series."""
        size = abs(x)
        t = 1 - 2 * _TURNING / (size + _TURNING)
        older = newer = 0.0 * t
        for coefficient in reversed(_ERFCX[1:]):
            newer, older = 2 * t * newer - older + coefficient, newer
        right = (t * newer - older + _ERFCX[0]) / (1 + 2 * size)
        left = self.where(x < 0, size, 0.0)
        return self.where(x < 0, 2 * self.exp(left * left) - right, right)

    def erf(self, x: Array) -> Array:
        """From its power series and from erfcx."""
        low = self.where(x < _SERIES_BELOW, x, 0.0)
        square = low * low
        series = 0.0 * low
        for coefficient in reversed(_ERF_SERIES):
            series = series * square + coefficient
        high = self.where(x < _SERIES_BELOW, _SERIES_BELOW, x)
        return self.where(x < _SERIES_BELOW, low * series, 1 - self.exp(-high * high) * self.erfcx(high))

    def erfinv(self, y: Array) -> Array:
        """By Newton's method on erf or, in its upper half, on 1 - erf."""
        h = self.where(y < 0.1, 1.25 * y, -self.ndtri(0.5 * (1 - y)))
        for _ in range(_ERFINV_STEPS):
            rise = 2 * density(self, h)
            error = self.where(y < 0.5, self.erf(SQRT_HALF * h) - y, (1 - y) - rise * mills(self, h))
            h = h - error / rise
        return SQRT_HALF * h

    def ndtr(self, x: Array) -> Array:
        tail = density(self, x) * mills(self, abs(x))
        return self.where(x < 0, tail, 1 - tail)

    def full_ndtr(self, x: Array) -> Array:
        return self.ndtr(x)

    def log_ndtr(self, x: Array) -> Array:
        low, high = self.smaller(x, 0.0), self.larger(x, 0.0)
        tail = self.log(mills(self, -low)) - 0.5 * low * low - LOG_SQRT_2PI
        return self.where(x < 0, tail, self.log1p(-self.ndtr(-high)))

    def ndtri(self, p: Array) -> Array:
        upper = p > 0.5
        lower_p = self.where(upper, 1 - p, p)
        x = -self.ndtri_exp(self.log(lower_p))
        # Near 1/2 the logarithm knows x only to 16 decimals; the distance from 1/2 knows it to 16 digits.
        central = lower_p > 0.25
        near = self.larger(self.where(central, x, 0.0), 0.0)
        error = 0.5 * self.erf(SQRT_HALF * near) - (0.5 - lower_p)
        x = self.where(central, near - error / density(self, near), x)
        return self.where(upper, x, -x)

    def ndtri_exp(self, log_p: Array) -> Array:
        """By Halley's method on log Phi from a rational start.

        The start is formula 26.2.23 of Abramowitz and Stegun, wrong by less than 5e-4, and far out the leading term of
        the asymptotic series.
        """
        t = self.sqrt(-2 * log_p)
        far = self.larger(t, _FAR)
        distant = self.sqrt(far * far - 2 * LOG_SQRT_2PI - 2 * self.log(far))
        top = 2.515517 + t * (0.802853 + t * 0.010328)
        bottom = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
        x = self.where(t > _FAR, distant, t - top / bottom)
        for _ in range(_QUANTILE_STEPS):
            ratio = mills(self, x)
            error = self.log(ratio) - 0.5 * x * x - LOG_SQRT_2PI - log_p
            newton = -error * ratio
            x = x - newton / (1 - 0.5 * newton * (1 / ratio - x))
        return -x
