r"""Tails between two bounds, proved for any rate and number of steps: losses are put on a lattice in two ways.

From above, the likelihood ratio W = e^L of a step is spread from its cell to both ends, which keeps its mean:
E[f(W)] only grows for convex f. From below, every test has a power of at most that of the best, and a test may look at
losses that are rounded to the lattice. Both bounds miss by the square of the spacing (lemmas 13 to 15 of
docs/certified.md). Adding a record is removing one with the sign of all losses changed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from gaussdp.accounting.certified.balls import arb, ball, ctx, tail
from gaussdp.accounting.certified.lines import Tails
from gaussdp.accounting.certified.measures import Measure, measure_of, weight
from gaussdp.accounting.certified.proved import Progress, silent
from gaussdp.accounting.certified.steps import Part
from gaussdp.accounting.certified.witnesses import BracketWitness, Window
from gaussdp.errors import ConvergenceError

TRIMMED = 2.0**-40
"""Of all that lies under the tilt, what may be cut off of a whole composition at each step of it."""
DIFFERENCES = 24
"""Of thresholds, each twice the one before, from which rates are taken."""
TOLD = 2000
"""Cells after which progress is told."""
BESIDE = range(-2, 4)
"""Points of the lattice from which on tests are tried, counted from the threshold."""

Edge = tuple[bool, arb, arb]
"""At a loss: whether what follows are probabilities of larger losses, not smaller ones; that under Q, and under P."""
OUTSIDE = arb(0)


@dataclass(frozen=True)
class _SampledLaw:
    """The loss of a Poisson-sampled Gaussian step."""

    part: Part

    def at(self, loss: arb) -> Edge:
        """The tails on either side of a loss (lemma 8)."""
        sigma, rate = self.part.sigma(), self.part.rate()
        odds = loss.expm1() / rate + 1
        if odds <= 0:
            return False, OUTSIDE, OUTSIDE
        if not odds > 0:
            raise ConvergenceError("no proof: too few bits for the least loss")
        x = sigma * sigma * odds.log() + arb(0.5)
        right = not x < 0.5
        sign = 1 if right else -1
        under_q, shifted = tail(sign * x / sigma), tail(sign * (x - 1) / sigma)
        return right, under_q, (1 - rate) * under_q + rate * shifted


@dataclass(frozen=True)
class _PlainLaw:
    """The loss of plain Gaussian releases together, as squared mu; the key says of which."""

    squared_mu: Callable[[], arb]
    key: object

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PlainLaw) and self.key == other.key

    def at(self, loss: arb) -> Edge:
        """The tails on either side of a loss."""
        square = self.squared_mu()
        mu = square.sqrt()
        z = (loss + square / 2) / mu
        right = not loss < 0
        sign = 1 if right else -1
        return right, tail(sign * z), tail(sign * (z - mu))


Law = _SampledLaw | _PlainLaw


@dataclass(frozen=True)
class _Cells:
    """One step on some points of a lattice: masses that were spread, those of rounded losses, and what lies outside."""

    points: tuple[int, ...]
    spread: tuple[arb, ...]
    under_q: tuple[arb, ...]
    under_p: tuple[arb, ...]
    outside_q: arb
    outside_p: arb


_KEPT: dict[tuple[Law, Window, int], _Cells] = {}
"""Cells by law, window and precision: others of the same run ask for them soon."""
_MOST_KEPT = 64


def _cells(law: Law, window: Window, tell: Progress) -> _Cells:
    """The cells of a law between the first and the last point of a window, in the current precision."""
    key = law, window, ctx.prec
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = _made(law, window, tell)
    return _KEPT[key]


def _made(law: Law, window: Window, tell: Progress) -> _Cells:
    half, points = arb(2) ** (-window.level - 1), window.points()

    def edges(places: Sequence[int]) -> list[Edge]:
        found = []
        for number, place in enumerate(places):
            if number % TOLD == 0:
                tell(f"cell {number} of {len(points)}")
            found.append(law.at(half * place))
        return found

    ends = edges([2 * point for point in points])
    middles = edges([left + right for left, right in pairwise(points)])
    down, up = [], [arb(0)]
    for (first, left), (last, right) in pairwise(zip(points, ends, strict=True)):
        mass_q, mass_p = _between(left, right)
        # The mean of W over the cell lies this share of the way to its upper end.
        raised = (mass_p * (-2 * half * first).exp() - mass_q) / (2 * half * (last - first)).expm1()
        down.append(mass_q - raised)
        up.append(raised)
    down.append(arb(0))
    masses = [_between(left, right) for left, right in pairwise([ends[0], *middles, ends[-1]])]
    below, above = ends[0], ends[-1]
    inside = _between(below, above)
    return _Cells(
        tuple(points),
        tuple(one + other for one, other in zip(down, up, strict=True)),
        tuple(one for one, _ in masses),
        tuple(one for _, one in masses),
        1 - inside[0],
        1 - inside[1],
    )


def _between(left: Edge, right: Edge) -> tuple[arb, arb]:
    """The probabilities of losses between two, under Q and under P."""
    if left[0] and not right[0]:
        raise ConvergenceError("no proof: too few bits for a cell")
    if left[0]:
        return left[1] - right[1], left[2] - right[2]
    if not right[0]:
        return right[1] - left[1], right[2] - left[2]
    return 1 - left[1] - right[1], 1 - left[2] - right[2]


class MeasureKind:
    """How measures of one kind are made and kept short: under a tilt, rounded up or down.

    One that follows another becomes coarser where that one did, so that both are of one and the same rounded loss.
    """

    tilt: arb
    upper: bool

    def __init__(
        self, tilt: arb, *, upper: bool, spread: bool, witness: BracketWitness, follows: "MeasureKind | None" = None
    ) -> None:
        self.tilt, self.upper, self._spread = tilt, upper, spread
        self._length, self._fine = witness.length, witness.fine
        self._weights = lru_cache(maxsize=256)(self._weights_at)
        self._levels: list[int] = []
        self._leading = iter(follows._levels) if follows else None

    def step(self, masses: Sequence[arb], points: Sequence[int], level: int, count: int) -> tuple[Measure, arb]:
        """One step of so many, and the logarithm of the factor that was taken out."""
        slope = self.tilt * arb(2) ** -level
        tilted = [mass * (slope * point).exp() for mass, point in zip(masses, points, strict=True)]
        return measure_of(tilted, points, level, TRIMMED / count, upper=self.upper)

    def _weights_at(self, level: int) -> tuple[int, int]:
        """By which points between are moved to their neighbours."""
        spacing = arb(2) ** -level
        to_upper = 1 / (1 + spacing.exp()) if self._spread else arb(0.5)
        moved = (self.tilt * spacing).exp()
        return weight((1 - to_upper) / moved, upper=self.upper), weight(to_upper * moved, upper=self.upper)

    def coarser(self, measure: Measure) -> Measure:
        if not self.tilt * arb(2) ** -measure.level < 2:
            raise ConvergenceError("no proof: the lattice is too coarse for the tail")
        return measure.coarser(self._weights(measure.level))

    def at_level(self, measure: Measure, level: int) -> Measure:
        while measure.level > level:
            measure = self.coarser(measure)
        return measure

    def short(self, measure: Measure) -> Measure:
        """On a coarser lattice if it is long, or if that of the measure that leads was."""
        if self._leading is not None:
            return self.at_level(measure, next(self._leading))
        while measure.units.size > self._length or measure.middle_half > self._fine:
            measure = self.coarser(measure)
        self._levels.append(measure.level)
        return measure

    def product(self, one: Measure, other: Measure, share: float) -> Measure:
        level = min(one.level, other.level)
        return self.short(self.at_level(one, level).times(self.at_level(other, level), TRIMMED * share))

    def power(self, step: Measure, count: int, tell: Progress) -> Measure:
        """The step, repeated."""
        found, done = self.short(step), 1
        for bit in bin(count)[3:]:
            tell(f"{done} of {count} steps")
            found, done = self.product(found, found, 2 * done / count), 2 * done
            if bit == "1":
                found, done = self.product(found, step, (done + 1) / count), done + 1
        return found


class _Sums:
    """Sums of a measure from a point on, times powers of e^L."""

    def __init__(self, measure: Measure, tilt: arb, log_factor: arb, powers: Sequence[arb]) -> None:
        self.first, self.size = measure.first, measure.units.size
        spacing = arb(2) ** -measure.level
        factor = arb(2) ** measure.power * log_factor.exp()
        self.lost = measure.lost * factor
        units = [int(one) for one in measure.units[::-1]]
        self._from = []
        for exponent in powers:
            term = factor * ((exponent - tilt) * spacing * (self.first + self.size - 1)).exp()
            growth = ((tilt - exponent) * spacing).exp()
            total, sums = arb(0), [arb(0)]
            for unit in units:
                total += unit * term
                term = term * growth
                sums.append(total)
            self._from.append(sums)

    def from_point(self, point: int) -> list[arb]:
        """For each power the sum over all points from this one on."""
        place = min(max(self.first + self.size - point, 0), self.size)
        return [sums[place] for sums in self._from]


class ProvedBracket:
    """Bounds of all tails on one side of the loss, made from a witness."""

    region: int

    def __init__(
        self,
        squared_mu: Callable[[], arb],
        key: object,
        parts: Sequence[Part],
        witness: BracketWitness,
        tell: Progress = silent,
    ) -> None:
        self.region = -1 if witness.mirrored else 1
        self._tilt = arb(witness.tilt)
        laws: list[tuple[Law, int]] = [(_SampledLaw(part), part.count) for part in parts]
        if squared_mu() > 0:
            laws.append((_PlainLaw(squared_mu, key), 1))
        if len(laws) != len(witness.windows):
            raise ConvergenceError("no proof: every kind of step needs a window")
        found = [
            (_cells(law, window, tell), window, count)
            for (law, count), window in zip(laws, witness.windows, strict=True)
        ]
        # An output outside the windows adds at most its probability to delta.
        outside = (count * (cells.outside_q if witness.mirrored else cells.outside_p) for cells, _, count in found)
        self._outside = sum(outside, arb(0)).upper()
        self._above, above, _ = self._composed(found, witness, "spread", tell)
        self._null, self._level, leading = self._composed(found, witness, "null", tell)
        self._power, _, _ = self._composed(found, witness, "power", tell, leading)
        self._above_level, self._spacing = above, 2.0 ** -min(above, self._level)

    def _composed(
        self,
        found: Sequence[tuple[_Cells, Window, int]],
        witness: BracketWitness,
        kind: str,
        tell: Progress,
        follows: MeasureKind | None = None,
    ) -> tuple[_Sums, int, MeasureKind]:
        tilt = self._tilt - 1 if kind == "power" else self._tilt
        measure = MeasureKind(tilt, upper=kind != "power", spread=kind == "spread", witness=witness, follows=follows)
        total, log_factor = None, arb(0)
        for cells, window, count in found:
            masses, points = _of_kind(cells, window.level, kind, mirrored=witness.mirrored)
            step, scale = measure.step(masses, points, window.level, count)
            log_factor += count * scale
            repeated = measure.power(step, count, tell)
            total = repeated if total is None else measure.product(total, repeated, 1.0)
        if total is None:
            raise ConvergenceError("no proof: nothing to compose")
        powers = (arb(0), arb(1)) if kind == "spread" else (arb(0),)
        return _Sums(total, tilt, log_factor, powers), total.level, measure

    def _delta(self, epsilon: arb, near: float) -> tuple[arb, arb]:
        """At least and at most the profile of this direction (lemmas 13 and 14), at an exact epsilon."""
        grown = epsilon.exp()
        above = self._above
        rates = above.from_point(_floor(near, self._above_level) + 1)
        high = rates[1] - grown * rates[0] + above.lost * ((1 - self._tilt) * epsilon).exp() + self._outside
        low = arb(0)
        start, spacing = _floor(near, self._level), arb(2) ** -self._level
        for point in (start + k for k in BESIDE):
            [q], [p] = self._null.from_point(point), self._power.from_point(point)
            lost = self._null.lost * (-self._tilt * spacing * point).exp()
            low = low.max((p - grown * (q + lost)).lower())
        return low.lower(), high.upper().min(arb(1))

    def read(self, threshold: float) -> Tails:
        """What is proved at a threshold."""
        near = self.region * threshold
        epsilon = arb(near)
        low, high = self._delta(epsilon, near)
        grown = epsilon.exp()
        least, most = arb(0), arb(1)
        for k in range(DIFFERENCES):
            shift = self._spacing * 2.0 ** (k / 2)
            after, before = near + shift, near - shift
            above = (low - self._delta(arb(after), after)[1]) / (arb(after).exp() - grown)
            below = (self._delta(arb(before), before)[1] - low) / (grown - arb(before).exp())
            least, most = least.max(above.lower()), most.min(below.upper())
        rate, delta = ball(least.lower(), most.upper()), ball(low, high)
        power = ball((low + grown * least).lower(), (high + grown * most).upper())
        if self.region > 0:
            return Tails(threshold, rate, 1 - rate, 1 - power, power, delta, (delta - 1) / grown + 1)
        return Tails(threshold, 1 - power, power, rate, 1 - rate, (delta - 1) / grown + 1, delta)


def _floor(loss: float, level: int) -> int:
    """The last point of a lattice that is not above a loss, exactly."""
    return math.floor(Fraction(loss) * Fraction(2) ** level)


def _of_kind(cells: _Cells, level: int, kind: str, *, mirrored: bool) -> tuple[Sequence[arb], Sequence[int]]:
    """The masses of one measure, and their points; mirrored, P takes the place of Q and losses change sign."""
    if not mirrored:
        return {"spread": cells.spread, "null": cells.under_q, "power": cells.under_p}[kind], cells.points
    masses = cells.under_p if kind == "null" else cells.under_q
    if kind == "spread":
        spacing = arb(2) ** -level
        masses = tuple(mass * (spacing * point).exp() for mass, point in zip(cells.spread, cells.points, strict=True))
    return masses[::-1], [-point for point in reversed(cells.points)]
