r"""Contours that bend to the right, with nodes that grow apart: for losses whose transform decays slowly.

The transform of the loss is an entire function, so the line of the inversion integral may bend,

.. math:: \theta(u) = c + it + s\,\frac{t^2}{\sqrt{t^2 + d^2} + d}, \qquad t = a \sinh u.

To the right :math:`e^{-\theta\tau}` decays exponentially, whatever the transform does. The trapezoid rule in u
resolves all scales between that of the saddle point, a, and that of the common losses at once; it converges
exponentially, and the rule of twice the spacing tells how far it has come.
"""

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gaussdp.accounting._cumulants import Complexes
from gaussdp.accounting._rotated_law import PathChoice, RotatedLaw
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

Scalar = TypeVar("Scalar", bound=np.generic)

_SLOPE = 0.5
_SCAN = np.linspace(0.0, 11.0, 45)
_BENDS = 3.0 ** np.arange(16)
_DEAD = 1e-17
_HIGHEST = 2.0  # of the integrand along the contour, over its value on the axis
_SAFE_ERROR = 1e-11
_LARGEST_ERROR = 1e-4
_FEWEST, _DOUBLINGS = 33, 5
_CONVERGED = 1e-13  # error over the size of the terms
_ROUNDING = 4e-16
_UNKNOWN = 1e3


