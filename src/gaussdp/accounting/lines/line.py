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
from functools import cached_property

import numpy as np

from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.outputs import FINENESS
from gaussdp.accounting.loss.products import complex_product, product
from gaussdp.accounting.loss.steps import TiltedGrid
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Complexes, Floats

REACH = 3.5  # thresholds served, in standard deviations of the tilted law about its mean
MAX_NODES = 1 << 15
MAX_WORK = 1 << 23  # nodes of the line times nodes of the outputs: past that, a density is no slower

_EXPONENT = 39.0  # errors aimed at: exp(-39), before division by values as small as exp(-REACH^2 / 2)
_LADDER = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 9.0, 14.0, 24.0])  # tilts of Chernoff's bounds, in deviations
_SCAN = 6.25 * 1.25 ** np.arange(10)  # where the decay is looked for first, in inverse standard deviations
_NEAR_POLE = 6.0  # about a pole nearer than this images are subtracted; about farther ones they are bounded
_NORMAL_REACH = 9.8  # where that of a normal law has died out
_NEARLY_NORMAL = 0.2  # squared skewness up to which others follow it, somewhat later
_LONGER = 5.5
_SAME = 1e-9  # change of K that leaves the distance between images as it was
_PAST = 1.15  # how far past the point where it dies out the nodes go, so that the last of them no longer matter
_BEYOND = np.array([1.25, 1.25**2])  # of the last node: there too it must have died out
_FEW = 3000  # angles up to which a finer grid costs little
_MAX_REFINEMENT = 7 * FINENESS
_MAX_GUESS = 3 * FINENESS  # at the refinement that will be needed
_TURNS = (1.35, 0.9)  # from one output to the next that the grid can bear, as a rule; fewer if a finer one costs little
_WEIGHTY = 2e-9  # of the heaviest
_BLOCKS_FROM = 256  # nodes
_GRID_TOLERANCE = 2e-13
_FINE_GRID_TOLERANCE = 2e-14  # where a finer grid costs little, since then the line serves farther
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
        log_ratio, grid_error = self._settle(cumulants, tilt)
        t, tilt = self._t, self.tilt
        coefficients = self._weigh(t, log_ratio)
        self._parts = np.hstack((coefficients.real, coefficients.imag))
        sizes = np.abs(coefficients)
        # The tail beyond the last node falls off at least as fast as the nodes before it.
        cut = t.size * sizes[:, -max(1, t.size // 8) :].max(axis=1)
        fixed_error = (grid_error + _ROUNDING) * sizes.sum(axis=1) + cut + _IMAGES
        # E[(e^(L - x) - 1)+] is below the tail's bound by the factor 1/c' or smaller, and so is its mirror image.
        fixed_error[2] -= _IMAGES * (1 - 1 / (1 + _LADDER[0] / self.deviation))
        self._fixed_error = fixed_error[:, np.newaxis]
        self._lost = cumulants.lost
        self._relative_error = 4e-16 * (abs(tilt.value) + abs(tilt.at * tilt.mean)) + cumulants.rounding(tilt)

    def _settle(self, cumulants: LossCumulants, tilt: Tilt) -> tuple[Complexes, float]:
        """Choose the distance of the images, the nodes and the grid of the outputs.

        Returns the logarithm of the integrand at the nodes and the error that the grid leaves in the integrand.
        """
        refinement = 0
        reach = sure = math.inf
        squared_skewness = tilt.third**2 / tilt.variance**3
        if squared_skewness < _NEARLY_NORMAL:
            reach = _NORMAL_REACH * (1 + _LONGER * squared_skewness) / tilt.deviation
        placed = math.inf
        while refinement <= _MAX_REFINEMENT:
            self.tilt, self.deviation = tilt, tilt.deviation
            if abs(tilt.value - placed) > _SAME:
                self._place_images(cumulants)
                placed = tilt.value
            step = 2 * math.pi / self._period
            outputs = max((grid.centred.size for grid in tilt.grids), default=1)
            affordable = min(MAX_NODES, MAX_WORK // outputs) * step
            if reach >= affordable:
                reach, sure = self._scan(cumulants, affordable)
            if reach == math.inf:
                # A grid too coarse to see any decay is refined twice at once.
                refinement = min(refinement + 2 * FINENESS, max(refinement + FINENESS, _MAX_REFINEMENT))
                tilt = cumulants.tilt(tilt.at, refinement)
                continue
            size = math.ceil(reach / step) + 1
            few = size * outputs <= _FEW
            if refinement == 0:
                refinement = max((_refinement_for(reach, grid, _TURNS[few]) for grid in tilt.grids), default=0)
                if refinement > 0:
                    tilt = cumulants.tilt(tilt.at, refinement)
                    continue
            self._t: Floats = step * np.arange(size, dtype=np.float64)
            log_ratio, grid_error, dead = self._evaluate(cumulants, refinement, few=few, anyway=reach == sure)
            tolerance = _FINE_GRID_TOLERANCE if few and refinement < _MAX_GUESS else _GRID_TOLERANCE
            if not dead and reach != sure:
                reach = sure
            elif grid_error <= tolerance + 1e-15 * abs(tilt.value) + 4 * cumulants.rounding(tilt):
                return log_ratio, grid_error
            else:
                refinement += FINENESS
                tilt = cumulants.tilt(tilt.at, refinement)
        raise ConvergenceError("the characteristic function of the privacy loss decays too slowly")

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self._t.size

    def serves(self, tau: Floats) -> Booleans:
        """Which thresholds lie within reach, on the side of zero where this line keeps the profile's digits."""
        near: Booleans = np.abs(tau - self.tilt.mean) <= REACH * self.deviation
        if self.tilt.at > 1:
            return near & (tau >= 0)
        return near & (tau < 0) if self.tilt.at < 0 else near

    def read(self, tau: Floats) -> Readings:
        """The four integrals at thresholds that the line serves."""
        tilt = self.tilt
        values = self._sums(tau - tilt.mean)
        if self._near:
            values[:3] -= self._pole_images(tau)
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

    def _pole_images(self, tau: Floats) -> Floats:
        """The images of the near poles in the rows of the FPR, the FNR and the profile."""
        at, period = self.tilt.at, self._period
        images = np.zeros((3, tau.size))
        for pole in self._near:
            distance = at - pole
            decay = abs(distance) * period
            scale = math.copysign(-math.expm1(-decay), distance)
            np.exp(distance * tau - (self.tilt.value + decay), out=images[int(pole)])
            images[int(pole)] /= scale
        if len(self._near) < 2 or 0 <= at <= 1:
            np.subtract(images[1], images[0], out=images[2])
            return images
        # Poles that are close together have nearly the same images; only the difference of these counts here.
        if at > 1:
            nearer, decay, ahead = images[1], (at - 1) * period, period - tau
        else:
            nearer, decay, ahead = -images[0], -at * period, period + tau
        share = math.expm1(-decay) * np.expm1(-ahead) - math.exp(-decay) * math.expm1(-period)
        np.multiply(nearer, share / -math.expm1(-decay - period), out=images[2])
        return images

    def _sums(self, offset: Floats) -> Floats:
        """Real parts of the trapezoid sums of the kernels, for thresholds this far from the mean."""
        if self._t.size < _BLOCKS_FROM:
            angle = np.multiply.outer(self._t, offset)
            return product(self._parts, np.concatenate((np.cos(angle), np.sin(angle))))
        # Each frequency is a coarse one plus a fine one, so few exponentials are needed.
        table, coarse, fine = self._blocks
        inner = np.exp(np.multiply.outer(-1j * self._t[:fine], offset))
        outer = np.exp(np.multiply.outer(-1j * self._t[::fine], offset))
        sums = complex_product(table, inner).reshape(-1, coarse, offset.size)
        sums *= outer
        values: Floats = sums.sum(axis=1).real
        return values

    @cached_property
    def _blocks(self) -> tuple[Complexes, int, int]:
        """The coefficients by kernels and coarse frequencies (rows) and fine frequencies (columns)."""
        size = self._t.size
        fine = math.isqrt(size) + 1
        coarse = -(-size // fine)
        table = np.zeros((self._parts.shape[0], coarse * fine), np.complex128)
        table[:, :size] = self._parts[:, :size] + 1j * self._parts[:, size:]
        return table.reshape(-1, fine), coarse, fine

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

    def _scan(self, cumulants: LossCumulants, affordable: float) -> tuple[float, float]:
        """Where the characteristic function has died out, and where it surely has.

        Both are infinite if that is not affordable. It may seem not to die out because the grid of the outputs is too
        coarse for so high a frequency.
        """
        scan = np.divide(_SCAN, self.deviation)
        before, decay_before = 0.0, 0.0
        while scan[0] < affordable:
            decay = -cumulants.log_ratio(self.tilt, scan).real
            dead = decay > _EXPONENT
            gone = np.flatnonzero(dead[:-2] & dead[1:-1] & dead[2:])
            if gone.size and scan[gone[0]] < affordable:
                first = int(gone[0])
                if first > 0:
                    before, decay_before = float(scan[first - 1]), float(decay[first - 1])
                sure = float(scan[first])
                share = (_EXPONENT - decay_before) / (float(decay[first]) - decay_before)
                here = before + max(share, 0.0) * (sure - before)
                return min(_PAST * here, affordable * (1 - 1e-12)), sure
            before, decay_before = float(scan[-3]), float(decay[-3])
            scan = scan[-2] * _SCAN / _SCAN[0]
        return math.inf, math.inf

    def _evaluate(
        self, cumulants: LossCumulants, refinement: int, *, few: bool, anyway: bool
    ) -> tuple[Complexes, float, bool]:
        """The logarithm of the integrand at the nodes; its error; whether it has died out.

        If it has not, its error is not computed, unless it is wanted anyway.

        The error is the change of the integrand when the grid of the outputs moves by half its spacing: twice the error
        of the grid, since the trapezoid rule errs the other way on the moved one. All nodes are compared, since too
        coarse a grid may err at any of them.
        """
        t, tilt = self._t, self.tilt
        far = t[-1] * _BEYOND
        if few:
            together = cumulants.log_ratio(tilt, np.concatenate((t, far)))
            log_ratio, beyond = together[: t.size], together[t.size :]
        else:
            log_ratio, beyond = cumulants.log_ratio(tilt, t), cumulants.log_ratio(tilt, far)
        dead = max(float(log_ratio.real[-1]), float(beyond.real.max())) < -_EXPONENT
        if not tilt.grids or not (dead or anyway):
            return log_ratio, 0.0, dead
        moved = cumulants.tilt(tilt.at, refinement, moved=True)
        change = cumulants.log_ratio(moved, t) - log_ratio
        change += (moved.value - tilt.value) + 1j * (moved.mean - tilt.mean) * t
        weighted = np.abs(np.exp(log_ratio) * np.expm1(change))
        return log_ratio, max(float(weighted.max()), abs(moved.value - tilt.value)), dead

    def _weigh(self, t: Floats, log_ratio: Complexes) -> Complexes:
        """Rows of trapezoid coefficients, one for each kernel."""
        at = self.tilt.at
        weighted = np.exp(log_ratio) * (2 / self._period)
        weighted[0] *= 0.5
        to_zero, to_one = 1 / (at + 1j * t), 1 / (at - 1 + 1j * t)
        return np.stack((weighted * to_zero, weighted * to_one, weighted * to_zero * to_one, weighted))


def _refinement_for(t: float, grid: TiltedGrid, bearable: float) -> int:
    """How much finer than this an unrefined grid of the outputs will have to be for the frequency t: a guess.

    What counts is by how many turns e^(itL) advances from one output to the next, where these have weight.
    """
    bearable *= 2 * math.pi
    if t * float(grid.centred[-1] - grid.centred[-2]) <= bearable:
        return 0
    last = max(1, int(np.flatnonzero(grid.weights > _WEIGHTY * grid.weights.max())[-1]))
    turns = t * float(grid.centred[last] - grid.centred[last - 1]) / bearable
    return min(math.ceil(FINENESS * math.log2(turns)), _MAX_GUESS) if turns > 1 else 0
