"""Readings next to the least loss and deep in tails, where what is rounded is amplified: claims against 60 digits."""

import math
from contextlib import suppress
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp import GDP
from gaussdp.accounting import account
from gaussdp.accounting.loss.closed_forms import OneStepTails
from gaussdp.accounting.loss.outputs import least_loss
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian


def excess_output(excess, sigma, rate):
    """The output whose loss exceeds the least one by this much."""
    return sigma**2 * mp.log(mp.expm1(excess) * (1 - rate) / rate) + mp.mpf(1) / 2


def two_step_add_delta(first, second, epsilon):
    """E_Q[(1 - e^(epsilon + L))+] for two steps: the second in closed form, the excess of the first integrated."""
    (sigma, rate), (other_sigma, other_rate) = (tuple(map(mp.mpf, pair)) for pair in (first, second))
    excess = -mp.mpf(epsilon) - mp.log(1 - rate) - mp.log(1 - other_rate)

    def inner(rest):
        if rest <= 0:
            return mp.mpf(0)
        x = excess_output(rest, other_sigma, other_rate)
        under_q = mp.ncdf(x / other_sigma)
        under_p = (1 - other_rate) * under_q + other_rate * mp.ncdf((x - 1) / other_sigma)
        return under_q - mp.exp(-rest) * under_p / (1 - other_rate)

    def integrand(log_excess):
        d = mp.exp(log_excess)
        x = excess_output(d, sigma, rate)
        return mp.npdf(x, 0, sigma) * sigma**2 * d * mp.exp(d) / mp.expm1(d) * inner(excess - d)

    top = mp.log(excess)
    return mp.quad(
        integrand, [top - k for k in (60, 30, 15, 8, 4, 2, 1, 0.5, 0.2, 0.1, 0.03, 0.01, 1e-3, 1e-5, 1e-8, 0)]
    )


@pytest.mark.parametrize("ulps", [0, 3, 8, 1000])
def test_two_steps_next_to_their_least_loss(ulps):
    """The threshold exceeds the least loss by 1e-16 of its own size: as a difference of doubles that has two digits."""
    first, second = (0.1263795345515019, 0.010405531756285506), (0.2989958097322272, 8.299634368132051e-06)
    epsilon = 0.010468347479446064
    for _ in range(ulps):
        epsilon = math.nextafter(epsilon, 0.0)
    curve = account(Composition([DPSGD(*first, 1), DPSGD(*second, 1)]))
    read = curve.add.reading.delta(epsilon)
    with mp.workdps(60):
        exact = two_step_add_delta(first, second, epsilon)
        assert abs(mp.mpf(read.value) / exact - 1) <= read.error < 1e-9


def test_nothing_lies_below_the_least_loss_and_something_above():
    """The double next to the least loss may lie on either side; which one decides between nothing and something."""
    for rate in np.linspace(0.001, 0.2, 9).tolist():
        curve = account(DPSGD(0.5, rate, 3))
        with mp.workdps(50):
            least = 3 * mp.log(1 - mp.mpf(rate))
            near = float(least)
            for epsilon in (-math.nextafter(near, -1.0), -near, -math.nextafter(near, 0.0)):
                if -mp.mpf(epsilon) <= least:
                    assert curve.add.delta(epsilon) == 0
                else:
                    with suppress(ConvergenceError):  # a refusal is no claim
                        assert curve.add.delta(epsilon) > 0


def test_with_a_plain_release_no_loss_is_least():
    curve = account(Composition([DPSGD(1.0, 0.01, 5), Gaussian(1.0)]))
    for epsilon in (0.06, 1.0, 5.0):  # the sampled steps alone have no loss below -0.0503
        assert curve.add.delta(epsilon) > GDP(1.0).delta(epsilon) * 0.9


def test_a_rate_deep_in_a_tail():
    """From an integral over the outputs of one step, the other in closed form, in 30 digits."""
    first, second = DPSGD(33.292545182032406, 0.8896173029767409, 1), DPSGD(11.113345973557653, 0.011321361598393441, 1)
    read = account(Composition([first, second])).remove.reading.tpr(2.9314356681576204e-90)
    assert abs(read.value / 5.10182129479674965416819139592e-90 - 1) <= read.error < 3e-10


@given(
    log_uniform(0.1, 100),
    log_uniform(1e-8, 0.999) | log_uniform(1e-13, 0.5).map(lambda rest: 1 - rest),
    st.floats(-35.0, 35.0),
)
@example(27.396137751637113, 0.9999999999992776, -29.0)
@example(19.249267376719057, 1.2492084377891905e-07, -13.0)
def test_claims_of_one_step(sigma, rate, quantile):
    with mp.workdps(60):
        noise, q = mp.mpf(sigma), mp.mpf(rate)
        tau = float(mp.log(1 - q + q * mp.exp((quantile * noise - mp.mpf(1) / 2) / noise**2)))
        points = OneStepTails(sigma, rate).read(np.array([tau]))
        odds = (mp.exp(mp.mpf(tau)) - 1 + q) / q
        if odds <= 0:
            assert points.log_tnr[0] == points.log_delta_add[0] == -math.inf
            return
        x = noise**2 * mp.log(odds) + mp.mpf(1) / 2
        tnr, fpr = mp.ncdf(x / noise), mp.ncdf(-x / noise)
        fnr = (1 - q) * tnr + q * mp.ncdf((x - 1) / noise)
        tpr = (1 - q) * fpr + q * mp.ncdf((1 - x) / noise)
        if tau >= 0:
            delta, log_delta = tpr - mp.exp(mp.mpf(tau)) * fpr, points.log_delta_remove[0]
        else:
            delta, log_delta = tnr - mp.exp(-mp.mpf(tau)) * fnr, points.log_delta_add[0]
        for exact, log_read in (
            (min(fpr, tnr), min(points.log_fpr[0], points.log_tnr[0])),
            (min(fnr, tpr), min(points.log_fnr[0], points.log_tpr[0])),
            (delta, log_delta),
        ):
            if exact > mp.mpf("1e-320"):
                assert abs(mp.exp(mp.mpf(float(log_read))) / exact - 1) <= points.errors[0]


@given(st.lists(st.tuples(log_uniform(1e-30, 0.999), st.integers(1, 10**7)), min_size=1, max_size=5))
def test_the_least_loss_has_twice_the_digits(steps):
    with mp.workdps(80):
        exact = mp.fsum(count * mp.log(1 - mp.mpf(rate)) for rate, count in steps)
        least = least_loss((1 - Fraction(rate), count) for rate, count in steps)
        assert abs(mp.mpf(least.high) + mp.mpf(least.low) - exact) <= mp.mpf("1e-31") * abs(exact)
