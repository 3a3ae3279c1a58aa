"""The calibration of the band against an oracle that counts points between boundaries, one step at a time."""

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from gaussdp.auditing import bands as module
from gaussdp.auditing.bands import failure_bound, local_level
from gaussdp.auditing.methods import EXACT_UP_TO, rank_grid


def failure_probability(trials, ranks, level):
    """P(some U_(k+1) > b_k), k in ranks: the distribution of the number of points in [0, b_k], rank by rank."""
    with mp.workdps(40):
        chance = {0: mp.mpf(1)}  # of so many points so far, with no failure yet
        before = mp.mpf(0)
        for rank in ranks:
            bound = 1 - mp.mpf(float(special.betaincinv(trials - rank, rank + 1.0, level)))
            share = (bound - before) / (1 - before)
            after = {}
            for so_far, mass in chance.items():
                left = trials - so_far
                for more in range(left + 1):
                    if so_far + more > rank:
                        step = mp.binomial(left, more) * share**more * (1 - share) ** (left - more)
                        after[so_far + more] = after.get(so_far + more, 0) + mass * step
            chance, before = after, bound
        return float(1 - mp.fsum(chance.values()))


@pytest.mark.parametrize("trials", [1, 2, 3, 5, 8, 13, 21])
@pytest.mark.parametrize("level", [1e-4, 0.01, 0.2])
def test_exact_over_all_ranks(trials, level):
    assert failure_bound(trials, level) == pytest.approx(failure_probability(trials, range(trials), level), rel=1e-9)


@pytest.mark.parametrize("spacing", [2, 3, 7])
@pytest.mark.parametrize("level", [1e-3, 0.02])
def test_never_too_small_over_some_ranks(spacing, level):
    trials, grid = 26, np.arange(0, 26, spacing)
    beyond = special.betaincinv(trials - grid, grid + 1.0, level)
    exact = failure_probability(trials, grid.tolist(), level)
    everywhere = level * module.total_weight(trials, grid, beyond, np.arange(grid.size))
    assert exact * (1 - 1e-9) <= everywhere <= 1.5 * exact
    some = np.unique(np.append(np.arange(1, grid.size, 3), grid.size - 1))
    assert level * module.total_weight(trials, grid, beyond, some) >= exact * (1 - 1e-9)


@pytest.mark.parametrize(("trials", "repetitions"), [(60, 20_000), (1500, 3000)])
def test_by_simulation(trials, repetitions):
    """Sorted uniforms break the band in no more than the promised share of samples, and not in far fewer."""
    tail, grid = 0.1, rank_grid(trials)
    upper = special.betainccinv(grid + 1.0, trials - grid, local_level(trials, tail))
    random = np.random.default_rng(5)
    broken = sum(
        int((np.sort(random.random((500, trials)), axis=1)[:, grid] > upper).any(axis=1).sum())
        for _ in range(repetitions // 500)
    )
    spread = 4 * np.sqrt(tail * (1 - tail) / repetitions)
    assert 0.75 * tail - spread < broken / repetitions < tail + spread


@pytest.mark.parametrize("tail", [1e-10, 1e-3, 0.025, 0.3, 0.4999])
@pytest.mark.parametrize("trials", [1, 2, 30, EXACT_UP_TO + 1, 20_000])
def test_the_returned_level_was_checked(trials, tail):
    level = local_level(trials, tail)
    assert 0 < level <= tail
    assert failure_bound(trials, level) <= tail
    assert failure_bound(trials, level) >= 0.99 * tail


def test_thinning_costs_little():
    exact, thinned = local_level(EXACT_UP_TO, 0.025), local_level(EXACT_UP_TO + 1, 0.025)
    assert -special.ndtri(thinned) == pytest.approx(-special.ndtri(exact), abs=0.05)
