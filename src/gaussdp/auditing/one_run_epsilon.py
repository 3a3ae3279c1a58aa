r"""The (epsilon, delta) bound from one run.

Under (epsilon, delta)-DP the right ones among r guesses are, but for delta, no more than binomial with the chance
q = e^epsilon / (1 + e^epsilon) that randomized response has:

.. math:: P(W \ge v) \le P(B \ge v) + 2 m \delta \max_{1 \le i \le v} P(v > B \ge v - i) / i,
          \quad B \sim \mathrm{Bin}(r, q)

Reference: Steinke, Nasr & Jagielski (2023), arXiv:2305.08846, Theorem 5.2.
"""

import numpy as np
from scipy import special

_LARGEST_EPSILON = 700.0
_ABSOLUTE_WIDTH = 1e-12


def epsilon_refuted_up_to(canaries: int, guesses: int, correct: int, delta: float, tail: float) -> float:
    """An epsilon whose p-value is at most the tail, within rounding of the largest; 0 if none is.

    (epsilon, delta)-DP implies the same with any larger epsilon, so a refuted epsilon refutes all smaller ones.
    """
    low, high = 0.0, 1.0
    if p_value(canaries, guesses, correct, low, delta) > tail:
        return 0.0
    while p_value(canaries, guesses, correct, high, delta) <= tail and high < _LARGEST_EPSILON:
        low, high = high, 2 * high
    while high - low > _ABSOLUTE_WIDTH * max(1.0, high):
        middle = (low + high) / 2
        if p_value(canaries, guesses, correct, middle, delta) <= tail:
            low = middle
        else:
            high = middle
    return low


def p_value(canaries: int, guesses: int, correct: int, epsilon: float, delta: float) -> float:
    """An upper bound on the probability of so many right guesses under (epsilon, delta)-DP."""
    if correct == 0:
        return 1.0
    right = special.expit(epsilon)
    at_least = float(special.betainc(correct, guesses - correct + 1, right))
    if delta == 0:
        return at_least
    fewer = np.arange(correct - 1, -1, -1, dtype=np.float64)  # v - 1, v - 2, ..., 0
    log_mass = (
        special.gammaln(guesses + 1.0)
        - special.gammaln(fewer + 1)
        - special.gammaln(guesses - fewer + 1)
        + fewer * special.log_expit(epsilon)
        + (guesses - fewer) * special.log_expit(-epsilon)
    )
    densest = float(np.max(np.cumsum(np.exp(log_mass)) / np.arange(1, correct + 1)))
    return min(1.0, at_least + 2 * canaries * delta * densest)
