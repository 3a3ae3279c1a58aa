"""The bets are fair or worse under the claim, by exact sums; a score's chance to be accused, by hand."""

import itertools
import math

import numpy as np
import pytest

from gaussdp import GDP, ApproxDP, PureDP
from gaussdp.auditing.betting import SETTINGS, bets_against, chances
from gaussdp.guarantees import ZCDP

CLAIMS = [GDP(0.0), GDP(0.5), GDP(2.0), GDP(8.0), GDP(math.inf), PureDP(1.0), ApproxDP(1.0, 0.05), ZCDP(0.1)]
PLACES = [-1.0, 0.0, 1.0, 2.0]  # scores


def least_favourable(claim):
    """Two discrete distributions of scores with the claimed curve at some corners: members rise along the scores.

    Nonmembers put so much above each place, and members as much as the claim allows.
    """
    above = np.array([1.0, 0.6, 0.3, 0.02])
    nonmember = above - np.append(above[1:], 0.0)
    reached = np.array([1.0, *(float(claim.tpr(rate)) for rate in above[1:])])
    member = reached - np.append(reached[1:], 0.0)
    return member, nonmember


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
@pytest.mark.parametrize("mirrored", [False, True])
def test_no_bet_gains_under_the_claim(claim, mirrored):
    """Exact sums over the scores of a pair, with ties, for quantiles from several sets of earlier scores."""
    member, nonmember = least_favourable(claim)
    if mirrored:  # a guarantee is symmetric: members that fall along the negated scores
        member, nonmember = nonmember[::-1], member[::-1]
    bets = bets_against([claim])
    scores = np.array(PLACES)
    for earlier in ([0.0, 1.0], [-1.0, -1.0, 0.0, 0.5, 2.0], [0.5] * 4, np.linspace(-2, 3, 41)):
        accused = chances(scores, np.sort(np.array(earlier)), bets.quantiles)
        expected = 0.0
        for (i, p), (j, q) in itertools.product(enumerate(member), enumerate(nonmember)):
            factors = bets.factors(accused[i : i + 1], accused[j : j + 1])[0, 0]
            assert (factors > 0).all()
            expected = expected + p * q * factors
        assert (expected <= 1 + 1e-12).all()


def test_a_bet_is_fair_where_the_claim_is_tight():
    """Advantage of a two-valued score on the curve itself: the bet on it neither gains nor loses."""
    claim = GDP(1.0)
    advantage = float(claim.delta(0.0))
    bets = bets_against([claim])
    accused = chances(np.array([0.0, 1.0]), np.array([0.0, 1.0]), bets.quantiles)
    assert accused[:, bets.quantiles == 0.5].ravel().tolist() == [0.0, 1.0]
    right = (1 + advantage) / 2
    expected = sum(
        p * q * bets.factors(accused[[i]], accused[[j]])[0, 0, 1]  # the second bet is the one on advantage
        for (i, p), (j, q) in itertools.product(enumerate((1 - right, right)), enumerate((right, 1 - right)))
    )
    assert expected.max() <= 1
    assert expected[0] == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (-1.0, [0, 0, 0]),
        (9.0, [1, 1, 1]),
        (2.5, [1, 0.5, 0]),  # the middle lies in its gap
        (1.0, [0, 0, 0]),
        (3.0, [1, 1, 0]),
        (4.0, [1, 1, 0.4]),
    ],
)
def test_chances_by_hand(score, expected):
    """Earlier scores 1, 2, 3, 4; a tie covers a quarter of the ranks."""
    found = chances(np.array([score]), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.25, 0.5, 0.9]))
    assert found[0].tolist() == pytest.approx(expected)


def test_the_settings_share_out_one_capital():
    bets = bets_against([GDP(1.0), PureDP(1.0)])
    assert bets.shares.sum() == pytest.approx(1.0)
    assert (bets.stakes > 0).all()
    assert list(SETTINGS.mus) == sorted(set(SETTINGS.mus))
