"""The profile, its logarithm and the growth of a tail: deep down, and where solvers cannot finish."""

import mpmath as mp
import numpy as np
import pytest

import oracles
from gaussdp import ConvergenceError, numerics
from gaussdp.numerics import _profile, log_tail_growth


@pytest.mark.parametrize(
    ("solve", "arguments"),
    [
        (numerics.mu_from_profile, (1.0, 1e-6)),
        (numerics.mu_from_profile, (1.0, 0.9)),
        (numerics.epsilon_from_mu, (1.0, 1e-6)),
        (numerics.epsilon_from_mu, (3.0, 0.6)),
    ],
)
def test_no_answer_rather_than_a_guess(monkeypatch, solve, arguments):
    arrays = [np.array([value]) for value in arguments]
    assert np.isfinite(solve(*arrays)).all()
    monkeypatch.setattr(_profile, "_MAX_STEPS", 1)
    with pytest.raises(ConvergenceError, match="did not converge in 1 steps"):
        solve(*arrays)


def test_few_steps_suffice_on_the_everyday_domain(monkeypatch):
    monkeypatch.setattr(_profile, "_MAX_STEPS", 8)
    epsilon, delta = np.geomspace(0.01, 10, 60), np.geomspace(1e-10, 1e-3, 60)
    grid = [axis.ravel() for axis in np.meshgrid(epsilon, delta)]
    mu = numerics.mu_from_profile(*grid)
    np.testing.assert_allclose(numerics.epsilon_from_mu(mu, grid[1]), grid[0], rtol=1e-11)


def test_the_rounding_of_the_quotient_is_made_good():
    """At 20 to 37 standard deviations rounding epsilon/mu alone would cost delta a digit."""
    rng = np.random.default_rng(2)
    mu = np.exp(rng.uniform(np.log(1e-3), np.log(10), 200))
    epsilon = mu * (rng.uniform(20, 37, 200) + mu / 2)
    exact = [oracles.delta_from_mu(*pair) for pair in zip(mu, epsilon, strict=True)]
    assert max(map(oracles.relative_error, numerics.profile(mu, epsilon), exact)) < 2e-13


ENDS = [-37.0, -8.0, -3.1, -1.0, -1e-3, 0.0, 0.4, 2.0, 5.0, 8.0]
MUS = [1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.49, 0.51, 1.0, 3.0, 10.0, 40.0]


@pytest.mark.parametrize("x", ENDS)
def test_against_mpmath(x):
    found = log_tail_growth(np.full(len(MUS), x), np.array(MUS))
    with mp.workdps(400):
        for mu, value in zip(MUS, found, strict=True):
            end = mp.mpf(x)
            truth = mp.log(mp.erfc(-(end + mp.mpf(mu)) / mp.sqrt(2))) - mp.log(mp.erfc(-end / mp.sqrt(2)))
            assert value == pytest.approx(float(truth), rel=2e-14, abs=0), (x, mu)


def test_nothing_grows_by_nothing():
    assert (log_tail_growth(np.array(ENDS), np.zeros(len(ENDS))) == 0).all()


DIGITS = 800  # the textbook difference loses as many as delta has zeros


def test_agrees_with_the_profile():
    mu, epsilon = (grid.ravel() for grid in np.meshgrid(np.geomspace(1e-3, 30, 40), np.linspace(0, 40, 60)))
    delta = numerics.profile(mu, epsilon)
    lives = delta > 1e-290
    assert lives.sum() > 1000
    logarithm = numerics.log_profile(mu[lives], epsilon[lives])
    np.testing.assert_allclose(logarithm, np.log(delta[lives]), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("mu", "epsilon"), [(0.1, 5.0), (0.25, 12.0), (0.02, 1.0), (1.0, 50.0)])
def test_beyond_underflow(mu, epsilon):
    with mp.workdps(DIGITS):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        upper, lower = e / m - m / 2, e / m + m / 2
        delta = (mp.erfc(upper / mp.sqrt(2)) - mp.exp(e) * mp.erfc(lower / mp.sqrt(2))) / 2
        exact = float(mp.log(delta))
    assert exact < -745
    assert numerics.log_profile(np.array([mu]), np.array([epsilon]))[0] == pytest.approx(exact, rel=1e-12)
