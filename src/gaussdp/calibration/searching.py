"""The least private number of a grid that meets a target, in few evaluations.

Privacy is monotone in the parameter, so two neighbours of the grid of which one meets the target and the other does not
settle the question. The search looks for these two. It works with the *depth*, the logarithm of the parameter with the
sign that makes more depth mean more privacy; against it the logarithm of mu is nearly a straight line, so that secant
steps arrive soon. They are kept inside the bracket, and halve it where they do not help.

A number counts as meeting the target only if its own curve was read and says so. Where accounting fails, it does not.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Literal, Protocol

from gaussdp.calibration.results import Calibration, Status
from gaussdp.calibration.targets import Achieved, Reader
from gaussdp.documents.rounding import shown_up
from gaussdp.domains import integer
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import Mechanism
from gaussdp.numerics import LARGEST_EXPONENT

MOST_DIGITS = 12  # beyond these the numerical error of accounting decides, not the privacy


class RoundingGrid(Protocol):
    """A set of positive numbers to round to."""

    def up(self, x: float) -> float:
        """The least of them that is at least x."""

    def down(self, x: float) -> float:
        """The largest of them that is at most x."""

    def above(self, x: float) -> float:
        """The least of them larger than x."""

    def below(self, x: float) -> float:
        """The largest of them smaller than x."""


class SignificantDigits:
    """Numbers with so many significant decimal digits.

    >>> grid = SignificantDigits(3)
    >>> grid.up(0.123456), grid.down(0.123456), grid.above(0.999), grid.below(1.0)
    (0.124, 0.123, 1.0, 0.999)
    """

    def __init__(self, digits: int) -> None:
        count = integer("digits", digits, low=1, high=MOST_DIGITS)
        self._up = Context(prec=count, rounding=ROUND_CEILING)
        self._down = Context(prec=count, rounding=ROUND_FLOOR)

    def up(self, x: float) -> float:
        return float(self._up.create_decimal(repr(x)))

    def down(self, x: float) -> float:
        return float(self._down.create_decimal(repr(x)))

    def above(self, x: float) -> float:
        return float(self._up.next_plus(Decimal(repr(x))))

    def below(self, x: float) -> float:
        return float(self._down.next_minus(Decimal(repr(x))))


class WholeNumbers:
    """1, 2, 3, ...

    >>> WholeNumbers().up(2.5), WholeNumbers().above(3)
    (3, 4)
    """

    def up(self, x: float) -> int:
        return math.ceil(x)

    def down(self, x: float) -> int:
        return math.floor(x)

    def above(self, x: float) -> int:
        return math.floor(x) + 1

    def below(self, x: float) -> int:
        return math.ceil(x) - 1


Safer = Literal["larger", "smaller"]
Family = Callable[[float], Mechanism]


@dataclass(frozen=True)
class SearchingSettings:
    """What is tuned about the search."""

    most_evaluations: int = 200  # of curves, far more than a search takes
    first_stride: float = math.log(4)  # in the logarithm of the parameter, from the first guess
    blind_stride: float = math.log(2)  # where no slope is known yet
    least_slope: float = 0.05  # that a step is made with: flatter ones would lead too far
    near_enough: float = 0.01  # depth to which the edge of what can be accounted for, no answer, is looked for
    most_failures: int = 4  # after which that edge is looked for no further: a failure may take long
    patience: int = 2  # evaluations in which a bracket must halve


SETTINGS = SearchingSettings()


@dataclass(frozen=True)
class SearchAxis:
    """A parameter of mechanisms.

    Attributes:
        name: what messages call it.
        low, high: its range.
        grid: the numbers it may be.
        safer: the side on which privacy lies.
        slope: a guess at d log(mu) / d depth.
        tell_loosest: whether to read the least private end for a message; next to no noise takes long to account for.
    """

    name: str
    low: float
    high: float
    grid: RoundingGrid
    safer: Safer
    slope: float = -1.0
    tell_loosest: bool = True

    def depth(self, x: float) -> float:
        """The logarithm of x, or of 1/x where smaller is safer."""
        return math.log(x) if self.safer == "larger" else -math.log(x)

    def at(self, depth: float) -> float:
        """The number of the grid at this depth, or the next one on the private side."""
        logarithm = depth if self.safer == "larger" else -depth
        return self.rounded(math.exp(min(max(logarithm, -LARGEST_EXPONENT), LARGEST_EXPONENT)))

    def rounded(self, number: float) -> float:
        """The number brought into the range and rounded to the private side; the ends of the range count as round."""
        x = min(max(number, self.low), self.high)
        rounded = self.grid.up(x) if self.safer == "larger" else self.grid.down(x)
        return min(max(rounded, self.low), self.high)

    def looser(self, x: float) -> float:
        """The neighbour of x with less privacy."""
        return max(self.grid.below(x), self.low) if self.safer == "larger" else min(self.grid.above(x), self.high)

    def stricter(self, x: float) -> float:
        """The neighbour of x with more privacy."""
        return min(self.grid.above(x), self.high) if self.safer == "larger" else max(self.grid.below(x), self.low)

    @property
    def loosest(self) -> float:
        """The end of the range with the least privacy."""
        return self.low if self.safer == "larger" else self.high

    @property
    def strictest(self) -> float:
        """The end of the range with the most privacy."""
        return self.high if self.safer == "larger" else self.low


@dataclass(frozen=True)
class _Point:
    """One number that was tried; without a reading where accounting failed."""

    x: float
    depth: float
    mechanism: Mechanism
    reading: Achieved | None
    excess: float  # log of mu over the budget; infinite or NaN where it does not help to steer


def calibrate(axis: SearchAxis, reader: Reader, family: Family, start: float) -> Calibration:
    """The least private number on the axis whose mechanism meets the reader's target.

    Args:
        axis: the parameter.
        reader: reads the target off a mechanism.
        family: from the number to the mechanism.
        start: a guess.
    Raises:
        DomainError: if even the most private end of the range misses the target.
        ConvergenceError: if accounting failed at every number that could meet it.
    """
    return _Search(axis, reader, family).run(start)


class _Search:
    def __init__(self, axis: SearchAxis, reader: Reader, family: Family) -> None:
        self._axis, self._reader, self._family = axis, reader, family
        self._safe: _Point | None = None  # the least private number known to meet the target
        self._unsafe: _Point | None = None  # the most private one not known to
        self._trail: list[_Point] = []
        self._widths: list[float] = []

    def run(self, start: float) -> Calibration:
        x = self._axis.rounded(start)
        for _ in range(SETTINGS.most_evaluations):
            point = self._try(x)
            self._trail.append(point)
            if point.reading is not None and self._reader.meets(point.reading):
                self._safe = point
            else:
                self._unsafe = point
            following = self._next()
            if following is None:
                return self._found()
            x = following
        raise ConvergenceError(f"no {self._axis.name} found in {SETTINGS.most_evaluations} evaluations")

    def _try(self, x: float) -> _Point:
        mechanism = self._family(x)
        depth = self._axis.depth(x)
        try:
            reading = self._reader(mechanism)
        except ConvergenceError:
            return _Point(x, depth, mechanism, None, math.nan)
        ratio = reading.mu / self._reader.mu
        return _Point(x, depth, mechanism, reading, math.log(ratio) if ratio > 0 else -math.inf)

    def _next(self) -> float | None:
        """The number to try next, None when there is nothing left to try."""
        axis, safe, unsafe = self._axis, self._safe, self._unsafe
        if safe is None and unsafe is not None:
            if unsafe.x == axis.strictest:
                self._give_up(unsafe)
            ahead = axis.at(unsafe.depth + self._stride(unsafe))
            return ahead if axis.depth(ahead) > unsafe.depth else axis.stricter(unsafe.x)
        if safe is not None and unsafe is None:
            if safe.x == axis.loosest:
                return None
            ahead = axis.at(safe.depth - self._stride(safe))
            return ahead if axis.depth(ahead) < safe.depth else axis.looser(safe.x)
        if safe is None or unsafe is None or axis.depth(axis.looser(safe.x)) <= unsafe.depth:
            return None
        if unsafe.reading is None and (
            safe.depth - unsafe.depth < SETTINGS.near_enough or self._failures() >= SETTINGS.most_failures
        ):
            return None
        x = axis.at(self._crossing(safe, unsafe))
        if axis.depth(x) >= safe.depth:
            return axis.looser(safe.x)
        return x if axis.depth(x) > unsafe.depth else axis.stricter(unsafe.x)

    def _failures(self) -> int:
        return sum(point.reading is None for point in self._trail)

    def _stride(self, last: _Point) -> float:
        """How far to go from a point towards the other side: to where the line crosses, within reason."""
        longest = SETTINGS.first_stride * 2.0 ** (len(self._trail) - 1)
        if math.isnan(last.excess):
            return min(SETTINGS.blind_stride * 2.0 ** (len(self._trail) - 1), longest)
        return min(abs(last.excess) / self._steepness(), longest)

    def _steepness(self) -> float:
        """How fast log(mu) falls with depth, by the last two points that tell."""
        telling = [point for point in self._trail if math.isfinite(point.excess)][-2:]
        if len(telling) == 2 and telling[0].depth != telling[1].depth:
            slope = (telling[1].excess - telling[0].excess) / (telling[1].depth - telling[0].depth)
            if slope < 0:
                return max(-slope, SETTINGS.least_slope)
        return -self._axis.slope

    def _crossing(self, safe: _Point, unsafe: _Point) -> float:
        """Where log(mu) should equal the budget's: by secant, or the middle where secants are slow."""
        width = safe.depth - unsafe.depth
        self._widths.append(width)
        middle = 0.5 * (safe.depth + unsafe.depth)
        if len(self._widths) > SETTINGS.patience and width > 0.5 * self._widths[-1 - SETTINGS.patience]:
            self._widths.clear()
            return middle
        telling = [point for point in self._trail if math.isfinite(point.excess)][-2:]
        pairs = [telling, [safe, unsafe]]
        for pair in pairs:
            if len(pair) == 2 and math.isfinite(pair[0].excess - pair[1].excess) and pair[0].excess != pair[1].excess:
                first, second = pair
                share = second.excess / (second.excess - first.excess)
                depth = second.depth + share * (first.depth - second.depth)
                if unsafe.depth < depth <= safe.depth:
                    return depth
        return middle

    def _give_up(self, strictest: _Point) -> None:
        """Say that the range holds no answer, with what its ends give."""
        axis = self._axis
        if strictest.reading is None:
            raise ConvergenceError(
                f"no {axis.name} in [{axis.low:g}, {axis.high:g}] could be accounted for exactly; none is known to"
                f" meet {self._reader.target}"
            )
        best = strictest.reading.achieved
        if not axis.tell_loosest:
            raise DomainError(
                None,
                problem=f"target {self._reader.target} is out of reach: {axis.name} = {axis.strictest:g} still gives "
                f"{shown_up(best, 6)}, and every value down to {axis.loosest:g} gives more",
                advice="allow more, or widen the range",
            )
        loosest = self._try(axis.loosest).reading
        if loosest is not None and self._reader.meets(loosest):
            other = "smaller" if axis.safer == "larger" else "larger"
            raise DomainError(
                "safer",
                f"{other!r} for this family: {axis.name} = {axis.loosest:g} meets {self._reader.target} and "
                f"{axis.strictest:g} does not",
            )
        worst = "what cannot be accounted for" if loosest is None else shown_up(loosest.achieved, 6)
        raise DomainError(
            None,
            problem=f"target {self._reader.target} is out of reach: {axis.name} = {axis.strictest:g} still gives "
            f"{shown_up(best, 6)} (and {axis.loosest:g} gives {worst})",
            advice="allow more, or widen the range",
        )

    def _found(self) -> Calibration:
        safe, unsafe = self._safe, self._unsafe
        if safe is None or safe.reading is None:
            raise ConvergenceError(f"no {self._axis.name} could be accounted for")
        status = Status.RANGE_END if unsafe is None else Status.TIGHT if unsafe.reading else Status.UNREAD
        return Calibration(
            parameter=self._axis.name,
            value=safe.x,
            achieved=safe.reading.achieved,
            target=self._reader.target,
            floor=safe.reading.floor,
            mechanism=safe.mechanism,
            curve=safe.reading.curve,
            next_value=None if unsafe is None else unsafe.x,
            next_achieved=unsafe.reading.achieved if unsafe is not None and unsafe.reading else None,
            evaluations=len(self._trail),
            status=status,
        )
