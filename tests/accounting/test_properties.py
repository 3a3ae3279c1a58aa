"""What must hold between accounts of related mechanisms, up to what each of them claims."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains_of_test import log_uniform
from gaussdp.accounting import account
from gaussdp.errors import DomainError
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    ZCDPGaussian,
)

FEW = settings(max_examples=8, deadline=None)

NOISE, RATE, STEPS = log_uniform(0.5, 8.0), log_uniform(1e-3, 0.6), log_uniform(2.0, 3000.0).map(int)
FLOOR, LEVEL, EPSILON = log_uniform(1e-14, 1e-2), log_uniform(1e-14, 0.4), st.floats(0.0, 6.0)
MORE = log_uniform(1.0 + 1e-6, 1.5)


def fit_or_none(mechanism, floor):
    """The fit, unless the floor leaves no attacks to speak about, as the curve says too."""
    curve = account(mechanism)
    try:
        return curve.fit(floor)
    except DomainError:
        assert curve.fnr(floor) <= floor
        return None


def assert_no_worse(safer, riskier, floor):
    """The safer of two mechanisms has no larger mu; and a floor that leaves attacks on the riskier one leaves some."""
    fit, other = fit_or_none(safer, floor), fit_or_none(riskier, floor)
    if other is not None:
        assert fit is not None
        assert fit.mu_lower <= other.mu_upper


@FEW
@given(NOISE, RATE, STEPS, FLOOR, MORE)
def test_more_noise_never_has_a_larger_mu(noise, rate, steps, floor, more):
    assert_no_worse(DPSGD(more * noise, rate, steps), DPSGD(noise, rate, steps), floor)


@FEW
@given(NOISE, RATE, STEPS, FLOOR, st.integers(1, 50))
def test_more_steps_never_have_a_smaller_mu(noise, rate, steps, floor, more):
    assert_no_worse(DPSGD(noise, rate, steps), DPSGD(noise, rate, steps + more), floor)


@FEW
@given(NOISE, RATE, STEPS, FLOOR, MORE)
def test_a_larger_sample_never_has_a_smaller_mu(noise, rate, steps, floor, more):
    assert_no_worse(DPSGD(noise, rate, steps), DPSGD(noise, rate * more, steps), floor)


@FEW
@given(NOISE, RATE, STEPS, FLOOR, log_uniform(0.5, 1e4))
def test_a_further_release_never_makes_mu_smaller(noise, rate, steps, floor, release):
    run = DPSGD(noise, rate, steps)
    assert_no_worse(run, Composition([run, Gaussian(release)]), floor)


def assert_same(one, other, epsilon, level):
    """Readings of two descriptions of one thing differ by no more than both claim."""
    first, second = account(one), account(other)
    for name, at in (("delta", epsilon), ("tpr", level), ("fnr", level), ("epsilon", level)):
        mine, theirs = (getattr(curve.reading, name)(at) for curve in (first, second))
        if mine.method.exact and theirs.method.exact:
            allowed = mine.error * abs(mine.value) + theirs.error * abs(theirs.value)
            assert abs(mine.value - theirs.value) <= allowed + 1e-300, name


@FEW
@given(NOISE, RATE, STEPS, st.floats(0.01, 0.99), EPSILON, LEVEL)
def test_splitting_changes_nothing(noise, rate, steps, share, epsilon, level):
    first = min(max(1, int(share * steps)), steps - 1)
    parts = [DPSGD(noise, rate, first), DPSGD(noise, rate, steps - first)]
    assert_same(DPSGD(noise, rate, steps), Composition(parts), epsilon, level)


@FEW
@given(st.lists(st.tuples(NOISE, RATE, STEPS), min_size=2, max_size=4), st.randoms(), EPSILON, LEVEL)
def test_order_changes_nothing(runs, random, epsilon, level):
    parts = [*(DPSGD(*run) for run in runs), Gaussian(3.0)]
    mixed = random.sample(parts, len(parts))
    assert_same(Composition(parts), Composition(mixed), epsilon, level)


@FEW
@given(NOISE, RATE, STEPS, EPSILON, LEVEL)
def test_equivalent_descriptions_agree(noise, rate, steps, epsilon, level):
    step = PoissonSampled(Gaussian(noise), rate)
    assert_same(DPSGD(noise, rate, steps), steps * step, epsilon, level)
    assert_same(DPSGD(noise, rate, steps), Composition([step, (steps - 1) * step]), epsilon, level)
    releases = Composition([DPSGD(noise, rate, steps), 4 * Gaussian(2 * noise)])
    assert_same(releases, Composition([DPSGD(noise, rate, steps), Gaussian(noise)]), epsilon, level)
    described = Composition([DPSGD(noise, rate, steps), ZCDPGaussian(0.125), ZCDPGaussian(0.375)])
    assert_same(described, Composition([DPSGD(noise, rate, steps), Gaussian(1.0)]), epsilon, level)
    assert_same(DPSGD(noise, 1.0, steps), steps * Gaussian(noise), epsilon, level)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([3 * RandomizedResponse(0.4), 2 * RandomizedResponse(0.4)], [5 * RandomizedResponse(0.4)]),
        ([DiscreteLaplace(2.0), 4 * DiscreteLaplace(2.0)], [4 * DiscreteLaplace(2.0), DiscreteLaplace(2.0)]),
        ([Laplace(5.0), Gaussian(3.0), Laplace(7.0)], [Laplace(7.0), Laplace(5.0), Gaussian(3.0)]),
        ([Gaussian(4.0), 9 * Laplace(20.0)], [4 * Gaussian(8.0), 9 * Laplace(20.0)]),
    ],
)
def test_distributions_of_equivalent_compositions(one, other):
    """Grids and noise floors may differ, so enclosures must meet, and fits must agree to what the grids allow."""
    first, second = account(Composition(one)), account(Composition(other))
    for delta in (1e-2, 1e-5, 1e-8):
        assert first.epsilon_lower(delta) <= second.epsilon(delta)
        assert second.epsilon_lower(delta) <= first.epsilon(delta)
    fits = [curve.fit(1e-6) for curve in (first, second)]
    assert fits[0].mu_lower <= fits[1].mu
    assert fits[1].mu_lower <= fits[0].mu
    assert math.isclose(fits[0].mu, fits[1].mu, rel_tol=1e-3)


@pytest.mark.parametrize("mechanism", [RandomizedResponse(0.5), Laplace(4.0), DiscreteLaplace(3.0)], ids=repr)
def test_more_releases_with_atoms_never_have_a_smaller_mu(mechanism):
    fits = [account(count * mechanism).fit(1e-5) for count in (1, 2, 5, 12)]
    for fewer, more in itertools.pairwise(fits):
        assert fewer.mu_lower <= more.mu
        assert fewer.mu <= more.mu * (1 + 1e-6)
