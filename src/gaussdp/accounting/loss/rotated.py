r"""The moment generating function of one Poisson-sampled step at complex arguments, by a path on which nothing cancels.

The excess over the least loss is D = log(1 + e^v) with v normal, of mean log(q / (1 - q)) - 1 / 2 sigma^2 and standard
deviation 1 / sigma, so

.. math:: E_Q[e^{\theta D}] = \int \varphi(z)\,(1 + e^{v(z)})^\theta\,dz

is an integral of an analytic function with branch points at v = i pi, 3 i pi, ... On the real line its terms are far
larger than itself where theta turns them. So the path rises where \|theta e^v\| is 1, which makes e^(theta e^v) decay,
and then passes the branch points on their right, towards the saddle point z = theta / sigma: along it terms are of the
size of the whole, and by Cauchy's theorem their sum is the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.loss.sums import of_size
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import TINY, Complexes, Floats


@dataclass(frozen=True)
class RotatedSettings:
    """What is tuned about the path; v is the logarithm of the likelihood ratio's growth."""

    reach: float = 8.8  # standard deviations past the outermost peaks: what lies beyond weighs less than 1e-17
    spacing: float = 0.4  # of v, in either of two rules that are compared
    coarsest: float = 0.45  # spacing in standard deviations, at most
    steepest: float = 0.7  # slope of the path past the branch points: a normal density falls off up to 1
    most_turned: float = 1.45  # imaginary part of v, before the branch points, at the most: they are at pi
    highest: float = 3.0  # ... and of z: the normal density grows to e^4.5 there
    passed: float = 1.5  # real part of v from which on the path has passed them
    share: float = 1.6
    """The difference of the two rules, relative to all terms, to this power bounds the error of both together: in a
    strip of analyticity its square would do."""
    roundings: float = 4.0  # units of what least losses add to an exponent that sums and differences of such leave
    small: float = 0.5  # size of theta D, in the mean, below which the expectation is taken of e^(theta D) - 1
    most: int = 10_000  # nodes of a path
    sharing: int = 6
    """Neighbouring arguments that share a path, that of the last of them: less far out it is nearly as good."""
    at_once: int = 30  # such groups with the same real parts of their nodes, at most
    terms: int = 8_000  # at once: larger temporary tables are handed back to the system each time
    most_apart: float = 30.0  # ratio of the sizes of their arguments


SETTINGS = RotatedSettings()

_ROUNDING = 2.0**-52
_INVERSE_ROOT_2PI = 1 / math.sqrt(2 * math.pi)


