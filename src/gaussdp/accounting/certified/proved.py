"""Numbers between two decimals, as certificates state them, points that are proved, and who is told of a proof."""

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from gaussdp.errors import ConvergenceError, DomainError

_WIDE = 400  # digits, more than a certificate states
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
LARGEST_EXPONENT = 100_000
"""Of ten, which those of all that is stated are below."""


@dataclass(frozen=True)
class ProvedNumber:
    """A number that is proved to lie between two decimals, ends included.

    Attributes:
        low: the lower end, a decimal as text.
        high: the upper end.

    >>> ProvedNumber("0.1234567", "0.1234569").digits
    6
    """

    low: str
    high: str

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if not isinstance(value, str) or len(value) > _WIDE or not _DECIMAL.fullmatch(value) or not _finite(value):
                raise DomainError(name, "a decimal as text", value)
        if not Decimal(self.low) <= Decimal(self.high):
            raise DomainError("low", f"at most high, {self.high}", self.low)

    @property
    def lower(self) -> float:
        """The largest double that is not above the number, as far as it is known."""
        value = float(self.low)
        return math.nextafter(value, -math.inf) if Decimal(value) > Decimal(self.low) else value

    @property
    def upper(self) -> float:
        """The smallest double that is not below the number, as far as it is known."""
        value = float(self.high)
        return math.nextafter(value, math.inf) if Decimal(value) < Decimal(self.high) else value

    @property
    def digits(self) -> int:
        """How many digits are proved: the width is at most one unit of the last of them.

        None if the width is more than half the number.
        """
        low, high = Decimal(self.low), Decimal(self.high)
        if low == high:
            return _WIDE
        width = Context(_WIDE).subtract(high, low)
        largest = max(abs(low), abs(high))
        return 0 if 2 * width > largest else max(0, largest.adjusted() - width.adjusted())

    def at_least(self, level: float) -> bool:
        """Whether the number is proved to be at least a double."""
        return Decimal(self.low) >= Decimal(level)

    def at_most(self, level: float) -> bool:
        """Whether the number is proved to be at most a double."""
        return Decimal(self.high) <= Decimal(level)

    def holds(self, value: float) -> bool:
        """Whether a double lies inside."""
        return math.isfinite(value) and Decimal(self.low) <= Decimal(value) <= Decimal(self.high)

    def rounded(self, digits: int) -> tuple[str, str]:
        """Both ends with fewer digits, rounded outwards."""
        low = Context(digits, ROUND_FLOOR).create_decimal(self.low)
        high = Context(digits, ROUND_CEILING).create_decimal(self.high)
        return f"{low:g}", f"{high:g}"

    def __str__(self) -> str:
        return "[{}, {}]".format(*self.rounded(max(self.digits, 1) + 1))


def _finite(text: str) -> bool:
    try:
        number = Decimal(text)
        return number.is_finite() and abs(number.adjusted()) < LARGEST_EXPONENT
    except ArithmeticError:
        return False


@dataclass(frozen=True)
class ProvedPoint:
    """What is proved at one threshold tau on the composed loss L = log dP/dQ, P with the record and Q without.

    Attributes:
        threshold: tau.
        line: the number of the line it was read off; None for what is closed form.
        fpr: Q(L > tau).
        tnr: its complement.
        fnr: P(L <= tau).
        tpr: its complement.
        remove: the profile of removing a record at epsilon = tau, E_Q[(e^L - e^tau)+].
        add: the profile of adding one at epsilon = -tau, e^-tau E_Q[(e^tau - e^L)+].
    """

    threshold: float
    line: int | None
    fpr: ProvedNumber
    tnr: ProvedNumber
    fnr: ProvedNumber
    tpr: ProvedNumber
    remove: ProvedNumber
    add: ProvedNumber


RATES = ("fpr", "tnr", "fnr", "tpr", "remove", "add")
"""What a point encloses."""


Progress = Callable[[str], None]
"""Told what is being done."""


def silent(words: str) -> None:
    """Nobody is told."""


class Patience:
    """Tells what is being done, up to a time at which there is no proof.

    Args:
        tell: is told.
        seconds: until then.
        problem: what is wrong then, if not that so many seconds are over.
        clock: that tells the time, or the processor's: whether that suffices does not depend on other programs.

    Raises:
        ConvergenceError: once the time is over, when it is told again.
    """

    seconds: float

    def __init__(
        self, tell: Progress, seconds: float, problem: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self._problem = problem or f"no proof was found in {seconds:g} seconds"
        self._tell, self._clock, self._until = tell, clock, clock() + seconds

    @property
    def left(self) -> float:
        """Seconds until then."""
        return self._until - self._clock()

    def __call__(self, words: str) -> None:
        if self._clock() > self._until:
            raise ConvergenceError(f"{self._problem}; it had come to {words}")
        self._tell(words)
