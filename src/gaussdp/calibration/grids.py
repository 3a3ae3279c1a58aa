"""The numbers that an answer may be: those with a few significant digits, or whole numbers."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Protocol

from gaussdp.domains import integer

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
