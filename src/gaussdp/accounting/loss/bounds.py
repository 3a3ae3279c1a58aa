r"""What sums over outputs, and over the nodes of a line, leave out at most.

With :math:`f = \varphi_\sigma w^c / M(c)`, :math:`w = e^L`, the law of the output x of one sampled step under the tilt
c, the transform of its loss is :math:`M(c + it)/M(c) = \int f e^{itL} dx`. Its integrand is analytic for
:math:`|\mathrm{Im}\,x| < \pi\sigma^2`, which bounds both the error of the trapezoid rule and, on a path above the real
axis, the transform itself. The proofs are in docs/numerics.md, "What lines leave out".
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.loss.steps import SampledGaussianLoss, negligible
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class BoundSettings:
    """What is tuned about bounds."""

    most_kinds: int = 6  # of steps: more would take longer than what they stand for
    heights: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 0.97)  # of strips, as shares of the highest
    highest: float = 3.3  # in deviations of the noise: there a wide strip has errors of e^-60
    higher: float = 2.5  # the same where branch points are far, which they are ...
    far_logits: tuple[float, ...] = (-1.4, -0.4)  # ... below outputs with these logits of p ...
    ramp: float = 0.5  # ... by this many deviations
    frequencies: int = 12  # up to which an error is bounded, evenly spaced up to the last one
    levels: tuple[float, ...] = (1.0, 1.1, 1.25, 1.6, 2.5, 5.0, 20.0, 100.0)
    """Frequencies from which on decay is bounded, in last ones."""
    path: tuple[float, float] = (0.6, 1.5)  # height of the path at most, in sigma^2 and in sigma
    gone: float = 45.0  # -log of the last bound on the transform


SETTINGS = BoundSettings()

_LEVELS = np.array(SETTINGS.levels)[:, np.newaxis]
_LEAST = 1e-290


class StepBounds:
    """One step under one tilt, on the grid of outputs that computes its transform."""

    def __init__(self, step: SampledGaussianLoss, tilt: float, refinement: int = 0, *, precise: bool = False) -> None:
        outputs, (low, _), spacing = step.outputs(tilt, refinement)
        first = math.floor(low / spacing)
        sigma = step.noise_multiplier
        self._tilt, self._square, self._sigma, self._spacing = tilt, sigma * sigma, sigma, spacing
        self._losses = outputs.losses
        self._x = spacing * np.arange(first, first + outputs.losses.size, dtype=np.float64)
        log_weights = tilt * outputs.losses + outputs.log_density
        heaviest = float(log_weights.max())
        total = heaviest + math.log(float(np.exp(log_weights - heaviest).sum()))
        self._log_density = log_weights - (total + math.log(spacing))
        self._density = np.exp(self._log_density)
        self._dropped_from = heaviest - total - math.log(spacing) - negligible(precise=precise)
        self._log_odds = step.log_odds
        self._share = special.expit((self._x - 0.5) / self._square + step.log_odds)  # p, the slope of L times sigma^2
        self._spread = self._share * (1 - self._share)
        # Of cells, from output to output: the largest p (1 - p), and how far log f lies off its chord at most.
        left, right = self._share[:-1], self._share[1:]
        self._widest = np.maximum(self._spread[:-1], self._spread[1:])
        self._widest[(left < 0.5) & (right > 0.5)] = 0.25
        bend = tilt * self._widest / self._square**2
        self._eighth = 0.125 * spacing * spacing
        self._lower = np.exp(-self._eighth * np.maximum(bend - 1 / self._square, 0.0))
        self._upper = np.exp(self._eighth * (1 / self._square - np.minimum(bend, 0.0)))
        self._whole = step.highest_output > self._x[-1]

    def grid_errors(self, frequencies: Floats) -> Floats:
        """Bounds on the error of the sum that stands for M(c + it)/M(c), for all t up to each frequency."""
        sigma, square, rate = self._sigma, self._square, 2 * math.pi / self._spacing
        # Below the branch points of the loss; higher, in some, where these are far to the right.
        shares = np.array(SETTINGS.heights)[:, np.newaxis]
        low = shares * min(math.pi * square, SETTINGS.highest * sigma)
        raised = np.maximum(shares * SETTINGS.higher * sigma, low) - low
        near = [0.5 + square * (logit - self._log_odds) for logit in SETTINGS.far_logits]
        ramps = [np.clip((end - self._ends_x) / (SETTINGS.ramp * sigma), 0, 1) for end in near]
        a = np.concatenate([low + raised * ramp for ramp in (0 * self._ends_x, *ramps)])
        angle = a / square
        shrink = np.sin(0.5 * angle) ** 2
        share = special.expit((self._ends_x - 0.5) / square + self._log_odds)
        turned = np.abs(np.arctan2(share * np.sin(angle), 1 - 2 * share * shrink))
        left, right = (..., slice(None, -1)), (..., slice(1, None))
        level = a[left] == a[right]
        least, most = np.minimum(a[left], a[right]), np.maximum(a[left], a[right])
        # In cells: the turns of w^(it), the growth of |w|^c, that of the density, and what the rule makes of it.
        turns = np.where(
            level, np.maximum(turned[left], turned[right]), np.arcsin(np.minimum(share / (1 - share), 1))[right]
        )
        logs = 0.5 * most**2 / square - rate * least + 0.5 * np.log1p(((most - least) / self._spacing) ** 2)
        logs -= np.log(-np.expm1(-rate * least))
        if self._tilt < 0:
            logs += 0.5 * self._tilt * np.log1p(-4 * self._spreads * np.where(level, shrink[right], 1.0))
        sides = 2 * (np.exp(np.multiply.outer(frequencies, turns) + logs) @ self._most)
        # At the ends: an exponent that is convex in the height lies below its chord.
        height, twice = a[:, [0, -1]], share[[0, -1]]
        slope = np.multiply.outer(frequencies, height / square * np.where(twice <= 0.5, twice, 1.0))
        slope += height * (0.5 * height / square - rate)
        short = np.where(slope < -1, -1 / np.minimum(slope, -1.0), np.exp(np.maximum(slope, 0.0)))
        if self._tilt < 0:
            short *= np.exp(
                0.5
                * self._tilt
                * np.log1p(-4 * self._spreads[[0, -1]] * np.sin(0.5 * np.minimum(angle[:, [0, -1]], math.pi)) ** 2)
            )
        sides += (2 * height * short) @ self._ends
        return np.asarray(sides.min(axis=1) + self._outside + self._dropped(frequencies))

    @cached_property
    def _ends_x(self) -> Floats:
        """The ends of cells: the outputs, and half a cell beyond the first and the last."""
        half = 0.5 * self._spacing
        return np.concatenate((self._x[:1] - half, self._x, self._x[-1:] + half))

    @cached_property
    def _most(self) -> Floats:
        """Masses of these cells at most."""
        halves = 0.5 * self._spacing * self._ends
        return np.concatenate((halves[:1], self._masses * self._upper, halves[1:]))

    @cached_property
    def _spreads(self) -> Floats:
        """p (1 - p) in them at most."""
        ends = np.minimum(self._spread[[0, -1]] * math.exp(0.5 * self._spacing / self._square), 0.25)
        return np.concatenate((ends[:1], self._widest, ends[1:]))

    @cached_property
    def _masses(self) -> Floats:
        """Of cells, if log f were linear in each."""
        return self._spacing * _mean_of_exponentials(self._log_density[:-1], self._log_density[1:])

    @property
    def _slopes(self) -> Floats:
        """How fast log f falls outwards at both ends, at least, from there on; the first from the left."""
        tilt, (low, high) = self._tilt, self._x[[0, -1]]
        return np.array([-low + min(tilt, 0.0) * self._share[0], high - max(tilt, 0.0)]) / self._square

    @cached_property
    def _ends(self) -> Floats:
        """f half a cell beyond both ends, at most."""
        slopes = (self._x[[0, -1]] - self._tilt * self._share[[0, -1]]) / self._square
        bend = self._eighth * max(0.25 * self._tilt / self._square**2 - 1 / self._square, 0.0)
        return np.asarray(self._density[[0, -1]] * np.exp(0.5 * self._spacing * np.abs(slopes) + bend))

    @property
    def _outside(self) -> float:
        """The mass of outputs beyond the grid, unless they are cut off."""
        slopes = self._slopes
        if slopes[0] <= 0 or (self._whole and slopes[1] <= 0):
            return math.inf
        beyond = self._density[[0, -1]] / slopes
        return float(beyond.sum() if self._whole else beyond[0])

    def _dropped(self, frequencies: Floats) -> Floats:
        """What light outputs are left out of sums for speed add to e^(itL) - 1 - itL at most."""
        light = self._log_density < self._dropped_from
        mass = self._spacing * self._density[light]
        away = 2 * np.abs(self._losses[light] - self._mean) + abs(self._mean)
        return np.asarray(2 * mass.sum() + frequencies * float(mass @ away))

    @cached_property
    def _mean(self) -> float:
        return self._spacing * float(self._density @ self._losses)

    @cached_property
    def variation(self) -> float:
        """V with |M(c + it)/M(c)| <= V/t for all t > 0."""
        rises = self._x[0] < -1 if self._tilt >= -1 else (self._tilt + 1) * self._share[0] > self._x[0] + 1
        if not rises:
            return math.inf
        logs = self._log_density - np.log(self._share / self._square)
        bend = 1 / self._square + max(-(self._tilt + 1), 0.0) * 0.25 / self._square**2
        return 4 * math.exp(min(float(logs.max()) + self._eighth * bend, 700.0))

    def log_decay(self, frequency: float) -> Floats:
        """Bounds on log |M(c + it)/M(c)| for all t from the levels of a frequency on, along paths of their own."""
        spacing, tilt, square, share = self._spacing, self._tilt, self._square, self._share
        t = frequency * _LEVELS
        a = np.minimum(t * self._stein, min(SETTINGS.path[0] * square, SETTINGS.path[1] * self._sigma))
        a[:, 0] = a[:, -1] = 0.0
        angle = a / square
        shrink = np.sin(0.5 * angle) ** 2
        turned = np.arctan2(share * np.sin(angle), 1 - 2 * share * shrink)
        change = 0.5 * a * angle + 0.5 * tilt * np.log1p(-4 * self._spread * shrink) - t * turned
        # How far the change lies above its chord in a cell at most, by its second derivative.
        slope = (a[:, 1:] - a[:, :-1]) / spacing
        longer = 1 + slope * slope
        most = np.maximum(angle[:, 1:], angle[:, :-1])
        phase = most + 2 * np.arctan(np.abs(slope))
        larger = longer / (1 - 4 * self._widest * np.sin(0.5 * most) ** 2)
        bend = larger * t * np.sin(np.minimum(phase, 0.5 * math.pi))
        bend += abs(tilt) * (larger - np.cos(np.minimum(phase, math.pi)))
        stretch = np.exp(self._eighth / square**2 * self._widest * bend) * np.sqrt(longer)
        logs = self._log_density + change
        moved = _mean_of_exponentials(logs[:, :-1], logs[:, 1:]) * stretch * spacing
        worse = np.maximum(np.exp(np.maximum(change[:, 1:], change[:, :-1])) * stretch - 1, 0.0)
        gains = self._lower * (self._masses - moved) - (self._upper - self._lower) * self._masses * worse
        return np.asarray(np.log1p(-np.minimum(gains.sum(axis=1), 1 - 1e-12)))

    @cached_property
    def _stein(self) -> Floats:
        """The best height of a path for small frequencies, per frequency: E[L - mean; output above x] / f(x)."""
        pulls = self._spacing * self._density * (self._losses - self._mean)
        above = pulls[::-1].cumsum()[::-1] - 0.5 * pulls
        return np.maximum(above / np.maximum(self._density, _LEAST), 0.0)


class LossBounds:
    """The same for plain Gaussian releases (their squared mu) and counted sampled steps together.

    Args:
        squared_mu: of the plain releases together.
        steps: the sampled ones.
        tilt: of the line.
        refinement: of their grids.
        many: from how many steps on grids are precise.
    """

    def __init__(
        self,
        squared_mu: float,
        steps: Sequence[tuple[SampledGaussianLoss, float]],
        tilt: float,
        refinement: int,
        many: float = math.inf,
    ) -> None:
        self._squared_mu = squared_mu
        self._counted = [(StepBounds(step, tilt, refinement, precise=count >= many), count) for step, count in steps]

    def grid_errors(self, t: Floats, log_modulus: Floats) -> Floats:
        """Bounds on the errors of M(c + it)/M(c) at rising nodes, of a modulus, that sums over outputs leave."""
        shares = np.arange(1, SETTINGS.frequencies + 1) / SETTINGS.frequencies
        counts = [count for _, count in self._counted]
        each = np.array([step.grid_errors(shares * t[-1]) for step, _ in self._counted])
        where = np.minimum(np.searchsorted(shares, t / t[-1]), shares.size - 1)
        if len(counts) == 1:
            # Of n equal factors all but one are as small as they were computed, give or take an error.
            rest = (counts[0] - 1) * np.log(np.exp(log_modulus / counts[0]) + each[0][where])
            return np.asarray(counts[0] * each[0][where] * np.exp(rest))
        return np.asarray(np.expm1(np.array(counts) @ each)[where])

    def moment_error(self) -> float:
        """A bound on the relative error of M(c) itself."""
        errors = sum(count * float(step.grid_errors(np.zeros(1))[0]) for step, count in self._counted)
        return math.expm1(errors) if errors < 1 else math.inf

    def decay(self, frequency: float) -> tuple[Floats, Floats]:
        """Rising frequencies from one on, and bounds on log |M(c + it)/M(c)| for all t from each on."""
        t = frequency * _LEVELS[:, 0]
        logs = -0.5 * self._squared_mu * t * t
        for step, count in self._counted:
            logs += count * np.minimum(step.log_decay(frequency), 0.0)
        return t, logs

    def beyond(self, frequency: float) -> float:
        """A bound on the integral of |M(c + it)/M(c)| dt/t from a frequency on."""
        t, logs = self.decay(frequency)
        steps = sum(count for _, count in self._counted)
        end = max(step.variation for step, _ in self._counted) * math.exp(min(SETTINGS.gone / steps, 600.0))
        lengths = np.log(np.append(t[1:], max(end, t[-1])) / t)
        return float(np.exp(logs) @ lengths) + math.exp(-SETTINGS.gone) / steps


def _mean_of_exponentials(left: Floats, right: Floats) -> Floats:
    """The mean of e^x for x between two ends."""
    gap = np.abs(right - left) + 1e-9
    mean: Floats = np.exp(np.maximum(left, right)) * (-np.expm1(-gap) / gap)
    return mean
