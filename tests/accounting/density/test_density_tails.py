"""Tails off the density: direct integrals, the other method, and what it claims about itself."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaussdp.accounting.density.convolution import repeated
from gaussdp.accounting.density.loss_density import sampled_step
from gaussdp.accounting.density.tails import DensityReadings, DensityTails
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.accounting.loss.closed_forms import OneStepTails
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.operating_points import LIMIT
from gaussdp.errors import ConvergenceError

FIELDS = ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add")
REFERENCE = Path(__file__).parents[1] / "reference" / "two_steps.csv"


def two_steps():
    """Direct integrals in 34 digits, from the bulk down to 1e-100."""
    with REFERENCE.open() as file:
        return [[float(value) for value in row.values()] for row in csv.DictReader(file)]


def tails(sigma, rate, count, squared_mu=0.0):
    return DensityTails(squared_mu, [(SampledGaussianLoss(sigma, rate), count)])


@pytest.mark.parametrize(("sigma", "rate"), sorted({(row[0], row[1]) for row in two_steps()}))
def test_two_steps(sigma, rate):
    rows = np.array([row for row in two_steps() if (row[0], row[1]) == (sigma, rate)])
    points = tails(sigma, rate, 2).read(rows[:, 2])
    assert points.errors.max() < 1e-10
    for logs, expected in ((points.log_fpr, rows[:, 3]), (points.log_fnr, rows[:, 4])):
        assert np.all(np.abs(np.exp(logs) / expected - 1) <= points.errors)


def test_a_profile_next_to_where_a_density_stops_being_exact():
    """A profile is more of what lies beyond its threshold than a tail is. The number is proved to 23 digits."""
    points = tails(0.8321938132478095, 0.00047542296550063797, 21839).read(np.array([6.689686273577926]))
    assert abs(np.exp(points.log_delta_remove[0]) / 1.0091503780145856373491e-29 - 1) <= points.errors[0]


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.3), (0.3, 1e-4), (5.0, 0.01), (0.15, 0.5)])
def test_one_step_equals_the_closed_form(sigma, rate):
    exact = OneStepTails(sigma, rate)
    levels = np.log(np.array([0.4, 1e-3, 1e-20, 1e-90]))
    rest = np.log1p(-np.exp(levels))
    tau = exact.at_fpr(levels, rest).tau
    got, expected = tails(sigma, rate, 1).read(tau), exact.read(tau)
    # Next to the least loss a threshold has fewer digits.
    tolerance = 1e-10 + 1e-15 / (tau - exact.lowest)
    for field in (*FIELDS, "log_density"):
        assert np.all(np.abs(getattr(got, field) - getattr(expected, field)) <= tolerance), field


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "squared_mu"),
    [
        (0.5, 0.002, 10_000, 0.0),
        (9.4, 0.328, 2000, 0.0),
        (1.0, 0.00512, 20_000, 0.0),
        (0.8, 0.02, 700, 0.3),
        (3.0, 0.2, 40, 0.0),
        (0.6, 1e-3, 5000, 1e-3),
    ],
)
def test_lines_say_the_same(sigma, rate, count, squared_mu):
    density, lines = (
        tails(sigma, rate, count, squared_mu),
        LineTails(squared_mu, [(SampledGaussianLoss(sigma, rate), count)]),
    )
    levels = np.log(np.array([0.3, 1e-4, 1e-12, 1e-24]))
    rest = np.log1p(-np.exp(levels))
    for tau in (density.at_fpr(levels, rest).tau, density.at_fnr(levels, rest).tau):
        got, other = density.read(tau), lines.read(tau)
        for field in FIELDS:
            difference = np.abs(getattr(got, field) - getattr(other, field))
            assert np.all(difference <= got.errors + other.errors), field


def test_losses_so_large_that_the_two_laws_have_nothing_in_common():
    """Within a panel that resolves one law the other changes by many orders of magnitude."""
    density, lines = tails(0.45, 0.11, 20_000), LineTails(0.0, [(SampledGaussianLoss(0.45, 0.11), 20_000)])
    for tau in (density.near_quantile(1.0, 1.0), density.near_quantile(-1.0, 0.0)):
        got, other = density.read(np.array([tau])), lines.read(np.array([tau]))
        for field in ("log_fpr", "log_fnr", "log_delta_remove", "log_delta_add"):
            assert getattr(got, field) == pytest.approx(getattr(other, field), abs=2e-9), field


def test_a_tail_so_steep_that_the_sum_is_decided_within_a_fraction_of_a_panel():
    sigma, rate = 4.590983204551572, 0.000532985334410468
    density, lines = tails(sigma, rate, 2), LineTails(0.0, [(SampledGaussianLoss(sigma, rate), 2)])
    tau = density.at_fnr(np.array([-150.0]), np.zeros(1)).tau
    got, other = density.read(tau), lines.read(tau)
    assert abs(got.log_fnr - other.log_fnr)[0] <= got.errors[0] + other.errors[0]


def test_lines_whose_poles_nearly_coincide_say_the_same():
    density, lines = tails(3.9, 2.9e-5, 79), LineTails(0.0, [(SampledGaussianLoss(3.9, 2.9e-5), 79)])
    tau = density.at_fpr(np.log([1e-3]), np.log1p([-1e-3])).tau
    lines.read(np.zeros(1))
    got, other = density.read(tau), lines.read(tau)
    assert abs(got.log_delta_remove - other.log_delta_remove)[0] <= got.errors[0] + other.errors[0]


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "least"),
    [(1.0, 0.01, 2, 1e-300), (0.4, 1e-5, 100, 1e-20), (3.0, 1e-6, 10, 1e-300), (0.3, 0.4, 7, 1e-100)],
)
def test_inverses(sigma, rate, count, least):
    law = tails(sigma, rate, count)
    levels = np.array([0.2, 1e-3, 1e-10, least])
    logs = np.log(levels), np.log1p(-levels)
    at_fpr, at_fnr = law.at_fpr(*logs), law.at_fnr(*logs)
    assert at_fpr.log_fpr == pytest.approx(logs[0], rel=1e-12)
    assert at_fnr.log_fnr == pytest.approx(logs[0], rel=1e-12)
    complements = law.at_fpr(logs[1], logs[0]), law.at_fnr(logs[1], logs[0])
    assert complements[0].log_tnr == pytest.approx(logs[0], rel=1e-12)
    assert complements[1].log_tpr == pytest.approx(logs[0], rel=1e-12)


@given(sigma=st.floats(0.3, 20), log_rate=st.floats(-13, -0.1), count=st.integers(2, 40), share=st.floats(0.02, 0.98))
@settings(max_examples=15)
def test_rates_and_profiles_belong_together(sigma, log_rate, count, share):
    law = tails(sigma, float(np.exp(log_rate)), count)
    low, high = law.near_quantile(-9.0, 1.0), law.near_quantile(9.0, 0.0)
    tau = low + share * (high - low)
    point = law.read(np.array([tau]))
    fpr, tpr, fnr, tnr = (np.exp(getattr(point, name)[0]) for name in ("log_fpr", "log_tpr", "log_fnr", "log_tnr"))
    assert fpr + tnr == pytest.approx(1, abs=1e-11)
    assert fnr + tpr == pytest.approx(1, abs=1e-11)
    assert np.exp(point.log_delta_remove[0]) == pytest.approx(tpr - np.exp(tau) * fpr, abs=1e-11)
    assert np.exp(point.log_delta_add[0]) == pytest.approx(tnr - np.exp(-tau) * fnr, abs=1e-11 * np.exp(max(-tau, 0)))
    assert point.errors[0] <= LIMIT


def test_different_steps_and_a_plain_release():
    parts = [(SampledGaussianLoss(0.8, 0.02), 100), (SampledGaussianLoss(2.0, 0.3), 50)]
    tau = np.array([-2.0, 0.5, 5.0])
    got, other = DensityTails(0.2, parts).read(tau), LineTails(0.2, parts).read(tau)
    for field in FIELDS:
        assert getattr(got, field) == pytest.approx(getattr(other, field), abs=1e-10), field


def test_a_release_that_hides_nearly_everything():
    """It moves rates by the order of its squared mu times the curvature, and is resolved on a scale of its own."""
    tau = np.array([-1.5, 0.5, 20.0])
    with_release, without = tails(0.34, 0.1, 19, 1.3e-5).read(tau), tails(0.34, 0.1, 19).read(tau)
    assert np.all(with_release.errors < 1e-9)
    for field in FIELDS:
        assert getattr(with_release, field) == pytest.approx(getattr(without, field), abs=1e-3), field


def test_past_all_doubles():
    points = tails(2.0, 1e-4, 3).read(np.array([1e-4, 60.0]))
    assert points.log_fpr[1] == points.log_tpr[1] == points.log_delta_remove[1] == -np.inf
    assert np.isfinite(points.log_fpr[0])


def test_a_density_of_something_else_is_found_out():
    law = repeated(sampled_step(SampledGaussianLoss(1.0, 0.01), 105.0), 10)
    other = LossCumulants(0.0, [(SampledGaussianLoss(1.0 + 1e-9, 0.01, cutoff=14.0), 10)])
    with pytest.raises(ConvergenceError, match="errs by"):
        DensityReadings(law, other)


def test_a_failure_is_remembered(monkeypatch):
    calls = []

    def refuse(step, above, below):
        calls.append((above, below))
        raise ConvergenceError("no")

    monkeypatch.setattr("gaussdp.accounting.density.tails.sampled_step", refuse)
    law = tails(1.0, 0.01, 2)
    for _ in range(2):
        assert not law.read(np.zeros(1)).answered.any()
    assert len(calls) == 1


@pytest.mark.parametrize("mu", [1e-7, 1e-6, 1e-5])
def test_next_to_no_further_release(mu):
    """Rounding of losses is not seen on the scale of a release that hardly moves them."""
    alone, beside = tails(1.0, 1e-4, 20), tails(1.0, 1e-4, 20, mu * mu)
    tau = np.array([0.003, 0.05, 1.0])
    plain, smoothed = alone.read(tau), beside.read(tau)
    assert smoothed.answered.all()
    for field in ("log_fpr", "log_tpr", "log_delta_remove"):
        # The mean of e^L is 1 for the release too, so tails move by about their curvature times mu^2.
        assert getattr(smoothed, field) == pytest.approx(getattr(plain, field), abs=1e-9 + 2e6 * mu * mu)


def test_deep_tails_are_off_by_what_they_claim():
    parts, tau = [(SampledGaussianLoss(4.921682393891775, 0.0004186038768883939), 17)], -0.005692930106521219
    by_density, by_line = (tails(0.0, parts).read(np.array([tau])) for tails in (DensityTails, BentTails))
    claim = by_density.errors + by_line.errors
    assert by_density.answered.all()
    assert by_line.answered.all()
    for name in ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add"):
        off = np.expm1(getattr(by_density, name) - getattr(by_line, name))
        assert np.abs(off) <= claim
