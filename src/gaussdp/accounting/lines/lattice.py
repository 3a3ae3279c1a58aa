r"""Which line serves a threshold: a lattice of lines that depends on the loss alone, laid as far as it is asked for.

On each side of zero the k-th line serves the thresholds from the k-th edge to the next one, :math:`2 r` standard
deviations of its tilted law apart. Edges and tilts follow from those before them, never from what was asked, so the
same threshold is read off the same line in whatever order questions come.

Thresholds of given tail probabilities come nearly right from the saddlepoint approximation, for the price of a few
tilts. With K the log moment generating function of the loss, and s the distance of the tilt from 0 (for probabilities
under Q) or from 1 (under P),

.. math:: r^* = w + \frac1w \log\frac uw, \qquad w = \pm\sqrt{2 (s K' - K)}, \qquad u = s \sqrt{K''},

is nearly the normal quantile of the probability that the loss exceeds K' (Barndorff-Nielsen 1986).
"""

import math
import threading
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.lines.line import CoarseScheduleError, Line
from gaussdp.accounting.loss.cumulants import LossCumulants, Tilt
from gaussdp.accounting.loss.steps import CLEAN
from gaussdp.accounting.operating_points import LIMIT, OperatingPoints
from gaussdp.accounting.readings import NO_METHOD
from gaussdp.errors import ConvergenceError
from gaussdp.numerics import Booleans, Floats, Indices


@dataclass(frozen=True)
class SaddlepointSettings:
    """What is tuned about the approximation."""

    close: float = 0.1  # quantiles between the threshold asked for and one from which a straight line leads there
    moderate: float = 1.0  # quantile from which on the formula is far from its removable singularity
    max_steps: int = 12  # tilts tried
    large_correction: float = 0.15  # of the quantile: the approximation is not to be trusted
    negligible: float = 12.0  # -log of the weight of the outputs at the cutoff from which on they do not matter
    heavy: float = 1.0  # ... and below which they rule: losses are then common or rare, with nothing in between


SADDLEPOINT = SaddlepointSettings()


def near_quantile(
    cumulants: LossCumulants, origin: Tilt, quantile: float, pole: float, *, roughly: bool = False
) -> float | None:
    """The threshold that the loss exceeds with probability 1 - Phi(quantile), to some thousandths of a quantile.

    Args:
        cumulants: of the loss.
        origin: its tilt at 0.
        quantile: of the normal law.
        pole: 0 for the probability under Q, 1 for that under P.
        roughly: whether to take the approximation wherever there is one.
    Returns:
        None where the approximation is not known to be that good.
    """
    if abs(quantile) < SADDLEPOINT.moderate:
        return None
    skewness = origin.third / (origin.variance * origin.deviation)
    shift = quantile / origin.deviation
    # The variance grows with the tilt; this is where w reaches the quantile if the third cumulant is constant.
    shift /= max(1 + skewness * (quantile + pole * origin.deviation) / 3, 0.5)
    low, high = (0.0, math.inf) if quantile > 0 else (-math.inf, 0.0)
    for _ in range(SADDLEPOINT.max_steps):
        tilt = cumulants.tilt(pole + shift)
        squared = 2 * (shift * tilt.mean - tilt.value)
        cut = min((grid.cut for grid in tilt.grids), default=math.inf)
        if cut < SADDLEPOINT.heavy or not (0 < squared < math.inf and 0 < tilt.variance < math.inf):
            return None
        w = math.copysign(math.sqrt(squared), quantile)
        correction = math.log(shift * tilt.deviation / w) / w
        miss = quantile - w - correction
        per_quantile = w / shift  # of the mean
        if abs(miss) < SADDLEPOINT.close:
            sure = abs(correction) < SADDLEPOINT.large_correction and cut > SADDLEPOINT.negligible
            return tilt.mean + miss * per_quantile if sure or roughly else None
        if miss > 0:
            low = shift
        else:
            high = shift
        # The logarithm of w is nearly linear where w grows fast.
        shift += math.log(max((quantile - correction) / w, 0.1)) * w * per_quantile / tilt.variance
        if not low < shift < high:
            shift = 0.5 * (low + high) if math.isfinite(low + high) else 2 * (low if quantile > 0 else high)
    return None


