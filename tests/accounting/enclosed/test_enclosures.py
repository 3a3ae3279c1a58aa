"""Proved bounds enclose what exact methods, closed forms, sums and other libraries say; and huge runs are answered."""

import math
import pickle

import mpmath
import numpy as np
import pytest

from gaussdp import GDP
from gaussdp.accounting import account
from gaussdp.accounting.distribution.pld import LossDistribution
from gaussdp.accounting.readings import Method
from gaussdp.errors import DomainError
from gaussdp.mechanisms import DPSGD, Composition, Gaussian

DELTAS = np.array([0.3, 1.3e-2, 1e-5, 1e-10, 1e-30])
FPRS = np.array([0.3, 1e-2, 1e-4, 1e-9])


def runs(seed, count):
    """Runs that lines read, from few steps to many."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        noise = float(np.exp(draw.uniform(np.log(0.3), np.log(30))))
        rate = float(10 ** draw.uniform(-3, 0)) if draw.random() < 0.8 else 1 - float(10 ** draw.uniform(-8, -1))
        yield DPSGD(noise, rate, int(10 ** draw.uniform(1, 5)))


EXACT = [
    *runs(seed=3, count=8),
    Composition([DPSGD(0.8, 0.02, 100), DPSGD(2.0, 0.3, 50), 2 * Gaussian(3.0)]),
    Composition([DPSGD(0.5, 0.5, 40), Gaussian(0.3)]),
    DPSGD(0.05, 0.01, 1),
    DPSGD(0.01, 0.7, 1),
    DPSGD(0.1, 1e-12, 1),
    DPSGD(1e-3, 0.5, 1),
]


@pytest.mark.parametrize("run", EXACT, ids=repr)
class TestExactCurvesAreEnclosed:
    """The other methods share nothing with these bounds; a single step is a closed form."""

    def test_delta(self, run):
        curve = account(run)
        epsilons = np.append(0.0, np.minimum(curve.epsilon(DELTAS[curve.delta(0.0) > DELTAS]), 1e300))
        exact, bounds = curve.delta(epsilons), curve.enclosed.values("delta", epsilons)
        assert (exact <= bounds.value * (1 + 1e-9)).all()
        assert (exact >= bounds.value * (1 - bounds.error) * (1 - 1e-9)).all()

    def test_epsilon(self, run):
        curve = account(run)
        exact, bounds = curve.epsilon(DELTAS), curve.enclosed.values("epsilon", DELTAS)
        assert (exact <= bounds.value * (1 + 1e-9)).all()
        assert (exact >= bounds.value * (1 - bounds.error) * (1 - 1e-9)).all()

    @pytest.mark.parametrize(("name", "side"), [("fnr", 1), ("fpr", 1), ("tpr", -1)])
    def test_rates(self, run, name, side):
        curve = account(run)
        exact, bounds = getattr(curve, name)(FPRS), curve.enclosed.values(name, FPRS)
        with np.errstate(invalid="ignore"):
            other = bounds.value + side * np.where(bounds.value > 0, bounds.error * bounds.value, math.inf)
        assert (side * (exact - bounds.value) >= -1e-9 * exact).all()
        assert (side * (other - exact) >= -1e-9 * exact - 1e-300).all()

    def test_fit(self, run):
        curve = account(run)
        try:
            enclosed = curve.enclosed.fit(1e-6)
        except DomainError:
            assert curve.enclosed.fnr(1e-6) <= 1e-6  # no attack is left
            return
        exact = curve.fit(1e-6)
        assert enclosed.mu_lower * (1 - 1e-9) <= exact.mu_upper
        assert exact.mu_lower <= enclosed.mu_upper * (1 + 1e-9)


def test_tiny_noise_against_a_sum_in_many_digits():
    """The loss of two steps, by integrating the closed tail of one step over the output of the other."""
    noise, rate, epsilon = 0.08, 0.3, 70.0
    with mpmath.workdps(30):
        sigma, q = mpmath.mpf(noise), mpmath.mpf(rate)

        def loss(x):
            return mpmath.log(1 - q + q * mpmath.exp((2 * x - 1) / (2 * sigma**2)))

        def excess(x, left):  # E_Q[(e^(L + left) - e^epsilon)+] of the other step, over its output
            t = (mpmath.exp(epsilon - left) - 1 + q) / q
            if t <= 0:
                return mpmath.exp(left) - mpmath.exp(epsilon)
            y = sigma**2 * mpmath.log(t) + mpmath.mpf(1) / 2
            above, moved = mpmath.ncdf(-y / sigma), mpmath.ncdf(-(y - 1) / sigma)
            return mpmath.exp(left) * ((1 - q) * above + q * moved) - mpmath.exp(epsilon) * above

        points = [-1, -0.4, 0, 0.3, 0.45, 0.5, 0.55, 0.7, 1, 1.4, 2, 3]
        exact = float(mpmath.quad(lambda x: mpmath.npdf(x, 0, sigma) * excess(x, loss(x)), points))
    read = account(DPSGD(noise, rate, 2)).enclosed.values("delta", np.array([epsilon]))
    assert read.value[0] * (1 - read.error[0]) <= exact <= read.value[0]
    assert read.error[0] < 1e-3


@pytest.mark.parametrize(("run", "delta"), [(DPSGD(0.05, 0.01, 100), 1e-5), (DPSGD(0.07, 0.2, 20), 1e-6)])
def test_tiny_noise_against_distributions(run, delta):
    read = account(run).reading.epsilon(delta)
    upper, lower = (LossDistribution(list(run.parts()), pessimistic=side) for side in (True, False))
    assert read.method is Method.ENCLOSURE
    assert lower.epsilon(delta) * (1 - 1e-9) <= read.value
    assert read.value * (1 - read.error) <= upper.epsilon(delta)
    assert read.value <= upper.epsilon(delta) * (1 + 5e-3)


def test_losses_of_thousands_are_no_infinity():
    read = account(DPSGD(0.05, 0.01, 100)).reading.epsilon(1e-5)
    assert read.value == pytest.approx(1463.01, abs=0.01)
    assert read.error < 1e-5


@pytest.mark.parametrize(
    ("run", "width"),
    [
        (DPSGD(1e-3, 0.5, 100_000), 1e-3),
        (DPSGD(0.5, 0.5, 10**6), 1e-3),
        (DPSGD(0.25, 1 - 1e-15, 10**7), 1e-9),
        (DPSGD(0.238, 0.00748, 4_497_465), 1e-3),
        (DPSGD(0.16, 0.00174, 2_838_395), 3e-3),
        (DPSGD(0.596, 0.999998, 8_551_665), 1e-5),
        (DPSGD(2.0, 0.5, 10**9), 1e-5),
    ],
    ids=repr,
)
def test_huge_runs_are_enclosed(run, width):
    read = account(run).reading.epsilon(1e-5)
    assert read.method is Method.ENCLOSURE
    assert read.error < width
    # Neither more than without sampling, nor less than a GDP curve through what one batch in three sigmas fewer gives.
    assert read.value <= GDP(math.sqrt(run.steps) / run.noise_multiplier).epsilon(1e-5) * (1 + 1e-9)


def test_the_bounds_meet_where_every_record_is_in_every_batch():
    run = DPSGD(3.0, 1 - 1e-14, 10_000)
    read = account(run).enclosed.values("epsilon", DELTAS)
    assert read.value == pytest.approx(GDP(100 / 3).epsilon(DELTAS), rel=1e-6)
    assert (read.error < 1e-6).all()


def test_a_floor_that_no_attack_reaches_is_refused_at_once():
    with pytest.raises(DomainError, match="floor must leave attacks to speak about"):
        account(DPSGD(0.238, 0.00748, 4_497_465)).fit(1e-5)


def test_a_fit_of_tiny_noise_is_enclosed():
    """With probability 0.99^100 the record is in no batch; else the attacker knows, but for next to nothing."""
    fit = account(DPSGD(0.05, 0.01, 100)).fit(1e-5)
    known = float(-mpmath.sqrt(2) * (mpmath.erfinv(2e-5 - 1) + mpmath.erfinv(2 * (0.99**100 - 1e-5) - 1)))
    assert fit.mu_lower <= known * (1 + 1e-9)
    assert fit.mu == pytest.approx(known, rel=1e-4)
    assert fit.error < 1e-6
    assert fit.methods == (Method.ENCLOSURE,)


def test_an_enclosed_curve_is_made_again_from_its_run():
    curve = account(DPSGD(0.05, 0.01, 100)).enclosed
    again = pickle.loads(pickle.dumps(curve))
    assert again == curve
    assert again.values("epsilon", DELTAS).value.tobytes() == curve.values("epsilon", DELTAS).value.tobytes()


def test_limits():
    curve = account(DPSGD(0.05, 0.01, 100)).enclosed
    assert curve.epsilon(0.0) == math.inf
    assert curve.epsilon(1.0) == 0.0
    assert curve.delta(math.inf) == 0.0
    assert account(DPSGD(0.05, 0.01, 100)).epsilon(1e-300) > curve.epsilon(1e-100)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.0, 1e-90, 10**6), (0.3, 1e-60, 7)])
def test_rounding_is_no_lower_end(noise, rate, steps):
    """The total variation is at most the expected number of batches that hold the record."""
    assert account(DPSGD(noise, rate, steps)).fit().mu_lower <= 2.6 * rate * steps


@pytest.mark.parametrize("epsilon", [34.9, 47.8, 49.3])
def test_rounding_of_many_steps_is_no_upper_end(epsilon):
    """Next to 1, where what rounding takes from the moment of each of 8,859 steps would be more than 1 - delta."""
    curve = account(DPSGD(3.3851739492725623, 0.7165938376221971, 8859))
    exact = curve.reading.delta(epsilon)
    assert curve.enclosed.delta(epsilon) >= exact.value - 1e-15
    assert exact.value < 1


@pytest.mark.parametrize("fpr", [1e-25, 1e-30, 1e-40])
@pytest.mark.parametrize(
    "run", [Composition([DPSGD(0.6, 0.7, 400), DPSGD(0.16, 1e-5, 3000)]), DPSGD(0.6, 0.7, 500), DPSGD(0.4, 0.3, 300)]
)
def test_deltas_next_to_one_leave_room_for_small_rates(run, fpr):
    """1 - delta is far smaller than the rounding error of delta where hardly any privacy is left."""
    curve = account(run)
    exact = float(curve.fnr(fpr))
    safe, other = (float(end[0]) for end in curve.enclosed.ends("fnr", np.array([fpr])))
    assert safe <= exact <= other
    assert curve.enclosed.ends("tpr", np.array([fpr]))[1][0] <= float(curve.tpr(fpr))
    assert not curve.enclosed.surely_ends_above(0.9 * min(exact, fpr))
