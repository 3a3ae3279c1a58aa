"""Every partial derivative against a difference quotient of the textbook formula in 120 digits."""

import mpmath as mp
import numpy as np
import pytest

import gaussdp
import oracles
from gaussdp.integrations.array_api import standard
from gaussdp.numerics import flat

XP = standard(np, "numpy")
PORTS = {name: getattr(flat, name) for name in gaussdp.__all__ if "_from_" in name}
FORWARD = ["advantage_from_mu", "fnr_from_mu", "multiplicative_advantage_from_mu", "precision_from_mu"]
POINTS = {
    "advantage_from_mu": [(1e-6,), (0.3,), (1.0,), (9.0,)],
    "delta_from_mu": [(1.0, 0.0), (1.0, 1.0), (0.1, 0.6), (1e-4, 1e-4), (5.0, 3.0), (0.5, 8.0), (20.0, 400.0)],
    "fnr_from_mu": [(0.3, 1e-9), (1e-3, 0.2), (2.0, 0.7), (6.0, 0.999)],
    "multiplicative_advantage_from_mu": [(0.3, 1e-9), (1e-5, 0.2), (2.0, 0.7), (8.0, 1e-3)],
    "precision_from_mu": [(0.3, 1e-9, 0.5), (1e-5, 0.2, 0.1), (2.0, 0.7, 0.9), (8.0, 1e-3, 0.01)],
    "mu_from_multiplicative_advantage": [(1.0, 1e-3), (1e-6, 0.1), (1e-6, 0.8), (3.0, 0.2), (20.0, 1e-200)],
    "mu_from_precision": [(1.0, 1e-3), (1e-6, 0.1), (1e-6, 0.8), (3.0, 0.99), (20.0, 1e-200)],
}
STEP = mp.mpf(10) ** -30
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # branches not taken


def quotient(function, point, position):
    with mp.workdps(oracles.DIGITS):
        ends = []
        for sign in (-1, 1):
            moved = [mp.mpf(value) for value in point]
            moved[position] += sign * STEP * (moved[position] or 1)
            ends.append(function(*moved))
        return float((ends[1] - ends[0]) / (2 * STEP * (mp.mpf(point[position]) or 1)))


@pytest.fixture
def keep_digits(monkeypatch):
    """Let the oracles take numbers between doubles."""
    monkeypatch.setattr(oracles, "exact", lambda *values: tuple(mp.mpf(value) for value in values))


@pytest.mark.parametrize(("name", "point"), [(name, point) for name in POINTS for point in POINTS[name]])
def test_partials(keep_digits, monkeypatch, name, point):
    def oracle(*arguments):
        if name == "advantage_from_mu":
            return mp.erf(arguments[0] / mp.sqrt(8))
        return getattr(oracles, name)(*arguments)

    value = np.array([getattr(gaussdp, name)(*point)])
    arrays = [np.array([number]) for number in point]
    for position, partial in enumerate(PORTS[name].partials):
        found = partial(XP, *arrays, value)[0]
        assert found == pytest.approx(quotient(oracle, point, position), rel=1e-11), position


@pytest.mark.parametrize(("mu", "epsilon"), [(1.0, 1.0), (0.1, 0.6), (1e-4, 1e-4), (5.0, 3.0), (0.5, 8.0)])
def test_inverses_of_the_profile_have_inverse_derivatives(mu, epsilon):
    delta = gaussdp.delta_from_mu(mu, epsilon)
    m, e, d = np.array([mu]), np.array([epsilon]), np.array([delta])
    by_mu = float(mp.npdf(mp.mpf(epsilon) / mu - mp.mpf(mu) / 2))
    by_epsilon = float(-mp.exp(epsilon) * mp.ncdf(-mp.mpf(epsilon) / mu - mp.mpf(mu) / 2))
    found = [partial(XP, e, d, m)[0] for partial in PORTS["mu_from_profile"].partials]
    assert found == pytest.approx([-by_epsilon / by_mu, 1 / by_mu], rel=1e-11)
    found = [partial(XP, m, d, e)[0] for partial in PORTS["epsilon_from_mu"].partials]
    assert found == pytest.approx([-by_mu / by_epsilon, 1 / by_epsilon], rel=1e-11)
