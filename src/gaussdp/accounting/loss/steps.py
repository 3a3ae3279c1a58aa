r"""The privacy loss of one Poisson-sampled Gaussian step, exponentially tilted, on a trapezoid grid.

With Q = N(0, sigma^2) and P = (1 - q) N(0, sigma^2) + q N(1, sigma^2) the loss at an output x is

.. math:: L(x) = \log(1 - q + q\,e^{(2x-1)/2\sigma^2}),

and its moment generating function :math:`M(\theta) = E_Q[e^{\theta L}]` is an integral over the line of a function
that decays like a Gaussian and is analytic for :math:`|\mathrm{Im}\,x| < \pi\sigma^2`: the trapezoid rule converges
exponentially in the number of nodes.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

import numpy as np
from scipy import special

from gaussdp.accounting.loss.outputs import (
    SERIES_TO,
    OutputGrids,
    Outputs,
    exponential_excess,
    sampled_outputs,
)
from gaussdp.accounting.loss.sums import weighted_rows
from gaussdp.numerics import LARGEST_EXPONENT, Floats


@dataclass(frozen=True)
class StepSettings:
    """What is tuned about the tilted law of one step; exponents are -log of weights."""

    negligible: float = 49.0  # outputs below e^-49 of the heaviest add nothing, even to 1e9 steps
    worth_dropping: float = 58.0  # ... and are dropped if the outermost are far below
    no_overflow: float = 600.0  # exponent of the largest term that is summed without a scale
    real_width: float = 1.6
    """Of a peak, the width that the grid of a real tilt must resolve: its trapezoid rule errs by e^(-2 pi^2 / 0.48^2),
    where that for waves along a line has spacings of 0.3."""
    small_log_mgf: float = 0.5  # below, log M comes from M - 1, which is summed without cancellation


SETTINGS = StepSettings()

OUTPUT_REACH = 9.8  # standard deviations kept on each side: the rest weighs less than 1e-21
CLEAN = 39.0


@dataclass(frozen=True, slots=True)
class TiltedGrid:
    """The loss under the law proportional to e^(tilt L) dQ: nodes with weights, and the first cumulants."""

    centred: Floats  # losses less their mean
    weights: Floats
    log_mgf: float
    mean: float
    variance: float
    third: float  # central moment
    cut: float  # how far the last node, where the cutoff may be, lies below the heaviest, as a logarithm
    whole: bool  # whether the cutoff lies beyond all nodes, so that no higher one would make a difference

    @property
    def clean(self) -> bool:
        """Whether the cutoff, if there is one, cuts nothing of weight."""
        return self.cut > CLEAN


class StepLoss(ABC):
    """The loss of one step: a rising function of a Gaussian output, or of a mixture of such.

    Outputs above a cutoff are left out. A strong tilt would give them all the weight, although no tail that is asked
    for depends on them; `lost` says how likely they are.
    """

    __slots__ = ()

    noise_multiplier: float
    _outputs: OutputGrids

    def cut(self, cutoff: float) -> Self:
        """The same step with another cutoff, on the same grids."""
        make: Callable[..., Self] = type(self)
        step = make(*self._arguments[:-1], cutoff)
        step._share(self._outputs)
        return step

    def _share(self, outputs: OutputGrids) -> None:
        object.__setattr__(self, "_outputs", outputs)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._arguments

    @property
    @abstractmethod
    def _arguments(self) -> tuple[Any, ...]:
        """What makes an equal step; the cutoff comes last."""

    @property
    @abstractmethod
    def lowest(self) -> float:
        """Infimum of the loss."""

    @property
    @abstractmethod
    def least_ratio(self) -> Fraction:
        """Infimum of the likelihood ratio, whose logarithm is the lowest loss; 0 if there is none."""

    @property
    @abstractmethod
    def highest_output(self) -> float:
        """Where outputs are cut off."""

    @property
    @abstractmethod
    def rare_from(self) -> float:
        """About the tilt at which outputs that the record alone explains come to rule M."""

    @property
    def log_untouched(self) -> float:
        """Logarithm of the probability that the step is not touched by what is removed or exchanged."""
        return self.lowest

    @abstractmethod
    def log_mgf_at_most(self, tilt: float) -> float:
        """An upper bound on log M in closed form, up to rounding; the proofs are in docs/numerics.md."""

    @abstractmethod
    def lost(self) -> tuple[float, float]:
        """Probabilities under Q and under P of the outputs left out."""

    @property
    def clean_to(self) -> float:
        """About the tilt up to which the cutoff cuts nothing of weight; infinite if not known."""
        return math.inf

    @abstractmethod
    def _support(self, tilt: float) -> tuple[float, float, float]:
        """Ends of the interval that holds all of the mass of the tilted law, and the width of its peak."""

    def outputs(
        self, tilt: float, refinement: int = 0, *, moved: bool = False
    ) -> tuple[Outputs, tuple[float, float], float]:
        """The outputs that matter under a tilt, between which ends they were asked for, and their spacing."""
        low, high, width = self._support(tilt)
        fineness = self._outputs.fineness(width) + refinement
        outputs = self._outputs.between(low, high, fineness, moved=moved)
        return outputs, (low, high), self._outputs.spacing(fineness)

    def tilted(self, tilt: float, refinement: int = 0, *, moved: bool = False, precise: bool = False) -> TiltedGrid:
        """The tilted law on a grid that is finer the larger the refinement, or on one between.

        A precise one bears many steps: the errors of its first cumulants are of the size of rounding errors of squared
        losses, not of losses.
        """
        outputs, (_, high), _ = self.outputs(tilt, refinement, moved=moved)
        exponent = tilt * outputs.losses
        log_weights = exponent + outputs.log_density
        heaviest = float(log_weights[log_weights.argmax()])
        weights = np.exp(log_weights - heaviest)
        total = float(weights.sum())
        log_mgf = heaviest + math.log(total)
        mean = None
        # Past there the density alone may be no normal double, though its product with the ratio is of any size.
        representable = max(-float(outputs.losses[0]), float(outputs.losses[-1])) < SETTINGS.no_overflow
        if abs(log_mgf) < SETTINGS.small_log_mgf and representable:
            change, mean = _moments(outputs, exponent, weights * math.exp(heaviest), tilt, precise=precise)
            log_mgf = math.log1p(change)
        weights /= total
        losses = outputs.losses
        if min(log_weights[0], log_weights[-1]) < heaviest - SETTINGS.worth_dropping:
            kept = log_weights > heaviest - SETTINGS.negligible
            if mean is not None:  # that of outputs that are kept, since large losses weigh more in it than in all else
                mean -= float(weights[~kept] @ (losses[~kept] - mean))
            losses, weights = losses[kept], weights[kept]
        if mean is None:
            mean = float(weights @ losses)
        centred = losses - mean
        weighted = weights * centred
        variance = float(weighted @ centred)
        weighted *= centred
        cut = heaviest - float(log_weights[-1])
        whole = high < self.highest_output
        return TiltedGrid(centred, weights, log_mgf, mean, variance, float(weighted @ centred), cut, whole)

    def log_mgf(self, tilts: Floats) -> Floats:
        """log M at many real tilts, from one grid; rounding error near 1e-15, also where log M is smaller."""
        listed = tilts.tolist()
        least, most = min(listed), max(listed)
        low, high, width = self._support(least)
        if most > 0:
            _, high, _ = self._support(most)
        outputs = self._outputs.between(low, high, self._outputs.fineness(SETTINGS.real_width * width), moved=False)
        log_weights = np.multiply.outer(tilts, outputs.losses)
        largest = max(-float(outputs.losses[0]), float(outputs.losses[-1]))
        if max(abs(least), abs(most)) * largest < SETTINGS.no_overflow:
            return np.log(weighted_rows(np.exp(log_weights, out=log_weights), outputs.density))
        log_weights += outputs.log_density
        heaviest = log_weights.max(axis=1)
        log_weights -= heaviest[:, np.newaxis]
        logarithm: Floats = heaviest + np.log(np.exp(log_weights, out=log_weights).sum(axis=1))
        return logarithm


@dataclass(frozen=True, slots=True)
class SampledGaussianLoss(StepLoss):
    """One step: Gaussian noise of this multiplier on a Poisson sample of this rate (below 1).

    Outputs above 1 + cutoff * noise_multiplier are left out.
    """

    noise_multiplier: float
    sample_rate: float
    cutoff: float = math.inf
    _made: OutputGrids | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def _outputs(self) -> OutputGrids:  # type: ignore[override]
        """Made when needed: a long schedule has many steps that others stand for."""
        made = self._made
        if made is None:
            made = sampled_outputs(self.noise_multiplier, self.sample_rate)
            self._share(made)
        return made

    def _share(self, outputs: OutputGrids) -> None:
        object.__setattr__(self, "_made", outputs)

    @property
    def _arguments(self) -> tuple[float, ...]:
        return self.noise_multiplier, self.sample_rate, self.cutoff

    @property
    def lowest(self) -> float:
        return math.log1p(-self.sample_rate)

    @property
    def least_ratio(self) -> Fraction:
        return 1 - Fraction(self.sample_rate)

    @property
    def highest_output(self) -> float:
        return 1.0 + self.cutoff * self.noise_multiplier

    @property
    def rare_from(self) -> float:
        """The tilt at which q^tilt e^(tilt (tilt - 1) / 2 sigma^2), the share of the record's outputs in M, is 1."""
        return 1 - 2 * self.noise_multiplier**2 * math.log(self.sample_rate)

    @property
    def clean_to(self) -> float:
        """The tilt at which e^(tilt L) phi, at the cutoff, is e^-39 of phi at its peak, where the loss is nearly 0."""
        x = self.highest_output
        exponent = (x - 0.5) / self.noise_multiplier**2
        if not exponent < LARGEST_EXPONENT:
            return math.inf
        loss = math.log1p(self.sample_rate * math.expm1(exponent))
        return (0.5 * (x / self.noise_multiplier) ** 2 - CLEAN) / loss

    def log_growth(self, x: Floats) -> tuple[Floats, Floats]:
        """log of (e^(L - lowest) - 1), and its slope in x."""
        slope = 1 / self.noise_multiplier**2
        return (x - 0.5) * slope + self.log_odds, np.full_like(x, slope)

    def output_at(self, log_growth: Floats) -> tuple[Floats, Floats]:
        """The output at which `log_growth` has these values, and its slope there."""
        square = self.noise_multiplier**2
        return square * (log_growth - self.log_odds) + 0.5, np.full_like(log_growth, 1 / square)

    def log_tails(self, losses: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the probabilities under Q and under P of larger losses than these, which exceed the least."""
        excess = losses - self.lowest
        x, _ = self.output_at(excess + np.log(-np.expm1(-excess)))
        under_q, beside = special.log_ndtr(np.stack((-x, 1 - x)) / self.noise_multiplier)
        return under_q, np.logaddexp(self.lowest + under_q, math.log(self.sample_rate) + beside)

    def exceeded(self, log_rate: float) -> float:
        """The loss that is exceeded under Q with a probability of this logarithm."""
        x = -self.noise_multiplier * float(special.ndtri_exp(log_rate))
        return self.lowest + float(np.logaddexp(0.0, (x - 0.5) / self.noise_multiplier**2 + self.log_odds))

    @property
    def log_odds(self) -> float:
        """log(q / (1 - q))."""
        return math.log(self.sample_rate) - math.log1p(-self.sample_rate)

    def log_mgf_at_most(self, tilt: float) -> float:
        weights = np.array([1 - self.sample_rate, self.sample_rate])
        logs = np.array([math.log1p(-self.sample_rate), math.log(self.sample_rate)])
        return log_mixed_moment(tilt, weights, logs, np.array([0.0, 1 / self.noise_multiplier]))

    def lost(self) -> tuple[float, float]:
        sigma = self.noise_multiplier
        plain = float(special.ndtr(-(1 / sigma + self.cutoff)))
        return plain, (1 - self.sample_rate) * plain + self.sample_rate * float(special.ndtr(-self.cutoff))

    def _support(self, tilt: float) -> tuple[float, float, float]:
        sigma = self.noise_multiplier
        reach = OUTPUT_REACH * sigma
        if tilt >= 0:
            # The tilt moves every mode into [0, tilt]; 1 is the centre of the term e^L.
            return -reach, min(max(tilt, 1.0) + reach, self.highest_output), sigma
        mode, weight = self._mode(tilt)
        width = sigma / math.sqrt(1 - tilt * weight * (1 - weight) / sigma**2)
        return mode - reach, 1.0 + reach, width

    def _mode(self, tilt: float) -> tuple[float, float]:
        """The root of x = tilt * w(x) for a negative tilt, and w there; w is the slope of L times sigma^2."""
        square, log_odds = self.noise_multiplier**2, self.log_odds
        low, high, x = tilt, 0.0, 0.0
        for _ in range(60):
            exponent = (x - 0.5) / square + log_odds
            weight = 1 / (1 + math.exp(-exponent)) if exponent > -LARGEST_EXPONENT else 0.0
            miss = x - tilt * weight
            if miss < 0:
                low = x
            else:
                high = x
            # Newton's step; the slope is at least 1.
            step = miss / (1 - tilt * weight * (1 - weight) / square)
            if abs(step) < 1e-3 * self.noise_multiplier:
                break
            x -= step
            if not low < x < high:
                x = 0.5 * (low + high)
        return x, weight


_SMALL = 4e-15  # of a logarithm of sums of exponentials: its rounding error, absolute or relative


def log_mixed_moment(tilt: float, weights: Floats, log_weights: Floats, mu: Floats) -> float:
    """At most the logarithm of E[(sum of w_j r_j)^t] for likelihood ratios r_j of mu_j-GDP releases.

    With E[r^t] = e^(t (t - 1) mu^2 / 2) it is at most the mean of these where the power is convex (Jensen), or of norm
    at most the mean of their norms (Minkowski); for t below 0 the sum is at least a term that is constant; for t
    between 0 and 1 its power is at most the sum of the powers of its terms.
    """
    energy = 0.5 * mu * mu
    if 0 <= tilt <= 1:
        return at_most_nothing(tilt * log_weights + tilt * (tilt - 1) * energy)
    bound = log_mean_exp(weights, log_weights, tilt * (tilt - 1) * energy)
    if tilt > 1:
        bound = min(bound, tilt * log_mean_exp(weights, log_weights, (tilt - 1) * energy))
    elif mu[0] == 0:
        bound = min(bound, tilt * float(log_weights[0]))
    return max(bound, 0.0)


def log_mean_exp(weights: Floats, log_weights: Floats, exponents: Floats) -> float:
    """log of the mean of e^exponents, to as many digits where it is small: many steps are next to nothing each."""
    if float(exponents.max()) > SETTINGS.no_overflow:
        return float(special.logsumexp(log_weights + exponents)) + _SMALL
    return math.log1p(float(weights @ np.expm1(exponents)))


def at_most_nothing(terms: Floats) -> float:
    """An upper bound on the logarithm of a sum that is at most 1, with its rounding."""
    total = float(special.logsumexp(terms))
    return min(total + _SMALL * (1 + abs(total)), 0.0)


def _moments(
    outputs: Outputs, exponent: Floats, tilted: Floats, tilt: float, *, precise: bool
) -> tuple[float, float | None]:
    """M - 1 = E[e^(tilt L) - 1 - tilt (e^L - 1)], since E[e^L] = 1: no rounding error of size 1 is left.

    If precise, with the mean of the tilted law; E[L] is computed as -E[e^L - 1 - L] and E[L e^(tilt L)] as
    E[L (e^(tilt L) - 1)] + E[L], so that no rounding error of the size of the losses is left either.
    """
    losses, density = outputs.losses, outputs.density
    change = tilted - density
    size = abs(tilt)
    first, last = losses.searchsorted((-1 / size, 1 / size)) if tilt else (0, losses.size)
    change[first:last] = density[first:last] * np.expm1(exponent[first:last])
    excess = change - density * exponent
    if precise:
        small = SERIES_TO / size if tilt else math.inf
        first, last = losses.searchsorted((-small, small))
        excess[first:last] = density[first:last] * exponential_excess(exponent[first:last])
        total = float(outputs.excess.sum())
        growth = float(excess.sum()) - tilt * total
        return growth, (float(change @ losses) - total) / (1 + growth)
    return float((excess - tilt * outputs.excess).sum()), None
