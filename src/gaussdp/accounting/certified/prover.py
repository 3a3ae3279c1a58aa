"""Reads proved points off lines, and makes lines where there are none yet."""

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gaussdp.accounting.certified.balls import arb, enclosure, precision
from gaussdp.accounting.certified.bent import BentPlan, ProvedBentLine
from gaussdp.accounting.certified.bracketing import EFFORTS, plan_bracket
from gaussdp.accounting.certified.brackets import ProvedBracket
from gaussdp.accounting.certified.lines import ProvedLine, Tails, plan_line
from gaussdp.accounting.certified.loss import ComposedLoss
from gaussdp.accounting.certified.proved import Patience, Progress, ProvedPoint
from gaussdp.accounting.certified.steering import Steering, rounded
from gaussdp.accounting.certified.witnesses import BentWitness, BracketWitness, LineWitness, Witness, work_of
from gaussdp.accounting.composed import ComposedTails
from gaussdp.accounting.inversion import (
    points_at_add_delta,
    points_at_fnr,
    points_at_fpr,
    points_at_remove_delta,
)
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.errors import ConvergenceError, DomainError


@dataclass(frozen=True)
class ProverSettings:
    """What is tuned about proofs."""

    digits: tuple[int, ...] = (20, 14, 9)  # of every reading, the most that can be had
    spread: float = 2.0  # deviations of the tilted loss on either side of its saddle that a line serves
    wide: float = 2.0  # deviation of the loss from which on a line between the poles is cheap
    deviations: int = 45  # of outputs that are looked at first: beyond, their probability is below e^-1000
    more_deviations: int = 20  # tried beyond the least, for outputs at the cut to be light under the tilt
    margin: float = 12.0  # by which they should be lighter than the error that is aimed at, as a logarithm
    low_digits: tuple[int, ...] = (11, 9, 7)  # of the FPR that lines at low tilts give
    low_tilts: tuple[float, ...] = (0.2, 0.35, 0.55)  # of the distance from 1 to where rare outputs rule
    low_cuts: tuple[float, ...] = (0.0, 0.7, 1.4)  # deviations beyond the nearest cut that leaves the digits
    low_reach: float = 0.1  # of the distance to the mean, by which a threshold may be exceeded; below it all are served
    bent_digits: int = 15  # of readings of bent lines, whose nodes take long
    deepenings: int = 3  # of bent lines, whose integrals may be far smaller than their integrands
    share_of_lines: float = 0.4  # of the time, after which points are read off brackets
    bent_seconds: float = 30.0  # of the processor, that bent lines may take together
    close: float = 2e-6  # relative width of a bracket, which is not made finer
    more_time: float = 12.0  # that a finer bracket may take, of that of the one before
    least_digits: float = 1.0  # of what a straight line is for, below which it is no use
    tolerable: float = 4.0  # digits that may miss, as a logarithm
    bits: int = 192  # of closed forms, doubled until the digits are there
    most_bits: int = 4096


SETTINGS = ProverSettings()
_TOO_LONG = "no proof: lines would take too long"


@dataclass(frozen=True)
class _Served:
    """A line with the thresholds that it was made for."""

    region: int
    low: float
    high: float
    line: ProvedLine | ProvedBentLine | ProvedBracket


