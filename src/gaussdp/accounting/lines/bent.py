r"""A line that bends to the right: few nodes where the characteristic function of the loss hardly decays.

With few steps, or rare ones, the loss is nearly its least one, and along a vertical line the integrand goes on for
millions of turns (`line.py`). It is analytic, and its factor e^(-theta tau) decays to the right of the line on the
scale of the excess of tau over the least loss. So the line becomes one arm of a hyperbola,

.. math:: \theta(y) = c + w\,(b\,(\cosh y - 1) + i \sinh y),

with asymptotes steeper than 45 degrees, where the moments of normal losses still decay. The trapezoid rule in y
converges geometrically, but for what the poles at 0 and 1 add: if y = i eta meets a pole whose residue is R, that is
R / (e^(2 pi eta / h) - 1), which is subtracted. Rules of four spacings are compared.

A threshold is served by the line of its bin, and bins are evenly spaced in the logarithm of the excess. Lines depend on
their bins alone, so the same threshold is read off the same line whatever else is asked.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr
from gaussdp.accounting.lines.interpreting import interpret, signs
from gaussdp.accounting.lines.lattice import has_width, near_quantile
from gaussdp.accounting.lines.line import SETTINGS as STRAIGHT
from gaussdp.accounting.lines.line import Line
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.steps import SampledGaussianLoss, StepLoss
from gaussdp.accounting.loss.sums import of_size
from gaussdp.accounting.operating_points import LIMIT, NormalTails, OperatingPoints
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import TINY, Complexes, Floats


@dataclass(frozen=True)
class BentSettings:
    """What is tuned about bent lines; lengths along them are those of y."""

    bend: float = 0.12  # slope to the right of the asymptotes
    width: float = 3.0
    """Of the nearly vertical part, for each deviation of the tilted law by which its mean exceeds the least loss."""
    widths: tuple[float, float] = (1.5, 8.0)  # ... at least and at most; all in inverse deviations
    most_turns: float = 16.0  # ... and at most, in inverse losses of an output that the record alone explains
    spacing: float = 0.06  # of the first rule
    fine: float = 0.018  # ... from which on rules are refined only where a threshold would not be served
    finest: float = 0.01
    targets: tuple[float, ...] = (1e-11, 3e-11, 3e-11)
    """Errors, relative to the value, up to which rules are refined: at the mean and at the ends of the thresholds."""
    enough: float = 3e-10  # ... the same of fine rules
    powers: tuple[float, float] = (1.9, 2.9)
    """Of the error of a rule, relative to the value, that rules with two and with three times the nodes will have, as a
    rule: by these it is told which of them, or of four times the nodes, to make."""
    block: int = 52  # nodes at once, until the integrand has died out
    most_nodes: int = 600  # of the first rule
    dead: int = 2  # nodes that are kept past those at which the integrand is of any size: they bound what lies beyond
    exponent: float = 42.0  # -log of what has died out, relative to the scale of the line
    reach: float = 3.5  # deviations below the mean up to which thresholds are served
    nearest: float = 0.05  # ... and share of the mean's excess over the least loss
    most_phase: float = 1.3  # radians from the first node to the next by which e^(-theta tau) may turn, off the mean
    share: float = 1.6
    """Power of the difference from the rule of spacing 3h, relative to all terms, below which the error of spacing h
    does not fall: it would be 3 if one singularity decided. The difference from that of 2h is an error as it stands."""
    levels: tuple[float, float] = (1.3, 1.15)
    """Powers of the differences from spacings 3h and 4h below which those from 2h and 3h should lie; at 3 / 2 and 4 / 3
    they would. If neither does, a small share of the integrand turns too fast for all of these rules, on the arms of
    the hyperbola, and their differences are of the size of their errors, or by chance smaller."""
    least_error: float = 2e-14  # of a rule, relative to all terms, however well coarser ones agree with it
    most_images: float = 60.0  # exponent past which what a pole adds is nothing
    same_value: float = 1e-8  # relative difference between K on either path: past it one of them is wrong
    rounding: float = 4e-16
    beyond: float = 40.0  # integral past the last node, in terms of it: terms fall off by e^-1 in less than ten nodes
    largest_exponent: float = 600.0


SETTINGS = BentSettings()


class BentLine(Line):
    """The integrand along a hyperbola through the tilt, ready to be summed for thresholds near its mean."""

    tilt: Tilt
    deviation: float

    def __init__(self, cumulants: LossCumulants, tilt: Tilt, ends: tuple[float, float]) -> None:
        """Lay a line that is accurate at its mean and, if it can be, at these thresholds to its sides."""
        self._loss = cumulants.rotated()
        self.tilt, self.deviation = tilt, tilt.deviation
        excess = tilt.mean - self._loss.least
        least, most = SETTINGS.widths
        width = min(max(SETTINGS.width * excess / self.deviation, least), most) / self.deviation
        self._width = min(width, SETTINGS.most_turns / self._loss.rare_excess(tilt.at))
        self._lowest = max(-SETTINGS.reach * self.deviation, -(1 - SETTINGS.nearest) * excess)
        self._spacing = SETTINGS.spacing
        self._aims = np.array([tilt.mean, *(max(end, tilt.mean + self._lowest) for end in ends)])
        self._lay()
        if abs(self._start - tilt.value) > SETTINGS.same_value * (1 + abs(tilt.value)):
            raise ConvergenceError("a bent line starts where no straight one does")
        self._weigh_nodes()
        times = self._times()
        while times > 1:
            self._refine(times)
            self._weigh_nodes()
            times = self._times() if self._spacing > SETTINGS.finest else 1

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self._y.size

    def _lay(self) -> None:
        """Nodes until the integrand has died out for the lowest threshold that is served, and so for all above it."""
        parts = []
        self._start = 0.0
        for first in range(0, SETTINGS.most_nodes, SETTINGS.block):
            y = self._spacing * np.arange(first, first + SETTINGS.block, dtype=np.float64)
            logs, errors = self._integrand(y)
            if first == 0:
                self._start = float(logs[0].real)
                logs -= self._start
            parts.append((y, logs, errors))
            if self._died_out(y[-2:], logs[-2:]) and self._stays_dead(float(y[-1])):
                break
        else:
            raise ConvergenceError("a bent line of the privacy loss decays too slowly")
        nodes = [np.concatenate(part) for part in zip(*parts, strict=True)]
        dead = self._left(nodes[0], nodes[1]) < -SETTINGS.exponent
        kept = dead.size - int(dead[::-1].argmin()) + SETTINGS.dead  # those before nothing is left, and some after
        self._y, self._logs, self._errors = (part[:kept] for part in nodes)

    def _left(self, y: Floats, logs: Complexes) -> Floats:
        """Logarithms of what is left at these places, for the lowest threshold."""
        offset, slope = self._hyperbola(y)
        left: Floats = (logs - offset * self._lowest).real + np.log(np.abs(slope))
        return left

    def _died_out(self, y: Floats, logs: Complexes) -> bool:
        """Whether nothing is left at these places."""
        return float(self._left(y, logs).max()) < -SETTINGS.exponent

    def _stays_dead(self, last: float) -> bool:
        """Whether nothing comes back far beyond the last node, as it does for losses on a kind of lattice."""
        y = np.arcsinh(math.sinh(last) * np.array(STRAIGHT.beyond))
        return self._died_out(y, self._integrand(y)[0])

    def _refine(self, times: int) -> None:
        """Nodes between all, evenly, so that there are this many times as many."""
        between = (self._y[:-1, np.newaxis] + self._spacing / times * np.arange(1, times)).ravel()
        order = np.argsort(np.concatenate((self._y, between)), kind="stable")
        more = (between, *self._integrand(between))
        self._y, self._logs, self._errors = (
            np.concatenate((old, new))[order]
            for old, new in zip((self._y, self._logs, self._errors), more, strict=True)
        )
        self._spacing /= times

    def _hyperbola(self, y: Floats) -> tuple[Complexes, Complexes]:
        """theta - c and d theta / dy."""
        bend, sinh, cosh = SETTINGS.bend, np.sinh(y), np.cosh(y)
        return self._width * (bend * (cosh - 1) + 1j * sinh), self._width * (bend * sinh + 1j * cosh)

    def _integrand(self, y: Floats) -> tuple[Complexes, Floats]:
        """K(theta) - K(c) - (theta - c) K'(c), and the errors of its exponential."""
        offset, _ = self._hyperbola(y)
        value, errors = self._loss.values(self.tilt.at + offset)
        return value - self._start - offset * self.tilt.mean, errors

    def _weigh_nodes(self) -> None:
        self._offsets, slopes = self._hyperbola(self._y)
        theta = self.tilt.at + self._offsets
        weights = slopes * (self._spacing / math.pi)
        weights[0] *= 0.5
        to_zero, to_one = 1 / theta, 1 / (theta - 1)
        self._coefficients = np.stack((weights * to_zero, weights * to_one, weights * to_zero * to_one, weights))

    def _times(self) -> int:
        """How many times the nodes a rule should have for the error that is aimed at, or one no better."""
        values, errors, _, change = (part[:3] for part in self._sums_at(self._aims))
        sizes = np.maximum(np.abs(values), TINY)
        others = ((errors - change) / sizes).max(axis=0)
        targets = SETTINGS.targets if self._spacing > SETTINGS.fine else SETTINGS.enough
        enough, left = np.maximum(targets, others), (change / sizes).max(axis=0)
        serves = others <= LIMIT  # elsewhere no rule would do
        times = 1
        for more, most in zip(left[serves].tolist(), enough[serves].tolist(), strict=True):
            if more > most:
                times = max(times, next((2 + k for k, p in enumerate(SETTINGS.powers) if more**p <= most), 4))
        return times

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points at thresholds, with infinite errors where the line does not serve."""
        values, errors, log_scale, _ = self._sums_at(tau)
        wrong = (values[:3] * signs(self.tilt.at) <= 0).any(axis=0)
        offset = tau - self.tilt.mean
        wrong |= (offset < self._lowest) | (np.abs(offset) * self._width * self._spacing > SETTINGS.most_phase)
        points = interpret(self.tilt.at, tau, log_scale, values, errors[:3])
        points.errors[wrong] = np.inf
        return points

    def _sums_at(self, tau: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The integrals, their errors, the logarithm of what they are relative to, and the errors of the rule alone."""
        exponents = self._logs - np.multiply.outer(tau - self.tilt.mean, self._offsets)
        waves = np.empty_like(exponents)
        waves.real, waves.imag = of_size(np.exp(np.minimum(exponents.real, SETTINGS.largest_exponent)), exponents.imag)
        terms = self._coefficients[:, np.newaxis, :] * waves
        sizes = np.abs(terms)
        log_scale = self._start - self.tilt.at * tau
        size = sizes.sum(axis=2)
        values, images = self._rule(terms, tau, log_scale, 1)
        differences = []
        for every in (2, 3, 4):
            coarse, more = self._rule(terms, tau, log_scale, every)
            images += more
            differences.append(np.minimum(np.abs(values - coarse) / size, 1.0))
        double, triple, fourfold = differences
        stays = (double > triple ** SETTINGS.levels[0]) & (triple > fourfold ** SETTINGS.levels[1])
        change = size * np.maximum(np.where(stays, np.maximum(double, triple), double), triple**SETTINGS.share)
        rounding = SETTINGS.rounding * (np.abs(exponents) + 4)
        errors: Floats = (sizes * (self._errors + rounding)).sum(axis=2)
        scale_error = SETTINGS.rounding * (4 + abs(self._start) + self._loss.rounding(self.tilt.at, tau))
        errors += scale_error * (np.abs(values) + images) + SETTINGS.least_error * size
        return values, errors + change + SETTINGS.beyond * sizes[:, :, -2:].max(axis=2), log_scale, change

    def _rule(self, terms: Complexes, tau: Floats, log_scale: Floats, every: int) -> tuple[Floats, Floats]:
        """The integrals by the rule that takes every so many nodes, without what poles add, and the size of that."""
        images = self._images(tau, log_scale, every)
        return every * terms[:, :, ::every].sum(axis=2).imag - images.sum(axis=0), np.abs(images).sum(axis=0)

    def _images(self, tau: Floats, log_scale: Floats, every: int) -> Floats:
        """What either pole adds to the rules that take every so many nodes."""
        images = np.zeros((2, 4, tau.size))
        for pole in (0, 1):
            height = self._height(float(pole))
            turns = 2 * math.pi * abs(height) / (every * self._spacing)
            if turns < SETTINGS.most_images:
                share = math.copysign(1 / math.expm1(turns), height)
                images[pole, pole] = share * np.exp(-pole * tau - log_scale)
                images[pole, 2] = images[pole, pole] if pole else -images[pole, pole]
        return images

    def _height(self, pole: float) -> float:
        """eta, where y = i eta meets a pole; infinite if none near the rule does."""
        bend = SETTINGS.bend
        share = ((pole - self.tilt.at) / self._width + bend) / math.hypot(1.0, bend)
        return math.acos(share) - math.atan2(1.0, bend) if abs(share) < 1 else math.inf


