"""The tails of a composed loss by one ordered list of methods: contours first, which take milliseconds."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.lines.contours import ContourTails
from gaussdp.accounting.loss.cumulants import AddingBound, LossCumulants
from gaussdp.accounting.loss.outputs import LeastLoss, least_loss
from gaussdp.accounting.loss.steps import StepLoss
from gaussdp.accounting.loss.vanishing import PartedLaws
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, vanished
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats
from gaussdp.objects import Described


@dataclass(frozen=True)
class ReachSettings:
    """Which runs exact methods are tried on; others are enclosed at once."""

    least_noise: float = 0.1  # of a sampled step: below, a density takes too many panels
    farthest: float = 55.0
    """Standard deviations under P from zero to the bulk of the loss. Lines are laid from zero on, where the smaller
    tail would be e^-1500, and densities lose digits with the distance."""
    most_convolutions: int = 100  # of a density, some 0.03 s each; four kinds of 100,000 steps take 87
    surely_near: float = 1e4
    """log E[e^(2L)] up to which the bulk need not be looked for: it exceeds the mean under P, and of a normal loss of
    mean m the deviation is sqrt(2 m)."""
    many_kinds: int = 100  # kinds of steps from which on looking for it takes too long


SETTINGS = ReachSettings()


_NEAR = 1e-14  # relative distance from the least loss at which its last digits decide


class ComposedTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps.

    Each threshold is answered by the first method that can: contours, the bounds that make its tails vanish or keep
    both laws apart, the density. None is where all losses that matter are far too large, which is known beforehand.
    """

    lowest: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._parts = squared_mu, tuple(steps)
        self._least_noise = min(step.noise_multiplier for step, _ in steps)
        self._contours = ContourTails(squared_mu, steps)
        self.lowest = self._contours.lowest
        convolutions = len(steps) - 1 + sum(count.bit_length() + count.bit_count() - 2 for _, count in steps)
        self._short = convolutions <= SETTINGS.most_convolutions  # enough for the density to be made

    def _describe(self) -> tuple[object, ...]:
        return self._parts

    @cached_property
    def within_reach(self) -> bool:
        """Whether an exact method may know the bulk of the loss."""
        squared_mu, steps = self._parts
        if self._least_noise < SETTINGS.least_noise:
            return False
        if not (self._contours.straight or self._short):
            return False
        unsampled = squared_mu + sum(count / step.noise_multiplier**2 for step, count in steps)
        if unsampled <= SETTINGS.surely_near or len(steps) > SETTINGS.many_kinds:
            return True
        if squared_mu + sum(count * step.log_mgf_at_most(2.0) for step, count in steps) <= SETTINGS.surely_near:
            return True
        bulk = LossCumulants(squared_mu, steps).tilt(1.0)
        return bulk.mean <= SETTINGS.farthest * bulk.deviation

    @cached_property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._known.mean

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._known.deviation

    @cached_property
    def skewness(self) -> float:
        """Skewness of the loss under Q, or 0."""
        return self._known.skewness

    @property
    def _known(self) -> LossTails:
        """The method that knows the bulk of the loss."""
        if not self.within_reach:
            raise ConvergenceError("the losses of this run are too large for exact methods")
        return self._contours if self._contours.in_order else self._density

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        points = OperatingPoints.unanswered(tau)
        if not self.within_reach:
            return points
        missing = np.arange(tau.size)
        for read in self._methods():
            points.put(missing, read(tau[missing]))
            missing = np.flatnonzero(~points.answered)
            if missing.size == 0:
                break
        return points

    def _methods(self) -> Iterator[Callable[[Floats], OperatingPoints]]:
        """All methods in order of trial: each answers a threshold, or leaves it to the next."""
        yield self._past_least_loss
        yield self._contours.read
        yield self._contours.vanishing.read
        yield self.parted.read
        if self._short:
            yield self._density.read

    def _past_least_loss(self, tau: Floats) -> OperatingPoints:
        """Thresholds that no loss falls below: their lower tails vanish."""
        points = OperatingPoints.unanswered(tau)
        gone = tau <= self.lowest
        near = np.abs(tau - self.lowest) <= _NEAR * abs(self.lowest)
        if near.any() and np.isfinite(self.lowest):
            gone[near] = self._least.excess(tau[near]) <= 0
        points.put(gone, vanished(tau[gone]))
        return points

    def adding_costs_less(self, epsilon: Floats, log_delta: Floats) -> Booleans:
        """At which epsilons, from 0 on, the profile of adding a record surely is smaller; False where it may not be."""
        bound = self._adding
        return np.zeros(epsilon.size, np.bool_) if bound is None else (epsilon >= 0) & bound.below(epsilon, log_delta)

    @cached_property
    def _adding(self) -> AddingBound | None:
        squared_mu, steps = self._parts
        straight = self._contours.straight
        cumulants = straight.cumulants if straight else LossCumulants(squared_mu, steps)
        try:
            return AddingBound(cumulants, self.deviation)
        except ConvergenceError:
            return None

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what contours read, up to rounding; infinite where none is known."""
        return self._contours.error_bounds(tau)

    @cached_property
    def _density(self) -> DensityTails:
        return DensityTails(*self._parts)

    @cached_property
    def _least(self) -> LeastLoss:
        return least_loss((step.least_ratio, count) for step, count in self._parts[1])

    @cached_property
    def parted(self) -> PartedLaws:
        """Bounds where the losses under Q and under P lie far apart."""
        return PartedLaws(*self._parts)

    @property
    def large_losses(self) -> bool:
        """Whether losses may be so large that bounds are worth a look before anything is computed."""
        return self._contours.straight is None

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self._known.near_quantile(quantile, pole)

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the same threshold, if it is known better than by a normal law."""
        return self._known.rough_quantile(quantile, pole)

    def rough_epsilon(self, log_delta: float) -> float | None:
        """About the threshold at which the profile of the remove direction has this logarithm, likewise."""
        return self._known.rough_epsilon(log_delta)

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return self._at("at_fpr", log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return self._at("at_fnr", log_fnr, log_tpr)

    def _at(self, name: Literal["at_fpr", "at_fnr"], rate: Floats, rest: Floats) -> OperatingPoints:
        """What a search along contours finds, or else the density."""
        points = OperatingPoints.unanswered(np.full_like(rate, np.nan))
        if not self.within_reach:
            return points
        if self._contours.in_order:
            with suppress(ConvergenceError):  # contours may not know the bulk of the loss
                points = getattr(self._contours, name)(rate, rest)
        missing = np.flatnonzero(~points.answered)
        if missing.size and self._short:
            points.put(missing, getattr(self._density, name)(rate[missing], rest[missing]))
        return points
