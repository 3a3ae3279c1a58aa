r"""The density of a privacy loss under Q, from its bulk to as deep a tail as wanted.

The loss of sampled steps has a least value, and its density is held as that of the logarithm s of the excess over it.
On this scale the common losses, those that a single rare output causes and everything between are equally smooth.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gaussdp.accounting.density.log_density import LogDensity, panels_of, resolved
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.outputs import least_loss, normal_log_density
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.operating_points import HALF_LOG_2PI
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import TINY, Booleans, Floats, Indices


@dataclass(frozen=True)
class ScaleSettings:
    """What is tuned about densities on their scale; exponents are -log of densities."""

    widest: float = 2.0  # panels to begin with, on the logarithmic scale
    many: int = 60  # ... and how many of them at the most
    scans: tuple[int, ...] = (40, 16, 16)  # points of one scan after the other that close in on both ends
    linear_from: float = 40.0  # excess past which log(e^excess - 1) is the excess
    bottom: float = 4.0  # depths below which logarithms are cut off: next to the ends integrals may vanish
    well: float = 10.0  # exponent by which a node lies well within the part that is exact
    beyond: float = 8.0
    """The same for a threshold. Past the part that is exact errors grow as the density falls, so that what lies there,
    some 45 of its exponents, weighs 45 e^-8 = 0.02 of what the errors would in a tail, and in a profile, which is more
    of what lies farther, some times that."""
    least_log_unit: float = -600.0  # of a signed scale: a unit is a double
    steepest: float = 60.0  # change of a logarithm between edges, at most, that a rule of 32 nodes integrates


SETTINGS = ScaleSettings()

MARGIN = 45.0  # exponent between what is computed and what is exact

_RULE = np.polynomial.legendre.leggauss(32)


@dataclass(frozen=True)
class Scale:
    """Points s = log(loss - least), or the losses themselves if none is least; of interest down to two depths.

    What lies below the mean decides about upper tails no further than a double can tell, and the other way round.
    """

    least: float
    above: float  # depth of interest above the mean: down to e^-above
    below: float  # ... and below it
    least_rest: float = 0.0  # what the double leaves of the least loss

    @property
    def depth(self) -> float:
        """The larger of the depths."""
        return max(self.above, self.below)

    def depths(self, s: Floats, centre: float) -> Floats:
        """The depths at points."""
        return np.where(s < centre, self.below, self.above)

    def loss(self, s: Floats) -> Floats:
        """The losses at points."""
        return self.least + np.exp(s) if self.bounded else s

    def excess(self, s: Floats) -> Floats:
        """The losses at points, or their excesses over the least one."""
        return np.exp(s) if self.bounded else s

    def excess_of(self, loss: Floats) -> Floats:
        """Losses, or their excesses over the least one."""
        return (loss - self.least) - self.least_rest if self.bounded else loss

    def place(self, loss: Floats) -> Floats:
        """The points of losses, -inf for those not above the least one."""
        return log(self.excess_of(loss)) if self.bounded else loss

    def log_slope(self, s: Floats) -> Floats:
        """log of d loss / ds."""
        return s if self.bounded else np.zeros_like(s)

    @property
    def bounded(self) -> bool:
        """Whether there is a least loss."""
        return math.isfinite(self.least)

    def height(self, s: Floats, log_density: Floats) -> Floats:
        """The larger of the densities under Q and under P, as a logarithm."""
        return log_density + np.maximum(self.loss(s), 0.0)

    def plus(self, other: "Scale") -> "Scale":
        """The scale of a sum; what rounding takes from the sum of two least losses goes to the rest."""
        least = self.least + other.least
        part = least - self.least
        lost = (self.least - (least - part)) + (other.least - part)
        return replace(self, least=least, least_rest=self.least_rest + other.least_rest + lost)

    def build(
        self,
        log_density: Callable[[Floats], Floats],
        low: float,
        centre: float,
        high: float,
        noise: Callable[[Floats], Floats] = np.zeros_like,
    ) -> "LossDensity":
        """The density between two points; the bulk is near the centre. The logarithm may be noisy."""
        if not math.isfinite(high - low):
            raise ConvergenceError("the density of the privacy loss has no ends that doubles can hold")
        widest = max(SETTINGS.widest, (high - low) / SETTINGS.many)
        edges = [np.linspace(a, b, math.ceil((b - a) / widest) + 1) for a, b in ((low, centre), (centre, high))]

        def above_bottom(s: Floats) -> Floats:
            # Next to the ends the integrals may vanish.
            return np.maximum(log_density(s), -SETTINGS.bottom * self.depth - np.maximum(self.loss(s), 0.0))

        def irrelevance(s: Floats, values: Floats) -> Floats:
            return MARGIN - self.depths(s, centre) - self.height(s, values)

        density = resolved(above_bottom, np.concatenate((edges[0], edges[1][1:])), irrelevance, noise)
        return LossDensity(self, density)

    def live(
        self, log_density: Callable[[Floats], Floats], low: float, centre: float, high: float
    ) -> tuple[float, float, float]:
        """The centre between the points up to which the density is of interest, of those from low to high."""
        inside, outside, depths = [centre, centre], [low, high], (self.below, self.above)
        for points in SETTINGS.scans:
            scans = np.array([np.linspace(*ends, points) for ends in zip(inside, outside, strict=True)])
            heights = self.height(scans.ravel(), log_density(scans.ravel())).reshape(scans.shape)
            for side, depth in enumerate(depths):
                alive = heights[side] > -depth
                alive[0] = True
                last = int(np.flatnonzero(alive)[-1])
                inside[side], outside[side] = float(scans[side, last]), float(scans[side, min(last + 1, points - 1)])
        return inside[0], centre, inside[1]


@dataclass(frozen=True)
class SignedScale(Scale):
    """Points s with loss = unit sinh(s), for losses of either sign that have the same law under P with it changed.

    The loss of an exchanged record is of this form in its output, as long as it is small.
    """

    unit: float = 1.0

    def loss(self, s: Floats) -> Floats:
        """The losses at points."""
        return self.unit * np.sinh(s)

    def excess(self, s: Floats) -> Floats:
        """The losses at points."""
        return self.loss(s)

    def place(self, loss: Floats) -> Floats:
        """The points of losses."""
        return np.arcsinh(loss / self.unit)

    def log_slope(self, s: Floats) -> Floats:
        """log of d loss / ds."""
        slope: Floats = np.logaddexp(s, -s) + math.log(0.5 * self.unit)
        return slope

    def log_slope_of(self, loss: Floats) -> Floats:
        """The same at losses."""
        slope: Floats = np.log(np.hypot(loss, self.unit))
        return slope

    def plus(self, other: Scale) -> "SignedScale":
        """The scale of a sum, which is as smooth as the smoother of both."""
        return replace(self, unit=max(self.unit, other.unit) if isinstance(other, SignedScale) else self.unit)


@dataclass(frozen=True)
class LossDensity:
    """A density under Q on a scale; exact down to a MARGIN above the scale's depth."""

    scale: Scale
    density: LogDensity

    @cached_property
    def edges(self) -> Floats:
        """Those of the panels, cut so that neither law's density changes by more than a rule can bear in between."""
        edges = self.density.edges
        log_density, losses = self.density.at(edges), self.scale.loss(edges)
        steepest = np.maximum(np.abs(np.diff(log_density)), np.abs(np.diff(log_density + losses)))
        parts = np.maximum(np.ceil(steepest / SETTINGS.steepest), 1).astype(np.intp)
        cut = [np.linspace(a, b, n, endpoint=False) for a, b, n in zip(edges[:-1], edges[1:], parts, strict=True)]
        return np.append(np.concatenate(cut), edges[-1])

    def panels(self, s: Floats) -> Indices:
        """The index of the edge below each point."""
        return panels_of(self.edges, s)

    @cached_property
    def nodes(self) -> tuple[Floats, Floats]:
        """Losses at the nodes of a rule between neighbouring edges, and the logarithms of their masses under Q."""
        return self.between(self.edges[:-1], self.edges[1:])

    @cached_property
    def well_inside(self) -> Booleans:
        """Which nodes lie well within the part that is exact."""
        s = self.places(self.edges[:-1], self.edges[1:])
        return self._is_exact(s, self.density.at(s.ravel()).reshape(s.shape) - SETTINGS.well)

    def reaches(self, s: Floats) -> Booleans:
        """At which points the density is exact."""
        inside: Booleans = (s > self.density.edges[0]) & (s < self.density.edges[-1])
        inside[inside] = self._is_exact(s[inside], self.density.at(s[inside]))
        return inside

    def reaches_tails(self, s: Floats) -> Booleans:
        """At which points the tails are exact as well."""
        inside = self.reaches(s)
        inside[inside] = self._is_exact(s[inside], self.density.at(s[inside]) - SETTINGS.beyond)
        return inside

    def _is_exact(self, s: Floats, log_density: Floats) -> Booleans:
        exact: Booleans = self.scale.height(s, log_density) > MARGIN - self.scale.depths(s, self.centre)
        return exact

    def between(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """What nodes gives, between any two points that have no edge between them."""
        s, half = self.places(low, high), 0.5 * (high - low)
        panels = self.density.panels(0.5 * (low + high))
        return self.scale.loss(s), self.density.values(panels, s) + log(np.multiply.outer(half, _RULE[1]))

    @cached_property
    def excesses(self) -> Floats:
        """Of the losses at the nodes, over the least one."""
        return self.scale.excess(self.places(self.edges[:-1], self.edges[1:]))

    def places(self, low: Floats, high: Floats) -> Floats:
        """The nodes of the rule between points."""
        return (0.5 * (low + high))[:, np.newaxis] + np.multiply.outer(0.5 * (high - low), _RULE[0])

    @cached_property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        losses, log_masses = self.nodes
        return float(np.sum(np.exp(log_masses) * losses))

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        losses, log_masses = self.nodes
        return math.sqrt(float(np.sum(np.exp(log_masses) * (losses - self.mean) ** 2)))

    @cached_property
    def centre(self) -> float:
        """The point of the mean."""
        return float(self.scale.place(np.array([self.mean]))[0])

    def normalised(self) -> "LossDensity":
        """The same density with total mass 1."""
        return replace(self, density=self.density.scaled(-float(log_sums(self.nodes[1].reshape(1, -1))[0])))


def exchanged_step(step: ExchangedLoss, above: float, below: float | None = None) -> LossDensity:
    """The density of the loss of a step in which a sampled record is exchanged; see `sampled_step`."""
    sigma, rate = step.noise_multiplier, step.sample_rate
    below = above if below is None else below
    # A record that is nearly always there has losses of the size of its Gaussian one.
    log_unit = min(math.log(2 * rate) - math.log1p(-rate) - 0.5 / sigma**2, math.log(4 / sigma))
    scale = SignedScale(-math.inf, above, below, unit=math.exp(max(log_unit, SETTINGS.least_log_unit)))

    def log_density(s: Floats) -> Floats:
        x = step.output_of(scale.loss(s))
        log_law = math.log1p(-rate) + np.logaddexp(0.0, step.log_odds(-x)) + normal_log_density(x, sigma)
        result: Floats = log_law + scale.log_slope(s) - np.log(step.slope(x))
        return result

    ends = np.array([-1 - sigma * math.sqrt(2 * below), 1 + sigma * math.sqrt(2 * above)])
    low, high = scale.place(step.loss(ends)).tolist()
    return scale.build(log_density, low, 0.0, high)


def gaussian_law(squared_mu: float, above: float, below: float) -> LossDensity:
    """The density of plain Gaussian releases, N(-mu^2 / 2, mu^2), on the scale of exchanged records."""
    mu = math.sqrt(squared_mu)
    scale = SignedScale(-math.inf, above, below, unit=mu)

    def log_density(s: Floats) -> Floats:
        return normal_log_density(scale.loss(s) + 0.5 * squared_mu, mu) + scale.log_slope(s)

    ends = np.array([-0.5 * squared_mu - mu * math.sqrt(2 * below), 0.5 * squared_mu + mu * math.sqrt(2 * above)])
    low, high = scale.place(ends).tolist()
    return scale.build(log_density, low, 0.0, high)


def sampled_step(step: StepLoss, above: float, below: float | None = None) -> LossDensity:
    """The density of one step's loss: that of the output at which the loss has this excess, over the slope there.

    Args:
        step: with a least loss.
        above: depth of interest above the mean.
        below: the same below it, if it is another.

    Raises:
        ConvergenceError: if the step has no least loss.
    """
    if not isinstance(step, SampledGaussianLoss | MixtureLoss) or step.lowest == -math.inf:
        raise ConvergenceError("the density of a loss needs a least one")
    sigma = step.noise_multiplier
    largest = step.largest if isinstance(step, MixtureLoss) else 1.0

    def log_density(s: Floats) -> Floats:
        excess = np.exp(s)
        small = np.clip(excess, TINY, SETTINGS.linear_from)
        log_growth = np.where(
            excess > SETTINGS.linear_from, excess, s + np.log(np.expm1(small) / small)
        )  # log(e^excess - 1)
        x, slope = step.output_at(log_growth)
        result: Floats = s + excess - log_growth - 0.5 * (x / sigma) ** 2 - HALF_LOG_2PI - np.log(sigma * slope)
        return result

    def place(z: float) -> float:
        log_growth = float(step.log_growth(np.array([sigma * z]))[0][0])
        return log_growth if log_growth < -SETTINGS.linear_from else math.log(float(np.logaddexp(0.0, log_growth)))

    least = least_loss([(step.least_ratio, 1)])
    below = above if below is None else below
    scale = Scale(least.high, above, below, least.low)
    low, high = -math.sqrt(2 * below), math.sqrt(2 * above) + largest / sigma
    return scale.build(log_density, place(low), place(0.0), place(high))


def log(values: Floats) -> Floats:
    """The logarithm, -inf of what is not positive."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(values, 0.0))


def log_sums(rows: Floats) -> Floats:
    """Logarithms of the sums of rows that are given as logarithms."""
    top = rows.max(axis=1)
    top[top == -np.inf] = 0.0
    sums: Floats = top + log(np.exp(rows - top[:, np.newaxis]).sum(axis=1))
    return sums
