"""The deep tail of the profile, and what its solvers do when they cannot finish."""

import numpy as np
import pytest

import oracles
from gaussdp import ConvergenceError, numerics
from gaussdp.numerics import _profile


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
