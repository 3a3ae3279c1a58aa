"""dp_accounting's pessimistic and optimistic privacy loss distributions bracket our delta."""

import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.guarantees import GDP
from gaussdp.mechanisms import DPSGD, Composition, Gaussian

pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

GRID = 1e-4


def distribution(noise_multiplier, sample_rate, steps, *, pessimistic):
    return pld.from_gaussian_mechanism(
        standard_deviation=noise_multiplier,
        sampling_prob=sample_rate,
        value_discretization_interval=GRID,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,
    ).self_compose(steps)


def configurations(seed, count):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        yield (
            float(np.exp(draw.uniform(np.log(0.6), np.log(5)))),
            float(10 ** draw.uniform(-2.5, -0.3)),
            int(draw.integers(20, 300)),
        )


@pytest.mark.parametrize("configuration", list(configurations(seed=7, count=8)), ids=str)
def test_brackets(configuration):
    curve = account(DPSGD(*configuration))
    epsilon = np.array([curve.epsilon(delta) for delta in (0.2 * curve.delta(0.0), 1e-3 * curve.delta(0.0), 1e-6)])
    ours = curve.delta(epsilon)
    above = np.array(distribution(*configuration, pessimistic=True).get_delta_for_epsilon(epsilon))
    below = np.array(distribution(*configuration, pessimistic=False).get_delta_for_epsilon(epsilon))
    assert np.all(ours <= above * (1 + 1e-6) + 1e-10)
    assert np.all(ours >= below * (1 - 1e-6) - 1e-10)
    assert np.all(above < 1.05 * ours)


def test_brackets_of_a_heterogeneous_composition():
    curve = account(Composition([DPSGD(0.8, 0.02, 100), DPSGD(2.0, 0.3, 50), 2 * Gaussian(3.0)]))
    epsilon = np.array([0.5, 2.0, 5.0])
    for pessimistic in (True, False):
        composed = (
            distribution(0.8, 0.02, 100, pessimistic=pessimistic)
            .compose(distribution(2.0, 0.3, 50, pessimistic=pessimistic))
            .compose(distribution(3.0, 1.0, 2, pessimistic=pessimistic))
        )
        bound = np.array(composed.get_delta_for_epsilon(epsilon))
        sign = 1 if pessimistic else -1
        assert np.all(sign * (bound - curve.delta(epsilon)) >= -1e-6 * bound - 1e-10)


def test_the_fit_is_not_contradicted():
    configuration = (1.0, 0.05, 200)
    fit = account(DPSGD(*configuration)).fit()
    epsilon = np.linspace(0, 4, 30)
    below = np.array(distribution(*configuration, pessimistic=False).get_delta_for_epsilon(epsilon))
    claimed = GDP(fit.mu).delta(epsilon)
    assert np.all(below <= fit.slack + (1 - fit.slack) * claimed + 1e-10)
