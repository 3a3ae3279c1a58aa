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
from typing import NamedTuple

import numpy as np

from gaussdp.accounting.lines.grids import SETTINGS as GRIDS
from gaussdp.accounting.lines.grids import finer_by, grid_errors, refinement_for
from gaussdp.accounting.lines.images import LARGEST as LARGEST_IMAGES
from gaussdp.accounting.lines.images import SETTINGS as IMAGES
from gaussdp.accounting.lines.images import place_images
from gaussdp.accounting.lines.interpreting import KERNELS, interpret, signs
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.outputs import FINENESS
from gaussdp.accounting.loss.sums import exponential, turned
from gaussdp.accounting.operating_points import OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import LARGEST_EXPONENT, TINY, Complexes, Floats


@dataclass(frozen=True)
class LineSettings:
    """What is tuned about one line."""

    reach: float = 3.5
    """Thresholds served, in deviations of the tilted law from its mean: values there are e^-6 of the scale."""
    max_nodes: int = 1 << 15
    max_work: int = 1 << 23  # nodes of the line times nodes of the outputs: past that, a density is no slower
    scan: tuple[float, ...] = tuple(6.25 * 1.25**k for k in range(10))
    """Where the decay is looked for first, in inverse deviations; a normal law has died out at 8.8."""
    normal_reach: float = 9.8
    """Where the characteristic function of a nearly normal law has died out, in inverse deviations, without a look."""
    nearly_normal: float = 0.2  # squared skewness up to which a law dies out like a normal one, somewhat later
    longer: float = 5.5  # ... by this much for each unit of squared skewness
    past: float = 1.15
    """How far past the point where it dies out the nodes go, so that the last of them no longer matter."""
    beyond: tuple[float, ...] = (1.25, 1.6, 2.0, 2.5, 3.0, 3.5)
    """Of the last node: there too it must have died out. Losses of which about half the outputs are large lie on a kind
    of lattice, and their transform comes back at 12 inverse deviations and more, as wide as it was."""
    stays: int = 7  # points of the scan, 3.8 times the first, or all that are left, at which it has died out
    same_value: float = 1e-9  # change of K by a finer grid that leaves the distance between images as it was
    few: int = 3000  # Angles (nodes times outputs) up to which a finer grid costs little
    together: int = 12_000  # ... and up to which a few more beyond the last node are evaluated with the others
    finer_if_few: int = FINENESS // 2  # ... which is then made so much finer than need be, rather than made twice
    max_refinement: int = 7 * FINENESS
    blocks_from: int = (
        160  # nodes from which on products of coarse and fine waves are quicker than the waves themselves
    )
    step_rounding: float = 5e-17  # of a transform, for each square root of the number of steps
    no_better: float = 0.5  # factor on the error that a finer grid brings at the least, if it is the grid's
    grid_tolerance: float = 2e-13
    fine_grid_tolerance: float = 2e-14
    """Errors of the grid of outputs; the second where a finer grid costs little, since then the line serves farther."""
    rounding: float = 1e-15  # of a sum, relative to the sum of the sizes of its terms
    exponent_rounding: float = 8e-16  # of an exponent, relative: twice what a survey has seen
    far_below: float = 50.0  # -log of a share of the scale of a line that is far below its rounding
    most_lost: float = 1e-12  # share of a tail that the cutoff of the outputs may leave out
    finer: int = 2 * FINENESS  # grid with which a transform is compared to bound its error
    farther: float = 2.0  # frequency, in last ones, up to which nodes left out are summed to bound what they add
    same_moments: float = 0.5  # relative error of moments up to which they bound images by twice as much, ...
    hardly_larger: float = 0.25  # ... if these are larger by this logarithm at the most


SETTINGS = LineSettings()
_SCAN, _BEYOND = np.array(SETTINGS.scan), np.array(SETTINGS.beyond)


class CoarseScheduleError(ConvergenceError):
    """A line that steps which stand for others do not give, and others may."""


class _Claims(NamedTuple):
    """Errors of integrals on the scale of a line: of each kernel, whatever the threshold, and relative ones."""

    fixed: Floats
    relative: float


