"""Sizes of audits: numbers of two digits, and the least of them that suffices."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar


class Sized(Protocol):
    """A plan, which has some power."""

    @property
    def power(self) -> float:
        """The probability of detection."""


Plan = TypeVar("Plan", bound=Sized)


def two_digits(size: float) -> int:
    """The number rounded up to two digits."""
    scale = 10 ** max(0, math.floor(math.log10(max(1.0, size))) - 1)
    return int(math.ceil(size / scale) * scale)


def least(most: int, power: float, best: Callable[[int], Plan], guess: float = 1.0) -> Plan | None:
    """A plan with enough power whose next smaller size has not, looked for around the guess; sizes have two digits."""
    sizes = list(_two_digit_numbers(most))
    high = min(bisect_left(sizes, guess), len(sizes) - 1)
    found, step = best(sizes[high]), 1 if guess > 1 else 24
    low = -1
    if found.power < power:
        while found.power < power:
            if high == len(sizes) - 1:
                return None
            low, high = high, min(high + step, len(sizes) - 1)
            found, step = best(sizes[high]), 2 * step
    else:
        while high > 0:
            lower = max(high - step, 0)
            plan, step = best(sizes[lower]), 2 * step
            if plan.power < power:
                low = lower
                break
            high, found = lower, plan
    while high - low > 1:
        middle = (low + high) // 2
        plan = best(sizes[middle])
        if plan.power >= power:
            high, found = middle, plan
        else:
            low = middle
    return found


def _two_digit_numbers(most: int) -> Iterator[int]:
    yield from range(1, 10)
    scale = 1
    while True:
        for lead in range(10, 100):
            if lead * scale > most:
                return
            yield lead * scale
        scale *= 10
