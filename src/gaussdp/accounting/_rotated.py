r"""Expectations of one sampled step at complex tilts, along paths that leave the real axis.

At an imaginary tilt the integrand :math:`e^{wL(x)}` oscillates, ever faster where the loss is large. The loss is
analytic for :math:`|\mathrm{Im}\,x| < \pi\sigma^2`, so the line of integration may move up until the real part of wL
is nowhere large and little cancels. Outputs are standard normal here: :math:`x = \sigma g`.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import special

from gaussdp.accounting._cumulants import Complexes
from gaussdp.numerics import Floats

REACH = 9.8  # standard deviations of outputs kept on each side

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_ALIASING = 74.0  # exponents of the trapezoid rule's error: from normal factors, whose coarser rule is the check,
_BRANCHING = 40.0  # and from the branch points of the loss
_FAR = 0.7  # log odds from which on the loss is taken from its linear end
_LARGEST = 600.0
_RESOLVED = 0.12  # width of the narrowest normal factor that the spacing resolves, so that a rule of twice it converges
_SMALL = 0.5
_ROUNDING = 2e-16
_CONVERGING = 1e-4
_RISES = (0.1, 0.25, 0.5, 0.8, 1.1, 1.4, 1.7)
_SLOPES = (0.0, 0.6)


class Path(NamedTuple):
    """The imaginary part of the exponent (2x - 1) / 2 sigma^2: rise + slope * (L - inf L)."""

    rise: float
    slope: float


REAL = Path(0.0, 0.0)
PATHS = (REAL, *(Path(rise, slope) for rise in _RISES for slope in _SLOPES if rise + 0.7 * slope < 2.0))


class Nodes(NamedTuple):
    """Trapezoid nodes on a path: losses, e^L - 1, log-weights and weights."""

    losses: Complexes
    ratio_change: Complexes
    log_weights: Complexes
    weights: Complexes


@dataclass(frozen=True, eq=False)
class RotatedStep:
    """One step of given noise multiplier and sample rate, with the nodes of each path that was asked for."""

    noise_multiplier: float
    sample_rate: float
    _known: dict[tuple[Path, float, float], Nodes] = field(default_factory=dict, repr=False)

    @property
    def signal(self) -> float:
        """The shift of the record's contribution in standard deviations."""
        return 1 / self.noise_multiplier

    def nodes(self, path: Path, low: float, high: float) -> Nodes:
        """The nodes over [low, high], in standard deviations."""
        key = (path, low, high)
        if key not in self._known:
            self._known[key] = self._make_nodes(path, low, high)
        return self._known[key]

    def log_transform(self, w: Complexes, path: Path, support: tuple[float, float]) -> tuple[Complexes, Floats]:
        """log E[e^(wL)], and its error: of the rule, and of rounding."""
        lowest = math.log1p(-self.sample_rate)
        value, error = np.empty(w.size, np.complex128), np.empty(w.size)
        # The terms that keep the digits of small changes need not decay off the axis.
        near = (np.abs(w * lowest) < 1) & (path == REAL)
        if near.any():
            change, errors = self.change(w[near], path, support)
            value[near], error[near] = special.log1p(change), errors / np.abs(1 + change)
        if not near.all():
            # Far out the transform is e^(w inf L) times something of the order of 1.
            far = w[~near]
            nodes = self.nodes(path, *support)
            exponent = np.multiply.outer(far, nodes.losses - lowest) + nodes.log_weights
            terms = np.exp(exponent)
            total = terms.sum(axis=1)
            value[~near] = far * lowest + np.log(total)
            error[~near] = (_rule_error(terms) + _rounding_error(terms, exponent)) / np.abs(total)
        return value, error

    def change(self, w: Complexes, path: Path, support: tuple[float, float]) -> tuple[Complexes, Floats]:
        """E[e^(wL)] - 1, and its error."""
        losses, ratio_change, log_weights, weights = self.nodes(path, *support)
        exponent = np.multiply.outer(w, losses)
        small = np.abs(exponent) < _SMALL
        terms = np.exp(np.minimum(exponent.real, _LARGEST) + 1j * exponent.imag + log_weights) - weights
        np.copyto(terms, np.expm1(np.where(small, exponent, 0)) * weights, where=small)
        # Since E[e^L] = 1 the first order may be left out.
        terms -= np.multiply.outer(w, ratio_change * weights)
        return terms.sum(axis=1), _rule_error(terms) + _rounding_error(terms, exponent)

    def judge(self, w: Complexes, path: Path, support: tuple[float, float]) -> tuple[Floats, Floats]:
        """Logarithms of the sum of sizes of the terms of E[e^(wL)], and of the error of the rule."""
        nodes = self.nodes(path, *support)
        exponent = np.multiply.outer(w, nodes.losses) + nodes.log_weights
        top = exponent.real.max(axis=1)
        terms = np.exp(exponent - top[:, np.newaxis])
        size = np.abs(terms).sum(axis=1)
        log_size: Floats = top + np.log(size)
        log_error: Floats = top + np.log(_rule_error(terms) + 1e-40 * size)
        return log_size, log_error

    def _make_nodes(self, path: Path, low: float, high: float) -> Nodes:
        signal, rate = self.signal, self.sample_rate
        log_odds = math.log(rate) - math.log1p(-rate)
        spacing = self._spacing(path)
        g = spacing * np.arange(math.floor(low / spacing), math.ceil(high / spacing) + 1)
        rising = np.logaddexp(0.0, signal * g - 0.5 * signal**2 + log_odds)
        outputs = g + 1j * self.noise_multiplier * (path.rise + path.slope * rising)
        exponent = signal * outputs - 0.5 * signal**2
        far = exponent.real + log_odds > _FAR
        ratio_change = rate * np.expm1(np.minimum(exponent.real, _LARGEST) + 1j * exponent.imag)
        losses = np.where(
            far,
            exponent + math.log(rate) + special.log1p(np.exp(-np.where(far, exponent + log_odds, 0.0))),
            special.log1p(np.where(far, 0.0, ratio_change)),
        )
        bent = np.log(1 - 1j * path.slope * np.expm1(-rising))
        log_weights = -0.5 * outputs * outputs + math.log(spacing) - _LOG_ROOT_2PI + bent
        return Nodes(losses, ratio_change, log_weights, np.exp(log_weights))

    def _spacing(self, path: Path) -> float:
        lift = (path.rise + 1.5 * path.slope) * self.noise_multiplier

        def resolving(width: float) -> float:
            square, shift = 2 * math.pi**2 * width**2, 2 * math.pi * lift
            return 2 * square / (shift + math.sqrt(shift**2 + 4 * square * _ALIASING))

        clear = math.pi - path.rise - 0.7 * path.slope
        return min(
            1 / 3,
            resolving(_RESOLVED),
            2 * math.pi * clear / _BRANCHING * self.noise_multiplier,
        )


def _rule_error(terms: Complexes) -> Floats:
    """About the error of the trapezoid rule, a row of terms for each sum.

    The rule of twice the spacing errs by the root of the error of this one, once it converges; what lies beyond the
    ends falls off geometrically.
    """
    sizes = np.abs(terms)
    size = np.maximum(sizes.sum(axis=1), 1e-300)
    coarse = np.abs(terms.sum(axis=1) - 2 * terms[:, ::2].sum(axis=1)) / size
    share = np.where(coarse < _CONVERGING, 30 * coarse * coarse, coarse)
    error: Floats = share * size + 8 * np.maximum(sizes[:, 0], sizes[:, -1])
    return error


def _rounding_error(terms: Complexes, exponent: Complexes) -> Floats:
    """An exponent is rounded relative to itself, so its size multiplies the error of the exponential."""
    error: Floats = _ROUNDING * (np.abs(terms) * (1 + np.abs(exponent))).sum(axis=1)
    return error
