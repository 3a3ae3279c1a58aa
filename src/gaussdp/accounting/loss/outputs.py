"""The loss of one sampled step at evenly spaced outputs, computed once for each spacing and shared by all tilts."""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class OutputSettings:
    """What is tuned about grids of outputs."""

    coarsest: float = 0.29
    """Spacing in standard deviations of the noise: the trapezoid rule then errs by less than rounding."""
    per_width: float = 0.3
    """The same, at most, over the width of a peak that a strong negative tilt narrows."""
    branch_exponent: float = 38.0
    """-log of the error, 3e-17, that the branch points of the loss may leave."""
    linear_from: float = 300.0
    """Exponent past which the loss is linear in the output to rounding."""
    margin: float = 2.0
    """Standard deviations by which a grid reaches farther than it is asked to, so that it need not grow soon."""
    most: int = 20_000
    """Outputs in one grid: past that a density is quicker."""
    series_terms: int = 11
    """Of e^x - 1 - x; the next one is below 1e-17 of the first."""


SETTINGS = OutputSettings()

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


class OutputGrids:
    """Grids of the outputs of N(0, sigma^2) noise, each of multiples of its spacing."""

    def __init__(self, noise_multiplier: float, sample_rate: float) -> None:
        self._sigma, self._rate = noise_multiplier, sample_rate
        self._coarsest = min(
            SETTINGS.coarsest * noise_multiplier, 2 * math.pi**2 * noise_multiplier**2 / SETTINGS.branch_exponent
        )
        # By fineness, and whether moved by half a spacing: index of the first output, and the outputs.
        self._made: dict[tuple[int, bool], tuple[int, Outputs]] = {}

    def fineness(self, width: float) -> int:
        """The least fineness that resolves peaks of this width, at most that of the noise."""
        return max(0, math.ceil(FINENESS * math.log2(self._coarsest / (SETTINGS.per_width * width)) - 1e-9))

    def spacing(self, fineness: int) -> float:
        """Distance between neighbouring outputs."""
        return self._coarsest * math.exp2(-fineness / FINENESS)

    def between(self, low: float, high: float, fineness: int, *, moved: bool) -> Outputs:
        """The outputs from just below low to just above high; moved ones lie halfway between the others."""
        spacing = self.spacing(fineness)
        if high - low > SETTINGS.most * spacing:
            raise ConvergenceError("a tilt of the privacy loss gives weight to too many outputs")
        first, last = math.floor(low / spacing), math.ceil(high / spacing)
        start, made = self._made.get((fineness, moved), (first, None))
        if made is None or first < start or last >= start + made.losses.size:
            margin = math.ceil(SETTINGS.margin * self._sigma / spacing)
            end = last if made is None else max(last, start + made.losses.size - 1)
            start = min(first, start) - margin
            made = self._evaluate(np.arange(start, end + margin + 1, dtype=np.float64), spacing, moved=moved)
            self._made[fineness, moved] = start, made
        return made.part(first - start, last + 1 - start)

    def _evaluate(self, index: Floats, spacing: float, *, moved: bool) -> Outputs:
        sigma, rate = self._sigma, self._rate
        x = (index + 0.5 if moved else index) * spacing
        exponent = (x - 0.5) / sigma**2
        ratio_change = rate * np.expm1(np.minimum(exponent, 700.0))
        losses = np.log1p(ratio_change)
        if exponent[-1] > SETTINGS.linear_from:
            far = exponent > SETTINGS.linear_from
            losses[far] = exponent[far] + math.log(rate)
        log_density = -0.5 * (x / sigma) ** 2 + math.log(spacing / (sigma * math.sqrt(2 * math.pi)))
        density = np.exp(log_density)
        excess = ratio_change - losses
        first, last = losses.searchsorted((-SERIES_TO, SERIES_TO))
        excess[first:last] = exponential_excess(losses[first:last])
        excess *= density
        return Outputs(losses, log_density, density, excess)


def exponential_excess(x: Floats) -> Floats:
    """e^x - 1 - x for sizes up to 0.15, by its series."""
    bracket = x / SETTINGS.series_terms
    for divisor in range(SETTINGS.series_terms - 1, 2, -1):
        bracket += 1
        bracket *= x
        bracket /= divisor
    bracket += 1
    bracket *= x
    bracket *= x
    bracket *= 0.5
    return bracket
