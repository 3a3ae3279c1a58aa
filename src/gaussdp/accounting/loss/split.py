r"""The loss of many sampled steps, split by its largest output.

A sum of many small losses and a few large ones has a tail in which either may rule, and between the two a valley in
which any one tilt drowns the tail in what lies to its sides. So the outputs are told apart: with limits w1 < w2 on each
step's output, a run is *moderate* if none exceeds w1, *large* if the largest one lies between, and *extreme* if one
exceeds w2. With the moments m of a step's loss up to w1, and r between, over the laws restricted to these outputs,

.. math:: M_{moderate}(\theta) = \prod_i m_i(\theta)^{n_i},\qquad
          M_{large} = M_{moderate}\Bigl(e^{\sum_i n_i\log(1 + r_i/m_i)} - 1\Bigr),

and what is extreme is a product of normal probabilities. Restricted laws end abruptly, so their moments are computed by
Gauss-Legendre rules on panels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.loss.cumulants import Tilt, log_characteristic
from gaussdp.accounting.loss.outputs import FINENESS, normal_log_density, sampled_loss
from gaussdp.accounting.loss.steps import OUTPUT_REACH, SampledGaussianLoss, TiltedGrid
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Complexes, Floats


@dataclass(frozen=True)
class SplitSettings:
    """What is tuned about the rules over restricted outputs."""

    order: int = 16  # of the rule on one panel
    width: float = 2.0  # of a panel, in standard deviations of the noise
    branch: float = 3.0  # ... at most, in squares of it: the loss has branch points at pi of these from the real line
    turns: float = 12.0  # radians that e^(itL) turns through in a panel, which the rule bears to rounding error
    most_panels: int = 800
    moved: float = 0.382  # share of each panel by which its ends move for the panels to compare with
    rounding: float = 1e-15  # of a moment over large outputs, relative
    step_rounding: float = 2e-16  # of a step's moment over moderate ones, relative to the tilted loss's deviation
    whole_turn: float = 0.5  # size of the exponent from which on e^u - 1 is taken apart as e^u and its complement


SETTINGS = SplitSettings()

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(SETTINGS.order)
_NOT_NORMAL = 10.0  # squared skewness that is said of a law about which none is known


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Losses at the nodes of panels, and the logarithms of their weights under Q."""

    losses: Floats
    log_weights: Floats


