"""Distributions of Gaussian releases, against those of the library whose outputs are found one by one."""

import numpy as np
import pytest

from gaussdp import DPSGD, account
from gaussdp.accounting.distribution.gaussian_grids import mixture_of_gaussians, sampled_gaussian
from gaussdp.mechanisms import MixtureOfGaussians

library = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

CASES = [
    (noise, rate, exchanged)
    for noise in (0.3, 1.0, 20.0)
    for rate in (1e-9, 0.01, 0.9, 1.0)
    for exchanged in (False, True)
]


@pytest.mark.parametrize(("noise", "rate", "exchanged"), CASES)
def test_the_same_distribution(noise, rate, exchanged):
    """Single masses are second differences of deltas, whose rounding shows; what is read off them is not changed."""
    interval = 1e-3 / noise
    relation = library.NeighborRel.REPLACE_ONE if exchanged else library.NeighborRel.ADD_OR_REMOVE_ONE
    theirs = library.from_gaussian_mechanism(
        noise, value_discretization_interval=interval, sampling_prob=rate, neighboring_relation=relation
    )
    ours = sampled_gaussian(library, noise, interval, rate, exchanged=exchanged)
    for name in ("_pmf_remove", "_pmf_add"):
        mine, other = (getattr(one, name).to_dense_pmf() for one in (ours, theirs))
        assert mine.size == other.size
        epsilons = interval * np.append(np.linspace(-mine.size, mine.size, 201), 10 * mine.size)
        deltas, others = (np.array([pmf.get_delta_for_epsilon(e) for e in epsilons]) for pmf in (mine, other))
        np.testing.assert_allclose(deltas, others, rtol=1e-9, atol=1e-13)
        # Far out what is left is the mass of infinite losses.
        assert deltas[-1] == pytest.approx(others[-1], rel=1e-9, abs=1e-30)


@pytest.mark.parametrize("rate", [1e-6, 0.3])
def test_deltas_are_those_of_one_step(rate):
    """At the dots the distribution is exact: against the closed form of one step, which is another code."""
    curve = account(DPSGD(0.7, rate, 1))
    ours = sampled_gaussian(library, 0.7, 0.01, rate)
    for epsilon in (0.0, 0.5, 2.0, 6.0):
        assert ours.get_delta_for_epsilon(epsilon) == pytest.approx(curve.delta(epsilon), rel=1e-9, abs=1e-14)


MIXTURES = [
    MixtureOfGaussians.of_records(0.9, 0.1, 3),
    MixtureOfGaussians.of_records(0.3, 1e-4, 2),
    MixtureOfGaussians.of_records(5.0, 0.6, 40),
    MixtureOfGaussians(1.5, [1.0, 2.5], [0.2, 0.8]),
]


@pytest.mark.parametrize("release", MIXTURES, ids=lambda release: f"{release.noise_multiplier}, {len(release.weights)}")
def test_mixtures_as_the_library_makes_them(release):
    """Within what its outputs, which are multiples of 1e-6, are off."""
    laws = release.noise_multiplier, release.sensitivities, release.weights
    theirs = library.from_mixture_gaussian_mechanism(*laws, value_discretization_interval=0.01, use_connect_dots=True)
    ours = mixture_of_gaussians(library, *laws, interval=0.01)
    for name in ("_pmf_remove", "_pmf_add"):
        mine, other = (getattr(one, name) for one in (ours, theirs))
        for epsilon in np.linspace(-1.0, 20.0, 64):
            delta = mine.get_delta_for_epsilon(epsilon)
            assert delta == pytest.approx(other.get_delta_for_epsilon(epsilon), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("noise", "rate", "records"), [(0.05, 0.3, 2), (0.9, 0.1, 3), (0.4, 1e-5, 8)])
def test_mixtures_are_exact_at_the_dots(noise, rate, records):
    """Against the closed form of one step of a unit, also where outputs lie closer than those of the library."""
    run = DPSGD(noise, rate, 1, records_per_unit=records)
    spacing = 0.01 / noise
    ours = mixture_of_gaussians(library, noise, *unit(noise, rate, records), interval=spacing)
    for place in (0, 3, 40, 700):
        exact = account(run).reading.delta(place * spacing)
        assert ours.get_delta_for_epsilon(place * spacing) == pytest.approx(exact.value, rel=1e-9, abs=1e-13)


def test_hardly_any_largest_ones():
    """What is left out of a unit of 61 records counts as an infinite loss, and is far below what a grid can tell."""
    laws = 0.3, *unit(0.3, 1e-9, 61)
    ours = mixture_of_gaussians(library, *laws, interval=0.05)
    exact = account(DPSGD(0.3, 1e-9, 1, records_per_unit=61))
    for epsilon in (0.0, 1.0, 5.0):
        assert ours.get_delta_for_epsilon(epsilon) == pytest.approx(exact.delta(epsilon), rel=1e-6)
    assert 0 < ours.get_delta_for_epsilon(1e6) < 1e-20


def unit(noise, rate, records):
    release = MixtureOfGaussians.of_records(noise, rate, records)
    return release.sensitivities, release.weights