class Prover:
    """Proved points of one composition."""

    loss: ComposedLoss
    steering: Steering

    def __init__(self, loss: ComposedLoss, progress: Progress, seconds: float = math.inf) -> None:
        self.loss, self._progress = loss, Patience(progress, seconds)
        self._patience = Patience(progress, SETTINGS.share_of_lines * seconds, _TOO_LONG)
        self._bent_seconds = min(SETTINGS.bent_seconds, SETTINGS.share_of_lines * seconds)
        self._without_lines: set[int] = set()
        with precision(SETTINGS.bits):
            self._squared_mu = float(loss.squared_mu().mid())
        self._steerings: dict[float, Steering] = {}
        self.steering = self._steering(SETTINGS.deviations)
        self._served: list[_Served] = []
        self.lines: list[Witness] = []
        self.points: list[ProvedPoint] = []
        self._known: dict[tuple[float, int], int] = {}

    def near(self, kind: str, log_level: float) -> float:
        """A threshold near the one where a tail has this logarithm, by fast methods if they know it.

        Args:
            kind: fpr, fnr, remove or add.
            log_level: of the tail.
        """
        if self.loss.closed:
            return self.steering.near(kind, log_level)
        level, rest = np.array([log_level]), np.log1p(-np.exp(np.array([log_level])))
        try:
            if kind in ("fpr", "fnr"):
                found = (points_at_fpr if kind == "fpr" else points_at_fnr)(self._tails, level, rest)
            else:
                found = (points_at_remove_delta if kind == "remove" else points_at_add_delta)(self._tails, level)
        except ConvergenceError:
            return self.steering.near(kind, log_level)
        return float(found.tau[0]) if found.answered[0] else self.steering.near(kind, log_level)

    @cached_property
    def _tails(self) -> ComposedTails:
        steps = [(SampledGaussianLoss(part.noise_multiplier, part.sample_rate), part.count) for part in self.loss.parts]
        return ComposedTails(self._squared_mu, steps)

    def point(self, threshold: float, region: int | None = None) -> ProvedPoint:
        """What is proved at a threshold: from a line in a region, or in the one that suits both error rates."""
        return self.points[self.place(threshold, region)]

    def place(self, threshold: float, region: int | None = None) -> int:
        """The number of the point at a threshold."""
        where = self._region(threshold) if region is None else region
        if (threshold, where) not in self._known:
            self.points.append(self._prove(threshold, where))
            self._known[threshold, where] = len(self.points) - 1
        return self._known[threshold, where]

    def _prove(self, threshold: float, region: int) -> ProvedPoint:
        bits = SETTINGS.bits
        with precision(bits):
            below = self.loss.below(threshold)
        if self.loss.closed or below:
            while True:
                with precision(bits):
                    tails = self.loss.below(threshold) or self.loss.closed_tails(threshold)
                    if bits >= SETTINGS.most_bits or min(map(_accuracy, tails.rates())) > SETTINGS.digits[0]:
                        return stated(tails, None)
                bits *= 2
        number = self._line(threshold, region)
        with precision(self.lines[number].bits):
            return stated(self._served[number].line.read(threshold), number)

    def _cut(self, threshold: float, region: int) -> tuple[Steering, float, float]:
        """As much cut off as does not matter, where little is; how far a line serves; and its digits as a logarithm.

        Rare outputs that weigh much under the tilt may force the cut so far in that fewer digits can be had.
        """
        count = math.log(sum(part.count for part in self.loss.parts))
        choices = []
        for digits in SETTINGS.digits:
            depth = digits * math.log(10) + 0.5 * SETTINGS.spread**2
            steering, room, least = self.steering, 0.0, 0
            for _ in range(2):
                tilt = steering.saddle(threshold, region)
                value, _, variance = steering.cumulants(tilt)
                room = SETTINGS.spread * math.sqrt(variance + tilt**-2 + (tilt - 1) ** -2)
                log_tail = value - tilt * threshold + min(threshold, 0.0) - math.log1p(tilt * tilt * variance)
                further = SETTINGS.spread * math.sqrt(1 + 2 * abs(log_tail))
                least = math.ceil(math.sqrt(2 * (depth + count + 8 + further - min(log_tail, 0.0))))
                steering = self._steering(least)
            choices.append((steering, room, depth))
            for deviations in range(least, least + SETTINGS.more_deviations, 2):
                wider = self._steering(deviations)
                if wider.light_at_cuts(wider.saddle(threshold, region), depth + SETTINGS.margin):
                    return wider, room, depth
        return choices[-1]

    def _steering(self, deviations: float) -> Steering:
        if deviations not in self._steerings:
            self._steerings[deviations] = Steering(self._squared_mu, self.loss.parts, deviations)
        return self._steerings[deviations]

    def _region(self, threshold: float) -> int:
        """The region whose line gives the smaller of both pairs of rates."""
        if self.loss.closed:
            return 0
        (_, under_q, variance), (_, under_p, _) = self.steering.cumulants(0.0), self.steering.cumulants(1.0)
        if math.sqrt(variance) < SETTINGS.wide:
            return 1 if threshold > 0.5 * (under_q + under_p) else -1
        return 1 if threshold > under_p else -1 if threshold < under_q else 0

    def _line(self, threshold: float, region: int) -> int:
        for number, one in enumerate(self._served):
            if one.region == region and one.low <= threshold <= one.high:
                return number
        self._tell("its place")
        witness, served = self._found(threshold, region)
        self.lines.append(witness)
        self._served.append(served)
        return len(self.lines) - 1

    def _found(self, threshold: float, region: int) -> tuple[Witness, _Served]:
        """A line, or where there is none a bracket."""
        if region in self._without_lines:
            return self._bracket(threshold, region, ConvergenceError("no proof: neither a line nor a lattice is known"))
        try:
            try:
                plan = self._plan(threshold, region)
            except ConvergenceError as error:
                return self._bent(threshold, region, error)
            found = self._straight(region, *plan)
        except ConvergenceError as error:
            self._without_lines.add(region)
            return self._bracket(threshold, region, error)
        except (ArithmeticError, DomainError):  # numbers that only steer are no doubles, or ask for too many nodes
            self._without_lines.add(region)
            return self._bracket(threshold, region, ConvergenceError("no proof: losses are too large for lines"))
        with precision(found[0].bits):
            digits = found[1].line.read(threshold).least_digits(region)
        if digits < SETTINGS.least_digits:
            return self._bracket(threshold, region, ConvergenceError("no proof: the line says next to nothing"))
        return found

    def _told(self, words: str) -> None:
        """The same of lines, which have less time."""
        self._patience(f"line {len(self.lines) + 1}, {words}")

    def _tell(self, words: str) -> None:
        self._progress(f"line {len(self.lines) + 1}, {words}")

    def _plan(self, threshold: float, region: int) -> tuple[LineWitness, float, float]:
        """A vertical line, if the transform decays along it, and which thresholds it serves."""
        steering, room, depth = self._cut(threshold, region)
        span = threshold - room, threshold + room
        try:
            return plan_line(steering, steering.saddle(threshold, region), span, depth), *span
        except ConvergenceError:
            low = self._plan_low(threshold) if region > 0 else None
            if low is None:
                raise
            return low

    def _plan_low(self, threshold: float) -> tuple[LineWitness, float, float] | None:
        """The cheapest line for upper tails far below its saddle, with outputs cut off that would rule there.

        Nothing but the digits depends on where a line stands. There the tail is a small share of its scale, and rare
        outputs, for which the images of a line at the saddle lie far apart, are so unlikely that they may be left out.
        """
        mean, parts = self.steering.cumulants(1.0)[1], self.loss.parts
        if not threshold > mean:
            return None
        rare = min(1 - 2 * part.noise_multiplier**2 * math.log(part.sample_rate) for part in parts)
        span = mean, threshold + SETTINGS.low_reach * (threshold - mean)
        log_tail = self._log_fpr(threshold)
        for digits in SETTINGS.low_digits if log_tail > -math.inf else ():
            plans, depth = [], digits * math.log(10)
            # Outputs beyond the cut are this unlikely under Q and under P.
            under_q = depth + math.log(sum(part.count for part in parts)) - log_tail
            under_p = depth + math.log(sum(part.count * part.sample_rate for part in parts)) - log_tail
            nearer = min(1 / part.noise_multiplier for part in parts)
            deviations = rounded(max(math.sqrt(2 * under_q) - nearer, math.sqrt(2 * under_p)))
            for more in SETTINGS.low_cuts:
                steering = self._steering(deviations + more)
                for share in SETTINGS.low_tilts:
                    tilt = rounded(1 + share * (rare - 1))
                    extra = steering.cumulants(tilt)[0] - tilt * threshold - log_tail
                    try:
                        plans.append(plan_line(steering, tilt, span, depth + max(extra, 0.0), spare=True))
                    except (ConvergenceError, DomainError):
                        continue
            if plans:
                return min(plans, key=lambda plan: work_of(plan.blocks, plan.steps)), *span
        return None

    def _log_fpr(self, threshold: float) -> float:
        """About the logarithm of the FPR; -inf if fast methods do not know it."""
        try:
            found = self._tails.read(np.array([threshold]))
        except ConvergenceError:
            return -math.inf
        return float(found.log_fpr[0]) if found.answered[0] else -math.inf

    def _straight(self, region: int, witness: LineWitness, low: float, high: float) -> tuple[LineWitness, _Served]:
        with precision(witness.bits):
            line = ProvedLine(self.loss.squared_mu(), self.loss.parts, witness, self._told)
            return witness, _Served(region, low, high, line)

    def _bent(self, threshold: float, region: int, refused: ConvergenceError) -> tuple[BentWitness, _Served]:
        """A line that bends to the right, with as many nodes as give the digits, where what is read is far from 1."""
        wanted = SETTINGS.bent_digits * math.log(10)
        clock = time.process_time
        start, told = clock(), Patience(self._told, max(self._bent_seconds, 1e-3), _TOO_LONG, clock)
        try:
            return self._bent_within(threshold, region, refused, wanted, told)
        finally:
            self._bent_seconds -= clock() - start

    def _bent_within(
        self, threshold: float, region: int, refused: ConvergenceError, wanted: float, told: Progress
    ) -> tuple[BentWitness, _Served]:
        with np.errstate(all="ignore"):
            try:
                tilt = self.steering.saddle(threshold, region)
            except ConvergenceError:
                raise refused from None
            plan = BentPlan(self.steering, tilt, threshold, wanted, told)
            depth = wanted
            for _ in range(SETTINGS.deepenings):
                witness = plan.witness(depth)
                with precision(witness.bits):
                    line = ProvedBentLine(self.loss.squared_mu(), self.loss.parts, witness, plan.bounds, told)
                    missing = wanted - math.log(10) * line.read(threshold).least_digits(region)
                if missing <= SETTINGS.tolerable:
                    break
                depth += missing + SETTINGS.margin
        return witness, _Served(region, *plan.served, line)

    def _bracket(self, threshold: float, region: int, refused: ConvergenceError) -> tuple[BracketWitness, _Served]:
        """Bounds from lattices, as fine as there is time for."""
        mirrored = region < 0
        if region == 0:
            mirrored = threshold < 0.5 * (self.steering.cumulants(0.0)[1] + self.steering.cumulants(1.0)[1])
        best: tuple[float, BracketWitness, _Served] | None = None
        log_delta = math.nan
        for effort in EFFORTS:
            start = time.monotonic()
            try:
                witness, room = plan_bracket(self._steering, threshold, effort, mirrored=mirrored, log_delta=log_delta)
                with precision(witness.bits):
                    line = ProvedBracket(self.loss.squared_mu, self.loss.plain, self.loss.parts, witness, self._tell)
                    found = line.read(threshold)
                    delta = found.add if mirrored else found.remove
                    width = float((delta.rad() / delta.upper()).upper()) if delta.upper() > 0 else 0.5
                    log_delta = float(delta.upper().log().upper()) if delta.upper() > 0 else log_delta
            except (ConvergenceError, DomainError, ArithmeticError):
                if best is None:
                    self._tell("no bracket")  # refused for the time, if that is over
                    raise refused from None
                break
            if best is None or width < best[0]:
                best = width, witness, _Served(region, threshold - room, threshold + room, line)
            took = time.monotonic() - start
            if width < SETTINGS.close or SETTINGS.more_time * took > 0.5 * self._progress.left:
                break
        if best is None:
            raise refused
        return best[1], best[2]


def stated(tails: Tails, line: int | None) -> ProvedPoint:
    """A point with its balls as decimals."""
    return ProvedPoint(tails.threshold, line, *map(enclosure, tails.rates()))


def _accuracy(value: arb) -> float:
    return math.inf if value.is_exact() else value.rel_accuracy_bits() * math.log10(2)
