r"""The privacy loss of one Poisson-sampled Gaussian step, exponentially tilted, on a trapezoid grid.

With Q = N(0, sigma^2) and P = (1 - q) N(0, sigma^2) + q N(1, sigma^2) the loss at an output x is

.. math:: L(x) = \log(1 - q + q\,e^{(2x-1)/2\sigma^2}),

and its moment generating function :math:`M(\theta) = E_Q[e^{\theta L}]` is an integral over the line of a function
that decays like a Gaussian and is analytic for :math:`|\mathrm{Im}\,x| < \pi\sigma^2`: the trapezoid rule converges
exponentially in the number of nodes.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from gaussdp.numerics import Floats

_REACH = 9.8  # standard deviations kept on each side: the rest weighs less than 1e-21
_NEGLIGIBLE = 46.0  # nodes below exp(-46) of the heaviest add nothing, even to 1e7 steps
_CLEAN = 39.0
_NODES_PER_DEVIATION = 3.0
_BRANCH_EXPONENT = 38.0  # error exponent that the branch points may leave: exp(-38) = 3e-17
_LINEAR_FROM = 300.0  # exponent past which the loss is linear in x to rounding
_SMALL_LOG_MGF = 0.5  # below, log M comes from M - 1, summed without cancellation
_FEWEST_PER_WIDTH = 0.3  # spacing over the width of a peak narrowed by a strong negative tilt


@dataclass(frozen=True, slots=True)
class TiltedGrid:
    """The loss under the law proportional to e^(tilt L) dQ: nodes with weights, and the first cumulants."""

    losses: Floats
    weights: Floats
    log_mgf: float
    mean: float
    variance: float
    third: float  # central moment
    clean: bool  # whether the cutoff, if there is one, cuts nothing of weight


@dataclass(frozen=True, slots=True)
class SampledGaussianLoss:
    """One step: Gaussian noise of this multiplier on a Poisson sample of this rate (below 1).

    Outputs above 1 + cutoff * noise_multiplier are left out. A strong tilt would give them all the weight, although no
    tail that is asked for depends on them; `lost` says how likely they are.
    """

    noise_multiplier: float
    sample_rate: float
    cutoff: float = math.inf

    def lost(self) -> tuple[float, float]:
        """Probabilities under Q and under P of the outputs left out."""
        sigma = self.noise_multiplier
        plain = float(special.ndtr(-(1 / sigma + self.cutoff)))
        return plain, (1 - self.sample_rate) * plain + self.sample_rate * float(special.ndtr(-self.cutoff))

    def tilted(self, tilt: float, refinement: int) -> TiltedGrid:
        """The tilted law on a grid whose spacing halves with each refinement."""
        low, high, width = self._support(tilt)
        spacing = self._spacing(width) * 0.5**refinement
        ratio_change, losses, log_density = self._nodes(low, high, spacing)
        log_weights = log_density + tilt * losses
        heaviest = float(log_weights.max())
        weights = np.exp(log_weights - heaviest)
        total = float(weights.sum())
        log_mgf = heaviest + math.log(total)
        if abs(log_mgf) < _SMALL_LOG_MGF:
            # M - 1 = E[e^(tilt L) - 1 - tilt (e^L - 1)], since E[e^L] = 1: no rounding error of size 1 is left.
            density, exponent = np.exp(log_density), tilt * losses
            change = np.where(
                np.abs(exponent) < 1,
                density * np.expm1(np.clip(exponent, -1, 1)),
                weights * math.exp(heaviest) - density,
            )
            log_mgf = math.log1p(float(np.sum(change - tilt * density * ratio_change)))
        clean = bool(log_weights[-1] < heaviest - _CLEAN)
        kept = log_weights > heaviest - _NEGLIGIBLE
        losses, weights = losses[kept], weights[kept] / total
        mean = float(weights @ losses)
        centred = losses - mean
        weighted = weights * centred * centred
        return TiltedGrid(losses, weights, log_mgf, mean, float(weighted.sum()), float(weighted @ centred), clean)

    def log_mgf(self, tilts: Floats) -> Floats:
        """log M at many real tilts, from one grid; rounding error near 1e-15, also where log M is smaller."""
        low, high, width = self._support(float(tilts.min()))
        _, high, _ = self._support(max(float(tilts.max()), 0.0))
        _, losses, log_density = self._nodes(low, high, self._spacing(width))
        log_weights = np.multiply.outer(tilts, losses)
        log_weights += log_density
        heaviest = log_weights.max(axis=1)
        log_weights -= heaviest[:, np.newaxis]
        logarithm: Floats = heaviest + np.log(np.exp(log_weights, out=log_weights).sum(axis=1))
        return logarithm

    def _spacing(self, width: float) -> float:
        sigma = self.noise_multiplier
        spacing = min(sigma / _NODES_PER_DEVIATION, 2 * math.pi**2 * sigma * sigma / _BRANCH_EXPONENT)
        return min(spacing, _FEWEST_PER_WIDTH * width)

    def _nodes(self, low: float, high: float, spacing: float) -> tuple[Floats, Floats, Floats]:
        """e^L - 1, L and the logarithm of the weight under Q, on the grid over [low, high]."""
        sigma, rate = self.noise_multiplier, self.sample_rate
        x = np.arange(math.floor(low / spacing), math.ceil(high / spacing) + 1, dtype=np.float64)
        x *= spacing
        exponent = (x - 0.5) / sigma**2
        ratio_change = rate * np.expm1(np.minimum(exponent, 700.0))
        losses = np.log1p(ratio_change)
        if exponent[-1] > _LINEAR_FROM:
            far = exponent > _LINEAR_FROM
            losses[far] = exponent[far] + math.log(rate)
        log_density = -0.5 * (x / sigma) ** 2 + math.log(spacing / (sigma * math.sqrt(2 * math.pi)))
        return ratio_change, losses, log_density

    def _support(self, tilt: float) -> tuple[float, float, float]:
        """Ends of the interval that holds all of the mass, and the width of the peak."""
        sigma = self.noise_multiplier
        reach = _REACH * sigma
        if tilt >= 0:
            # The tilt moves every mode into [0, tilt]; 1 is the centre of the term e^L.
            return -reach, min(max(tilt, 1.0) + reach, 1.0 + self.cutoff * sigma), sigma
        mode, weight = self._mode(tilt)
        width = sigma / math.sqrt(1 - tilt * weight * (1 - weight) / sigma**2)
        return mode - reach, 1.0 + reach, width

    def _mode(self, tilt: float) -> tuple[float, float]:
        """The root of x = tilt * w(x) for a negative tilt, and w there; w is the slope of L times sigma^2."""
        sigma, rate = self.noise_multiplier, self.sample_rate
        log_odds = math.log(rate) - math.log1p(-rate)
        low, high = tilt, 0.0
        weight = 0.0
        for _ in range(60):
            x = 0.5 * (low + high)
            exponent = (x - 0.5) / sigma**2 + log_odds
            weight = 1 / (1 + math.exp(-exponent)) if exponent > -700 else 0.0
            if x < tilt * weight:
                low = x
            else:
                high = x
            if high - low < 1e-3 * sigma:
                break
        return 0.5 * (low + high), weight
