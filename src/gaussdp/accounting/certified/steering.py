"""Where to look, in plain floats: no proof rests on what is computed here, only the time that a proof takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from gaussdp.accounting.certified.steps import HEIGHTS, Part
from gaussdp.accounting.certified.witnesses import CellTable, NodeGrid
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats


@dataclass(frozen=True)
class SteeringSettings:
    """What is tuned about the choice of lines and grids."""

    reach: float = 14.0  # standard deviations of outputs that are looked at
    per_width: float = 6.0  # cells in the width of the narrowest feature of a step
    most_cells: int = 6000
    heights: int = 40  # of rectangles tried
    share_of_strip: float = 0.97  # the highest of them, of the strip in which a step is analytic
    worth: float = 0.97  # of the period: less is not worth a larger shift
    shifts: int = 60  # of a line tried for its images
    heavy: float = -3.0  # logarithm of a density at a cut, times the number of steps, that these tilts avoid
    mantissa: int = 2**24  # to which spacings are rounded, so that they are short to write


SETTINGS = SteeringSettings()


class Shape:
    """One step under one tilt: where its mass lies, how large a rectangle pays, how it decays."""

    tilt: float
    count: int
    square: float
    depth: float
    table: CellTable
    x: Floats
    share: Floats
    log_mass: Floats
    log_mgf: float
    low: float
    high: float

    def __init__(self, part: Part, tilt: float, depth: float, cut: float) -> None:
        sigma, self.tilt, self.count = part.noise_multiplier, tilt, part.count
        self.square = sigma * sigma
        self.depth = depth + math.log(part.count)
        low = lowest_mode(part, tilt) - (math.sqrt(2 * self.depth) + 2) * sigma
        narrow = min(sigma, self.square / math.sqrt(1 + abs(tilt) / 4))
        width = rounded(max(narrow / SETTINGS.per_width, (cut - low) / SETTINGS.most_cells))
        self.table = CellTable(cut, width, math.ceil((cut - low) / width))
        self.x = cut - width * np.arange(self.table.cells, -1, -1, dtype=np.float64)
        log_w, self.share = losses(part, self.x)
        log_mass = -0.5 * (self.x / sigma) ** 2 + tilt * log_w
        log_total = float(special.logsumexp(log_mass)) + math.log(width)
        self.log_mass = log_mass - log_total  # of the density, normalised
        self.log_mgf = log_total - math.log(sigma) - 0.5 * math.log(2 * math.pi)
        density = np.exp(self.log_mass - np.log(self.share / self.square))
        self._mass = np.exp(np.maximum(self.log_mass[:-1], self.log_mass[1:])) * width
        self._less = np.exp(np.minimum(self.log_mass[:-1], self.log_mass[1:])) * width
        self._mass_from = np.append(np.cumsum(self._less[::-1])[::-1], 0.0)
        steps = np.abs(np.diff(density, append=0.0))
        self._variation_from = np.cumsum(steps[::-1])[::-1] + density
        self._paths = []
        for power in range(HEIGHTS):
            angle = 0.97 * math.pi / 2**power
            growth = 0.5 * angle**2 * self.square
            raised = self.share[:-1] / np.maximum(1 - self.share[:-1], 1e-300)
            end = growth + float(np.logaddexp(self.log_mass[0], self.log_mass[-1])) + math.log(sigma)
            angles = np.arctan2(raised * math.sin(angle), 1 + raised * math.cos(angle))
            self._paths.append((growth, end, angles, self._log_shrinks(np.array([angle]))[0][:-1]))
        heavy = np.flatnonzero(self.log_mass > -self.depth - 3)
        self.low, self.high = float(self.x[max(heavy[0] - 1, 0)]), float(self.x[min(heavy[-1] + 1, self.x.size - 1)])

    def _log_shrinks(self, angles: Floats) -> Floats:
        """How much larger |w|^c is at angles than on the real axis, as a logarithm."""
        if self.tilt >= 0:
            return np.zeros((angles.size, self.share.size))
        low, high = self.share, np.append(self.share[1:], self.share[-1])  # of the cells that start at each edge
        worst = np.where(high < 0.5, high, np.where(low > 0.5, low, 0.5))
        spread = 4 * worst * (1 - worst)
        shrinks: Floats = 0.5 * self.tilt * np.log1p(-np.multiply.outer(np.sin(angles / 2) ** 2, spread))
        return shrinks

    def log_decay(self, frequency: float) -> float:
        """The logarithm of the bound on |M(c + it)| / M(c), to the power of the count."""
        best = math.log1p(-min(max(float((self._mass_from - self._variation_from / frequency).max()), 0.0), 1 - 1e-16))
        for growth, end, angles, log_shrinks in self._paths:
            share = np.exp(log_shrinks - frequency * angles)
            less = 1 - float(self._less @ (1 - share))
            left = min(float(self._mass @ share), less) if less > 0 else float(self._mass @ share)
            best = min(best, float(np.logaddexp(growth + math.log(left + 1e-300), end)))
        return self.count * best

    def grid(self, frequency: float) -> NodeGrid:
        """The coarsest grid that is fine enough up to a frequency."""
        inside = (self.x >= self.low) & (self.x <= self.high)
        ahead = np.append(self.share[1:], self.share[-1])  # cells are bounded by what holds at their right end
        turn = np.where(ahead <= 0.5, ahead, 1.0)[inside] / self.square
        heights = np.linspace(0, SETTINGS.share_of_strip * math.pi * self.square, SETTINGS.heights + 1)[1:]
        heights = np.concatenate((heights[0] * 2.0 ** -np.arange(8.0, 0, -1), heights))
        growth = 0.5 * heights**2 / self.square
        exponents = self.log_mass[inside] + np.multiply.outer(frequency * heights, turn)
        log_shrinks = self._log_shrinks(heights / self.square)[:, inside]
        exponents += log_shrinks
        edge = growth + special.logsumexp(exponents, axis=1) + math.log(self.table.width)
        # The sides: what is heavy there must not turn faster than the grid can follow.
        ends = np.array([turn[0], turn[-1]]) * frequency
        rate = np.maximum((edge + self.depth + 3) / heights, ends.max() + 0.5 * heights / self.square)
        sides = (log_shrinks + self.log_mass[inside])[:, [0, -1]].max(axis=1) + np.log(heights)
        rate = rate * (1 + np.maximum(sides + self.depth, 0.0))  # heights at which they would weigh are the last choice
        best = int(rate.argmin())
        spacing = rounded(2 * math.pi / float(rate[best]))
        low, high = math.floor(self.low / spacing), math.ceil(self.high / spacing)
        return NodeGrid(
            max(low, math.ceil(float(self.x[0]) / spacing)),
            min(high, math.floor(self.table.cut / spacing)),
            spacing,
            float(heights[best]),
        )


class Steering:
    """The composed loss in floats: its cumulants, and where lines should stand."""

    squared_mu: float
    parts: tuple[Part, ...]
    cuts: list[float]

    def __init__(self, squared_mu: float, parts: Sequence[Part], deviations: float) -> None:
        self.squared_mu, self.parts = squared_mu, tuple(parts)
        self.cuts = [rounded(1 + deviations * part.noise_multiplier) for part in parts]
        self._cumulants = lru_cache(maxsize=4096)(self._at)

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """K, K' and K'' at a tilt."""
        return self._cumulants(tilt)

    def _at(self, tilt: float) -> tuple[float, float, float]:
        value = 0.5 * self.squared_mu * tilt * (tilt - 1)
        mean, variance = self.squared_mu * (tilt - 0.5), self.squared_mu
        for part, high in zip(self.parts, self.cuts, strict=True):
            sigma = part.noise_multiplier
            low = lowest_mode(part, tilt) - SETTINGS.reach * sigma
            size = min(int((high - low) / min(0.05 * sigma, 0.2 * sigma * sigma)) + 2, 20_000)
            x, width = np.linspace(low, high, size, retstep=True)
            loss, _ = losses(part, x)
            log_mass = -0.5 * (x / sigma) ** 2 + tilt * loss
            top = float(log_mass.max())
            mass = np.exp(log_mass - top)
            total = float(mass.sum())
            first = float(mass @ loss) / total
            log_mgf = math.log(total * float(width) / sigma) + top - 0.5 * math.log(2 * math.pi)
            value += part.count * log_mgf
            mean += part.count * first
            variance += part.count * float(mass @ (loss - first) ** 2) / total
        return value, mean, variance

    def saddle(self, threshold: float, region: int) -> float:
        """The tilt in a region (-1: below 0, 0: from 0 to 1, 1: above 1) where the integrand is smallest."""

        def slope(tilt: float) -> float:
            return self.cumulants(tilt)[1] - threshold - 1 / tilt - 1 / (tilt - 1)

        if region == 0:
            low, high = 1e-9, 1 - 1e-9
        else:
            origin = 1.0 if region > 0 else 0.0
            variance = self.cumulants(origin)[2]
            if not 0 < variance < math.inf:
                raise ConvergenceError(f"no line for a proof at the loss {threshold:g} is known")
            scale = 1 / math.sqrt(variance)
            for _ in range(80):
                if (slope(origin + region * scale) > 0) == (region > 0) or scale > 1e6:
                    break
                scale *= 2
            low, high = sorted((origin + region * 1e-6 * scale, origin + region * scale))
        for _ in range(60):
            middle = 0.5 * (low + high)
            if slope(middle) > 0:
                high = middle
            else:
                low = middle
            if high - low < 1e-3 * min(abs(middle), abs(middle - 1)):
                break
        return rounded(0.5 * (low + high))

    def near(self, kind: str, log_level: float) -> float:
        """A threshold near the one where a tail has this logarithm, by the saddlepoint approximation.

        Args:
            kind: fpr, fnr, remove or add.
            log_level: of the tail.
        """
        poles = {"fpr": (0.0,), "fnr": (1.0,)}.get(kind, (0.0, 1.0))
        side = 1 if kind in ("fpr", "remove") else -1
        origin = max(poles) if side > 0 else min(poles)

        def at(shift: float) -> tuple[float, float]:
            tilt = origin + side * shift
            value, mean, variance = self.cumulants(tilt)
            threshold = mean - sum(1 / (tilt - pole) for pole in poles)
            curvature = variance + sum((tilt - pole) ** -2 for pole in poles)
            log_tail = (
                value - (tilt - (kind in ("fnr", "remove"))) * threshold - 0.5 * math.log(2 * math.pi * curvature)
            )
            return threshold, log_tail - sum(math.log(abs(tilt - pole)) for pole in poles)

        low, high = 1e-6, 1e-6
        for _ in range(80):
            if at(high)[1] < log_level:
                break
            low, high = high, 2 * high
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if at(middle)[1] < log_level else (middle, high)
        return at(0.5 * (low + high))[0]

    def images(
        self, tilt: float, thresholds: tuple[float, float], depth: float, *, spare: bool
    ) -> tuple[float, float, float]:
        """Two tilts beside a line, in the same region, and the period with which its images vanish.

        If so told they spare outputs at cuts, which have no tight moments where they are heavy.
        """
        poles = [-math.inf, 0.0, 1.0, math.inf]
        here = next(k for k in range(3) if poles[k] < tilt < poles[k + 1])
        value, _, variance = self.cumulants(tilt)
        scale = math.sqrt(2 * depth / variance)
        found = []
        for sign, room, threshold in (
            (-1, tilt - poles[here], thresholds[1]),
            (1, poles[here + 1] - tilt, thresholds[0]),
        ):
            shifts = [float(shift) for shift in min(scale, room) * 2.0 ** np.linspace(-6, 3, SETTINGS.shifts)]
            shifts = [shift for shift in shifts if shift <= room]
            light = [shift for shift in shifts if self._log_at_cuts(tilt + sign * shift) <= SETTINGS.heavy]
            best, period = 0.0, math.inf
            for shift in light if spare else shifts:
                beside = self.cumulants(tilt + sign * shift)[0]
                needed = (depth + beside - value - sign * shift * threshold) / shift
                if needed < SETTINGS.worth * period:
                    best, period = shift, needed
            found.append((tilt + sign * best, period))
        (low, below), (high, above) = found
        return low, high, max(below, above)

    def _log_at_cuts(self, tilt: float) -> float:
        """The logarithm of the largest tilted density at a cut, times the count: heavy ones have no tight moments."""
        found = []
        for part, cut in zip(self.parts, self.cuts, strict=True):
            loss, _ = losses(part, np.array([cut]))
            density = -0.5 * (cut / part.noise_multiplier) ** 2 - math.log(part.noise_multiplier)
            found.append(math.log(part.count) + density + tilt * float(loss[0]))
        return max(found, default=-math.inf) if tilt > 0 else -math.inf

    def shapes(self, tilt: float, depth: float) -> list[Shape]:
        """Each part under a tilt."""
        return [Shape(part, tilt, depth, cut) for part, cut in zip(self.parts, self.cuts, strict=True)]

    def light_at_cuts(self, tilt: float, depth: float) -> bool:
        """Whether the tilted density is below e^-depth where it is cut off, for every part."""
        return all(float(shape.log_mass[-1]) < -shape.depth for shape in self.shapes(tilt, depth))

    def grids(self, tilt: float, spacing: float, depth: float) -> tuple[list[Shape], float]:
        """Each part under a tilt, and the frequency from which on the composed transform is negligible."""
        shapes = self.shapes(tilt, depth)

        def log_decay(frequency: float) -> float:
            gaussian = -0.5 * self.squared_mu * frequency * frequency
            return gaussian + sum(shape.log_decay(frequency) for shape in shapes)

        high = spacing
        while log_decay(high) > -depth:
            high *= 1.3
            if high > 1e9 * spacing:
                raise ConvergenceError("no proof: the transform of so few or so rarely sampled steps decays too slowly")
        return shapes, high


