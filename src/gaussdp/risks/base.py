"""What a risk is: a number read off a guarantee, and the mu that carries the same number."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gaussdp.domains import NON_NEGATIVE, number
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.guarantees import GDP, Guarantee, PureDP

_LARGEST_MU = 1e8
_LARGEST_EPSILON = 1e16  # of the order of the square of the largest mu
_BISECTIONS = 200


class Risk(ABC):
    """A number that says what an attacker can achieve; the larger, the worse.

    A subclass needs `of` alone, if the risk grows with mu: `mu_for` then finds the mu by bisection. The risks of the
    paper override it with closed forms.
    """

    @abstractmethod
    def of(self, guarantee: Guarantee) -> float:
        """The risk that this guarantee allows."""

    def mu_for(self, value: float) -> float:
        """The mu whose GDP guarantee has this risk, inf if only the limit of no privacy reaches it.

        Raises:
            DomainError: if no mu has it.
        """
        least, most = self.of(GDP(0.0)), self.of(GDP(float("inf")))
        if not least <= value <= most:
            raise DomainError(None, value=value, problem=f"{self} of GDP lies in [{least:g}, {most:g}]")
        low, high = 0.0, 1.0
        while self.of(GDP(high)) < value:
            low, high = high, 2 * high
            if high > _LARGEST_MU:
                return float("inf")
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                return low
            if self.of(GDP(middle)) <= value:
                low = middle
            else:
                high = middle
        raise ConvergenceError(f"{self}: no mu found in {_BISECTIONS} bisections between {low!r} and {high!r}")

    def match(self, reference: Guarantee) -> float:
        """The mu with the risk of the reference; exact where the value itself would lose digits."""
        return self.mu_for(self.of(reference))

    def mu_from_epsilon(self, epsilon: ArrayLike) -> Any:
        """The budget mu that this criterion gives a policy of epsilon-DP, as the paper's closed form states it.

        Takes and returns floats or arrays.
        """
        values = [self.match(PureDP(float(e))) for e in np.ravel(epsilon)]
        return float(values[0]) if np.ndim(epsilon) == 0 else np.reshape(values, np.shape(epsilon))

    def epsilon_from_mu(self, mu: float) -> float:
        """The policy of epsilon-DP to which this criterion gives the budget mu: the inverse of `mu_from_epsilon`.

        Args:
            mu: in [0, inf].
        Returns:
            The least such epsilon; inf if mu is, or if no finite policy is given that much.
        """
        target = number("mu", mu, NON_NEGATIVE)
        if target in (0.0, math.inf):
            return target
        low, high = 0.0, 1.0
        while self.mu_from_epsilon(high) < target:
            low, high = high, 2 * high
            if high > _LARGEST_EPSILON:
                return math.inf
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                return high
            if self.mu_from_epsilon(middle) < target:
                low = middle
            else:
                high = middle
        raise ConvergenceError(f"{self}: no epsilon found in {_BISECTIONS} bisections between {low!r} and {high!r}")
