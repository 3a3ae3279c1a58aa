"""The nine flat functions against 25-digit values, textbook formulas at 120 digits, and each other."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gaussdp
import oracles
from domains_of_test import epsilons, levels, log_uniform, mus

TOLERANCE = 1e-12
REFERENCE = Path(__file__).parent / "reference"
FUNCTIONS = [
    "advantage_from_mu",
    "delta_from_mu",
    "epsilon_from_mu",
    "fnr_from_mu",
    "mu_from_multiplicative_advantage",
    "mu_from_precision",
    "mu_from_profile",
    "multiplicative_advantage_from_mu",
    "precision_from_mu",
]


def rows_of(name):
    with (REFERENCE / f"{name}.csv").open() as file:
        reader = csv.reader(file)
        header = next(reader)
        return header, np.array([[float(cell) for cell in row] for row in reader])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_reference_row(name):
    header, rows = rows_of(name)
    assert len(rows) >= 200
    arguments = dict(zip(header[:-1], rows[:, :-1].T, strict=True))
    np.testing.assert_allclose(getattr(gaussdp, name)(**arguments), rows[:, -1], rtol=TOLERANCE, atol=0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scalars_and_arrays_agree(name):
    header, rows = rows_of(name)
    function = getattr(gaussdp, name)
    together = function(*rows[:, :-1].T)
    for row, expected in list(zip(rows, together, strict=True))[::10]:
        alone = function(*(float(value) for value in row[:-1]))
        assert type(alone) is float
        assert alone == pytest.approx(expected, rel=1e-14), dict(zip(header, row, strict=True))


class TestTextbookFormulas:
    """Hypothesis over the whole promised domain."""

    @given(epsilons, levels)
    def test_mu_from_multiplicative_advantage(self, epsilon, fpr):
        exact = oracles.mu_from_multiplicative_advantage(epsilon, fpr)
        assert oracles.relative_error(gaussdp.mu_from_multiplicative_advantage(epsilon, fpr), exact) < TOLERANCE

    @given(epsilons.filter(lambda e: e < 500), st.sampled_from([0.0, 1e-16, -3e-16, 1e-12, -1e-9, 1e-6, -1e-4, 1e-2]))
    def test_at_the_kink_of_the_pure_curve(self, epsilon, offset):
        """Next to fpr = 1/(e^epsilon + 1), where 1 - e^epsilon fpr cancels and the two cases meet."""
        fpr = 1 / (1 + math.exp(epsilon)) * (1 + offset)
        exact = oracles.mu_from_multiplicative_advantage(epsilon, fpr)
        assert oracles.relative_error(gaussdp.mu_from_multiplicative_advantage(epsilon, fpr), exact) < TOLERANCE

    @given(epsilons | log_uniform(500, 800), log_uniform(1e-323, 1e-270))
    def test_mu_where_the_exponential_overflows_or_the_rate_is_subnormal(self, epsilon, fpr):
        exact = oracles.mu_from_multiplicative_advantage(epsilon, fpr)
        assert oracles.relative_error(gaussdp.mu_from_multiplicative_advantage(epsilon, fpr), exact) < TOLERANCE

    @given(log_uniform(500, 744), st.sampled_from([0.0, 1e-15, -3e-16, 1e-12, -1e-9, -1e-4, 1e-2]))
    def test_at_the_kink_where_the_exponential_overflows(self, epsilon, offset):
        self.test_mu_where_the_exponential_overflows_or_the_rate_is_subnormal.hypothesis.inner_test(
            self, epsilon, math.exp(-epsilon) * (1 + offset)
        )

    @given(epsilons, levels)
    def test_mu_from_precision(self, epsilon, recall):
        exact = oracles.mu_from_precision(epsilon, recall)
        assert oracles.relative_error(gaussdp.mu_from_precision(epsilon, recall), exact) < TOLERANCE

    @given(epsilons, levels)
    def test_mu_from_profile(self, epsilon, delta):
        mu = gaussdp.mu_from_profile(epsilon, delta)
        assert oracles.mu_brackets_profile(mu, epsilon, delta, TOLERANCE)

    @given(mus, epsilons)
    def test_delta_from_mu(self, mu, epsilon):
        exact = oracles.delta_from_mu(mu, epsilon)
        delta = gaussdp.delta_from_mu(mu, epsilon)
        assert delta <= 1e-300 if exact < 1e-300 else oracles.relative_error(delta, exact) < TOLERANCE

    @given(mus, st.floats(-8, 37))
    def test_delta_from_mu_in_its_tail(self, mu, deviations):
        """Where delta is neither 0 nor 1: epsilon chosen by how many standard deviations out."""
        epsilon = min(max((deviations + mu / 2) * mu, 1e-10), 500.0)
        self.test_delta_from_mu.hypothesis.inner_test(self, mu, epsilon)

    @given(mus, levels)
    def test_epsilon_from_mu(self, mu, delta):
        epsilon = gaussdp.epsilon_from_mu(mu, delta)
        assert 0 < epsilon < 1e-10 or oracles.epsilon_brackets_profile(epsilon, mu, delta, TOLERANCE)

    @given(mus, epsilons)
    def test_epsilon_from_mu_of_its_own_delta(self, mu, epsilon):
        """Delta read off the profile, also for tiny epsilon, where it nearly equals the total variation."""
        delta = gaussdp.delta_from_mu(mu, epsilon)
        if 1e-300 < delta < 1 - 1e-12:
            self.test_epsilon_from_mu.hypothesis.inner_test(self, mu, delta)

    @given(mus, levels)
    def test_fnr_from_mu(self, mu, fpr):
        exact = oracles.fnr_from_mu(mu, fpr)
        fnr = gaussdp.fnr_from_mu(mu, fpr)
        assert fnr <= 1e-300 if exact < 1e-300 else oracles.relative_error(fnr, exact) < TOLERANCE

    @given(mus, levels)
    def test_multiplicative_advantage_from_mu(self, mu, fpr):
        exact = oracles.multiplicative_advantage_from_mu(mu, fpr)
        assert oracles.relative_error(gaussdp.multiplicative_advantage_from_mu(mu, fpr), exact) < TOLERANCE

    @given(mus, levels, st.sampled_from([0.5, 0.01, 0.999, 1e-9]))
    def test_precision_from_mu(self, mu, recall, prior):
        exact = oracles.precision_from_mu(mu, recall, prior)
        assert oracles.relative_error(gaussdp.precision_from_mu(mu, recall, prior), exact) < TOLERANCE

    @given(mus)
    def test_advantage_from_mu(self, mu):
        assert oracles.relative_error(gaussdp.advantage_from_mu(mu), oracles.advantage_from_mu(mu)) < 1e-15


class TestCasesOnWhichPublishedToolsFail:
    def test_no_overflow_of_the_exponential(self):
        assert gaussdp.delta_from_mu(epsilon=750, mu=40) == pytest.approx(0.889639834378, rel=1e-12)

    def test_epsilon_beyond_five_hundred(self):
        assert gaussdp.epsilon_from_mu(delta=1e-5, mu=30) == pytest.approx(577.011973688, rel=1e-12)

    def test_epsilon_is_zero_where_delta_covers_everything(self):
        assert gaussdp.epsilon_from_mu(delta=1e-5, mu=1e-6) == 0

    def test_tiny_mu_and_epsilon(self):
        assert gaussdp.delta_from_mu(epsilon=1e-12, mu=1e-12) == pytest.approx(8.33154705877e-14, rel=1e-12)

    def test_fpr_below_machine_precision(self):
        assert gaussdp.fnr_from_mu(fpr=1e-17, mu=10) == pytest.approx(0.0660070502763, rel=1e-11)


class TestLimits:
    @pytest.mark.parametrize(
        ("function", "level"),
        [
            (gaussdp.mu_from_multiplicative_advantage, 1e-3),
            (gaussdp.mu_from_precision, 0.3),
        ],
    )
    def test_no_policy_and_no_privacy(self, function, level):
        assert function(0.0, level) == 0
        assert function(math.inf, level) == math.inf

    def test_profile_at_epsilon_zero_is_total_variation(self):
        mu = gaussdp.mu_from_profile(0.0, 0.25)
        assert gaussdp.advantage_from_mu(mu) == pytest.approx(0.25, rel=1e-15)
        assert gaussdp.mu_from_profile(math.inf, 0.25) == math.inf
        assert gaussdp.mu_from_profile(1e-300, 0.25) == pytest.approx(mu, rel=1e-12)

    def test_mu_zero_means_guessing(self):
        assert gaussdp.delta_from_mu(0.0, 0.0) == 0
        assert gaussdp.epsilon_from_mu(0.0, 0.0) == 0
        assert gaussdp.fnr_from_mu(0.0, 0.3) == 0.7
        assert gaussdp.multiplicative_advantage_from_mu(0.0, 0.3) == 1
        assert gaussdp.precision_from_mu(0.0, 0.3, prior=0.2) == 0.2
        assert gaussdp.advantage_from_mu(0.0) == 0

    def test_mu_infinite_means_certainty(self):
        assert gaussdp.delta_from_mu(math.inf, 3.0) == 1
        assert gaussdp.epsilon_from_mu(math.inf, 0.3) == math.inf
        assert gaussdp.fnr_from_mu(math.inf, [0.0, 0.3, 1.0]).tolist() == [0, 0, 0]
        assert gaussdp.multiplicative_advantage_from_mu(math.inf, 0.25) == 4
        assert gaussdp.precision_from_mu(math.inf, 0.3) == 1
        assert gaussdp.advantage_from_mu(math.inf) == 1

    def test_ends_of_the_curve_and_the_profile(self):
        assert gaussdp.fnr_from_mu(1.0, [0.0, 1.0]).tolist() == [1, 0]
        assert gaussdp.epsilon_from_mu(1.0, [0.0, 1.0]).tolist() == [math.inf, 0]
        assert gaussdp.delta_from_mu(1.0, math.inf) == 0

    def test_the_whole_range_of_doubles(self):
        """No NaN, no exception and no wrong direction, from the smallest double to the largest."""
        values = np.array(
            [0, 5e-324, 1e-300, 1e-160, 1e-20, 1e-8, 0.1, 1, 7, 9, 40, 700, 1e4, 1e8, 1e16, 1e160, 1.7e308]
        )
        rates = np.array([5e-324, 1e-310, 1e-300, 1e-100, 1e-12, 1e-3, 0.3, 0.5, 0.7, 1 - 1e-12, 1 - 1.2e-16])
        for function in (
            gaussdp.mu_from_multiplicative_advantage,
            gaussdp.mu_from_precision,
            gaussdp.mu_from_profile,
            gaussdp.epsilon_from_mu,
            gaussdp.precision_from_mu,
        ):
            result = function(values[:, None], rates)
            assert not np.isnan(result).any(), function.__name__
            with np.errstate(invalid="ignore"):
                assert (result[1:] >= result[:-1] * (1 - 1e-13)).all(), function.__name__
        assert (np.diff(gaussdp.delta_from_mu(values[:, None], values), axis=0) >= 0).all()


class TestRoundTrips:
    @given(epsilons, levels)
    def test_epsilon_of_mu_of_epsilon(self, epsilon, delta):
        mu = gaussdp.mu_from_profile(epsilon, delta)
        # The condition of this trip is delta / (epsilon |d delta / d epsilon|).
        slope = gaussdp.numerics.profile(np.array([mu]), np.array([epsilon * (1 - 1e-3)]))[0]
        drop = abs(slope - delta) / 1e-3
        if drop > 1e-3 * min(delta, 1 - delta):
            assert gaussdp.epsilon_from_mu(mu, delta) == pytest.approx(epsilon, rel=1e-9)

    @given(epsilons, levels.filter(lambda level: level < 0.5))
    def test_advantage_of_mu_of_epsilon(self, epsilon, fpr):
        mu = gaussdp.mu_from_multiplicative_advantage(epsilon, fpr)
        expected = min(math.exp(epsilon), (1 - math.exp(-epsilon) * (1 - fpr)) / fpr)
        assert gaussdp.multiplicative_advantage_from_mu(mu, fpr) == pytest.approx(expected, rel=1e-11)

    @given(epsilons, levels)
    def test_precision_of_mu_of_epsilon(self, epsilon, recall):
        mu = gaussdp.mu_from_precision(epsilon, recall)
        assert gaussdp.precision_from_mu(mu, recall) == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-12)

    @given(mus.filter(lambda m: m < 5), levels.filter(lambda level: level < 0.9))
    def test_the_curve_is_its_own_inverse(self, mu, fpr):
        fnr = gaussdp.fnr_from_mu(mu, fpr)
        if fnr < 0.9:
            assert gaussdp.fnr_from_mu(mu, fnr) == pytest.approx(fpr, rel=1e-10)


class TestMonotonicity:
    @given(levels)
    def test_mu_grows_with_epsilon(self, level):
        grid = np.geomspace(1e-10, 500, 400)
        for function in (
            gaussdp.mu_from_multiplicative_advantage,
            gaussdp.mu_from_precision,
            gaussdp.mu_from_profile,
        ):
            assert (np.diff(function(grid, level)) > 0).all(), function.__name__

    @given(mus)
    def test_profile_falls_with_epsilon(self, mu):
        delta = gaussdp.delta_from_mu(mu, np.linspace(0, 40 * mu + mu * mu, 500))
        assert (np.diff(delta) <= 1e-13 * delta[1:]).all()

    @given(mus)
    def test_curve_falls_with_fpr(self, mu):
        fnr = gaussdp.fnr_from_mu(
            mu, np.concatenate([np.geomspace(1e-300, 0.5, 300), 1 - np.geomspace(0.5, 1e-15, 300)])
        )
        assert (np.diff(fnr) <= 0).all()


class TestShapes:
    def test_broadcasting(self):
        table = gaussdp.mu_from_profile(np.array([0.5, 1.0, 2.0]), np.array([[1e-5], [1e-6]]))
        assert table.shape == (2, 3)
        assert table[1, 1] == pytest.approx(gaussdp.mu_from_profile(1.0, 1e-6), rel=1e-15)

    def test_more_elements_than_one_block(self):
        epsilon = np.linspace(0.1, 5, 40_000).reshape(200, 200)
        mu = gaussdp.mu_from_profile(epsilon, 1e-6)
        assert mu.shape == (200, 200)
        assert mu[150, 7] == pytest.approx(gaussdp.mu_from_profile(float(epsilon[150, 7]), 1e-6), rel=1e-14)

    def test_integers_lists_and_float32(self):
        assert gaussdp.advantage_from_mu(1) == gaussdp.advantage_from_mu(1.0)
        assert gaussdp.advantage_from_mu([1, 2]).tolist() == gaussdp.advantage_from_mu(np.array([1.0, 2.0])).tolist()
        assert gaussdp.advantage_from_mu(np.float32(0.5)) == gaussdp.advantage_from_mu(0.5)

    def test_inputs_are_not_changed(self):
        epsilon, fpr = np.array([0.0, 1.0, 1e-9]), np.array([0.5, 1e-3, 0.9])
        gaussdp.mu_from_multiplicative_advantage(epsilon, fpr)
        assert epsilon.tolist() == [0.0, 1.0, 1e-9]
        assert fpr.tolist() == [0.5, 1e-3, 0.9]