def lowest_mode(part: Part, tilt: float) -> float:
    """Not far below all outputs where the tilted density, or that of the loss, may be largest."""
    if tilt >= -1:
        return -1.0
    low, high = tilt, -1.0
    for _ in range(60):
        if high - low < 0.01 * part.noise_multiplier:
            break
        middle = 0.5 * (low + high)
        odds = math.log(part.sample_rate) - math.log1p(-part.sample_rate)
        share = float(special.expit(odds + (middle - 0.5) / part.noise_multiplier**2))
        low, high = (middle, high) if (tilt + 1) * share - (middle + 1) > 0 else (low, middle)
    return low


def losses(part: Part, x: Floats) -> tuple[Floats, Floats]:
    """The loss at outputs, and its slope times sigma^2."""
    low, high = math.log1p(-part.sample_rate), math.log(part.sample_rate)
    raised = high + (x - 0.5) / part.noise_multiplier**2
    loss = np.logaddexp(low, raised)
    return loss, np.maximum(np.exp(raised - loss), 1e-300)


def rounded(value: float) -> float:
    """A nearby number that takes few digits to write, not larger in size.

    Raises:
        ConvergenceError: if it is none.
    """
    if not math.isfinite(value):
        raise ConvergenceError("no proof: losses are too large for what steers it")
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.trunc(mantissa * SETTINGS.mantissa), exponent) / SETTINGS.mantissa