class SplitStep:
    """One kind of step with the limits of its outputs.

    Args:
        step: the step.
        count: how many there are.
        low, high: losses of one output beyond which it is large, and extreme.
        frequency: up to which panels resolve e^(itL).
    """

    def __init__(self, step: SampledGaussianLoss, count: int, low: float, high: float, frequency: float) -> None:
        self.count = count
        self._sigma, self._rate, self._frequency = step.noise_multiplier, step.sample_rate, frequency
        (self._low, self._high), _ = step.output_at(np.log(np.expm1(np.array([low, high]) - step.lowest)))
        if not self._low < self._high < math.inf:
            raise ConvergenceError("the limits of outputs are not told apart")
        self._made: dict[tuple[bool, int, bool], _Nodes] = {}

    def extreme(self) -> tuple[float, float]:
        """Logarithms of the probabilities, under Q and under P, that no output of these steps is extreme."""
        plain, moved = special.ndtr([-self._high / self._sigma, (1 - self._high) / self._sigma])
        return self.count * math.log1p(-plain), self.count * math.log1p(-plain + self._rate * (plain - moved))

    def nodes(self, refinement: int, *, moved: bool, large: bool) -> _Nodes:
        """Nodes of large outputs, or of moderate ones; the moved ones are those of other panels."""
        key = large, refinement, moved
        if key not in self._made:
            bottom = min(-OUTPUT_REACH * self._sigma, self._low - self._sigma)
            ends = (self._low, self._high) if large else (bottom, self._low)
            self._made[key] = self._rule(*ends, refinement, moved)
        return self._made[key]

    def _rule(self, bottom: float, top: float, refinement: int, moved: bool) -> _Nodes:
        width = min(SETTINGS.width * self._sigma, SETTINGS.branch * self._sigma**2)
        if top - bottom > SETTINGS.most_panels * width:
            raise ConvergenceError("the limits of outputs lie too far apart")
        edges = np.linspace(bottom, top, math.ceil((top - bottom) / width) + 1)
        _, losses = sampled_loss(edges, self._sigma, self._rate)
        turning = np.diff(losses) * self._frequency / SETTINGS.turns
        parts = np.ceil(np.maximum(turning, 1.0) * math.exp2(refinement / FINENESS)).astype(np.intp)
        if parts.sum() > SETTINGS.most_panels:
            raise ConvergenceError("the losses of large outputs turn too often")
        within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
        starts = np.repeat(edges[:-1], parts) + within * np.repeat(np.diff(edges) / parts, parts)
        if moved:  # each panel ends inside one of the others: none may be the same
            starts = np.append(bottom, starts + SETTINGS.moved * np.diff(np.append(starts, top)))
        halves = 0.5 * np.diff(np.append(starts, top))[:, np.newaxis]
        x = (starts[:, np.newaxis] + halves * (1 + _NODES)).ravel()
        _, losses = sampled_loss(x, self._sigma, self._rate)
        return _Nodes(losses, normal_log_density(x, self._sigma) + np.log(halves * _WEIGHTS).ravel())

    def moderate(self, at: float, refinement: int, *, moved: bool, roughly: bool) -> TiltedGrid:
        """The tilted law of moderate outputs; its log_mgf is the logarithm of the moment over them."""
        nodes = self.nodes(refinement, moved=moved, large=False)
        grid = _tilted(nodes, at)
        if abs(grid.log_mgf) < math.log(2) and not roughly:
            # E[e^L - 1] over these outputs is known, and so is their probability.
            inside, beside = special.ndtr([self._low / self._sigma, (self._low - 1) / self._sigma])
            weights, exponents = np.exp(nodes.log_weights), at * nodes.losses
            terms = weights * (np.expm1(np.minimum(exponents, 1.0)) - at * np.expm1(nodes.losses))
            rest = exponents > 1
            terms[rest] += np.exp(nodes.log_weights[rest] + exponents[rest]) - math.e * weights[rest]
            change = float(terms.sum()) + at * self._rate * float(beside - inside)
            change -= float(special.ndtr(-self._low / self._sigma))
            grid = replace(grid, log_mgf=math.log1p(change))
        return grid

    def large(self, at: float, refinement: int, *, moved: bool) -> TiltedGrid:
        """The same of large outputs."""
        return _tilted(self.nodes(refinement, moved=moved, large=True), at)

    def log_moments(self, at: Floats, *, large: bool) -> Floats:
        """Logarithms of the moments over large outputs, or over moderate ones, at many tilts."""
        nodes = self.nodes(0, moved=False, large=large)
        terms = np.multiply.outer(at, nodes.losses)
        terms += nodes.log_weights
        heaviest = terms.max(axis=1)
        terms -= heaviest[:, np.newaxis]
        sums: Floats = heaviest + np.log(np.exp(terms, out=terms).sum(axis=1))
        return sums


def _tilted(nodes: _Nodes, at: float) -> TiltedGrid:
    log_weights = at * nodes.losses + nodes.log_weights
    heaviest = float(log_weights.max())
    weights = np.exp(log_weights - heaviest)
    total = float(weights.sum())
    weights /= total
    mean = math.fsum((weights * nodes.losses).tolist())
    centred = nodes.losses - mean
    weighted = weights * centred
    variance = float(weighted @ centred)
    third = float((weighted * centred) @ centred)
    return TiltedGrid(centred, weights, heaviest + math.log(total), mean, variance, third, math.inf, True)


