"""The accounted curve of compositions with atoms."""

import itertools
import math
import re

import mpmath
import numpy as np
import pytest

import gaussdp
from contracts_of_guarantees import GuaranteeContract
from gaussdp import GDP, ApproxDP, LaplaceDP, PureDP
from gaussdp.accounting import DistributionCurve, account
from gaussdp.mechanisms import (
    DPSGD,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    Stated,
)


class TestDistributionCurve(GuaranteeContract):
    @pytest.fixture(params=[RandomizedResponse(0.5), 20 * RandomizedResponse(0.2)], ids=repr)
    def guarantee(self, request):
        return account(request.param)

    # The contract reads rates down to 1e-9 and deltas down to 1e-12, which these curves can.
    def test_frozen_hashable_and_printable(self, guarantee):
        assert guarantee in {guarantee}
        assert "noise floor" in repr(guarantee)


def test_one_release_of_randomized_response_is_pure_dp():
    fit = account(RandomizedResponse(1.0)).fit()
    assert fit.mu == pytest.approx(PureDP(1.0).implied().mu, rel=1e-9)
    assert fit.mu_lower <= PureDP(1.0).implied().mu <= fit.mu_upper * (1 + 1e-15)
    assert fit.fpr == pytest.approx(1 / (1 + math.e), rel=1e-6)


@pytest.mark.parametrize("count", [1, 7, 100])
def test_the_fit_encloses_and_holds(count):
    curve = account(count * RandomizedResponse(0.3))
    fit = curve.fit()
    assert fit.mu_lower <= fit.mu == fit.mu_upper
    assert fit.mu_lower == pytest.approx(fit.mu, rel=1e-6)
    rates = np.geomspace(1e-10, 0.5, 3000)
    assert (fit.guarantee.fnr(rates) <= curve.fnr(rates) + 1e-12).all()
    below = GDP(fit.mu_lower * (1 - 1e-6))
    fpr = np.array([fit.fpr])
    assert below.fnr(fpr) > curve.fnr(fpr) - 1e-9


def test_slack_and_regret_are_what_they_say():
    curve = account(10 * Laplace(10.0))
    fit = curve.fit()
    epsilons = np.linspace(0, 1.2, 4000)
    ours, theirs = curve.delta(epsilons), fit.guarantee.delta(epsilons)
    assert (ours <= fit.slack + (1 - fit.slack) * theirs + 1e-15).all()
    alpha = np.linspace(0, 1 - fit.regret, 5000)
    assert (
        curve.fnr(np.minimum(alpha + fit.regret * (1 + 1e-6), 1.0)) - fit.regret <= fit.guarantee.fnr(alpha) + 1e-9
    ).all()


def test_the_census_as_discrete_gaussian_releases():
    """66 releases, six levels by eleven queries in uneven shares, of total rho 3.65: mu = sqrt(2 rho) = 2.70185."""
    shares = np.outer([0.12, 0.22, 0.3, 0.2, 0.1, 0.06], np.linspace(1, 3, 11)).ravel()
    rhos = 3.65 * shares / shares.sum()
    fit = account(Composition([DiscreteGaussian(1 / math.sqrt(2 * rho)) for rho in rhos])).fit()
    assert fit.mu == pytest.approx(2.70185, abs=5e-6)
    assert fit.mu_lower < math.sqrt(2 * 3.65) < fit.mu
    assert fit.regret < 1e-6


def test_a_smooth_and_an_atomic_part_together():
    smooth = DPSGD(noise_multiplier=1.0, sample_rate=0.01, steps=200)
    together = account(Composition([smooth, 3 * Laplace(10.0)]))
    assert isinstance(together, DistributionCurve)
    alone, pure = account(smooth), PureDP(0.3)
    for epsilon in (0.0, 0.2, 0.5, 1.0):
        assert together.delta(epsilon) >= alone.delta(epsilon) * (1 - 1e-9)
        # Basic composition bounds the pair from above.
        assert together.delta(epsilon + 0.3) <= alone.delta(epsilon) + 1e-6
        assert together.delta(epsilon) >= pure.delta(epsilon) * 0.1 * (epsilon < 0.1)


def test_a_gaussian_beside_a_stated_guarantee():
    curve = account(Composition([Gaussian(2.0), PureDP(0.1)]))
    assert curve.epsilon(1e-6) <= GDP(0.5).epsilon(1e-6) + 0.1 + 1e-3
    assert curve.epsilon(1e-6) > GDP(0.5).epsilon(1e-6)