@dataclass(frozen=True)
class LatticeSettings:
    """What is tuned about the lattice."""

    target: float = 1.5e-11
    """Relative error that values should have; one up to 1e-9 is accepted where no line does better."""
    half: float = 3.35
    """Deviations from a line to the ends of its thresholds: one then serves a normal law down to rates of 1e-10."""
    by_skewness: float = 1.5
    light_half: float = 2.2
    heavy_half: float = 3.45
    """How half changes with the skewness towards the end, and its limits: a light tail has small values at its end."""
    gentle: tuple[float, float] = (2.9, 3.5)  # deviations from a line to the edge before it
    growth: float = 2.4
    mixed: tuple[float, float] = (0.3, 0.45)
    """The same where the deviation grows by more than this factor from line to line: losses there are mixtures of
    common and rare ones, and a line farther on would need many nodes."""
    bold: tuple[float, float] = (0.5, 1.0)
    """The same for lines that jump to where rare losses rule, however much the deviation grows."""
    resolution: float = 0.1
    """Distance, in inverse deviations, to which the last tilt that leaves the cut outputs alone is sought."""
    hardly_clean: float = 3.0  # -log of a weight that the cut outputs still lack at such a tilt
    surely_clean: float = 0.95  # share of the last tilt that should leave the cut outputs alone, at which it is sought
    most_tries: int = 40  # tilts until one lies as it should
    parts: int = 3  # into which the thresholds of a line are cut where it is not accurate, each with a line of its own
    pole_distance: float = 0.2  # least distance of a line from the poles at 0 and 1, in inverse deviations
    middle_from: float = 4.0
    """Standard deviation of the loss from which on there is room for lines between the poles, and need of them."""
    past_pole: float = 1.0
    """Deviations past the pole at 1 (or 0) up to which a line between the poles serves the profile."""
    vanished: float = 8000.0
    """-log of tails past which no line is laid. No double holds e^-745, but searches may come from farther out."""
    deep: float = 230.0
    """-log of tails from which on the error allowed grows with the logarithm, as rounding error does."""
    long: int = 400  # nodes from which on another line would hardly be more accurate, only slow
    least_variance: float = 1e-90  # of a tilted law, whose cube is still a double; the largest is its inverse
    foreseen: float = 4.0  # growth of the variance over one step, at most, that its third cumulant foretells


SETTINGS = LatticeSettings()

HOPELESS = np.int8(NO_METHOD - 1)
"""The code of a threshold that no line with any cutoff serves."""
COARSE = np.int8(NO_METHOD - 2)
"""The code of a threshold that needs lines of more steps than stand for the others here."""


class Lattice:
    """The lines of a loss whose outputs are cut off at one depth."""

    def __init__(self, cumulants: LossCumulants, origin: Tilt) -> None:
        self._lines = _Lines(cumulants, origin)
        self._chains = {side: [_Chain(self._lines, side, bold=bold) for bold in (False, True)] for side in (1.0, -1.0)}

    def read(self, tau: Floats) -> OperatingPoints:
        """Operating points where a line is accurate; the other thresholds are left unanswered.

        Where the method is HOPELESS, lines with other cutoffs would do no better.
        """
        upper = tau >= 0
        if upper.all():
            return self._read(tau, 1.0)
        if not upper.any():
            return self._read(tau, -1.0)
        both = OperatingPoints.joined((self._read(tau[upper], 1.0), self._read(tau[~upper], -1.0)))
        if not upper[np.count_nonzero(upper) :].any():  # they came in this order
            return both
        place = np.empty(tau.size, np.intp)
        place[np.argsort(~upper, kind="stable")] = np.arange(tau.size)
        return both.take(place)

    def line(self, tau: float) -> Line | None:
        """The line that answers a threshold, if one does."""
        gentle, bold = self._chains[1.0 if tau >= 0 else -1.0]
        return gentle.line(tau) or bold.line(tau)

    def _read(self, tau: Floats, side: float) -> OperatingPoints:
        gentle, bold = self._chains[side]
        points = gentle.read(tau)
        if not points.answered.all():
            missing = np.flatnonzero(~points.answered)
            points.put(missing, bold.read(tau[missing]))
        return points


