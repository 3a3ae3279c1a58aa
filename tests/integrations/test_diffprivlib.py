"""Budgets of (epsilon, delta) pairs, as diffprivlib keeps them, against the optimal composition in closed form."""

import math
from itertools import product

import numpy as np
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


class TestTheLibraryItself:
    library = staticmethod(
        lambda name: pytest.importorskip(
            f"diffprivlib.{name}", reason="no diffprivlib: its own accountant was not read", exc_type=ImportError
        )
    )

    def test_what_its_tools_spend(self):
        """From data to curve: each tool spends its share, and what is read off is no more than the sum of them."""
        accountant = self.library("accountant").BudgetAccountant(epsilon=1.0, delta=1e-5)
        tools, data = self.library("tools"), np.linspace(0.0, 1.0, 50)
        for _ in range(4):
            tools.mean(data, epsilon=0.1, bounds=(0.0, 1.0), accountant=accountant)
        tools.histogram(data, epsilon=0.2, bins=5, range=(0.0, 1.0), accountant=accountant)
        assert accountant.spent_budget == [(0.1, 0)] * 4 + [(0.2, 0)]
        curve = account(accountant, adjacency="replace-one")
        assert curve.epsilon(0.0) == pytest.approx(0.6, rel=1e-9)
        signs = [np.array(one) for one in product((1, -1), repeat=5)]  # of the loss of each coin
        losses = np.array([0.1] * 4 + [0.2])
        chances = [math.exp(one @ losses / 2) / math.prod(2 * np.cosh(losses / 2)) for one in signs]
        exact = sum(p * max(0.0, -math.expm1(-one @ losses)) for p, one in zip(chances, signs, strict=True))
        assert exact * (1 - 1e-9) <= curve.delta(0.0) <= exact * 1.01

    def test_its_total_with_a_slack_is_an_upper_bound(self):
        accountant = self.library("accountant").BudgetAccountant(slack=1e-5)
        for _ in range(30):
            accountant.spend(0.1, 0)
        epsilon, delta = accountant.total()
        assert 0.5 * epsilon < account(accountant, adjacency="replace-one").epsilon(delta) < epsilon

    def test_what_was_not_bounded_has_no_curve(self):
        accountant = self.library("accountant").BudgetAccountant()
        accountant.spend(math.inf, 0)
        with pytest.raises(DomainError, match="promises nothing"):
            account(accountant, adjacency="add-remove")
