r"""Cumulants of the composed privacy loss.

.. math:: K(\theta) = \sum_i n_i \log E_Q[e^{\theta L_i}], \qquad K(0) = K(1) = 0.

Plain Gaussian releases enter in closed form, :math:`(\theta^2 - \theta)\,\mu^2/2`; sampled ones through their grids.

A few moments bound the profile of adding a record, mostly far below that of removing one. With the loss L of removal,
adding a record has :math:`\delta(\varepsilon) = E_Q[(1 - e^{\varepsilon + L})_+]`, and for :math:`u = -\varepsilon - L`
and s > 0

.. math:: (1 - e^{-u})_+ \le \frac{1}{s + 1}\Bigl(\frac{s}{s + 1}\Bigr)^s e^{su}, \qquad
          \log \delta(\varepsilon) \le K(-s) - s\varepsilon + s \log\frac{s}{s + 1} - \log(s + 1)

as :math:`e^{-su} - e^{-(s+1)u}` is largest at :math:`u = \log(1 + 1/s)` (Canonne, Kamath & Steinke 2020, Proposition
12, for the pair of the other order). Where that is below the profile of removal, adding need not be computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.loss.bounds import SETTINGS as BOUNDS
from gaussdp.accounting.loss.bounds import LossBounds
from gaussdp.accounting.loss.rotated import RotatedLoss, RotatedStep
from gaussdp.accounting.loss.schedules import Counted
from gaussdp.accounting.loss.steps import SampledGaussianLoss, TiltedGrid
from gaussdp.accounting.loss.sums import product, scratch, turned, weighted_rows
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import TINY, Booleans, Complexes, Floats


@dataclass(frozen=True)
class CumulantSettings:
    """What is tuned about sums over the outputs."""

    table_from: int = 12_000
    """Angles (frequencies times outputs) from which on a product of matrices is quicker than all their tangents."""
    block: int = 1 << 18  # elements of one temporary table: two megabytes, which stay in cache
    many: int = 30_000  # steps whose rounding errors add up to more than those of the sums along a line
    series_to: float = 0.5  # angle up to which the sine less the angle comes from its series
    saddle_steps: int = 200  # tilts tried on the way to a saddle point
    gentle: float = 0.9  # change of the variance over a Newton step, as a share, up to which an exponential models it
    saddle_tolerance: float = 0.2  # in standard deviations; a line need not pass exactly through its saddle point


SETTINGS = CumulantSettings()

_SERIES = [(2 * k) * (2 * k + 1) for k in range(1, 9)]  # the next term is below 1e-17 of the first


@dataclass(frozen=True, slots=True)
class Tilt:
    """The composed loss under the law tilted by e^(at L): log-normaliser, first cumulants, and the step grids."""

    at: float
    value: float
    mean: float
    variance: float
    third: float
    grids: tuple[TiltedGrid, ...]
    counts: tuple[float, ...]

    @property
    def deviation(self) -> float:
        """Standard deviation of the tilted loss."""
        return math.sqrt(self.variance)


class LossCumulants:
    """K and its derivatives for plain Gaussian releases (their squared mu) and counted sampled steps.

    Args:
        squared_mu: of the plain releases together.
        steps: the sampled ones.
        others: steps with the same transform, to compare with: they are those of moved grids.
    """

    shortened: bool

    def __init__(self, squared_mu: float, steps: Sequence[Counted], others: Sequence[Counted] | None = None) -> None:
        self._squared_mu = squared_mu
        self._steps = tuple(steps)
        self.shortened = others is not None
        self._others = self._steps if others is None else tuple(others)

    def tilt(self, at: float, refinement: int = 0, *, moved: bool = False) -> Tilt:
        """Value, mean K'(at) and variance K''(at) on the real axis."""
        value = 0.5 * self._squared_mu * (at * at - at)
        mean = self._squared_mu * (at - 0.5)
        variance = self._squared_mu
        third = 0.0
        grids = []
        steps = self._others if moved else self._steps
        for step, count in steps:
            grid = step.tilted(at, refinement, moved=moved, precise=count >= SETTINGS.many)
            value += count * grid.log_mgf
            mean += count * grid.mean
            variance += count * grid.variance
            third += count * grid.third
            grids.append(grid)
        return Tilt(at, value, mean, variance, third, tuple(grids), tuple(count for _, count in steps))

    @property
    def count(self) -> float:
        """Of sampled steps."""
        return sum(count for _, count in self._steps)

    @cached_property
    def rare_from(self) -> float:
        """Where E[e^(theta L)] comes to be ruled by the outputs of the record: there K' soars."""
        return min((step.rare_from for step, _ in self._steps), default=math.inf)

    @cached_property
    def clean_to(self) -> float:
        """About the tilt up to which cutoffs cut nothing of weight."""
        return min((step.clean_to for step, _ in self._steps), default=math.inf)

    @cached_property
    def lowest(self) -> float:
        """Infimum of the composed loss."""
        if self._squared_mu > 0:
            return -math.inf
        return math.fsum(count * step.lowest for step, count in self._steps)

    @cached_property
    def lost(self) -> tuple[float, float]:
        """Bounds on the probabilities under Q and under P of all that the cutoffs leave out."""
        parts = [(count, *step.lost()) for step, count in self._steps]
        return sum(count * q for count, q, _ in parts), sum(count * p for count, _, p in parts)

    def rounding(self, tilt: Tilt) -> float:
        """Size of the rounding error of K, which adds up terms of the size of each step's loss."""
        sizes = (count * math.sqrt(grid.variance) for count, grid in zip(tilt.counts, tilt.grids, strict=True))
        return 5e-17 * abs(tilt.at) * sum(sizes)

    def values(self, at: Floats) -> Floats:
        """K at many real points, good enough for exponents of bounds.

        The error is near 1e-15 a step, and below 1e-9 under strong negative tilts of little noise.
        """
        total: Floats = 0.5 * self._squared_mu * (at * at - at)
        for step, count in self._steps:
            total += count * step.log_mgf(at)
        return total

    def log_ratio(self, tilt: Tilt, t: Floats) -> Complexes:
        """K(c + it) - K(c) - it K'(c): the log characteristic function of the centred, tilted loss.

        If steps stand for others its phase is right at evenly spaced t from 0 on.
        """
        total = (-0.5 * self._squared_mu * t * t).astype(np.complex128)
        for count, grid in zip(tilt.counts, tilt.grids, strict=True):
            logarithm = log_characteristic(grid, t)
            if self.shortened:
                # A fraction of a step sees whole turns of the phase, which is continuous from 0 on.
                logarithm.imag = np.unwrap(logarithm.imag)
            total += count * logarithm
        return total

    def bounds(self, at: float, refinement: int = 0) -> LossBounds | None:
        """What sums leave out at most, if that is known: for steps of one record, each for itself, of few kinds."""
        steps = [(step, count) for step, count in self._steps if isinstance(step, SampledGaussianLoss)]
        if self.shortened or not len(self._steps) == len(steps) <= BOUNDS.most_kinds:
            return None
        return LossBounds(self._squared_mu, steps, at, refinement)

    def rotated(self) -> "RotatedLoss":
        """K off the real line, without cutoffs.

        Raises:
            ConvergenceError: if it is not known there.
        """
        steps = []
        for step, count in self._steps:
            if not isinstance(step, SampledGaussianLoss) or self.shortened:
                raise ConvergenceError("moments at complex arguments are known for steps of one record")
            steps.append((RotatedStep(step.noise_multiplier, step.sample_rate), step.lowest, int(count)))
        return RotatedLoss(self._squared_mu, steps)

    def saddle(self, tau: float, here: Tilt) -> Tilt:
        """The tilt whose mean is tau, to a small fraction of a standard deviation, from another tilt on."""
        low, high, scale = -math.inf, math.inf, here.deviation
        for _ in range(SETTINGS.saddle_steps):
            miss = here.mean - tau
            if abs(miss) <= SETTINGS.saddle_tolerance * here.deviation:
                return here
            if miss > 0:
                high = here.at
            else:
                low = here.at
            if not 0 < here.variance < math.inf:
                break
            bend = here.third * miss / here.variance**2
            if abs(bend) < SETTINGS.gentle:
                at = here.at - miss / here.variance * _stretch(bend)
            else:
                # K' may grow faster still; its inverse hyperbolic sine is nearly linear.
                gap = math.asinh(here.mean / scale) - math.asinh(tau / scale)
                at = here.at - gap * math.hypot(here.mean, scale) / here.variance
            if here.at < self.rare_from < at:
                at = self.rare_from
            if not low < at < high:
                at = (
                    0.5 * (low + high) if math.isfinite(low) and math.isfinite(high) else here.at - miss / here.variance
                )
            here = self.tilt(at)
        raise ConvergenceError(f"no tilt of the privacy loss has mean {tau:g}")


