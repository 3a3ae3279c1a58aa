"""Tails of a loss that vertical lines do not reach, off contours that bend."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.accounting._bent import BentContour
from gaussdp.accounting._line import Readings
from gaussdp.accounting._rotated_law import RotatedLaw
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

Booleans = npt.NDArray[np.bool_]
Accuracy = Callable[[float, Floats, Readings], Booleans]

_COMPLEMENT = 1e-5
_CAUTION = 30.0  # on estimated errors: of random readings of two steps the worst was 15 times its estimate
_CLIFF = 5.0  # change of the slope from one tilt of the table to the next that only far outputs can cause
_LOW_OUTPUTS = -25.0  # standard deviations
_SIDES = {0: np.linspace(-14.0, 14.0, 141), -1: np.linspace(-12.0, 26.0, 381)}


@dataclass(frozen=True, slots=True)
class Saddle:
    """Where the integrand of the profile is least on the axis, and its width there."""

    at: float
    scale: float


class SaddleTable:
    """log-transforms at many real tilts: between the poles (side 0) or below both (side -1)."""

    def __init__(self, law: RotatedLaw, side: int) -> None:
        self._side = side
        self._y = _SIDES[side]
        self._at = _tilts(side, self._y)
        low, high = law.support(1.0)
        with np.errstate(all="ignore"):
            self._values = law.on_axis(self._at, (low + _LOW_OUTPUTS if side < 0 else low, high))
        self._log_kernel = np.log(np.abs(self._at)) + np.log(np.abs(self._at - 1))

    def find(self, tau: float) -> Saddle:
        """The saddle point at a threshold, or ConvergenceError if the table does not hold it."""
        height = self._values - self._at * tau - self._log_kernel
        height = np.where(np.isnan(height), np.inf, height)
        best = int(np.argmin(height))
        if 0 < best < height.size - 1 and np.isfinite(height[best - 1 : best + 2]).all():
            left, middle, right = height[best - 1 : best + 2]
            bend = left - 2 * middle + right
            if 0 < bend < _CLIFF:
                shift = min(max(0.5 * (left - right) / bend, -1.0), 1.0)
                step = self._y[1] - self._y[0]
                at = float(_tilts(self._side, self._y[best : best + 1] + shift * step)[0])
                derivative = abs(at * (1 - at)) if self._side == 0 else abs(at)
                return Saddle(at, derivative * step / math.sqrt(bend))
        raise ConvergenceError(f"no tilt of the privacy loss has mean {tau:g}")


@dataclass(frozen=True, slots=True)
class _Reader:
    side: int
    contour: BentContour

    def read(self, tau: Floats) -> Readings:
        log_scale, values, errors = self.contour.read(tau)
        return Readings(log_scale, values, _CAUTION * errors, np.zeros((3, tau.size)))


class BentTails:
    """Bent contours, which are made when first needed and kept."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self._law = RotatedLaw(squared_mu, steps)
        self._tables: dict[int, SaddleTable] = {}
        self._readers: list[_Reader] = []

    def integrals(self, tau: Floats, accurate: Accuracy) -> tuple[Floats, Booleans]:
        """Rows at, log scale, the integrals and their errors, for each threshold; and where these are accurate."""
        table, done = np.empty((9, tau.size)), np.zeros(tau.size, np.bool_)
        for reader in self._readers:
            self._fill(reader, tau, table, done, accurate)
        for index in range(tau.size):
            for side in (-1, 0):
                if done[index]:
                    break
                try:
                    with np.errstate(all="ignore"):
                        self._fill(self._make(side, float(tau[index])), tau, table, done, accurate)
                except ConvergenceError:
                    continue
            if not done[index]:
                break
        return table, done

    def _make(self, side: int, tau: float) -> _Reader:
        if side not in self._tables:
            self._tables[side] = SaddleTable(self._law, side)
        saddle = self._tables[side].find(tau)
        reader = _Reader(side, BentContour(self._law, tau, saddle.at, saddle.scale))
        self._readers.append(reader)
        return reader

    def _fill(self, reader: _Reader, tau: Floats, table: Floats, done: Booleans, accurate: Accuracy) -> None:
        """Read the thresholds that are still open off a contour."""
        chosen = np.flatnonzero(~done)
        if reader.side == -1 and (tau[chosen] >= 0).any():
            above = chosen[tau[chosen] >= 0]
            self._accept(2.0, above, _across_poles(tau[above], reader.read(tau[above])), tau, table, done, accurate)
            chosen = chosen[tau[chosen] < 0]
        if chosen.size:
            at = 0.5 if reader.side == 0 else -1.0
            self._accept(at, chosen, reader.read(tau[chosen]), tau, table, done, accurate)

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


def _across_poles(tau: Floats, readings: Readings) -> Readings:
    """The integrals to the right of both poles from those to the left, for thresholds of at least zero."""
    scale = np.exp(readings.log_scale)
    residues = np.stack((np.ones_like(tau), np.exp(-tau), np.expm1(-tau), np.zeros_like(tau)))
    values = readings.values * scale + residues
    errors = readings.errors * scale + 2e-16 * np.abs(residues)
    return Readings(np.zeros_like(tau), values, errors, readings.lost)


def _tilts(side: int, y: Floats) -> Floats:
    tilts: Floats = special.expit(y) if side == 0 else -np.exp(y)
    return tilts
