"""The tails of a composed loss by whichever method answers: lines, which take milliseconds, or the density."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.density.vanishing import VanishingTails
from gaussdp.accounting.lines.tails import ContourTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, merged
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats

Answer = TypeVar("Answer")

_LEAST_NOISE = 0.25  # of a sampled step: below, losses are so large that lines lose their footing


class ComposedTails:
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]]) -> None:
        self._parts = squared_mu, steps
        density = DensityTails(squared_mu, steps)
        self.lowest = density.lowest
        self._methods: list[LossTails] = [density]
        if min(step.noise_multiplier for step, _ in steps) >= _LEAST_NOISE:
            self._methods.insert(0, ContourTails(squared_mu, steps))

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._methods[0].mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._methods[0].deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0."""
        return self._methods[0].skewness

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or ConvergenceError."""
        gone = tau <= self.lowest
        if not gone.any():
            try:
                return self._methods[0].read(tau)
            except ConvergenceError:
                gone = self._vanishing.vanish(tau)
        if not gone.any():
            return self._first_answer(lambda tails: tails.read(tau))
        beyond = self._vanishing.points(tau[gone])
        return beyond if gone.all() else merged(gone, beyond, self.read(tau[~gone]))

    @cached_property
    def _vanishing(self) -> VanishingTails:
        return VanishingTails(*self._parts)

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self._methods[0].near_quantile(quantile, pole)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return self._first_answer(lambda tails: tails.at_fpr(log_fpr, log_tnr))

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return self._first_answer(lambda tails: tails.at_fnr(log_fnr, log_tpr))

    def _first_answer(self, ask: Callable[[LossTails], Answer]) -> Answer:
        """The answer of the first method that has one; it comes first from then on."""
        for index, tails in enumerate(self._methods):
            try:
                answer = ask(tails)
            except ConvergenceError:
                if index + 1 == len(self._methods):
                    raise
            else:
                self._methods.insert(0, self._methods.pop(index))
                return answer
        raise AssertionError("there is a method")
