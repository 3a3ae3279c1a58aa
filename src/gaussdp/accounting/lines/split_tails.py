r"""Tails in which many small losses and a few large ones compete, from lines of either.

A threshold tau > 0 is exceeded by moderate runs, whose outputs cost at most about a third of it each, by large ones,
and by extreme ones, of which a single output costs so much that the others cannot make up for it (`loss/split.py`). The
first two are read off a straight line each, the third are known. Each line is a fair one for its part, where on one
line for all the tail would be 1e-7 to 1e-20 of the scale.

Which limits serve a threshold depends on its bin alone.
"""

import math
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.lines.interpreting import interpret
from gaussdp.accounting.lines.line import Line
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.split import LargeCumulants, ModerateCumulants, SplitLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.operating_points import LIMIT, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Floats
from gaussdp.objects import Described


@dataclass(frozen=True)
class SplitTailSettings:
    """What is tuned about bins and their lines."""

    first: tuple[float, ...] = (0.0, 1.0, 2.0)  # thresholds between the first bins, in deviations of the loss
    ratio: float = 1.5  # of the ends of a bin, at most
    widest: float = 20.0  # ... and in deviations, at most
    narrowest: float = 1.05  # ... but not below this ratio
    share: float = 0.3  # of the lowest threshold of a bin, from which on an output is large
    exponent: float = 39.0  # -log of the chance that an extreme output is made up for
    tilts: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # in inverse deviations, for that chance
    frequency: float = 14.0  # up to which panels are made, in inverse deviations
    saddle_steps: int = 60  # tilts tried on the way to a saddle point
    saddle_tolerance: float = 0.3  # of a deviation
    pole_distance: float = 0.5  # least distance of a line from the pole at 1, in inverse thresholds
    pole_deviations: float = 1.0  # ... and in inverse deviations of the tilted law
    least_count: int = 6  # steps of which the loss has a transform that dies out soon
    most_kinds: int = 20  # of steps, since each adds to the time of every node
    most_bins: int = 4000
    scan: tuple[float, ...] = tuple(9.0 * 1.3**k for k in range(14))  # where a transform may die out, ...
    soon: float = 14.0  # ... in inverse deviations; a normal law has died out at 8.8
    sooner: float = 1.5  # by how much sooner it may die out at the tilt of a line than at the least one: 1.3 was seen
    most_turns: float = 8000.0  # ... and radians at a threshold up to there for which a line is quick
    near: float = 40.0
    """Deviations up to which a bin is looked at for itself where the first one's transform goes on: with few steps its
    moderate runs end abruptly in the bulk of the loss, while those of bins farther out end where little is left."""
    most_work: int = 1 << 22  # nodes of a line times nodes of the outputs: past that, other methods are quicker
    negligible: float = 30.0  # -log of what moderate runs add to the others from which on it is bounded only
    deepest: float = -690.0  # logarithm of a tail whose double has all its digits
    caution: float = 2.0  # factor on what lines say: laws that end abruptly are harder on their grids
    rounding: float = 1e-13  # of all sums, relative: two orders above what comparing different limits shows


SETTINGS = SplitTailSettings()

_Part = ModerateCumulants | LargeCumulants


