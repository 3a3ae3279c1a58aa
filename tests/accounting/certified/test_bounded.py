"""Readings whose error is a bound: the proved value lies within it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gaussdp.accounting import account
from gaussdp.accounting.certified.proving import certify
from gaussdp.accounting.readings import Method
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


@pytest.mark.parametrize(("run", "fpr"), [(run, fpr) for run, _ in RUNS[:5] for fpr in (1e-6, 0.02)])
def test_the_proved_rate_lies_within_a_bound(run, fpr):
    curve, proved = account(run), certify(run, floor=None, fprs=[fpr]).rates[0]
    for direction, truth in ((curve.remove, proved.remove), (curve.add, proved.add)):
        read = direction.reading.fnr(fpr)
        assert read.error_kind == "bound"
        assert read.error < 1e-10
        assert Decimal(read.value) * Decimal(1 - read.error) <= Decimal(truth.high)
        assert Decimal(read.value) * Decimal(1 + read.error) >= Decimal(truth.low)
    assert curve.reading.fnr(fpr).error_kind == curve.reading.tpr(fpr).error_kind == "bound"


def test_small_rates_at_the_other_end_keep_their_digits():
    """Next to an FPR of 1 it is the TNR that is known to many digits, and so is the FNR there."""
    run, tnr = DPSGD(1.0, 0.01, 1000), 2.0**-30
    curve = account(run)
    read = curve.remove.reading.fnr(1 - tnr)
    assert read.error < 1e-11
    assert read.error_kind == "bound"
    # The mirror image: what the other direction has at the FNR as its FPR is the TNR.
    assert 1 - curve.add.reading.tpr(read.value).value == pytest.approx(1 - tnr, rel=1e-15)
    assert curve.add.reading.tpr(read.value).value == pytest.approx(tnr, rel=4 * read.error)
    assert curve.reading.fpr(tnr).error < 1e-11


@pytest.mark.parametrize(
    ("run", "floor"), [(RUNS[index][0], floor) for index in (0, 1, 2, 6) for floor in (1e-10, 1e-3)]
)
def test_the_proved_mu_lies_within_the_bounds_of_a_fit(run, floor):
    fit, (low, high) = account(run).fit(floor), certify(run, floor).bounds()
    assert fit.error_kind == "bound"
    assert fit.error < 1e-10
    assert fit.mu_lower <= low <= high <= fit.mu_upper


@pytest.mark.parametrize("share", [-0.6, 0.6])
def test_an_enclosure_that_misses_mu_is_not_held_by_bounds(share):
    fit = account(DPSGD(1.0, 0.01, 1000)).fit(1e-10)
    width = fit.mu_upper - fit.mu_lower
    moved = replace(fit, mu_lower=fit.mu_lower + share * width, mu_upper=fit.mu_upper + share * width)
    assert (fit.error_kind, moved.error_kind) == ("bound", "estimate")


def test_fits_of_closed_forms_have_bounds():
    fit = account(DPSGD(0.5, 0.02, 1)).fit(1e-6)
    assert (fit.method, fit.error_kind) == (Method.CLOSED_FORM, "bound")


def test_what_is_judged_stays_an_estimate():
    """Bent lines, densities, and other losses than of one record."""
    rare, typical = account(DPSGD(1.0, 1e-4, 1000)), account(DPSGD(1.0, 0.01, 1000))
    assert rare.reading.delta(1.0).error_kind == "estimate"
    assert rare.reading.fnr(0.01).error_kind == "estimate"
    assert rare.fit().error_kind == "estimate"
    exchanged = account(DPSGD(1.0, 0.01, 1000, adjacency="replace-one"))
    assert exchanged.reading.tpr(0.01).error_kind == exchanged.fit().error_kind == "estimate"
    assert typical.reading.fnr([0.01, 1.0]).error_kind.tolist() == ["bound", "bound"]
    assert (
        account(100 * MixtureOfGaussians(1.0, (0.0, 1.0, 2.0), (0.9, 0.09, 0.01))).reading.delta(1.0).error_kind
        == "estimate"
    )


def test_the_directions_have_bounds_of_their_own():
    curve = account(DPSGD(1.0, 0.01, 1000))
    for direction in (curve.remove, curve.add):
        assert direction.reading.delta([0.5, 1.0]).error_kind.tolist() == ["bound", "bound"]
