"""Readings whose error is a bound: the proved value lies within it."""

from decimal import Decimal

import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.proving import certify
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, MixtureOfGaussians

RUNS = [
    (DPSGD(9.4, 0.328, 2000), 4.0),
    (DPSGD(0.5, 0.002, 10_000), 6.07),
    (DPSGD(1.0, 0.00512, 20_000), 1.744),
    (DPSGD(21.1, 0.5, 1000), 1.5),
    (DPSGD(1.0, 0.01, 1000), 1.2),
    (DPSGD(0.7, 1e-4, 100_000), 0.05),
    (Composition([DPSGD(1.0, 0.01, 500), DPSGD(2.0, 0.1, 100), Gaussian(4.0)]), 1.1),
]


@pytest.mark.parametrize(("run", "epsilon"), RUNS, ids=[f"{epsilon:g}" for _, epsilon in RUNS])
def test_the_proved_value_lies_within_a_bound(run, epsilon):
    curve = account(run)
    delta = curve.reading.delta(epsilon)
    level = 0.5 * delta.value
    back = curve.reading.epsilon(level)
    assert (delta.error_kind, back.error_kind) == ("bound", "bound")
    assert max(delta.error, back.error) < 1e-11
    proved = certify(run, epsilons=[epsilon], deltas=[level])
    truth = proved.deltas[0].delta
    assert abs(Decimal(delta.value) - Decimal(truth.low)) <= Decimal(delta.error) * Decimal(truth.high)
    assert back.value * (1 - back.error) <= proved.epsilons[0].high
    assert back.value * (1 + back.error) >= proved.epsilons[0].low


def test_what_is_judged_stays_an_estimate():
    """Bent and split lines, densities, rates that were searched for, and other losses than of one record."""
    rare, typical = account(DPSGD(1.0, 1e-4, 1000)), account(DPSGD(1.0, 0.01, 1000))
    assert rare.reading.delta(1.0).error_kind == "estimate"
    assert typical.reading.fnr(0.01).error_kind == "estimate"
    assert (
        account(100 * MixtureOfGaussians(1.0, (0.0, 1.0, 2.0), (0.9, 0.09, 0.01))).reading.delta(1.0).error_kind
        == "estimate"
    )


def test_the_directions_have_bounds_of_their_own():
    curve = account(DPSGD(1.0, 0.01, 1000))
    for direction in (curve.remove, curve.add):
        assert direction.reading.delta([0.5, 1.0]).error_kind.tolist() == ["bound", "bound"]
