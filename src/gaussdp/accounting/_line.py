r"""One vertical line of the inversion integral, evaluated once and read at many thresholds.

For a line :math:`\theta = c + it` and a kernel k the numbers we want are

.. math:: I_k(\tau) = \frac{1}{2\pi i} \int_{c - i\infty}^{c + i\infty} k(\theta)\,e^{K(\theta) - \theta\tau}\,d\theta

with :math:`k = 1/\theta` (FPR), :math:`1/(\theta - 1)` (FNR), their difference (the privacy profile) and 1 (the
density). By Poisson summation the trapezoid rule of step h returns :math:`\sum_m e^{cms} I_k(\tau + ms)` with
:math:`s = 2\pi/h`. The images of the poles at 0 and 1 are known and subtracted; the other images are tail
probabilities, which Chernoff's inequality bounds. So the discretisation error is bounded, not guessed.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaussdp.accounting._cumulants import Complexes, LossCumulants, Tilt
from gaussdp.accounting._products import product
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

REACH = 3.5  # thresholds served, in standard deviations of the tilted law about its mean
MAX_NODES = 1 << 15
MAX_WORK = 1 << 26  # nodes of the line times nodes of the outputs: a fraction of a second

_EXPONENT = 39.0  # errors aimed at: exp(-39), before division by values as small as exp(-REACH^2 / 2)
_LADDER = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 9.0, 14.0, 24.0])  # tilts of Chernoff's bounds, in deviations
_SCAN = 5.0 * 1.25 ** np.arange(8)  # where the decay is looked for first, in inverse standard deviations
_NEAR_POLE = 2.5  # about a pole nearer than this images are subtracted; about farther ones they are bounded
_CHECKED = np.array([0.02, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5, 0.62, 0.75, 0.9, 1.0])  # shares of the last node
_MAX_REFINEMENT = 7
_BLOCKS_FROM = 256  # nodes
_GRID_TOLERANCE = 2e-13
_ROUNDING = 1e-15
_LARGEST_EXPONENT = 700.0
_IMAGES = 4 * math.exp(-_EXPONENT)  # bound on all images, above and below, of every threshold in reach


@dataclass(frozen=True, slots=True)
class Readings:
    """The integrals of the kernels (FPR, FNR, profile, density, in rows) over e^(log_scale), with absolute errors.

    ``lost`` bounds what the cutoff of the outputs leaves out of the first three.
    """

    log_scale: Floats
    values: Floats
    errors: Floats
    lost: Floats


class Line:
    """The integrand along Re(theta) = c, ready to be summed for any threshold near K'(c)."""

    def __init__(self, cumulants: LossCumulants, tilt: Tilt) -> None:
        if not all(grid.clean for grid in tilt.grids):
            raise ConvergenceError("the tilt gives weight to outputs beyond the cutoff")
        refinement = 0
        while True:
            self.tilt = tilt
            self.deviation = tilt.deviation
            self._place_images(cumulants)
            t = self._nodes(cumulants)
            # A grid too coarse to see any decay is refined twice at once.
            refinement = refinement + 1 if t.size else min(refinement + 2, max(refinement + 1, _MAX_REFINEMENT))
            finer = cumulants.tilt(tilt.at, refinement) if tilt.grids else tilt
            if t.size:
                grid_error = self._grid_error(cumulants, t, finer)
                if grid_error <= _GRID_TOLERANCE + 1e-15 * abs(tilt.value) + 4 * cumulants.rounding(tilt):
                    break
            if refinement > _MAX_REFINEMENT:
                raise ConvergenceError("the characteristic function of the privacy loss decays too slowly")
            tilt = finer
        self._t = t
        coefficients = self._weigh(t, cumulants.log_ratio(self.tilt, t))
        self._parts = np.hstack((coefficients.real, coefficients.imag))
        sizes = np.abs(coefficients)
        # The tail beyond the last node falls off at least as fast as the nodes before it.
        cut = t.size * sizes[:, -max(1, t.size // 8) :].max(axis=1)
        fixed_error = (grid_error + _ROUNDING) * sizes.sum(axis=1) + cut + _IMAGES
        # E[(e^(L - x) - 1)+] is below the tail's bound by the factor 1/c' or smaller, and so is its mirror image.
        fixed_error[2] -= _IMAGES * (1 - 1 / (1 + _LADDER[0] / self.deviation))
        self._fixed_error = fixed_error[:, np.newaxis]
        self._lost = cumulants.lost()
        self._relative_error = 4e-16 * (abs(tilt.value) + abs(tilt.at * tilt.mean)) + cumulants.rounding(tilt)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self._t.size

    def serves(self, tau: Floats) -> npt.NDArray[np.bool_]:
        """Which thresholds lie within reach, on the side of zero where this line keeps the profile's digits."""
        near: npt.NDArray[np.bool_] = np.abs(tau - self.tilt.mean) <= REACH * self.deviation
        if self.tilt.at > 1:
            return near & (tau >= 0)
        return near & (tau < 0) if self.tilt.at < 0 else near

    def read(self, tau: Floats) -> Readings:
        """The four integrals at thresholds that the line serves."""
        tilt = self.tilt
        values = self._sums(tau - tilt.mean)
        for pole, row, sign in ((0.0, 0, -1.0), (1.0, 1, 1.0)):
            if pole not in self._near:
                continue
            distance = tilt.at - pole
            decay = abs(distance) * self._period
            image = np.exp(distance * tau - tilt.value - decay) / math.copysign(-math.expm1(-decay), distance)
            values[row] -= image
            values[2] -= sign * image
        errors = np.abs(values)
        errors *= self._relative_error
        errors += self._fixed_error
        log_scale = tilt.value - tilt.at * tau
        lost = np.zeros((3, tau.size))
        if tilt.at > 0 and self._lost[1] > 0:
            # What the cutoff leaves out is missing from upper tails; of lower tails it is a negligible share.
            lost[0] = self._lost[0] * np.exp(np.minimum(-log_scale, _LARGEST_EXPONENT))
            lost[1:] = self._lost[1] * np.exp(np.minimum(-log_scale - tau, _LARGEST_EXPONENT))
        return Readings(log_scale, values, errors, lost)

    def _sums(self, offset: Floats) -> Floats:
        """Real parts of the trapezoid sums of the kernels, for thresholds this far from the mean."""
        size = self._t.size
        if size < _BLOCKS_FROM:
            angle = np.multiply.outer(self._t, offset)
            return product(self._parts, np.concatenate((np.cos(angle), np.sin(angle))))
        # Each frequency is a coarse one plus a fine one, so few exponentials are needed.
        fine = math.isqrt(size) + 1
        inner = np.exp(np.multiply.outer(1j * self._t[:fine], offset))
        outer = np.exp(np.multiply.outer(1j * self._t[::fine], offset))
        waves = (outer[:, np.newaxis] * inner).reshape(-1, offset.size)[:size]
        return product(self._parts, np.concatenate((waves.real, waves.imag)))

    def _place_images(self, cumulants: LossCumulants) -> None:
        """The least distance s between images that makes them all smaller than exp(-39) of the scale of the line."""
        tilt, deviation = self.tilt, self.deviation
        steps = _LADDER / deviation
        nearest = min(abs(tilt.at), abs(tilt.at - 1)) * deviation
        reach = _NEAR_POLE + 1 if nearest <= _NEAR_POLE else 0.0
        near = [pole for pole in (0.0, 1.0) if abs(tilt.at - pole) * deviation <= reach]
        far = [pole for pole in (0.0, 1.0) if pole not in near]
        self._near = near
        above = max([tilt.at, *near]) + steps
        below = min([tilt.at, *near]) - steps
        ceiling = min([pole for pole in far if pole > tilt.at], default=math.inf)
        bottom = max([pole for pole in far if pole < tilt.at], default=-math.inf)
        # Far poles keep the distance of the first rung, on which the bound of the profile's images relies.
        above, below = above[above <= ceiling - steps[0]], below[below >= bottom + steps[0]]
        values = cumulants.values(np.concatenate((above, below))) - tilt.value + _EXPONENT
        # Chernoff: the tail beyond x, on the scale of the line, is below exp(K(c') - K(c) - (c' - c) x).
        needed_above = np.min(values[: above.size] / (above - tilt.at)) - tilt.mean
        needed_below = np.min(values[above.size :] / (tilt.at - below)) + tilt.mean
        self._period = float(max(needed_above, needed_below)) + REACH * deviation

    def _nodes(self, cumulants: LossCumulants) -> Floats:
        """Trapezoid nodes from 0 to where the characteristic function has died out; none if it does not.

        It may seem not to because the grid of the outputs is too coarse for so high a frequency.
        """
        step = 2 * math.pi / self._period
        scan = np.divide(_SCAN, self.deviation)
        outputs = max((grid.losses.size for grid in self.tilt.grids), default=1)
        affordable = min(MAX_NODES, MAX_WORK // outputs) * step
        while scan[0] < affordable:
            dead = cumulants.log_ratio(self.tilt, scan).real < -_EXPONENT
            gone = np.flatnonzero(dead[:-2] & dead[1:-1] & dead[2:])
            if gone.size and scan[gone[0]] < affordable:
                return step * np.arange(math.ceil(scan[gone[0]] / step) + 1)
            scan = scan[-2] * _SCAN / _SCAN[0]
        return np.empty(0)

    def _grid_error(self, cumulants: LossCumulants, t: Floats, finer: Tilt) -> float:
        """Change of the integrand when the grid of the outputs is refined, at a few nodes along the line."""
        checked = t[-1] * _CHECKED
        coarse = cumulants.log_ratio(self.tilt, checked)
        change = cumulants.log_ratio(finer, checked) - coarse
        change += (finer.value - self.tilt.value) + 1j * checked * (finer.mean - self.tilt.mean)
        weighted = np.abs(np.exp(coarse) * np.expm1(change))
        return float(max(weighted.max(), abs(finer.value - self.tilt.value)))

    def _weigh(self, t: Floats, log_ratio: Complexes) -> Complexes:
        """Rows of trapezoid coefficients, one for each kernel."""
        at = self.tilt.at
        weighted = np.exp(log_ratio) * (2 / self._period)
        weighted[0] *= 0.5
        to_zero, to_one = 1 / (at + 1j * t), 1 / (at - 1 + 1j * t)
        return np.stack((weighted * to_zero, weighted * to_one, weighted * to_zero * to_one, weighted))
