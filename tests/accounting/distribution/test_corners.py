"""Slack and regret of curves with corners, against exact sums over outcomes in 40 digits."""

from itertools import pairwise, product

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussdp import ApproxDP, DomainError, ProfilePoints, PureDP, account
from gaussdp.mechanisms import Composition, DiscreteLaplace, Laplace, RandomizedResponse

DIGITS = 40


def gaussian_profile(mu, epsilon):
    """delta of mu-GDP and its complement."""
    m, h = mp.mpf(epsilon) / mu, mp.mpf(mu) / 2
    fall = mp.exp(epsilon) * mp.ncdf(-m - h)
    return mp.ncdf(h - m) - fall, mp.ncdf(m - h) + fall


def response(epsilon, categories):
    """Losses of randomized response in units of epsilon, with their masses under P."""
    truth = 1 / (1 + (categories - 1) * mp.exp(-mp.mpf(epsilon)))
    lie = truth * mp.exp(-mp.mpf(epsilon))
    return {1: truth, 0: (categories - 2) * lie, -1: lie}


def discrete_laplace(scale, sensitivity):
    """Losses in units of 1 / scale; noise k has mass (1 - r) / (1 + r) r^|k|."""
    ratio = mp.exp(-1 / mp.mpf(scale))
    masses = {
        2 * k - sensitivity: ratio ** (sensitivity - k) * (1 - ratio) / (1 + ratio) for k in range(1, sensitivity)
    }
    return {**masses, sensitivity: 1 / (1 + ratio), -sensitivity: ratio**sensitivity / (1 + ratio)}


def composed(masses, count):
    total = {0: mp.mpf(1)}
    for _ in range(count):
        fresh = {}
        for (a, p), (b, q) in product(total.items(), masses.items()):
            fresh[a + b] = fresh.get(a + b, mp.mpf(0)) + p * q
        total = fresh
    return total


def exact_profile(masses, unit, epsilon):
    return mp.fsum(p * (1 - mp.exp(epsilon - loss * unit)) for loss, p in masses.items() if loss * unit > epsilon)


def fit_or_none(curve, floor):
    """The fit, unless the floor leaves no attacks to speak about."""
    try:
        return curve.fit(floor)
    except DomainError:
        assert curve.fnr(floor) < floor
        return None


def needed_slack(own, mu, epsilons):
    """The largest (delta_M - delta_mu) / (1 - delta_mu) over some epsilons."""
    needed = mp.mpf(0)
    for epsilon in epsilons:
        theirs, rest = gaussian_profile(mu, epsilon)
        needed = max(needed, (own(epsilon) - theirs) / rest)
    return needed


