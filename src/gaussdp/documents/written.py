"""Numbers as they are written, as exact fractions; and the doubles next to one.

A number of at most 15 significant digits means the decimal number itself, as whoever wrote it meant it (0.05 is 1/20);
a longer one was computed, and means the binary fraction that it is.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from gaussdp.documents.rounding import WRITTEN_DIGITS


@lru_cache(maxsize=1024)
def written(value: float) -> Fraction:
    """The number that a finite double states.

    >>> written(0.05), written(0.1 + 0.2) == Fraction(0.1 + 0.2)
    (Fraction(1, 20), True)
    """
    decimal = Decimal(repr(float(value)))
    short = len(decimal.normalize().as_tuple().digits) <= WRITTEN_DIGITS
    return Fraction(decimal) if short else Fraction(value)


def root_up(square: Fraction) -> float:
    """The least double whose square, as it is written, is no smaller.

    >>> root_up(Fraction(1, 16)), root_up(Fraction(1, 400))
    (0.25, 0.05)
    """
    half = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    root = math.ldexp(math.sqrt(square / Fraction(4) ** half), half)  # where a double of the square would not do
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
