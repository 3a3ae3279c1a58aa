"""The tails of a composed loss by whichever method answers: lines, which take milliseconds, or the density."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import special

from gaussdp.accounting.density.tails import DensityTails, PartedLaws, VanishingTails
from gaussdp.accounting.inversion import nearer_epsilon, points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.split_tails import QuickBins, SplitTails
from gaussdp.accounting.lines.tails import LineTails, RareTails
from gaussdp.accounting.loss.cumulants import AddingBound, LossCumulants, Tilt
from gaussdp.accounting.loss.outputs import LeastLoss, least_loss
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.operating_points import LossTails, OperatingPoints, vanished
from gaussdp.accounting.readings import Method
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats
from gaussdp.objects import Described


@dataclass(frozen=True)
class ReachSettings:
    """Which runs exact methods are tried on; others are enclosed at once."""

    least_noise: float = 0.1  # of a sampled step: below, a density takes too many panels
    least_line_noise: float = 0.25  # ... and below that, losses are so large that no line is accurate
    farthest: float = 55.0
    """Standard deviations under P from zero to the bulk of the loss. Lines are laid from zero on, where the smaller
    tail would be e^-1500, and densities lose digits with the distance."""
    most_convolutions: int = 60  # of a density: each takes up to half a second, and a hundred million steps take 50
    surely_near: float = 1e4
    """log E[e^(2L)] up to which the bulk need not be looked for: it exceeds the mean under P, and of a normal loss of
    mean m the deviation is sqrt(2 m)."""
    many_kinds: int = 100  # kinds of steps from which on looking for it takes too long
    apart: float = 4.0  # deviations of the loss under P from which on it is a sum of many large losses
    nearly_normal: float = 0.05  # skewness of the loss up to which straight lines are short, and go first
    much_noise: float = 1.8
    """Noise from which on single outputs are of little weight, however few or rare the steps: next to the bulk of the
    loss straight lines are short then, and such go first."""
    short: int = 1 << 17  # nodes times outputs of a short line
    rare_work: float = 2e6
    """Nodes times outputs of a line for common and rare losses up to which straight lines go first as well."""
    hardly_skewed: float = 0.4  # skewness up to which the bulk of such a loss is nearly normal


SETTINGS = ReachSettings()


@dataclass(frozen=True)
class DensityFirstSettings:
    """Of which runs the density goes before lines.

    A convolution takes about 5 milliseconds, a line one to ten where it answers, and lines that do not up to a hundred.
    A fit reads a density that is made in some milliseconds, and many lines.
    """

    convolutions: int = 3  # for one reading
    skewed: float = 0.55  # skewness of the loss from which on straight lines are long, ...
    rare: float = 1e-5
    """Largest rate at which lines do not answer usual questions. With noise for which short lines go first, it may be
    any: there they and others are tried in vain."""
    for_fit: int = 1  # convolutions
    for_fit_if_rare: int = 6  # ... if no rate is above the next number
    rare_for_fit: float = 1e-3
    few: int = 24
    """Steps, and nothing else, whose loss is skewed for fits from the first of the next numbers on, else the second."""
    skewed_for_fit: tuple[float, float] = (0.16, 0.42)


DENSITY_FIRST = DensityFirstSettings()

_Ask = Callable[[Floats, Floats], OperatingPoints]
_Search = Callable[[LossTails, Floats, Floats], OperatingPoints]

_NEAR = 1e-14  # relative distance from the least loss at which its last digits decide


class ComposedTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps.

    Each threshold is answered by the first method that can: lines, the bound that makes its tails vanish, the density.
    None is where all losses that matter are far too large, which is known beforehand.

    Args:
        squared_mu: of the plain releases.
        steps: with their counts.
        density_first: whether the density goes before lines, however long it takes to be made.
        rare_first: whether one line for common and rare losses, if there is one, goes before other lines.
    """

    lowest: float

    def __init__(
        self,
        squared_mu: float,
        steps: Sequence[tuple[StepLoss, int]],
        density_first: bool = False,
        rare_first: bool = False,
    ) -> None:
        self._parts = squared_mu, tuple(steps)
        self._asked_density_first, self._rare_first = density_first, rare_first
        self._least_noise = min(step.noise_multiplier for step, _ in steps)
        self._lines = LineTails(squared_mu, steps) if self._least_noise >= SETTINGS.least_line_noise else None
        self.lowest = (self._lines or self._bent or self._density).lowest
        self._convolutions = len(steps) - 1 + sum(count.bit_length() + count.bit_count() - 2 for _, count in steps)
        self._short = self._convolutions <= SETTINGS.most_convolutions  # enough for the density to be made

    def _describe(self) -> tuple[object, ...]:
        return *self._parts, self._asked_density_first, self._rare_first

    def for_many(self, known: OperatingPoints | None = None) -> "ComposedTails":
        """The same with the density before lines, if it is sooner made than the lines of many thresholds are.

        Where points are known, it is if it read one of them: then it is made.
        """
        soon = self._soon_dense if known is None else (known.methods == Method.DENSITY).any()
        return self.by_density if soon and self._short else self

    def for_rare(self) -> "ComposedTails":
        """The same with one line for common and rare losses before other lines, if there may be one."""
        if self._density_first or not self._lines or self._lines.with_rare is None:
            return self
        made = ComposedTails(*self._parts, rare_first=True)
        made.__dict__.update(self.__dict__ | {"_rare_first": True})  # all that is known so far
        return made

    @cached_property
    def by_density(self) -> "ComposedTails":
        """The same with the density before lines."""
        if self._density_first:
            return self
        made = ComposedTails(*self._parts, density_first=True)
        made._density = self._density
        return made

    @cached_property
    def _bent(self) -> BentTails | None:
        squared_mu, steps = self._parts
        return BentTails(squared_mu, steps) if BentTails.covers(steps) else None

    @cached_property
    def within_reach(self) -> bool:
        """Whether an exact method may know the bulk of the loss."""
        squared_mu, steps = self._parts
        if self._least_noise < SETTINGS.least_noise:
            return False
        if not (self._lines or self._short):
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

    @cached_property
    def _first(self) -> LossTails:
        """The method that knows the bulk of the loss, and soonest."""
        if self._density_first:
            return self._density
        skewed = SETTINGS.hardly_skewed if self._short_lines else SETTINGS.nearly_normal
        if self._skewness < skewed:
            return self._lines or self._density
        if self._lines and self._lines.with_rare and self._lines.with_rare.rare_work <= SETTINGS.rare_work:
            return self._lines
        if self._bent and (self._lines is None or self._bent.quicker):
            return self._bent
        return self._lines or self._density

    @cached_property
    def _density_first(self) -> bool:
        """Whether the density is asked before lines: it is sooner made, or was asked for."""
        if self._asked_density_first:
            return True
        skewed = self._skewness >= DENSITY_FIRST.skewed
        if self._convolutions > DENSITY_FIRST.convolutions or not skewed:
            return False
        return self._highest_rate <= DENSITY_FIRST.rare or (
            self._least_noise >= SETTINGS.much_noise and self._highest_rate < 1
        )

    @property
    def _soon_dense(self) -> bool:
        """Whether the density is sooner made than a fit has found its lines."""
        if self._convolutions <= DENSITY_FIRST.for_fit:
            return self._highest_rate < 1 and self._skewness >= SETTINGS.hardly_skewed
        if self._convolutions > DENSITY_FIRST.for_fit_if_rare or self._highest_rate > DENSITY_FIRST.rare_for_fit:
            return False
        squared_mu, steps = self._parts
        few = squared_mu == 0 and sum(count for _, count in steps) <= DENSITY_FIRST.few
        return self._skewness >= DENSITY_FIRST.skewed_for_fit[not few]

    @cached_property
    def _highest_rate(self) -> float:
        """Of steps of one record; 1 if there are others."""
        steps = [step for step, _ in self._parts[1]]
        return max(step.sample_rate if isinstance(step, SampledGaussianLoss) else 1.0 for step in steps)

    @cached_property
    def _skewness(self) -> float:
        """Size of the skewness of the loss under Q; infinite if lines do not know it."""
        try:
            return abs(self._lines.skewness) if self._lines else math.inf
        except ConvergenceError:
            return math.inf

    @cached_property
    def _short_lines(self) -> LineTails | None:
        """Straight lines that are tried before all others, if others are to be tried before long ones."""
        much_noise = self._least_noise >= SETTINGS.much_noise
        if not (self._lines and much_noise and self._skewness >= SETTINGS.nearly_normal):
            return None
        return self._lines.shorter(SETTINGS.short)

    def _in_order(self) -> Iterator[LossTails | RareTails | SplitTails | QuickBins]:
        """Lines of all kinds in order of trial."""
        if self._rare_first and self._lines:
            yield RareTails(self._lines)
        if self._short_lines:
            yield self._short_lines
        elif self._lines and self._first is self._lines:
            yield self._lines
            yield from self._others
            return
        yield from self._others
        if self._lines:
            yield self._lines

    @cached_property
    def _others(self) -> list[BentTails | SplitTails | QuickBins]:
        """Lines that are not straight, or of parts of the loss only, the quicker first."""
        bent, split = self._bent, None
        if all(isinstance(step, SampledGaussianLoss) for step, _ in self._parts[1]):
            with suppress(ConvergenceError):  # there is no width to measure thresholds by
                split = SplitTails.of(*self._parts, self.deviation)
        if split and bent and bent.quicker and not split.quick:
            return [split.quick_bins, bent, split]
        return [tails for tails in (split, bent) if tails]

    @property
    def _known(self) -> LossTails:
        """The method that knows the bulk of the loss."""
        if not self.within_reach:
            raise ConvergenceError("the losses of this run are too large for exact methods")
        return self._first

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at the thresholds, each to relative error 1e-9 or better, or unanswered."""
        if not self.within_reach:
            return OperatingPoints.unanswered(tau)
        if not float(tau.min()) > self.lowest + _NEAR * abs(self.lowest):
            gone = tau <= self.lowest
            near = np.abs(tau - self.lowest) <= _NEAR * abs(self.lowest)
            if near.any() and np.isfinite(self.lowest):
                gone[near] = self._least.excess(tau[near]) <= 0
            if gone.any():
                points = OperatingPoints.unanswered(tau)
                points.put(gone, vanished(tau[gone]))
                if not gone.all():
                    points.put(~gone, self.read(tau[~gone]))
                return points
        points = self._density.read(tau) if self._density_first else self.read_lines(tau)
        if points.answered.all():
            return points
        missing = np.flatnonzero(~points.answered)
        gone = self._vanishing.vanish(tau[missing])
        points.put(missing[gone], vanished(tau[missing[gone]]))
        missing = missing[~gone]
        if missing.size:
            apart, there = self.parted.points(tau[missing])
            points.put(missing[apart], there)
            missing = missing[~apart]
        if missing.size and self._density_first:
            points.put(missing, self.read_lines(tau[missing]))
        elif missing.size and self._short:
            points.put(missing, self._density.read(tau[missing]))
        return points

    def adding_costs_less(self, epsilon: Floats, log_delta: Floats) -> Booleans:
        """At which epsilons, from 0 on, the profile of adding a record surely is smaller; False where it may not be."""
        bound = self._adding
        return np.zeros(epsilon.size, np.bool_) if bound is None else (epsilon >= 0) & bound.below(epsilon, log_delta)

    @cached_property
    def _adding(self) -> AddingBound | None:
        squared_mu, steps = self._parts
        cumulants = self._lines.cumulants if self._lines else LossCumulants(squared_mu, steps)
        try:
            return AddingBound(cumulants, self.deviation)
        except ConvergenceError:
            return None

    def rough_profiles(self, tau: Floats) -> list[tuple[float, float, float]] | None:
        """As `Line.rough_profiles`, if straight lines are asked first and there are some."""
        if self._density_first or not self.within_reach:
            return None
        first = next(self._in_order(), None)
        return first.rough_profiles(tau) if isinstance(first, LineTails) else None

    def read_lines(self, tau: Floats) -> OperatingPoints:
        """The same by lines alone."""
        order = self._in_order()
        first = next(order, None)
        if first is None:
            return OperatingPoints.unanswered(tau)
        read = first.read(tau)
        if read.answered.all():
            return read
        points = OperatingPoints.joined((read,))  # whose arrays are its own
        for lines in order:
            missing = np.flatnonzero(~points.answered)
            if missing.size == 0:
                break
            points.put(missing, lines.read(tau[missing]))
        return points

    def error_bounds(self, tau: Floats) -> Floats:
        """Bounds on the relative errors of what lines read, up to rounding; infinite where none is known."""
        bounds = np.full(tau.size, np.inf)
        missing = np.arange(tau.size)
        if self._density_first:
            missing = missing[~self._density.read(tau).answered]
        for lines in self._in_order():
            if missing.size == 0:
                break
            answered = lines.read(tau[missing]).answered
            if isinstance(lines, LineTails | RareTails) and answered.any():
                bounds[missing[answered]] = lines.error_bounds(tau[missing[answered]])
            missing = missing[~answered]
        return bounds

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
        return self._lines is None

    @cached_property
    def _vanishing(self) -> VanishingTails:
        return self._density.vanishing

    def near_quantile(self, quantile: float, pole: float) -> float | None:
        """A threshold near the one that the loss exceeds with the probability of a normal quantile, if known."""
        return self._known.near_quantile(quantile, pole)

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the same threshold, if the loss is far from normal and its approximation is known."""
        if not (self._bent and self._known is self._bent):
            return self._by_one_loss(quantile) if pole == 0 and quantile > 0 else None
        under_p = self._bent.under_p
        if pole == 1 and quantile > 0 and self._apart(under_p):
            return under_p.mean + quantile * under_p.deviation
        return self._bent.rough_quantile(quantile, pole)

    def _by_one_loss(self, quantile: float) -> float | None:
        """The threshold that some one step's loss exceeds with this probability, beside others of common size.

        None unless that is more than a normal loss of this deviation would exceed.
        """
        steps = [(step, count) for step, count in self._parts[1] if isinstance(step, SampledGaussianLoss)]
        log_rate = float(special.log_ndtr(-quantile))
        largest = max((step.exceeded(log_rate - math.log(count)) for step, count in steps), default=-math.inf)
        return self.mean + largest if largest > quantile * self.deviation else None

    def rough_epsilon(self, log_delta: float) -> float | None:
        """The same for the threshold at which the profile of the remove direction has this logarithm."""
        if not (self._bent and self._known is self._bent):
            return None
        quantile = -float(special.ndtri_exp(log_delta))
        if quantile > 0 and self._apart(self._bent.under_p):
            roughly = self.rough_quantile(quantile, 1.0)
        else:
            roughly = self._bent.rough_epsilon(log_delta)
        if roughly is None:
            return None
        points = self.read_lines(np.array([roughly]))
        if points.answered[0]:
            return nearer_epsilon(points, log_delta)
        # A density is ahead, and should not be made for a start that is far off.
        return self._vanishing.epsilon(log_delta)

    def _apart(self, bulk: Tilt) -> bool:
        """Whether the law under P lies far from that under Q and is nearly normal, being of many large losses."""
        return bulk.mean - self.mean > SETTINGS.apart * bulk.deviation > SETTINGS.apart * self.deviation

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return self._at(points_at_fpr, self._density.at_fpr, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return self._at(points_at_fnr, self._density.at_fnr, log_fnr, log_tpr)

    def _at(self, search: _Search, ask_density: _Ask, rate: Floats, rest: Floats) -> OperatingPoints:
        """What a search along lines finds, or else the density; in the order in which they are asked."""
        if not self.within_reach:
            return OperatingPoints.unanswered(np.full_like(rate, np.nan))
        asks: list[_Ask] = [partial(self._search_lines, search)]
        if self._short:
            asks.insert(0 if self._density_first else 1, ask_density)
        points = asks[0](rate, rest)
        missing = np.flatnonzero(~points.answered)
        for ask in asks[1:] if missing.size else ():
            points.put(missing, ask(rate[missing], rest[missing]))
        return points

    def _search_lines(self, search: _Search, rate: Floats, rest: Floats) -> OperatingPoints:
        try:
            return search(_ByLines(self), rate, rest)
        except ConvergenceError:  # lines do not know the bulk of the loss
            return OperatingPoints.unanswered(np.full_like(rate, np.nan))


class _ByLines:
    """What lines know of composed tails."""

    def __init__(self, tails: ComposedTails) -> None:
        self._tails = tails
        self.read = tails.read_lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tails, name)
