"""Points of the curve read in different ways agree."""

import numpy as np
import pytest

import oracles
from gaussdp import precision_from_mu
from gaussdp.numerics import fnr, precision, tpr

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
