"""Lines first, the density where they refuse, and bounds for what no double can hold."""

import numpy as np
import pytest
from scipy import special

from gaussdp.accounting import account, composed
from gaussdp.accounting.composed import ComposedTails, ReachSettings
from gaussdp.accounting.density.tails import DensityTails
from gaussdp.accounting.loss.steps import SampledGaussianLoss
from gaussdp.accounting.operating_points import bounds_on_errors
from gaussdp.accounting.readings import Method
from gaussdp.errors import ConvergenceError
from gaussdp.mechanisms import DPSGD, Composition

LOGS = np.log(np.array([1e-5])), np.log1p(-np.array([1e-5]))
SMALL = np.log(np.array([1e-12])), np.log1p(-np.array([1e-12]))


def tails(sigma, rate, count, squared_mu=0.0):
    return ComposedTails(squared_mu, [(SampledGaussianLoss(sigma, rate), count)])


def refused(step, above, below):
    raise ConvergenceError("no density")


@pytest.fixture
def no_density(monkeypatch):
    monkeypatch.setattr("gaussdp.accounting.density.tails.sampled_step", refused)


def test_lines_answer_without_a_density(no_density):
    points = tails(1.0, 0.01, 10_000).at_fpr(*LOGS)
    assert points.errors[0] < 1e-11


@pytest.mark.parametrize("ask", ["at_fpr", "at_fnr"])
def test_the_density_answers_where_lines_refuse(ask):
    few = tails(1.0, 1e-7, 2)
    points = getattr(few, ask)(*SMALL)
    assert points.errors[0] < 1e-9
    again = few.read(points.tau)
    assert again.log_fpr == pytest.approx(points.log_fpr, abs=1e-9)
    assert points.methods[0] == Method.DENSITY


def test_straight_lines_go_first_where_they_answer():
    few, tau = ComposedTails(0.25, [(SampledGaussianLoss(0.5, 0.05), 2)]), np.array([-0.01, 0.3, 2.0])
    points = few.read(tau)
    assert (points.methods == Method.LINE).all()
    assert (bounds_on_errors(few, points) < 1e-9).all()


def test_contours_and_the_density_agree():
    few, tau = tails(0.7, 9e-4, 9), np.array([0.5, 2.0])
    density = DensityTails(0.0, [(SampledGaussianLoss(0.7, 9e-4), 9)])
    for name in ("log_fpr", "log_tpr", "log_delta_remove"):
        assert getattr(few.read(tau), name) == pytest.approx(getattr(density.read(tau), name), rel=1e-9)


def test_no_bounds_are_claimed_for_what_the_density_reads():
    few = tails(1.0, 1e-7, 2)
    points = few.at_fpr(*SMALL)
    assert (points.methods == Method.DENSITY).all()
    assert np.isinf(bounds_on_errors(few, points)).all()


def test_where_both_refuse(no_density):
    few = tails(1.0, 1e-7, 2)
    for ask in (few.at_fpr, few.at_fnr):
        assert not ask(*SMALL).answered.any()
    assert not few.read(np.array([1e-6])).answered.any()


def test_noise_too_small_for_lines(no_density):
    assert not tails(0.2, 0.5, 100_000).read(np.zeros(1)).answered.any()


def test_thresholds_below_the_least_loss_and_beyond_all_doubles():
    few = tails(2.0, 0.01, 3)
    points = few.read(np.array([-0.5, 0.004, 900.0]))
    assert np.array_equal(np.exp(points.log_fpr[[0, 2]]), [1.0, 0.0])
    assert np.array_equal(np.exp(points.log_fnr[[0, 2]]), [0.0, 1.0])
    assert 0.1 < np.exp(points.log_fpr[1]) < 0.9
    assert points.log_fpr[1] == few.read(np.array([0.004])).log_fpr[0]


def test_searches_of_few_steps_start_near():
    few = tails(0.2, 0.01, 3)
    for pole, field in ((0.0, "log_fpr"), (1.0, "log_tpr")):
        tau = few.rough_quantile(2.5, pole)
        assert 0.001 < np.exp(getattr(few.read(np.array([tau])), field)[0]) < 0.02  # 0.0062 is aimed at
    tau = few.rough_epsilon(np.log(1e-5))
    assert few.read(np.array([tau])).log_delta_remove[0] == pytest.approx(np.log(1e-5), abs=1.0)
    assert tails(1.0, 0.01, 10_000).rough_quantile(2.5, 0.0) is None


def test_a_search_among_rare_losses_starts_where_one_of_them_is_as_rare():
    rare = tails(0.7, 1e-4, 100_000)
    tau = rare.rough_quantile(6.0, 0.0)
    assert rare.read(np.array([tau])).log_fpr[0] == pytest.approx(special.log_ndtr(-6.0), abs=0.5)
    assert rare.rough_quantile(2.0, 0.0) is None  # a normal loss exceeds that sooner
    assert rare.rough_quantile(6.0, 1.0) is rare.rough_quantile(-6.0, 0.0) is None


@pytest.mark.parametrize("run", [(0.7, 1e-4, 100_000), (1.409, 0.748, 23_615), (0.3, 0.5, 3000), (0.25, 0.9, 60_000)])
def test_bulks_that_need_not_be_looked_for_are_within_reach(run, monkeypatch):
    found = tails(*run).within_reach
    monkeypatch.setattr(composed, "SETTINGS", ReachSettings(surely_near=0.0))
    assert tails(*run).within_reach == found


def test_a_search_that_goes_to_and_fro_halves_its_ends():
    """From a start where the profile is e^-82, steps along a normal law lead to where it is e^-4, and back again."""
    read = account(DPSGD(3.286249405890388, 0.00558505434612661, 16)).reading.epsilon(1e-12)
    assert (read.value, read.method.exact) == (pytest.approx(0.0543563675004195, rel=1e-12), True)


def test_three_kinds_of_many_rare_steps_are_read_off_their_density():
    """Between common and rare losses no line has the digits."""
    kinds = [(1.2355997093257671, 0.0003081929138327176, 23888), (1.8153281943147828, 0.0004735125141353167, 24277)]
    kinds.append((1.3289983437523518, 0.00019752353215796712, 19453))
    read = account(Composition([DPSGD(*kind) for kind in kinds])).reading.epsilon(1e-12)
    assert (read.value, read.method) == (pytest.approx(0.4399364817363702, rel=1e-11), Method.DENSITY)