class TestBelowTheNoiseFloor:
    curve = account(1000 * DiscreteGaussian(10.0))

    @pytest.mark.parametrize("reading", ["fnr", "tpr", "fpr", "epsilon"])
    def test_refused(self, reading):
        with pytest.raises(gaussdp.DomainError, match="the noise floor of this privacy loss distribution, got 1e-15"):
            getattr(self.curve, reading)(1e-15)

    def test_a_fit_too(self):
        with pytest.raises(gaussdp.DomainError, match="floor must be 0 or at least"):
            self.curve.fit(floor=1e-15)

    def test_the_default_floor_rises_to_it(self):
        often = account(100_000 * RandomizedResponse(0.001))
        assert often.fit().floor == often.noise_floor > 1e-10

    def test_zero_is_an_answer(self):
        assert self.curve.fnr(0.0) < 1
        assert self.curve.tpr(0.0) > 0


ATOMS = {
    "laplace": (Laplace(1.0), 1.0),
    "response": (RandomizedResponse(0.7, 3), 0.7),
    "discrete laplace": (DiscreteLaplace(3.0, 2), 2 / 3),
    "composed statements": (Composition([PureDP(0.3), 4 * Stated(PureDP(0.2))]), 1.1),
    "mixed": (Composition([5 * Laplace(4.0), DiscreteLaplace(2.0), ExponentialMechanism(0.6)]), 2.35),
}


@pytest.mark.parametrize("name", list(ATOMS))
class TestPureEpsilon:
    def test_it_survives(self, name):
        mechanism, epsilon = ATOMS[name]
        curve = account(mechanism)
        assert curve.epsilon(0.0) == pytest.approx(epsilon, rel=1e-15)
        assert curve.delta(curve.epsilon(0.0)) == 0.0
        assert curve.tpr(1e-40) == pytest.approx(math.exp(epsilon) * 1e-40, rel=1e-12)
        assert curve.fnr(0.0) == 1.0

    def test_a_mu_follows(self, name):
        """At most that of randomized response with the same epsilon, which is the worst; and it holds everywhere."""
        mechanism, epsilon = ATOMS[name]
        curve = account(mechanism)
        implied = curve.implied()
        assert curve.fit().mu_lower <= implied.mu <= PureDP(epsilon).implied().mu * (1 + 1e-12)
        rates = np.geomspace(1e-100, 0.5, 500)
        assert (implied.tpr(rates) >= curve.tpr(rates) * (1 - 1e-12)).all()
        assert curve.fit(floor=1e-30).mu == pytest.approx(implied.mu, rel=1e-12)


def test_the_mu_that_one_laplace_release_implies():
    assert account(Laplace(1.0)).implied().mu == pytest.approx(LaplaceDP(1.0).implied().mu, rel=1e-6)
    assert account(RandomizedResponse(1.0)).implied().mu == pytest.approx(PureDP(1.0).implied().mu, rel=1e-14)


def test_one_part_without_a_pure_epsilon_and_there_is_none():
    curve = account(Composition([Laplace(1.0), DiscreteGaussian(3.0)]))
    assert curve.epsilon(0.0) == math.inf
    with pytest.raises(gaussdp.DomainError, match="no finite mu follows"):
        curve.implied()


def test_a_floor_that_leaves_nothing():
    with pytest.raises(gaussdp.DomainError, match="floor must leave attacks"):
        account(500 * RandomizedResponse(1.0)).fit(floor=0.4)


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
def test_epsilons_enclose_the_truth(delta):
    truth = GDP(0.5).epsilon(delta)
    curve = DistributionCurve([(Gaussian(4.0), 4)])
    assert truth - 2e-3 < curve.epsilon_lower(delta) < truth < curve.epsilon(delta) < truth + 2e-3


def test_epsilons_of_one_coin_meet():
    """Randomized response is (epsilon, 0)-DP and no better: delta(e) = (e^eps - e^e) / (1 + e^eps)."""
    curve = account(RandomizedResponse(1.0))
    for epsilon in (0.25, 0.75, 1.0):
        delta = (math.e - math.exp(epsilon)) / (1 + math.e) + 1e-9
        assert epsilon - 1e-6 < curve.epsilon_lower(delta) < epsilon
    assert curve.epsilon_lower(0.5) == 0.0


def test_no_epsilon_is_enough_below_an_infinite_loss():
    curve = account(Composition([Stated(gaussdp.ApproxDP(1.0, 1e-5)), Laplace(1.0)]))
    assert curve.epsilon_lower(0.9e-5) == curve.epsilon(0.9e-5) == math.inf
    assert curve.epsilon_lower(1.1e-5) < 2 < math.inf


@pytest.mark.parametrize("count", [1, 1000])
def test_losses_that_are_finite_with_hardly_any_probability(count):
    failing = 1000 * Stated(gaussdp.ApproxDP(1.0, 0.05))  # nothing but infinite with probability 1 - 5e-23
    others = (Laplace(3.0), Stated(gaussdp.ApproxDP(2.0, 1e-5)))
    for parts in itertools.chain(*(((failing, count * one), (count * one, failing)) for one in others)):
        curve = account(Composition(parts))
        assert curve.delta(3.0) == 1.0
        assert curve.epsilon(0.9) == curve.epsilon_lower(0.9) == math.inf