def _stretch(bend: float) -> float:
    """The factor on Newton's step to a mean if the mean grows exponentially with the tilt.

    With mean m, variance v and third cumulant av, solving m + v (e^(as) - 1) / a = tau for the step s gives
    log(1 - bend) / a with bend = a (m - tau) / v; Newton's step is -(m - tau) / v.
    """
    return -math.log1p(-bend) / bend if abs(bend) > 1e-8 else 1.0


def log_characteristic(grid: TiltedGrid, t: Floats) -> Complexes:
    """log E[e^(it(L - mean))] of one tilted step, accurate also when it is multiplied by 1e7 steps."""
    centred = grid.centred
    if t.size * centred.size > SETTINGS.table_from and _evenly_spaced(t):
        expected = _expectation_by_blocks(centred, grid.weights, t)
        real, imaginary = expected.real, expected.imag
    elif t.size * centred.size <= SETTINGS.block:
        real, imaginary = _expected_change(np.multiply.outer(t, centred), grid.weights)
    else:
        real, imaginary = np.empty(t.size), np.empty(t.size)
        rows = max(1, SETTINGS.block // centred.size)
        for first in range(0, t.size, rows):
            part = slice(first, first + rows)
            real[part], imaginary[part] = _expected_change(np.multiply.outer(t[part], centred), grid.weights)
    logarithm = np.empty(t.size, np.complex128)
    modulus = 0.5 * np.log1p(np.maximum(real * (2 + real) + imaginary * imaginary, -0.75))
    if real[real.argmin()] <= -0.5:
        modulus = np.where(real > -0.5, modulus, np.log(np.maximum(np.hypot(1 + real, imaginary), TINY)))
    logarithm.real = modulus
    logarithm.imag = np.arctan2(imaginary, 1 + real)
    return logarithm


def _fill_changes(angle: Floats, changes: Complexes) -> None:
    """e^(i angle) - 1, with the digits of small angles, for the multiples 0, 1, 2, 3, ... of a row of them.

    Rows 1, 2, 4, 8, ... by tangents, those between from two before them: each is a product of few.
    """
    doubled = 2 ** np.arange((angle.shape[0] - 1).bit_length())
    changes[0] = 0.0
    changes.real[doubled], changes.imag[doubled] = turned(angle[doubled])
    for first in doubled.tolist():
        before = changes[1 : min(first, angle.shape[0] - first)]
        new = changes[first + 1 : first + 1 + before.shape[0]]
        np.multiply(before, changes[first] + 1, out=new)
        new += changes[first]


def _expected_change(angle: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Real and imaginary part of E[e^(i angle) - 1 - i angle], a row of angles for each expectation."""
    real, sine = turned(angle)
    return weighted_rows(real, weights), weighted_rows(_sine_excess(angle, sine), weights)


def _sine_excess(angle: Floats, sine: Floats) -> Floats:
    """sin(angle) - angle; for small angles by its series, which keeps the digits that 1e7 steps ask for."""
    # A table of angles is largest in its last row, at one of the ends.
    if max(abs(angle[-1, 0]), abs(angle[-1, -1])) > SETTINGS.series_to:
        sine -= angle
        return sine
    squared = angle * angle
    bracket = squared * (-1 / _SERIES[-1])
    for divisor in _SERIES[-2::-1]:
        bracket += 1
        bracket *= squared
        bracket *= -1 / divisor
    bracket *= angle
    return bracket


def _expectation_by_blocks(centred: Floats, weights: Floats, t: Floats) -> Complexes:
    """E[e^(itx) - 1 - itx] at t = 0, h, 2h, ... as a product of matrices.

    With t = r + s the change of e^(itx) is u + v + uv for the changes u and v at r and s, so a table of N angles needs
    only the sines of about 2 sqrt(N). With ones in place of the zeros at 0, products with these are sums of the others.
    """
    fine = math.isqrt(t.size) + 1
    inner_t, outer_t = t[:fine], t[::fine]
    rows = inner_t.size + outer_t.size
    tables = scratch(2 * rows + max(inner_t.size, outer_t.size), centred.size)
    changes, angle = tables[: 2 * rows].reshape(-1).view(np.complex128).reshape(rows, -1), tables[2 * rows :]
    inner, outer = changes[: inner_t.size], changes[inner_t.size :]
    inner_sine = _fill_and_sum(centred, weights, inner_t, inner, angle[: inner_t.size])
    outer_sine = _fill_and_sum(centred, weights, outer_t, outer, angle[: outer_t.size])
    inner[0], outer[0] = 1.0, 1.0
    outer *= weights
    both: Complexes = product(outer, inner.T)
    alone_inner, alone_outer = both[0].real + 1j * inner_sine, both[:, 0].real + 1j * outer_sine
    alone_inner[0] = alone_outer[0] = 0.0
    both[0], both[:, 0] = 0.0, 0.0
    both += alone_inner
    both += alone_outer[:, np.newaxis]
    return both.ravel()[: t.size]


def _fill_and_sum(centred: Floats, weights: Floats, t: Floats, changes: Complexes, angle: Floats) -> Floats:
    """Fill in e^(itx) - 1 at even steps t from 0 on; E[sin(tx) - tx], whose small terms do not cancel."""
    np.multiply.outer(t, centred, out=angle)
    _fill_changes(angle, changes)
    return weighted_rows(np.subtract(changes.imag, angle, out=angle), weights)


def _evenly_spaced(t: Floats) -> bool:
    return t[0] == 0.0 and bool(abs(t[-1] - (t.size - 1) * t[1]) <= 1e-12 * t[-1])


@dataclass(frozen=True)
class ChernoffSettings:
    """What is tuned about the bound."""

    tilts: tuple[tuple[float, float, int], ...] = ((1.0, 9.0, 8), (0.5, 60.0, 24))
    """From, to and how many, in inverse deviations: those that usually tell, and if they do not, more."""
    margin: tuple[float, float] = (0.01, 1e-9)
    """By which the logarithm of the bound must lie below, and more for each step: more than its error."""


CHERNOFF = ChernoffSettings()
_CHERNOFF_TILTS = [np.geomspace(*tilts) for tilts in CHERNOFF.tilts]


class AddingBound:
    """The bound for a composed loss with this deviation under Q."""

    def __init__(self, cumulants: LossCumulants, deviation: float) -> None:
        self._cumulants, self._deviation = cumulants, deviation
        margin, each = CHERNOFF.margin
        self._margin = margin + each * cumulants.count

    def below(self, epsilon: Floats, log_delta: Floats) -> Booleans:
        """At which of these epsilons the profile of adding a record surely is smaller than these deltas."""
        smaller = self._below(epsilon, log_delta, *self._usual)
        return smaller if smaller.all() else smaller | self._below(epsilon, log_delta, *self._more)

    @cached_property
    def _usual(self) -> tuple[Floats, Floats]:
        return self._logs(_CHERNOFF_TILTS[0] / self._deviation)

    @cached_property
    def _more(self) -> tuple[Floats, Floats]:
        return self._logs(_CHERNOFF_TILTS[1] / self._deviation)

    def _logs(self, s: Floats) -> tuple[Floats, Floats]:
        return s, self._cumulants.values(-s) + s * np.log(s / (s + 1)) - np.log1p(s)

    def _below(self, epsilon: Floats, log_delta: Floats, s: Floats, logs: Floats) -> Booleans:
        bounds = (logs - np.multiply.outer(epsilon, s)).min(axis=-1)
        smaller: Booleans = bounds < log_delta - self._margin
        return smaller
