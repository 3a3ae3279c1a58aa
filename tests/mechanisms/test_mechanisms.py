"""Descriptions: what they refuse, and what they consist of."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gaussdp.errors import DomainError
from gaussdp.guarantees import ApproxDP, LaplaceDP, PureDP
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    MixtureOfGaussians,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    Stated,
    ZCDPGaussian,
)


@pytest.mark.parametrize("noise", [0, -1.0, math.nan, math.inf, "1", None, [1.0]])
def test_bad_noise_multiplier(noise):
    with pytest.raises(DomainError, match="noise_multiplier"):
        Gaussian(noise)
    with pytest.raises(DomainError, match="noise_multiplier"):
        DPSGD(noise, 0.1, 10)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.0001, math.nan])
def test_bad_sample_rate(rate):
    with pytest.raises(DomainError, match=r"sample_rate must be in \(0, 1\]"):
        PoissonSampled(Gaussian(1.0), rate)
    with pytest.raises(DomainError, match="sample_rate"):
        DPSGD(1.0, rate, 10)


@pytest.mark.parametrize("steps", [0, -3, 2.5, 3.0, True, "7", math.nan])
def test_bad_steps(steps):
    with pytest.raises(DomainError, match="steps must be a whole number of at least 1"):
        DPSGD(1.0, 0.1, steps)
    with pytest.raises(DomainError, match="count"):
        steps * Gaussian(1.0) if not isinstance(steps, str) else Repeated(Gaussian(1.0), steps)


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: Laplace(0.0), "scale"),
        (lambda: DiscreteLaplace(math.nan), "scale"),
        (lambda: DiscreteLaplace(1.0, sensitivity=0), "sensitivity"),
        (lambda: DiscreteGaussian(-1.0), "sigma"),
        (lambda: DiscreteGaussian(1.0, sensitivity=1.5), "sensitivity"),
        (lambda: RandomizedResponse(0.0), "epsilon"),
        (lambda: RandomizedResponse(1.0, categories=1), "categories"),
        (lambda: RandomizedResponse(1.0, adjacency="add-remove"), "adjacency"),
        (lambda: ZCDPGaussian(-1.0), "rho"),
        (lambda: Gaussian(1.0, adjacency="swap"), "adjacency"),
        (lambda: PoissonSampled(Gaussian(1.0, adjacency="replace-one"), 0.1), "adjacency"),
        (lambda: PoissonSampled(Laplace(1.0), 0.1, "replace-one"), "not Gaussian"),
        (lambda: Stated(LaplaceDP(1.0)), "guarantee"),
        (lambda: Composition([]), "empty"),
        (lambda: Composition([Gaussian(1.0), "laplace"]), "mechanisms"),
        (lambda: Composition(Gaussian(1.0)), "sequence"),
        (lambda: Composition([Gaussian(1.0), RandomizedResponse(1.0)]), "adjacency"),
        (lambda: Repeated("gaussian", 2), "mechanism"),
        (lambda: DPSGD.from_training(100, 200, 1, 1.0), "batch_size"),
        (lambda: DPSGD.from_training(100, 10, 0, 1.0), "epochs"),
        (lambda: DPSGD.from_training(1e3, 10, 1, 1.0), "dataset_size"),
    ],
)
def test_refusals_name_the_parameter(build, name):
    with pytest.raises(DomainError, match=name):
        build()


def test_from_training_rounds_partial_passes_up():
    assert DPSGD.from_training(1000, 300, 1, 1.0).steps == 4
    assert DPSGD.from_training(60_000, 600, 7, 1.0).steps == 700
    assert DPSGD.from_training(10, 10, 0.01, 1.0).steps == 1


def test_nested_compositions_and_repetitions_flatten():
    inner = Composition([Gaussian(1.0), 2 * Laplace(3.0)])
    outer = Composition([2 * inner, DPSGD(1.0, 1.0, 5), 3 * (2 * Gaussian(1.0)), PureDP(0.1), ApproxDP(1.0, 1e-6)])
    assert dict(outer.parts()) == {
        Gaussian(1.0): 13,
        Laplace(3.0): 4,
        Stated(PureDP(0.1)): 1,
        Stated(ApproxDP(1.0, 1e-6)): 1,
    }


def test_mechanisms_are_values():
    assert 3 * Laplace(2) == Repeated(Laplace(2.0), 3) == Laplace(2.0) * np.int64(3)
    assert hash(DPSGD(1, 0.5, 3)) == hash(DPSGD(1.0, 0.5, 3))
    with pytest.raises(AttributeError):
        Gaussian(1.0).noise_multiplier = 2.0


@pytest.mark.parametrize("noise", [1e-101, 1e101, 1e-300, 1e300])
def test_noise_whose_mu_leaves_the_doubles_is_refused(noise):
    with pytest.raises(DomainError, match=r"noise_multiplier must be in \[1e-100, 1e\+100\]"):
        Gaussian(noise)


@pytest.mark.parametrize("noise", [9e-4, 2e9])
def test_sampled_noise_out_of_range(noise):
    with pytest.raises(DomainError, match=r"noise_multiplier must be in \[0.001, 1e\+09\]"):
        DPSGD(noise, 0.1, 10)
    assert DPSGD(noise, 1.0, 10).noise_multiplier == noise  # the plain release


LIMITS = {
    "count": lambda: 10**400 * Laplace(1.0),
    "count again": lambda: 10**10 * (10**10 * Laplace(1.0)),
    "count of a composition": lambda: 10**10 * Composition([10**10 * Gaussian(1.0)]),
    "steps": lambda: DPSGD(1.0, 0.5, 10**26),
    "steps of epochs": lambda: DPSGD.from_training(10**15, 1, 10.0, 1.0),
    "dataset_size": lambda: DPSGD.from_training(10**400, 1, 1.0, 1.0),
    "epochs": lambda: DPSGD.from_training(10, 1, 10**400, 1.0),
    "sample_rate": lambda: DPSGD(1.0, 5e-324, 10),
    "scale": lambda: Laplace(1e-300),
    "scale above": lambda: Laplace(1e300),
    "scale of discrete noise": lambda: DiscreteLaplace(1e-300),
    "sensitivity": lambda: DiscreteLaplace(1.0, 10**400),
    "scale for its sensitivity": lambda: DiscreteLaplace(1.0, 10**7),
    "sigma": lambda: DiscreteGaussian(1e300),
    "sigma below": lambda: DiscreteGaussian(5e-324),
    "epsilon": lambda: RandomizedResponse(1e300),
    "categories": lambda: RandomizedResponse(1.0, 10**400),
    "rho": lambda: ZCDPGaussian(1e300),
}


@pytest.mark.parametrize("case", LIMITS)
def test_beyond_the_limits(case):
    with pytest.raises(DomainError, match=f"^{case.split()[0]} must be"):
        LIMITS[case]()


def test_what_the_limits_allow():
    assert DiscreteGaussian(1e20, 10**15).noise_multiplier == pytest.approx(1e5)
    assert (10**15 * Laplace(1.0)).pure_epsilon == 1e15
    assert DPSGD(1.0, 1e-15, 10**15).steps == 10**15


def test_a_sample_of_a_sample_is_one_sample():
    nested = PoissonSampled(PoissonSampled(Gaussian(2.0), 0.3), 0.1)
    assert nested.mechanism == Gaussian(2.0)
    assert Fraction(0.3) * Fraction(0.1) <= Fraction(nested.sample_rate) <= Fraction(math.nextafter(0.3 * 0.1, 1))
    assert PoissonSampled(PoissonSampled(Gaussian(2.0), 1.0), 0.1) == PoissonSampled(Gaussian(2.0), 0.1)


PLAIN = [
    lambda adjacency: Gaussian(2.0, adjacency),
    lambda adjacency: ZCDPGaussian(0.125, adjacency),
    lambda adjacency: 4 * Gaussian(4.0, adjacency),
    lambda adjacency: Composition([Gaussian(2.0 / 0.6, adjacency), ZCDPGaussian(0.08, adjacency)]),
]


@pytest.mark.parametrize("make", PLAIN)
@pytest.mark.parametrize("records", [1, 3])
def test_plain_releases_for_other_neighbours(make, records):
    """Each record moves the sum by its sensitivity, an exchanged one by twice that of adding it."""
    for stated, asked, moves in (
        ("add-remove", "add-remove", records),
        ("add-remove", "replace-one", 2 * records),
        ("replace-one", "replace-one", records),
    ):
        known = make(stated).protecting(asked, records)
        assert known.adjacency == asked
        squares = sum(count * part.mu**2 for part, count in known.parts())
        assert math.sqrt(squares) == pytest.approx(0.5 * moves, rel=1e-12)
    assert make("replace-one").protecting("add-remove", records) is None


@pytest.mark.parametrize("run", [DPSGD(2.0, 0.1, 5), PoissonSampled(Gaussian(2.0), 0.1)])
def test_sampled_releases_for_other_neighbours(run):
    """Exact for one exchanged record or for a unit of several that is added or removed; for nothing else."""
    exchanged, units = run.protecting("replace-one"), run.protecting("add-remove", 3)
    steps = getattr(run, "steps", 1)
    assert [(type(part).__name__, count) for part, count in exchanged.parts()] == [("SampledExchange", steps)]
    [(part, count)] = units.parts()
    assert (part, count) == (MixtureOfGaussians.of_records(2.0, 0.1, 3), steps)
    assert run.protecting("replace-one", 3) is None
    assert exchanged.protecting("add-remove") is None
    assert exchanged.protecting("add-remove", 3) is None
    assert units.protecting("replace-one") is None


def test_without_sampling_units_and_exchanges_count_in_full():
    for run in (DPSGD(2.0, 1.0, 1), PoissonSampled(Gaussian(2.0), 1.0)):
        for asked, records, mu in (("add-remove", 3, 1.5), ("replace-one", 1, 1.0)):
            [(part, _)] = run.protecting(asked, records).parts()
            assert part.mu == mu


def test_other_releases_know_their_own_neighbours_alone():
    for release in (Laplace(1.0), DiscreteGaussian(2.0), RandomizedResponse(1.0)):
        other = "add-remove" if release.adjacency == "replace-one" else "replace-one"
        assert release.protecting(release.adjacency) is release
        assert release.protecting(other) is None
        assert release.protecting(release.adjacency, 2) is None
        assert Composition([Gaussian(1.0, release.adjacency), release]).protecting(release.adjacency, 2) is None


@pytest.mark.parametrize(("rate", "epochs", "steps"), [(0.3, 1.0, 4), (0.3, 0.01, 1), (0.1, 3.0, 30), (0.4, 2.1, 6)])
def test_passes_at_a_sample_rate_are_rounded_up_to_steps(rate, epochs, steps):
    """A part of a step is a step; a whole number of them, missed by rounding, is that number."""
    assert DPSGD.from_plan(noise_multiplier=1.0, sample_rate=rate, epochs=epochs).steps == steps