class _Lines:
    """Tilts and the lines at them, each computed once; None where there is none."""

    def __init__(self, cumulants: LossCumulants, origin: Tilt) -> None:
        self.cumulants, self.origin = cumulants, origin
        self._tilts: dict[float, Tilt | None] = {}
        self._lines: dict[float, Line | None] = {}
        self.coarse: set[float] = set()  # tilts that need more steps

    def tilt(self, at: float) -> Tilt | None:
        if at not in self._tilts:
            try:
                tilt = self.cumulants.tilt(at)
                self._tilts[at] = tilt if has_width(tilt) else None
            except ConvergenceError:
                self._tilts[at] = None
        return self._tilts[at]

    def at(self, tilt: Tilt) -> Line | None:
        if tilt.at not in self._lines:
            try:
                self._lines[tilt.at] = Line(self.cumulants, tilt)
            except CoarseScheduleError:
                self._lines[tilt.at] = None
                self.coarse.add(tilt.at)
            except ConvergenceError:
                self._lines[tilt.at] = None
        return self._lines[tilt.at]


class _Chain:
    """The lines for thresholds from zero on (side 1), or below zero (side -1), outwards.

    Where rare losses begin to matter the deviation of the tilted law soars. Gentle lines limit its growth, and need few
    nodes; bold ones reach losses so rare that the common ones no longer slow the decay of the characteristic function.
    """

    def __init__(self, lines: _Lines, side: float, *, bold: bool) -> None:
        self._lines, self._side, self._bold = lines, side, bold
        self._edges = [0.0]  # of thresholds' sizes
        self._tilts: list[Tilt] = []
        self._ended = False
        self._laying = threading.Lock()  # each line begins where the one before ends
        self._part_tilts: dict[tuple[int, int], Tilt | None] = {}

    def read(self, tau: Floats) -> OperatingPoints:
        size = np.abs(tau)
        largest = float(size.max())
        self._extend(largest)
        first, last = (bisect_right(self._edges, end) - 1 for end in (float(size.min()), largest))
        if first == last < len(self._tilts):
            line = self._lines.at(self._tilts[first])
            if line is not None:
                read = line.read(tau)
                if _accurate(read, self._tolerance(line)).all():
                    return read
        owners = np.searchsorted(self._edges, size, side="right") - 1
        points = OperatingPoints.unanswered(tau)
        for owner in sorted(set(owners.tolist())):
            if owner < len(self._tilts):
                self._read_owned(owner, np.flatnonzero(owners == owner), points)
        return points

    def line(self, tau: float) -> Line | None:
        """The line that answers a threshold, if one does."""
        one = np.array([tau])
        if not self.read(one).answered[0]:
            return None
        owner = bisect_right(self._edges, abs(tau)) - 1
        line = self._lines.at(self._tilts[owner])
        if line is not None and _accurate(line.read(one), self._tolerance(line)).all():
            return line
        return self._part_line(owner, int(self._parts_of(owner, one)[0]))

    def _parts_of(self, owner: int, tau: Floats) -> Indices:
        """In which part of an owner's thresholds each lies."""
        low, high = self._edges[owner], self._edges[owner + 1]
        share = (np.abs(tau) - low) / (high - low)
        return np.minimum((share * SETTINGS.parts).astype(np.intp), SETTINGS.parts - 1)

    def _read_owned(self, owner: int, mine: Indices, points: OperatingPoints) -> None:
        """Fill in what the line of an owner reads accurately, or those of its parts do."""
        line = self._lines.at(self._tilts[owner])
        whole = all(grid.whole for grid in self._tilts[owner].grids)
        if line is None:
            coarse = self._tilts[owner].at in self._lines.coarse
            points.methods[mine] = COARSE if coarse else HOPELESS if whole else NO_METHOD
            return
        read = line.read(points.tau[mine])
        good = _accurate(read, self._tolerance(line))
        points.put(mine[good], read.take(good))
        if whole:
            points.methods[mine[~good & np.isfinite(read.errors)]] = HOPELESS
        if not (good.all() or line.size > SETTINGS.long):
            self._read_parts(owner, points, mine[~good])

    def _read_parts(self, owner: int, points: OperatingPoints, missing: Indices) -> None:
        parts = self._parts_of(owner, points.tau[missing])
        for part in sorted(set(parts.tolist())):
            line = self._part_line(owner, part)
            if line is not None:
                mine = missing[parts == part]
                read = line.read(points.tau[mine])
                good = _accurate(read, LIMIT)
                points.put(mine[good], read.take(good))

    def _part_line(self, owner: int, part: int) -> Line | None:
        """The line through the middle of a part of an owner's thresholds; None if there is none."""
        if (owner, part) not in self._part_tilts:
            low, high, tilt = self._edges[owner], self._edges[owner + 1], self._tilts[owner]
            middle = self._side * (low + (high - low) * (part + 0.5) / SETTINGS.parts)
            found = None
            # A tilt that is hardly clean is the last one, and has the largest mean.
            if self._side * (middle - tilt.mean) < 0 or _cut(tilt) >= CLEAN + SETTINGS.hardly_clean:
                with suppress(ConvergenceError):
                    found = self._off_poles(self._lines.cumulants.saddle(middle, tilt), first=False)
            self._part_tilts[owner, part] = found
        tilt_or_none = self._part_tilts[owner, part]
        return None if tilt_or_none is None else self._lines.at(tilt_or_none)

    def _extend(self, size: float) -> None:
        """Lay edges until this size of a threshold lies between two, if that can be."""
        if self._ended or self._edges[-1] > size:
            return
        with self._laying:
            while not self._ended and self._edges[-1] <= size:
                tilt = self._next()
                edge = None if tilt is None else self._end(tilt)
                if tilt is None or edge is None or not edge > self._edges[-1]:
                    self._ended = True
                    return
                self._tilts.append(tilt)
                self._edges.append(edge)

    def _tolerance(self, line: Line) -> float:
        return LIMIT if line.size > SETTINGS.long else SETTINGS.target

    def _end(self, tilt: Tilt) -> float:
        """How far a line serves."""
        skewness = self._side * tilt.third / (tilt.variance * tilt.deviation)
        half = min(max(SETTINGS.half + SETTINGS.by_skewness * skewness, SETTINGS.light_half), SETTINGS.heavy_half)
        end = self._side * tilt.mean + half * tilt.deviation
        if 0 < tilt.at < 1:
            # Past the mean under P (or Q) the profile is small, and this line knows it as a difference from 1.
            to_pole = 1 - tilt.at if self._side > 0 else tilt.at
            end = min(end, self._side * tilt.mean + to_pole * tilt.variance + SETTINGS.past_pole * tilt.deviation)
        return end

    @property
    def _last(self) -> Tilt:
        return self._tilts[-1] if self._tilts else self._lines.origin

    def _next(self) -> Tilt | None:
        """A tilt whose line begins at the last edge and reaches far beyond it."""
        side, edge = self._side, self._edges[-1]
        here = before = self._last
        low, high, fallback = side * here.at, math.inf, None
        clean_to = SETTINGS.surely_clean * self._lines.cumulants.clean_to if side > 0 else math.inf
        cut_low, cut_high = _cut(here), -math.inf  # how much of the law the cutoff leaves alone
        if self._tilts and cut_low < CLEAN + SETTINGS.hardly_clean:
            return None
        for _ in range(SETTINGS.most_tries):
            at = side * here.at + _step(side * here.mean - edge, here.variance, side * here.third)
            if not low < at < high:
                at = 0.5 * (low + high) if high < math.inf else low + 2 * (at - low)
            if low < clean_to:
                at = min(at, clean_to)
            if cut_high > -math.inf:
                # The last tilt that the cutoff leaves alone: the logarithm of its weight is nearly linear in the tilt.
                share = (cut_low - CLEAN - 1) / (cut_low - cut_high)
                at = min(at, low + min(max(share, 0.05), 0.95) * (high - low))
            tilt = self._tilt(side * at)
            if tilt is None or _cut(tilt) <= CLEAN:
                high, cut_high = at, -math.inf if tilt is None else _cut(tilt)
            else:
                place = (side * tilt.mean - edge) / tilt.deviation
                nearest, farthest = self._places(tilt.deviation / before.deviation)
                if place > farthest:
                    high, cut_high = at, -math.inf
                else:
                    here, low, cut_low = tilt, at, _cut(tilt)
                    if place > 0:
                        fallback = tilt
                    if place >= nearest:
                        break
            if high - low < SETTINGS.resolution / here.deviation or (
                fallback is here and cut_low < CLEAN + SETTINGS.hardly_clean
            ):
                break
        if fallback is None:
            return None
        # Chernoff: tails past the edge are below exp(K - c tau).
        if fallback.value - fallback.at * side * edge < -SETTINGS.vanished and self._tilts:
            return None
        return fallback

    def _places(self, growth: float) -> tuple[float, float]:
        """How far from its edge a line may lie, in deviations, if the deviation has grown by this factor."""
        if self._bold:
            return (math.inf, SETTINGS.gentle[1]) if growth < SETTINGS.growth else SETTINGS.bold
        nearest = SETTINGS.mixed[0] if growth > 0.85 * SETTINGS.growth else SETTINGS.gentle[0]
        return nearest, SETTINGS.mixed[1] if growth > SETTINGS.growth else SETTINGS.gentle[1]

    def _tilt(self, at: float) -> Tilt | None:
        """The tilt, off the poles, if its law has a width."""
        tilt = self._lines.tilt(at)
        return None if tilt is None else self._off_poles(tilt, first=not self._tilts)

    @cached_property
    def _wide(self) -> bool:
        return self._lines.origin.deviation >= SETTINGS.middle_from

    def _off_poles(self, tilt: Tilt, *, first: bool) -> Tilt | None:
        """The tilt itself, or one that keeps its distance from the poles at 0 and 1.

        The first line of a wide loss lies between them: past a pole it would lose the digits of the smaller rate at 0.
        """
        gap = SETTINGS.pole_distance / tilt.deviation
        at = tilt.at if self._side > 0 else 1 - tilt.at  # so that the pole to be passed lies at 1
        between = self._wide and (first or at < 1)
        at = min(max(at, gap), 1 - gap) if between else max(at, 1 + gap)
        at = at if self._side > 0 else 1 - at
        return self._lines.tilt(at) if abs(at - tilt.at) > 1e-15 * abs(at) else tilt


