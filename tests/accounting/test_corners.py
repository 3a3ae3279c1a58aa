"""Whatever may be described is answered with a number and what it is worth, or refused in our own words."""

import math

import numpy as np
import pytest

from gaussdp import Profile, calibration
from gaussdp.accounting import account
from gaussdp.accounting.readings import Method
from gaussdp.calibration import AtMost
from gaussdp.errors import DomainError, GaussdpError
from gaussdp.mechanisms import DPSGD, Composition, DiscreteGaussian, Gaussian, Laplace, RandomizedResponse

READINGS = [("epsilon", 1e-5), ("epsilon", 1e-12), ("delta", 1.0), ("tpr", 1e-3), ("fnr", 1e-9), ("fpr", 0.2)]


def draws(seed, count):
    """DP-SGD near the ends of its ranges; none that takes a density, which is tested elsewhere and takes seconds."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        noise = float(10 ** draw.uniform(-3, -1.05))
        rate = float(10 ** draw.uniform(-100, 0)) if draw.random() < 0.5 else 1 - float(10 ** draw.uniform(-16, -1))
        yield DPSGD(noise, rate, int(10 ** draw.uniform(0, 9)))


FEW_DIGITS = 10**6 * Laplace(1e-3)
TOO_MANY_POINTS = 10**9 * RandomizedResponse(0.5)
RUNS = [
    *draws(seed=5, count=8),
    *(Composition([one, other]) for one, other in zip(draws(6, 2), draws(7, 2), strict=True)),
    Composition([DPSGD(0.5460961, 0.9999915, 59_212_816), Gaussian(0.02)]),
    Composition([DPSGD(0.5, 0.01, 3), Gaussian(1e-3)]),
    DPSGD(1e-3, 0.5, 100_000),
    DPSGD(1e9, 0.5, 10**9),
    DPSGD(0.25, 1 - 1e-15, 10**7),
    DPSGD(0.3, 1e-30, 1),
    DPSGD(0.009, 5.8e-5, 17_743_429),
    DPSGD(1e5, 1e-30, 10, records_per_unit=3),
    DiscreteGaussian(1e6),
    FEW_DIGITS,
    TOO_MANY_POINTS,
]


REFUSED = {
    **{(TOO_MANY_POINTS, name, level): "would take 3.1e\\+08 points" for name, level in READINGS},
    (FEW_DIGITS, "epsilon", 1e-12): "at least 1.8e-8, the noise floor",
    (FEW_DIGITS, "fnr", 1e-9): "at least 1.8e-8, the noise floor",
}
"""The readings that are refused, and why: eight of 126; the others must be answered."""


@pytest.mark.parametrize("run", RUNS, ids=lambda run: repr(run)[:60])
def test_answered_but_for_what_is_listed(run):
    for name, level in READINGS:
        if (run, name, level) in REFUSED:
            with pytest.raises(GaussdpError, match=REFUSED[run, name, level]):
                getattr(account(run).reading, name)(level)
            continue
        read = getattr(account(run).reading, name)(level)
        assert not math.isnan(read.value)
        assert read.error >= 0
        assert read.value >= 0


@pytest.mark.parametrize("run", [run for run in RUNS if run != TOO_MANY_POINTS], ids=lambda run: repr(run)[:60])
@pytest.mark.parametrize("floor", [1e-10, 0.1, 0.5])
def test_fits_unless_the_floor_leaves_no_attack(run, floor):
    """A fit is refused where an attack with this FPR has a smaller FNR, as the curve itself says; nowhere else."""
    curve = account(run)
    if run == FEW_DIGITS and floor < 1e-8:
        with pytest.raises(DomainError, match=r"at least 1\.8e-8, the noise floor"):
            curve.fit(floor)
    elif curve.fnr(floor) < floor:
        with pytest.raises(DomainError, match="floor must leave attacks to speak about"):
            curve.fit(floor)
    else:
        fit = curve.fit(floor)
        assert 0 <= fit.mu_lower <= fit.mu < math.inf
        assert 0 <= fit.slack <= 1


@pytest.mark.parametrize(("noise", "rate"), [(1.0, 1e-60), (50.0, 1e-50)])
def test_losses_without_a_width_are_read_exactly(noise, rate):
    """Lines do not know such losses; that must not keep other methods from answering."""
    read = account(DPSGD(noise, rate, 10, records_per_unit=3)).reading
    assert read.tpr(1e-3).value == pytest.approx(1e-3, rel=1e-14)
    assert read.fnr(1e-3).value == pytest.approx(0.999, rel=1e-14)


def test_a_target_out_of_reach_is_told_without_a_distribution_of_a_billion_steps():
    with pytest.raises(DomainError, match=r"steps = 1 still gives 1\.35"):
        calibration.steps(AtMost(Profile(1e-5), 1.0), noise_multiplier=2.0, sample_rate=0.5)


@pytest.mark.parametrize(
    "run", [DPSGD(0.119, 0.164, 4455, "replace-one"), DPSGD(0.006, 0.9996, 1_555_148, records_per_unit=14)], ids=repr
)
def test_laws_far_apart_are_told_before_anything_is_computed(run):
    curve = account(run)
    for read, value in (
        (curve.reading.tpr(1e-3), 1.0),
        (curve.reading.fnr(1e-9), 0.0),
        (curve.reading.delta(1.0), 1.0),
    ):
        assert (read.value, read.method) == (value, Method.VANISHING)


@pytest.mark.parametrize("others", [{}, {"adjacency": "replace-one"}, {"records_per_unit": 8}])
def test_epsilon_is_nothing_where_the_record_is_hardly_ever_there(others):
    """delta(0) is at most the probability that a batch holds a record."""
    curve = account(DPSGD(0.4, 1e-10, 1000, **others))
    records = others.get("records_per_unit", 1)
    above = curve.reading.epsilon(1e-7 * records * 1.01)
    assert (above.value, above.error, above.method) == (0.0, 0.0, Method.CLOSED_FORM)
    assert curve.delta(0.0) <= 1e-7 * records
    assert curve.epsilon(1e-9 * records) > 0


@pytest.mark.parametrize("others", [{}, {"adjacency": "replace-one"}, {"records_per_unit": 8}])
def test_rates_are_those_of_guessing_where_the_record_is_hardly_ever_there(others):
    curve = account(DPSGD(1.5, 1e-48, 101_407, **others))
    for fpr in (1e-9, 0.3, 0.8):
        tpr, fnr = curve.reading.tpr(fpr), curve.reading.fnr(fpr)
        assert tpr.method is fnr.method is Method.CLOSED_FORM
        assert (tpr.value, fnr.value) == pytest.approx((fpr, 1 - fpr), rel=1e-15)
        assert max(tpr.error, fnr.error) < 1e-15


def test_a_true_positive_rate_next_to_one():
    """Known by Chernoff's bound; the false-negative rate, which a double can hold, is not."""
    read = account(DPSGD(0.15, 0.005, 9772, records_per_unit=7)).reading.tpr(1e-3)
    assert (read.value, read.method) == (1.0, Method.VANISHING)


def test_exchanges_on_scales_far_apart_are_answered():
    run = Composition([DPSGD(0.2, 5.9e-7, 1000, "replace-one"), DPSGD(836_914.0, 1 - 2.5e-13, 109, "replace-one")])
    read = account(run).reading.epsilon(1e-5)
    assert read.value > 0
    assert read.error >= 0
