r"""Steps whose sensitivity is random: several records of one unit on a sample, and a record exchanged on a sample.

Both losses rise with the output x, so that thresholds on the loss are thresholds on x, as for one sampled record.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from gaussdp.accounting.loss.outputs import Law, OutputGrids, least_loss, normal_log_density, sampled_loss
from gaussdp.accounting.loss.steps import OUTPUT_REACH, StepLoss, at_most_nothing, log_mean_exp, log_mixed_moment
from gaussdp.accounting.operating_points import log_complement
from gaussdp.mechanisms import MixtureOfGaussians
from gaussdp.numerics import LARGEST_EXPONENT, Floats

_NEWTON_STEPS = 60
_MOST_LIKELY = 0.5  # weight from which on its complement has more digits
_MOSTLY_MOVED = -0.5  # change of the ratio up to which 1 more than it has lost digits
LEFT_OUT = 1e-60
"""Probability with which a step without a least loss is taken to leave the data out, where a density needs one."""
_LINEAR_FROM = 300.0  # exponent past which e^L - 1 is no longer needed, and the loss comes from its logarithm


def _unmoved(weights: tuple[float, ...]) -> Fraction:
    """The weight of the outputs that no record moved, the first: next to 1, what the others leave has more digits."""
    others = sum(map(Fraction, weights[1:]), start=Fraction(0))
    return 1 - others if weights[0] > _MOST_LIKELY else Fraction(weights[0])


@lru_cache(maxsize=1024)
def _log_unmoved(weights: tuple[float, ...]) -> float:
    return least_loss([(_unmoved(weights), 1)]).high


@dataclass(frozen=True, slots=True)
class MixtureLoss(StepLoss):
    r"""Q = N(0, sigma^2) against P = sum of w_j N(s_j, sigma^2), with rising sensitivities of at least 0:

    .. math:: L(x) = \log \sum_j w_j\,e^{(s_j x - s_j^2/2)/\sigma^2}.

    Its terms have arguments between 0 and :math:`s_{max} y / \sigma^2` at x + iy, and so a sum that is not 0 while
    these are below pi: that far from the real line the loss is analytic.
    """

    noise_multiplier: float
    sensitivities: tuple[float, ...]
    weights: tuple[float, ...]
    cutoff: float = math.inf
    _outputs: OutputGrids = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sigma = self.noise_multiplier
        grids = OutputGrids(sigma, self._law, math.pi * sigma**2 / self.largest)
        object.__setattr__(self, "_outputs", grids)

    @classmethod
    def of(cls, part: MixtureOfGaussians) -> "MixtureLoss":
        """The loss of a mechanism, without what never occurs.

        Sensitivities that are all below 1 are taken in another unit, a power of two, in which the noise is larger: what
        a method can do is told by noise in the unit of one record.
        """
        unit = min(math.ldexp(1.0, math.frexp(part.largest)[1] - 1), 1.0)
        kept = [(s / unit, w) for s, w in zip(part.sensitivities, part.weights, strict=True) if w > 0]
        sizes, weights = zip(*kept, strict=True)
        return cls(part.noise_multiplier / unit, sizes, weights)

    def with_constant(self) -> "MixtureLoss":
        """The step itself, or one with a least loss, since it leaves the data out with a probability next to none.

        Of n such steps the TPR at any FPR is smaller by n times that probability, relatively, at most; the proof is in
        docs/numerics.md.
        """
        if self.sensitivities[0] == 0:
            return self
        return MixtureLoss(self.noise_multiplier, (0.0, *self.sensitivities), (LEFT_OUT, *self.weights), self.cutoff)

    @property
    def _arguments(self) -> tuple[object, ...]:
        return self.noise_multiplier, self.sensitivities, self.weights, self.cutoff

    @property
    def largest(self) -> float:
        """The largest sensitivity."""
        return self.sensitivities[-1]

    @property
    def lowest(self) -> float:
        return _log_unmoved(self.weights) if self.sensitivities[0] == 0 else -math.inf

    @property
    def least_ratio(self) -> Fraction:
        return _unmoved(self.weights) if self.sensitivities[0] == 0 else Fraction(0)

    @property
    def highest_output(self) -> float:
        return self.largest + self.cutoff * self.noise_multiplier

    @property
    def rare_from(self) -> float:
        moved = [(s, w) for s, w in zip(self.sensitivities, self.weights, strict=True) if s > 0]
        return min(1 - 2 * self.noise_multiplier**2 * math.log(w) / s**2 for s, w in moved)

    def log_mgf_at_most(self, tilt: float) -> float:
        sizes, weights = np.array(self.sensitivities), np.array(self.weights)
        return log_mixed_moment(tilt, weights, np.log(weights), sizes / self.noise_multiplier)

    def lost(self) -> tuple[float, float]:
        sizes, weights = np.array(self.sensitivities), np.array(self.weights)
        tails = special.ndtr(-((self.largest - sizes) / self.noise_multiplier + self.cutoff))
        plain = float(special.ndtr(-(self.largest / self.noise_multiplier + self.cutoff)))
        return plain, float(weights @ tails)

    def log_growth(self, x: Floats) -> tuple[Floats, Floats]:
        """log of (e^(L - lowest) - 1), or L itself if there is no lowest loss; and its slope in x."""
        constants, slopes = self._terms
        logs = constants + np.multiply.outer(x, slopes)
        total: Floats = special.logsumexp(logs, axis=-1)
        slope = np.exp(logs - total[..., np.newaxis]) @ slopes
        return (total if self.sensitivities[0] == 0 else self._law(x).losses), slope

    def output_at(self, log_growth: Floats) -> tuple[Floats, Floats]:
        """The output at which `log_growth` has these values, and its slope there.

        By Newton's method: the function is convex, and no term alone exceeds it, so the start lies above.
        """
        constants, slopes = self._terms
        x: Floats = np.min((log_growth[..., np.newaxis] - constants) / slopes, axis=-1)
        for _ in range(_NEWTON_STEPS):
            value, slope = self.log_growth(x)
            step = (value - log_growth) / slope
            x = x - step
            if np.all(np.abs(step) <= 1e-15 * (np.abs(x) + self.noise_multiplier)):
                break
        return x, self.log_growth(x)[1]

    @property
    def _terms(self) -> tuple[Floats, Floats]:
        """Constants and slopes of the logarithms of the rising terms, over the constant one if there is one."""
        constant = self.sensitivities[0] == 0
        sizes, weights = np.array(self.sensitivities[constant:]), self.weights[constant:]
        slopes = sizes / self.noise_multiplier**2
        return np.log(weights) - 0.5 * slopes * sizes - (self.lowest if constant else 0.0), slopes

    def _law(self, x: Floats) -> Law:
        sigma = self.noise_multiplier
        sizes, weights = np.array(self.sensitivities), np.array(self.weights)
        exponents = np.multiply.outer(x, sizes / sigma**2) - 0.5 * (sizes / sigma) ** 2
        with np.errstate(over="ignore"):
            ratio_change = np.expm1(np.minimum(exponents, LARGEST_EXPONENT)) @ weights
        far = (exponents[:, -1] > _LINEAR_FROM) | (ratio_change < _MOSTLY_MOVED)
        losses = np.log1p(np.where(far, 0.0, ratio_change))
        if far.any():
            losses[far] = special.logsumexp(exponents[far], b=weights, axis=1)
        return Law(ratio_change, losses, normal_log_density(x, sigma))

    def _support(self, tilt: float) -> tuple[float, float, float]:
        sigma = self.noise_multiplier
        reach = OUTPUT_REACH * sigma
        if tilt >= 0:
            # The tilt moves every mode into [0, tilt * largest]; `largest` is the centre of the farthest term of e^L.
            return -reach, min(self.largest * max(tilt, 1.0) + reach, self.highest_output), sigma
        low, high = tilt * self.largest, 0.0
        mean = variance = 0.0
        # The weight is log-concave; its mode is the root of x = tilt * mean of the sensitivities given x.
        for _ in range(60):
            x = 0.5 * (low + high)
            mean, variance = self._given(x)
            low, high = (x, high) if x < tilt * mean else (low, x)
            if high - low < 1e-3 * sigma:
                break
        width = sigma / math.sqrt(1 - tilt * variance / sigma**2)
        return 0.5 * (low + high) - reach, self.largest + reach, width

    def _given(self, x: float) -> tuple[float, float]:
        """Mean and variance of the sensitivity that gave an output."""
        sizes = np.array(self.sensitivities)
        logs = np.log(self.weights) + sizes * (x - 0.5 * sizes) / self.noise_multiplier**2
        shares = special.softmax(logs)
        mean = float(shares @ sizes)
        return mean, float(shares @ (sizes - mean) ** 2)


@dataclass(frozen=True, slots=True)
class ExchangedLoss(StepLoss):
    r"""Q = (1 - q) N(0, sigma^2) + q N(-1, sigma^2) against its mirror image P:

    .. math:: L(x) = \Lambda(x) - \Lambda(-x), \qquad \Lambda(x) = \log(1 - q + q\,e^{(x - 1/2)/\sigma^2}).

    Under P the loss has the law that -L has under Q.
    """

    noise_multiplier: float
    sample_rate: float
    cutoff: float = math.inf
    _outputs: OutputGrids = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        sigma = self.noise_multiplier
        object.__setattr__(self, "_outputs", OutputGrids(sigma, self._law, math.pi * sigma**2))

    @property
    def _arguments(self) -> tuple[float, ...]:
        return self.noise_multiplier, self.sample_rate, self.cutoff

    @property
    def lowest(self) -> float:
        return -math.inf

    @property
    def least_ratio(self) -> Fraction:
        return Fraction(0)

    @property
    def log_untouched(self) -> float:
        return math.log1p(-self.sample_rate)

    @property
    def highest_output(self) -> float:
        return 1.0 + self.cutoff * self.noise_multiplier

    @property
    def rare_from(self) -> float:
        return 1 - 2 * self.noise_multiplier**2 * math.log(self.sample_rate)

    def log_mgf_at_most(self, tilt: float) -> float:
        sigma, rate = self.noise_multiplier, self.sample_rate
        logs = np.array([math.log1p(-rate), math.log(rate)])
        if not 0 <= tilt <= 1:
            # One is told whether the record took part, and then it moved by 2: the power is jointly convex.
            return log_mean_exp(np.exp(logs), logs, 2 * tilt * (tilt - 1) / sigma**2 * np.array([0.0, 1.0]))
        terms = np.add.outer(tilt * logs, (1 - tilt) * logs)  # either mixture's power is at most the sum of its terms'
        terms += 0.5 * tilt * (tilt - 1) / sigma**2 * np.array([[0.0, 1.0], [1.0, 4.0]])
        return at_most_nothing(terms)

    def lost(self) -> tuple[float, float]:
        sigma, rate = self.noise_multiplier, self.sample_rate
        tails = special.ndtr(-(np.array([0.0, 1.0, 2.0]) / sigma + self.cutoff))
        return float((1 - rate) * tails[1] + rate * tails[2]), float((1 - rate) * tails[1] + rate * tails[0])

    def loss(self, x: Floats) -> Floats:
        """The loss at outputs; neither term loses digits to the other where both are small."""
        grown, other = (np.logaddexp(0.0, self.log_odds(sign * x)) for sign in (1.0, -1.0))
        found: Floats = grown - other
        return found

    def log_odds(self, x: Any) -> Any:
        """Of the record having taken part, given an output under P."""
        log_rate = math.log(self.sample_rate) - math.log1p(-self.sample_rate)
        return (x - 0.5) / self.noise_multiplier**2 + log_rate

    def slope(self, x: Floats) -> Floats:
        """Of the loss."""
        slope: Floats = (self._took_part(x) + self._took_part(-x)) / self.noise_multiplier**2
        return slope

    def output_of(self, loss: Floats) -> Floats:
        """The outputs with these losses, by Newton's method between bounds."""
        size, scale = np.abs(loss), self.noise_multiplier**2
        at_zero = self.log_odds(np.zeros(1))
        # Without the second term x would be smaller, and larger if that were as large as it is at 0.
        low, high = (
            np.maximum(scale * (one + log_complement(-one) - at_zero), 0.0)
            for one in (size, size + np.logaddexp(0.0, at_zero))
        )
        x = high
        for _ in range(_NEWTON_STEPS):
            missed = self.loss(x) - size
            low, high = np.where(missed < 0, x, low), np.where(missed > 0, x, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = x - missed / self.slope(x)
            moved = np.where((moved >= low) & (moved <= high), moved, 0.5 * (low + high))
            going = (missed != 0) & (np.abs(moved - x) > 1e-16 * (x + self.noise_multiplier))
            x = np.where(missed == 0, x, moved)
            if not going.any():
                break
        found: Floats = np.copysign(x, loss)
        return found

    def _law(self, x: Floats) -> Law:
        sigma, rate = self.noise_multiplier, self.sample_rate
        (gain, upper), (loss, lower) = sampled_loss(x, sigma, rate), sampled_loss(-x, sigma, rate)
        log_density = normal_log_density(x, sigma) + lower
        with np.errstate(over="ignore"):
            return Law((gain - loss) / (1 + loss), upper - lower, log_density)

    def _support(self, tilt: float) -> tuple[float, float, float]:
        sigma = self.noise_multiplier
        reach = OUTPUT_REACH * sigma
        # The weight is N e^(tilt Lambda(x)) e^((1 - tilt) Lambda(-x)), and its mirror image that of the tilt 1 - tilt.
        if 0 <= tilt <= 1:
            return -1.0 - reach, 1.0 + reach, sigma
        strong = max(tilt, 1 - tilt)
        mode, variance = self._mode(strong)
        width = sigma / math.sqrt(1 + (strong - 1) * variance / sigma**2)
        low, high = -1.0 - reach, max(mode, strong, 1.0) + reach
        if tilt > 1:
            return low, min(high, self.highest_output), width
        return -high, -low, width

    def _mode(self, tilt: float) -> tuple[float, float]:
        """The largest root of x = tilt * w(x) + (tilt - 1) * w(-x) for a tilt above 1, about, and w (1 - w) at -x.

        w is the slope of Lambda times sigma^2, the probability that the record took part.
        """
        low, high = 0.0, 2 * tilt
        for _ in range(60):
            x = 0.5 * (low + high)
            here, there = self._took_part(x), self._took_part(-x)
            low, high = (x, high) if x < tilt * here + (tilt - 1) * there else (low, x)
            if high - low < 1e-3 * self.noise_multiplier:
                break
        # Narrowest where the other term bends most, which is at 0 or to the left of it.
        there = self._took_part(0.0)
        return high, there * (1 - there)

    def _took_part(self, x: Floats | float) -> Any:
        """The probability that the record took part, given an output under P."""
        return special.expit(self.log_odds(x))
