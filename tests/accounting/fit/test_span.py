"""Samples that span the attacks above a floor."""

import math

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting import account
from gaussdp.accounting.fit.span import Sampler, Samples, sample_span
from gaussdp.accounting.inversion import points_at_floor
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
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
