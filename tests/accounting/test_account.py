"""Which method accounts for a mechanism, and that equal compositions get equal answers."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gaussdp.accounting import AccountedCurve, DistributionCurve, PointsCurve, account
from gaussdp.accounting.plain_gaussians import mu_of_plain, roots
from gaussdp.accounting.readings import Method
from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, ProfilePoints
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, Laplace, MixtureOfGaussians, PoissonSampled


def test_sample_rate_one_is_the_plain_gaussian():
    plain = account(7 * Gaussian(noise_multiplier=2.0))
    sampled = account(DPSGD(noise_multiplier=2.0, sample_rate=1.0, steps=7))
    levels = np.array([0.0, 1e-12, 1e-3, 0.5, 1.0])
    assert np.array_equal(plain.fnr(levels), sampled.fnr(levels))
    assert plain.fit() == sampled.fit()


def test_a_sample_rate_near_one_is_near_the_plain_gaussian():
    plain = account(40 * Gaussian(noise_multiplier=5.0))
    sampled = account(DPSGD(noise_multiplier=5.0, sample_rate=1 - 1e-9, steps=40))
    assert sampled.delta(1.0) == pytest.approx(plain.delta(1.0), rel=1e-7)
    assert sampled.delta(1.0) < plain.delta(1.0)


def test_the_order_and_grouping_of_a_composition_do_not_matter():
    step = PoissonSampled(Gaussian(1.0), 0.02)
    first = account(Composition([300 * step, Gaussian(3.0), DPSGD(1.0, 0.02, 200), 2 * Gaussian(4.0)]))
    second = account(Composition([2 * Composition([250 * step, Gaussian(4.0)]), Gaussian(3.0)]))
    assert first.delta(1.3) == second.delta(1.3)


def test_losses_with_atoms_go_through_a_distribution():
    assert isinstance(account(Composition([Gaussian(1.0), Laplace(1.0)])), DistributionCurve)


def test_only_mechanisms_are_accounted_for():
    with pytest.raises(DomainError, match="mechanism must be a mechanism, got 'dpsgd'"):
        account("dpsgd")


def test_tiny_noise_on_samples_is_enclosed():
    curve = account(DPSGD(0.05, 0.01, 3))
    assert isinstance(curve, AccountedCurve)
    assert curve.reading.epsilon(1e-5).method is Method.ENCLOSURE


@pytest.mark.parametrize("stated", [ApproxDP(1.0, 1e-5), ProfilePoints([1.0, 2.0], [1e-3, 1e-6])])
def test_stated_guarantees_are_read_as_they_stand(stated):
    curve = account(stated)
    assert isinstance(curve, PointsCurve)
    for epsilon in (0.5, 1.0, 1.7, 3.0):
        assert curve.delta(epsilon) == pytest.approx(stated.delta(epsilon), rel=1e-12)


def test_the_adjacency_is_said_once():
    with pytest.raises(DomainError, match="that of the mechanism, add-remove, got 'replace-one'"):
        account(Gaussian(1.0), adjacency="replace-one")
    with pytest.raises(DomainError, match="must not be given for a stated guarantee"):
        account(ApproxDP(1.0, 1e-5), adjacency="add-remove")
    with pytest.raises(DomainError, match="adjacency must be one of"):
        account(Gaussian(1.0), adjacency="both")
    assert account(Gaussian(1.0, "replace-one"), adjacency="replace-one").fit().mu == 1.0


def test_steps_that_are_not_sampled_add_squares():
    curve = account(Composition([3 * Gaussian(2.0), DPSGD(4.0, 1.0, 8)]))
    assert curve.implied().mu == pytest.approx(math.sqrt(3 / 4 + 8 / 16), rel=1e-15)
    assert curve.fit().unconditional


@pytest.mark.parametrize(
    ("run", "mu"),
    [
        (DPSGD(2.0, 0.1, 5), math.sqrt(5) / 2),
        (DPSGD(2.0, 0.1, 5, "replace-one"), math.sqrt(5)),  # an exchanged record moves the sum by twice its part
        (DPSGD(2.0, 0.1, 5, records_per_unit=3), 3 * math.sqrt(5) / 2),
        (MixtureOfGaussians(2.0, [0.0, 1.5], [0.5, 0.5]), 0.75),
        (Composition([DPSGD(2.0, 0.1, 5, "replace-one"), Gaussian(0.5, "replace-one")]), 3.0),
    ],
    ids=repr,
)
def test_without_a_floor_sampling_hides_nothing(run, mu):
    """As rates of false accusations vanish, the mu of every release tends to that of its largest move of the sum."""
    low, high = mu_of_plain(run.parts())
    assert low <= mu * (1 + 1e-15)
    assert high >= mu * (1 - 1e-15)
    assert high == pytest.approx(low, rel=1e-15)
    assert account(run).implied().mu == pytest.approx(mu, rel=1e-14)


def test_sums_of_many_squares_stay_between_their_doubles():
    """Each of more than fifty is cut to a unit far below the last digit, to the side of the end that it is for."""
    tiny = Fraction(1, 2**250)
    assert roots([Fraction(1), *[tiny] * 60]) == (1.0, math.nextafter(1.0, 2.0))
    low, high = roots([1 - 100 * tiny, *[tiny] * 60])
    assert low == math.nextafter(1.0, 0.0)
    assert high >= 1.0
    assert roots([Fraction(1, 64)] * 64) == (1.0, 1.0)
