"""The theorem behind the book, held against exact sums: adaptive choices within the budget keep the promise.

Releases have finitely many outputs: a Gaussian one that is cut into bins, which fails openly with probability s. The
second is chosen by what the first one gave. All outputs are enumerated, so that delta is a sum and no estimate.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr

from gaussdp import GDP, ApproxGDP, BudgetExceeded, Gaussian, Ledger

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


@pytest.mark.parametrize("seed", range(4))
def test_what_the_ledger_lets_through_keeps_its_promise(lite, seed):
    """After each output somebody asks for more than is left, and for less; only what is granted is released."""
    random = np.random.default_rng(seed)
    total, slack = random.uniform(0.5, 2.0), random.uniform(0.01, 0.05)
    first = ApproxGDP(0.6 * total, 0.2 * slack)
    granted = []
    for output in range(len(EDGES) + 1):
        lite.open_budget(f"{output}", GDP(total), slack=slack)
        lite.reserve(f"{output}", first, key=f"{output} first")
        released = [(0.0, 0.0)]
        for i, (mu, share) in enumerate([(random.uniform(1.3, 2), 0.9), (0.999, random.uniform(3, 5)), (0.999, 0.999)]):
            asked = ApproxGDP(0.8 * total * mu, 0.8 * slack * share)  # 0.8 of both is left
            try:
                lite.reserve(f"{output}", asked, key=f"{output} {i}")
            except BudgetExceeded:
                continue
            released.append((asked.mu, asked.delta_bound))
        square, delta = sum(mu**2 for mu, _ in released), sum(share for _, share in released)
        granted.append((math.sqrt(square), min(delta, 1.0)))
    assert all(0.7 * total < mu for mu, _ in granted)
    for epsilon in EPSILONS:
        found = worst_delta(epsilon, (first.mu, first.delta_bound), granted.__getitem__)
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

    def go(history, p, q):
        if len(history) == len(releases):
            for side, (one, other) in enumerate([(p, q), (q, p)]):
                found[side] += max(one - math.exp(epsilon) * other, 0.0)
            return
        mu = releases[len(history)]
        pays = first_pays(history), other_pays(history)
        shift = mu if all(pays) else alone * mu if any(pays) else 0.0
        sides = release(shift, 0.0)
        one, other = sides if pays[0] or not pays[1] else sides[::-1]
        for output in range(len(one) - 2):
            go((*history, output), p * one[output], q * other[output])

    go((), 1.0, 1.0)
    return max(found)


def within_a_budget(releases, listed):
    """Whether a record that is listed takes part: as long as its own releases stay within a budget of 1."""

    @cache
    def pays(history):
        spent = sum(releases[i] ** 2 for i in range(len(history)) if pays(history[:i]))
        return listed(history) and spent + releases[len(history)] ** 2 <= 1 + 1e-12

    return pays


def by_a_ledger(book, releases, name, listed):
    """The same as a ledger decides it, with a budget for each course that things may take."""

    @cache
    def pays(history):
        budget = f"{name} {history}"
        book.open_budget(budget, GDP(1.0), per_person=True)
        for i in range(len(history) + 1):
            people = ["the record"] if listed(history[:i]) else []
            book.reserve(budget, Gaussian(2 / releases[i]), key=f"{budget} {i}", people=people)
        return list(book.taking_part(f"{budget} {len(history)}")) == ["the record"]

    return pays


@pytest.mark.parametrize("seed", range(4))
def test_exchanged_records_that_pay_each_for_themselves(seed):
    """A budget of 1 a person in a book of exchanged records, whatever decides who takes part."""
    random = np.random.default_rng(seed)
    releases = [math.sqrt(one) for one in random.choice([0.25, 0.5, 0.75, 1.0], size=3)]
    lists = random.random((2, 4, len(EDGES))) < 0.7

    def listed(side):
        return lambda history: bool(lists[side, len(history), history[-1] if history else 0])

    sides = [within_a_budget(releases, listed(side)) for side in (0, 1)]
    for epsilon in EPSILONS:
        found = exchanged(epsilon, releases, *sides, math.sqrt(0.5))
        assert found <= promised(epsilon, 1.0, 0.0) + 1e-12


def test_whom_a_ledger_lets_take_part_keeps_its_promise(tmp_path):
    """Both records are on every list, or one of them by what came out: the ledger alone keeps them within budgets."""
    releases = [0.8, 0.8]
    with Ledger.create(str(tmp_path / "b.db"), unit="one person", adjacency="replace-one") as book:
        for name, other in (("both", lambda history: True), ("one", lambda history: bool(history and history[0] % 2))):
            lists = {f"{name} first": lambda history: True, name: other}
            sides = [by_a_ledger(book, releases, *one) for one in lists.items()]
            for epsilon in EPSILONS:
                found = exchanged(epsilon, releases, *sides, 0.5)
                assert found <= promised(epsilon, 1.0, 0.0) + 1e-12
            assert (sides[0](()), sides[0]((3,))) == (True, False)


def test_without_the_condition_it_can_break():
    """One record pays for the first release, the other for the second: adding must cost less than exchanging."""

    def found(alone):
        first, other = (lambda history: not history), (lambda history: bool(history))
        return [exchanged(epsilon, [1.0, 1.0], first, other, alone) for epsilon in EPSILONS]

    bounds = [promised(epsilon, 1.0, 0.0) for epsilon in EPSILONS]
    assert any(delta > bound for delta, bound in zip(found(1.0), bounds, strict=True))
    assert all(delta <= bound + 1e-12 for delta, bound in zip(found(math.sqrt(0.5)), bounds, strict=True))