def test_discrete_noise_far_smaller_than_the_sensitivity():
    """Its losses are large, not infinite."""
    curve = account(Composition([1000 * DiscreteGaussian(10.0, sensitivity=100), 1000 * Gaussian(100.0)]))
    expected = GDP(math.hypot(10 * math.sqrt(1000), 0.01 * math.sqrt(1000))).epsilon(1e-5)
    assert curve.epsilon(1e-5) == pytest.approx(expected, rel=1e-5)


def test_no_epsilon_from_below_without_the_mechanism():
    from dp_accounting.pld import privacy_loss_distribution as distributions

    curve = DistributionCurve.read(distributions.from_laplace_mechanism(1.0), 1)
    assert curve.epsilon(1e-3) == pytest.approx(1 + 2 * math.log1p(-1e-3), rel=1e-6)
    assert curve.epsilon_lower(1e-3) == 0.0


def test_a_stated_guarantee_alone():
    curve = account(Stated(gaussdp.ApproxDP(1.0, 1e-5)))
    assert curve.epsilon(2e-5) <= 1.0
    assert curve.delta(1.0) == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize(
    "mechanism",
    [
        gaussdp.BestOf(Gaussian(0.01), 10.0),  # of which nothing can be promised
        gaussdp.BestOf(Gaussian(1e50), 1e9, 100.0),
        2 * Stated(gaussdp.ZCDP(1e-250)),
        Stated(gaussdp.ApproxGDP(1e-50, 0.5)),
        1000 * ExponentialMechanism(1e-15),
    ],
    ids=repr,
)
def test_losses_that_are_next_to_nothing_or_no_bound_at_all(mechanism):
    curve = account(mechanism)
    assert curve.epsilon(0.9) >= 0
    assert 0 <= curve.delta(1.0) <= 1


class TestOfStatements:
    """Parameters are what is written: 1 - (1 - 0.1) (1 - 0.2) is 0.28, and at that delta the epsilons add up."""

    both = Composition([Stated(ApproxDP(1.0, 0.1)), Stated(ApproxDP(2.0, 0.2))])

    def test_the_last_point_is_exact(self):
        curve = account(self.both)
        assert curve.epsilon(0.28) == 3.0
        assert curve.delta(3.0) == curve.delta(50.0) == 0.28
        assert curve.epsilon(math.nextafter(0.28, 0.0)) == math.inf
        assert curve.epsilon(0.281) < 3.0
        assert curve.pure_epsilon == math.inf

    def test_its_mu_is_infinite(self):
        assert account(self.both).implied() == account(ApproxDP(1.0, 0.1)).implied() == GDP(math.inf)

    @pytest.mark.parametrize("claim", ["epsilon=3 delta=0.28", "epsilon=3.01 delta=0.28"])
    def test_a_claim_of_it_is_sound(self, claim):
        run = gaussdp.Run(mechanism=self.both, unit="one person", adjacency="add-remove", tuning="none")
        assert gaussdp.check_claim(run, claim).status == "sound"

    @pytest.mark.parametrize("times", [1, 3, 2000])
    def test_long_compositions_against_mpmath(self, times):
        curve = account(Composition([times * Stated(ApproxDP(0.1, 1e-5)), Stated(PureDP(0.2))]))
        with mpmath.workdps(50):
            fails = 1 - (1 - mpmath.mpf("1e-5")) ** times
            found = curve.delta(0.1 * times + 1)
            assert mpmath.mpf(repr(found)) >= fails * (1 - mpmath.mpf("1e-30"))
            assert found == pytest.approx(float(fails), rel=1e-13)
        assert curve.epsilon(found) == pytest.approx(0.1 * times + 0.2, rel=1e-15)


def test_epsilon_is_that_of_the_worse_direction():
    """Of Laplace noise on a sample, removing a record costs far more than adding it; both readings say so."""
    curve = account(3 * PoissonSampled(Laplace(0.5), 0.05))
    for delta in (1e-3, 1e-5):
        epsilon = curve.epsilon(delta)
        assert curve.delta(epsilon) <= delta * (1 + 1e-9)
        assert curve.delta(0.99 * epsilon) > delta


def test_the_noise_floor_that_a_refusal_names_is_answered():
    """It was rounded to the nearest, which is refused again wherever that is below."""
    for scale in (1.0, 2.0, 3.0, 5.0, 7.0):
        curve = gaussdp.account(gaussdp.Composition([gaussdp.Laplace(scale), gaussdp.Gaussian(1.0)]))
        with pytest.raises(gaussdp.DomainError, match="noise floor") as refused:
            curve.epsilon(1e-300)
        named = float(re.search(r"at least ([0-9.e-]+), the noise floor", str(refused.value))[1])
        assert curve.epsilon(named) > 0