class Line:
    """The integrand along Re(theta) = c, ready to be summed for any threshold near K'(c)."""

    tilt: Tilt
    deviation: float

    def __init__(self, cumulants: LossCumulants, tilt: Tilt) -> None:
        if not all(grid.clean for grid in tilt.grids):
            raise ConvergenceError("the tilt gives weight to outputs beyond the cutoff")
        if not 0 < tilt.variance**3 < math.inf:
            raise ConvergenceError("the tilted law is too narrow or too wide for its cumulants to be doubles")
        self._cumulants = cumulants
        self._farthest = SETTINGS.reach * tilt.deviation
        log_ratio, grid_error, scale_error = self._settle(cumulants, tilt)
        t, tilt = self._t, self.tilt
        coefficients = self._weigh(t, log_ratio)
        self._parts = np.concatenate((coefficients.real, coefficients.imag), axis=1)
        sizes = np.abs(coefficients[:KERNELS])
        # The tail beyond the last node falls off at least as fast as the nodes before it.
        cut = t.size * sizes[:, -max(1, t.size // 8) :].max(axis=1)
        fixed_error = (grid_error + SETTINGS.rounding) * sizes.sum(axis=1) + cut + LARGEST_IMAGES
        fixed_error[2] -= LARGEST_IMAGES * (1 - self._placed.profile_share)
        self._signs = signs(tilt.at)
        self._log_lost = [math.log(share) if share > 0 else -math.inf for share in cumulants.lost]
        self._far_from_lost = self._distance_from_lost()
        exponents = abs(tilt.value) + abs(tilt.at * tilt.mean)
        self._rounding = SETTINGS.exponent_rounding * exponents + cumulants.rounding(tilt)
        self._claims = _Claims(fixed_error[:, np.newaxis], self._rounding + scale_error)

    def _distance_from_lost(self) -> float:
        """Distance of thresholds from the mean up to which what the cutoff leaves out is far below rounding."""
        tilt, (under_q, under_p) = self.tilt, self._log_lost
        if tilt.at <= 0 or under_p == -math.inf:
            return math.inf
        room = tilt.value - tilt.at * tilt.mean - SETTINGS.far_below
        steep = max(abs(tilt.at - 1), TINY)
        return min((room - under_q) / tilt.at, (room - under_p + tilt.mean) / steep)

    def _settle(self, cumulants: LossCumulants, tilt: Tilt) -> tuple[Complexes, float, float]:
        """Choose the distance of the images, the nodes and the grid of the outputs.

        Returns the logarithm of the integrand at the nodes and the errors that the grid leaves in it and in its scale.
        """
        refinement = 0
        reach = sure = math.inf
        squared_skewness = tilt.third**2 / tilt.variance**3
        if squared_skewness < SETTINGS.nearly_normal:
            reach = SETTINGS.normal_reach * (1 + SETTINGS.longer * squared_skewness) / tilt.deviation
        placed = worst = math.inf
        while refinement <= SETTINGS.max_refinement:
            self.tilt, self.deviation = tilt, tilt.deviation
            if abs(tilt.value - placed) > SETTINGS.same_value:
                self._placed = place_images(cumulants, tilt, self._farthest)
                placed = tilt.value
            step = 2 * math.pi / self._placed.period
            outputs = max((grid.centred.size for grid in tilt.grids), default=1)
            affordable = min(SETTINGS.max_nodes, SETTINGS.max_work // outputs) * step
            if reach >= affordable:
                reach, sure = self._scan(cumulants, affordable)
            if reach == math.inf:
                # A grid too coarse to see any decay is refined twice at once.
                refinement = min(refinement + 2 * FINENESS, max(refinement + FINENESS, SETTINGS.max_refinement))
                tilt = cumulants.tilt(tilt.at, refinement)
                continue
            size = math.ceil(reach / step) + 1
            few = size * outputs <= SETTINGS.few
            if refinement == 0:
                refinement = refinement_for(reach, tilt, cheap=few)
                if refinement > 0:
                    refinement += few * SETTINGS.finer_if_few
                    tilt = cumulants.tilt(tilt.at, refinement)
                    continue
            self._t: Floats = step * np.arange(size, dtype=np.float64)
            tolerance = SETTINGS.grid_tolerance
            if few and refinement < GRIDS.max_guess:
                tolerance = SETTINGS.fine_grid_tolerance
            if few and worst == math.inf:
                tolerance += SETTINGS.step_rounding * math.sqrt(sum(tilt.counts))
            else:
                tolerance += 1e-15 * abs(tilt.value) + 4 * cumulants.rounding(tilt)
            log_ratio, dead = self._evaluate(cumulants, few=few)
            if not dead and reach != sure:
                reach = sure
                continue
            grid_error, scale_error = grid_errors(cumulants, tilt, refinement, self._t, log_ratio)
            if grid_error <= tolerance:
                self._refinement = refinement
                return log_ratio, grid_error, scale_error
            if cumulants.shortened and grid_error > SETTINGS.no_better * worst:
                raise CoarseScheduleError("the steps that stand for others are too few")
            worst = grid_error
            refinement += finer_by(grid_error, tolerance)
            tilt = cumulants.tilt(tilt.at, refinement)
        raise ConvergenceError("the characteristic function of the privacy loss decays too slowly")

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self._t.size

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at thresholds within reach of K'(c), with infinite errors where they are known to be wrong.

        A line with c > 1 is for thresholds from zero on, one with c < 0 for those below zero, which keeps the digits of
        the profile.
        """
        return self._read(tau, self._claims)

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what is read, up to rounding; infinite where there is none."""
        with np.errstate(all="ignore"):
            bounded = self._bounded_claims
            return np.full(tau.size, np.inf) if bounded is None else self._read(tau, bounded).errors

    def _read(self, tau: Floats, known: _Claims) -> OperatingPoints:
        tilt = self.tilt
        log_scale, values, errors = self._integrals(tau, known)
        wrong = (values[:KERNELS] * self._signs <= 0).any(axis=0)
        # What the cutoff leaves out is missing from upper tails; of lower tails it is a negligible share.
        if self._far_from_lost < math.inf and (near := np.abs(tau - tilt.mean) > self._far_from_lost).any():
            # As much as the scale of the line is too much, however much more it is.
            under_q = np.where(near, np.exp(np.minimum(self._log_lost[0] - log_scale, 0.0)), 0.0)
            under_p = np.where(near, np.exp(np.minimum(self._log_lost[1] - log_scale - tau, 0.0)), 0.0)
            sizes = SETTINGS.most_lost * np.abs(values)
            wrong |= (under_q > sizes[0]) | (
                under_p > np.minimum(sizes[1], self._profile_sizes(tau, values, log_scale))
            )
            errors += np.array((under_q, under_p, under_p))
        points = interpret(tilt.at, tau, log_scale, values, errors)
        points.errors[wrong] = np.inf
        return points

    def _integrals(self, tau: Floats, known: _Claims) -> tuple[Floats, Floats, Floats]:
        tilt = self.tilt
        values = self._sums(tau - tilt.mean)
        errors = np.zeros((KERNELS, tau.size))
        if self._placed.poles:
            # On the scale of the line, e^K, the images have the relative error of K as the values have.
            images = self._placed.of_poles(tau)
            values[:KERNELS] -= images
            np.abs(images, out=errors)
        errors += np.abs(values[:KERNELS])
        errors *= known.relative
        errors += known.fixed
        return tilt.value - tilt.at * tau, values, errors

    def _profile_sizes(self, tau: Floats, values: Floats, log_scale: Floats) -> Floats:
        """What the cutoff may take from the profile; between the poles the third integral is 1 - delta."""
        sizes = np.abs(values[2])
        if 0 <= self.tilt.at <= 1:
            whole = np.exp(np.minimum(-log_scale - np.maximum(tau, 0.0), LARGEST_EXPONENT))
            sizes = np.minimum(sizes, whole - sizes)
        allowed: Floats = SETTINGS.most_lost * sizes
        return allowed

    def _sums(self, offset: Floats) -> Floats:
        """Real parts of the trapezoid sums of the kernels, for thresholds this far from the mean.

        Each threshold has rows of its own that einsum adds up in one order, whatever other thresholds are asked for; a
        product of matrices would add in an order that depends on how many there are.
        """
        size = self._t.size
        if size < SETTINGS.blocks_from:
            angle = np.multiply.outer(offset, self._t)
            waves = np.empty((offset.size, 2 * size))
            waves[:, :size], waves[:, size:] = turned(angle)
            waves[:, :size] += 1
            plain: Floats = np.einsum("mk,jk->jm", waves, self._parts)
            return plain
        # Each frequency is a coarse one plus a fine one, so few exponentials are needed.
        table, coarse, fine = self._blocks
        inner, outer = (_waves(np.multiply.outer(-offset, t)) for t in (self._t[:fine], self._t[::fine]))
        sums = np.einsum("mk,jk->mj", inner, table).reshape(offset.size, -1, coarse)
        sums *= outer[:, np.newaxis, :]
        values: Floats = np.ascontiguousarray(sums.sum(axis=2).real.T)
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

    def _scan(self, cumulants: LossCumulants, affordable: float) -> tuple[float, float]:
        """Where the characteristic function has died out, and where it surely has.

        Both are infinite if that is not affordable. It may seem not to die out because the grid of the outputs is too
        coarse for so high a frequency.
        """
        scan = np.divide(_SCAN, self.deviation)
        before, decay_before = 0.0, 0.0
        while scan[0] < affordable:
            decay = -cumulants.log_ratio(self.tilt, scan).real
            dead = decay > IMAGES.exponent
            first = next((i for i in range(scan.size - 2) if dead[i : i + SETTINGS.stays].all()), None)
            if first is not None and scan[first] < affordable:
                if first > 0:
                    before, decay_before = float(scan[first - 1]), float(decay[first - 1])
                sure = float(scan[first])
                share = (IMAGES.exponent - decay_before) / (float(decay[first]) - decay_before)
                here = before + max(share, 0.0) * (sure - before)
                return min(SETTINGS.past * here, affordable * (1 - 1e-12)), sure
            before, decay_before = float(scan[-3]), float(decay[-3])
            scan = scan[-2] * _SCAN / _SCAN[0]
        return math.inf, math.inf

    def _evaluate(self, cumulants: LossCumulants, *, few: bool) -> tuple[Complexes, bool]:
        """The logarithm of the integrand at the nodes, and whether it has died out."""
        t, tilt = self._t, self.tilt
        far = t[-1] * _BEYOND
        if few or t.size * max((grid.centred.size for grid in tilt.grids), default=1) <= SETTINGS.together:
            together = cumulants.log_ratio(tilt, np.concatenate((t, far)))
            log_ratio, beyond = together[: t.size], together[t.size :]
        else:
            log_ratio, beyond = cumulants.log_ratio(tilt, t), cumulants.log_ratio(tilt, far)
        return log_ratio, max(float(log_ratio.real[-1]), float(beyond.real.max())) < -IMAGES.exponent

    @cached_property
    def _bounded_claims(self) -> _Claims | None:
        """The errors of the three integrals with nothing judged by how it falls off, if bounds are known.

        At each node the transform is compared with that of a finer grid, whose error is bounded; nodes that are left
        out are summed up to a frequency from which on the decay of the transform is bounded.
        """
        tilt, step, inside = self.tilt, 2 * math.pi / self._placed.period, self._t.size - 1
        finer = self._refinement + SETTINGS.finer
        try:
            bounds, fine = self._cumulants.bounds(tilt.at, finer), self._cumulants.tilt(tilt.at, finer)
            beside = [self._cumulants.bounds(at) for at in self._placed.beside]
            resolved = np.array([self._cumulants.tilt(at).value for at in self._placed.beside])
        except ConvergenceError:
            return None
        if not self._placed.too_large(resolved, self._farthest) < SETTINGS.hardly_larger:  # than by a coarse grid
            return None
        if bounds is None or not all(one and one.moment_error() < SETTINGS.same_moments for one in beside):
            return None
        t = step * np.arange(math.ceil(SETTINGS.farther * inside) + 1, dtype=np.float64)
        log_ratio = self._cumulants.log_ratio(fine, t)
        errors = bounds.grid_errors(t, log_ratio.real)
        modulus = np.exp(log_ratio.real)
        change = log_ratio - self._cumulants.log_ratio(tilt, t)
        change += 1j * (fine.mean - tilt.mean) * t
        errors[: inside + 1] += np.abs(-modulus * np.expm1(-change))[: inside + 1]
        from_, logs = bounds.decay(float(t[inside]))
        errors[inside + 1 :] = np.minimum(
            (errors + modulus)[inside + 1 :],
            np.exp(logs[np.searchsorted(from_, t[inside + 1 :], side="right") - 1]),
        )
        wrong = np.abs(self._weigh(t, np.zeros(t.size, np.complex128))[:KERNELS]) @ errors
        wrong += bounds.beyond(float(t[-1])) / math.pi * np.array([1.0, 1.0, 1 / t[-1]])
        parts = self._parts[:KERNELS]
        sizes = np.hypot(parts[:, : inside + 1], parts[:, inside + 1 :]).sum(axis=1)
        images = 2 * LARGEST_IMAGES * np.array([1.0, 1.0, self._placed.profile_share])
        total = wrong + (SETTINGS.rounding + errors[0]) * sizes + images
        if not np.isfinite(total).all():
            return None
        relative = self._rounding + abs(math.expm1(fine.value - tilt.value))
        return _Claims(np.maximum(total[:, np.newaxis], self._claims.fixed), max(relative, self._claims.relative))

    def _weigh(self, t: Floats, log_ratio: Complexes) -> Complexes:
        """Rows of trapezoid coefficients, one for each kernel."""
        at = self.tilt.at
        weighted = exponential(log_ratio) * (2 / self._placed.period)
        weighted[0] *= 0.5
        to_zero, to_one = 1 / (at + 1j * t), 1 / (at - 1 + 1j * t)
        coefficients = np.empty((KERNELS + 1, t.size), np.complex128)
        coefficients[0], coefficients[1], coefficients[3] = weighted * to_zero, weighted * to_one, weighted
        np.multiply(coefficients[0], to_one, out=coefficients[2])
        return coefficients


def _waves(angle: Floats) -> Complexes:
    waves = np.empty(angle.shape, np.complex128)
    waves.real, waves.imag = turned(angle)
    waves.real += 1
    return waves
