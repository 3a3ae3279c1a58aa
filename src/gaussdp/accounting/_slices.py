"""Tails of a loss that vertical lines do not reach, as sums over where the largest output lies."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.accounting._bent import BentContour
from gaussdp.accounting._line import Readings
from gaussdp.accounting._rotated import REAL
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.accounting._sublaws import RotatedLaw, Sublaw
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

Booleans = npt.NDArray[np.bool_]
Accuracy = Callable[[float, Floats, Readings], Booleans]

_COMPLEMENT = 1e-5
_MOST_CONTOURS = 5  # of one bundle: about a second
_SLICES_CAUTION = 30.0  # on the errors of sums of slices
_DEPTH = 260.0  # -log of the least tail that is asked for, and room for its digits
_CUT_STEP = 1.5  # between neighbouring cuts, in their widths
_COMMON = 3.0  # outputs beyond the first cut, on average
_CANCELLING = 3e4  # size of the terms over the value that the part below the first slice may have
_NEGLIGIBLE = 1e-15
_CLIFF = 5.0  # change of the slope from one tilt of the table to the next that only far outputs can cause
_LOW_OUTPUTS = -25.0  # standard deviations
_LARGEST = 690.0
_SIDES = {1: np.linspace(-12.0, 24.0, 361), 0: np.linspace(-14.0, 14.0, 141), -1: np.linspace(-12.0, 26.0, 381)}


@dataclass(frozen=True, slots=True)
class Saddle:
    """Where the integrand of the profile is least on the axis: place, log of its value there, width, transform."""

    at: float
    log_size: float
    scale: float
    value: float


class SaddleTable:
    """log-transforms of sub-laws at many real tilts on one side of the poles (1: above 1, 0: between, -1: below 0)."""

    def __init__(self, law: RotatedLaw, side: int, cuts: Floats) -> None:
        self._side = side
        self._y = _SIDES[side]
        self._at = _tilts(side, self._y)
        self.whole, self.slabs = self._transforms(law, cuts)
        self._log_kernel = np.log(np.abs(self._at)) + np.log(np.abs(self._at - 1))

    def find(self, values: Floats, tau: float) -> Saddle | None:
        """The saddle point of one column at a threshold; None if the table does not hold it."""
        height = values - self._at * tau - self._log_kernel
        height = np.where(np.isnan(height), np.inf, height)
        best = int(np.argmin(height))
        if not 0 < best < height.size - 1 or not np.isfinite(height[best - 1 : best + 2]).all():
            return None
        left, middle, right = height[best - 1 : best + 2]
        bend = left - 2 * middle + right
        if not 0 < bend < _CLIFF:
            return None
        shift = min(max(0.5 * (left - right) / bend, -1.0), 1.0)
        step = self._y[1] - self._y[0]
        at = float(_tilts(self._side, self._y[best : best + 1] + shift * step)[0])
        derivative = abs(at * (1 - at)) if self._side == 0 else abs(at - 1 if self._side == 1 else at)
        log_size = float(middle - 0.25 * (left - right) * shift)
        kernel = math.log(abs(at)) + math.log(abs(at - 1))
        return Saddle(at, log_size, derivative * step / math.sqrt(bend), log_size + at * tau + kernel)

    def _transforms(self, law: RotatedLaw, cuts: Floats) -> tuple[Floats, Floats]:
        """Columns for the laws below each cut, and for the slabs between neighbours."""
        at = self._at
        shape = (at.size, cuts.size)
        whole = np.tile((0.5 * law.squared_mu * (at * at - at))[:, np.newaxis], cuts.size)
        drop = np.zeros((at.size, cuts.size - 1))
        for step, count in law.steps:
            low = law.support(math.inf)[0] + (_LOW_OUTPUTS if self._side < 0 else 0.0)
            nodes = step.nodes(REAL, low, law.support(float(cuts[-1]))[1])
            g, losses, weights = nodes.outputs.real, nodes.losses.real, nodes.weights.real
            exponent = np.multiply.outer(at, losses)
            with np.errstate(over="ignore", invalid="ignore"):
                heights = exponent + nodes.log_weights.real
                too_high = heights > _LARGEST
                first_too_high = np.where(too_high.any(axis=1), g[np.argmax(too_high, axis=1)], np.inf)
                terms = np.exp(np.minimum(heights, _LARGEST))
                changes = terms - weights
                small = np.abs(exponent) < 0.5
                np.copyto(changes, np.expm1(np.where(small, exponent, 0.0)) * weights, where=small)
                changes -= np.multiply.outer(at, nodes.ratio_change.real * weights)
                kept = np.ones((g.size, cuts.size))
                for column, cut in enumerate(cuts):
                    if cut < math.inf:
                        kept[:, column] = special.ndtr((cut - g) / law.width)
                    end = law.support(cut)[1]
                    kept[g > end, column] = 0.0
                    whole[first_too_high <= end, column] = np.inf
                change = changes @ kept
                change += np.stack([step.cut_change(at.astype(np.complex128), float(cut)).real for cut in cuts], axis=1)
                whole += count * np.log1p(change)
                if cuts.size > 1:
                    between = terms @ np.maximum(np.diff(kept, axis=1), 0.0)
                    drop += count * np.log1p(-np.minimum(between / (1 + change[:, 1:]), 1.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            slabs = whole[:, 1:] + np.log(-np.expm1(drop))
        return whole.reshape(shape), slabs


class Bundle:
    """Contours of the sub-laws that matter at one threshold, and bounds on the others."""

    def __init__(
        self, side: int, tau: float, contours: list[BentContour], bounds: list[Saddle], lost: tuple[float, float]
    ) -> None:
        self.side, self.tau = side, tau
        self._contours, self._bounds, self._lost = contours, bounds, lost

    def read(self, tau: Floats) -> Readings:
        """The sums of the integrals of all contours, on the scale of the largest."""
        found = [contour.read(tau) for contour in self._contours]
        log_scale = np.max([scale for scale, _, _ in found], axis=0)
        values, errors = np.zeros((4, tau.size)), np.zeros((4, tau.size))
        for scale, part, error in found:
            share = np.exp(scale - log_scale)
            values += part * share
            errors += error * share
        if len(found) > 1:
            errors *= _SLICES_CAUTION
        for saddle in self._bounds:
            # Chernoff: a tail is below its transform at any tilt, and so is the profile.
            errors += np.exp(np.minimum(saddle.value - saddle.at * tau - log_scale, _LARGEST))
        lost = np.zeros((3, tau.size))
        if self.side == 1:
            lost[0] = self._lost[0] * np.exp(np.minimum(-log_scale, _LARGEST))
            lost[1:] = self._lost[1] * np.exp(np.minimum(-log_scale - tau, _LARGEST))
        return Readings(log_scale, values, errors, lost)


class SlicedTails:
    """Bundles of contours, which are made when first needed and kept."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self.law = RotatedLaw(squared_mu, steps)
        self._tables: dict[int, SaddleTable] = {}
        self.bundles: list[Bundle] = []
        first = float(special.ndtri(1 - min(0.5, _COMMON / self.law.count)))
        last = self.law.signal + math.sqrt(2 * (_DEPTH + math.log(self.law.count)))
        self.cuts: Floats = np.arange(first, last + self.law.width, _CUT_STEP * self.law.width)

    def integrals(self, tau: Floats, accurate: Accuracy) -> tuple[Floats, Booleans]:
        """Rows at, log scale, the integrals and their errors, for each threshold; and where these are accurate."""
        table, done = np.empty((9, tau.size)), np.zeros(tau.size, np.bool_)
        for bundle in self.bundles:
            self._fill(bundle, tau, table, done, accurate)
        for index in range(tau.size):
            for side in (-1, 1, 0) if tau[index] >= 0 else (-1, 0):
                if done[index]:
                    break
                try:
                    with np.errstate(all="ignore"):
                        bundle = self.make(side, float(tau[index]))
                        self._fill(bundle, tau, table, done, accurate)
                except ConvergenceError:
                    continue
            if not done[index]:
                break
        return table, done

    def _fill(self, bundle: Bundle, tau: Floats, table: Floats, done: Booleans, accurate: Accuracy) -> None:
        """Read the thresholds that are still open off a bundle."""
        chosen = np.flatnonzero(~done & (tau >= 0) if bundle.side == 1 else ~done)
        if chosen.size == 0:
            return
        if bundle.side == -1 and (tau[chosen] >= 0).any():
            above = chosen[tau[chosen] >= 0]
            self._accept(2.0, above, _across_poles(tau[above], bundle.read(tau[above])), tau, table, done, accurate)
            chosen = chosen[tau[chosen] < 0]
            if chosen.size == 0:
                return
        at = {1: 2.0, 0: 0.5, -1: -1.0}[bundle.side]
        self._accept(at, chosen, bundle.read(tau[chosen]), tau, table, done, accurate)

    @staticmethod
    def _accept(
        at: float,
        chosen: npt.NDArray[np.intp],
        readings: Readings,
        tau: Floats,
        table: Floats,
        done: Booleans,
        accurate: Accuracy,
    ) -> None:
        """Enter the accurate readings into the table."""
        with np.errstate(all="ignore"):
            good = accurate(at, tau[chosen], readings)
            # A rate next to 1 says little about its complement, unless that is what the other side is for.
            largest = np.maximum(
                readings.log_scale + np.log(np.abs(readings.values[0])),
                readings.log_scale + np.log(np.abs(readings.values[1])) + tau[chosen],
            )
        if not 0 < at < 1:
            good &= largest < math.log1p(-_COMPLEMENT)
        chosen = chosen[good]
        table[0, chosen], table[1, chosen] = at, readings.log_scale[good]
        table[2:6, chosen], table[6:, chosen] = readings.values[:, good], readings.errors[:3, good]
        done[chosen] = True

    def make(self, side: int, tau: float) -> Bundle:
        """Contours that serve this threshold."""
        bundle = self._upper(tau) if side == 1 else self._single(side, tau)
        self.bundles.append(bundle)
        return bundle

    def _table(self, side: int) -> SaddleTable:
        if side not in self._tables:
            self._tables[side] = SaddleTable(self.law, side, self.cuts if side == 1 else np.array([math.inf]))
        return self._tables[side]

    def _single(self, side: int, tau: float) -> Bundle:
        table = self._table(side)
        saddle = table.find(table.whole[:, 0], tau)
        if saddle is None:
            raise ConvergenceError(f"no tilt of the privacy loss has mean {tau:g}")
        sublaw = Sublaw(self.law, math.inf, -math.inf, self.law.support(math.inf, saddle.at))
        return Bundle(side, tau, [BentContour(sublaw, tau, saddle.at, saddle.scale)], [], (0.0, 0.0))

    def _upper(self, tau: float) -> Bundle:
        table, cuts = self._table(1), self.cuts
        wholes = [table.find(table.whole[:, k], tau) for k in range(cuts.size)]
        slabs = [table.find(table.slabs[:, k], tau) for k in range(cuts.size - 1)]
        sizes = np.array([_log_integral(saddle) for saddle in slabs])
        total = float(np.logaddexp(np.logaddexp.reduce(sizes), _log_integral(wholes[0])))
        if not math.isfinite(total):
            raise ConvergenceError(f"no tilt of the privacy loss has mean {tau:g}")
        most = total + math.log(_CANCELLING)
        bearable = [k for k, saddle in enumerate(wholes) if saddle and _log_integral(saddle) <= most]
        # Cuts beyond all that matters would only widen the range of outputs.
        mattering = np.flatnonzero(sizes >= total + math.log(_NEGLIGIBLE))
        last = int(mattering[-1]) + 1 if mattering.size else 0
        base = max((k for k in bearable if k <= last), default=0)
        contours: list[BentContour] = []
        bounds: list[Saddle] = []

        def add(saddle: Saddle | None, cut: float, inner: float) -> None:
            if saddle is None:
                return
            if _log_integral(saddle) < total + math.log(_NEGLIGIBLE):
                bounds.append(saddle)
                return
            sublaw = Sublaw(self.law, cut, inner, self.law.support(cut))
            try:
                contours.append(BentContour(sublaw, tau, saddle.at, saddle.scale))
            except ConvergenceError:
                bounds.append(saddle)

        if np.count_nonzero(mattering >= base) >= _MOST_CONTOURS:
            raise ConvergenceError(f"too many slices matter to the tails of the privacy loss at threshold {tau:g}")
        add(wholes[base], float(cuts[base]), -math.inf)
        for k in range(base, cuts.size - 1):
            add(slabs[k], float(cuts[k + 1]), float(cuts[k]))
        if not contours:
            raise ConvergenceError(f"no contour reaches the tails of the privacy loss at threshold {tau:g}")
        return Bundle(1, tau, contours, bounds, self.law.lost(float(cuts[-1])))


def _across_poles(tau: Floats, readings: Readings) -> Readings:
    """The integrals to the right of both poles from those to the left, for thresholds of at least zero."""
    scale = np.exp(readings.log_scale)
    residues = np.stack((np.ones_like(tau), np.exp(-tau), np.expm1(-tau), np.zeros_like(tau)))
    values = readings.values * scale + residues
    errors = readings.errors * scale + 2e-16 * np.abs(residues)
    return Readings(np.zeros_like(tau), values, errors, readings.lost)


def _log_integral(saddle: Saddle | None) -> float:
    """About the logarithm of an integral, from its saddle point."""
    return -math.inf if saddle is None else saddle.log_size + math.log(saddle.scale)


def _tilts(side: int, y: Floats) -> Floats:
    if side == 0:
        tilts: Floats = special.expit(y)
        return tilts
    return 1 + np.exp(y) if side == 1 else -np.exp(y)
