"""One-sided rounding to significant digits: what is shown never claims more privacy than there is.

Guarantees and attack risks round up, budgets round down. A number is rounded as it prints (0.1 is 0.1, not the binary
fraction a hair above it), so what a person typed comes back unchanged.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from enum import Enum

from gaussdp.domains import integer
from gaussdp.errors import DomainError

MOST_DIGITS = 17


class Rounding(Enum):
    """To which side a shown number may deviate from the computed one."""

    UP = "up"
    DOWN = "down"
    NEAREST = "nearest"
    EXACT = "exact"


_MODES = {Rounding.UP: ROUND_CEILING, Rounding.DOWN: ROUND_FLOOR, Rounding.NEAREST: ROUND_HALF_EVEN}


def rounded(value: float, rounding: Rounding, digits: int = 4) -> float:
    """The value rounded to this many significant digits on the stated side.

    Args:
        value: any number but NaN.
        rounding: the side; `Rounding.EXACT` returns the value.
        digits: significant digits, 1 to 17.

    >>> rounded(0.31027, Rounding.UP), rounded(0.31027, Rounding.DOWN)
    (0.3103, 0.3102)
    """
    if integer("digits", digits, low=1) > MOST_DIGITS:
        raise DomainError(f"digits must be a whole number from 1 to {MOST_DIGITS}, got {digits}")
    if rounding is Rounding.EXACT or math.isinf(value):
        return value
    return float(Context(prec=digits, rounding=_MODES[rounding]).create_decimal(repr(float(value))))


def shown(value: float) -> str:
    """The shortest text that reads back as the value: plain where readable, else with an exponent.

    >>> shown(0.25), shown(1e-05), shown(1175.97), shown(3.0)
    ('0.25', '1e-5', '1175.97', '3')
    """
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e7:
        return f"{Decimal(repr(float(value))):f}".removesuffix(".0")
    mantissa, exponent = repr(float(value)).split("e") if "e" in repr(float(value)) else _scientific(value)
    return f"{mantissa}e{int(exponent)}"


def _scientific(value: float) -> tuple[str, str]:
    digits = Decimal(repr(float(value))).normalize()
    mantissa, exponent = f"{digits:e}".split("e")
    return mantissa, exponent
