r"""Moments of a step's excess over its least loss, at complex tilts, along paths on which they do not cancel.

The loss of a step with noise multiplier sigma and rate q is its least one plus log(1 + e^v), where v is normal under Q
with mean log(q / (1 - q)) - 1 / 2 sigma^2 and deviation 1 / sigma. So its transform is that of the least loss times

.. math:: A(\theta) = E[(1 + e^v)^\theta],

whose integrand is analytic but at v = i pi, 3 i pi, ... Paths run along the real line, rise to a height at some point,
go on level and then at a slope below 1, to the right of these points. The lemmas are in docs/certified.md.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

from gaussdp.accounting.certified.balls import acb, arb, precision, tail
from gaussdp.accounting.certified.steps import Part
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Complexes, Floats


@dataclass(frozen=True)
class ExcessSettings:
    """What is tuned about paths; no proof rests on it."""

    heights: tuple[float, ...] = (0.0, 0.05, 0.15, 0.35, 0.7, 1.1)
    slopes: tuple[float, ...] = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8)
    before: float = 2.0  # how much smaller than 1, as a logarithm, the exponent is where a path rises
    turn: float = 0.0  # where paths begin to slope
    points: int = 160  # of a path that are looked at
    cells: float = 0.12  # width of cells, in deviations of v or in units of v, whichever is less
    far: float = 6.0  # past the logarithm of |theta|: there log(1 + e^v) is v, for any path


SETTINGS = ExcessSettings()
_CHOICES = tuple(grid.ravel() for grid in np.meshgrid(SETTINGS.heights, SETTINGS.slopes, indexing="ij"))

BOUND_BITS = 64
"""Of bounds, which need not be tight."""
SWITCH = 1.0  # real part of v from which on log(1 + e^v) is taken as v + log(1 + e^-v)
RISE_CELLS = 4
HEIGHT, SLOPE = 1.1, 0.8  # of the path that serves all large |theta|


@dataclass(frozen=True)
class Path:
    """A path of v: real from far left, up to a height at `rise`, level, and sloped from `turn` on, up to `last`.

    Where `rise` is None it is level from far left.
    """

    first: float
    rise: float | None
    height: float
    turn: float
    slope: float
    last: float
    log_largest: float  # of the integrand on the path, nearly


class Excess:
    """The excess of one step over its least loss, in balls of the current precision."""

    count: int
    least: arb
    mean: arb
    deviation: arb

    def __init__(self, part: Part) -> None:
        sigma, rate = part.sigma(), part.rate()
        self.count = part.count
        self.least = (1 - rate).log()
        self.mean = (rate / (1 - rate)).log() - 1 / (2 * sigma**2)
        self.deviation = 1 / sigma
        self._half_inverse = sigma**2 / 2
        self._norm = sigma / (2 * arb.pi()).sqrt()
        self._floats = float(self.mean.mid()), float(self.deviation.mid())

    def path(self, theta: complex, depth: float, radius: float = 0.0) -> Path:
        """The path whose largest term is smallest, in floats, which leaves out less than e^-depth of that.

        It serves all tilts within the radius.
        """
        mean, deviation = self._floats
        heights, slopes = _CHOICES
        reach = deviation * (math.sqrt(2 * depth) + 1)
        first = mean - reach - deviation * math.sqrt(2 * max(0.0, -self._crude(theta)))
        start = -math.log(abs(theta)) - SETTINGS.before
        rise = start if start > first else None
        # The sloped Gaussian, with the exponent of large v, is concave: where it ends follows from its peak.
        narrow = 1 - slopes * slopes
        pull = theta.real + radius - slopes * (theta.imag - radius)
        peak = (mean + slopes * (heights - slopes * SETTINGS.turn) + deviation**2 * pull) / narrow
        last = np.maximum(peak, max(SETTINGS.turn, mean, 0.0)) + reach / np.sqrt(narrow)
        last = np.maximum(last, max(math.log(abs(theta)) + SETTINGS.far, SWITCH + 2))
        largest = self._log_sizes(theta, radius, (first, rise, heights, slopes, last)).max(axis=1)
        best = int(np.argmin(np.nan_to_num(largest, nan=np.inf)))
        if not math.isfinite(largest[best]):
            raise ConvergenceError("no proof: no path for the moments of a step is known")
        chosen = Path(
            first,
            rise,
            float(heights[best]),
            SETTINGS.turn,
            float(slopes[best]),
            float(last[best]),
            float(largest[best]),
        )
        return replace(chosen, last=self._end(theta, radius, chosen, depth))

    def _end(self, theta: complex, radius: float, path: Path, depth: float) -> float:
        """The first place from which on the bound on what follows is negligible."""
        mean, deviation = self._floats
        p = np.linspace(SWITCH + 0.1, path.last, SETTINGS.points)
        height = path.height + path.slope * (p - path.turn)
        real, imaginary = theta.real + radius, theta.imag - radius
        rest = (abs(theta) + 1.5 * radius) * np.exp(-p) / -np.expm1(-p)
        exponent = (height**2 - (p - mean) ** 2) / (2 * deviation**2) + real * p - imaginary * height + rest
        falls = ((p - mean) - path.slope * height) / deviation**2 - real + path.slope * imaginary
        small = exponent - np.log(np.maximum(falls, 1e-300)) < path.log_largest - depth - 2
        enough = np.flatnonzero(small & (falls > 0))
        return float(p[enough[0]]) if enough.size else path.last

    def _crude(self, theta: complex) -> float:
        """About the logarithm of A at the real part of a tilt, if that is negative."""
        if theta.real >= 0:
            return 0.0
        mean, deviation = self._floats
        x = np.linspace(mean - 60 * deviation, mean + 8 * deviation, 400)
        return float((theta.real * np.logaddexp(0.0, x) - 0.5 * ((x - mean) / deviation) ** 2).max())

    def _log_sizes(
        self, theta: complex, radius: float, paths: tuple[float, float | None, Floats, Floats, Floats]
    ) -> Floats:
        """The logarithms of the sizes of the terms on paths, one row each."""
        mean, deviation = self._floats
        _, w, v = _on_paths(*paths)
        sizes: Floats = (theta * w - 0.5 * ((v - mean) / deviation) ** 2).real
        if radius > 0:  # terms are bounded on cells then, and balls are squares
            turning = np.abs(theta * np.exp(v - w)) * SETTINGS.cells * min(1.0, deviation)
            sizes += 1.5 * radius * np.abs(w) + 0.7 * turning
        return sizes

    def log_size(self, theta: complex) -> float:
        """About the logarithm of the bound on |A|."""
        path = self.path(theta, 40.0)
        mean, deviation = self._floats
        rows = np.array([path.height]), np.array([path.slope]), np.array([path.last])
        p, w, v = (part[0] for part in _on_paths(path.first, path.rise, *rows))
        density = np.exp(-0.5 * ((v - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
        change = np.abs(density * np.expm1(theta * w))
        whole = np.abs(density * np.exp(theta * w))
        return min(float(np.log(np.trapezoid(whole, p))), float(np.log1p(np.trapezoid(change, p))))

    def _corners(self, path: Path) -> list[tuple[arb, arb, bool]]:
        """The ends of the straight parts of a path after its first one, and whether each lies past the switch."""
        height, slope, turn = arb(path.height), arb(path.slope), arb(path.turn)

        def on_slope(p: float) -> tuple[arb, arb, bool]:
            return arb(p), height + slope * (arb(p) - turn), p > SWITCH

        begin = path.first if path.rise is None else path.rise
        corners = [(arb(begin), height, False), (turn, height, False)] if begin < path.turn else []
        if not corners:
            raise ConvergenceError("no proof: tilts are too small for the paths of a step")
        return [*corners, on_slope(SWITCH), on_slope(path.last)]

    def value(self, theta: acb, path: Path, depth: float) -> acb:
        """A(theta), to e^-depth of the largest term on the path."""
        tolerance = (arb(path.log_largest) - arb(depth)).exp()

        def low(v: acb, analytic: bool) -> acb:
            return (theta * (1 + v.exp()).log(analytic=analytic) - (v - self.mean) ** 2 * self._half_inverse).exp()

        def high(v: acb, analytic: bool) -> acb:
            w = v + (1 + (-v).exp()).log(analytic=analytic)
            return (theta * w - (v - self.mean) ** 2 * self._half_inverse).exp()

        corners = self._corners(path)
        total = acb(0)
        here = acb(corners[0][0], corners[0][1])
        if path.rise is not None:
            foot = acb(path.rise)
            total += acb.integral(low, acb(path.first), foot, abs_tol=tolerance)
            total += acb.integral(low, foot, here, abs_tol=tolerance)
        for p, height, beyond in corners[1:]:
            there = acb(p, height)
            total += acb.integral(high if beyond else low, here, there, abs_tol=tolerance)
            here = there
        wrong = arb(0, 1) * (self._left(theta, path) + self._right(theta, path)).abs_upper()
        return total * self._norm + acb(wrong, wrong)

    def bound(self, theta: acb, path: Path) -> arb:
        """At least |A| at every tilt in a ball: from the sizes of the terms over cells, or from those of A - 1."""
        whole, change = self._right(theta, path), arb(0)
        size = abs(theta).upper()
        if path.rise is None:
            whole += self._left(theta, path)
            change = arb.pos_inf()
        else:
            foot = arb(path.rise)
            whole += (theta.real.upper().max(0) * (1 + foot.exp()).log()).exp() * tail(
                (self.mean - foot) / self.deviation
            )
            # |e^z - 1| <= |z| e^|z|, and log(1 + e^v) <= e^v, whose mean is that of a shifted normal law.
            rest = tail((self.mean + self.deviation**2 - foot) / self.deviation)
            change += size * (self.mean + self.deviation**2 / 2 + size * foot.exp()).exp() * rest
            whole, change = _both((whole, change), self._over(theta, foot, arb(0), foot, arb(path.height), RISE_CELLS))
        corners = self._corners(path)
        width = SETTINGS.cells * min(1.0, self._floats[1])
        for (p, height, _), (p2, height2, _) in pairwise(corners):
            cells = max(1, math.ceil(float((p2 - p).mid()) / width))
            whole, change = _both((whole, change), self._over(theta, p, height, p2, height2, cells))
        change += self._right(theta, path) + self._right(theta * 0, path)
        return whole.upper().min(1 + change.upper())

    def _over(self, theta: acb, p: arb, height: arb, p2: arb, height2: arb, cells: int) -> tuple[arb, arb]:
        """The integrals of the sizes of the terms of A and of A - 1 along a straight line."""
        start, step = acb(p, height), acb(p2 - p, height2 - height) / cells
        around = arb(0.5, 0.5)
        whole, change = arb(0), arb(0)
        for k in range(cells):
            v = start + step * (k + around)
            if v.real > 0:
                w = v + (1 + (-v).exp()).log()
            elif v.imag < 3 and v.imag > -3:
                w = (1 + v.exp()).log()
            else:
                return arb.pos_inf(), arb.pos_inf()
            exponent, density = theta * w, -((v - self.mean) ** 2) * self._half_inverse
            whole += (exponent + density).real.exp().upper()
            change += density.real.exp().upper() * exponent.expm1().abs_upper()
        length = abs(step).upper() * self._norm
        return whole * length, change * length

    def _left(self, theta: acb, path: Path) -> arb:
        """At least what lies left of a path's first point: on the real line, or on the level where terms fall."""
        first = arb(path.first)
        rest = tail((self.mean - first) / self.deviation)
        if path.rise is not None:
            return (theta.real.upper().max(0) * (1 + first.exp()).log()).exp() * rest
        small = first.exp()
        height = arb(path.height)
        # arg log(1 + z) differs from arg z by at most |z|, if |z| <= 1/4; Re(theta log(1 + z)) <= 0 needs this angle.
        lean = arb.atan2(theta.real.upper(), theta.imag.lower())
        if not (small < 0.25 and theta.imag > 0 and height - small >= lean and height + small < 2):
            return arb.pos_inf()
        return (height**2 * self._half_inverse).exp() * rest

    def _right(self, theta: acb, path: Path) -> arb:
        """At least what lies past a path's last point: the exponent is concave there, so below its tangent."""
        last, slope = arb(path.last), arb(path.slope)
        height = arb(path.height) + slope * (last - arb(path.turn))
        rest = (-last).exp()
        rest = abs(theta).upper() * rest / (1 - rest)
        u, t = theta.real.upper(), theta.imag.lower()
        exponent = -((last - self.mean) ** 2 - height**2) * self._half_inverse + u * last - t * height + rest
        falls = 2 * self._half_inverse * ((last - self.mean) - slope * height) - u + slope * t
        if not falls > 0 or not last > 0:
            return arb.pos_inf()
        return exponent.exp() / falls * (1 + slope**2).sqrt() * self._norm

    def far(self) -> arb:
        """A bound on |A| at all tilts whose angle to the vertical is at most `far_angle()`."""
        height, slope, mean = arb(HEIGHT), arb(SLOPE), self.mean
        level = (height**2 * self._half_inverse).exp() * tail(mean / self.deviation)
        narrow = 1 - slope**2
        centre = (mean + slope * height) / narrow
        exponent = (centre**2 * narrow - mean**2 + height**2) * self._half_inverse
        sloped = exponent.exp() * ((1 + slope**2) / narrow).sqrt() * tail(-centre * narrow.sqrt() / self.deviation)
        return (level + sloped).upper()


