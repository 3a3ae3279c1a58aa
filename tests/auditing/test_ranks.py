"""The ranks at which bands are held: fixed by the number of trials, dense in the tails, few in all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.auditing.rates import EXACT_UP_TO, held, rank_grid


@pytest.mark.parametrize("trials", [1, 2, 100, EXACT_UP_TO])
def test_all_ranks_of_small_samples(trials):
    assert rank_grid(trials).tolist() == list(range(trials))


@pytest.mark.parametrize("trials", [EXACT_UP_TO + 1, 1000, 10_000, 123_457, 10**6, 10**10])
def test_few_ranks_of_large_samples(trials):
    grid = rank_grid(trials)
    assert (grid[0], grid[-1]) == (0, trials - 1)
    assert (np.diff(grid) > 0).all()
    assert grid.size <= min(trials, 12_000)
    assert grid.tolist() == (trials - 1 - grid[::-1]).tolist()  # both tails alike
    # No rank is farther from the next than a standard deviation of the count, or what 8,000 ranks allow.
    gaps, lower = np.diff(grid), np.minimum(grid[:-1], trials - 1 - grid[1:])
    widest = max(1.0, np.pi * np.sqrt(trials) / 8000)
    assert (gaps <= np.maximum(1, widest * np.sqrt(np.maximum(lower, 0))) + 1).all()
    tail = lower < 10_000
    assert (gaps[tail] <= np.maximum(1, 0.25 * np.sqrt(lower[tail] + 1)) + 1).all()


@given(st.integers(1, 5000), st.data())
def test_the_rank_that_serves_a_count(trials, data):
    """The bound held at the first rank that is no smaller, so that it holds at the count too."""
    count = data.draw(st.integers(0, trials))
    grid = rank_grid(trials)
    place = int(held(np.array([count]), grid)[0])
    expected = next((index for index, rank in enumerate(grid.tolist()) if rank >= count), grid.size)
    assert place == expected
    assert (place == grid.size) == (count == trials)