@pytest.mark.parametrize("floor", [1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize(
    ("unit", "masses", "mechanism", "count"),
    [
        (1.0, response(1.0, 10), RandomizedResponse(1.0, categories=10), 12),
        (0.3, response(0.3, 2), RandomizedResponse(0.3), 20),
        (2.0, response(2.0, 3), RandomizedResponse(2.0, categories=3), 3),
        (0.05, response(0.05, 100), RandomizedResponse(0.05, categories=100), 40),
        (0.5, discrete_laplace(2.0, 1), DiscreteLaplace(2.0), 9),
        (0.25, discrete_laplace(4.0, 3), DiscreteLaplace(4.0, 3), 6),
    ],
    ids=lambda value: value.kind if hasattr(value, "kind") else None,
)
def test_slack_of_compositions_over_all_outcomes(unit, masses, mechanism, count, floor):
    with mp.workdps(DIGITS):
        total = composed(masses, count)
        fit = fit_or_none(account(count * mechanism), floor)
        if fit is None:
            return
        epsilons = [unit * count * k / mp.mpf(400) for k in range(440)]
        needed = needed_slack(lambda epsilon: exact_profile(total, unit, epsilon), fit.mu, epsilons)
        assert needed <= fit.slack <= needed * mp.mpf("1.03") + 1e-11


def test_the_slack_that_lies_between_atoms():
    fit = account(12 * RandomizedResponse(1.0, categories=10)).fit(1e-4)
    assert 1.475e-4 <= fit.slack <= 1.48e-4


def laplace_profile(epsilon, pure):
    """delta of one Laplace release at any real epsilon."""
    if epsilon < 0:
        return 1 - mp.exp(epsilon) * (1 - laplace_profile(-epsilon, pure))
    return 1 - mp.exp((epsilon - pure) / 2) if epsilon < pure else mp.mpf(0)


@pytest.mark.parametrize("pure", [0.4, 2.0])
@pytest.mark.parametrize("floor", [1e-2, 1e-3])
def test_slack_of_two_laplace_releases(pure, floor):
    """The loss of the first is +-pure with masses 1/2 and e^-pure / 2, or between with density e^((l - pure)/2) / 4."""
    fit = account(2 * Laplace(1 / pure)).fit(floor)

    def own(epsilon):
        between = mp.quad(
            lambda loss: mp.exp((loss - pure) / 2) / 4 * laplace_profile(epsilon - loss, pure),
            sorted({mp.mpf(-pure), *(p for p in (epsilon - pure, epsilon) if -pure < p < pure), mp.mpf(pure)}),
        )
        ends = laplace_profile(epsilon - pure, pure) / 2 + mp.exp(-pure) / 2 * laplace_profile(epsilon + pure, pure)
        return between + ends

    with mp.workdps(20):
        assert own(mp.mpf(-3 * pure)) == pytest.approx(1 - mp.exp(-3 * pure))  # as of any pair of laws
        assert needed_slack(own, fit.mu, mp.linspace(0, 2.1 * pure, 60)) <= fit.slack


@pytest.mark.parametrize(
    ("stated", "floor", "needed"),
    [
        (ProfilePoints([1.0, 5.0], [0.01, 1e-8]), 1e-4, 2.2221e-3),
        (ApproxDP(1.0, 1e-5), 1e-3, 1e-5),
        (ProfilePoints([2.0], [0.3]), 0.02, 0.3),
        (PureDP(2.0), 1e-3, 0.0),
    ],
    ids=repr,
)
def test_slack_of_statements(stated, floor, needed):
    fit = account(stated).fit(floor)
    assert fit.slack == pytest.approx(needed, rel=1e-4)
    assert_holds(account(stated), fit)


def assert_holds(stated, fit):
    """The slack and the regret at, between and around all points."""
    with mp.workdps(DIGITS):
        edges = [0.0, *stated.epsilons.tolist(), float(stated.epsilons[-1]) + 3 * fit.mu + 1]
        epsilons = [a + (b - a) * k / 16 for a, b in pairwise(edges) for k in range(17)]
        for epsilon in epsilons:
            theirs, rest = gaussian_profile(fit.mu, epsilon)
            own = linear_profile(stated, epsilon)
            assert own <= fit.slack + (1 - mp.mpf(fit.slack)) * theirs or own - theirs <= mp.mpf("1e-15") * own
            assert (theirs - own) / (1 + mp.exp(epsilon)) <= fit.regret
            assert rest > 0


def linear_profile(stated, epsilon):
    """The hull of the statements: linear in e^epsilon between points."""
    x, xs, ys = (
        mp.exp(epsilon),
        [mp.exp(e) for e in stated.epsilons.tolist()],
        [mp.mpf(d) for d in stated.deltas.tolist()],
    )
    if x <= xs[0]:
        return ys[0] + (1 - ys[0]) * (1 - x / xs[0]) / (1 + 1 / xs[0])
    for left in range(len(xs) - 1):
        if x <= xs[left + 1]:
            share = (x - xs[left]) / (xs[left + 1] - xs[left])
            return ys[left] + share * (ys[left + 1] - ys[left])
    return ys[-1]


@settings(max_examples=60, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.floats(0.0, 12.0), st.floats(-30.0, 0.0)),
        min_size=1,
        max_size=6,
        unique_by=lambda pair: round(pair[0], 3),
    ),
    log_floor=st.floats(-25.0, -1.0),
)
def test_slack_and_regret_of_any_statements(pairs, log_floor):
    stated = ProfilePoints([e for e, _ in pairs], [min(float(np.exp(d)), 1.0) for _, d in pairs])
    fit = fit_or_none(account(stated), float(np.exp(log_floor)))
    if fit is not None:
        assert 0 <= fit.slack <= 1
        if fit.mu > 0:
            assert_holds(stated, fit)


def test_the_slack_of_a_mixed_composition_covers_its_parts():
    """Leaving a release out makes nothing worse, so the slack covers the exact profile of the rest."""
    fit = account(Composition([6 * RandomizedResponse(1.0), Laplace(20.0, adjacency="replace-one")])).fit(1e-3)
    with mp.workdps(DIGITS):
        total = composed(response(1.0, 2), 6)
        epsilons = [k * mp.mpf("0.05") for k in range(120)]
        assert needed_slack(lambda epsilon: exact_profile(total, 1.0, epsilon), fit.mu, epsilons) <= fit.slack
