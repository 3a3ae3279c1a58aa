"""The regret against the largest of very many quotients."""

import numpy as np
import pytest
from scipy import special

from gaussdp import numerics
from gaussdp.accounting import account
from gaussdp.accounting.fit.slack import RegretSearch, farthest, interpolated_regret
from gaussdp.accounting.fit.span import Piece, Samples
from gaussdp.accounting.fit.supremum import chebyshev_points
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.mechanisms import DPSGD

LAWS = [
    OneStepTails(1.0, 0.1),
    account(DPSGD(9.4, 0.328, 2000)).tails,
    account(DPSGD(0.6, 0.01, 1000)).tails,
    account(DPSGD(0.7, 1e-4, 100_000)).tails,
]


def brute_force(tails, mu, epsilon):
    delta = np.exp(tails.read(epsilon).log_delta_remove)
    return ((numerics.profile(np.full_like(epsilon, mu), epsilon) - delta) * special.expit(-epsilon)).max()


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("samples", [12, 40])
def test_largest_quotient(tails, mu, samples):
    epsilon = np.linspace(0.0, farthest(mu), samples)
    found = RegretSearch(tails.read(epsilon), mu).regret(tails.read)
    scan = np.linspace(0.0, farthest(mu), 1500)
    expected = max(brute_force(tails, mu, scan), 0.0)
    assert expected - 1e-12 <= found <= expected + 3e-7 + 1e-5 * expected


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
def test_from_samples_at_chebyshev_points(tails, mu):
    points = chebyshev_points(0.0, farthest(mu), 64)
    found = interpolated_regret(Piece(0.0, farthest(mu), Samples.of(tails.read(points))), mu)
    if found is not None:
        expected = max(brute_force(tails, mu, np.linspace(0.0, farthest(mu), 1500)), 0.0)
        assert expected - 1e-12 <= found <= expected + 3e-7 + 1e-5 * expected


def test_samples_that_do_not_tell():
    tails = LAWS[1]
    few = Samples.of(tails.read(chebyshev_points(0.0, 9.0, 4)))
    assert interpolated_regret(Piece(0.0, 9.0, few), 1.6) is None
    short = Samples.of(tails.read(chebyshev_points(0.0, 0.5, 32)))
    assert interpolated_regret(Piece(0.0, 0.5, short), 1.6) is None
    late = Samples.of(tails.read(chebyshev_points(0.1, 9.0, 32)))
    assert interpolated_regret(Piece(0.1, 9.0, late), 1.6) is None


def test_what_is_known_may_end_too_early():
    known = LAWS[1].read(np.linspace(0.0, 0.3, 10))
    assert RegretSearch(known, 1.6).open
    assert not RegretSearch(LAWS[1].read(np.linspace(0.0, farthest(1.6), 10)), 1.6).open


def test_no_regret_below_the_curve():
    tails = GaussianTails(1.5)
    assert RegretSearch(tails.read(np.linspace(0.0, 9.0, 20)), 1.0).regret(tails.read) <= 1e-7
