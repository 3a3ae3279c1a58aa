import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from gaussdp.auditing.methods import quantile_sum, rate_upper


@pytest.mark.parametrize("trials", [1, 7, 1000, 10**7])
@pytest.mark.parametrize("tail", [1e-12, 0.025, 0.5])
def test_no_errors(trials, tail):
    with mp.workdps(40):
        exact = float(1 - mp.mpf(tail) ** (mp.mpf(1) / trials))
    assert rate_upper(0, trials, tail) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("trials", [1, 7, 1000, 10**7])
def test_only_errors(trials):
    assert rate_upper(trials, trials, 0.025) == 1.0


@pytest.mark.parametrize("tail", [1e-9, 1e-4, 0.025])
@pytest.mark.parametrize(
    ("errors", "trials"),
    [(1, 2), (5, 1000), (400, 1000), (999, 1000), (3, 10**7), (5 * 10**6, 10**7), (10**7 - 1, 10**7)],
)
def test_the_chance_of_so_few_errors_is_the_tail(errors, trials, tail):
    """By the binomial distribution function itself; the derivative turns an error of the rate into one of the tail."""
    upper = float(rate_upper(errors, trials, tail))
    chance = special.bdtr(float(errors), trials, upper)
    slack = 1e-15 * trials * special.binom(1, 1) + 1e-8 * tail
    assert chance == pytest.approx(tail, abs=slack)


@given(st.integers(1, 60), st.floats(1e-6, 0.5), st.data())
def test_against_a_sum_in_many_digits(trials, tail, data):
    errors = data.draw(st.integers(0, trials - 1))
    upper = mp.mpf(float(rate_upper(errors, trials, tail)))
    with mp.workdps(40):
        chance = mp.fsum(mp.binomial(trials, k) * upper**k * (1 - upper) ** (trials - k) for k in range(errors + 1))
        assert abs(chance / tail - 1) < 1e-10


@given(st.integers(2, 10**6), st.floats(1e-9, 0.5), st.data())
def test_monotone(trials, tail, data):
    errors = data.draw(st.integers(0, trials - 2))
    assert rate_upper(errors, trials, tail) < rate_upper(errors + 1, trials, tail)
    assert rate_upper(errors, trials, tail) <= rate_upper(errors, trials, tail / 2)
    assert rate_upper(errors, trials, tail) > errors / trials


def test_quantile_sum():
    assert quantile_sum(special.ndtr(-0.5), special.ndtr(-0.5)) == pytest.approx(1.0, rel=1e-14)
    assert quantile_sum(0.5, 0.5) == 0
    assert quantile_sum([1.0, 0.9, 0.0, 1e-300], [0.0, 0.2, 0.0, 1e-300]).tolist() == [
        0,
        0,
        np.inf,
        pytest.approx(74.09, abs=0.1),
    ]
