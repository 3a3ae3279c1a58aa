"""Points of the curve read in different ways agree."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given

import oracles
from domains_of_test import log_uniform
from gaussdp import GDP, multiplicative_advantage_from_mu, precision_from_mu
from gaussdp.numerics import fnr, multiplicative_advantage, precision, tpr

FPR = np.concatenate([np.geomspace(1e-12, 0.5, 50), 1 - np.geomspace(0.5, 1e-12, 50)])


@pytest.mark.parametrize("mu", [1e-6, 0.3, 2.0, 9.0])
def test_tpr_and_fnr_add_up(mu):
    mus = np.full_like(FPR, mu)
    np.testing.assert_allclose(tpr(mus, FPR) + fnr(mus, FPR), 1, rtol=1e-15)


def test_precision_is_the_posterior():
    mus, recall = np.full(3, 1.5), np.array([0.01, 0.5, 0.99])
    least_fpr = tpr(-mus, recall)
    for prior in (0.5, 0.1):
        expected = prior * recall / (prior * recall + (1 - prior) * least_fpr)
        np.testing.assert_allclose(precision(mus, recall, np.full(3, prior)), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("mu", "recall", "prior"), [(0.67, 1.4e-300, 0.26), (8.0, 6.7e-196, 3e-291), (1.0, 1e-300, 1e-300)]
)
def test_precision_where_the_least_fpr_underflows(mu, recall, prior):
    value = precision(np.array([mu]), np.array([recall]), np.array([prior]))[0]
    assert oracles.relative_error(value, oracles.precision_from_mu(mu, recall, prior)) < 1e-12


@pytest.mark.parametrize(("mu", "expected"), [(37.0, 8.732753127384328e-12), (40.0, 1.0), (1e300, 1.0)])
def test_precision_is_a_number_where_the_odds_overflow(mu, expected):
    """The expected value by 60 digits."""
    assert precision_from_mu(mu, recall=0.5, prior=1e-310) == pytest.approx(expected, rel=1e-9)


SMALLEST = 5e-324


@given(log_uniform(1e-8, 50), log_uniform(1e-323, 1e-290))
def test_rates_among_the_smallest_doubles(mu, fpr):
    mus, fprs = np.array([mu]), np.array([fpr])
    ratio = oracles.multiplicative_advantage_from_mu(mu, fpr)
    with mp.workdps(oracles.DIGITS):
        exact = ratio * mp.mpf(fpr)
        assert abs(mp.mpf(float(tpr(mus, fprs)[0])) - exact) <= 1e-12 * exact + 0.6 * mp.mpf(SMALLEST)
        swapped = oracles.fnr_from_mu(mu, 0.5)
        assert abs(mp.mpf(float(fnr(mus, np.array([0.5]))[0])) - swapped) <= 1e-12 * swapped + 0.6 * mp.mpf(SMALLEST)
    assert oracles.relative_error(multiplicative_advantage(mus, fprs)[0], ratio) < 1e-12


@pytest.mark.parametrize("fpr", [SMALLEST, 2 * SMALLEST, 1e-320, 2.3e-310])
@pytest.mark.parametrize("mu", [1e-300, 1e-8, 1e-3, 0.1, 3.0, math.inf])
def test_no_attack_is_weaker_than_guessing(mu, fpr):
    assert GDP(mu).tpr(fpr) >= fpr
    assert multiplicative_advantage_from_mu(mu, fpr) >= 1


@pytest.mark.parametrize("mu", [37.6, 38.0, 38.4])
def test_error_rates_fade_instead_of_vanishing(mu):
    """Phi(-mu) is 1.1e-309, 2.9e-316, 6.4e-323: in the range of doubles, though not of every CDF."""
    expected = float(oracles.fnr_from_mu(mu, 0.5))
    assert 0 < expected < 2e-309
    for rate in (GDP(mu).fnr(0.5), GDP(mu).fpr(0.5)):
        assert rate == pytest.approx(expected, rel=1e-11, abs=1.1 * SMALLEST)
