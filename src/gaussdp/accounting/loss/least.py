"""The least loss of sampled steps, to twice the digits of a double: what exceeds it may be far smaller than it is."""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from typing import NamedTuple

from gaussdp.numerics import Floats

_DIGITS = 60
_TINY = Decimal("1e-20")  # rate whose square is beyond the digits kept


class LeastLoss(NamedTuple):
    """A number as the sum of a double and of what that leaves."""

    high: float
    low: float

    def excess(self, loss: Floats) -> Floats:
        """loss - least, rounded once."""
        return (loss - self.high) - self.low


def least_loss(steps: Iterable[tuple[float, int]]) -> LeastLoss:
    """The sum of count * log(1 - rate) over (rate, count)."""
    with localcontext() as context:
        context.prec = _DIGITS
        total = sum((count * _log_rest(Decimal(rate)) for rate, count in steps), Decimal(0))
        high = float(total)
        return LeastLoss(high, float(total - Decimal(high)))


def _log_rest(rate: Decimal) -> Decimal:
    return (1 - rate).ln() if rate > _TINY else -rate - rate * rate / 2
