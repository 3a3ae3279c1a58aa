"""Ball arithmetic: what every proof here computes with. A ball holds the true number, whatever was rounded."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from gaussdp.accounting.certified.proved import LARGEST_EXPONENT, ProvedNumber
from gaussdp.errors import ConvergenceError, MissingExtraError

try:
    from flint import acb, acb_mat, arb, ctx, fmpq, fmpz
except ImportError:
    raise MissingExtraError('proofs need python-flint: pip install "gaussdp[certified]"') from None

__all__ = [
    "acb",
    "acb_mat",
    "arb",
    "at_most",
    "ball",
    "ball_of",
    "between",
    "confirms",
    "ctx",
    "enclosure",
    "exactly",
    "fmpz",
    "precision",
    "quantile",
    "tail",
    "widened",
]


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with this many bits, and restore what was set before."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(low: arb, high: arb) -> arb:
    """A ball that holds everything from low to high."""
    return low.union(high)


def exactly(value: Fraction) -> arb:
    """A fraction, in the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def between(ends: tuple[Fraction, Fraction]) -> arb:
    """What is known to lie between two fractions, which may be the same."""
    low, high = ends
    return exactly(low) if low == high else ball(exactly(low), exactly(high))


def widened(value: arb, error: arb) -> arb:
    """The value, which may be off by the error in either direction."""
    return value + arb(0, 1) * error.abs_upper()


def at_most(value: arb, bound: arb | float) -> bool:
    """Whether the value is proved to be at most the bound."""
    return bool(value <= bound)


def probability(value: arb) -> arb:
    """A ball for a number that is known to lie in [0, 1], without what lies outside."""
    if value.is_finite() and not (value >= 0 and value <= 1):
        return value.intersection(arb(0.5, 0.5))
    return value


def tail(z: arb) -> arb:
    """P(Z > z) of a standard normal Z."""
    return (z / arb(2).sqrt()).erfc() / 2


def quantile(p: arb) -> arb:
    """z with P(Z > z) = p, for p in (0, 1); the whole line where p may leave it."""
    low, high = p.lower(), p.upper()
    if not (low > 0 and high < 1):
        return arb(0, math.inf)
    # P(Z > z) falls with z.
    return ball(arb(2).sqrt() * (2 * high).erfcinv(), arb(2).sqrt() * (2 * low).erfcinv())


def power(value: acb, exponent: int) -> acb:
    """A power of a complex ball; near zero from its modulus alone, since its logarithm would be unbounded."""
    bound = value.abs_upper() ** exponent
    exact = value**exponent
    if exact.is_finite() and exact.abs_upper() <= 2 * bound:
        return exact
    around = arb(0, 1) * bound.upper()
    return acb(around, around)


_MOST_DIGITS = 60  # that are stated of a number, however many are known
_DEEPEST = LARGEST_EXPONENT - 2 * _MOST_DIGITS  # -log10 of numbers below which no more is said of them


def enclosure(value: arb) -> ProvedNumber:
    """Decimals around a ball, a little wider than the ball itself, so that more bits always confirm them.

    Raises:
        ConvergenceError: if the ball is no finite number.
    """
    if not value.is_finite():
        raise ConvergenceError("no proof: a bound is infinite")
    if value.is_zero():
        return ProvedNumber("0", "0")
    if value.abs_upper() < arb(10) ** -_DEEPEST:
        return ProvedNumber("0" if value >= 0 else f"-1e-{_DEEPEST}", f"1e-{_DEEPEST}")
    digits = min(max(4, int(min(value.rel_accuracy_bits(), ctx.prec) * math.log10(2)) + 3), _MOST_DIGITS)
    middle, radius, power = (int(part) for part in value.mid_rad_10exp(digits))
    return ProvedNumber(f"{middle - radius - 1}e{power}", f"{middle + radius + 1}e{power}")


def ball_of(stated: ProvedNumber) -> arb:
    """A ball around stated decimals."""
    return ball(arb(stated.low), arb(stated.high))


def confirms(value: arb, stated: ProvedNumber) -> bool:
    """Whether the ball lies within stated decimals."""
    return bool(arb(stated.low) <= value) and bool(value <= arb(stated.high))