class SplitTails(Described):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps, above zero."""

    def __init__(self, squared_mu: float, steps: Sequence[tuple[SampledGaussianLoss, int]], deviation: float) -> None:
        self._squared_mu, self._steps, self._deviation = squared_mu, tuple(steps), deviation
        self._edges = [first * deviation for first in SETTINGS.first]
        self._extending = threading.Lock()  # each bin begins where the one before ends
        self._bins: dict[int, _Bin | None] = {}

    @classmethod
    def of(cls, squared_mu: float, steps: Sequence[tuple[StepLoss, int]], deviation: float) -> "SplitTails | None":
        """The tails, if all steps are of one record, many enough, and of few enough kinds."""
        sampled = [(step, count) for step, count in steps if isinstance(step, SampledGaussianLoss)]
        many = sum(count for _, count in sampled) >= SETTINGS.least_count
        covered = len(sampled) == len(steps) <= SETTINGS.most_kinds and many
        return cls(squared_mu, sampled, deviation) if covered else None

    @property
    def quick(self) -> bool:
        """Whether the transform of moderate runs dies out nearly as soon as that of a normal law."""
        return self._turns * self._deviation < SETTINGS.soon

    @cached_property
    def quick_bins(self) -> "QuickBins":
        """The bins alone of which the same is true."""
        return QuickBins(self)

    def _describe(self) -> tuple[object, ...]:
        return self._squared_mu, self._steps, self._deviation

    def read(self, tau: Floats, *, quick: bool = False) -> OperatingPoints:
        """Operating points where lines, or quick ones alone, are accurate; other thresholds are left unanswered."""
        points = OperatingPoints.unanswered(tau)
        mine = np.flatnonzero((tau >= self._edges[0]) & np.isfinite(tau))
        if mine.size == 0:
            return points
        self._extend(float(tau[mine].max()))
        owners = np.searchsorted(self._edges, tau[mine], side="right") - 1
        with np.errstate(all="ignore"):  # what is not a number has no finite error
            for owner in sorted(set(owners.tolist())):
                bin_ = self._bin(owner)
                if bin_ is not None and (bin_.quick or not quick) and bin_.lines:
                    some = mine[owners == owner]
                    read = bin_.read(tau[some])
                    good = (read.errors <= LIMIT) & (read.log_delta_remove > SETTINGS.deepest)
                    points.put(some[good], read.take(good))
        return points

    def _extend(self, tau: float) -> None:
        with self._extending:
            while self._edges[-1] <= tau and len(self._edges) < SETTINGS.most_bins:
                edge = self._edges[-1]
                step = min((SETTINGS.ratio - 1) * edge, SETTINGS.widest * self._deviation)
                self._edges.append(edge + max(step, (SETTINGS.narrowest - 1) * edge))

    def _bin(self, index: int) -> "_Bin | None":
        if index not in self._bins:
            made = None
            with suppress(ConvergenceError):
                made = self._made(index)
            self._bins[index] = made  # not before: other threads would take it for none
        return self._bins[index]

    def _made(self, index: int) -> "_Bin | None":
        if index + 1 == len(self._edges):
            return None
        low, high = self._edges[index : index + 2]
        in_time = self._turns * high < SETTINGS.most_turns
        if not (in_time or high <= SETTINGS.near * self._deviation):
            return None
        made = _Bin(self._split(low, high), low, high, self._deviation)
        return made if in_time or made.quick else None

    def _split(self, low: float, high: float) -> SplitLoss:
        limits = SETTINGS.share * max(low, SETTINGS.first[-1] * self._deviation), high + self._slack
        return SplitLoss(self._squared_mu, self._steps, *limits, SETTINGS.frequency / self._deviation)

    @cached_property
    def _turns(self) -> float:
        """Where the transform of moderate runs has died out; infinity if that is far off."""
        try:
            moderate = self._split(*self._edges[:2]).moderate
            return _dies_out(moderate, moderate.tilt(0.0, roughly=True), self._deviation)
        except ConvergenceError:
            return math.inf

    @cached_property
    def _slack(self) -> float:
        """What all other outputs together lower a loss by, with a chance below e^-39 (Chernoff), or at most."""
        cumulants = LossCumulants(self._squared_mu, self._steps)
        tilts = np.array(SETTINGS.tilts) / self._deviation
        return min(float(((SETTINGS.exponent + cumulants.values(-tilts)) / tilts).min()), -cumulants.lowest)


@dataclass(frozen=True)
class QuickBins:
    """Split tails of those bins alone whose lines are short."""

    tails: SplitTails

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where such lines are accurate; other thresholds are left unanswered."""
        return self.tails.read(tau, quick=True)