@dataclass(frozen=True)
class BinSettings:
    """What is tuned about bins."""

    ratio: float = 3.0  # of the excesses at the ends of a bin
    half: float = 2.0  # deviations of the tilted law from the middle of a bin to its ends, at most; wider ones are cut
    most_parts: int = 64  # into which a bin is cut
    least_excess: float = 1e-4  # over the least loss, relative to that: below, lines are long, and rounding decides
    saddle_steps: int = 80  # tilts tried on the way to a saddle point
    saddle_tolerance: float = 0.2  # of an excess, or of a deviation
    far_down: float = 10.0  # tilt below zero from which on steps are multiples of it
    farthest: float = 3.0  # logarithm of such a multiple, at most
    pole_distance: float = 0.2  # least distance of a line from the poles at 0 and 1, in inverse deviations
    most_kinds: int = 20  # of steps, since each adds to the time of every node
    long: float = 1600.0
    """Where the transform of the loss should have died out for straight lines to be quicker than bent ones, in inverse
    losses of an output that the record alone explains: these take about twice as many nodes."""
    large_losses: tuple[float, float, int] = (0.1, 1e5, 120)
    """Thresholds, in deviations above the mean, and how many of them, at which tails are estimated for searches."""
    several: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # large losses that may cause one
    vanished: float = -745.0  # logarithm of the least double: what is smaller is bounded, and need not be computed
    nothing: float = -1e4  # logarithm of a tail that has vanished
    died_out: float = 39.0  # -log of what has
    surely: float = 2.0  # times as large: what a rough value of it must be
    middle_from: float = 4.0  # standard deviation from which on there is room for lines between the poles


