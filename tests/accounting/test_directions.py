"""One direction of a curve: closed forms of Gaussian releases and of one sampled step, both ways."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussdp import DPSGD, GDP, account
from gaussdp.accounting import Direction
from gaussdp.accounting.directions import RateBounds
from gaussdp.accounting.inversion import points_at_fnr, points_at_fpr, points_at_remove_delta
from gaussdp.accounting.loss.closed_forms import GaussianTails, OneStepTails
from gaussdp.accounting.readings import Method
from gaussdp.errors import DomainError

SIGMA, RATE = 0.7, 0.15
REMOVE, ADD = (Direction(OneStepTails(SIGMA, RATE), remove=remove) for remove in (True, False))
LEVELS = np.array([0.0, 1e-40, 1e-6, 0.1, 0.5, 0.97, 1.0])


def sampled(x):
    """P(output <= x) with the record, in 40 digits."""
    return (1 - mp.mpf(RATE)) * mp.ncdf(x / mp.mpf(SIGMA)) + mp.mpf(RATE) * mp.ncdf((x - 1) / mp.mpf(SIGMA))


def plain(x):
    """And without."""
    return mp.ncdf(x / mp.mpf(SIGMA))


def growth(x):
    """The likelihood ratio, with the record to without."""
    return 1 - mp.mpf(RATE) + mp.mpf(RATE) * mp.exp((x - mp.mpf("0.5")) / mp.mpf(SIGMA) ** 2)


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("mu", [0.3, 4.0])
def test_gaussian_directions_are_the_gdp_curve(mu, remove):
    direction, curve = Direction(GaussianTails(mu), remove=remove), GDP(mu)
    np.testing.assert_allclose(direction.fnr(LEVELS), curve.fnr(LEVELS), rtol=1e-12)
    np.testing.assert_allclose(direction.tpr(LEVELS), curve.tpr(LEVELS), rtol=1e-12)
    epsilons = np.array([0.0, 0.2, 3.0, 20.0, math.inf])
    np.testing.assert_allclose(direction.delta(epsilons), curve.delta(epsilons), rtol=1e-11)
    deltas = np.array([0.0, 1e-60, 1e-5, 0.999 * curve.delta(0.0), curve.delta(0.0), 1.0])
    np.testing.assert_allclose(direction.epsilon(deltas), curve.epsilon(deltas), rtol=1e-8, atol=1e-12)


@given(st.floats(-4, 8))
def test_attacks_on_one_sampled_step(x):
    """Accuse of membership whoever's output exceeds x; and the other way round, of being none."""
    with mp.workdps(40):
        fpr, fnr = 1 - plain(mp.mpf(x)), sampled(mp.mpf(x))
        exact = [float(rate) for rate in (fpr, 1 - fpr, fnr, 1 - fnr)]
    fpr, tnr, fnr, tpr = exact
    if fpr < 0.9:
        assert (REMOVE.fnr(fpr), REMOVE.tpr(fpr)) == pytest.approx((fnr, tpr), rel=1e-10)
    if fnr < 0.9:
        assert (ADD.fnr(fnr), ADD.tpr(fnr)) == pytest.approx((fpr, tnr), rel=1e-10)


@given(st.floats(-2, 6))
def test_profiles_of_one_sampled_step(x):
    """With a threshold at x, delta = P(S) - e^epsilon Q(S) for epsilon the loss at x; epsilon may be negative."""
    with mp.workdps(40):
        ratio = growth(mp.mpf(x))
        remove = (1 - sampled(mp.mpf(x))) - ratio * (1 - plain(mp.mpf(x)))
        add = plain(mp.mpf(x)) - sampled(mp.mpf(x)) / ratio
        epsilon, remove, add = float(mp.log(ratio)), float(remove), float(add)
    assert REMOVE.delta(epsilon) == pytest.approx(remove, rel=1e-9)
    assert ADD.delta(-epsilon) == pytest.approx(add, rel=1e-9)
    if epsilon > 1e-3:
        assert REMOVE.epsilon(remove) == pytest.approx(epsilon, rel=1e-9)
    if epsilon < -1e-3:
        assert ADD.epsilon(add) == pytest.approx(-epsilon, rel=1e-9)


