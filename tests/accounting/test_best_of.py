"""The best of a random number of runs: the bound against exact integrals, and what is made of it."""

import math

import numpy as np
import pytest
from scipy import special

import gaussdp
from gaussdp import DPSGD, GDP, BestOf, Composition, DomainError, Gaussian, Laplace, account
from gaussdp.mechanisms.composition import read_plan

X = np.linspace(-12, 18, 6001)
STEP = X[1] - X[0]


def slope(gamma, eta, mean, rate):
    """The derivative of the generating function of the number of runs, at the share of runs that are no better."""
    return mean * (gamma / (1 - (1 - gamma) * rate)) ** (eta + 1)


def exact_deltas(mu, gamma, eta, mean, epsilon, order):
    """Both directions for Gaussian candidates, where the score is the output, its negative, or its distance from 0."""
    densities = []
    for centre in (0.0, mu):
        density = np.exp(-0.5 * (X - centre) ** 2) / math.sqrt(2 * math.pi)
        if order == "up":
            below = special.ndtr(X - centre)
        elif order == "down":
            below = special.ndtr(centre - X)
        else:
            below = special.ndtr(np.abs(X) - centre) - special.ndtr(-np.abs(X) - centre)
        densities.append(density * slope(gamma, eta, mean, below))
    q, p = densities
    return tuple(STEP * np.maximum(one - math.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p)))


def test_the_number_of_runs():
    """Its mean by summing its distribution, for every kind of shape."""
    for eta in (-0.5, 0.0, 1.0, 3.0):
        for mean in (1.5, 10.0):
            gamma = BestOf(Gaussian(1.0), mean, eta).gamma
            k = np.arange(1, 200_000)
            log_weights = k * math.log1p(-gamma) + special.gammaln(k + eta) - special.gammaln(k + 1)
            weights = np.exp(log_weights - log_weights.max())
            assert (k * weights).sum() / weights.sum() == pytest.approx(mean, rel=1e-6)


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_holds_for_gaussian_candidates(seed):
    """Forty settings a seed, 1,000 in all, each in both directions and with three scores."""
    draw = np.random.default_rng(seed)
    for _ in range(8):
        mu, eta, mean = draw.uniform(0.05, 2.0), draw.uniform(-0.9, 4.0), 1 + draw.exponential(15.0)
        best = BestOf(Gaussian(1 / mu), mean, eta)
        odds = (1 - best.gamma) / best.gamma
        for epsilon in draw.uniform(0, 6, 5):
            tried = np.linspace(0, 8, 4001)
            factor = np.min(np.exp(tried) + odds * GDP(mu).delta(tried))
            inner = epsilon - (eta + 1) * math.log(factor)
            bound = mean * GDP(mu).delta(inner) if inner >= 0 else 1.0
            for order in ("up", "down", "out"):
                assert max(exact_deltas(mu, best.gamma, eta, mean, epsilon, order)) <= bound + 1e-6


@pytest.mark.parametrize("order", ["up", "down", "out"])
def test_the_curve_holds_for_gaussian_candidates(order):
    for mu, eta, mean in ((0.47, 1.0, 10.0), (1.0, 0.0, 5.0), (0.2, -0.5, 100.0)):
        best = BestOf(Gaussian(1 / mu), mean, eta)
        curve = account(best)
        for epsilon in (0.0, 0.5, 1.5, 3.0):
            assert max(exact_deltas(mu, best.gamma, eta, mean, epsilon, order)) <= curve.delta(epsilon) + 1e-6


def test_numbers():
    """One run 1.86, ten of them 6.97, the best of ten in the mean 3.53."""
    assert GDP(0.47).epsilon(1e-5) == pytest.approx(1.86, abs=5e-3)
    assert account(10 * Gaussian(1 / 0.47)).epsilon(1e-5) == pytest.approx(6.97, abs=5e-3)
    curve = account(BestOf(Gaussian(1 / 0.47), mean_runs=10, eta=1))
    assert curve.epsilon(1e-5) == pytest.approx(3.53, abs=5e-3)
    assert curve.epsilon_lower(1e-5) == 0.0  # a bound: what it loses at least is not known


def test_pure_candidates_have_a_pure_epsilon():
    best = BestOf(Laplace(5.0), mean_runs=10, eta=1.0)
    assert best.pure_epsilon == pytest.approx(0.6)
    assert account(best).epsilon(0.0) == pytest.approx(0.6, rel=1e-9)


def test_in_a_composition_and_nested():
    best = BestOf(DPSGD(1.0, 0.01, 100), 5.0)
    with_more = account(Composition([best, Gaussian(4.0)]))
    assert account(best).epsilon(1e-6) < with_more.epsilon(1e-6) < account(best).epsilon(5e-7) + GDP(0.25).epsilon(5e-7)
    assert account(BestOf(best, 3.0)).epsilon(1e-6) > account(best).epsilon(1e-6)


def test_plans(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(
        '[[releases]]\nmechanism = "best-of"\nmean_runs = 10\neta = 0.5\n'
        'of = [{mechanism = "gaussian", noise_multiplier = 2.0, times = 2}, {mechanism = "laplace", scale = 9.0}]\n'
    )
    read = read_plan(file)
    best = BestOf(Composition([2 * Gaussian(2.0), Laplace(9.0)]), 10, 0.5)
    assert read == Composition([best])
    entry = best.plan_entry()
    assert entry.pop("mechanism") == "best-of"
    assert BestOf.from_plan(**entry) == best
    file.write_text('[[releases]]\nmechanism = "best-of"\nmean_runs = 10\nof = {mechanism = "gauss"}\n')
    with pytest.raises(DomainError, match=r"plan.toml, line 2: unknown mechanism 'gauss'"):
        read_plan(file)
    file.write_text('[[releases]]\nmechanism = "best-of"\nmean_runs = 10\nof = 3\n')
    with pytest.raises(DomainError, match=r"line 2: of must hold one run"):
        read_plan(file)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ((Gaussian(1.0), 1.0), "mean_runs must be"),
        ((Gaussian(1.0), math.nan), "mean_runs must be"),
        ((Gaussian(1.0), 5.0, -1.0), "eta must be"),
        ((Gaussian(1.0), 5.0, math.inf), "eta must be"),
        ((3, 5.0), "mechanism must be a mechanism"),
    ],
)
def test_refusals(parameters, words):
    with pytest.raises(DomainError, match=words):
        BestOf(*parameters)


def test_claims_about_it_are_never_called_false_by_a_bound():
    run = gaussdp.Run(
        mechanism=BestOf(Gaussian(2.0), 10),
        unit="one person",
        adjacency="add-remove",
        tuning="none",
        records_per_unit=1,
    )
    for claim in ("epsilon=1 delta=1e-6", "epsilon=1", "rho=0.1", "mu=0.6 floor=1e-6"):
        assert gaussdp.check_claim(run, claim).status == "undecided"
    assert gaussdp.check_claim(run, "epsilon=9 delta=1e-6").holds
