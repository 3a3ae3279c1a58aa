"""Bounds from components, for units and exchanged records of any noise, against sums, integrals and other libraries."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from gaussdp.accounting import account
from gaussdp.accounting.distribution.pld import LossDistribution
from gaussdp.accounting.loss.mixtures import ExchangedLoss, MixtureLoss
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.readings import Method
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, MixtureOfGaussians

DELTAS = np.array([0.3, 1e-2, 1e-5, 1e-9])

ONE_STEP = [
    *(DPSGD(noise, rate, 1, records_per_unit=3) for noise, rate in itertools.product((0.01, 0.08, 0.3), (1e-6, 0.4))),
    *(DPSGD(noise, rate, 1, "replace-one") for noise, rate in itertools.product((0.01, 0.08, 0.3), (1e-6, 0.4, 0.99))),
    DPSGD(0.05, 1 - 1e-9, 1, records_per_unit=5),
]
SEVERAL = [
    DPSGD(0.5, 0.01, 200, "replace-one"),
    DPSGD(0.4, 0.3, 50, records_per_unit=4),
    DPSGD(0.2, 1e-3, 30, records_per_unit=2),
    Composition([DPSGD(0.8, 0.02, 100, records_per_unit=3), DPSGD(2.0, 0.3, 50), Gaussian(3.0)]),
    Composition([DPSGD(0.8, 0.02, 100, "replace-one"), Gaussian(2.0, "replace-one")]),
]


@pytest.mark.parametrize("run", [*ONE_STEP, *SEVERAL], ids=repr)
def test_exact_epsilons_are_enclosed(run):
    """One step is a closed form, the others are read off lines or densities, which share nothing with these bounds."""
    curve = account(run)
    exact, bounds = curve.reading.epsilon(DELTAS), curve.enclosed.values("epsilon", DELTAS)
    known = np.array([method is not Method.ENCLOSURE for method in exact.method])
    assert known.any() or run.noise_multiplier < 0.1
    assert (exact.value <= bounds.value * (1 + 1e-9))[known].all()
    assert (exact.value >= bounds.value * (1 - bounds.error) * (1 - 1e-9) - 1e-15)[known].all()


@pytest.mark.parametrize(("noise", "rate", "epsilon"), [(0.08, 0.3, 400.0), (0.1, 0.02, 60.0)])
def test_two_steps_of_a_unit_against_an_integral_in_many_digits(noise, rate, epsilon):
    """By integrating the closed profile of one step over the output of the other."""
    step = MixtureOfGaussians.of_records(noise, rate, 2)
    with mpmath.workdps(25):
        sigma = mpmath.mpf(noise)
        parts = [(mpmath.mpf(s), mpmath.mpf(w)) for s, w in zip(step.sensitivities, step.weights, strict=True)]

        def loss(x):
            return mpmath.log(sum(w * mpmath.exp((s * x - s * s / 2) / sigma**2) for s, w in parts))

        def output(level):
            low, high = mpmath.mpf(-8), mpmath.mpf(12)
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (middle, high) if loss(middle) < level else (low, middle)
            return low

        def excess(left):  # E_Q[(e^(L + left) - e^epsilon)+] of the other step
            if epsilon - left <= mpmath.log(parts[0][1]):
                return mpmath.exp(left) - mpmath.exp(epsilon)
            y = output(epsilon - left)
            moved = sum(w * mpmath.ncdf((s - y) / sigma) for s, w in parts)
            return mpmath.exp(left) * moved - mpmath.exp(epsilon) * mpmath.ncdf(-y / sigma)

        points = [-0.5, 0, 0.3, 0.5, 0.7, 1, 1.3, 1.5, 1.7, 2, 2.4, 3]
        exact = mpmath.quad(lambda x: mpmath.npdf(x, 0, sigma) * excess(loss(x)), points, maxdegree=5)
    read = account(2 * step).enclosed.values("delta", np.array([epsilon]))
    assert read.value[0] * (1 - read.error[0]) <= float(exact) <= read.value[0]
    assert read.value[0] < 1


@pytest.mark.parametrize(
    "run",
    [
        DPSGD(0.05, 0.01, 40, "replace-one"),
        DPSGD(0.02, 0.3, 12, "replace-one"),
        DPSGD(0.05, 0.9, 6, "replace-one"),
    ],
    ids=repr,
)
def test_between_the_distributions_of_another_library(run):
    upper, lower = (LossDistribution(list(run.parts()), pessimistic=side) for side in (True, False))
    for delta in DELTAS[1:]:
        safe, other = (float(end[0]) for end in account(run).enclosed.ends("epsilon", np.array([delta])))
        assert other <= upper.epsilon(delta) * (1 + 1e-9)
        assert safe >= lower.epsilon(delta) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("run", "width"),
    [
        (DPSGD(0.229, 0.9999993, 2376, records_per_unit=54), 1e-5),
        (DPSGD(0.1, 0.01, 100_000, records_per_unit=16), 5e-3),
        (DPSGD(0.02, 0.9, 100_000, "replace-one"), 1e-3),
        (DPSGD(0.003, 6e-6, 561_800, records_per_unit=3), 0.1),
        (Composition([DPSGD(0.04, 0.997, 14_535, records_per_unit=12), DPSGD(0.0054, 0.0146, 75)]), 1e-3),
    ],
    ids=repr,
)
def test_huge_losses_have_two_ends(run, width):
    safe, other = account(run).enclosed.ends("epsilon", np.array([1e-5]))
    assert 0 < other[0] <= safe[0]
    assert (safe[0] - other[0]) / safe[0] < width


STEPS = [
    SampledGaussianLoss(0.7, 0.2),
    MixtureLoss(0.9, (0.0, 1.0, 2.0), (0.5, 0.3, 0.2)),
    MixtureLoss(0.5, (1.0, 3.0), (0.9, 0.1)),
    ExchangedLoss(0.8, 0.3),
]


@pytest.mark.parametrize("tilt", [-6.0, -0.5, 0.1, 0.5, 0.95, 1.3, 4.0, 30.0])
@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_closed_bounds_on_moments(step, tilt):
    """Against moments summed over outputs in 30 digits."""
    sigma = step.noise_multiplier
    if isinstance(step, MixtureLoss):
        upper, lower = list(zip(step.sensitivities, step.weights, strict=True)), [(0.0, 1.0)]
    else:
        moved, rest = step.sample_rate, 1 - step.sample_rate
        upper, lower = [(0.0, rest), (1.0, moved)], [(0.0, 1.0)]
        if isinstance(step, ExchangedLoss):
            lower = [(0.0, rest), (-1.0, moved)]
    with mpmath.workdps(30):

        def density(parts, x):
            return sum(w * mpmath.npdf(x, s, sigma) for s, w in parts)

        ends = 12 * sigma + 4 * abs(tilt) * max(abs(s) for s, _ in upper)
        points = mpmath.linspace(-ends, ends, 60)
        exact = mpmath.log(
            mpmath.quad(lambda x: density(upper, x) ** tilt * density(lower, x) ** (1 - tilt), points, maxdegree=5)
        )
    assert float(exact) <= step.log_mgf_at_most(tilt) + 1e-12


@pytest.mark.parametrize(("rate", "records"), [(1 - 1e-13, 11), (0.99993, 24), (1 - 1e-15, 60), (0.913, 57)])
def test_units_that_are_in_nearly_every_batch_are_accounted_for(rate, records):
    """The weight of no record at all is below the least double, or next to it."""
    run = DPSGD(2.0, rate, 24, records_per_unit=records)
    read = account(run).reading.epsilon(1e-5)
    plain = account(24 * Gaussian(2.0 / records)).epsilon(1e-5)
    assert math.isfinite(read.error)
    assert read.value <= plain * (1 + 1e-9)
    if rate > 0.999999:
        assert read.value == pytest.approx(plain, rel=1e-3)


def test_outputs_too_far_apart_for_split_lines_are_no_memory_error():
    run = Composition([DPSGD(2e8, 6e-71, 18_104_961), Gaussian(556.0)])
    assert account(run).delta(1.0) == pytest.approx(account(Gaussian(556.0)).delta(1.0), abs=1e-300)