class _Bin:
    """The lines for thresholds between two ends.

    Args:
        loss: with the limits for them.
        low, high: the ends.
        deviation: of the loss under Q.
    """

    def __init__(self, loss: SplitLoss, low: float, high: float, deviation: float) -> None:
        self._loss, self._low, self._high, self._deviation = loss, low, high, deviation

    @cached_property
    def _first_tilt(self) -> Tilt:
        return _first_tilt(self._loss.large, self._low, self._high)

    @cached_property
    def _large_tilt(self) -> Tilt:
        return _saddle_between(self._loss.large, self._low, self._high, self._first_tilt)

    @cached_property
    def quick(self) -> bool:
        """Whether the transform of large runs dies out nearly as soon as that of a normal law."""
        large, soon = self._loss.large, SETTINGS.soon / self._deviation
        try:
            if _dies_out(large, self._first_tilt, self._deviation) > SETTINGS.sooner * soon:
                return False
            return _dies_out(large, self._large_tilt, self._deviation) < soon
        except ConvergenceError:
            return False

    @cached_property
    def lines(self) -> "list[Line | _Bound]":
        """That of large runs, and that of moderate ones or a bound on it; none if there are none."""
        low, high, moderate = self._low, self._high, self._loss.moderate
        try:
            large = _laid(self._loss.large, self._large_tilt, low, high)
            tilt = _saddle_between(moderate, low, high, _first_tilt(moderate, low, high))
            # Chernoff bounds the tails of moderate runs by the scale of their line.
            scale = tilt.value - tilt.at * low
            tails = [math.log(p) if p > 0 else -math.inf for p in self._loss.extreme]
            negligible = scale < min(tails[0], tails[1] - high) - SETTINGS.negligible
            return [large, _Bound(tilt) if negligible else _laid(moderate, tilt, low, high)]
        except ConvergenceError:
            return []

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points, with infinite errors where they are known to be wrong."""
        under_q, under_p = self._loss.extreme
        read = [line.integrals(tau) for line in self.lines]
        scale = np.maximum.reduce([log_scale for log_scale, _, _ in read])
        fpr, tpr = under_q * np.exp(-scale), under_p * np.exp(-scale - tau)
        extreme = np.stack((fpr, tpr, tpr - fpr))
        values = np.vstack((extreme, np.zeros_like(tau)))
        errors = SETTINGS.rounding * np.stack((fpr, tpr, fpr + tpr))
        for log_scale, integrals, doubt in read:
            share = np.exp(log_scale - scale)
            values += share * integrals
            errors += share * (SETTINGS.caution * doubt + SETTINGS.rounding * np.abs(integrals[:3]))
        points = interpret(math.inf, tau, scale, values, errors)
        points.errors[(values[:3] <= 0).any(axis=0)] = np.inf
        return points


@dataclass(frozen=True)
class _Bound:
    """A part so small that its bound is all that need be known."""

    tilt: Tilt

    def integrals(self, tau: Floats) -> tuple[Floats, Floats, Floats]:
        """As those of a line: nothing, give or take all that there can be."""
        return self.tilt.value - self.tilt.at * tau, np.zeros((4, tau.size)), np.ones((3, tau.size))


def _dies_out(cumulants: _Part, tilt: Tilt, deviation: float) -> float:
    """About the frequency from which on a transform has died out, for a loss of this deviation; infinity if far off."""
    t = np.array(SETTINGS.scan) / deviation
    alive = np.flatnonzero(cumulants.log_ratio(tilt, t).real > -SETTINGS.exponent)
    first = int(alive[-1]) + 1 if alive.size else 0
    return float(t[first]) if first < t.size else math.inf


def _laid(cumulants: _Part, tilt: Tilt, low: float, high: float) -> Line:
    return Line(cumulants, tilt, max(abs(high - tilt.mean), abs(tilt.mean - low)), SETTINGS.most_work)


def _first_tilt(cumulants: _Part, low: float, high: float) -> Tilt:
    """Roughly the least tilt of a line for these thresholds."""
    return cumulants.tilt(1 + 2 * SETTINGS.pole_distance / (low + high), roughly=True)


def _saddle_between(cumulants: _Part, low: float, high: float, first: Tilt) -> Tilt:
    """The tilt whose law has its mean in the middle of the thresholds, as far as the poles allow, from the first on."""
    near = _saddle(cumulants, 0.5 * (low + high), first)
    return cumulants.tilt(max(near.at, 1 + SETTINGS.pole_deviations / near.deviation))


def _saddle(cumulants: _Part, tau: float, here: Tilt) -> Tilt:
    """Roughly the tilt whose mean is nearly tau, from the least one on; that if its mean is larger."""
    low = least = here.at
    high = math.inf
    for _ in range(SETTINGS.saddle_steps):
        miss = here.mean - tau
        if abs(miss) <= SETTINGS.saddle_tolerance * here.deviation or (here.at == least and miss > 0):
            return here
        low, high = (low, here.at) if miss > 0 else (here.at, high)
        at = here.at - miss / here.variance
        if not low < at < high:
            at = 0.5 * (low + high)
        here = cumulants.tilt(min(at, 2 * here.at), roughly=True)
    raise ConvergenceError(f"no tilt of this part of the loss has mean {tau:g}")
