"""One line for common and rare losses, against densities, proofs and the other lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp.accounting import account
from gaussdp.accounting.composed import ComposedTails
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.fit.tightest import fit_tails
from gaussdp.accounting.lines.rare import SETTINGS
from gaussdp.accounting.lines.split_tails import SplitTails
from gaussdp.accounting.lines.tails import LineTails, RareTails
from gaussdp.accounting.loss.cumulants import LossCumulants
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.mechanisms import DPSGD

RUNS = [(0.7, 1e-4, 100_000), (0.9, 1e-3, 1000), (1.0, 0.01, 100), (0.82, 2.5e-4, 46_882), (1.866, 0.0168, 38)]
RATES = ("log_fpr", "log_tnr", "log_fnr", "log_tpr", "log_delta_remove", "log_delta_add")


def counted(*runs):
    return [(SampledGaussianLoss(sigma, rate), count) for sigma, rate, count in runs]


def agree(points, others, factor=1.0):
    assert others.answered.all()
    for name in RATES:
        miss = np.abs(getattr(points, name) - getattr(others, name))
        assert (miss <= factor * (points.errors + others.errors)).all(), name


@pytest.mark.parametrize("run", RUNS)
def test_one_line_serves_all_thresholds_up_to_rare_losses(run):
    lines = LineTails(0.0, counted(run))
    high = lines.with_rare.rare.high
    tau = np.linspace(0.0, 0.999 * high, 40)
    points = RareTails(lines).read(tau)
    assert points.answered.all()
    assert high > 15 * lines.deviation
    agree(points, DensityTails(0.0, counted(run)).read(tau))


def test_beside_a_plain_release_and_another_schedule():
    steps = counted((0.8, 1e-3, 500), (1.1, 2e-3, 700))
    lines = LineTails(0.003, steps)
    tau = np.array([0.0, 0.2, 0.7, 1.5, 3.0])
    points = RareTails(lines).read(tau)
    assert points.answered.all()
    agree(points, DensityTails(0.003, steps).read(tau))


@pytest.mark.parametrize("run", [(0.511, 1.23e-6, 50_000_000), (0.9, 3e-5, 1_000_000), (0.464, 1.83e-7, 900_000_000)])
def test_light_outputs_that_are_left_out_do_not_move_many_steps(run):
    lines = LineTails(0.0, counted(run))
    tau = np.linspace(0.1, 3.0, 12) * lines.deviation
    points, others = RareTails(lines).read(tau), SplitTails.of(0.0, counted(run), lines.deviation).read(tau)
    assert points.answered.all()
    agree(points, others)
    for at in (0.0, 3.0, lines.with_rare.rare_line.tilt.at):
        (grid,) = lines.cumulants.tilt(at).grids
        # So far may the mean of a step be off, times all steps, in deviations of the loss.
        assert abs(grid.weights @ grid.centred) * run[2] < 1e-12 * lines.deviation


@pytest.mark.parametrize(
    ("run", "epsilon", "delta"),  # proved by `gaussdp certify`
    [
        (RUNS[0], 0.3, 7.9158967138962834759e-06),
        (RUNS[0], 1.2, 2.7509575903797542832e-10),
        (RUNS[0], 4.0, 1.3041246901916587983e-17),
        (RUNS[1], 0.5, 1.4478536645581491990e-08),
        (RUNS[1], 1.1, 2.6182928547564211016e-11),
        (RUNS[2], 0.4, 4.6095101941041941778e-04),
        (RUNS[2], 2.0, 3.2422617451945220528e-10),
    ],
)
def test_proved_profiles(run, epsilon, delta):
    points = RareTails(LineTails(0.0, counted(run))).read(np.array([epsilon]))
    assert abs(np.expm1(points.log_delta_remove[0] - np.log(delta))) <= points.errors[0]


@pytest.mark.parametrize(
    "run",
    [(0.464, 1.8e-7, 1_000_000_000), (0.511, 1.23e-6, 49_461_696), (0.433, 1.36e-6, 7_400_000)],
)
def test_of_many_steps_light_outputs_count(run):
    """Next to zero, against lines of the parts of the loss."""
    lines = LineTails(0.0, counted(run))
    tau = np.array([0.0, 0.01, 0.04])
    points = RareTails(lines).read(tau)
    assert points.answered.all()
    agree(points, SplitTails.of(0.0, counted(run), lines.deviation).read(tau), factor=0.3)


def test_below_zero_lines_are_the_usual_ones():
    lines = LineTails(0.0, counted(RUNS[0]))
    tau = np.array([-0.3, 0.5, -0.01])
    points, below = RareTails(lines).read(tau), lines.read(tau[[0, 2]])
    assert points.log_fnr[[0, 2]].tolist() == below.log_fnr.tolist()
    bounds = RareTails(lines).error_bounds(tau)
    assert bounds[[0, 2]].tolist() == lines.error_bounds(tau[[0, 2]]).tolist()
    assert RareTails(lines).error_bounds(tau[[2]]).tolist() == bounds[[2]].tolist()
    assert (points.errors <= bounds).all()
    assert np.isfinite(bounds).all()


@pytest.mark.parametrize("run", [(9.4, 0.328, 2000), (1.0, 1e-4, 20), (0.5, 1e-6, 3)])
def test_without_two_kinds_of_losses_there_is_no_such_line(run):
    """Their sum is nearly normal, or the line would be too long."""
    lines = LineTails(0.0, counted(run))
    assert lines.with_rare is None or lines.with_rare.rare_line is None
    assert not RareTails(lines).read(np.array([0.0, 1.0, 100.0])).answered.any()
    assert np.isinf(RareTails(lines).error_bounds(np.array([1.0]))).all()


@given(
    sigma=st.floats(0.5, 3.0),
    log_rate=st.floats(-12.0, -3.0),
    log_count=st.floats(2.0, 12.0),
    share=st.floats(1e-4, 0.1),
)
def test_the_tilt_of_a_share(sigma, log_rate, log_count, share):
    """There n q^t e^(t (t - 1) / 2 sigma^2) is the share, on the side where it grows with the tilt."""
    rate, count = float(np.exp(log_rate)), int(np.exp(log_count))
    at = LossCumulants(0.0, counted((sigma, rate, count))).rare_at(share)
    least = 0.5 - sigma**2 * log_rate
    smallest = np.log(count) + least * (log_rate + (least - 1) / (2 * sigma**2))
    if at is None:
        assert smallest > np.log(share) - 0.2
    else:
        assert np.log(count) + at * (log_rate + (at - 1) / (2 * sigma**2)) == pytest.approx(np.log(share), abs=0.1)
        assert at > least


def test_a_fit_far_from_normal_reads_it():
    run = DPSGD(0.9, 1e-3, 1000)
    fit, other = account(run).fit(), fit_tails(ComposedTails(0.0, counted((0.9, 1e-3, 1000))).by_density, 1e-10)
    assert fit.mu_lower <= other.mu_upper
    assert other.mu_lower <= fit.mu_upper
    assert fit.mu_upper - fit.mu_lower < 1e-8


def test_tails_for_rare_losses_are_what_describes_them():
    tails = ComposedTails(0.0, counted(RUNS[1])).for_rare()
    assert tails == ComposedTails(0.0, counted(RUNS[1]), rare_first=True) != ComposedTails(0.0, counted(RUNS[1]))
    tau = np.array([0.1, 0.9])
    assert (
        tails.read(tau).log_fpr.tolist()
        == ComposedTails(0.0, counted(RUNS[1]), rare_first=True).read(tau).log_fpr.tolist()
    )


def test_the_line_has_the_share_it_is_asked_for():
    rare = LineTails(0.0, counted(RUNS[0])).with_rare.rare
    squared_skewness = rare.tilt.third**2 / rare.tilt.variance**3
    assert 0.3 < squared_skewness * SETTINGS.share < 3  # of a sum of few losses of one size it is the inverse