BINS = BinSettings()

_Key = tuple[int, int, int]  # of a bin, the parts that it is cut into, and which of them


class BentTails(NormalTails):
    """The tails of plain Gaussian releases (their squared mu) and counted sampled steps, by bent lines."""

    lowest: float

    def __init__(self, squared_mu: float, steps: Sequence[tuple[StepLoss, int]]) -> None:
        self._arguments = squared_mu, tuple(steps)
        self._cumulants = LossCumulants(squared_mu, steps)
        self.lowest = self._cumulants.lowest
        self._middles: dict[int, Tilt | None] = {}
        self._lines: dict[_Key, BentLine | None] = {}

    @staticmethod
    def covers(steps: Sequence[tuple[StepLoss, int]]) -> bool:
        """Whether all steps are of one record, and few enough kinds of them."""
        return len(steps) <= BINS.most_kinds and all(isinstance(step, SampledGaussianLoss) for step, _ in steps)

    def _describe(self) -> tuple[object, ...]:
        return self._arguments

    @property
    def mean(self) -> float:
        """Mean of the loss under Q."""
        return self._origin.mean

    @property
    def deviation(self) -> float:
        """Standard deviation of the loss under Q."""
        return self._origin.deviation

    @property
    def skewness(self) -> float:
        """Skewness of the loss under Q."""
        return self._origin.third / self._origin.deviation**3

    @cached_property
    def quicker(self) -> bool:
        """Whether straight lines would have to go on for very long."""
        loss = self._cumulants.rotated()
        t = BINS.long / loss.rarest
        half = 0.5 * t * t
        # |E e^(itL)| is at least 1 less half of t^2 times the variance, and -log(1 - x) at most 2 x for x up to 1/2.
        lively = all(half * grid.variance < 0.5 for grid in self.under_p.grids)
        if lively and 2 * half * self.under_p.variance < BINS.died_out:
            return True
        # A grid of outputs that is too coarse for t tells as much, if it is far from undecided.
        if self._cumulants.log_ratio(self.under_p, np.array([t]))[0].real < -BINS.surely * BINS.died_out:
            return False
        try:
            values, errors = loss.values(np.array([1.0 + 1j * t]))
        except ConvergenceError:
            return False
        return bool(values[0].real > -BINS.died_out and errors[0] < LIMIT)

    def rough_quantile(self, quantile: float, pole: float) -> float | None:
        """About the threshold that the loss exceeds with the probability of a normal quantile, if known."""
        if quantile <= 0:
            return near_quantile(self._cumulants, self._origin, quantile, pole, roughly=True)
        tau, under_q, under_p = self._by_large_losses
        return float(np.interp(-special.log_ndtr(-quantile), -(under_p if pole else under_q), tau))

    def rough_epsilon(self, log_delta: float) -> float | None:
        """About the threshold at which the profile of the remove direction has this logarithm, if known."""
        tau, _, under_p = self._by_large_losses
        # delta at tau is the integral of e^(tau - x) P(L > x) over x from tau on.
        parts = np.diff(tau) * 0.5 * (np.exp(under_p[1:] - tau[1:]) + np.exp(under_p[:-1] - tau[:-1]))
        total = np.append(np.cumsum(parts[::-1])[::-1], 0.0)
        with np.errstate(divide="ignore"):
            log_profile = np.minimum.accumulate(np.maximum(tau + np.log(total), BINS.nothing))
        return float(np.interp(-log_delta, -log_profile, tau))

    @cached_property
    def _by_large_losses(self) -> tuple[Floats, Floats, Floats]:
        """Thresholds and about the logarithms of their tails under Q and under P.

        A tail is due to the sum of many small losses, which is nearly normal, or to k large ones of one size: these
        exceed tau / k in a Poisson number of steps.
        """
        mean, deviation = self._origin.mean, self._origin.deviation
        tau = mean + deviation * np.geomspace(*BINS.large_losses)
        alone = [
            (step.log_tails(tau - mean), math.log(count))
            for step, count in self._arguments[1]
            if isinstance(step, SampledGaussianLoss)
        ]
        under_q = np.logaddexp.reduce([log_fpr + log_count for (log_fpr, _), log_count in alone])
        under_p = np.logaddexp.reduce([log_tpr + log_count for (_, log_tpr), log_count in alone])
        tails = []
        for log_number, centre in ((under_q, mean), (under_p, mean + deviation**2)):
            several = np.array(BINS.several, np.float64)[:, np.newaxis]
            rate = np.interp(tau / several, tau, log_number)
            poisson = several * rate - special.gammaln(several + 1) - np.exp(np.minimum(rate, 30.0))
            poisson[rate >= np.log(several)] = -np.inf
            total = np.maximum(special.log_ndtr((centre - tau) / deviation), poisson.max(axis=0))
            tails.append(np.minimum.accumulate(total))
        return tau, tails[0], tails[1]

    def at_fpr(self, log_fpr: Floats, log_tnr: Floats) -> OperatingPoints:
        """Operating points with these FPRs."""
        return points_at_fpr(self, log_fpr, log_tnr)

    def at_fnr(self, log_fnr: Floats, log_tpr: Floats) -> OperatingPoints:
        """Operating points with these FNRs."""
        return points_at_fnr(self, log_fnr, log_tpr)

    @cached_property
    def _least(self) -> float:
        """The least loss of the sampled steps."""
        return self._cumulants.rotated().least

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where a line is accurate; the other thresholds are left unanswered."""
        points = OperatingPoints.unanswered(tau)
        excess = tau - self._least
        open_ = np.flatnonzero(excess > BINS.least_excess * -self._least)
        places = np.log(excess[open_] / -self._least) / math.log(BINS.ratio)
        bins = np.floor(places)
        # At a threshold of zero the sides of the poles change, whatever rounding says.
        bins = np.where(tau[open_] >= 0, np.maximum(bins, 0.0), np.minimum(bins, -1.0))
        shares = np.clip(places - bins, 0.0, 1.0)
        with np.errstate(all="ignore"):  # what is not a number has no finite error
            for index in sorted(set(bins.astype(np.intp).tolist())):
                mine = np.flatnonzero(bins == index)
                parts = self._parts_of(index)
                owners = np.minimum((shares[mine] * parts).astype(np.intp), parts - 1)
                for owner in sorted(set(owners.tolist())):
                    line = self._line((index, parts, owner))
                    if line is not None:
                        some = open_[mine[owners == owner]]
                        read = line.read(tau[some])
                        smaller = np.minimum(read.log_delta_remove, read.log_delta_add)
                        good = (read.errors <= LIMIT) & (smaller > BINS.vanished)
                        points.put(some[good], read.take(good))
        return points

    def _parts_of(self, index: int) -> int:
        """Into how many parts a bin is cut so that a line serves each."""
        tilt = self._middle_of(index)
        if tilt is None:
            return 1
        low, high = self._ends((index, 1, 0))
        return min(max(math.ceil((high - low) / (2 * BINS.half * tilt.deviation)), 1), BINS.most_parts)

    def _middle_of(self, index: int) -> Tilt | None:
        """The tilt in the middle of a bin, if there is one."""
        if index not in self._middles:
            self._middles[index] = self._saddle(self._place((index, 1, 0), 0.5), self._origin)
        return self._middles[index]

    def _place(self, key: _Key, share: float) -> float:
        """The threshold at this share of the way through a part of a bin."""
        index, parts, part = key
        excess: float = BINS.ratio ** (index + (part + share) / parts)
        return self._least - self._least * excess

    def _ends(self, key: _Key) -> tuple[float, float]:
        return self._place(key, 0.0), self._place(key, 1.0)

    def _line(self, key: _Key) -> BentLine | None:
        if key not in self._lines:
            tau = self._place(key, 0.5)
            tilt = self._saddle(tau, self._middle_of(key[0]) or self._origin)
            try:
                tilt = None if tilt is None else self._off_poles(tilt, tau)
                self._lines[key] = None if tilt is None else BentLine(self._cumulants, tilt, self._ends(key))
            except ConvergenceError:
                self._lines[key] = None
        return self._lines[key]

    def _saddle(self, tau: float, here: Tilt) -> Tilt | None:
        """The tilt whose mean exceeds the least loss by nearly as much as this threshold, from another tilt on."""
        target = tau - self._least
        low, high = -math.inf, math.inf
        for _ in range(BINS.saddle_steps):
            excess = here.mean - self._least
            if not (excess > 0 and has_width(here)):
                return None
            if abs(excess - target) <= BINS.saddle_tolerance * min(here.deviation, target):
                return here
            low, high = (low, here.at) if excess > target else (here.at, high)
            step = -math.log(excess / target) * excess / here.variance
            if here.at < -BINS.far_down:  # there the excess is about a power of the tilt
                at = here.at * math.exp(max(min(step / here.at, BINS.farthest), -BINS.farthest))
            else:
                at = here.at + step
            if here.at < self._cumulants.rare_from < at:
                at = self._cumulants.rare_from
            if not low < at < high:
                at = (
                    0.5 * (low + high)
                    if math.isfinite(low + high)
                    else 2 * here.at - math.copysign(1.0, target - excess)
                )
            try:
                here = self._cumulants.tilt(at)
            except ConvergenceError:
                return None
        return None

    @cached_property
    def _origin(self) -> Tilt:
        return self._cumulants.tilt(0.0)

    @cached_property
    def under_p(self) -> Tilt:
        """The law of the loss under P."""
        return self._cumulants.tilt(1.0)

    def _off_poles(self, tilt: Tilt, tau: float) -> Tilt:
        """The tilt itself, or one that keeps its distance from the poles at 0 and 1."""
        gap = BINS.pole_distance / tilt.deviation
        at = tilt.at if tau >= 0 else 1 - tilt.at  # so that the pole to be passed lies at 1
        between = tilt.deviation >= BINS.middle_from and at < 1
        at = min(max(at, gap), 1 - gap) if between else max(at, 1 + gap)
        at = at if tau >= 0 else 1 - at
        return tilt if at == tilt.at else self._cumulants.tilt(at)