def has_width(tilt: Tilt) -> bool:
    """Whether the cube of the variance of a tilted law is a double, and not 0."""
    return SETTINGS.least_variance < tilt.variance < 1 / SETTINGS.least_variance


def _cut(tilt: Tilt) -> float:
    return min((grid.cut for grid in tilt.grids), default=math.inf)


def _step(miss: float, variance: float, third: float) -> float:
    """How far on the tilt lies whose mean is half a line's thresholds beyond the edge, from the cumulants here.

    Solves miss + v s + third s^2 / 2 = half * sqrt(v + third s) for s, by a few rounds of fixed points.
    """
    step = 0.0
    for _ in range(6):
        grown = variance + third * step
        grown = min(max(grown, variance / SETTINGS.foreseen), variance * SETTINGS.foreseen)
        last, step = step, (SETTINGS.half * math.sqrt(grown) - miss) / (0.5 * (variance + grown))
        if step == last:
            break
    return step


def _accurate(points: OperatingPoints, tolerance: float) -> Booleans:
    """Whether errors are within the tolerance, which grows with the depth of very deep tails."""
    good: Booleans = points.errors <= tolerance
    if good.all():
        return good
    rates = (
        points.log_fpr,
        points.log_tnr,
        points.log_fnr,
        points.log_tpr,
        points.log_delta_remove,
        points.log_delta_add,
    )
    deepest = -np.minimum.reduce(rates)
    # A rate of which nothing is left is not deep but lost to rounding.
    deepest = np.where(np.isfinite(deepest), deepest, 0.0)
    deep: Booleans = points.errors <= tolerance * np.maximum(1.0, deepest / SETTINGS.deep)
    return deep
