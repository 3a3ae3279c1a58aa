"""The least loss of sampled steps, to twice the digits of a double: what exceeds it may be far smaller than it is."""

import math
from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from gaussdp.numerics import Floats

_DIGITS = 60
_TINY = Decimal("1e-20")  # distance of a ratio from 1 whose cube is beyond the digits kept


class LeastLoss(NamedTuple):
    """A number as the sum of a double and of what that leaves."""

    high: float
    low: float

    def excess(self, loss: Floats) -> Floats:
        """loss - least, rounded once."""
        return (loss - self.high) - self.low


def least_loss(steps: Iterable[tuple[Fraction, int]]) -> LeastLoss:
    """The sum of count * log(ratio) over (least likelihood ratio, count); minus infinity if a ratio is 0."""
    with localcontext() as context:
        context.prec = _DIGITS
        total = Decimal(0)
        for ratio, count in steps:
            if ratio == 0:
                return LeastLoss(-math.inf, 0.0)
            total += count * _log(ratio)
        high = float(total)
        return LeastLoss(high, float(total - Decimal(high)))


def _log(ratio: Fraction) -> Decimal:
    missing = 1 - ratio
    rest = Decimal(missing.numerator) / Decimal(missing.denominator)
    return (1 - rest).ln() if rest > _TINY else -rest - rest * rest / 2
