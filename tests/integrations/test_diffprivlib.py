"""Budgets of (epsilon, delta) pairs, as diffprivlib keeps them, against the optimal composition in closed form."""

import math

import pytest

from gaussdp import DomainError, account
from gaussdp.integrations.diffprivlib import mechanism_of


class BudgetAccountant:
    """Of that library: what is used of it."""

    def __init__(self, spent_budget):
        self.spent_budget = spent_budget


BudgetAccountant.__module__ = "diffprivlib.accountant"


def optimal_delta(epsilon, delta, times, at):
    """Kairouz, Oh & Viswanath 2017, Theorem 3.3, as the hockey-stick divergence of so many coins that may tell all."""
    heads = 1 / (1 + math.exp(-epsilon))
    loss = sum(
        math.comb(times, k)
        * heads**k
        * (1 - heads) ** (times - k)
        * max(0.0, 1 - math.exp(at - (2 * k - times) * epsilon))
        for k in range(times + 1)
    )
    return 1 - (1 - delta) ** times * (1 - loss)


@pytest.mark.parametrize(("epsilon", "delta", "times"), [(0.1, 0.0, 20), (1.0, 1e-6, 5), (0.3, 1e-9, 1), (2.0, 0.0, 2)])
def test_composition_is_the_optimal_one(epsilon, delta, times):
    curve = account(BudgetAccountant([(epsilon, delta)] * times), adjacency="replace-one")
    for at in (0.0, 0.4 * times * epsilon, 0.9 * times * epsilon):
        exact = optimal_delta(epsilon, delta, times, at)
        assert exact * (1 - 1e-9) <= curve.delta(at) <= exact * 1.01 + 1e-9


def test_mixed_budgets_are_no_looser_than_the_sum():
    spent = [(0.2, 0), (0.5, 1e-6), (0.2, 0), [0.0, 1e-7]]
    curve = account(mechanism_of(spent, "add-remove"))
    assert curve.epsilon(1.2e-6) <= 0.9 * (1 + 1e-9)
    assert curve.epsilon(1e-3) < 0.9
    assert curve.delta(0.0) > optimal_delta(0.5, 1e-6, 1, 0.0)


def test_the_neighbours_must_be_told():
    with pytest.raises(DomainError, match="adjacency is missing: diffprivlib does not say"):
        account(BudgetAccountant([(1.0, 0)]))


@pytest.mark.parametrize(
    ("spent", "message"),
    [
        ([], "at least one pair"),
        ([(math.inf, 0.0)], "promises nothing"),
        ([(1.0, 1.0)], "promises nothing"),
        ([(-1.0, 0.0)], "epsilon must be"),
        ([(1.0, math.nan)], "delta must be"),
        ([(1.0,)], "pairs"),
        ("1.0", "pairs"),
        (3, "pairs"),
    ],
)
def test_bad_budgets(spent, message):
    with pytest.raises(DomainError, match=message):
        mechanism_of(spent, "add-remove")


def test_against_the_library_itself():
    accountants = pytest.importorskip("diffprivlib.accountant", reason="needs diffprivlib", exc_type=ImportError)
    theirs = accountants.BudgetAccountant(slack=1e-5)
    for _ in range(30):
        theirs.spend(0.1, 0)
    total = theirs.total()
    assert account(theirs, adjacency="replace-one").epsilon(total.delta) < total.epsilon
