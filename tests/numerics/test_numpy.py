"""On NumPy's arrays a kernel sees only what is its own, and an element never feels its neighbours."""

import numpy as np
import pytest

import gaussdp
from gaussdp import ConvergenceError, numerics
from gaussdp.numerics import NUMPY, inside_or
from portable_inputs import epsilons, inputs_of, levels, mus

SIZE = 3000
ROWS = 300  # of them, the first half of each kind of input among them, computed one by one


def reciprocal(x):
    assert (x != 0).all()
    return 1 / x


def test_inside_outside_and_mixed():
    x = np.array([1.0, 0.0, 4.0])
    assert inside_or(7.0, x != 0, reciprocal, x).tolist() == [1.0, 7.0, 0.25]
    assert inside_or(x + 5, x != 0, reciprocal, x).tolist() == [1.0, 5.0, 0.25]
    assert inside_or(7.0, x[:1] != 0, reciprocal, x[:1]).tolist() == [1.0]
    assert inside_or(7.0, x[1:2] != 0, reciprocal, x[1:2]).tolist() == [7.0]
    assert inside_or(7.0, x[1:] != 0, reciprocal, x[1:]).tolist() == [7.0, 0.25]
    assert inside_or(7.0, x[None] != 0, reciprocal, x[None]).tolist() == [[1.0, 7.0, 0.25]]


def test_the_limit_is_copied():
    limit = np.zeros(2)
    assert not np.shares_memory(inside_or(limit, np.array([False, False]), reciprocal, limit), limit)


class TestIterate:
    """Elements halve until they are below 1; each has its own number of steps."""

    def halve(self, xp, x, floor):
        self.seen.append(x.tolist())
        return x / 2, x / 2 < floor

    def test_settled_elements_are_left_alone(self):
        self.seen = []
        start, floor = np.array([1.5, 8.0, 3.0, 0.5]), np.ones(4)
        assert NUMPY.iterate(self.halve, start, 9, floor).tolist() == [0.75, 0.5, 0.75, 0.25]
        assert self.seen == [[1.5, 8.0, 3.0, 0.5], [4.0, 1.5], [2.0], [1.0]]
        assert start.tolist() == [1.5, 8.0, 3.0, 0.5]

    def test_two_dimensions(self):
        self.seen = []
        assert NUMPY.iterate(self.halve, np.array([[1.5, 8.0], [3.0, 9.0]]), 9, np.ones((2, 2))).tolist() == [
            [0.75, 0.5],
            [0.75, 0.5625],
        ]

    def test_no_answer_rather_than_a_guess(self):
        self.seen = []
        with pytest.raises(ConvergenceError, match="did not converge in 2 steps"):
            NUMPY.iterate(self.halve, np.array([1.5, 8.0]), 2, np.ones(2))


def near_and_far_points(rng):
    """Points of curves, and points at which the curve of guessing is nearly met."""
    fpr, mu = levels(rng, SIZE), mus(rng, SIZE)
    fnr, tpr = numerics.fnr(mu, fpr), numerics.tpr(mu, fpr)
    return fpr, fnr, tpr


RNG = np.random.default_rng(3)
ROUNDING = 4e-15
FLAT = {name: (getattr(gaussdp, name), inputs_of(name, SIZE)) for name in gaussdp.__all__ if "_from_" in name}
KERNELS = {
    "profile": (numerics.profile, inputs_of("delta_from_mu", SIZE)),
    "log_profile": (numerics.log_profile, inputs_of("delta_from_mu", SIZE)),
    "mu_from_profile": (numerics.mu_from_profile, inputs_of("mu_from_profile", SIZE)),
    "epsilon_from_mu": (numerics.epsilon_from_mu, inputs_of("epsilon_from_mu", SIZE)),
    "tpr": (numerics.tpr, inputs_of("fnr_from_mu", SIZE)),
    "mu_through_point": (numerics.mu_through_point, near_and_far_points(RNG)),
    "log_tail_growth": (numerics.log_tail_growth, (RNG.uniform(-37, 8, SIZE), epsilons(RNG, SIZE) % 2)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*FLAT, *(f"numerics.{name}" for name in KERNELS)])
def test_an_element_does_not_feel_its_neighbours(name):
    """Alone, shuffled and among others: the same, to the last digits, in which wide and narrow instructions differ."""
    function, inputs = FLAT[name] if name in FLAT else KERNELS[name.removeprefix("numerics.")]
    together = function(*inputs)
    order = np.random.default_rng(1).permutation(SIZE)
    np.testing.assert_allclose(function(*(values[order] for values in inputs)), together[order], rtol=ROUNDING)
    rows = order[:ROWS]
    alone = [function(*(values[row : row + 1] for values in inputs))[0] for row in rows]
    np.testing.assert_allclose(alone, together[rows], rtol=ROUNDING)
    one = function if name in FLAT else function.one
    scalars = [one(*(np.float64(values[row]) for values in inputs)) for row in rows]
    np.testing.assert_allclose(scalars, together[rows], rtol=ROUNDING)
