r"""The composed loss on the event that its largest output lies between two soft cuts.

With :math:`M_b(w)` the transform of one step below the cut b, the event that all outputs lie below b has the
transform :math:`\prod M_b^n`, and the event that the largest lies between two cuts the difference of two such products.
Each is a positive measure. A tail of the whole loss may lie far below every exponential bound, since one rare output
is as likely as many common ones; the tails of these parts do not.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

from gaussdp.accounting._cumulants import Complexes
from gaussdp.accounting._rotated import CUT_REACH, PATHS, REACH, Path, RotatedStep
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.numerics import Floats

Indices = npt.NDArray[np.intp]

_WIDEST, _NARROWEST, _WIDTH = 0.5, 0.12, 0.65  # of soft cuts
_TYPICAL = 12.0  # standard deviations of an output that a deep tail asks for
_JUDGED = 45  # tilts of a contour at which the paths are compared
_ROUNDING = 2e-16
_PRECISE = -36.0  # log of an error that does not matter


class RotatedLaw:
    """Plain Gaussian releases and counted sampled steps, ready for sub-laws."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self.squared_mu = squared_mu
        self.signal = max(1 / step.noise_multiplier for step, _ in steps)
        width = _WIDTH / math.sqrt(max(_TYPICAL * self.signal, 1.0))
        self.width = min(max(width, _NARROWEST), _WIDEST)
        self.steps = [
            (RotatedStep(step.noise_multiplier, step.sample_rate, self.width), count) for step, count in steps
        ]
        self.count = sum(count for _, count in steps)
        self.lowest = (
            -math.inf if squared_mu else math.fsum(count * math.log1p(-step.sample_rate) for step, count in steps)
        )

    def lost(self, cut: float) -> tuple[float, float]:
        """Bounds on the probabilities under Q and under P that some output lies beyond a cut."""
        parts = [(count, *step.lost(cut)) for step, count in self.steps]
        return sum(count * q for count, q, _ in parts), sum(count * p for count, _, p in parts)

    def support(self, cut: float, at: float = 1.0) -> tuple[float, float]:
        """Where outputs matter, in standard deviations, for tilts whose real part is near this or above."""
        low = -REACH
        if at < 0:
            for step, _ in self.steps:
                g = np.linspace(-60.0, 0.0, 601)
                ratio = step.sample_rate * np.expm1(step.signal * g - 0.5 * step.signal**2)
                low = min(low, float(g[np.argmax(-0.5 * g * g + at * np.log1p(ratio))]) - REACH - 1)
        return low, (cut + CUT_REACH * self.width if cut < math.inf else REACH + self.signal)


@dataclass(frozen=True, slots=True)
class Sublaw:
    """The law on the event that the largest output lies below a cut, or between two."""

    law: RotatedLaw
    cut: float
    inner: float  # -inf: no inner cut
    support: tuple[float, float]

    def on_axis(self, at: float) -> tuple[float, list[float]]:
        """log of the transform at a real tilt, and those of the slabs of the steps."""
        w = np.array([at + 0j])
        chosen = [(np.zeros(1, np.intp), np.zeros(1, np.intp)) for _ in self.law.steps]
        value, _, slabs = self._transform(w, chosen, None)
        return float(value[0].real), slabs

    def choose_paths(self, w: Complexes, slabs: list[float]) -> "PathChoice":
        """For tilts along a contour, the paths on which least is lost; and what is lost still."""
        judged = np.unique(np.linspace(0, w.size - 1, min(w.size, _JUDGED)).astype(np.intp))
        choices = []
        for (step, count), log_slab in zip(self.law.steps, slabs, strict=True):
            scale = w[judged].real * math.log1p(-step.sample_rate) - math.log(count)
            below = partial(step.below, cut=self.cut, support=self.support)
            whole = self._judge(step, w[judged], below, scale)
            if self.inner == -math.inf:
                choices.append((whole, whole))
                continue
            between = partial(step.between, cuts=(self.inner, self.cut), support=self.support)
            slab = self._judge(step, w[judged], between, log_slab)
            choices.append((whole, slab))
        return PathChoice(judged / max(w.size - 1, 1), choices)

    def transform(self, w: Complexes, shares: Floats, choice: "PathChoice") -> tuple[Complexes, Floats]:
        """log of the transform at tilts that lie at these shares of the contour's length, with errors."""
        nearest = np.abs(np.subtract.outer(shares, choice.shares)).argmin(axis=1)
        chosen = [(whole[0][nearest], slab[0][nearest]) for whole, slab in choice.steps]
        lost = [(whole[1][nearest], slab[1][nearest]) for whole, slab in choice.steps]
        value, error, _ = self._transform(w, chosen, lost)
        return value, error

    def _judge(
        self, step: RotatedStep, w: Complexes, kept: Callable[[Path], Complexes], scale: Floats | float
    ) -> tuple[Indices, Floats]:
        """Index of the best path for each tilt, and the error that remains; neither matters below the scale."""
        found = np.array([step.judge(w, path, kept(path), self.support) for path in PATHS])
        found = np.where(np.isnan(found), np.inf, found)
        size, error = found[:, 0], found[:, 1]
        harm = np.maximum(np.maximum(size + _PRECISE, error), scale + _PRECISE)
        best = np.argmin(harm + 1e-6 * size, axis=0)
        return best, error[best, np.arange(w.size)]

    def _transform(
        self, w: Complexes, chosen: list[tuple[Indices, Indices]], lost: list[tuple[Floats, Floats]] | None
    ) -> tuple[Complexes, Floats, list[float]]:
        law = self.law
        value: Complexes = 0.5 * law.squared_mu * (w * w - w)
        error, drop = np.zeros(w.size), np.zeros(w.size, np.complex128)
        slabs = []
        for index, (step, count) in enumerate(law.steps):
            whole, slab = chosen[index]
            one, size = np.empty(w.size, np.complex128), np.empty(w.size)
            for path in np.unique(whole):
                here = whole == path
                one[here], size[here] = step.log_transform(w[here], PATHS[path], self.cut, self.support)
            value = value + count * one
            error += count * _ROUNDING * size
            if lost is not None:
                error += count * np.exp(lost[index][0] - one.real)
            if self.inner == -math.inf:
                slabs.append(-math.inf)
                continue
            between = np.empty(w.size, np.complex128)
            for path in np.unique(slab):
                here = slab == path
                between[here] = step.slab(w[here], PATHS[path], (self.inner, self.cut), self.support)
            with np.errstate(divide="ignore", invalid="ignore"):
                slabs.append(float(np.log(np.abs(between[0]))))
                if lost is not None and len(law.steps) == 1:
                    error += np.exp(lost[index][1]) / np.abs(between)
            drop += count * special.log1p(-between * np.exp(-one))
        if self.inner > -math.inf:
            value = value + np.log(-np.expm1(drop))
        return value, error, slabs


@dataclass(frozen=True, slots=True)
class PathChoice:
    """At shares of a contour's length, for each step: paths and errors for the whole law and for the slab."""

    shares: Floats
    steps: list[tuple[tuple[Indices, Floats], tuple[Indices, Floats]]]