class BentContour:
    """The integrals of a composed loss, for thresholds near the one it is made for.

    Args:
        law: of the loss.
        tau: the threshold.
        at: where the contour crosses the real axis, near the saddle point.
        scale: the width of the integrand there.
    """

    def __init__(self, law: RotatedLaw, tau: float, at: float, scale: float) -> None:
        self.at = at
        self._scale = min(scale, abs(at), abs(at - 1))
        self._law, self._support = law, law.support(at)
        self.log_value = float(law.on_axis(np.array([at]), self._support)[0])
        self._bend, end, choice, shares = self._choose_bend(tau)
        self._refine(tau, end, choice, shares)

    def read(self, tau: Floats) -> tuple[Floats, Floats, Floats]:
        """Log scale, the four integrals over it and their errors, in rows, for each threshold."""
        terms = self._weigh(tau)
        values = terms.imag.sum(axis=1)
        sizes = np.abs(terms)
        size = sizes.sum(axis=1)
        errors = _extrapolated(terms.imag, size)
        # An exponent is rounded relative to itself, so its size multiplies the error of the exponential.
        exponents = 1 + np.abs(self._finite_ratio)[:, np.newaxis] + np.multiply.outer(np.abs(self._theta), np.abs(tau))
        errors += np.einsum("kjt,jt->kt", sizes, self._errors[:, np.newaxis] + _ROUNDING * exponents)
        errors += _ROUNDING * (abs(self.log_value) + np.abs(self.at * tau)) * np.abs(values)
        # Where another threshold makes the last terms matter, the contour ends too early.
        errors += sizes[:, -1] * terms.shape[1]
        return self.log_value - self.at * tau, values, errors

    def _weigh(self, tau: Floats) -> Complexes:
        theta = self._theta
        exponent = self._log_ratio[:, np.newaxis] - np.multiply.outer(theta - self.at, tau)
        waves: Complexes = np.exp(np.where(np.isfinite(exponent), exponent, -math.inf))
        np.multiply(waves, (self._steps / math.pi)[:, np.newaxis], out=waves)
        waves[0] *= 0.5
        waves[-1] *= 0.5
        to_zero, to_one = (1 / theta)[:, np.newaxis], (1 / (theta - 1))[:, np.newaxis]
        return np.stack((waves * to_zero, waves * to_one, waves * (to_zero * to_one), waves))

    def _points(self, u: Floats, bend: float) -> tuple[Complexes, Complexes]:
        """The contour and its derivative."""
        t, slope = self._scale * np.sinh(u), self._scale * np.cosh(u)
        radius = np.hypot(t, bend)
        theta, derivative = np.empty(u.size, np.complex128), np.empty(u.size, np.complex128)
        theta.real, theta.imag = self.at + _SLOPE * t * t / (radius + bend), t
        derivative.real, derivative.imag = slope * _SLOPE * t / radius, slope
        return theta, derivative

    def _choose_bend(self, tau: float) -> tuple[float, float, PathChoice, Floats]:
        """The earliest bend along which the integrand does not rise, and where it has died out."""
        best: tuple[float, float, float, PathChoice] | None = None
        for bend in self._scale * _BENDS:
            theta, slope = self._points(_SCAN, bend)
            with np.errstate(all="ignore"):
                choice = self._law.choose_paths(theta, self._support)
                value, error = self._law.transform(theta, _SCAN / _SCAN[-1], choice, self._support)
                ratio = np.abs(np.exp(value - self.log_value - (theta - self.at) * tau))
                size = ratio * np.abs(slope / theta)
            size = np.where(np.isfinite(size), size, np.inf)
            error = np.where(np.isfinite(error), error, np.inf)
            dead = np.flatnonzero(size * (1 + np.where(size > 0, error, 0.0)) < _DEAD * size[0])
            if dead.size == 0:
                continue
            last = int(dead[0]) + 1
            worst = float((ratio * error)[:last].max())
            if not ratio[:last].max() < _HIGHEST:
                continue
            if best is None or worst < best[0]:
                best = (worst, float(bend), float(_SCAN[min(last, _SCAN.size - 1)]), choice)
            if worst < _SAFE_ERROR:
                break
        if best is None or best[0] > _LARGEST_ERROR:
            raise ConvergenceError("no contour along which the transform of the privacy loss decays")
        _, bend, end, choice = best
        return bend, end, choice, _SCAN

    def _refine(self, tau: float, end: float, choice: PathChoice, scan: Floats) -> None:
        """Double the nodes until the integrals stand."""
        u = np.linspace(0.0, end, _FEWEST)
        theta, slope = self._points(u, self._bend)
        with np.errstate(all="ignore"):
            value, error = self._law.transform(theta, u / scan[-1], choice, self._support)
        one = np.array([tau])
        for _ in range(_DOUBLINGS):
            middle = 0.5 * (u[1:] + u[:-1])
            fresh, fresh_slope = self._points(middle, self._bend)
            with np.errstate(all="ignore"):
                fresh_value, fresh_error = self._law.transform(fresh, middle / scan[-1], choice, self._support)
            u = _merged(u, middle)
            theta, slope = _merged(theta, fresh), _merged(slope, fresh_slope)
            value, error = _merged(value, fresh_value), _merged(error, fresh_error)
            self._theta, self._steps = theta, slope * (end / (u.size - 1))
            # A transform of zero is a fine value; one that is not a number spoils the contour.
            known = ~np.isnan(value)
            self._log_ratio = np.where(known & (value.real > -math.inf), value - self.log_value, -math.inf)
            self._finite_ratio = np.where(np.isfinite(self._log_ratio), self._log_ratio, 0.0)
            self._errors = np.where(known, np.minimum(error, _UNKNOWN), math.inf)
            terms = self._weigh(one)[:3]
            size = np.abs(terms).sum(axis=1)
            if not np.isfinite(size).all():
                raise ConvergenceError("the transform of the privacy loss is not a number along a contour")
            if np.all(_extrapolated(terms.imag, size) <= _CONVERGED * size):
                return


def _extrapolated(terms: Floats, size: Floats) -> Floats:
    """A bound on the trapezoid rule's error from the rules of two and four times the spacing.

    Each doubling should square the error; it is taken to shrink it only as much as the last one did.
    """
    finest = terms.sum(axis=1)
    coarse, coarser = (stride * terms[:, ::stride].sum(axis=1) for stride in (2, 4))
    last, before = np.abs(finest - coarse), np.abs(coarse - coarser)
    shrunk = np.minimum(last / np.maximum(before, 1e-300), 1.0)
    error: Floats = np.where(last <= _ROUNDING * size, _ROUNDING * size, 4 * last * shrunk)
    return error


def _merged(even: npt.NDArray[Scalar], odd: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Old nodes with the new ones between them."""
    both = np.empty(even.size + odd.size, even.dtype)
    both[::2], both[1::2] = even, odd
    return both