class ModerateCumulants:
    """log M of moderate runs, for lines (`lines/line.py`)."""

    squared_mu: float
    shortened: bool = False
    probability: bool = False
    lost: tuple[float, float] = (0.0, 0.0)

    def __init__(self, squared_mu: float, steps: Sequence[SplitStep]) -> None:
        self.squared_mu, self._steps = squared_mu, tuple(steps)

    def tilt(self, at: float, refinement: int = 0, *, moved: bool = False, roughly: bool = False) -> Tilt:
        """Value, mean and variance on the real axis; roughly, the value has errors of the size of each step's."""
        grids = tuple(step.moderate(at, refinement, moved=moved, roughly=roughly) for step in self._steps)
        counts = tuple(step.count for step in self._steps)

        def total(name: str) -> float:
            return math.fsum(n * getattr(grid, name) for n, grid in zip(counts, grids, strict=True))

        square = self.squared_mu
        return Tilt(
            at,
            0.5 * square * (at * at - at) + total("log_mgf"),
            square * (at - 0.5) + total("mean"),
            square + total("variance"),
            total("third"),
            grids,
            counts,
        )

    def values(self, at: Floats) -> Floats:
        """The same at many real tilts, good enough for exponents of bounds."""
        total: Floats = 0.5 * self.squared_mu * (at * at - at)
        for step in self._steps:
            total += step.count * step.log_moments(at, large=False)
        return total

    def log_ratio(self, tilt: Tilt, t: Floats) -> Complexes:
        """K(c + it) - K(c) - it K'(c)."""
        total = (-0.5 * self.squared_mu * t * t).astype(np.complex128)
        for count, grid in zip(tilt.counts, tilt.grids, strict=True):
            total += count * log_characteristic(grid, t)
        return total

    def aliasing(self, at: float, refinement: int, t: float) -> float:
        """Infinite: panels are always compared."""
        return math.inf

    def aliased(self, tilt: Tilt, refinement: int, t: Floats, log_moduli: Floats) -> Floats:
        """Infinite as well."""
        return np.full(t.size, np.inf)

    def bounds(self, at: float, refinement: int = 0) -> None:
        """None are known for laws that end abruptly."""

    def rounding(self, tilt: Tilt) -> float:
        """Size of the rounding error of K, which adds up terms of the size of each step's loss."""
        sizes = (count * math.sqrt(grid.variance) for count, grid in zip(tilt.counts, tilt.grids, strict=False))
        return SETTINGS.step_rounding * abs(tilt.at) * sum(sizes)


