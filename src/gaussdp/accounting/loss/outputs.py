"""The loss of one sampled step at evenly spaced outputs, computed once for each spacing and shared by all tilts."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gaussdp.errors import ConvergenceError
from gaussdp.numerics import LARGEST_EXPONENT, Floats

_DIGITS = 60
_TINY = Decimal("1e-20")  # distance of a ratio from 1 whose cube is beyond the digits kept


class LeastLoss(NamedTuple):
    """A number as the sum of a double and of what that leaves."""

    high: float
    low: float

    def excess(self, loss: Floats) -> Floats:
        """loss - least, rounded once."""
        return (loss - self.high) - self.low


def least_loss(steps: Iterable[tuple[Fraction, int]]) -> LeastLoss:
    """The sum of count * log(ratio) over (least likelihood ratio, count); minus infinity if a ratio is 0."""
    with localcontext() as context:
        context.prec = _DIGITS
        total = Decimal(0)
        for ratio, count in steps:
            if ratio == 0:
                return LeastLoss(-math.inf, 0.0)
            total += count * _log(ratio)
        high = float(total)
        return LeastLoss(high, float(total - Decimal(high)))


def _log(ratio: Fraction) -> Decimal:
    if 2 * ratio < 1:  # what is missing to 1 would not know its digits
        return (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
    missing = 1 - ratio
    rest = Decimal(missing.numerator) / Decimal(missing.denominator)
    return (1 - rest).ln() if rest > _TINY else -rest - rest * rest / 2


@dataclass(frozen=True)
class OutputSettings:
    """What is tuned about grids of outputs."""

    coarsest: float = 0.29
    """Spacing in standard deviations of the noise: the trapezoid rule then errs by less than rounding."""
    per_width: float = 0.3  # the same, at most, over the width of a peak that a strong negative tilt narrows
    branch_exponent: float = 38.0  # -log of the error, 3e-17, that the branch points of the loss may leave
    linear_from: float = 300.0  # exponent past which the loss is linear in the output to rounding
    margin: float = 2.0
    """Standard deviations by which a grid reaches farther than it is asked to, so that it need not grow soon."""
    moved: float = 0.382  # share of a spacing: no small multiple of it is near a whole number
    most: int = 20_000  # outputs in one grid: past that a density is quicker
    series_terms: int = 11  # of e^x - 1 - x; the next one is below 1e-17 of the first


OUTPUTS = OutputSettings()

_SERIES = tuple(1 / math.factorial(k) for k in range(OUTPUTS.series_terms, 1, -1))  # of e^x - 1 - x, the last first

FINENESS = 4  # that many halve the spacing
SERIES_TO = 0.15  # up to which `exponential_excess` serves


@dataclass(frozen=True, slots=True)
class Outputs:
    """Rising losses at evenly spaced outputs x, and their weights under Q in the trapezoid rule.

    ``excess`` is density * (e^L - 1 - L).
    """

    losses: Floats
    log_density: Floats
    density: Floats
    excess: Floats

    def part(self, first: int, last: int) -> "Outputs":
        """The outputs from one index up to another."""
        cut = slice(first, last)
        return Outputs(self.losses[cut], self.log_density[cut], self.density[cut], self.excess[cut])


class Law(NamedTuple):
    """At given outputs: e^L - 1, the loss L, and the logarithm of the density under Q."""

    ratio_change: Floats
    losses: Floats
    log_density: Floats


class OutputGrids:
    """Grids of the outputs of noise of this standard deviation, each of multiples of its spacing.

    Args:
        sigma: standard deviation of the noise.
        law: of outputs, their loss and their density.
        branch: distance from the real line at which the loss may have branch points.
    """

    def __init__(self, sigma: float, law: Callable[[Floats], Law], branch: float) -> None:
        self._sigma, self._law = sigma, law
        self._coarsest = min(OUTPUTS.coarsest * sigma, 2 * math.pi * branch / OUTPUTS.branch_exponent)
        # By fineness, and whether moved: index of the first output, and the outputs.
        self._made: dict[tuple[int, bool], tuple[int, Outputs]] = {}

    def fineness(self, width: float) -> int:
        """The least fineness that resolves peaks of this width, at most that of the noise."""
        return max(0, math.ceil(FINENESS * math.log2(self._coarsest / (OUTPUTS.per_width * width)) - 1e-9))

    def spacing(self, fineness: int) -> float:
        """Distance between neighbouring outputs."""
        return self._coarsest * math.exp2(-fineness / FINENESS)

    def between(self, low: float, high: float, fineness: int, *, moved: bool) -> Outputs:
        """The outputs from just below low to just above high; moved ones lie between the others."""
        spacing = self.spacing(fineness)
        if high - low > OUTPUTS.most * spacing:
            raise ConvergenceError("a tilt of the privacy loss gives weight to too many outputs")
        first, last = math.floor(low / spacing), math.ceil(high / spacing)
        start, made = self._made.get((fineness, moved), (first, None))
        if made is None or first < start or last >= start + made.losses.size:
            margin = math.ceil(OUTPUTS.margin * self._sigma / spacing)
            end = last if made is None else max(last, start + made.losses.size - 1)
            start = min(first, start) - margin
            made = self._evaluate(np.arange(start, end + margin + 1, dtype=np.float64), spacing, moved=moved)
            self._made[fineness, moved] = start, made
        return made.part(first - start, last + 1 - start)

    def _evaluate(self, index: Floats, spacing: float, *, moved: bool) -> Outputs:
        ratio_change, losses, log_density = self._law((index + OUTPUTS.moved if moved else index) * spacing)
        log_density += math.log(spacing)
        density = np.exp(log_density)
        excess = ratio_change - losses
        first, last = losses.searchsorted((-SERIES_TO, SERIES_TO))
        excess[first:last] = exponential_excess(losses[first:last])
        excess *= density
        return Outputs(losses, log_density, density, excess)


def sampled_outputs(sigma: float, rate: float) -> OutputGrids:
    """The grids of one Poisson-sampled Gaussian step."""

    def law(x: Floats) -> Law:
        ratio_change, losses = sampled_loss(x, sigma, rate)
        return Law(ratio_change, losses, normal_log_density(x, sigma))

    return OutputGrids(sigma, law, math.pi * sigma**2)


def sampled_loss(x: Floats, sigma: float, rate: float) -> tuple[Floats, Floats]:
    """e^L - 1 and L = log(1 - q + q e^((x - 1/2) / sigma^2)) at outputs."""
    exponent = (x - 0.5) / sigma**2
    ratio_change = rate * np.expm1(np.minimum(exponent, LARGEST_EXPONENT))
    losses = np.log1p(ratio_change)
    far = exponent > OUTPUTS.linear_from
    if far.any():
        losses[far] = exponent[far] + math.log(rate)
    return ratio_change, losses


def normal_log_density(x: Floats, sigma: float) -> Floats:
    """Logarithm of the density of N(0, sigma^2)."""
    logs: Floats = -0.5 * (x / sigma) ** 2 - math.log(sigma * math.sqrt(2 * math.pi))
    return logs


def exponential_excess(x: Floats) -> Floats:
    """e^x - 1 - x for sizes up to 0.15, by its series."""
    total = x * _SERIES[0]
    for coefficient in _SERIES[1:]:
        total += coefficient
        total *= x
    total *= x
    return total
