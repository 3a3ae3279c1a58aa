"""Samples that span the attacks above a floor."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting import account
from gaussdp.accounting.fit.span import Sampler, Samples, sample_span
from gaussdp.accounting.inversion import points_at_floor
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.readings import Method
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD

LAWS = [
    GaussianTails(1.3),
    OneStepTails(1.0, 0.1),
    account(DPSGD(9.4, 0.328, 2000)).tails,
    account(DPSGD(0.6, 0.01, 1000)).tails,
    account(DPSGD(0.7, 1e-4, 100_000)).tails,
]


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("floor", [1e-3, 1e-10])
def test_the_samples_reach_from_floor_to_floor(tails, floor):
    known = sample_span(Sampler(tails), floor).known
    assert (np.diff(known.tau) > 0).all()
    assert 1e-3 * floor <= np.exp(known.log_fnr[0]) <= floor * (1 + 1e-6)
    assert 1e-3 * floor <= np.exp(known.log_fpr[-1]) <= floor * (1 + 1e-6)


@pytest.mark.parametrize("tails", LAWS)
@pytest.mark.parametrize("floor", [1e-3, 1e-10])
def test_interpolated_ends(tails, floor):
    ends = sample_span(Sampler(tails), floor).ends(floor)
    if ends.wobble > 1e-6:
        return  # and says so
    found = tails.read(np.array([ends.low, ends.high]))
    exact = tails.read(points_at_floor(tails, floor, found.tau).tau)
    assert exact.log_fnr[0] == pytest.approx(math.log(floor), rel=1e-12)
    assert exact.log_fpr[1] == pytest.approx(math.log(floor), rel=1e-12)
    np.testing.assert_allclose(found.mu(), exact.mu(), rtol=1e-11, atol=2 * ends.wobble)


def test_pieces_meet_at_zero():
    upper, lower = sample_span(Sampler(LAWS[2]), 1e-10).pieces
    assert lower.high == upper.low == 0.0
    assert upper.samples.tau[-1] == lower.samples.tau[0] == 0.0
    assert upper.samples.log_fpr[-1] == lower.samples.log_fpr[0]


def test_one_piece_if_zero_is_outside():
    (piece,) = sample_span(Sampler(OneStepTails(0.5, 0.01)), 0.3).pieces
    assert piece.low * piece.high > 0


def test_ends_are_exact_however_far_off_they_start():
    tails = LAWS[3]
    ends = points_at_floor(tails, 1e-10, np.array([-3.0, 7.0]))
    again = tails.read(ends.tau)
    assert again.log_fnr[0] == pytest.approx(math.log(1e-10), rel=1e-12)
    assert again.log_fpr[1] == pytest.approx(math.log(1e-10), rel=1e-12)
    # The last step is made without a reading: all fields follow it.
    for field in ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add"):
        np.testing.assert_allclose(getattr(ends, field), getattr(again, field), rtol=1e-9, atol=1e-18)


def test_quantiles_whose_sum_is_mu():
    known = sample_span(Sampler(GaussianTails(0.7)), 1e-10).known
    np.testing.assert_allclose(known.mu(), 0.7, rtol=1e-12)
    np.testing.assert_allclose(special.ndtr(-known.from_fpr), np.exp(known.log_fpr), rtol=1e-11)


def test_no_attack_above_the_floor():
    with pytest.raises(DomainError, match=r"FNR 2.*lower the floor"):
        sample_span(Sampler(GaussianTails(12.0)), 1e-3)


def test_order_without_repetition():
    tails = GaussianTails(0.7)
    samples = Samples.of(tails.read(np.array([3.0, 1.0, 2.0, 1.0])))
    ordered = samples.in_order().without_repeats()
    np.testing.assert_array_equal(ordered.tau, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(ordered.log_fpr, tails.read(ordered.tau).log_fpr)


@pytest.mark.parametrize(
    ("noise", "rate", "floor", "mu"),
    [
        (0.725, 0.204, 1e-200, 1.32428352343524),
        (0.725, 0.204, 1e-300, 1.33480520248828),
        (0.5, 2.7e-7, 1e-100, 1.23254526273272),
        (2.0, 1e-6, 1e-300, 0.124463913083735),
    ],
)
def test_floors_nearer_to_the_least_loss_than_a_double_can_tell(noise, rate, floor, mu):
    """One step, whose mu is the largest -quantile(FPR) - quantile(FNR) over 401 outputs, in 60 digits."""
    fit = account(DPSGD(noise, rate, 1)).fit(floor)
    assert fit.mu_lower <= mu * (1 + 1e-14)
    assert mu * (1 - 1e-14) <= fit.mu_upper <= mu * (1 + 1e-9)


@pytest.mark.parametrize(
    ("run", "floor"),
    [
        ((0.8546908970419069, 1.398652802124493e-05, 2693), 1.18e-43),  # far more thresholds above zero than below
        ((4.944282301406415, 0.0007834405638076855, 310), 1.68e-292),  # large outputs whose law has no width
        ((3.5070967093486556, 5.344870844881589e-05, 4), 9.14e-281),  # rates just past the floor vanish
        ((0.31, 1e-6, 2), 4e-192),  # two steps, nearer to the least loss than a double can tell
    ],
)
def test_deep_floors_are_no_reason_for_an_enclosure(run, floor):
    curve = account(DPSGD(*run))
    fit = curve.fit(floor)
    assert Method.ENCLOSURE not in fit.methods
    assert fit.mu_lower <= fit.mu_upper <= fit.mu_lower * (1 + 1e-8)
    rates = np.array([1e-40, 1e-20, 1e-5, 0.1, 0.9])
    missed = np.array([curve.remove.fnr(rate) for rate in rates])
    assert (special.ndtr(-special.ndtri(rates) - fit.mu_upper) <= missed * (1 + 1e-9)).all()