class LargeCumulants:
    """log M of large runs, for lines. A tilt's grids are those of moderate outputs, then those of large ones."""

    shortened: bool = False
    probability: bool = False
    lost: tuple[float, float] = (0.0, 0.0)

    def __init__(self, moderate: ModerateCumulants, steps: Sequence[SplitStep]) -> None:
        self._moderate, self._steps = moderate, tuple(steps)

    def tilt(self, at: float, refinement: int = 0, *, moved: bool = False, roughly: bool = False) -> Tilt:
        """Value, mean and variance on the real axis; roughly, as of moderate runs."""
        rest = self._moderate.tilt(at, refinement, moved=moved, roughly=roughly)
        large = tuple(step.large(at, refinement, moved=moved) for step in self._steps)
        # u = sum of n log(1 + r/m), and its derivatives.
        u = first = second = 0.0
        for count, moderate, grid in zip(rest.counts, rest.grids, large, strict=True):
            exponent = grid.log_mgf - moderate.log_mgf
            share = float(special.expit(exponent))  # (r/m) / (1 + r/m)
            gap = grid.mean - moderate.mean
            u += count * float(np.logaddexp(0.0, exponent))
            first += count * share * gap
            second += count * share * (gap * gap * (1 - share) + grid.variance - moderate.variance)
        if not 0 < u < math.inf:
            raise ConvergenceError("a tilt gives no weight to large outputs")
        # log(e^u - 1) has the slope 1 / (1 - e^-u) in u.
        slope = -1 / math.expm1(-u)
        variance = rest.variance + second * slope - first * first * slope * (slope - 1)
        if not variance > 0:
            raise ConvergenceError("the tilted law of large outputs has no width")
        return Tilt(
            at,
            rest.value + u + math.log(-math.expm1(-u)),
            rest.mean + first * slope,
            variance,
            _NOT_NORMAL * variance**1.5,
            (*rest.grids, *large),
            rest.counts,
        )

    def values(self, at: Floats) -> Floats:
        """The same at many real tilts, good enough for exponents of bounds."""
        u = np.zeros_like(at)
        total: Floats = 0.5 * self._moderate.squared_mu * (at * at - at)
        for step in self._steps:
            moderate = step.log_moments(at, large=False)
            total += step.count * moderate
            u += step.count * np.logaddexp(0.0, step.log_moments(at, large=True) - moderate)
        with np.errstate(divide="ignore"):
            total += u + np.log(-np.expm1(-u))
        return total

    def log_ratio(self, tilt: Tilt, t: Floats) -> Complexes:
        """log of M(c + it) / M(c) e^(-it mean)."""
        kinds = len(self._steps)
        square = self._moderate.squared_mu
        total = (-0.5 * square * t * t).astype(np.complex128)
        u, u_real = np.zeros(t.size, np.complex128), 0.0
        mean = square * (tilt.at - 0.5)
        for count, moderate, large in zip(tilt.counts, tilt.grids[:kinds], tilt.grids[kinds:], strict=True):
            logarithm = log_characteristic(moderate, t)
            total += count * logarithm
            mean += count * moderate.mean
            exponent = large.log_mgf - moderate.log_mgf
            apart = exponent + 1j * t * (large.mean - moderate.mean)
            ratio = np.exp(apart + log_characteristic(large, t) - logarithm)
            u += count * special.log1p(ratio)
            u_real += count * float(np.logaddexp(0.0, exponent))
        total += _log_expm1(u) - (u_real + math.log(-math.expm1(-u_real)))
        total += 1j * t * (mean - tilt.mean)
        return total

    def aliasing(self, at: float, refinement: int, t: float) -> float:
        """Infinite: panels are always compared."""
        return math.inf

    def aliased(self, tilt: Tilt, refinement: int, t: Floats, log_moduli: Floats) -> Floats:
        """Infinite as well."""
        return np.full(t.size, np.inf)

    def bounds(self, at: float, refinement: int = 0) -> None:
        """None are known for laws that end abruptly."""

    def rounding(self, tilt: Tilt) -> float:
        """Size of the rounding error of K."""
        return self._moderate.rounding(tilt) + SETTINGS.rounding


def _log_expm1(u: Complexes) -> Complexes:
    """log(e^u - 1) without overflow; its imaginary part up to whole turns."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(u.real > SETTINGS.whole_turn, u + np.log(-special.expm1(-u)), np.log(special.expm1(u)))


class SplitLoss:
    """The parts of a run's loss for thresholds near some losses.

    Args:
        squared_mu: of plain Gaussian releases together.
        steps: the sampled ones, counted.
        low, high: losses of one output beyond which it is large, and extreme.
        frequency: up to which lines will go.
    """

    moderate: ModerateCumulants
    large: LargeCumulants

    def __init__(
        self,
        squared_mu: float,
        steps: Sequence[tuple[SampledGaussianLoss, int]],
        low: float,
        high: float,
        frequency: float,
    ) -> None:
        self._steps = [SplitStep(step, count, low, high, frequency) for step, count in steps]
        self.moderate = ModerateCumulants(squared_mu, self._steps)
        self.large = LargeCumulants(self.moderate, self._steps)

    @cached_property
    def extreme(self) -> tuple[float, float]:
        """Probabilities under Q and under P that an output is extreme."""
        none = [step.extreme() for step in self._steps]
        return -math.expm1(math.fsum(q for q, _ in none)), -math.expm1(math.fsum(p for _, p in none))