def _on_paths(
    first: float, rise: float | None, heights: Floats, slopes: Floats, last: Floats
) -> tuple[Floats, Complexes, Complexes]:
    """Real parts of v, log(1 + e^v) and v at points of paths, one row each."""
    p = first + np.multiply.outer(last - first, np.linspace(0.0, 1.0, SETTINGS.points))
    rising = heights[:, np.newaxis] + slopes[:, np.newaxis] * np.maximum(p - SETTINGS.turn, 0.0)
    if rise is not None:
        rising[p < rise] = 0.0
    v = p + 1j * rising
    small = np.log1p(np.exp(np.where(p > SWITCH, -v, v)))
    return p, np.where(p > SWITCH, v + small, small), v


def _both(first: tuple[arb, arb], second: tuple[arb, arb]) -> tuple[arb, arb]:
    return first[0] + second[0], first[1] + second[1]


@cache
def far_angle() -> arb:
    """The least argument of log(1 + e^v) on the path that serves all large |theta|."""
    with precision(BOUND_BITS):
        least = arb(HEIGHT) - arb(-8).exp()  # to the left of -8, where it is that of e^v nearly
        for v, w in _far_cells():
            if not ((v.imag < 3 or v.real > 0) and w.imag > 0 and (w.real > 0 or v.real < 0)):
                raise ConvergenceError("a path meets a branch point")
            least = least.min(arb.atan2(w.imag, w.real).lower())
        # Past 40 it is that of v to within e^-39, and v leans by more than the slope.
        return least.min(arb(SLOPE).atan() - arb(-38).exp()).lower()


def _far_cells() -> Iterator[tuple[acb, acb]]:
    around = arb(0.5, 0.5)
    for k in range(-800, 4000):
        p = (k + around) / 100
        v = acb(p, arb(HEIGHT) + arb(SLOPE) * p.max(0))
        yield v, v + (1 + (-v).exp()).log() if k > 100 else (1 + v.exp()).log()
