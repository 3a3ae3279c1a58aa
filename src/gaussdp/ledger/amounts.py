"""Exact amounts of a budget: squares of mu and slacks as fractions, rounded up where they get too long.

A number is taken as it is written. One of at most 15 significant digits means the decimal number itself, as whoever
wrote it meant it (0.05 is 1/20); a longer one was computed, and means the binary fraction that it is.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

WRITTEN_DIGITS = 15
"""Digits that every double keeps: a decimal of so many comes back from a double unchanged."""
FINEST = 10**40
"""The largest denominator of an amount that is kept exactly, and that of those that are rounded up."""


@lru_cache(maxsize=1024)
def written(value: float) -> Fraction:
    """The number that a finite double states.

    >>> written(0.05), written(0.1 + 0.2) == Fraction(0.1 + 0.2)
    (Fraction(1, 20), True)
    """
    decimal = Decimal(repr(float(value)))
    short = len(decimal.normalize().as_tuple().digits) <= WRITTEN_DIGITS
    return Fraction(decimal) if short else Fraction(value)


def exact(text: str) -> Fraction:
    """The fraction that a table holds.

    >>> exact("1/20"), exact("3")
    (Fraction(1, 20), Fraction(3, 1))
    """
    over, _, under = text.partition("/")
    return Fraction(int(over), int(under or 1))


def settled(amount: Fraction) -> Fraction:
    """The amount itself while its denominator is no larger than the finest, else rounded up to a multiple of that.

    >>> settled(Fraction(1, 9)), settled(Fraction(1, 3**99)) == Fraction(1, FINEST)
    (Fraction(1, 9), True)
    """
    return amount if amount.denominator <= FINEST else Fraction(math.ceil(amount * FINEST), FINEST)


class Total:
    """An exact amount to which many are added, as whole numbers over one denominator.

    After each step it is what `settled` makes of the sum, without a fraction in lowest terms at every step.

    Attributes:
        over, under: the amount is one by the other.
    """

    __slots__ = ("over", "under")
    over: int
    under: int

    def __init__(self) -> None:
        self.over, self.under = 0, 1

    def add(self, over: int, under: int) -> None:
        """Add a fraction, which may be less than 0."""
        if under != self.under:
            common = math.lcm(self.under, under)
            if common > FINEST:
                self.over, self.under = settled(self.amount + Fraction(over, under)).as_integer_ratio()
                return
            over = self._alike(over, under, common)
        self.over += over

    def less(self, over: int, under: int) -> None:
        """Take a fraction away, down to 0; nothing is rounded."""
        if under != self.under:
            over = self._alike(over, under, math.lcm(self.under, under))
        self.over = max(self.over - over, 0)

    def exceeds(self, over: int, under: int) -> bool:
        """Whether it is more than a fraction."""
        return self.over * under > over * self.under

    def _alike(self, over: int, under: int, common: int) -> int:
        """Go over to a common denominator; the other fraction over it."""
        self.over, self.under = self.over * (common // self.under), common
        return over * (common // under)

    @property
    def amount(self) -> Fraction:
        """The same as a fraction."""
        return Fraction(self.over, self.under)


def root_up(square: Fraction) -> float:
    """The least double whose square, as it is written, is no smaller.

    >>> root_up(Fraction(1, 16)), root_up(Fraction(1, 400))
    (0.25, 0.05)
    """
    root = math.sqrt(square)
    while written(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    while root > 0 and written(below := math.nextafter(root, 0.0)) ** 2 >= square:
        root = below
    return root


def root_down(square: Fraction) -> float:
    """The largest double whose square, as it is written, is no larger: what fits once into what is left."""
    root = root_up(square)
    return root if written(root) ** 2 == square else math.nextafter(root, 0.0)


def number_up(amount: Fraction) -> float:
    """The least double that is, as it is written, no smaller."""
    value = float(amount)
    return value if written(value) >= amount else math.nextafter(value, math.inf)


def number_down(amount: Fraction) -> float:
    """The largest double that is, as it is written, no larger, for amounts of at least 0."""
    value = float(amount)
    return value if written(value) <= amount else math.nextafter(value, 0.0)