class RotatedStep:
    """One step: Gaussian noise of this multiplier on a Poisson sample of this rate (below 1)."""

    def __init__(self, noise_multiplier: float, sample_rate: float) -> None:
        self._deviation = 1 / noise_multiplier
        self._mean = math.log(sample_rate) - math.log1p(-sample_rate) - 0.5 * self._deviation**2
        self._rate = sample_rate
        self._spacing = min(SETTINGS.coarsest, SETTINGS.spacing / self._deviation)

    def log_moments(self, theta: Complexes) -> tuple[Complexes, Floats]:
        """log E[e^(theta D)] at neighbouring arguments in the upper half-plane, and the errors of the expectations."""
        values, errors = zip(*(self._some(part) for part in _parts(theta)), strict=True)
        return np.concatenate(values), np.concatenate(errors)

    def _some(self, given: Complexes) -> tuple[Complexes, Floats]:
        sharing = min(SETTINGS.sharing, given.size)
        theta = np.full((-(-given.size // sharing), sharing), given[-1])
        theta.flat[: given.size] = given
        slopes = self._slope(theta[:, -1:])
        low, high = self._ends(theta, slopes)
        if not high - low < SETTINGS.most * self._spacing:
            raise ConvergenceError("a path off the real line has too many nodes")
        # Two rules, one halfway between the nodes of the other, in turns.
        first, last = 2 * math.floor(low / self._spacing), 2 * math.ceil(high / self._spacing) + 1
        path = self._path(theta, slopes, 0.5 * self._spacing * np.arange(first, last + 1, dtype=np.float64))
        near_one = float(np.abs(theta).max()) * self._rate < SETTINGS.small
        sums = path.sums(near_one=near_one)[:, : given.size]
        size, top = sums[2:].real
        unsure = (8 + abs(self._mean)) * size + np.abs(given) * sums[2].imag
        rules = size * np.minimum(np.abs(sums[0] - sums[1]) / size, 1.0) ** SETTINGS.share
        scale = 0.5 * self._spacing * _INVERSE_ROOT_2PI
        total, errors = scale * (sums[0] + sums[1]), scale * (rules + _ROUNDING * unsure)
        if near_one:
            return _log1p(total), errors / np.abs(1 + total) + _ROUNDING * np.abs(total)
        return top + np.log(total), errors / np.abs(total)

    def _ends(self, theta: Complexes, slopes: Floats) -> tuple[float, float]:
        """Between which real parts of z the integrands are of any size along paths of these slopes."""
        passed, saddles = self._passed, theta.real * self._deviation
        narrow = 1 - slopes * slopes  # inverse variance along the path
        peaks = passed + np.maximum(saddles - passed - slopes * theta.imag * self._deviation, 0.0) / narrow
        highest = np.maximum(np.where(saddles < passed, saddles, peaks), 0.0) + SETTINGS.reach / np.sqrt(narrow)
        turned = (-math.log(float(np.abs(theta).max())) - self._mean) / self._deviation
        return min(0.0, turned) - SETTINGS.reach, float(highest.max())

    def _slope(self, theta: Complexes) -> Floats:
        """Of the paths past the branch points: through the saddle point, if that is not too steep."""
        to_saddle = np.maximum(np.abs(theta.real * self._deviation - self._passed), TINY)
        return np.minimum(SETTINGS.steepest, theta.imag * self._deviation / to_saddle)

    @property
    def excess_roundings(self) -> float:
        """Units of itself by which an excess over the least loss is off, the exponential of a rounded logarithm."""
        return abs(self._mean)

    def peak(self, at: float) -> float:
        """Where the outputs that the record alone explains have their peak in v, tilted."""
        return self._mean + self._deviation**2 * at

    @property
    def rare(self) -> float:
        """That peak at the tilt at which such outputs come to rule, 1 - 2 sigma^2 log q."""
        return 0.5 * self._deviation**2 - math.log(self._rate)

    @property
    def _passed(self) -> float:
        return (SETTINGS.passed - self._mean) / self._deviation

    def _path(self, theta: Complexes, slope: Floats, z: Floats) -> "_Path":
        """The integrands above real points z, a path for each row of arguments."""
        real = self._mean + self._deviation * z
        last = theta[:, -1:]
        angle = np.angle(last)
        most = min(SETTINGS.most_turned, SETTINGS.highest * self._deviation)
        turned = np.minimum(np.minimum(angle, math.pi - angle), most)
        small = np.exp(-np.abs(real))
        share = np.abs(last) * np.exp(np.minimum(real, 0.0))
        share = share / (share + np.where(real > 0, small, 1.0))  # rises where |theta e^v| is 1
        beyond = real - SETTINGS.passed
        fading = np.exp(-np.abs(beyond))
        rising = np.maximum(beyond, 0.0) + np.log1p(fading)
        rate = np.where(beyond > 0, 1.0, fading) / (1 + fading)
        imaginary = turned * share + slope * rising
        return _Path(
            theta=theta,
            growth=_log_growth(real, small, imaginary),
            z=z + 1j * (imaginary / self._deviation),
            slopes=1 + 1j * (turned * share * (1 - share) + slope * rate),
        )


@dataclass(frozen=True, slots=True)
class _Path:
    """D, z and dz at the points of paths, a row each, and the rows of arguments that share them."""

    theta: Complexes
    growth: Complexes
    z: Complexes
    slopes: Complexes

    def sums(self, *, near_one: bool) -> Complexes:
        """Sums of the first and of the second rule, of all sizes, and the logarithm of a factor, by rows.

        The imaginary part of the sizes is what they are times |D|, where those that are not near one are largest.

        Near one the terms are those of E[e^(theta D)] - 1, and there is no factor.
        """
        normal = -0.5 * self.z * self.z
        rows = max(1, SETTINGS.terms // (self.theta.shape[1] * self.z.shape[1]))
        make = self._changes if near_one else self._terms
        parts = [make(slice(first, first + rows), normal) for first in range(0, self.theta.shape[0], rows)]
        return np.concatenate(parts, axis=1).reshape(4, -1)

    def _terms(self, some: slice, normal: Complexes) -> Complexes:
        """Those of the integrand itself, on some paths."""
        sums = np.empty((4, *self.theta[some].shape), np.complex128)
        logs, angles = self._exponents(some, slice(None))
        logs += normal.real[some, np.newaxis]
        angles += normal.imag[some, np.newaxis]
        top, peaks = logs.max(axis=2), self._at_peaks(some, slice(None), logs)
        logs -= top[:, :, np.newaxis]
        sizes = np.exp(logs, out=logs)
        sums[:3], sums[3] = _rules(*of_size(sizes, angles), sizes, self.slopes[some]), top
        sums.imag[2] = sums.real[2] * peaks
        return sums

    def _changes(self, some: slice, normal: Complexes) -> Complexes:
        """Those of phi(z) (e^(theta D) - 1), whose integral is E[e^(theta D)] - 1: that of phi is 1 along any path."""
        sums = np.zeros((4, *self.theta[some].shape), np.complex128)
        weights = np.exp(normal[some]) * self.slopes[some]
        grown_far = np.abs(self.growth[some]) * np.abs(self.theta[some]).min(axis=1, keepdims=True) > SETTINGS.small
        # Beyond some node, an even one, all are far.
        first_far = 2 * (int(np.count_nonzero(~grown_far.all(axis=0))) // 2)
        near, far = slice(first_far), slice(first_far, None)
        exponents, angles = self._exponents(some, near)
        grown, tangent = np.expm1(exponents), np.tan(0.5 * angles)
        squared = tangent * tangent
        scale = (1 + grown) * (2 / (1 + squared))
        # e^x (cos y - 1) + e^x - 1 and e^x sin y, with t = tan(y / 2): cos y - 1 = -2 t^2 / (1 + t^2).
        tangent *= scale
        grown -= squared * scale
        sums[:3] = _rules(grown, tangent, np.sqrt(grown * grown + tangent * tangent), weights[:, near])
        logs, angles = self._exponents(some, far)
        logs += normal.real[some, np.newaxis, far]
        angles += normal.imag[some, np.newaxis, far]
        peaks = self._at_peaks(some, far, logs)
        sizes = np.exp(logs, out=logs)
        alone = weights[:, far]
        beyond = _rules(*of_size(sizes, angles), sizes, self.slopes[some, far])
        beyond.imag[2] = beyond.real[2] * peaks
        sums[:3] += beyond
        less = alone[:, ::2].sum(axis=1), alone[:, 1::2].sum(axis=1), -np.abs(alone).sum(axis=1)
        sums[:3] -= np.stack(less)[:, :, np.newaxis]
        return sums

    def _at_peaks(self, some: slice, nodes: slice, logs: Floats) -> Floats:
        """|D| at the nodes of some paths where the terms of the last argument, with these logarithms, are largest."""
        if logs.shape[2] == 0:
            return np.zeros((logs.shape[0], 1))
        growth = self.growth[some, nodes]
        sizes: Floats = np.abs(growth[np.arange(growth.shape[0]), logs[:, -1].argmax(axis=1)])
        return sizes[:, np.newaxis]

    def _exponents(self, some: slice, nodes: slice) -> tuple[Floats, Floats]:
        """Real and imaginary parts of theta D at nodes of some paths, for each path its arguments."""
        growing, turning = self.growth.real[some, np.newaxis, nodes], self.growth.imag[some, np.newaxis, nodes]
        along, across = self.theta.real[some, :, np.newaxis], self.theta.imag[some, :, np.newaxis]
        return along * growing - across * turning, along * turning + across * growing


def _rules(real: Floats, imaginary: Floats, sizes: Floats, weights: Complexes) -> Complexes:
    """Sums of weighted terms at every other node, at the others, and of the sizes of all."""
    columns = np.zeros((*weights.shape, 4))
    columns[:, ::2, 0], columns[:, ::2, 1] = weights.real[:, ::2], weights.imag[:, ::2]
    columns[:, 1::2, 2], columns[:, 1::2, 3] = weights.real[:, 1::2], weights.imag[:, 1::2]
    from_real, from_imaginary = real @ columns, imaginary @ columns
    sums = np.zeros((3, *real.shape[:2]), np.complex128)
    for rule in (0, 1):
        sums.real[rule] = from_real[:, :, 2 * rule] - from_imaginary[:, :, 2 * rule + 1]
        sums.imag[rule] = from_real[:, :, 2 * rule + 1] + from_imaginary[:, :, 2 * rule]
    sums.real[2] = (sizes @ np.abs(weights)[:, :, np.newaxis])[:, :, 0]
    return sums


def _log_growth(real: Floats, small: Floats, imaginary: Floats) -> Complexes:
    """log(1 + e^v) right of all branch points, with the digits of small e^v; small is e to minus the size of Re v."""
    cosine, sine = of_size(small, imaginary)
    result = np.empty(imaginary.shape, np.complex128)
    result.real = 0.5 * np.log1p(cosine * (2 + cosine) + sine * sine) + np.maximum(real, 0.0)
    # Where v is large this is v + log(1 + e^-v).
    result.imag = np.arctan2(sine, 1 + cosine) * np.where(real > 0, -1.0, 1.0) + imaginary * (real > 0)
    return result


def _log1p(x: Complexes) -> Complexes:
    """log(1 + x) with the digits of small x."""
    result = np.empty_like(x)
    result.real = 0.5 * np.log1p(x.real * (2 + x.real) + x.imag * x.imag)
    result.imag = np.arctan2(x.imag, 1 + x.real)
    return result


def _parts(theta: Complexes) -> list[Complexes]:
    """Neighbours at once, as long as their sizes are not too far apart."""
    sizes, most = np.abs(theta), SETTINGS.sharing * SETTINGS.at_once
    ends = [0]
    while ends[-1] < theta.size:
        some = sizes[ends[-1] : ends[-1] + most]
        apart = np.maximum.accumulate(some) > SETTINGS.most_apart * np.minimum.accumulate(some)
        ends.append(ends[-1] + (int(apart.argmax()) if apart.any() else some.size))
    return np.split(theta, ends[1:-1])


class RotatedLoss:
    """K of plain Gaussian releases (their squared mu) and counted steps with their least losses."""

    least: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[RotatedStep, float, int]]) -> None:
        self._squared_mu, self._steps = squared_mu, steps
        self.least = math.fsum(count * least for _, least, count in steps)

    def values(self, theta: Complexes) -> tuple[Complexes, Floats]:
        """K at neighbouring arguments in the upper half-plane, up to whole turns, and errors of e^K."""
        total = 0.5 * self._squared_mu * (theta * theta - theta)
        errors = np.zeros(theta.size)
        for step, least, count in self._steps:
            value, error = step.log_moments(theta)
            total += count * (value + theta * least)
            roundings = SETTINGS.roundings + step.excess_roundings
            errors += count * (error + roundings * _ROUNDING * np.abs(theta * least))
        return total, errors

    @property
    def rarest(self) -> float:
        """The largest excess of outputs that the record alone explains, where these come to rule."""
        return max(step.rare for step, _, _ in self._steps)

    def rare_excess(self, at: float) -> float:
        """The largest excess at which outputs that the record alone explains have their peak, tilted; at least 1."""
        return max(1.0, *(step.peak(at) for step, _, _ in self._steps))

    def rounding(self, at: float, tau: Floats) -> Floats:
        """Rounding units that the excess of a threshold over the least loss leaves in e^(K - theta tau)."""
        return abs(at) * (np.abs(tau) + abs(self.least))
