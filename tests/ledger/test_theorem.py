"""The theorem behind the book, held against exact sums: adaptive choices within the budget keep the promise.

Releases have finitely many outputs: a Gaussian one that is cut into bins, which fails openly with probability s. The
second is chosen by what the first one gave. All outputs are enumerated, so that delta is a sum and no estimate.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from gaussdp import ApproxGDP

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
    return ApproxGDP(mu, slack).delta(epsilon)  # which is what the report of a budget reads TPR and epsilon off


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


def exchanged(epsilon, releases, first_pays, other_pays, alone):
    """delta of releases in which each record takes part or not, by what came out before; the larger direction.

    Where both take part the release has the mu of an exchange, where one does `alone` times that, else nothing.
    """
    found = [0.0, 0.0]

    def go(history, p, q, left, right):
        if len(history) == len(releases):
            for side, (one, other) in enumerate([(p, q), (q, p)]):
                found[side] += max(one - math.exp(epsilon) * other, 0.0)
            return
        mu = releases[len(history)]
        pays = first_pays(history) and left >= mu**2 - 1e-12, other_pays(history) and right >= mu**2 - 1e-12
        shift = mu if all(pays) else alone * mu if any(pays) else 0.0
        sides = release(shift, 0.0)
        one, other = sides if pays[0] or not pays[1] else sides[::-1]
        for output in range(len(one) - 2):
            then = p * one[output], q * other[output]
            go((*history, output), *then, left - mu**2 * pays[0], right - mu**2 * pays[1])

    go((), 1.0, 1.0, 1.0, 1.0)
    return max(found)


@pytest.mark.parametrize("seed", range(4))
def test_exchanged_records_that_pay_each_for_themselves(seed):
    """A budget of 1 a person in a book of exchanged records, whatever decides who takes part."""
    random = np.random.default_rng(seed)
    releases = [math.sqrt(one) for one in random.choice([0.25, 0.5, 0.75, 1.0], size=3)]
    lists = random.random((2, 4, len(EDGES))) < 0.7

    def listed(side):
        return lambda history: bool(lists[side, len(history), history[-1] if history else 0])

    for epsilon in EPSILONS:
        found = exchanged(epsilon, releases, listed(0), listed(1), math.sqrt(0.5))
        assert found <= promised(epsilon, 1.0, 0.0) + 1e-12


def test_without_the_condition_it_can_break():
    """One record pays for the first release, the other for the second: adding must cost less than exchanging."""

    def found(alone):
        first, other = (lambda history: not history), (lambda history: bool(history))
        return [exchanged(epsilon, [1.0, 1.0], first, other, alone) for epsilon in EPSILONS]

    bounds = [promised(epsilon, 1.0, 0.0) for epsilon in EPSILONS]
    assert any(delta > bound for delta, bound in zip(found(1.0), bounds, strict=True))
    assert all(delta <= bound + 1e-12 for delta, bound in zip(found(math.sqrt(0.5)), bounds, strict=True))
