"""The theorem behind the book, held against exact sums: adaptive choices within the budget keep the promise.

Releases have finitely many outputs: a Gaussian one that is cut into bins, which fails openly with probability s. The
second is chosen by what the first one gave. All outputs are enumerated, so that delta is a sum and no estimate.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from gaussdp import GDP

EPSILONS = [0.0, 0.1, 0.5, 1.0, 2.0, 4.0]
EDGES = np.concatenate([[-np.inf], np.linspace(-3, 5, 12), [np.inf]])


def release(mu, slack):
    """The probabilities of each output with the record and without: bins, and the two ways to fail."""
    sides = [np.diff(ndtr(EDGES - shift)) * (1 - slack) for shift in (mu, 0.0)]
    return [np.append(side, failing) for side, failing in zip(sides, ([slack, 0.0], [0.0, slack]), strict=True)]


def worst_delta(epsilon, first, choose):
    """delta of two releases of which the second is chosen by the output of the first; the larger of both directions."""
    found = [0.0, 0.0]
    with_record, without = release(*first)
    for output, (p, q) in enumerate(zip(with_record, without, strict=True)):
        then = release(*choose(output))
        for side, (one, other) in enumerate([(p * then[0], q * then[1]), (q * then[1], p * then[0])]):
            found[side] += np.maximum(one - math.exp(epsilon) * other, 0.0).sum()
    return max(found)


def promised(epsilon, mu, slack):
    return slack + GDP(mu).delta(epsilon)


@pytest.mark.parametrize("seed", range(6))
def test_adaptive_choices_within_the_budget(seed):
    random = np.random.default_rng(seed)
    total, slack = random.uniform(0.3, 2.5), random.uniform(0.0, 0.05)
    first = total * random.uniform(0.1, 0.95), slack * random.uniform(0.0, 1.0)
    left = math.sqrt(total**2 - first[0] ** 2), slack - first[1]
    # Anything may be chosen after each output, up to all that is left, which is what hurts most.
    shares = random.choice([0.0, 0.5, 1.0], size=(len(EDGES) + 1, 2), p=[0.2, 0.2, 0.6])
    for epsilon in EPSILONS:
        found = worst_delta(epsilon, first, lambda output: (left[0] * shares[output, 0], left[1] * shares[output, 1]))
        assert found <= promised(epsilon, total, slack) + 1e-12


def test_beyond_the_budget_it_can_break():
    """The bound is not idle: a second release with a third more than is left breaks it."""
    found = [worst_delta(epsilon, (0.6, 0.01), lambda output: (0.8 * 1.35, 0.01)) for epsilon in EPSILONS]
    assert any(delta > promised(epsilon, 1.0, 0.02) for delta, epsilon in zip(found, EPSILONS, strict=True))