def test_ends():
    assert REMOVE.delta(np.array([-math.inf, math.inf])).tolist() == [1.0, 0.0]
    assert ADD.delta(np.array([-math.inf, math.inf])).tolist() == [1.0, 0.0]
    assert (REMOVE.epsilon(0.0), REMOVE.epsilon(1.0)) == (math.inf, 0.0)
    assert (ADD.epsilon(0.0), ADD.epsilon(1.0)) == (pytest.approx(-math.log1p(-RATE)), 0.0)
    for direction in (REMOVE, ADD):
        assert direction.fnr(np.array([0.0, 1.0])).tolist() == [1.0, 0.0]
        assert direction.tpr(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


def test_scalars_and_shapes():
    assert type(REMOVE.fnr(0.1)) is float
    assert ADD.delta(np.full((2, 3), 0.1)).shape == (2, 3)


@pytest.mark.parametrize(("reading", "value"), [("fnr", -0.1), ("tpr", 2.0), ("delta", math.nan), ("epsilon", 1.5)])
def test_refusals(reading, value):
    with pytest.raises(DomainError, match=r"must be in \["):
        getattr(REMOVE, reading)(value)


@pytest.mark.parametrize(
    ("noise", "rate", "delta", "exact"),
    [
        (48.183862989803714, 0.02250259513470402, 3.9461905272144316e-22, "0.004353459520148164660923455"),
        (0.698726234563952, 0.04478154977605329, 3.0427592631855964e-06, "2.946338502274907789805698"),
    ],
)
def test_epsilon_where_the_quantile_has_no_second_derivative(noise, rate, delta, exact):
    """A quadratic step seemed to leave nothing there, and left five times the claim; 80-digit arithmetic."""
    read = account(DPSGD(noise, rate, 1)).reading.epsilon(delta)
    assert read.error_kind == "bound"
    assert abs(Fraction(read.value) - Fraction(exact)) <= Fraction(read.error) * Fraction(exact)
    assert read.error < 1e-13


def test_what_a_search_of_a_closed_form_leaves_is_claimed(monkeypatch):
    level, tails = np.array([1e-6]), OneStepTails(0.5, 0.01)
    exact = Direction(tails, remove=True).epsilons(level)

    def early(tails, log_delta):
        return points_at_remove_delta(tails, log_delta + 1e-7)

    monkeypatch.setattr("gaussdp.accounting.directions.points_at_remove_delta", early)
    read = Direction(tails, remove=True).epsilons(level)
    assert 1e-10 < abs(read.value[0] / exact.value[0] - 1) < read.error[0] < 1e-7


def test_a_direction_refuses_what_only_the_curve_answers():
    with pytest.raises(DomainError, match="ask the curve itself"):
        account(DPSGD(1.0, 0.01, 100)).remove.reading.fpr(0.5)


class Doubtful:
    """Tails whose errors seem to be small until one looks again."""

    def __init__(self, tails, sure):
        self._tails, self._sure = tails, sure

    def __getattr__(self, name):
        return getattr(self._tails, name)

    def read(self, tau):
        points = self._tails.read(tau)
        return replace(points, methods=np.full_like(points.methods, Method.LINE))

    def at_fpr(self, log_fpr, log_tnr):
        return points_at_fpr(self, log_fpr, log_tnr)

    def error_bounds(self, tau):
        self._sure -= 1
        return np.full(tau.size, 1e-13 if self._sure >= 0 else 1e-3)


def test_rates_are_bounded_only_by_tests_that_surely_lie_on_either_side():
    levels = np.log([1e-6, 0.2]), np.log1p([-1e-6, -0.2])
    doubtful, sure = (
        Direction(Doubtful(GaussianTails(1.0), times), remove=True).rate_bounds(*levels) for times in (1, 9)
    )
    assert np.isinf(doubtful.fnr_high).all()
    fnr = GDP(1.0).fnr(np.array([1e-6, 0.2]))
    assert (sure.fnr_low <= fnr).all()
    assert (fnr <= sure.fnr_high).all()
    assert (sure.fnr_high - sure.fnr_low < 1e-11).all()


def test_bounds_of_rates_next_to_1_count_rounding():
    """The FNRs of the two tests are neighbouring doubles, and the truth, proved, lies 1e-18 above the larger one."""
    curve, level = account(DPSGD(2.4273285282933683, 1.3919802971282244e-05, 5737)), 1.2375438405920345e-06
    low, high = Fraction("0.9999987597385352490154163"), Fraction("0.9999987597385352490155092")
    bounds = curve.add.rate_bounds(np.log([level]), np.log1p([-level]))
    assert Fraction(float(bounds.fnr_low[0])) <= low
    assert high <= Fraction(float(bounds.fnr_high[0]))
    assert bounds.fnr_high[0] - bounds.fnr_low[0] < 2e-15


class Wrong(Doubtful):
    """Tails whose smaller rates are off by all that their errors say, each in a direction."""

    def __init__(self, tails, size, ways):
        super().__init__(tails, math.inf)
        self._size, self._ways = size, ways

    def read(self, tau):
        points = super().read(tau)
        changed = {}
        for (rate, rest), way in zip((("log_fpr", "log_tnr"), ("log_fnr", "log_tpr")), self._ways, strict=True):
            one, other = getattr(points, rate), getattr(points, rest)
            smaller = np.minimum(one, other) + math.log1p(way * self._size)
            larger = np.log1p(-np.exp(smaller))
            changed |= {
                rate: np.where(one <= other, smaller, larger),
                rest: np.where(one <= other, larger, smaller),
            }
        return replace(points, errors=np.full(tau.size, self._size), **changed)

    def at_fnr(self, log_fnr, log_tpr):
        return points_at_fnr(self, log_fnr, log_tpr)

    def error_bounds(self, tau):
        return np.full(tau.size, self._size)


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("ways", [(1, 1), (1, -1), (-1, 1), (-1, -1)], ids=str)
def test_bounds_of_rates_hold_for_wrong_readings(ways, remove):
    levels = np.array([1e-8, 1e-3, 0.2, 0.4, 0.9, 1 - 1e-6])
    direction = Direction(Wrong(GaussianTails(1.0), 1e-10, ways), remove=remove)
    bounds = direction.rate_bounds(np.log(levels), np.log1p(-levels))
    fnr, tpr = GDP(1.0).fnr(levels), GDP(1.0).tpr(levels)
    assert (bounds.fnr_low <= fnr * (1 + 1e-15)).all()
    assert (fnr <= bounds.fnr_high * (1 + 1e-15)).all()
    assert (bounds.tpr_low <= tpr * (1 + 1e-15)).all()
    assert (tpr <= bounds.tpr_high * (1 + 1e-15)).all()
    assert (bounds.fnr_high - bounds.fnr_low < 1e-8 * np.minimum(fnr, tpr)).all()


@pytest.mark.parametrize(
    ("epsilon", "low", "high"),
    [(8.645745234979445, 6.00526e-17, 6.03658e-17), (8.66, 7.56e-19, 7.64e-19), (8.700000000000001, 6e-33, 2e-32)],
)
def test_rates_that_rounding_took_are_no_answers(epsilon, low, high):
    """Next to the least loss, where a line at a tilt far off leaves nothing, or noise; the bounds are from lattices."""
    curve = account(DPSGD(0.3806225464349507, 0.17603034261518596, 45))
    reading = curve.add.reading.delta(epsilon)
    assert low < reading.value < high
    assert reading.error < 1e-9
    assert curve.add.epsilon(reading.value) == pytest.approx(epsilon, rel=1e-9)


def between(fnr_low, fnr_high, tpr_low, tpr_high):
    ends = [np.array(end) for end in (fnr_low, fnr_high, tpr_low, tpr_high)]
    return RateBounds.around(np.zeros(2), np.zeros(2), (ends[0], ends[1]), (ends[2], ends[3]))


def test_of_two_directions_the_rates_of_the_better_attack_are_enclosed():
    """Its FNR is the smaller of two that lie between these ends, its TPR the larger: so is each end."""
    one = between([0.1, 0.4], [0.5, 0.6], [0.5, 0.5], [0.9, 0.9])
    other = between([0.3, 0.2], [0.4, 0.7], [0.6, 0.4], [0.8, 0.95])
    for both in (one.with_smaller_fnr(other), other.with_smaller_fnr(one)):
        ends = np.array((*both.named("fnr"), *both.named("tpr")))
        np.testing.assert_allclose(ends, [[0.1, 0.2], [0.4, 0.6], [0.6, 0.5], [0.9, 0.95]], rtol=1e-14)
