"""The transform of a composed loss at complex tilts, each step on the path on which least is lost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaussdp.accounting._cumulants import Complexes
from gaussdp.accounting._rotated import PATHS, REACH, RotatedStep
from gaussdp.accounting._step_loss import SampledGaussianLoss
from gaussdp.numerics import Floats

Indices = npt.NDArray[np.intp]

_JUDGED = 45  # tilts of a contour at which the paths are compared
_PRECISE = -36.0  # log of an error that does not matter


@dataclass(frozen=True, slots=True)
class PathChoice:
    """At shares of a contour's length, the path of each step, as an index."""

    shares: Floats
    steps: list[Indices]


class RotatedLaw:
    """Plain Gaussian releases (their squared mu) and counted sampled steps."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self.squared_mu = squared_mu
        self.steps = [(RotatedStep(step.noise_multiplier, step.sample_rate), count) for step, count in steps]

    def support(self, at: float) -> tuple[float, float]:
        """Where outputs matter, in standard deviations, for tilts whose real part is near this or above."""
        low = -REACH
        if at < 0:
            g = np.linspace(-60.0, 0.0, 601)
            for step, _ in self.steps:
                ratio = step.sample_rate * np.expm1(step.signal * g - 0.5 * step.signal**2)
                low = min(low, float(g[np.argmax(-0.5 * g * g + at * np.log1p(ratio))]) - REACH - 1)
        return low, REACH + max(step.signal for step, _ in self.steps)

    def on_axis(self, at: Floats, support: tuple[float, float]) -> Floats:
        """log of the transform at real tilts."""
        real = np.zeros(at.size, np.intp)
        value, _ = self._transform(at.astype(np.complex128), [real] * len(self.steps), support)
        return value.real

    def choose_paths(self, w: Complexes, support: tuple[float, float]) -> PathChoice:
        """For tilts along a contour, the paths on which least is lost."""
        judged = np.unique(np.linspace(0, w.size - 1, min(w.size, _JUDGED)).astype(np.intp))
        choices = []
        for step, count in self.steps:
            found = np.array([step.judge(w[judged], path, support) for path in PATHS])
            found = np.where(np.isnan(found), np.inf, found)
            size, error = found[:, 0], found[:, 1]
            # What lies below the size of the transform itself does not matter.
            scale = w[judged].real * math.log1p(-step.sample_rate) - math.log(count)
            harm = np.maximum(np.maximum(size + _PRECISE, error), scale + _PRECISE)
            choices.append(np.argmin(harm + 1e-6 * size, axis=0))
        return PathChoice(judged / max(w.size - 1, 1), choices)

    def transform(
        self, w: Complexes, shares: Floats, choice: PathChoice, support: tuple[float, float]
    ) -> tuple[Complexes, Floats]:
        """log of the transform at tilts that lie at these shares of the contour's length, with errors."""
        nearest = np.abs(np.subtract.outer(shares, choice.shares)).argmin(axis=1)
        return self._transform(w, [paths[nearest] for paths in choice.steps], support)

    def _transform(self, w: Complexes, chosen: list[Indices], support: tuple[float, float]) -> tuple[Complexes, Floats]:
        value: Complexes = 0.5 * self.squared_mu * (w * w - w)
        error = np.zeros(w.size)
        for (step, count), paths in zip(self.steps, chosen, strict=True):
            for index in np.unique(paths):
                here = paths == index
                one, wrong = step.log_transform(w[here], PATHS[index], support)
                value[here] += count * one
                error[here] += count * wrong
        return value, error
