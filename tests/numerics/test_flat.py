"""The flat functions in portable operations against those in NumPy's, which the 120-digit oracles vouch for."""

import math

import numpy as np
import pytest

import gaussdp
from gaussdp.integrations.array_api import standard
from gaussdp.numerics import NUMPY, flat
from portable_inputs import inputs_of

XP = standard(np, "numpy")
PORTS = {name: getattr(flat, name) for name in gaussdp.__all__ if "_from_" in name}
KEYS = {
    "advantage_from_mu": ("mu",),
    "delta_from_mu": ("mu", "epsilon"),
    "epsilon_from_mu": ("mu", "delta"),
    "fnr_from_mu": ("mu", "fpr"),
    "mu_from_multiplicative_advantage": ("epsilon", "level"),
    "mu_from_precision": ("epsilon", "level"),
    "mu_from_profile": ("epsilon", "level"),
    "multiplicative_advantage_from_mu": ("mu", "level"),
    "precision_from_mu": ("mu", "level", "prior"),
}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # branches not taken


@pytest.mark.parametrize("name", PORTS)
def test_the_whole_domain(name):
    arguments = inputs_of(name, 4000)
    expected = getattr(gaussdp, name)(*arguments)
    found = PORTS[name].value(XP, *arguments)
    beyond = expected < 1e-300
    np.testing.assert_allclose(found[~beyond], expected[~beyond], rtol=1e-12)
    assert np.all(found[beyond] <= 1.1e-300)


def test_the_steep_piece_where_the_exponential_overflows():
    epsilon, fpr = (
        grid.ravel() for grid in np.meshgrid([640.0, 651.0, 700.0, 720.0, 1e3], np.geomspace(3e-308, 1e-270, 40))
    )
    expected = gaussdp.mu_from_multiplicative_advantage(epsilon, fpr)
    found = PORTS["mu_from_multiplicative_advantage"].value(XP, epsilon, fpr)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", PORTS)
def test_the_ends_of_the_domain(name):
    ends = {
        "epsilon": [0.0, 5e-324, 1.0, 1e300, math.inf],
        "mu": [0.0, 5e-324, 1.0, 1e300, math.inf],
        "fpr": [0.0, 1e-300, 0.5, 1 - 1e-16, 1.0],
        "delta": [0.0, 5e-324, 0.5, 1 - 1e-16, 1.0],
        "level": [1e-300, 0.5, 1 - 1e-16],
        "prior": [1e-3, 0.5, 1 - 1e-9],
    }
    arguments = [grid.ravel() for grid in np.meshgrid(*(ends[key] for key in KEYS[name]))]
    expected = getattr(gaussdp, name)(*arguments)
    np.testing.assert_allclose(PORTS[name].value(XP, *arguments), expected, rtol=1e-12)
    for partial in PORTS[name].partials:
        assert not np.isnan(partial(XP, *arguments, expected)).any()


@pytest.mark.parametrize("xp", [NUMPY, XP])
@pytest.mark.parametrize("first", [0.0, math.inf])
@pytest.mark.parametrize("name", PORTS)
def test_a_result_is_never_one_of_the_inputs(xp, first, name):
    """Nor at the limits, where it equals one: changing the result would change the input."""
    arguments = [np.full(2, first), *(np.full(2, 0.5) for _ in KEYS[name][1:])]
    result = PORTS[name].value(xp, *arguments)
    assert not any(np.shares_memory(result, argument) for argument in arguments)
