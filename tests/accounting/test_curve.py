"""The accounted guarantee as a curve: shape, symmetry, ends, round trips, depth."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gaussdp import PureDP
from gaussdp.accounting import Method, account
from gaussdp.accounting.lines.bent import BentTails
from gaussdp.accounting.lines.tails import LineTails
from gaussdp.errors import ConvergenceError, DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian, PoissonSampled

RUNS = [
    DPSGD(0.5, 0.002, 10_000),
    DPSGD(2.0, 0.01, 1000),
    DPSGD(1.3, 0.1, 1),
    DPSGD(1.0, 0.0003, 10_000_000),
    Composition([DPSGD(1.0, 0.01, 500), 3 * Gaussian(4.0), DPSGD(0.8, 0.001, 100)]),
    5 * Gaussian(4.0),
]
LEVELS = np.concatenate((np.geomspace(1e-12, 0.05, 30), np.linspace(0.06, 0.94, 45), 1 - np.geomspace(0.05, 1e-9, 20)))


@pytest.fixture(params=RUNS, ids=repr, scope="module")
def curve(request):
    return account(request.param)


def test_convex_decreasing_and_below_the_diagonal(curve):
    fnr = curve.fnr(LEVELS)
    slopes = np.diff(fnr) / np.diff(LEVELS)
    assert np.all(slopes <= 0)
    assert np.all(np.diff(slopes) >= -1e-9 * np.abs(slopes[1:]))
    assert np.all(fnr <= 1 - LEVELS)


def test_symmetric(curve):
    levels = np.array([1e-9, 1e-4, 0.01, 0.2])
    assert curve.fnr(curve.fnr(levels)) == pytest.approx(levels, rel=1e-6)


def test_tpr_complements_fnr_and_fpr_inverts_tpr(curve):
    levels = np.array([1e-20, 1e-9, 1e-4, 0.2])
    assert curve.tpr(levels) + curve.fnr(levels) == pytest.approx(1.0)
    assert curve.fpr(curve.tpr(levels)) == pytest.approx(levels, rel=1e-8)


def test_epsilon_and_delta_close(curve):
    deltas = np.array([1e-100, 1e-30, 1e-5, 0.5 * curve.delta(0.0)])
    assert curve.delta(curve.epsilon(deltas)) == pytest.approx(deltas, rel=1e-8)


def test_the_profile_is_the_supremum_over_the_curve(curve):
    epsilon = 0.5 * curve.epsilon(1e-6)
    attacks = 1 - curve.fnr(LEVELS) - math.exp(epsilon) * LEVELS
    assert attacks.max() <= curve.delta(epsilon) * (1 + 1e-9)
    assert attacks.max() >= 0.8 * curve.delta(epsilon)


def test_the_remove_direction_is_the_worse_one(curve):
    epsilon = np.linspace(0, curve.epsilon(1e-9), 40)
    assert np.all(curve.remove.delta(epsilon) >= curve.add.delta(epsilon) * (1 - 1e-9))


def test_ends(curve):
    assert (curve.fnr(0.0), curve.fnr(1.0), curve.tpr(0.0), curve.tpr(1.0)) == (1.0, 0.0, 0.0, 1.0)
    assert (curve.delta(math.inf), curve.epsilon(0.0), curve.epsilon(1.0)) == (0.0, math.inf, 0.0)
    assert curve.epsilon(curve.advantage()) == 0.0
    assert type(curve.fnr(1e-3)) is float
    assert curve.fnr(np.full((2, 3), 0.1)).shape == (2, 3)


def test_directions_mirror_each_other(curve):
    for tau in (-0.3, 0.2):
        remove, add = curve.remove.delta(tau), curve.add.delta(-tau)
        assert remove == pytest.approx(1 - math.exp(tau) + math.exp(tau) * add, rel=1e-9)


def test_deep_tails():
    curve = account(DPSGD(1.0, 0.00512, 20_000))
    epsilon = curve.epsilon(1e-250)
    assert curve.delta(epsilon) == pytest.approx(1e-250, rel=1e-9)
    assert curve.remove.tpr(1e-100) > 1e-100


def test_the_least_loss_bounds_the_add_direction():
    curve = account(DPSGD(2.0, 0.01, 100))
    assert curve.add.epsilon(0.0) == pytest.approx(-100 * math.log1p(-0.01))
    assert curve.add.delta(1.01) == 0.0


@pytest.mark.parametrize("bad", [-0.1, 1.5, math.nan])
def test_bad_levels(bad):
    curve = account(DPSGD(1.0, 0.01, 100))
    with pytest.raises(DomainError, match="fpr"):
        curve.fnr(bad)
    with pytest.raises(DomainError, match="delta"):
        curve.epsilon(bad)


@pytest.mark.parametrize("run", [DPSGD(13.6, 0.000434, 2), DPSGD(8.45, 4.72e-5, 31), DPSGD(0.5, 1e-5, 20)], ids=str)
def test_few_steps_with_tiny_rates_as_deep_as_asked_for(run):
    """A single step bounds them from below, and all outputs of the record from above."""
    curve = account(run)
    one, unsampled = account(PoissonSampled(Gaussian(run.noise_multiplier), run.sample_rate)), curve.implied()
    for fpr in (1e-6, 1e-30, 1e-100):
        for direction in ("remove", "add"):
            assert unsampled.tpr(fpr) >= getattr(curve, direction).tpr(fpr) >= getattr(one, direction).tpr(fpr)
    epsilon = curve.reading.epsilon(np.array([1e-9, 1e-50]))
    assert curve.delta(epsilon.value) == pytest.approx([1e-9, 1e-50], rel=1e-8)
    assert all(method.exact for method in epsilon.method)


def refused(step, above, below):
    raise ConvergenceError("no density")


class TestWhereNoExactMethodAnswers:
    """Two steps of small noise on a small sample, without bent lines and density: the guarantee still comes."""

    run = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=2)

    @pytest.fixture(autouse=True)
    def no_density(self, monkeypatch):
        monkeypatch.setattr("gaussdp.accounting.density.tails.sampled_step", refused)
        monkeypatch.setattr(BentTails, "covers", staticmethod(lambda steps: False))

    def test_the_guarantee_comes_from_a_distribution_and_says_so(self, monkeypatch):
        fit = account(self.run).fit()
        assert fit.method is Method.DISTRIBUTION
        monkeypatch.undo()
        exact = account(self.run).fit()
        assert exact.method.exact
        assert fit.mu_lower <= exact.mu_lower <= exact.mu <= fit.mu

    def test_a_direction_by_name_is_refused(self):
        with pytest.raises(ConvergenceError):
            account(self.run).remove.fnr(1e-10)

    def test_one_value_from_a_distribution_leaves_the_others_exact(self):
        curve = account(self.run)
        near, far = 0.001, 900.0  # the one needs a density, the other is beyond all doubles
        read = curve.reading.delta(np.array([near, far]))
        assert read.method[0] is Method.DISTRIBUTION
        assert read.value[0] == curve.by_distribution.delta(near)
        assert read.method[1].exact
        assert read.value[1] == 0.0

    def test_exact_readings_stay_exact(self):
        assert account(DPSGD(0.5, 0.002, 10_000)).fit().methods == (Method.LINE,)


def test_an_error_of_our_own_is_no_reason_for_a_distribution(monkeypatch):
    def divide(self, tau):
        return 1 / 0

    monkeypatch.setattr(LineTails, "read", divide)
    curve = account(DPSGD(1.0, 0.01, 1000))
    with pytest.raises(ZeroDivisionError):
        curve.delta(1.0)
    with pytest.raises(ZeroDivisionError):
        curve.fit()


@pytest.mark.parametrize("rate", [1e-40, 1e-60, 1e-100])
def test_losses_whose_squares_leave_the_doubles(rate):
    curve = account(DPSGD(1.0, rate, 10))
    assert curve.fit().mu_lower <= curve.fit().mu < 0.01
    assert curve.epsilon(1e-9) == 0.0
    assert curve.delta(0.0) <= 1e-11


def test_rates_next_to_1_on_the_segment_count_rounding():
    """Where the slope is -1 FPR and FNR add up to a proved number, and a TPR between is a double off that."""
    level = 6.222979634693867e-09
    read = account(DPSGD(1.0, 0.999, 130)).reading.tpr(level)
    exact = 1 - Fraction("1.244595926938679756449207e-8") + Fraction(level)
    assert read.error_kind == "bound"
    assert abs(Fraction(read.value) - exact) <= Fraction(read.error) * exact
    assert read.error < 1e-14


def test_errors_are_bounds_or_estimates():
    assert account(Gaussian(2.0)).reading.delta(1.0).error_kind == "bound"
    assert account(Gaussian(2.0)).fit().error_kind == "bound"
    curve = account(DPSGD(0.5, 0.002, 10_000))
    assert curve.reading.delta([[6.07, 1e5]]).error_kind.tolist() == [["bound", "bound"]]
    assert curve.reading.fnr([[0.1, 1.0]]).error_kind.tolist() == [["bound", "bound"]]
    assert curve.fit().error_kind == "bound"
    assert account(PureDP(1.0)).fit().error_kind == "bound"


class AddFails:
    """Tails of which thresholds below zero cannot be read; 700 instead of a level makes every reading fail."""

    def __init__(self, tails):
        self._tails = tails

    def __getattr__(self, name):
        return getattr(self._tails, name)

    def read(self, tau):
        if (tau == 700.0).any():
            raise OverflowError
        points = self._tails.read(tau)
        points.methods[tau < 0] = -1
        return points


def test_what_cannot_matter_need_not_be_read():
    """Adding a record costs at most minus the least loss, 10 log(1 / 0.9) = 1.05."""
    curve, whole = account(DPSGD(1.0, 0.1, 10)), account(DPSGD(1.0, 0.1, 10))
    curve.tails = AddFails(curve.tails)
    assert curve.epsilon(1e-40) == whole.epsilon(1e-40) > 10 * math.log(1 / 0.9)
    assert curve.reading.epsilon(1e-40).method == Method.LINE


def test_one_level_that_fails_leaves_the_others_exact():
    curve, whole = account(DPSGD(1.0, 0.1, 10)), account(DPSGD(1.0, 0.1, 10))
    curve.tails = AddFails(curve.tails)
    curve.__dict__["add"] = whole.add
    read = curve.reading.delta([0.5, 700.0, 2.0, 3.0])
    assert [str(method) for method in read.method] == ["line", "enclosure", "line", "line"]
    assert read.value[0] == whole.delta(0.5)
