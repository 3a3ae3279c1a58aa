r"""A line that bends to the right: few nodes where the characteristic function of the loss hardly decays.

With few steps, or rare ones, the loss is nearly its least one, and along a vertical line the integrand goes on for
millions of turns (`line.py`). It is analytic, and its factor e^(-theta tau) decays to the right of the line on the
scale of the excess of tau over the least loss. So the line becomes one arm of a hyperbola,

.. math:: \theta(y) = c + w\,(b\,(\cosh y - 1) + i \sinh y),

with asymptotes steeper than 45 degrees, where the moments of normal losses still decay. The trapezoid rule in y
converges geometrically, but for what the poles at 0 and 1 add: if y = i eta meets a pole whose residue is R, that is
R / (e^(2 pi eta / h) - 1), which is subtracted. Rules of four spacings are compared.
"""

import math
from dataclasses import dataclass

import numpy as np

from gaussdp.accounting.lines.line import SETTINGS as STRAIGHT
from gaussdp.accounting.lines.line import Line, interpret, signs
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.operating_points import LIMIT, OperatingPoints
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
    block: int = 48  # nodes at once, until the integrand has died out
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
        waves = np.exp(np.minimum(exponents.real, SETTINGS.largest_exponent) + 1j * exponents.imag)
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
